//! How cards of one rank can be laid, counted by kind: what openings, takes and ways out are
//! made of.
//!
//! **Invariant:** proposes, never permits; [`crate::judge`] has the last word.

use arrayvec::ArrayVec;
use handfoot_cards::{Card, Cards, Kind, KindCounts, Role};
use handfoot_rules::{BookCounts, Rules};

use crate::growth::{grows, may_extend, melds_black_threes, only_going_out, size_max};
use crate::judge::Shapes;
use crate::limits::{LAY_CARDS_MAX, LAY_PLACEMENTS_MAX, RANK_OPTIONS_MAX, RANK_PLACES_MAX};
use crate::{Lay, MeldId, MeldRank, MeldShape, Target};

/// Cards of one rank laid at one place, counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portion {
    pub(crate) rank: MeldRank,
    pub(crate) target: Target,
    pub(crate) naturals: u8,
    pub(crate) wilds: u8,
    /// A red three that goes on top. Rule: HF-3.8
    pub(crate) cap: Option<Card>,
}

/// One way to lay cards of one rank: additions, new melds, or both.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankOption {
    pub(crate) portions: ArrayVec<Portion, RANK_PLACES_MAX>,
    /// Naturals laid.
    pub(crate) naturals: u8,
    /// Wild cards laid.
    pub(crate) wilds: u8,
    /// What it makes of the team's books.
    pub(crate) books: BookChange,
    /// What it leaves of the rank's melds.
    melds: RankMelds,
}

/// Books completed, and clean books made dirty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BookChange {
    made: BookCounts,
    lost: BookCounts,
}

/// What counts for the limits of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RankMelds {
    /// Unfinished melds among those that were there.
    old_open: u8,
    /// Unfinished melds among those started.
    new_open: u8,
    /// All melds of the rank.
    total: u8,
}

impl BookChange {
    /// Books completed.
    pub(crate) const fn made(self) -> BookCounts {
        self.made
    }

    /// The books after the change.
    pub(crate) const fn apply(self, books: BookCounts) -> BookCounts {
        BookCounts {
            clean: (books.clean + self.made.clean).saturating_sub(self.lost.clean),
            dirty: (books.dirty + self.made.dirty).saturating_sub(self.lost.dirty),
            wild: (books.wild + self.made.wild).saturating_sub(self.lost.wild),
            sevens: (books.sevens + self.made.sevens).saturating_sub(self.lost.sevens),
        }
    }

    /// Counts what becomes of one meld.
    fn count(&mut self, rules: &Rules, old: MeldShape, new: MeldShape) {
        if old.is_book(rules) && old.kind() == new.kind() {
            return;
        }
        old.count_in(&mut self.lost, rules);
        new.count_in(&mut self.made, rules);
    }
}

impl RankOption {
    /// All cards laid.
    pub(crate) const fn cards(&self) -> u8 {
        self.naturals + self.wilds
    }

    /// Whether a natural joins a meld that was there.
    pub(crate) fn joins(&self) -> bool {
        let is_old = |portion: &Portion| matches!(portion.target, Target::Meld(_));
        self.portions.iter().any(|portion| is_old(portion) && portion.naturals > 0)
    }
}

/// Ways to lay one rank, in canonical order: fewest cards of the first place first.
pub(crate) type RankOptions = Vec<RankOption>;

/// What there is to lay one rank with.
#[derive(Clone, Debug)]
pub(crate) struct RankSupply {
    pub(crate) rank: MeldRank,
    /// The team's melds of the rank to which something may be added.
    pub(crate) places: ArrayVec<(MeldId, MeldShape), RANK_PLACES_MAX>,
    /// All its melds of the rank, books included.
    pub(crate) melds: u8,
    /// Naturals of the rank.
    pub(crate) naturals: u8,
    /// Wild cards.
    pub(crate) wilds: u8,
}

/// Every way to lay at least one card of what there is; where books grow or several melds of a
/// rank are open, one way for each outcome.
pub(crate) fn rank_options(rules: &Rules, supply: &RankSupply) -> RankOptions {
    let is_plain = rules.has_plain_melds();
    let unfinished = supply.places.iter().filter(|(_, shape)| !shape.is_book(rules)).count();
    let melds = RankMelds {
        old_open: u8::try_from(unfinished).unwrap_or(u8::MAX),
        new_open: 0,
        total: supply.melds,
    };
    let mut ways = Ways { rules, supply, options: Vec::new(), seen: (!is_plain).then(Vec::new) };
    let left = Left { at: 0, naturals: supply.naturals, wilds: supply.wilds };
    ways.go_on(left, &RankOption { melds, ..RankOption::default() });
    ways.options
}

