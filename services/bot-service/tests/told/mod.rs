//! What the programs tell of themselves while whole games are played: spans, metrics, logs.
//!
//! **Invariant:** every program is a process of its own, as in production. A test waits for facts,
//! never for time to pass.

mod client;
mod collector;
mod exposition;
mod metrics;
mod processes;
mod secrets;
mod traces;
