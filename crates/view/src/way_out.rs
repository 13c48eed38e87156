//! Ways out: lays that use up every card but at most one discard and meet the contract.

use handfoot_cards::{Card, Cards, Role};
use handfoot_rules::{BookCounts, Need, OpeningBook, OpeningStep, Rules};

use crate::growth::{is_blocker, melds_black_threes};
use crate::judge::{
    KEPT_AFTER_LAY, PAIR, Trial, can_take, discardable, partner_not_ready, question_needed,
    received,
};
use crate::limits::TAKES_TRIED;
use crate::opening::{Search, matches_upcard};
use crate::plan::{
    Portion, RankOption, Supply, assemble, rank_for, rank_options, ranks_going_out,
    wilds_cheapest_first,
};
use crate::{Action, Asked, Cap, Lay, MeldId, MeldShape, Phase, Target, ViewRef, WayOut, judge};

/// An action that goes out, or asks to, if there is one now. Rule: HF-8.1 to HF-8.9
pub(crate) fn way_out_action(view: ViewRef<'_>) -> Option<Action> {
    if !view.in_foot() || partner_not_ready(view).is_some() {
        return None;
    }
    let (asked, taking) = match view.table.phase {
        Phase::Draw { asked, .. } => (asked, true),
        Phase::Play { asked, .. } => (asked, false),
        Phase::AwaitAnswer { .. }
        | Phase::AwaitUndo { .. }
        | Phase::RoundOver { .. }
        | Phase::GameOver { .. } => return None,
    };
    let asks = question_needed(view);
    if asks && asked == Asked::Refused {
        return None;
    }
    let must_ask = asks && asked == Asked::NotYet;
    match (taking, asks) {
        (true, true) => way_out_taking(view),
        (true, false) => take_and_lay_all(view),
        (false, _) => clear(view, &Trial::of(view), |way| first_action(way, must_ask)),
    }
}

/// What a seat does first, or asks, on a way out after the draw step.
fn first_action(way: WayOut, must_ask: bool) -> Option<Action> {
    match (must_ask, way) {
        (true, way) => Some(Action::AskToGoOut(Box::new(way))),
        (false, WayOut { lay: Some(lay), .. }) => Some(Action::Lay(lay)),
        (false, WayOut { discard, .. }) => discard.map(Action::Discard),
    }
}

/// A way out that begins with taking the discard pile. Rule: HF-8.6
fn way_out_taking(view: ViewRef<'_>) -> Option<Action> {
    least_takes(view).into_iter().find_map(|take| {
        let mut trial = Trial::of(view);
        trial.take(view, &take).ok()?;
        clear(view, &trial, |way| {
            Some(Action::AskToGoOut(Box::new(WayOut { take: Some(take.clone()), ..way })))
        })
    })
}

/// Without a question: a take whose own act lays all but one card at most. Cards that come with the
/// upcard can be laid in a later act only. Rule: HF-5.4
fn take_and_lay_all(view: ViewRef<'_>) -> Option<Action> {
    let upcard = view.table.upcard().filter(|_| can_take(view).is_ok())?;
    let received = received(view).count();
    if received >= KEPT_AFTER_LAY {
        return None;
    }
    let trial = Trial::of(view);
    let left = view.rules.kinds().filter_map(|kind| view.own.lowest(kind));
    let left = left.filter(|_| received == 0);
    std::iter::once(None).chain(left.map(Some)).find_map(|left| {
        let mut own = view.own.clone();
        if let Some(card) = left
            && !own.remove(card)
        {
            return None;
        }
        let action = Action::TakeDiscards(lay_all(view, &own, Some(upcard), &trial)?);
        judge(view, &action).is_ok().then_some(action)
    })
}

fn least_takes(view: ViewRef<'_>) -> Vec<Lay> {
    let mut takes = Vec::new();
    for search in Search::takes_keeping_nothing(view) {
        search.list(TAKES_TRIED, &mut takes);
    }
    takes
}

/// The action for a way out that lays everything a trial holds, but for one discard at most.
fn clear(
    view: ViewRef<'_>,
    trial: &Trial,
    action_for: impl Fn(WayOut) -> Option<Action>,
) -> Option<Action> {
    let rules = view.rules;
    // What can only be discarded.
    let three = |card: &Card| match rules.role(card.kind()) {
        Role::RedThree => !is_blocker(rules),
        Role::BlackThree => !melds_black_threes(rules),
        Role::Natural | Role::Wild => false,
    };
    let threes = trial.own.iter().filter(three).count();
    if threes > 1 {
        return None;
    }
    let none = (threes == 0).then_some(None);
    let discards = trial.own.faces().map(|(card, _)| card).filter(|card| {
        discardable(rules, *card).is_ok()
            && (threes == 0 || three(card))
            && trial.own.lowest(card.kind()) == Some(*card)
    });
    none.into_iter().chain(discards.map(Some)).find_map(|discard| {
        let mut own = trial.own.clone();
        if let Some(card) = discard
            && !own.remove(card)
        {
            return None;
        }
        let lay = match own.is_empty() {
            true => None,
            false => Some(lay_all(view, &own, None, trial)?),
        };
        let action = action_for(WayOut { take: None, lay, discard })?;
        judge(view, &action).is_ok().then_some(action)
    })
}

