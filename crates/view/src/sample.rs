//! One legal action at random, quickly: what the `random` policy plays and what playouts use.
//!
//! The families are those of [`crate::list`]. Openings are found by a simple greedy rule, so that
//! a sample allocates nothing; a list finds every one.

use arrayvec::ArrayVec;
use handfoot_cards::{Card, Cards, KINDS_MAX, Kind, KindCounts};
use handfoot_rules::{OpeningStep, Rules, TakeMatch};
use rand_core::Rng;

use crate::chance::{below, coin};
use crate::growth::{grows, is_blocker, may_extend};
use crate::judge::{
    KEPT_AFTER_LAY, Keeping, Trial, can_take, is_upcard_free, partner_not_ready, right_to_go_out,
};
use crate::limits::{LAY_CARDS_MAX, MELDS_MAX, RANK_PLACES_MAX, SAMPLED_LAYS, SAMPLED_MELDS_MAX};
use crate::opening::{Search, WITH_UPCARD, least_with_upcard, matches_upcard};
use crate::plan::{Portion, Supply, assemble, rank_for, rank_options, wilds_cheapest_first};
use crate::way_out::way_out_action;
use crate::{
    Action, Answer, Cap, Lay, MeldId, MeldRank, MeldShape, Phase, Target, TeamTable, ViewRef,
    judge, list,
};

