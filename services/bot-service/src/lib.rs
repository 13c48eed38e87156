//! Plays the seats of bots, through the API and nothing else.
//!
//! [`run`] takes seats that are offered to bots and the decisions that bots owe, decides each from
//! what its task brings, and plays it with the lease's token, until it is told to end.
//!
//! **Invariant:** nothing is kept from one task to the next, so that any worker can make any
//! decision and equal tasks get equal answers. No card, token or seed is logged. **Boundary:** this
//! crate does not name the engine: what it knows of a game is what the server has sent.

mod backoff;
mod budget;
pub mod config;
mod counters;
mod decide;
mod exit;
mod metrics;
mod request_id;
mod seats;
mod start;
mod turn;
mod turns;
mod work;

pub use budget::{Budget, Policies, Thinker, Thought};
pub use config::Config;
pub use counters::{Counters, Tally};
pub use exit::Exit;
pub use metrics::{DEFINITIONS, Metrics, PROGRAM};
pub use request_id::request_id;
pub use start::{StartError, start};
pub use work::{Ended, Report, SeatTaking, Work, Worker, run};
