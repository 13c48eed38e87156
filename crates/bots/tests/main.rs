//! Tests of the bots: what they play is frozen, legal, and never rests on a hidden card.
//!
//! **Invariant:** bots get views; only these tests hold games.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use handfoot_bots::{BotSeed, Level};
use handfoot_engine::{Events, Game, Seed, World, laws};
use handfoot_rules::{Preset, Rules};
use handfoot_view::{Phase, RoundEnd, TableOptions, ViewRef};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};

fn rules(preset: &str, players: u8) -> Arc<Rules> {
    let draft = Preset::find(preset).unwrap().draft(Some(players), None).unwrap();
    Arc::new(Rules::new(draft).unwrap().rules)
}

fn game(rules: &Arc<Rules>, seed: u64) -> Game {
    let options = TableOptions::default();
    Game::new(Arc::clone(rules), options, "bots", Seed::chosen(seed), None, &mut Events::new())
}

/// Plays a game to its end with one level on every seat.
fn play(rules: &Arc<Rules>, seed: u64, level: Level) -> Game {
    let bots = BotSeed::chosen(seed);
    let choose = |view: ViewRef<'_>| level.policy().choose(view, &mut bots.chance(view));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    laws::play_to_end(game(rules, seed), 64, &mut rng, choose)
        .map_err(|(broken, _)| broken)
        .unwrap()
}

/// What a game came to, as one hash of every score line of every team and round.
fn outcome(games: impl Iterator<Item = Game>) -> String {
    let mut hash = Sha256::new();
    for round in games.flat_map(|game| game.history().to_vec()) {
        hash.update(round.turns.to_be_bytes());
        for (_, line) in round.scores.iter().flat_map(handfoot_rules::RoundScore::lines) {
            hash.update(line.count.to_be_bytes());
            hash.update(line.points.to_be_bytes());
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Stronger levels are measured against `casual`, so what it plays on `whitnack` never changes.
#[test]
fn casual_is_frozen_on_whitnack() {
    let hashes = [2, 3, 4, 5, 6].map(|players| {
        let rules = rules("whitnack", players);
        (players, outcome((0..8).map(|seed| play(&rules, seed, Level::Casual))))
    });
    let frozen = FROZEN.map(|(players, hash)| (players, hash.to_owned()));
    assert_eq!(hashes, frozen);
}

/// Hashes of eight games of `casual` by number of players.
const FROZEN: [(u8, &str); 5] = [
    (2, "af8f70b3ebd20d6c"),
    (3, "b9b7355eb2291bd6"),
    (4, "33129dd3655622ad"),
    (5, "46a3f705afe50574"),
    (6, "20e5006eed1a9c46"),
];

/// Whatever a seat cannot see may be dealt anew: every level does the same. Rule: HF-11.2
#[test]
fn no_level_peeks() {
    let rules = rules("whitnack", 4);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut decisions = 0;
    for level in Level::ALL {
        for seed in 0..3 {
            let mut game = game(&rules, seed);
            let bots = BotSeed::chosen(seed);
            let mut events = Events::new();
            loop {
                events.clear();
                let Some(seat) = game.public().to_act() else {
                    if game.deal_next(&[], &mut events).is_err() {
                        break;
                    }
                    continue;
                };
                let view = game.view(seat).as_ref();
                let action = level.policy().choose(view, &mut bots.chance(view)).unwrap();
                let world = World::resample(view, &rules, &mut rng);
                let there = world.view(seat);
                let again = level.policy().choose(there, &mut bots.chance(there)).unwrap();
                assert_eq!(action, again, "{} in game {seed}", level.name());
                decisions += 1;
                game.play(seat, &action, &mut events).unwrap();
            }
        }
    }
    assert!(decisions > 4000, "{decisions} decisions");
}

/// With partners `casual` ends most rounds by going out.
#[test]
fn casual_goes_out() {
    let rules = rules("whitnack", 4);
    let rounds: Vec<_> =
        (100..120).flat_map(|seed| play(&rules, seed, Level::Casual).history().to_vec()).collect();
    let out = rounds.iter().filter(|round| matches!(round.how, RoundEnd::WentOut(_))).count();
    assert!(out * 2 > rounds.len(), "{out} of {} rounds", rounds.len());
}

/// Every level plays every preset at every size of table to its end.
#[test]
fn every_level_finishes_every_table() {
    for preset in Preset::all() {
        for seating in &preset.seating {
            let rules = rules(&preset.id, seating.players);
            for level in Level::ALL {
                let game = play(&rules, 7, level);
                assert!(matches!(game.public().phase, Phase::GameOver { .. }));
            }
        }
    }
}