/// One legal action at random; none if the seat may not act.
///
/// First the family is drawn, then a member of it. Nothing is undone.
pub fn sample(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Action> {
    if view.table.to_act() != Some(view.seat) {
        return None;
    }
    match view.table.phase {
        Phase::AwaitAnswer { .. } => Some(Action::AnswerGoOut(match coin(rng) {
            true => Answer::Yes,
            false => Answer::No,
        })),
        // A bot never holds a person to a slip.
        Phase::AwaitUndo { .. } => Some(Action::AnswerUndo(Answer::Yes)),
        Phase::Draw { .. } => sample_draw_step(view, rng),
        Phase::Play { .. } => sample_play_step(view, rng),
        Phase::RoundOver { .. } | Phase::GameOver { .. } => None,
    }
}

fn sample_draw_step(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Action> {
    if may_go_out(view)
        && coin(rng)
        && let Some(action) = way_out_action(view)
    {
        return Some(action);
    }
    if is_upcard_free(view) && coin(rng) {
        return Some(Action::TakeDiscards(Lay::new()));
    }
    if can_take(view).is_ok()
        && coin(rng)
        && let Some(lay) = sample_take(view, rng)
    {
        let action = Action::TakeDiscards(lay);
        if judge(view, &action).is_ok() {
            return Some(action);
        }
    }
    Some(Action::Draw)
}

fn sample_play_step(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Action> {
    if may_go_out(view)
        && coin(rng)
        && let Some(action) = way_out_action(view)
    {
        return Some(action);
    }
    if coin(rng) {
        let lay = match view.has_opened() {
            true => sample_lay(view, rng),
            false => sample_opening(view, rng),
        };
        // A lay is large: it is looked at where it is.
        match lay {
            Some(lay) if leaves_enough(view, &lay) => return Some(Action::Lay(lay)),
            Some(_) | None => {}
        }
    }
    // Most turns end here; an action is large to hand on.
    if let Some(card) = sample_discard(view, rng) {
        return Some(Action::Discard(card));
    }
    // A last card that may not be discarded can still be laid by who may go out, and so can one that
    // a hand must not be emptied by discarding. Rule: HF-7.6, HF-7.7
    way_out_action(view).or_else(|| first_listed(view))
}

fn first_listed(view: ViewRef<'_>) -> Option<Action> {
    let mut actions = Vec::new();
    list(view, &mut actions);
    actions.into_iter().next()
}

fn sample_opening(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Lay> {
    match view.opening() {
        OpeningStep::Points(minimum) => greedy_opening(view, None, minimum, rng),
        OpeningStep::Book(_) => {
            let lay = sample_found(Search::openings(view), rng);
            lay.filter(|lay| judge(view, &Action::Lay(lay.clone())).is_ok())
        }
    }
}

/// Whether the right to go out is there, or one book away. A quick look before a slow one.
fn may_go_out(view: ViewRef<'_>) -> bool {
    if !view.in_foot() || partner_not_ready(view).is_some() {
        return false;
    }
    let books = view.table.teams[view.team().index()].books(view.rules);
    let missing = books.missing(view.table.round(view.rules).need);
    missing.clean + missing.dirty + missing.wild + missing.sevens <= 1 && missing.total <= 1
}

fn leaves_enough(view: ViewRef<'_>, lay: &Lay) -> bool {
    if view.own.len() >= lay.cards().len() + KEPT_AFTER_LAY {
        return true;
    }
    match Keeping::of(view) {
        Keeping::Nothing => return true,
        Keeping::UnlessEmptied | Keeping::UnlessFirstBook => {
            return judge(view, &Action::Lay(lay.clone())).is_ok();
        }
        Keeping::UnlessOut => {}
    }
    right_to_go_out(view, view.table.teams[view.team().index()].books(view.rules)).is_ok()
        && judge(view, &Action::Lay(lay.clone())).is_ok()
}

/// A card of a kind drawn among those held.
fn sample_discard(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Card> {
    let mut kinds = kinds_with(&view.own.by_kind(), 1);
    if view.rules.has_special_ranks() {
        kinds &= !locked_kinds(view);
    }
    let kind = pick_kind(kinds, rng)?;
    let card = view.own.lowest(kind)?;
    if view.own.len() == 1 && judge(view, &Action::Discard(card)).is_err() {
        return None;
    }
    Some(card)
}

/// Special ranks that may not be discarded yet, one bit each at the kind's number. Rule: HF-2.7
fn locked_kinds(view: ViewRef<'_>) -> u32 {
    view.rules.specials().fold(0, |bits, (kind, _)| {
        let card = view.own.lowest(kind);
        let is_locked = card.is_some_and(|card| Trial::of(view).unlocked(view, card).is_err());
        bits | u32::from(is_locked) << kind.index()
    })
}

/// Kinds of which there are at least so many, one bit each at the kind's number.
fn kinds_with(by_kind: &KindCounts, least: u8) -> u32 {
    by_kind.iter().rev().fold(0, |bits, count| bits << 1 | u32::from(*count >= least))
}

/// One of the kinds whose bits are set.
fn pick_kind(bits: u32, rng: &mut impl Rng) -> Option<Kind> {
    let count = usize::try_from(bits.count_ones()).unwrap_or(0);
    nth_kind(bits, below(rng, count))
}

fn nth_kind(bits: u32, nth: usize) -> Option<Kind> {
    let rest = (0..nth).fold(bits, |bits, _| bits & bits.wrapping_sub(1));
    Kind::from_index(usize::try_from(rest.trailing_zeros()).ok()?)
}

/// What a team that has opened can lay, one thing at a time.
struct Candidates {
    /// Kinds of which a new meld can be laid.
    new: u32,
    /// Melds that take a natural held.
    add: ArrayVec<(MeldId, Kind), SAMPLED_MELDS_MAX>,
    /// Melds that take a wild card.
    add_wild: ArrayVec<MeldId, SAMPLED_MELDS_MAX>,
    /// Books that take a red three held.
    cap: ArrayVec<MeldId, SAMPLED_MELDS_MAX>,
    /// Whether wild cards alone can be laid: 0 or 1.
    new_wild: usize,
}

fn sample_lay(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Lay> {
    let supply = Supply::of(view.rules, view.own);
    let found = Candidates::of(view, &supply);
    let new = usize::try_from(found.new.count_ones()).unwrap_or(0);
    let uncapped = new + found.new_wild + found.add.len() + found.add_wild.len();
    let total = uncapped + found.cap.len();
    let pick = below(rng, total);
    if total == 0 {
        None
    } else if pick < new {
        let rank = MeldRank::Natural(nth_kind(found.new, pick)?);
        sample_new_meld(view, &supply, rank, rng)
    } else if pick < new + found.new_wild {
        sample_new_meld(view, &supply, MeldRank::Wild, rng)
    } else if let Some((meld, kind)) = found.add.get(pick - new - found.new_wild) {
        Lay::of(Target::Meld(*meld), &[view.own.lowest(*kind)?]).ok()
    } else if let Some(meld) = pick.checked_sub(uncapped).and_then(|at| found.cap.get(at)) {
        Lay::of(Target::Meld(*meld), &[red_three(view)?]).ok()
    } else {
        let meld = found.add_wild.get(pick - new - found.new_wild - found.add.len())?;
        let wild = nth_wild(view.rules, view.own, below(rng, usize::from(supply.wilds)))?;
        Lay::of(Target::Meld(*meld), &[wild]).ok()
    }
}

impl Candidates {
    fn of(view: ViewRef<'_>, supply: &Supply) -> Candidates {
        let rules = view.rules;
        let meld_min = rules.draft().meld_min;
        let team = &view.table.teams[view.team().index()];
        let mut found = Candidates {
            new: 0,
            add: ArrayVec::new(),
            add_wild: ArrayVec::new(),
            cap: ArrayVec::new(),
            new_wild: 0,
        };
        let full = match rules.has_plain_melds() {
            true => found.add_to_unfinished(rules, team, supply),
            false => found.add_to_all(view, team, supply),
        };
        // With wild cards fewer naturals make a meld; more naturals never bear fewer wild cards.
        let makes_meld =
            |naturals: &u8| naturals + supply.wilds.min(rules.wilds_max(*naturals)) >= meld_min;
        let least = (1..meld_min).find(makes_meld).unwrap_or(meld_min);
        if team.melds.len() >= MELDS_MAX {
            return found;
        }
        found.new = kinds_with(&supply.by_kind, least) & rules.laid_freely_bits() & !full;
        let starts_wild = supply.wilds >= meld_min && full >> WILD & 1 == 0;
        found.new_wild = usize::from(starts_wild && rules.wild_meld_allowed());
        found
    }

    /// Where nothing is added to a book and one meld of a rank is open: notes what joins unfinished
    /// melds, and gives the ranks that are full, one bit each.
    fn add_to_unfinished(&mut self, rules: &Rules, team: &TeamTable, supply: &Supply) -> u32 {
        let book_size = rules.draft().book_size;
        let mut full = 0;
        for (index, meld) in team.melds.iter().enumerate() {
            let shape = meld.shape();
            if shape.size() >= book_size {
                continue;
            }
            let Some(id) = MeldId::from_index(index) else { continue };
            let limit = match shape.rank {
                MeldRank::Natural(kind) => {
                    full |= 1 << kind.index();
                    if supply.by_kind[kind.index()] > 0 {
                        let _ = self.add.try_push((id, kind));
                    }
                    rules.wilds_max(shape.naturals)
                }
                MeldRank::Wild => {
                    full |= 1 << WILD;
                    u8::MAX
                }
            };
            if supply.wilds > 0 && shape.wilds < limit {
                let _ = self.add_wild.try_push(id);
            }
        }
        full
    }

    /// The same under all other rules, with books that grow or take a red three.
    fn add_to_all(&mut self, view: ViewRef<'_>, team: &TeamTable, supply: &Supply) -> u32 {
        let rules = view.rules;
        let has_red_three = is_blocker(rules) && red_three(view).is_some();
        let mut melds = RankCounts::default();
        for (id, shape) in team.shapes() {
            let is_book = shape.is_book(rules);
            melds.count(rules, shape.rank, is_book);
            if has_red_three && shape.is_clean_book(rules) && shape.cap == Cap::Bare {
                let _ = self.cap.try_push(id);
            }
            if is_book && !may_extend(rules, shape.kind()) {
                continue;
            }
            if let MeldRank::Natural(kind) = shape.rank
                && supply.by_kind[kind.index()] > 0
            {
                let _ = self.add.try_push((id, kind));
            }
            if supply.wilds > 0 && takes_wild(rules, id, shape) {
                let _ = self.add_wild.try_push(id);
            }
        }
        melds.full
    }
}

/// Melds of each rank, and ranks of which no further one may be started. Rule: HF-4.6
#[derive(Default)]
struct RankCounts {
    /// Unfinished ones, by kind; wild ones last.
    open: [u8; KINDS_MAX + 1],
    /// All, in the same places.
    total: [u8; KINDS_MAX + 1],
    /// Full ranks, one bit each in the same places.
    full: u32,
}

/// The place of wild melds among the ranks.
const WILD: usize = KINDS_MAX;

impl RankCounts {
    fn count(&mut self, rules: &Rules, rank: MeldRank, is_book: bool) {
        let at = match rank {
            MeldRank::Natural(kind) => kind.index(),
            MeldRank::Wild => WILD,
        };
        self.open[at] += u8::from(!is_book);
        self.total[at] += 1;
        let per_rank = rules.draft().per_rank;
        let is_full = self.open[at] >= per_rank.open
            || per_rank.total.is_some_and(|total| self.total[at] >= total);
        self.full |= u32::from(is_full) << at;
    }
}

/// Whether one more wild card may join.
fn takes_wild(rules: &Rules, meld: MeldId, shape: MeldShape) -> bool {
    let more = MeldShape { wilds: shape.wilds + 1, ..shape };
    match shape.is_book(rules) {
        true => grows(rules, Some((meld, shape)), more).is_ok(),
        false => shape.wilds < shape.wilds_max(rules),
    }
}

/// A red three held.
fn red_three(view: ViewRef<'_>) -> Option<Card> {
    let faces = view.rules.pack().red_three_faces().iter().copied();
    faces.into_iter().find(|card| view.own.count(*card) > 0)
}

fn sample_new_meld(
    view: ViewRef<'_>,
    supply: &Supply,
    rank: MeldRank,
    rng: &mut impl Rng,
) -> Option<Lay> {
    let rules = view.rules;
    let (meld_min, book_size) = (rules.draft().meld_min, rules.draft().book_size);
    let wilds_beside = |naturals| {
        supply.wilds.min(MeldShape { naturals, ..MeldShape::empty(rank) }.wilds_max(rules))
    };
    let naturals = match rank {
        MeldRank::Wild => 0,
        MeldRank::Natural(kind) => {
            let held = supply.by_kind[kind.index()];
            let least = match supply.wilds {
                0 => meld_min,
                _ => (1..=held).find(|n| n + wilds_beside(*n) >= meld_min).unwrap_or(meld_min),
            };
            pick_between(least, held.min(book_size), rng)?
        }
    };
    let room = book_size - naturals;
    let wilds_most = match rank {
        MeldRank::Wild => supply.wilds.min(room),
        MeldRank::Natural(_) => wilds_beside(naturals).min(room),
    };
    let wilds = pick_between(meld_min.saturating_sub(naturals), wilds_most, rng)?;
    let mut own = view.own.clone();
    let mut cards: ArrayVec<Card, LAY_CARDS_MAX> = ArrayVec::new();
    if let MeldRank::Natural(kind) = rank {
        for _ in 0..naturals {
            let card = own.lowest(kind)?;
            cards.try_push(own.remove(card).then_some(card)?).ok()?;
        }
    }
    for drawn in 0..wilds {
        let card = nth_wild(rules, &own, below(rng, usize::from(supply.wilds - drawn)))?;
        cards.try_push(own.remove(card).then_some(card)?).ok()?;
    }
    Lay::of(Target::New, &cards).ok()
}

/// A number from `least` to `most`; none if there is none.
fn pick_between(least: u8, most: u8, rng: &mut impl Rng) -> Option<u8> {
    let span = most.checked_sub(least)?;
    Some(least + u8::try_from(below(rng, usize::from(span) + 1)).unwrap_or_default())
}

fn nth_wild(rules: &Rules, own: &Cards, nth: usize) -> Option<Card> {
    let mut left = nth;
    for kind in rules.wilds() {
        let held = usize::from(own.of_kind(kind));
        if left < held {
            return own.lowest(kind);
        }
        left -= held;
    }
    None
}

/// A take of the discard pile: the least one, or an opening with it.
fn sample_take(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Lay> {
    let rules = view.rules;
    let upcard = view.table.upcard()?;
    let rank = rank_for(rules, upcard)?;
    if view.own.of_kind(upcard.kind()) < least_with_upcard(view, rank) {
        return None;
    }
    match (rules.draft().take.matching, view.has_opened(), view.opening()) {
        (TakeMatch::NaturalPair, true, _) => least_take(view, upcard, rank),
        (TakeMatch::NaturalPair, false, OpeningStep::Points(minimum)) => {
            greedy_opening(view, Some(upcard), minimum, rng)
        }
        (
            TakeMatch::NaturalPair
            | TakeMatch::PairOrAddToMeld
            | TakeMatch::NaturalPlusWild
            | TakeMatch::OneNatural,
            _,
            _,
        ) => sample_found(Search::takes(view), rng),
    }
}

/// One of the first lays that any of some searches finds.
fn sample_found(searches: Vec<Search<'_>>, rng: &mut impl Rng) -> Option<Lay> {
    let mut lays = Vec::new();
    for search in searches {
        search.list(SAMPLED_LAYS, &mut lays);
    }
    let pick = below(rng, lays.len());
    lays.into_iter().nth(pick)
}

/// The least lay of the upcard and its pair.
fn least_take(view: ViewRef<'_>, upcard: Card, rank: MeldRank) -> Option<Lay> {
    let rules = view.rules;
    let mut cards = view.own.clone();
    cards.insert(upcard);
    let team = &view.table.teams[view.team().index()];
    let unfinished = team.unfinished(rank, rules);
    let room = unfinished.map_or(u8::MAX, |(_, shape)| rules.draft().book_size - shape.size());
    let per_rank = rules.draft().per_rank;
    let is_plain =
        per_rank.open == 1 && per_rank.total.is_none() && WITH_UPCARD >= rules.draft().meld_min;
    let mut portions: ArrayVec<Portion, RANK_PLACES_MAX> = ArrayVec::new();
    if room >= WITH_UPCARD && is_plain {
        let target = unfinished.map_or(Target::New, |(id, _)| Target::Meld(id));
        let (naturals, wilds) = match rank {
            MeldRank::Natural(_) => (WITH_UPCARD, 0),
            MeldRank::Wild => (0, WITH_UPCARD),
        };
        portions.push(Portion { rank, target, naturals, wilds, cap: None });
    } else {
        let supply = Supply::of(rules, &cards).rank(rules, &Trial::of(view).shapes, rank);
        let least = rank_options(rules, &supply)
            .into_iter()
            .filter(|option| matches_upcard(view, rank, option))
            .min_by_key(crate::plan::RankOption::cards)?;
        portions = least.portions;
    }
    let wilds = wilds_with_upcard(rules, &cards, upcard);
    assemble(view.own, Some(upcard), &portions, &wilds)
}

/// Wild cards, dearest first, those that a wild upcard needs before all others.
fn wilds_with_upcard(rules: &Rules, cards: &Cards, upcard: Card) -> ArrayVec<Card, 250> {
    let mut wilds = wilds_cheapest_first(rules, cards);
    wilds.reverse();
    if rank_for(rules, upcard) == Some(MeldRank::Wild) {
        wilds.sort_by_key(|card| (card.kind() != upcard.kind(), *card != upcard));
    }
    wilds
}

/// An opening that reaches the minimum, found greedily and thinned at random.
fn greedy_opening(
    view: ViewRef<'_>,
    upcard: Option<Card>,
    minimum: i32,
    rng: &mut impl Rng,
) -> Option<Lay> {
    let rules = view.rules;
    let mut cards = view.own.clone();
    cards.extend(upcard);
    let supply = Supply::of(rules, &cards);
    if points_at_most(rules, &supply.by_kind) < minimum {
        return None;
    }
    let forced = upcard.and_then(|card| rank_for(rules, card));
    let mut wilds = match upcard {
        Some(card) => wilds_with_upcard(rules, &cards, card),
        None => wilds_cheapest_first(rules, &cards),
    };
    if upcard.is_none() {
        wilds.reverse();
    }
    let mut plan = Greedy { rules, wilds: &wilds, portions: ArrayVec::new(), points: 0 };
    plan.lay_naturals(&supply, forced);
    if plan.points < minimum || coin(rng) {
        plan.spend_wilds(&supply, minimum);
    }
    if plan.points < minimum || plan.portions.is_empty() {
        return None;
    }
    plan.thin(minimum, forced, rng);
    assemble(view.own, upcard, &plan.portions, &wilds)
}

/// No opening is worth more than this.
fn points_at_most(rules: &Rules, by_kind: &KindCounts) -> i32 {
    let of_kind = |kind: Kind, least: u8| match by_kind[kind.index()] {
        count if count >= least => i32::from(count) * rules.opening_value(kind),
        _ => 0,
    };
    rules.naturals().map(|kind| of_kind(kind, 2)).sum::<i32>()
        + rules.wilds().map(|kind| of_kind(kind, 1)).sum::<i32>()
}

/// A lay in the making.
struct Greedy<'a> {
    rules: &'a Rules,
    /// Wild cards in the order in which they are spent.
    wilds: &'a [Card],
    portions: ArrayVec<Portion, 32>,
    points: i32,
}

impl Greedy<'_> {
    fn spent(&self) -> usize {
        self.portions.iter().map(|portion| usize::from(portion.wilds)).sum()
    }

    fn points_of_wilds(&self, count: usize) -> i32 {
        self.wilds.iter().take(count).map(|card| self.rules.opening_value(card.kind())).sum()
    }

    fn count_points(&mut self) {
        let naturals: i32 = self.portions.iter().map(|portion| self.natural_points(portion)).sum();
        self.points = naturals + self.points_of_wilds(self.spent());
    }

    fn natural_points(&self, portion: &Portion) -> i32 {
        match portion.rank {
            MeldRank::Natural(kind) => i32::from(portion.naturals) * self.rules.opening_value(kind),
            MeldRank::Wild => 0,
        }
    }

    fn push(&mut self, rank: MeldRank, naturals: u8, wilds: u8) {
        let _ = self.portions.try_push(Portion {
            rank,
            target: Target::New,
            naturals,
            wilds,
            cap: None,
        });
    }

    /// Every set of naturals, the upcard's rank first.
    fn lay_naturals(&mut self, supply: &Supply, forced: Option<MeldRank>) {
        let (meld_min, book_size) = (self.rules.draft().meld_min, self.rules.draft().book_size);
        if forced == Some(MeldRank::Wild) {
            self.push(MeldRank::Wild, 0, WITH_UPCARD);
        }
        for kind in self.rules.naturals() {
            let count = supply.by_kind[kind.index()].min(book_size);
            if count >= meld_min {
                self.push(MeldRank::Natural(kind), count, 0);
            }
        }
        self.count_points();
    }

    /// A wild meld, then a wild card for each pair, then one for each set, while points lack.
    fn spend_wilds(&mut self, supply: &Supply, minimum: i32) {
        let (meld_min, book_size) = (self.rules.draft().meld_min, self.rules.draft().book_size);
        let total = self.wilds.len();
        let left = u8::try_from(total - self.spent().min(total)).unwrap_or(u8::MAX);
        let has_wild = self.portions.iter().any(|portion| portion.rank == MeldRank::Wild);
        if left >= meld_min && self.rules.wild_meld_allowed() && !has_wild {
            self.push(MeldRank::Wild, 0, left.min(book_size));
            self.count_points();
        }
        for kind in self.rules.naturals() {
            let pair = supply.by_kind[kind.index()];
            let wilds = meld_min.saturating_sub(pair);
            if pair > 0
                && wilds > 0
                && wilds <= self.rules.wilds_max(pair)
                && self.points < minimum
                && self.spent() + usize::from(wilds) <= total
            {
                self.push(MeldRank::Natural(kind), pair, wilds);
                self.count_points();
            }
        }
        for index in 0..self.portions.len() {
            let portion = self.portions[index];
            let fits = portion.naturals > 0
                && portion.naturals + portion.wilds < book_size
                && portion.wilds < self.rules.wilds_max(portion.naturals);
            if fits && self.points < minimum && self.spent() < total {
                self.portions[index].wilds += 1;
                self.count_points();
            }
        }
    }

    /// Takes melds away at random while the minimum is kept.
    fn thin(&mut self, minimum: i32, forced: Option<MeldRank>, rng: &mut impl Rng) {
        let mut index = 0;
        while index < self.portions.len() {
            let portion = self.portions[index];
            if Some(portion.rank) == forced || coin(rng) {
                index += 1;
                continue;
            }
            self.portions.remove(index);
            self.count_points();
            if self.points < minimum || self.portions.is_empty() {
                self.portions.insert(index, portion);
                self.count_points();
                index += 1;
            }
        }
    }
}
