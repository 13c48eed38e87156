//! Tests of rule files, presets and validation through the public interface.
//!
//! **Invariant:** nothing here depends on a clock, a file outside the crate, or an unseeded choice.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod files;
mod kit;
mod limits;
mod mutations;
mod presets;
mod rejects;
mod specification;
mod warnings;
