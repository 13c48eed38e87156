//! One legal action at random, quickly: what the `random` policy plays and what playouts use.
//!
//! The families are those of [`crate::list`]. Openings are found by a simple greedy rule, so that
//! a sample allocates nothing; a list finds every one.

use arrayvec::ArrayVec;
use handfoot_cards::{Card, Cards, Kind, KindCounts};
use handfoot_rules::Rules;
use rand_core::Rng;

use crate::chance::{below, coin};
use crate::judge::{KEPT_AFTER_LAY, Trial, can_take, partner_not_ready, right_to_go_out};
use crate::limits::{MELDS_MAX, RANK_PLACES_MAX, SAMPLED_MELDS_MAX};
use crate::plan::{Portion, Supply, assemble, rank_for, rank_options, wilds_cheapest_first};
use crate::way_out::way_out_action;
use crate::{Action, Answer, Lay, MeldId, MeldRank, MeldShape, Phase, Target, ViewRef, judge};

/// Cards of its kind that are laid when the upcard is taken, itself included.
const WITH_UPCARD: u8 = 3;

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
        Phase::Draw { .. } => Some(sample_draw_step(view, rng)),
        Phase::Play { .. } => sample_play_step(view, rng),
        Phase::RoundOver { .. } | Phase::GameOver { .. } => None,
    }
}

fn sample_draw_step(view: ViewRef<'_>, rng: &mut impl Rng) -> Action {
    if may_go_out(view)
        && coin(rng)
        && let Some(action) = way_out_action(view)
    {
        return action;
    }
    if can_take(view).is_ok()
        && coin(rng)
        && let Some(lay) = sample_take(view, rng)
    {
        let action = Action::TakeDiscards(lay);
        if judge(view, &action).is_ok() {
            return action;
        }
    }
    Action::Draw
}

