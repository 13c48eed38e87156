//! When each partition may next have a turn to take, as far as this process has heard.
//!
//! **Invariant:** too early costs a look and is corrected by it; too late is corrected within a
//! second by a look at all partitions. Nothing is decided here.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use super::lock;
use super::tags::PARTITIONS;
use crate::{Millis, Partition};

/// How old the last look at all partitions may be.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// When each partition may next have a turn to take.
#[derive(Debug)]
pub(super) struct Board {
    places: Mutex<Places>,
    /// Held by whoever looks at all partitions.
    pub(super) looking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Places {
    /// By partition; milliseconds of the store's clock.
    next: Vec<Option<f64>>,
    looked_at: Option<Instant>,
    /// The store's time when it was last heard, and when that was.
    heard: Option<(Millis, Instant)>,
}

impl Board {
    pub(super) fn new() -> Self {
        let next = vec![None; usize::from(PARTITIONS)];
        let places = Mutex::new(Places { next, looked_at: None, heard: None });
        Self { places, looking: tokio::sync::Mutex::new(()) }
    }

    /// A partition may have a turn to take from this time on.
    pub(super) fn may_be_due(&self, partition: Partition, at: Millis) {
        let at = score_of(at);
        if let Some(next) = lock(&self.places).next.get_mut(usize::from(partition.0)) {
            *next = Some(next.map_or(at, |next| next.min(at)));
        }
    }

    /// A look at a partition has found this.
    pub(super) fn found(&self, partition: Partition, next: Option<f64>) {
        if let Some(place) = lock(&self.places).next.get_mut(usize::from(partition.0)) {
            *place = next;
        }
    }

    /// Whether all partitions should be looked at.
    pub(super) fn is_old(&self) -> bool {
        let looked_at = lock(&self.places).looked_at;
        looked_at.is_none_or(|at| at.elapsed() >= LOOK_EVERY)
    }

    /// All partitions are being looked at.
    pub(super) fn looked(&self) {
        lock(&self.places).looked_at = Some(Instant::now());
    }

    /// The store said what time it is.
    pub(super) fn heard(&self, now: Millis) {
        lock(&self.places).heard = Some((now, Instant::now()));
    }

    /// The store's time, as it must be about now; none if it was never heard.
    pub(super) fn about_now(&self) -> Option<Millis> {
        let (then, at) = lock(&self.places).heard?;
        Some(then.after(at.elapsed()))
    }

    /// Partitions that may have a turn to take, oldest first.
    pub(super) fn due(&self, now: Option<Millis>) -> Vec<Partition> {
        let now = now.map_or(f64::INFINITY, score_of);
        let places = lock(&self.places);
        let due = |(number, next): (u16, &Option<f64>)| {
            next.filter(|next| *next <= now).map(|next| (next, Partition(number)))
        };
        let mut due: Vec<(f64, Partition)> = (0..).zip(&places.next).filter_map(due).collect();
        due.sort_by(|a, b| a.0.total_cmp(&b.0));
        due.into_iter().map(|(_, partition)| partition).collect()
    }
}

/// A time as a sorted set has it. It is exact for a hundred thousand years.
#[expect(clippy::cast_precision_loss, reason = "far times need not be exact")]
pub(super) const fn score_of(at: Millis) -> f64 {
    at.0 as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_counts_until_a_look_says_otherwise() {
        let board = Board::new();
        assert!(board.is_old() && board.about_now().is_none());
        board.may_be_due(Partition(3), Millis(50));
        board.may_be_due(Partition(3), Millis(90));
        board.may_be_due(Partition(7), Millis(20));
        board.may_be_due(Partition(PARTITIONS), Millis(0));
        assert_eq!(board.due(Some(Millis(19))), []);
        assert_eq!(board.due(Some(Millis(50))), [Partition(7), Partition(3)]);
        board.found(Partition(3), Some(90.0));
        board.found(Partition(7), None);
        assert_eq!(board.due(Some(Millis(50))), []);
        assert_eq!(board.due(None), [Partition(3)]);
    }
}