/// What is left to lay, and the next place for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Left {
    at: usize,
    naturals: u8,
    wilds: u8,
}

/// What an outcome is told apart by.
type Outcome = (Left, BookChange, RankMelds, bool);

/// The search for all ways.
struct Ways<'a> {
    rules: &'a Rules,
    supply: &'a RankSupply,
    options: RankOptions,
    /// Outcomes that were met before, if one way for each is enough.
    seen: Option<Vec<Outcome>>,
}

impl Ways<'_> {
    /// Lays at the next place, or nothing there, or starts a meld after the last.
    fn go_on(&mut self, left: Left, so_far: &RankOption) {
        if let Some((id, shape)) = self.supply.places.get(left.at).copied() {
            self.lay_at(Target::Meld(id), shape, left, so_far);
            self.go_on(Left { at: left.at + 1, ..left }, so_far);
        } else if self.may_start(so_far.melds) {
            let empty = MeldShape::empty(self.supply.rank);
            self.lay_at(Target::New, empty, left, so_far);
        }
    }

    /// Whether the limits of the rank leave room for another meld. Rule: HF-4.6
    fn may_start(&self, melds: RankMelds) -> bool {
        let per_rank = self.rules.draft().per_rank;
        // Started melds that are complete come first, so that each set of them is met once.
        let leaves_room = melds.new_open == 0 || melds.old_open + melds.new_open < per_rank.open;
        leaves_room
            && melds.old_open < per_rank.open
            && per_rank.total.is_none_or(|total| melds.total < total)
    }

    /// Lays at one place, and goes on to the next.
    fn lay_at(&mut self, target: Target, base: MeldShape, left: Left, so_far: &RankOption) {
        let room = size_max(self.rules, self.supply.rank).saturating_sub(base.size());
        let old = match target {
            Target::Meld(id) => Some((id, base)),
            Target::New => None,
        };
        for naturals in 0..=left.naturals.min(room) {
            for wilds in 0..=left.wilds.min(room - naturals) {
                let shape = MeldShape {
                    naturals: base.naturals + naturals,
                    wilds: base.wilds + wilds,
                    ..base
                };
                if naturals + wilds == 0 || grows(self.rules, old, shape).is_err() {
                    continue;
                }
                let mut option = so_far.clone();
                let portion =
                    Portion { rank: self.supply.rank, target, naturals, wilds, cap: None };
                if !self.count(&mut option, base, shape, portion) {
                    continue;
                }
                let after = Left {
                    at: left.at + usize::from(old.is_some()),
                    naturals: left.naturals - naturals,
                    wilds: left.wilds - wilds,
                };
                if self.is_new(after, &option) {
                    self.go_on(after, &option);
                    // A full list keeps what it has: the shortest ways came first.
                    if self.options.len() < RANK_OPTIONS_MAX {
                        self.options.push(option);
                    }
                }
            }
        }
    }

    /// Adds a portion to a way; false if the limits of the rank or of a lay do not allow it.
    fn count(
        &self,
        option: &mut RankOption,
        base: MeldShape,
        shape: MeldShape,
        portion: Portion,
    ) -> bool {
        let is_book = shape.is_book(self.rules);
        let comes_too_late = is_book && option.melds.new_open > 0;
        match portion.target {
            Target::New => {
                option.melds.total = option.melds.total.saturating_add(1);
                option.melds.new_open += u8::from(!is_book);
            }
            Target::Meld(_) if is_book && !base.is_book(self.rules) => option.melds.old_open -= 1,
            Target::Meld(_) => {}
        }
        let open = option.melds.old_open + option.melds.new_open;
        let fits = match portion.target {
            Target::New => open <= self.rules.draft().per_rank.open && !comes_too_late,
            Target::Meld(_) => true,
        };
        option.naturals += portion.naturals;
        option.wilds += portion.wilds;
        option.books.count(self.rules, base, shape);
        fits && option.portions.try_push(portion).is_ok()
    }

    fn is_new(&mut self, left: Left, option: &RankOption) -> bool {
        let Some(seen) = &mut self.seen else { return true };
        let outcome = (left, option.books, option.melds, option.joins());
        let is_new = !seen.contains(&outcome);
        if is_new {
            seen.push(outcome);
        }
        is_new
    }
}

