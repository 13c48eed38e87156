//! Tests of legality, menus, lists and events on views written by hand.
//!
//! **Invariant:** one binary; nothing here sleeps, waits or asks the machine for chance.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod enumerate;
mod every;
mod fits;
mod fold;
mod found;
mod matrix;
mod positions;
mod precedence;
mod tables;
