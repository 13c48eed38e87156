//! What a worker has done, in numbers.
//!
//! **Invariant:** they only rise, and name no table, seat or card.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts while the worker works; whoever embeds it can read them at any time.
#[derive(Debug, Default)]
pub struct Counters {
    pub(crate) seats: AtomicU64,
    pub(crate) tasks: AtomicU64,
    pub(crate) decisions: AtomicU64,
    pub(crate) replayed: AtomicU64,
    pub(crate) fallbacks: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) stale: AtomicU64,
    pub(crate) lease_lost: AtomicU64,
    pub(crate) given_back: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) call_errors: AtomicU64,
}

/// The counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Seats taken.
    pub seats: u64,
    /// Tasks taken.
    pub tasks: u64,
    /// Decisions that were played.
    pub decisions: u64,
    /// Those among them that had been played before, by an attempt whose answer was lost or by
    /// another worker.
    pub replayed: u64,
    /// Those among them where the first listed action was played in place of the bot's.
    pub fallbacks: u64,
    /// Decisions that the server refused as illegal.
    pub refused: u64,
    /// Decisions that came too late: the table had changed.
    pub stale: u64,
    /// Tasks whose lease was lost before they were done.
    pub lease_lost: u64,
    /// Tasks that were given back undone, at the end of the worker.
    pub given_back: u64,
    /// Tasks that were given up.
    pub failed: u64,
    /// Calls for seats or tasks that failed.
    pub call_errors: u64,
}

impl Counters {
    /// The counts now.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Tally {
            seats: read(&self.seats),
            tasks: read(&self.tasks),
            decisions: read(&self.decisions),
            replayed: read(&self.replayed),
            fallbacks: read(&self.fallbacks),
            refused: read(&self.refused),
            stale: read(&self.stale),
            lease_lost: read(&self.lease_lost),
            given_back: read(&self.given_back),
            failed: read(&self.failed),
            call_errors: read(&self.call_errors),
        }
    }
}

/// Counts one more.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "seats={} tasks={} decisions={} replayed={} fallbacks={} refused={} stale={} \
             lease_lost={} given_back={} failed={} call_errors={}",
            self.seats,
            self.tasks,
            self.decisions,
            self.replayed,
            self.fallbacks,
            self.refused,
            self.stale,
            self.lease_lost,
            self.given_back,
            self.failed,
            self.call_errors,
        )
    }
}
