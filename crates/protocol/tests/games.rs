//! Games to test with.
//!
//! **Invariant:** everything follows from the numbers given.

pub(crate) use handfoot_test_kit::{
    below, chance, every_table, game, game_with, options, other_tables, rules, step, viewers,
};
