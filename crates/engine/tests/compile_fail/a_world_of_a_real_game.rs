//! A world is sampled from a view; a real game cannot be made into one.
use handfoot_engine::{Game, World};

fn cheat(game: Game) -> World {
    World { state: game.state }
}

fn main() {}
