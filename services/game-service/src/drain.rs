//! The end of a process, told to everything in it.
//!
//! **Invariant:** a drain starts once and is never taken back. Whoever waits on it waits for
//! nothing else: streams end, long polls are answered empty, calls under way finish.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Says that the process is about to end; cheap to clone, and all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    told: CancellationToken,
    /// When it began.
    at: Arc<OnceLock<Instant>>,
}

impl Drain {
    /// A process that goes on.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins the end. Again changes nothing.
    pub fn start(&self) {
        self.at.get_or_init(Instant::now);
        self.told.cancel();
    }

    /// How long ago it began; nothing if it has not.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.at.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    /// Whether it has begun.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.told.is_cancelled()
    }

    /// Waits until it begins; at once if it has. Can be dropped and asked for again.
    pub fn started(&self) -> WaitForCancellationFutureOwned {
        self.told.clone().cancelled_owned()
    }
}

/// The signals that ask a process to end: SIGTERM and ctrl-c.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    /// Listens from now on; until then a signal ends the process at once.
    ///
    /// # Errors
    ///
    /// If the system does not let a process listen for signals.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Listens from now on; until then a signal ends the process at once.
    ///
    /// # Errors
    ///
    /// None on this system.
    #[cfg(not(unix))]
    pub fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next signal and says which.
    #[cfg(unix)]
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "ctrl-c",
        }
    }

    /// Waits for the next signal and says which.
    #[cfg(not(unix))]
    pub async fn next(&mut self) -> &'static str {
        match tokio::signal::ctrl_c().await {
            Ok(()) => "ctrl-c",
            Err(_) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_is_told_once_and_for_all() {
        let drain = Drain::new();
        let (early, clone) = (drain.started(), drain.clone());
        assert!(!clone.is_started());
        drain.start();
        clone.start();
        early.await;
        clone.started().await;
        assert!(clone.is_started());
    }
}