/// Numbers of cards of the roles that melds are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Supply {
    pub(crate) by_kind: KindCounts,
    pub(crate) wilds: u8,
}

impl Supply {
    pub(crate) fn of(rules: &Rules, cards: &Cards) -> Supply {
        let by_kind = cards.by_kind();
        let wilds = rules.wilds().map(|kind| by_kind[kind.index()]).sum();
        Supply { by_kind, wilds }
    }

    /// What there is for one rank, next to a team's melds.
    pub(crate) fn rank(&self, rules: &Rules, shapes: &Shapes, rank: MeldRank) -> RankSupply {
        let naturals = match rank {
            MeldRank::Natural(kind) => self.by_kind[kind.index()],
            MeldRank::Wild => 0,
        };
        let (mut places, mut melds) = (ArrayVec::new(), 0u8);
        for (index, shape) in shapes.iter().enumerate().filter(|(_, shape)| shape.rank == rank) {
            melds = melds.saturating_add(1);
            let is_open = !shape.is_book(rules) || may_extend(rules, shape.kind());
            if let (true, Some(id)) = (is_open, MeldId::from_index(index)) {
                // Further ones are beyond what a lay has places for.
                let _ = places.try_push((id, *shape));
            }
        }
        RankSupply { rank, places, melds, naturals, wilds: self.wilds }
    }
}

/// Turns counted portions into a lay of exact cards: the lowest suits of each kind, wild cards in
/// the order given, the upcard first where its kind is laid. None if they are not all there.
pub(crate) fn assemble(
    own: &Cards,
    upcard: Option<Card>,
    portions: &[Portion],
    wilds_in_order: &[Card],
) -> Option<Lay> {
    let mut rest = own.clone();
    rest.extend(upcard);
    let mut upcard = upcard;
    let mut wilds = wilds_in_order.iter().copied();
    let mut lay = Lay::new();
    for portion in portions.iter().take(LAY_PLACEMENTS_MAX) {
        let mut cards: ArrayVec<Card, LAY_CARDS_MAX> = ArrayVec::new();
        if let MeldRank::Natural(kind) = portion.rank {
            for _ in 0..portion.naturals {
                let first = upcard.take_if(|card| card.kind() == kind);
                let card = first.or_else(|| rest.lowest(kind))?;
                cards.try_push(rest.remove(card).then_some(card)?).ok()?;
            }
        }
        for _ in 0..portion.wilds {
            let card = wilds.next()?;
            cards.try_push(rest.remove(card).then_some(card)?).ok()?;
        }
        if let Some(card) = portion.cap {
            cards.try_push(rest.remove(card).then_some(card)?).ok()?;
        }
        lay.push(portion.target, &cards).ok()?;
    }
    Some(lay)
}

/// The wild cards there are, cheapest first, lowest suits first.
pub(crate) fn wilds_cheapest_first(rules: &Rules, cards: &Cards) -> ArrayVec<Card, 250> {
    let mut kinds: ArrayVec<Kind, 20> = rules.wilds().collect();
    kinds.sort_by_key(|kind| rules.value(*kind));
    let mut wilds = ArrayVec::new();
    for card in kinds.iter().flat_map(|kind| kind.cards()) {
        for _ in 0..cards.count(card) {
            let _ = wilds.try_push(card);
        }
    }
    wilds
}

/// The ranks that a lay can have which does not go out: the kinds that meld, then wild.
pub(crate) fn ranks(rules: &Rules) -> impl Iterator<Item = MeldRank> + '_ {
    ranks_going_out(rules).filter(|rank| match rank {
        MeldRank::Natural(kind) => !only_going_out(rules, kind.card(0)),
        MeldRank::Wild => true,
    })
}

/// The ranks that melds can have: the kinds that meld, then wild.
pub(crate) fn ranks_going_out(rules: &Rules) -> impl Iterator<Item = MeldRank> + '_ {
    rules.melding().map(MeldRank::Natural).chain(std::iter::once(MeldRank::Wild))
}

/// The rank that a card melds with, if its sort melds at all.
pub(crate) fn rank_for(rules: &Rules, card: Card) -> Option<MeldRank> {
    match rules.role(card.kind()) {
        Role::Natural => Some(MeldRank::Natural(card.kind())),
        Role::Wild => Some(MeldRank::Wild),
        Role::BlackThree if melds_black_threes(rules) => Some(MeldRank::Natural(card.kind())),
        Role::RedThree | Role::BlackThree => None,
    }
}
