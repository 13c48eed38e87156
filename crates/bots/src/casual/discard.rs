//! Which card a turn ends with.
//!
//! **Invariant:** proposes legal discards only; `judge` has said so of each.

use handfoot_cards::{Card, Role};
use handfoot_view::{Action, MeldRank, ViewRef, judge};

/// The least useful card: black threes first, then lonely low cards that nobody collects.
pub(super) fn discard(view: ViewRef<'_>) -> Option<Card> {
    let legal = |card: &Card| judge(view, &Action::Discard(*card)).is_ok();
    let cards = view.rules.kinds().filter_map(|kind| view.own.lowest(kind));
    cards.filter(legal).min_by_key(|card| usefulness(view, *card))
}

fn usefulness(view: ViewRef<'_>, card: Card) -> i32 {
    let kind = card.kind();
    match view.rules.role(kind) {
        Role::BlackThree | Role::RedThree => return 0,
        Role::Wild => return 10_000 + view.rules.value(kind),
        Role::Natural => {}
    }
    let own_team = view.team().index();
    let mut usefulness = 100 * i32::from(view.own.of_kind(kind)) + view.rules.value(kind);
    for (index, team) in view.table.teams.iter().enumerate() {
        let unfinished = team.unfinished(MeldRank::Natural(kind), view.rules);
        usefulness += match (unfinished, index == own_team) {
            (Some(_), true) => 500,
            (Some(_), false) => 60,
            (None, _) => 0,
        };
    }
    usefulness
}
