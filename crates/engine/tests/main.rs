//! Tests of the engine through its public face.
//!
//! **Invariant:** one binary; nothing here sleeps, waits or asks the machine for chance.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod choices;
mod compile_fail;
mod fits;
mod games;
mod laws;
mod meld_choices;
mod notation;
mod options;
mod random_rules;
mod sheets;
mod small;
mod snapshots;
mod speed;
