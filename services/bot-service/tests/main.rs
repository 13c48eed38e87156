//! Tests of the service: against a table of which each test says what goes wrong there, and
//! against the real game-service.
//!
//! **Invariant:** bots get what the API sends; only `house` and `alone` hold games.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod alone;
mod ending;
mod house;
mod interruptions;
mod process;
mod real;
mod secure;
mod trouble;
