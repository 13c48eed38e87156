//! How many rounds `casual` ends by going out, under every preset.
//!
//! **Invariant:** the games are fixed by their seeds, so that a share is a number and no chance.

use std::sync::Arc;

use handfoot_bots::{BotSeed, Level};
use handfoot_engine::{Events, Game};
use handfoot_rules::{Preset, Rules};
use handfoot_view::RoundEnd;

use super::game;

/// Games that are played of each preset.
const GAMES: u64 = 40;

/// The least share of rounds that end by going out at a preset's usual table, in percent.
const LEAST: [(&str, usize); 19] = [
    ("whitnack", 57),
    ("whitnack-2005", 54),
    ("foot-canasta", 84),
    ("favourite-500", 96),
    ("favourite-300", 96),
    ("saskatchewan", 95),
    ("simpson", 95),
    ("brouillette-low", 89),
    ("brouillette-high", 89),
    ("brouillette-partnership-low", 98),
    ("brouillette-partnership-high", 98),
    ("bga", 93),
    ("pennies-from-heaven", 35),
    ("demeritt", 92),
    ("rasa", 91),
    ("bicycle", 67),
    ("hand-n-foot-262", 98),
    ("remastered-teams", 65),
    ("vegas", 97),
];

/// Plays a game to its end, laws unchecked.
fn play(rules: &Arc<Rules>, seed: u64) -> Game {
    let bots = BotSeed::chosen(seed);
    let mut events = Events::new();
    let mut game = game(rules, seed);
    loop {
        events.clear();
        if let Some(seat) = game.public().to_act() {
            let view = game.view(seat).as_ref();
            let action = Level::Casual.policy().choose(view, &mut bots.chance(view)).unwrap();
            game.play(seat, &action, &mut events).unwrap();
        } else if game.deal_next(&[], &mut events).is_err() {
            return game;
        }
    }
}

/// The share of rounds that end by going out, in percent, rounded down.
fn share(rules: &Arc<Rules>) -> usize {
    let games = (0..GAMES).map(|seed| play(rules, seed));
    let (mut rounds, mut out) = (0, 0);
    for result in games.flat_map(|game| game.history().to_vec()) {
        rounds += 1;
        out += usize::from(matches!(result.how, RoundEnd::WentOut(_)));
    }
    100 * out / rounds
}

#[test]
fn casual_goes_out_under_every_preset() {
    let mut short = Vec::new();
    for preset in Preset::all() {
        let found = LEAST.iter().find(|(id, _)| *id == preset.id);
        let (_, least) = found.unwrap_or_else(|| panic!("{} has no least share", preset.id));
        let rules = Rules::new(preset.draft(None, None).unwrap()).unwrap().rules;
        let share = share(&Arc::new(rules));
        if share < *least {
            short.push(format!("{}: {share} % of rounds, at least {least}", preset.id));
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}
