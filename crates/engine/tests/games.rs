//! Games to test with, and ways to play them.
//!
//! **Invariant:** everything follows from the numbers given.

pub(crate) use handfoot_test_kit::{
    below, chance, every_table, game, options, other_tables, rules, step, viewers,
};
