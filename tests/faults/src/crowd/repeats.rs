//! How often the client sends a request again by itself.
//!
//! **Invariant:** counted and never judged; of a call nothing is known here but that.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use handfoot_client::ObserveCalls;
use tonic::Code;

/// Requests that were sent again.
#[derive(Debug, Default)]
pub(crate) struct Repeats(AtomicU64);

impl Repeats {
    /// How many there were so far.
    pub(crate) fn n(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl ObserveCalls for Repeats {
    fn repeated(&self, _: &'static str) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    // How calls end is in the ledger, with whose they were.
    fn ended(&self, _: &'static str, _: Code, _: Duration) {}
}
