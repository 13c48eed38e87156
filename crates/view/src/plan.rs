//! How cards of one rank can be laid, counted by kind: what openings, takes and ways out are
//! made of.
//!
//! **Invariant:** proposes, never permits; [`crate::judge`] has the last word.

use arrayvec::ArrayVec;
use handfoot_cards::{Card, Cards, Kind, KindCounts, Role};
use handfoot_rules::{BookCounts, Rules};

use crate::judge::{Shapes, shape_fits};
use crate::limits::{LAY_PLACEMENTS_MAX, RANK_OPTIONS_MAX, RANK_PLACES_MAX};
use crate::{Lay, MeldId, MeldRank, MeldShape, Target};

/// Cards of one rank laid at one place, counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portion {
    pub(crate) rank: MeldRank,
    pub(crate) target: Target,
    pub(crate) naturals: u8,
    pub(crate) wilds: u8,
}

/// One way to lay cards of one rank: an addition, new melds, or both.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankOption {
    pub(crate) portions: ArrayVec<Portion, RANK_PLACES_MAX>,
    /// Naturals laid.
    pub(crate) naturals: u8,
    /// Wild cards laid.
    pub(crate) wilds: u8,
    /// Books completed.
    pub(crate) books: BookCounts,
}

impl RankOption {
    /// All cards laid.
    pub(crate) const fn cards(&self) -> u8 {
        self.naturals + self.wilds
    }
}

/// Ways to lay one rank, in canonical order: fewest cards of the first place first.
pub(crate) type RankOptions = Vec<RankOption>;

/// What there is to lay one rank with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankSupply {
    pub(crate) rank: MeldRank,
    /// The team's unfinished meld of the rank.
    pub(crate) unfinished: Option<(MeldId, MeldShape)>,
    /// Naturals of the rank.
    pub(crate) naturals: u8,
    /// Wild cards.
    pub(crate) wilds: u8,
}

/// Every way to lay at least one card of what there is.
pub(crate) fn rank_options(rules: &Rules, supply: RankSupply) -> RankOptions {
    let mut options = RankOptions::new();
    extend(rules, supply, &RankOption::default(), &mut options);
    options
}

/// Lays at one more place, and goes on to the next if that completes a book.
fn extend(rules: &Rules, supply: RankSupply, so_far: &RankOption, options: &mut RankOptions) {
    let book_size = rules.draft().book_size;
    let base = match supply.unfinished {
        Some((_, shape)) => shape,
        None => MeldShape { rank: supply.rank, naturals: 0, wilds: 0 },
    };
    let target = supply.unfinished.map_or(Target::New, |(id, _)| Target::Meld(id));
    let room = book_size.saturating_sub(base.size());
    for naturals in 0..=supply.naturals.min(room) {
        for wilds in 0..=supply.wilds.min(room - naturals) {
            let shape = MeldShape {
                rank: supply.rank,
                naturals: base.naturals + naturals,
                wilds: base.wilds + wilds,
            };
            if naturals + wilds == 0 || shape_fits(rules, shape).is_err() {
                continue;
            }
            let mut option = so_far.clone();
            let portion = Portion { rank: supply.rank, target, naturals, wilds };
            if option.portions.try_push(portion).is_err() {
                continue;
            }
            option.naturals += naturals;
            option.wilds += wilds;
            if shape.is_book(rules) {
                option.books.count(shape.kind());
                let rest = RankSupply {
                    unfinished: None,
                    naturals: supply.naturals - naturals,
                    wilds: supply.wilds - wilds,
                    ..supply
                };
                extend(rules, rest, &option, options);
            }
            // A full list keeps what it has: the shortest ways came first.
            if options.len() < RANK_OPTIONS_MAX {
                options.push(option);
            }
        }
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
        let unfinished = unfinished(rules, shapes, rank);
        RankSupply { rank, unfinished, naturals, wilds: self.wilds }
    }
}

/// The newest unfinished meld of a rank.
pub(crate) fn unfinished(
    rules: &Rules,
    shapes: &Shapes,
    rank: MeldRank,
) -> Option<(MeldId, MeldShape)> {
    let index = shapes.iter().rposition(|shape| shape.rank == rank && !shape.is_book(rules))?;
    Some((MeldId::from_index(index)?, shapes[index]))
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
        let mut cards: ArrayVec<Card, 32> = ArrayVec::new();
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

/// The ranks that melds can have: the pack's natural kinds, then wild.
pub(crate) fn ranks(rules: &Rules) -> impl Iterator<Item = MeldRank> + '_ {
    rules.naturals().map(MeldRank::Natural).chain(std::iter::once(MeldRank::Wild))
}

/// The rank that a card melds with, if its sort melds at all.
pub(crate) fn rank_for(rules: &Rules, card: Card) -> Option<MeldRank> {
    match rules.role(card.kind()) {
        Role::Natural => Some(MeldRank::Natural(card.kind())),
        Role::Wild => Some(MeldRank::Wild),
        Role::RedThree | Role::BlackThree => None,
    }
}
