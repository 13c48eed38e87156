//! Games to test with.
//!
//! **Invariant:** everything follows from the numbers given.

use std::sync::Arc;

use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_rules::{Preset, Rules};
use handfoot_view::{Action, Lays, Seat, TableOptions, Undo, ViewRef, judge, list, sample};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A preset's rules for so many players, in teams of the given size or the usual one.
pub(crate) fn rules(preset: &str, players: u8, team_size: Option<u8>) -> Arc<Rules> {
    let draft = Preset::find(preset).unwrap().draft(Some(players), team_size).unwrap();
    Arc::new(Rules::new(draft).unwrap().rules)
}

/// Every preset with every number of players and team size that it allows.
pub(crate) fn every_table() -> Vec<Arc<Rules>> {
    let seatings = Preset::all().iter().flat_map(|preset| {
        preset.seating.iter().flat_map(|seating| {
            let sizes = seating.team_sizes.iter();
            sizes.map(|size| rules(&preset.id, seating.players, Some(*size)))
        })
    });
    seatings.collect()
}

/// A game with its first round dealt.
pub(crate) fn game(rules: &Arc<Rules>, seed: u64) -> Game {
    game_with(rules, TableOptions::default(), seed)
}

/// Every choice that a table's owner has beside the usual one.
pub(crate) fn options() -> Vec<TableOptions> {
    let undos = [Undo::Off, Undo::OwnTurn, Undo::ByConsent];
    let both = undos
        .into_iter()
        .flat_map(|undo| [Lays::Open, Lays::Concealed].map(|lays| TableOptions { undo, lays }));
    both.filter(|options| *options != TableOptions::default()).collect()
}

/// The same at a table with these options.
pub(crate) fn game_with(rules: &Arc<Rules>, options: TableOptions, seed: u64) -> Game {
    Game::new(Arc::clone(rules), options, "test", Seed::chosen(seed), None, &mut Events::new())
}

/// A generator that gives the same every time.
pub(crate) fn chance(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A number below a bound.
pub(crate) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    let bound = u64::try_from(bound.max(1)).unwrap();
    usize::try_from(rng.next_u64() % bound).unwrap()
}

/// Every viewer of a table.
pub(crate) fn viewers(rules: &Rules) -> Vec<Viewer> {
    let seats = Seat::all(rules.seats()).map(Viewer::Seat);
    seats.chain(std::iter::once(Viewer::Spectator)).collect()
}

/// An action: every third one taken from the list, so that takes, openings and ways out come up,
/// the others sampled.
pub(crate) fn choose(view: ViewRef<'_>, rng: &mut impl Rng) -> Action {
    let mut actions = Vec::new();
    let undo = Action::UndoLays(1);
    // At a table of the usual options games go on as they always did.
    if view.table.options != TableOptions::default()
        && judge(view, &undo).is_ok()
        && rng.next_u64().is_multiple_of(4)
    {
        return undo;
    }
    if rng.next_u64().is_multiple_of(3) {
        list(view, &mut actions);
        let chosen = below(rng, actions.len());
        return actions.swap_remove(chosen);
    }
    sample(view, rng).unwrap()
}

/// Plays a game on by one step: an action, or the next deal. False if it is over.
pub(crate) fn step(game: &mut Game, rng: &mut impl Rng, events: &mut Events) -> bool {
    events.clear();
    match game.public().to_act() {
        Some(seat) => {
            let action = choose(game.view(seat).as_ref(), rng);
            game.play(seat, &action, events).unwrap();
            true
        }
        None => game.deal_next(&[], events).is_ok(),
    }
}
