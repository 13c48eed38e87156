//! The same games without any service, to compare with.

use std::sync::Arc;

use handfoot_bots::{BotSeed, Level};
use handfoot_engine::{Events, Game, Seed};
use handfoot_rules::{Preset, Rules};
use handfoot_view::{RoundResult, TableOptions};

pub(crate) fn rules() -> Arc<Rules> {
    let draft = Preset::find("whitnack").unwrap().draft(Some(4), None).unwrap();
    Arc::new(Rules::new(draft).unwrap().rules)
}

pub(crate) fn game(seed: u64) -> Game {
    let options = TableOptions::default();
    let mut events = Events::new();
    Game::new(rules(), options, "bots", Seed::chosen(seed), None, &mut events)
}

/// Rounds of a game in which every seat is played at this level, until it ends.
pub(crate) fn play(seed: u64, level: Level, rounds_max: usize) -> Vec<RoundResult> {
    let (mut game, mut events) = (game(seed), Events::new());
    let bots = BotSeed::chosen(seed);
    while game.history().len() < rounds_max {
        events.clear();
        let Some(seat) = game.public().to_act() else {
            if game.deal_next(&[], &mut events).is_err() {
                break;
            }
            continue;
        };
        let view = game.view(seat).to_table_view();
        let view = view.lend(game.rules()).unwrap();
        let action = level.policy().choose(view, &mut bots.chance(view)).unwrap();
        game.play(seat, &action, &mut events).unwrap();
    }
    game.history().to_vec()
}
