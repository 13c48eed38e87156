//! The greedy baseline: takes the discard pile whenever it can, lays all it can, goes out at once,
//! always says yes. Wild cards are spent as [`Spending`] says. Frozen on `whitnack` by golden
//! hashes, because stronger levels are measured against it: change nothing that those hashes see.

mod discard;
mod outlook;
mod team;
mod wilds;

use handfoot_cards::{Card, Role};
use handfoot_rules::RedThreeMode;
use handfoot_view::{
    Action, Answer, LAY_CARDS_MAX, Lay, Phase, ViewRef, list, openings, takes, way_out,
};

use crate::{Chance, Policy};
use discard::discard;
use team::Team;
use wilds::Spending;

/// Plays like somebody who enjoys laying cards and does not count them.
#[derive(Clone, Copy, Debug)]
pub struct Casual;

impl Policy for Casual {
    fn choose(&self, view: ViewRef<'_>, _: &mut Chance) -> Option<Action> {
        if view.table.to_act() != Some(view.seat) {
            return None;
        }
        match view.table.phase {
            Phase::AwaitAnswer { .. } => Some(Action::AnswerGoOut(Answer::Yes)),
            Phase::AwaitUndo { .. } => Some(Action::AnswerUndo(Answer::Yes)),
            Phase::Draw { .. } => Some(draw_step(view)),
            Phase::Play { .. } => play_step(view),
            Phase::RoundOver { .. } | Phase::GameOver { .. } => None,
        }
    }
}

fn draw_step(view: ViewRef<'_>) -> Action {
    if let Some(action) = way_out(view) {
        return action;
    }
    let mut takes = takes(view);
    // One card that is merely kept is less than a draw.
    takes.retain(|lay| !lay.is_empty());
    match best(view, takes) {
        Some(lay) if !brings_penalties(view) => Action::TakeDiscards(lay),
        Some(_) | None => Action::Draw,
    }
}

/// Whether the discard pile brings red threes that count against, and more of them than the next
/// discard gets rid of. Rule: HF-3.6
fn brings_penalties(view: ViewRef<'_>) -> bool {
    match view.rules.draft().red_three.mode {
        RedThreeMode::Penalty => {}
        RedThreeMode::Bonus | RedThreeMode::Blocker => return false,
    }
    let is_red_three = |card: &Card| view.rules.role(card.kind()) == Role::RedThree;
    let taken = view.table.discards.iter().rev().take(view.table.take_count(view.rules));
    let brought = taken.copied().filter(is_red_three).count();
    brought > 0 && brought + view.own.iter().filter(is_red_three).count() > 1
}

fn play_step(view: ViewRef<'_>) -> Option<Action> {
    if let Some(action) = way_out(view) {
        return Some(action);
    }
    let lay = match Team::of(view) {
        Some(team) => team.next_lay(),
        None => best(view, openings(view)),
    };
    match lay {
        Some(lay) => Some(Action::Lay(lay)),
        None => discard(view).map(Action::Discard).or_else(|| first_listed(view)),
    }
}

/// Whatever can be done where nothing may be discarded.
fn first_listed(view: ViewRef<'_>) -> Option<Action> {
    let mut actions = Vec::new();
    list(view, &mut actions);
    actions.into_iter().next()
}

/// The lay with the most naturals and the fewest wild cards; which of the two comes first depends on
/// how wild cards are spent.
fn best(view: ViewRef<'_>, lays: Vec<Lay>) -> Option<Lay> {
    let is_wild = |card: &&Card| view.rules.role(card.kind()) == Role::Wild;
    let spending = Spending::of(view);
    let score = |lay: &Lay| {
        let wilds = lay.cards().iter().filter(is_wild).count();
        let (naturals, spared) = (lay.cards().len() - wilds, LAY_CARDS_MAX - wilds);
        match spending {
            Spending::AtOnce => [naturals, spared],
            // Other naturals can be laid next, without wild cards.
            Spending::Planned => [spared, naturals],
        }
    };
    // The first of the best, so that the canonical order decides.
    lays.into_iter().rev().max_by_key(score)
}