fn sample_play_step(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Action> {
    if may_go_out(view)
        && coin(rng)
        && let Some(action) = way_out_action(view)
    {
        return Some(action);
    }
    if coin(rng) {
        let opened = view.table.teams[view.team().index()].has_opened();
        let lay = match opened {
            true => sample_lay(view, rng),
            false => greedy_opening(view, None, rng),
        };
        if let Some(lay) = lay.filter(|lay| leaves_enough(view, lay)) {
            return Some(Action::Lay(lay));
        }
    }
    // A last card that may not be discarded can still be laid by who may go out.
    sample_discard(view, rng).map(Action::Discard).or_else(|| way_out_action(view))
}

/// Whether the right to go out is there, or one book away. A quick look before a slow one.
fn may_go_out(view: ViewRef<'_>) -> bool {
    if !view.in_foot() || partner_not_ready(view).is_some() {
        return false;
    }
    let books = view.table.teams[view.team().index()].books(view.rules);
    let missing = books.missing(view.table.round(view.rules).need);
    missing.clean + missing.dirty + missing.wild <= 1 && missing.total <= 1
}

fn leaves_enough(view: ViewRef<'_>, lay: &Lay) -> bool {
    if !view.in_foot() || view.own.len() >= lay.cards().len() + KEPT_AFTER_LAY {
        return true;
    }
    right_to_go_out(view, view.table.teams[view.team().index()].books(view.rules)).is_ok()
        && judge(view, &Action::Lay(lay.clone())).is_ok()
}

/// A card of a kind drawn among those held.
fn sample_discard(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Card> {
    let kind = pick_kind(kinds_with(&view.own.by_kind(), 1), rng)?;
    let card = view.own.lowest(kind)?;
    if view.own.len() == 1 && view.in_foot() && judge(view, &Action::Discard(card)).is_err() {
        return None;
    }
    Some(card)
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
    /// Unfinished melds that take a natural held.
    add: ArrayVec<(MeldId, Kind), SAMPLED_MELDS_MAX>,
    /// Unfinished melds that take a wild card.
    add_wild: ArrayVec<MeldId, SAMPLED_MELDS_MAX>,
    /// Whether wild cards alone can be laid: 0 or 1.
    new_wild: usize,
}

fn sample_lay(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Lay> {
    let supply = Supply::of(view.rules, view.own);
    let found = Candidates::of(view, &supply);
    let new = usize::try_from(found.new.count_ones()).unwrap_or(0);
    let total = new + found.new_wild + found.add.len() + found.add_wild.len();
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
    } else {
        let meld = found.add_wild.get(pick - new - found.new_wild - found.add.len())?;
        let wild = nth_wild(view.rules, view.own, below(rng, usize::from(supply.wilds)))?;
        Lay::of(Target::Meld(*meld), &[wild]).ok()
    }
}

impl Candidates {
    fn of(view: ViewRef<'_>, supply: &Supply) -> Candidates {
        let rules = view.rules;
        let (meld_min, book_size) = (rules.draft().meld_min, rules.draft().book_size);
        let mut found =
            Candidates { new: 0, add: ArrayVec::new(), add_wild: ArrayVec::new(), new_wild: 0 };
        let mut unfinished = 0u32;
        let mut wild_unfinished = false;
        for (id, shape) in view.table.teams[view.team().index()].shapes() {
            if shape.size() >= book_size {
                continue;
            }
            match shape.rank {
                MeldRank::Natural(kind) => {
                    unfinished |= 1 << kind.index();
                    if supply.by_kind[kind.index()] > 0 {
                        let _ = found.add.try_push((id, kind));
                    }
                }
                MeldRank::Wild => wild_unfinished = true,
            }
            if supply.wilds > 0 && takes_wild(rules, shape) {
                let _ = found.add_wild.try_push(id);
            }
        }
        // With wild cards fewer naturals make a meld; more naturals never bear fewer wild cards.
        let makes_meld =
            |naturals: &u8| naturals + supply.wilds.min(rules.wilds_max(*naturals)) >= meld_min;
        let least = (1..meld_min).find(makes_meld).unwrap_or(meld_min);
        if view.table.teams[view.team().index()].melds.len() >= MELDS_MAX {
            return found;
        }
        found.new = kinds_with(&supply.by_kind, least) & rules.natural_bits() & !unfinished;
        found.new_wild =
            usize::from(supply.wilds >= meld_min && !wild_unfinished && rules.wild_meld_allowed());
        found
    }
}

/// Whether one more wild card may join.
fn takes_wild(rules: &Rules, shape: MeldShape) -> bool {
    match shape.rank {
        MeldRank::Natural(_) => shape.wilds < rules.wilds_max(shape.naturals),
        MeldRank::Wild => true,
    }
}

fn sample_new_meld(
    view: ViewRef<'_>,
    supply: &Supply,
    rank: MeldRank,
    rng: &mut impl Rng,
) -> Option<Lay> {
    let rules = view.rules;
    let (meld_min, book_size) = (rules.draft().meld_min, rules.draft().book_size);
    let naturals = match rank {
        MeldRank::Wild => 0,
        MeldRank::Natural(kind) => {
            let held = supply.by_kind[kind.index()];
            let least = match supply.wilds {
                0 => meld_min,
                _ => (1..=held)
                    .find(|n| n + supply.wilds.min(rules.wilds_max(*n)) >= meld_min)
                    .unwrap_or(meld_min),
            };
            pick_between(least, held.min(book_size), rng)?
        }
    };
    let room = book_size - naturals;
    let wilds_most = match rank {
        MeldRank::Wild => supply.wilds.min(room),
        MeldRank::Natural(_) => supply.wilds.min(rules.wilds_max(naturals)).min(room),
    };
    let wilds = pick_between(meld_min.saturating_sub(naturals), wilds_most, rng)?;
    let mut own = view.own.clone();
    let mut cards: ArrayVec<Card, 16> = ArrayVec::new();
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
    let upcard = view.table.upcard()?;
    if view.own.of_kind(upcard.kind()) + 1 < WITH_UPCARD {
        return None;
    }
    if !view.table.teams[view.team().index()].has_opened() {
        return greedy_opening(view, Some(upcard), rng);
    }
    let rules = view.rules;
    let rank = rank_for(rules, upcard)?;
    let mut cards = view.own.clone();
    cards.insert(upcard);
    let team = &view.table.teams[view.team().index()];
    let unfinished = team.unfinished(rank, rules);
    let room = unfinished.map_or(u8::MAX, |(_, shape)| rules.draft().book_size - shape.size());
    let mut portions: ArrayVec<Portion, RANK_PLACES_MAX> = ArrayVec::new();
    if room >= WITH_UPCARD {
        let target = unfinished.map_or(Target::New, |(id, _)| Target::Meld(id));
        let (naturals, wilds) = match rank {
            MeldRank::Natural(_) => (WITH_UPCARD, 0),
            MeldRank::Wild => (0, WITH_UPCARD),
        };
        portions.push(Portion { rank, target, naturals, wilds });
    } else {
        let supply = Supply::of(rules, &cards).rank(rules, &Trial::of(view).shapes, rank);
        let least = rank_options(rules, supply)
            .into_iter()
            .filter(|option| match rank {
                MeldRank::Natural(_) => option.naturals >= WITH_UPCARD,
                MeldRank::Wild => option.wilds >= WITH_UPCARD,
            })
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
fn greedy_opening(view: ViewRef<'_>, upcard: Option<Card>, rng: &mut impl Rng) -> Option<Lay> {
    let rules = view.rules;
    let minimum = view.table.round(rules).opening_minimum;
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
        count if count >= least => i32::from(count) * rules.value(kind),
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
        self.wilds.iter().take(count).map(|card| self.rules.value(card.kind())).sum()
    }

    fn count_points(&mut self) {
        let naturals: i32 = self.portions.iter().map(|portion| self.natural_points(portion)).sum();
        self.points = naturals + self.points_of_wilds(self.spent());
    }

    fn natural_points(&self, portion: &Portion) -> i32 {
        match portion.rank {
            MeldRank::Natural(kind) => i32::from(portion.naturals) * self.rules.value(kind),
            MeldRank::Wild => 0,
        }
    }

    fn push(&mut self, rank: MeldRank, naturals: u8, wilds: u8) {
        let _ = self.portions.try_push(Portion { rank, target: Target::New, naturals, wilds });
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
