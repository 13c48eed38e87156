//! Complete legal actions in canonical order.

use handfoot_cards::{Card, Cards, Kind, Role};

use crate::growth::{is_blocker, may_extend};
use crate::judge::is_upcard_free;
use crate::limits::{LIST_MAX, OPENINGS_MAX};
use crate::opening::Search;
use crate::way_out::way_out_action;
use crate::{Action, Answer, Lay, MeldRank, MeldShape, Phase, Target, ViewRef, judge};

/// Lists legal actions, at most [`LIST_MAX`], in canonical order; nothing if the seat may not act.
///
/// Listed are all elementary actions (drawing, one new meld of at most a book's cards, one card
/// added to a meld or book, discards by kind, answers), up to [`OPENINGS_MAX`] openings or takes of the discard pile, and one way out.
/// An opening, a take or a way out is listed exactly when one exists. Cards are the lowest suits.
pub fn list(view: ViewRef<'_>, actions: &mut Vec<Action>) {
    actions.clear();
    if view.table.to_act() != Some(view.seat) {
        return;
    }
    match view.table.phase {
        Phase::AwaitAnswer { .. } => {
            actions.push(Action::AnswerGoOut(Answer::Yes));
            actions.push(Action::AnswerGoOut(Answer::No));
        }
        Phase::AwaitUndo { .. } => {
            actions.push(Action::AnswerUndo(Answer::Yes));
            actions.push(Action::AnswerUndo(Answer::No));
        }
        Phase::Draw { .. } => {
            actions.push(Action::Draw);
            list_takes(view, actions);
            actions.extend(way_out_action(view));
        }
        Phase::Play { .. } => {
            list_lays(view, actions);
            actions.extend(way_out_action(view));
            list_discards(view, actions);
        }
        Phase::RoundOver { .. } | Phase::GameOver { .. } => {}
    }
    dedup(actions);
    actions.truncate(LIST_MAX);
}

fn dedup(actions: &mut Vec<Action>) {
    let mut kept: Vec<Action> = Vec::with_capacity(actions.len());
    for action in actions.drain(..) {
        if !kept.contains(&action) {
            kept.push(action);
        }
    }
    *actions = kept;
}

fn list_takes(view: ViewRef<'_>, actions: &mut Vec<Action>) {
    let before = actions.len();
    actions.extend(found_by(Search::takes(view)).map(Action::TakeDiscards));
    keep_legal(view, actions, before);
    if is_upcard_free(view) {
        actions.push(Action::TakeDiscards(Lay::new()));
    }
    if actions.len() == before {
        // In the foot fewer cards than must be kept are left by going out alone.
        actions.extend(way_out_action(view).filter(|way| matches!(way, Action::TakeDiscards(_))));
    }
}

/// Legal takes of the discard pile, at most [`OPENINGS_MAX`]: each opens if the team has not, and
/// is otherwise a least one; a first upcard that is free comes with an empty lay. None exactly if
/// there is none. Rule: HF-5.1, HF-5.9
#[must_use]
pub fn takes(view: ViewRef<'_>) -> Vec<Lay> {
    let mut actions = Vec::new();
    list_takes(view, &mut actions);
    actions.into_iter().filter_map(laid).collect()
}

/// Legal first lay-downs from own cards, at most [`OPENINGS_MAX`]; none exactly if there is none,
/// or the team has opened. Rule: HF-6.1
#[must_use]
pub fn openings(view: ViewRef<'_>) -> Vec<Lay> {
    let mut actions = Vec::new();
    list_openings(view, &mut actions);
    actions.into_iter().filter_map(laid).collect()
}

/// The next action of a way out, or the question that names it; none exactly if there is none.
/// Rule: HF-8.1 to HF-8.9
#[must_use]
pub fn way_out(view: ViewRef<'_>) -> Option<Action> {
    match view.table.to_act() == Some(view.seat) {
        true => way_out_action(view),
        false => None,
    }
}

fn laid(action: Action) -> Option<Lay> {
    match action {
        Action::TakeDiscards(lay) | Action::Lay(lay) => Some(lay),
        Action::Draw
        | Action::AskToGoOut(_)
        | Action::AnswerGoOut(_)
        | Action::AnswerUndo(_)
        | Action::Discard(_)
        | Action::UndoLays(_) => None,
    }
}

fn found_by(searches: Vec<Search<'_>>) -> impl Iterator<Item = Lay> {
    let mut lays = Vec::new();
    for search in searches {
        search.list(OPENINGS_MAX, &mut lays);
    }
    lays.into_iter()
}

fn keep_legal(view: ViewRef<'_>, actions: &mut Vec<Action>, from: usize) {
    let mut index = 0;
    actions.retain(|action| {
        index += 1;
        index <= from || judge(view, action).is_ok()
    });
}

fn list_lays(view: ViewRef<'_>, actions: &mut Vec<Action>) {
    if !view.has_opened() {
        return list_openings(view, actions);
    }
    let before = actions.len();
    list_new_melds(view, actions);
    list_additions(view, actions);
    keep_legal(view, actions, before);
}

fn list_openings(view: ViewRef<'_>, actions: &mut Vec<Action>) {
    let before = actions.len();
    let searches = Search::openings(view);
    if searches.is_empty() {
        return;
    }
    actions.extend(found_by(searches).map(Action::Lay));
    keep_legal(view, actions, before);
    if actions.len() == before {
        // In the foot fewer cards than must be kept are left by going out alone.
        actions.extend(way_out_action(view).filter(|way| matches!(way, Action::Lay(_))));
    }
}

