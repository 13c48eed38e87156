//! Tests of the handbook.
//!
//! **Invariant:** one program, so that it is linked once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod flips;
mod golden;
mod sense;
