//! Ways out: lays that use up every card but at most one discard and meet the contract.

use handfoot_cards::{Card, Cards, Role};
use handfoot_rules::{BookCounts, Need, Rules};

use crate::judge::{
    KEPT_AFTER_LAY, Shapes, Trial, can_take, discardable, partner_not_ready, question_needed,
};
use crate::opening::Search;
use crate::plan::{
    Portion, RankOption, Supply, assemble, rank_options, ranks, wilds_cheapest_first,
};
use crate::{Action, Asked, Lay, Phase, ViewRef, WayOut, judge};

/// Least takes that are tried as the beginning of a way out.
const TAKES_TRIED: usize = 16;

/// An action that goes out, or asks to, if there is one now. Rule: HF-8.1 to HF-8.9
pub(crate) fn way_out_action(view: ViewRef<'_>) -> Option<Action> {
    if !view.in_foot() || partner_not_ready(view).is_some() {
        return None;
    }
    let (asked, taking) = match view.table.phase {
        Phase::Draw { asked, .. } => (asked, true),
        Phase::Play { asked, .. } => (asked, false),
        Phase::AwaitAnswer { .. } | Phase::RoundOver { .. } | Phase::GameOver { .. } => {
            return None;
        }
    };
    let asks = question_needed(view);
    if asks && asked == Asked::Refused {
        return None;
    }
    let way = match (taking, asks) {
        (true, true) => way_out_taking(view)?,
        (true, false) => return take_and_lay_all(view),
        (false, _) => clear(view, &Trial::of(view))?,
    };
    let action = match (asks && asked == Asked::NotYet, &way.lay, way.discard) {
        (true, _, _) => Action::AskToGoOut(Box::new(way)),
        (false, Some(lay), _) => Action::Lay(lay.clone()),
        (false, None, Some(card)) => Action::Discard(card),
        (false, None, None) => return None,
    };
    judge(view, &action).is_ok().then_some(action)
}

/// A way out that begins with taking the discard pile. Rule: HF-8.6
fn way_out_taking(view: ViewRef<'_>) -> Option<WayOut> {
    for take in least_takes(view) {
        let mut trial = Trial::of(view);
        if trial.take(view, &take).is_err() {
            continue;
        }
        if let Some(way) = clear(view, &trial) {
            return Some(WayOut { take: Some(take), ..way });
        }
    }
    None
}

/// Without a question: a take that leaves too little unless the same act lays the rest.
fn take_and_lay_all(view: ViewRef<'_>) -> Option<Action> {
    if view.table.take_count(view.rules) != 1 || view.own.len() > 40 {
        return None;
    }
    for take in least_takes(view) {
        let mut trial = Trial::of(view);
        if trial.take(view, &take).is_err() || trial.own.len() >= KEPT_AFTER_LAY {
            continue;
        }
        let mut whole = take.clone();
        if let Some(way) = clear(view, &trial) {
            for placement in way.lay.iter().flat_map(Lay::placements) {
                whole.push(placement.target, placement.cards).ok()?;
            }
        }
        let action = Action::TakeDiscards(whole);
        if judge(view, &action).is_ok() {
            return Some(action);
        }
    }
    None
}

fn least_takes(view: ViewRef<'_>) -> Vec<Lay> {
    let mut takes = Vec::new();
    if can_take(view).is_ok()
        && let Some(search) = Search::take_keeping_nothing(view)
    {
        search.list(TAKES_TRIED, &mut takes);
    }
    takes
}

/// Lays everything that a trial holds, but for one discard at most, so that the contract is met.
fn clear(view: ViewRef<'_>, trial: &Trial) -> Option<WayOut> {
    let rules = view.rules;
    let need = view.table.round(rules).need;
    let books = trial.books(rules);
    let three = |card: &Card| match rules.role(card.kind()) {
        Role::RedThree | Role::BlackThree => true,
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
        let lay = lay_all(rules, &own, &trial.shapes, books, need)?;
        Some(WayOut { take: None, lay, discard })
    })
}

/// A lay of every card, or none if there are no cards; nothing if there is no such lay.
#[expect(clippy::option_option, reason = "outer: whether it can be done; inner: what is laid")]
fn lay_all(
    rules: &Rules,
    own: &Cards,
    shapes: &Shapes,
    books: BookCounts,
    need: Need,
) -> Option<Option<Lay>> {
    if own.is_empty() {
        return books.missing(need).is_met().then_some(None);
    }
    let supply = Supply::of(rules, own);
    let mut slots = Vec::new();
    for rank in ranks(rules) {
        let rank_supply = supply.rank(rules, shapes, rank);
        let mut options: Vec<RankOption> = rank_options(rules, rank_supply).into_iter().collect();
        options.retain(|option| option.naturals == rank_supply.naturals);
        if rank_supply.naturals == 0 {
            options.push(RankOption::default());
        }
        if options.is_empty() {
            return None;
        }
        slots.push(options);
    }
    let mut clearing = Clearing { slots: &slots, need, failed: Vec::new() };
    let mut chosen = Vec::with_capacity(slots.len());
    if !clearing.solve(0, supply.wilds, books, &mut chosen) {
        return None;
    }
    let portions: Vec<Portion> =
        chosen.iter().flat_map(|option: &&RankOption| option.portions.iter().copied()).collect();
    let wilds = wilds_cheapest_first(rules, own);
    assemble(own, None, &portions, &wilds).map(Some)
}

/// The search for a lay of every card, rank by rank.
struct Clearing<'a> {
    slots: &'a [Vec<RankOption>],
    need: Need,
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
            return wilds == 0 && books.missing(self.need).is_met();
        };
        if self.failed.contains(&(at, wilds, books)) {
            return false;
        }
        for option in options.iter().filter(|option| option.wilds <= wilds) {
            let mut after = books;
            after.clean += option.books.clean;
            after.dirty += option.books.dirty;
            after.wild += option.books.wild;
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