/// Every composition of one new meld, the naturals' lowest suits, each mixture of wild cards.
fn list_new_melds(view: ViewRef<'_>, actions: &mut Vec<Action>) {
    let rules = view.rules;
    let book_size = rules.draft().book_size;
    let mixtures = wild_mixtures(view, book_size);
    for kind in rules.melding() {
        let held = view.own.of_kind(kind);
        for naturals in 1..=held.min(book_size) {
            let shape = MeldShape { naturals, ..MeldShape::empty(MeldRank::Natural(kind)) };
            for wilds in mixtures.iter().filter(|wilds| {
                wilds.len() <= usize::from(book_size - naturals)
                    && wilds.len() <= usize::from(shape.wilds_max(rules))
                    && wilds.len() + usize::from(naturals) >= usize::from(rules.draft().meld_min)
            }) {
                let mut cards = lowest(view.own, kind, naturals);
                cards.extend(wilds);
                push_lay(Target::New, &cards, actions);
            }
        }
    }
    if rules.wild_meld_allowed() {
        for wilds in mixtures.iter().filter(|w| w.len() >= usize::from(rules.draft().meld_min)) {
            push_lay(Target::New, wilds, actions);
        }
    }
}

/// One card added to each meld that takes it.
fn list_additions(view: ViewRef<'_>, actions: &mut Vec<Action>) {
    let rules = view.rules;
    let team = &view.table.teams[view.team().index()];
    let is_open = |shape: &MeldShape| {
        !shape.is_book(rules) || may_extend(rules, shape.kind()) || is_blocker(rules)
    };
    for (id, shape) in team.shapes().filter(|(_, shape)| is_open(shape)) {
        for card in addable(view, shape) {
            push_lay(Target::Meld(id), &[card], actions);
        }
    }
}

/// Cards, one of each kind, that may join a meld by themselves.
fn addable<'a>(view: ViewRef<'a>, shape: MeldShape) -> impl Iterator<Item = Card> + 'a {
    let natural = match shape.rank {
        MeldRank::Natural(kind) => Some(kind),
        MeldRank::Wild => None,
    };
    let red_threes = view.rules.pack().red_three_faces().iter().map(|card| card.kind());
    let red_threes = red_threes.filter(|_| is_blocker(view.rules));
    let kinds = natural.into_iter().chain(view.rules.wilds()).chain(red_threes);
    kinds.filter_map(|kind| view.own.lowest(kind))
}

fn list_discards(view: ViewRef<'_>, actions: &mut Vec<Action>) {
    let before = actions.len();
    let kinds = view.rules.kinds().filter_map(|kind| view.own.lowest(kind));
    actions.extend(kinds.map(Action::Discard));
    keep_legal(view, actions, before);
}

fn push_lay(target: Target, cards: &[Card], actions: &mut Vec<Action>) {
    if let Ok(lay) = Lay::of(target, cards) {
        actions.push(Action::Lay(lay));
    }
}

/// Every mixture of up to `most` wild cards by kind, fewest first, the lowest suits of each.
fn wild_mixtures(view: ViewRef<'_>, most: u8) -> Vec<Vec<Card>> {
    let mut mixtures = vec![Vec::new()];
    for kind in view.rules.wilds() {
        let held = view.own.of_kind(kind);
        mixtures = mixtures
            .into_iter()
            .flat_map(|mixture: Vec<Card>| {
                (0..=held).map(move |count| {
                    let mut mixture = mixture.clone();
                    mixture.extend(lowest(view.own, kind, count));
                    mixture
                })
            })
            .filter(|mixture| mixture.len() <= usize::from(most))
            .collect();
    }
    mixtures.sort_by_key(Vec::len);
    mixtures
}

/// So many cards of a kind, lowest suits first.
fn lowest(own: &Cards, kind: Kind, count: u8) -> Vec<Card> {
    let all = kind.cards().flat_map(|card| std::iter::repeat_n(card, usize::from(own.count(card))));
    all.take(usize::from(count)).collect()
}

/// Whether an action is elementary: one that a list must hold if it is legal, up to suits.
#[must_use]
pub fn is_elementary(view: ViewRef<'_>, action: &Action) -> bool {
    let has_opened = view.has_opened();
    match action {
        Action::Draw | Action::Discard(_) | Action::AnswerGoOut(_) | Action::AnswerUndo(_) => true,
        Action::Lay(lay) => {
            let mut placements = lay.placements();
            match (placements.next(), placements.next()) {
                (Some(only), None) => match only.target {
                    Target::New => has_opened && is_plain_meld(view, only.cards),
                    Target::Meld(_) => only.cards.len() == 1,
                },
                (_, _) => false,
            }
        }
        Action::TakeDiscards(_) | Action::AskToGoOut(_) | Action::UndoLays(_) => false,
    }
}

/// Whether a new meld has at most the cards of a book, and no red three on top.
fn is_plain_meld(view: ViewRef<'_>, cards: &[Card]) -> bool {
    cards.len() <= usize::from(view.rules.draft().book_size)
        && cards.iter().all(|card| view.rules.role(card.kind()) != Role::RedThree)
}
