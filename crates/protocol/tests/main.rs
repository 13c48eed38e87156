//! Tests of the contract and its conversions, in one binary.
//!
//! **Invariant:** everything follows from seeds; files are compared, and written only when
//! `HANDFOOT_REWRITE` is set.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod codegen;
mod errors_document;
mod files;
mod games;
mod hostile;
mod laws;
mod random_rules;
mod reasons;
mod round_trips;
mod rule_sets;
mod service_config;
mod sizes;
mod statuses;
