//! Tests of the client against servers of which each test says what they answer.
//!
//! **Invariant:** what a server here answers comes from a real game, so that views and commits fit
//! each other; time is paused, so that nothing waits.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod dispatch;
mod failover;
mod fake;
mod notes;
mod submit;
mod table;
mod tls;
mod watch;