/// A lay of all these cards onto a trial's melds and beside them, so that the contract is met. The
/// upcard comes on top, with its pair.
fn lay_all(view: ViewRef<'_>, own: &Cards, upcard: Option<Card>, trial: &Trial) -> Option<Lay> {
    let rules = view.rules;
    let mut cards = own.clone();
    cards.extend(upcard);
    let red_threes: Vec<Card> =
        cards.iter().filter(|card| rules.role(card.kind()) == Role::RedThree).collect();
    let wild_upcard = upcard.filter(|card| rules.role(card.kind()) == Role::Wild);
    let has_stray = |(card, _): (Card, u8)| {
        rank_for(rules, card).is_none() && rules.role(card.kind()) != Role::RedThree
    };
    if wild_upcard.is_some_and(|card| cards.of_kind(card.kind()) <= PAIR)
        || (!red_threes.is_empty() && !is_blocker(rules))
        || cards.faces().any(has_stray)
    {
        return None;
    }
    let supply = Supply::of(rules, &cards);
    let upcard_rank = upcard.and_then(|card| rank_for(rules, card));
    let mut slots = Vec::new();
    for rank in ranks_going_out(rules) {
        let rank_supply = supply.rank(rules, &trial.shapes, rank);
        let mut options: Vec<RankOption> = rank_options(rules, &rank_supply);
        options.retain(|option| option.naturals == rank_supply.naturals);
        if rank_supply.naturals == 0 {
            options.push(RankOption::default());
        }
        if upcard_rank == Some(rank) {
            options.retain(|option| matches_upcard(view, rank, option));
        }
        if options.is_empty() {
            return None;
        }
        slots.push(options);
    }
    let mut need = view.table.round(rules).need;
    let mut clean_least = red_threes.len() + capped_books(trial);
    // A way out that is the team's first lay-down has to open as well. Rule: HF-6.6
    if trial.shapes.is_empty() {
        match view.opening() {
            OpeningStep::Points(_) => {}
            OpeningStep::Book(OpeningBook::BookFromHand) => need.total = need.total.max(1),
            OpeningStep::Book(OpeningBook::CleanBook) => clean_least = clean_least.max(1),
        }
    }
    let mut clearing = Clearing { slots: &slots, need, clean_least, failed: Vec::new() };
    let mut chosen = Vec::with_capacity(slots.len());
    if !clearing.solve(0, supply.wilds, trial.books(rules), &mut chosen) {
        return None;
    }
    let mut portions: Vec<Portion> =
        chosen.iter().flat_map(|option: &&RankOption| option.portions.iter().copied()).collect();
    cap_books(rules, trial, &red_threes, &mut portions);
    let mut wilds = wilds_cheapest_first(rules, &cards);
    // Wild melds come last, and the upcard's kind with them.
    wilds.sort_by_key(|card| wild_upcard.is_some_and(|upcard| upcard.kind() == card.kind()));
    assemble(own, upcard, &portions, &wilds)
}

/// Books that have their red three.
fn capped_books(trial: &Trial) -> usize {
    trial.shapes.iter().filter(|shape| shape.cap == Cap::Capped).count()
}

/// Puts red threes onto clean books, those on the table first. Rule: HF-3.8
fn cap_books(rules: &Rules, trial: &Trial, red_threes: &[Card], portions: &mut Vec<Portion>) {
    let mut red_threes = red_threes.iter().copied();
    for (index, shape) in trial.shapes.iter().enumerate() {
        let Some(id) = MeldId::from_index(index) else { continue };
        let target = Target::Meld(id);
        let portion = portions.iter_mut().find(|portion| portion.target == target);
        let (naturals, wilds) = portion.as_ref().map_or((0, 0), |p| (p.naturals, p.wilds));
        let naturals = shape.naturals + naturals;
        let after = MeldShape { naturals, wilds: shape.wilds + wilds, ..*shape };
        if after.cap == Cap::Capped || !after.is_clean_book(rules) {
            continue;
        }
        let cap = red_threes.next();
        match portion {
            Some(portion) => portion.cap = cap,
            None if cap.is_some() => {
                portions.push(Portion { rank: shape.rank, target, naturals: 0, wilds: 0, cap });
            }
            None => {}
        }
    }
    for portion in portions.iter_mut().filter(|portion| portion.target == Target::New) {
        let empty = MeldShape::empty(portion.rank);
        let after = MeldShape { naturals: portion.naturals, wilds: portion.wilds, ..empty };
        if after.is_clean_book(rules) {
            portion.cap = red_threes.next();
        }
    }
}

/// The search for a lay of every card, rank by rank.
struct Clearing<'a> {
    slots: &'a [Vec<RankOption>],
    need: Need,
    /// Clean books needed for red threes, those that have one included.
    clean_least: usize,
    /// States known to have no end: rank, wild cards left, books so far.
    failed: Vec<(usize, u8, BookCounts)>,
}

impl<'a> Clearing<'a> {
    fn solve(
        &mut self,
        at: usize,
        wilds: u8,
        books: BookCounts,
        chosen: &mut Vec<&'a RankOption>,
    ) -> bool {
        let Some(options) = self.slots.get(at) else {
            let has_room = usize::from(books.clean) >= self.clean_least;
            return wilds == 0 && has_room && books.missing(self.need).is_met();
        };
        if self.failed.contains(&(at, wilds, books)) {
            return false;
        }
        for option in options.iter().filter(|option| option.wilds <= wilds) {
            let after = option.books.apply(books);
            chosen.push(option);
            if self.solve(at + 1, wilds - option.wilds, after, chosen) {
                return true;
            }
            chosen.pop();
        }
        self.failed.push((at, wilds, books));
        false
    }
}
