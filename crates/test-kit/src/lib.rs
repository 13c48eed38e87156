//! What the tests of several packages share: games to play, ways to play them, random rule sets,
//! and a gateway that speaks TLS.
//!
//! **Invariant:** for tests only, and no program is built from it. Everything follows from the
//! numbers given; nothing here judges whether an answer is right.

mod games;
#[cfg(feature = "gateway")]
mod gateway;
mod other_tables;
mod rule_sets;

pub use games::{
    below, chance, choose, every_table, game, game_with, options, rules, step, viewers,
};
#[cfg(feature = "gateway")]
pub use gateway::{Authority, Front, Gateway, Identity, Validity};
pub use other_tables::other_tables;
pub use rule_sets::{Found, GENES, Genes, asked_for, config, genes, rule_set, with_seed};
