//! The store's time.
//!
//! **Invariant:** the only place that asks the machine for the time. Everything else is given a
//! [`Clock`], so that tests move time by hand and wait for nothing.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Millis;

/// Says what time it is; may go backwards, as the clocks of machines do.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The time now.
    fn now(&self) -> Millis;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        // Before 1970 nothing was played: such a clock reads as zero.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// A clock that stands still until it is set.
#[derive(Debug)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// A clock that stands at a time.
    #[must_use]
    pub const fn new(now: Millis) -> Self {
        Self(AtomicU64::new(now.0))
    }

    /// Moves it, forwards or backwards.
    pub fn set(&self, now: Millis) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}
