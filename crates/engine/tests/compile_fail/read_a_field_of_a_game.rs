//! A game's state is not readable.
use handfoot_engine::Game;

fn peek(game: &Game) {
    let _ = &game.state;
}

fn main() {}
