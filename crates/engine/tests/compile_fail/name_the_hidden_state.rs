//! The module of hidden cards has no name outside the engine.
use handfoot_engine::state::State;

fn main() {}
