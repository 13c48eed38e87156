//! Games to test with, and ways to play them.
//!
//! **Invariant:** everything follows from the numbers given.

use std::sync::Arc;

use handfoot_engine::{Events, Game, Seed};
use handfoot_rules::{Preset, Rules};
use handfoot_view::TableOptions;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The default rules for so many players, in teams of the given size or the usual one.
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
    let options = TableOptions::default();
    Game::new(Arc::clone(rules), options, "test", Seed::chosen(seed), None, &mut Events::new())
}

/// A generator that gives the same every time.
pub(crate) fn chance(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}
