//! Games to test with, and ways to play them.
//!
//! **Invariant:** everything follows from the numbers given.

pub(crate) use handfoot_test_kit::{chance, every_table, game, rules};
