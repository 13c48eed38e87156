//! When each partition may next have a turn to take, as far as this process has heard.
//!
//! **Invariant:** too early costs a look and is corrected by it; too late is corrected within a
//! second by a look at all partitions. Nothing is decided here.

use std::sync::Mutex;

use tokio::sync::MutexGuard;
use tokio::time::Instant;

use super::limits::TURNS_LOOK_EVERY;
use super::lock;
use super::tags::PARTITIONS;
use crate::{Millis, Partition};

/// When each partition may next have a turn to take.
#[derive(Debug)]
pub(super) struct Board {
    places: Mutex<Places>,
    /// Held by whoever looks at all partitions.
    looking: tokio::sync::Mutex<()>,
}

/// One partition.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// In milliseconds of the store's clock.
    next: Option<f64>,
    n_told: u64,
}

/// What had been told of a partition when a look at it began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    partition: Partition,
    n_told: u64,
}

/// A look at all partitions is due, and whoever has this makes it. Nobody else does meanwhile.
#[derive(Debug)]
pub(super) struct LookDue<'a> {
    board: &'a Board,
    _alone: MutexGuard<'a, ()>,
}

impl LookDue<'_> {
    /// They were looked at.
    pub(super) fn done(self) {
        lock(&self.board.places).looked_at = Some(Instant::now());
    }
}

impl Drop for LookDue<'_> {
    fn drop(&mut self) {
        lock(&self.board.places).n_looks += 1;
    }
}

#[derive(Debug)]
struct Places {
    of: Vec<Place>,
    looked_at: Option<Instant>,
    /// How many looks at all have ended, whatever came of them.
    n_looks: u64,
    /// The store's time when it was last heard, and when that was.
    heard: Option<(Millis, Instant)>,
}

impl Board {
    pub(super) fn new() -> Self {
        let of = vec![Place::default(); usize::from(PARTITIONS)];
        let places = Mutex::new(Places { of, looked_at: None, n_looks: 0, heard: None });
        Self { places, looking: tokio::sync::Mutex::new(()) }
    }

    /// A partition may have a turn to take from this time on.
    pub(super) fn may_be_due(&self, partition: Partition, at: Millis) {
        let at = score_of(at);
        if let Some(place) = lock(&self.places).of.get_mut(usize::from(partition.0)) {
            place.next = Some(place.next.map_or(at, |next| next.min(at)));
            place.n_told += 1;
        }
    }

    /// What has been told of a partition that is about to be looked at.
    pub(super) fn told(&self, partition: Partition) -> Told {
        let places = lock(&self.places);
        let n_told = places.of.get(usize::from(partition.0)).map_or(0, |place| place.n_told);
        Told { partition, n_told }
    }

    /// A look at a partition has found this. What was told meanwhile it may not have seen.
    pub(super) fn found(&self, told: Told, next: Option<f64>) {
        let mut places = lock(&self.places);
        let place = places.of.get_mut(usize::from(told.partition.0));
        if let Some(place) = place.filter(|place| place.n_told == told.n_told) {
            place.next = next;
        }
    }

    /// Says whether all partitions should be looked at. Whoever comes while they are goes on with
    /// what is known; only before the first look there is nothing to go on with, and its end is
    /// waited for.
    pub(super) async fn look_due(&self) -> Option<LookDue<'_>> {
        let looks = || {
            let places = lock(&self.places);
            (places.looked_at, places.n_looks)
        };
        let (looked_at, before) = looks();
        let alone = match looked_at {
            Some(_) => self.looking.try_lock().ok()?,
            None => self.looking.lock().await,
        };
        let (looked_at, n_looks) = looks();
        let is_old = looked_at.is_none_or(|at| at.elapsed() >= TURNS_LOOK_EVERY);
        (is_old && n_looks == before).then_some(LookDue { board: self, _alone: alone })
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
        let due = |(number, place): (u16, &Place)| {
            place.next.filter(|next| *next <= now).map(|next| (next, Partition(number)))
        };
        let mut due: Vec<(f64, Partition)> = (0..).zip(&places.of).filter_map(due).collect();
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
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_earliest_counts_until_a_look_says_otherwise() {
        let board = Board::new();
        assert!(board.about_now().is_none());
        board.may_be_due(Partition(3), Millis(50));
        board.may_be_due(Partition(3), Millis(90));
        board.may_be_due(Partition(7), Millis(20));
        board.may_be_due(Partition(PARTITIONS), Millis(0));
        assert_eq!(board.due(Some(Millis(19))), []);
        assert_eq!(board.due(Some(Millis(50))), [Partition(7), Partition(3)]);
        board.found(board.told(Partition(3)), Some(90.0));
        board.found(board.told(Partition(7)), None);
        assert_eq!(board.due(Some(Millis(50))), []);
        assert_eq!(board.due(None), [Partition(3)]);
    }

    #[test]
    fn what_is_told_during_a_look_outlasts_it() {
        let board = Board::new();
        let told = board.told(Partition(3));
        board.may_be_due(Partition(3), Millis(50));
        board.found(told, None);
        assert_eq!(board.due(Some(Millis(50))), [Partition(3)]);
        board.found(board.told(Partition(3)), None);
        assert_eq!(board.due(None), []);
    }

    #[tokio::test(start_paused = true)]
    async fn one_looks_and_nobody_waits_for_it_but_at_the_beginning() {
        let board = Board::new();
        let first = board.look_due().await.expect("nobody has looked");
        let mut waits = Box::pin(board.look_due());
        let waited = tokio::time::timeout(Duration::from_secs(9), &mut waits).await;
        assert!(waited.is_err(), "there is nothing to go on with");
        // It came to nothing: whoever waited for it does not look again, and the next one does.
        drop(first);
        assert!(waits.await.is_none());
        board.look_due().await.expect("nobody has looked").done();
        assert!(board.look_due().await.is_none());
        tokio::time::advance(TURNS_LOOK_EVERY).await;
        let looks = board.look_due().await.expect("it is time");
        assert!(board.look_due().await.is_none(), "somebody looks");
        drop(looks);
        assert!(board.look_due().await.is_some());
    }
}
