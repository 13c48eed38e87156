//! Games to test with, and ways to play them.
//!
//! **Invariant:** everything follows from the numbers given.

use std::sync::Arc;

use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_rules::{Preset, Rules};
use handfoot_view::{Action, Lays, Seat, TableOptions, Undo, ViewRef, judge, list, sample};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A preset's rules for so many players, in teams of the given size or the usual one.
///
/// # Panics
///
/// If there is no such preset or table, or it cannot be played.
#[must_use]
pub fn rules(preset: &str, players: u8, team_size: Option<u8>) -> Arc<Rules> {
    let preset = Preset::find(preset).expect("the preset is there");
    let draft = preset.draft(Some(players), team_size).expect("it allows the table");
    Arc::new(Rules::new(draft).expect("it can be played").rules)
}

/// Every preset with every number of players and team size that it allows.
///
/// # Panics
///
/// If a preset cannot be played at a table that it names.
#[must_use]
pub fn every_table() -> Vec<Arc<Rules>> {
    let seatings = Preset::all().iter().flat_map(|preset| {
        preset.seating.iter().flat_map(|seating| {
            let sizes = seating.team_sizes.iter();
            sizes.map(|size| rules(&preset.id, seating.players, Some(*size)))
        })
    });
    seatings.collect()
}

/// A game with its first round dealt.
#[must_use]
pub fn game(rules: &Arc<Rules>, seed: u64) -> Game {
    game_with(rules, TableOptions::default(), seed)
}

/// The same at a table with these options.
#[must_use]
pub fn game_with(rules: &Arc<Rules>, options: TableOptions, seed: u64) -> Game {
    Game::new(Arc::clone(rules), options, "test", Seed::chosen(seed), None, &mut Events::new())
}

/// Every choice that a table's owner has beside the usual one.
#[must_use]
pub fn options() -> Vec<TableOptions> {
    let undos = [Undo::Off, Undo::OwnTurn, Undo::ByConsent];
    let both = undos
        .into_iter()
        .flat_map(|undo| [Lays::Open, Lays::Concealed].map(|lays| TableOptions { undo, lays }));
    both.filter(|options| *options != TableOptions::default()).collect()
}

/// A generator that gives the same every time.
#[must_use]
pub fn chance(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A number below a bound.
///
/// # Panics
///
/// On a machine of less than 64 bits, if the bound is beyond it.
pub fn below(rng: &mut impl Rng, bound: usize) -> usize {
    let bound = u64::try_from(bound.max(1)).expect("at most 64 bits");
    usize::try_from(rng.next_u64() % bound).expect("below a usize")
}

/// Every viewer of a table.
#[must_use]
pub fn viewers(rules: &Rules) -> Vec<Viewer> {
    let seats = Seat::all(rules.seats()).map(Viewer::Seat);
    seats.chain(std::iter::once(Viewer::Spectator)).collect()
}

/// An action: every third one taken from the list, so that takes, openings and ways out come up,
/// the others sampled; where the table's options are not the usual ones, an undo now and then. None
/// if there is none, which is a fault.
pub fn choose(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Action> {
    let undo = Action::UndoLays(1);
    // At a table of the usual options games go on as they always did.
    if view.table.options != TableOptions::default()
        && judge(view, &undo).is_ok()
        && rng.next_u64().is_multiple_of(4)
    {
        return Some(undo);
    }
    if rng.next_u64().is_multiple_of(3) {
        let mut actions = Vec::new();
        list(view, &mut actions);
        let chosen = below(rng, actions.len());
        return actions.into_iter().nth(chosen);
    }
    sample(view, rng)
}

/// Plays a game on by one step: an action, or the next deal. False if it is over.
///
/// # Panics
///
/// If there is nothing to do, or what is offered is refused.
pub fn step(game: &mut Game, rng: &mut impl Rng, events: &mut Events) -> bool {
    events.clear();
    match game.public().to_act() {
        Some(seat) => {
            let action = choose(game.view(seat).as_ref(), rng).expect("whoever is to act can");
            game.play(seat, &action, events).expect("what is offered is legal");
            true
        }
        None => game.deal_next(&[], events).is_ok(),
    }
}
