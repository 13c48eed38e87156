//! What is measured: each piece of work over the same positions, with a result that is asserted.
//!
//! **Invariant:** everything follows from fixed seeds; nothing here is timed.

use std::sync::Arc;

use handfoot_engine::{Events, Game, Seed, Viewer, World};
use handfoot_rules::{Preset, Rules};
use handfoot_view::{Action, Menu, TableOptions, judge, list, sample};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Positions from random play, each with a seat to act.
#[derive(Debug)]
pub(crate) struct Positions {
    rules: Arc<Rules>,
    games: Vec<Game>,
}

/// What each piece of work comes to over 64 positions, or 4 games.
pub(crate) const RESULTS: [(&str, usize); 8] = [
    ("judge", 1024),
    ("sample", 1024),
    ("menu", 1117),
    ("list", 620),
    ("view", 2609),
    ("clone", 6389),
    ("resample", 2609),
    ("play", 3777),
];

/// The default rules.
pub(crate) fn whitnack() -> Arc<Rules> {
    let preset = Preset::find("whitnack").expect("the default rules exist");
    let draft = preset.draft(None, None).expect("they allow their usual table");
    Arc::new(Rules::new(draft).expect("they are valid").rules)
}

fn chance(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn new_game(rules: &Arc<Rules>, seed: u64) -> Game {
    let options = TableOptions::default();
    Game::new(Arc::clone(rules), options, "bench", Seed::chosen(seed), None, &mut Events::new())
}

/// So many positions, each a random number of decisions into a game.
pub(crate) fn positions(count: u64) -> Positions {
    let rules = whitnack();
    let mut games = Vec::new();
    for seed in 0..count {
        let mut game = new_game(&rules, seed);
        let mut rng = chance(seed);
        let mut events = Events::new();
        for _ in 0..(7 * seed % 200) {
            let Some(seat) = game.public().to_act() else { break };
            let action = sample(game.view(seat).as_ref(), &mut rng).expect("it may act");
            events.clear();
            game.play(seat, &action, &mut events).expect("a sample is legal");
        }
        if game.public().to_act().is_some() {
            games.push(game);
        }
    }
    Positions { rules, games }
}

fn sum(positions: &Positions, each: impl FnMut(&Game) -> usize) -> usize {
    positions.games.iter().map(each).sum()
}

/// The seat to act of a position, which has one.
fn to_act(game: &Game) -> handfoot_view::Seat {
    game.public().to_act().expect("positions have a seat to act")
}

/// Samples and judges; the result counts what was accepted.
pub(crate) fn judge_samples(positions: &Positions, rounds: u64) -> usize {
    let mut rng = chance(rounds);
    sum(positions, |game| {
        let view = game.view(to_act(game)).as_ref();
        let accepted = |action: Action| usize::from(judge(view, &action).is_ok());
        (0..rounds).map(|_| sample(view, &mut rng).map_or(0, accepted)).sum()
    })
}

/// Samples alone.
pub(crate) fn samples(positions: &Positions, rounds: u64) -> usize {
    let mut rng = chance(rounds);
    sum(positions, |game| {
        let view = game.view(to_act(game)).as_ref();
        (0..rounds).filter(|_| sample(view, &mut rng).is_some()).count()
    })
}

/// Menus; the result counts ranks and melds offered.
pub(crate) fn menus(positions: &Positions) -> usize {
    sum(positions, |game| {
        let menu = Menu::of(game.view(to_act(game)).as_ref());
        menu.ranks.len() + menu.melds.len() + menu.discards.len()
    })
}

/// Lists; the result counts actions.
pub(crate) fn lists(positions: &Positions) -> usize {
    let mut actions = Vec::new();
    sum(positions, |game| {
        list(game.view(to_act(game)).as_ref(), &mut actions);
        actions.len()
    })
}

/// Views made as data of their own, for every seat; the result counts own cards.
pub(crate) fn views(positions: &Positions) -> usize {
    sum(positions, |game| {
        handfoot_view::Seat::all(4).map(|seat| game.table_view(Viewer::Seat(seat)).own.len()).sum()
    })
}

/// Copies; the result counts cards left in the stocks.
pub(crate) fn clones(positions: &Positions) -> usize {
    sum(positions, |game| usize::from(game.clone().public().stock))
}

/// Worlds sampled from views; the result counts cards held in them.
pub(crate) fn resamples(positions: &Positions) -> usize {
    let mut rng = chance(1);
    sum(positions, |game| {
        let view = game.view(to_act(game)).as_ref();
        let world = World::resample(view, &positions.rules, &mut rng);
        handfoot_view::Seat::all(4).map(|seat| world.view(seat).own.len()).sum()
    })
}

/// Whole games of random play; the result counts decisions.
pub(crate) fn games(rules: &Arc<Rules>, count: u64) -> usize {
    let mut events = Events::new();
    let mut decisions = 0;
    for seed in 0..count {
        let mut game = new_game(rules, seed);
        let mut rng = chance(seed);
        loop {
            events.clear();
            if let Some(seat) = game.public().to_act() {
                let action = sample(game.view(seat).as_ref(), &mut rng).expect("it may act");
                game.play(seat, &action, &mut events).expect("a sample is legal");
                decisions += 1;
            } else if game.deal_next(&[], &mut events).is_err() {
                break;
            }
        }
    }
    decisions
}
