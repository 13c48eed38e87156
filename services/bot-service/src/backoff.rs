//! Pauses between calls that bring nothing.
//!
//! **Invariant:** no loop of this service asks again at once after a failure or an answer that was
//! empty too soon.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

const FIRST: Duration = Duration::from_millis(100);
const MOST: Duration = Duration::from_secs(5);

/// How often in a row nothing came.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff(u32);

impl Backoff {
    /// Something came.
    pub(crate) fn reset(&mut self) {
        self.0 = 0;
    }

    /// Nothing came again: how long to wait, doubled each time.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = FIRST.saturating_mul(1 << self.0.min(10)).min(MOST);
        self.0 = self.0.saturating_add(1);
        pause
    }
}

/// Waits, but not past the beginning of a drain.
pub(crate) async fn rest(pause: Duration, drain: &CancellationToken) {
    tokio::select! {
        () = sleep(pause) => {}
        () = drain.cancelled() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit() {
        let mut backoff = Backoff::default();
        let pauses: Vec<u128> = (0..8).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        backoff.reset();
        assert_eq!(backoff.next(), FIRST);
    }
}
