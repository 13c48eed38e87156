//! Tests of the service: against a table of which each test says what goes wrong there, and
//! against the real game-service, in this process or in one of its own.
//!
//! **Invariant:** bots get what the API sends; only `house` and `alone` hold games.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod alone;
mod configuration;
mod ending;
mod house;
mod interruptions;
mod process;
mod real;
mod secure;
mod told;
mod trouble;
