//! One watched table: its newest steps, and who is there.
//!
//! **Invariant:** steps are kept without a gap and each follows the chain of the one before. When
//! that cannot be, the channel begins anew and its cursors are told so.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use handfoot_engine::Viewer;
use handfoot_protocol::v1;
use handfoot_store::{Chain, Mark, Version};
use handfoot_view::Seat;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::error::{Answer, ApiError};
use crate::limits::{RING_STEPS, SPECTATOR_STREAMS_MAX, STREAMS_PER_SEAT_MAX};
use crate::table::{Fixed, Step, number_of};

/// A step that is shown.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) step: Step,
    /// One projection for each perspective, made when it is first asked for.
    seen: Mutex<BTreeMap<Viewer, Arc<v1::Commit>>>,
}

/// A watched table.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) fixed: Arc<Fixed>,
    ring: Mutex<Ring>,
    changed: watch::Sender<()>,
    /// Reads what other replicas commit, as long as the channel is there.
    pub(super) pump: OnceLock<AbortHandle>,
}

#[derive(Debug)]
struct Ring {
    /// The newest step, or where the table stood when the channel began.
    head: Mark,
    steps: VecDeque<Arc<Shown>>,
    /// How often the channel has begun anew, and why it last did.
    epoch: u64,
    why: v1::SnapshotCause,
    streams: BTreeMap<Viewer, u32>,
    /// How often that changed.
    arrivals: u64,
    is_ended: bool,
}

/// What a cursor finds after its version.
#[derive(Debug)]
pub(crate) enum Found {
    /// The next step.
    Step(Arc<Shown>),
    /// Nothing newer.
    UpToDate,
    /// The next step is older than what is kept.
    Behind,
    /// The channel has begun anew, or its history is not the cursor's.
    Anew {
        /// Why.
        why: v1::SnapshotCause,
    },
    /// There will be nothing more.
    Ended,
}

impl Shown {
    pub(crate) fn new(step: Step) -> Shown {
        Shown { step, seen: Mutex::default() }
    }

    /// The commit as a viewer may know it.
    fn seen_by(&self, fixed: &Fixed, viewer: Viewer) -> v1::Commit {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(self.step.seen_by(fixed, viewer));
        v1::Commit::clone(seen.entry(viewer).or_insert_with(made))
    }
}

impl Channel {
    pub(super) fn new(fixed: Arc<Fixed>, head: Mark) -> Channel {
        let ring = Ring {
            head,
            steps: VecDeque::new(),
            epoch: 0,
            why: v1::SnapshotCause::Start,
            streams: BTreeMap::new(),
            arrivals: 0,
            is_ended: false,
        };
        Channel {
            fixed,
            ring: Mutex::new(ring),
            changed: watch::Sender::new(()),
            pump: OnceLock::new(),
        }
    }

    /// Adds a step that follows `before`. One that is known is left out; after a gap the pump
    /// reads what is missing. One that is not what was shown as its version shows that the store
    /// has gone back.
    pub(super) fn push(&self, before: Mark, step: Step) {
        let mut ring = self.lock();
        if ring.head == before {
            ring.head = step.mark;
            ring.steps.push_back(Arc::new(Shown::new(step)));
            if ring.steps.len() > RING_STEPS {
                ring.steps.pop_front();
            }
            self.changed.send_replace(());
        } else if ring.chain_of(step.mark.version).is_some_and(|shown| shown != step.mark.chain) {
            self.begin_anew(ring, step.mark);
        }
    }

    /// Begins anew from where the table stands: what was shown is not its history.
    pub(super) fn restart(&self, head: Mark) {
        self.begin_anew(self.lock(), head);
    }

    fn begin_anew(&self, mut ring: MutexGuard<'_, Ring>, head: Mark) {
        let (table, shown) = (&self.fixed.id, ring.head.version);
        tracing::error!(%table, %shown, stands = %head.version, "the history of a table changed");
        ring.restart(head, v1::SnapshotCause::HistoryDiverged);
        self.changed.send_replace(());
    }

    /// Begins anew from where the table stands: what is between is not in its log any more.
    pub(super) fn skip_to(&self, head: Mark) {
        self.lock().restart(head, v1::SnapshotCause::FellBehind);
        self.changed.send_replace(());
    }

    /// The chain of a version that was shown and is still kept.
    pub(super) fn chain_of(&self, version: Version) -> Option<Chain> {
        self.lock().chain_of(version)
    }

    /// There will be nothing more.
    pub(super) fn end(&self) {
        self.lock().is_ended = true;
        self.changed.send_replace(());
    }

    pub(super) fn head(&self) -> Mark {
        self.lock().head
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.lock().epoch
    }

    pub(crate) fn follow(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// What comes after the last that was sent.
    pub(crate) fn after(&self, sent: Mark, epoch: u64) -> Found {
        let ring = self.lock();
        if ring.epoch != epoch {
            return Found::Anew { why: ring.why };
        }
        let Mark { version, chain } = sent;
        if ring.chain_of(version).is_some_and(|shown| shown != chain) {
            return Found::Anew { why: v1::SnapshotCause::HistoryDiverged };
        }
        if version >= ring.head.version {
            return if ring.is_ended { Found::Ended } else { Found::UpToDate };
        }
        let oldest = ring.steps.front().map(|shown| shown.step.mark.version);
        let place = oldest.and_then(|oldest| version.next().0.checked_sub(oldest.0));
        let place = place.and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| ring.steps.get(place)) {
            Some(shown) => Found::Step(Arc::clone(shown)),
            None => Found::Behind,
        }
    }

    /// A step as a viewer may know it; made once for all who look from there.
    pub(crate) fn seen_by(&self, shown: &Shown, viewer: Viewer) -> v1::Commit {
        let streams = self.lock().streams.get(&viewer).copied().unwrap_or(0);
        match streams > 1 {
            true => shown.seen_by(&self.fixed, viewer),
            false => shown.step.seen_by(&self.fixed, viewer),
        }
    }

    /// Notes a stream.
    pub(super) fn enter(&self, viewer: Viewer) -> Answer<()> {
        let limit = match viewer {
            Viewer::Seat(_) => STREAMS_PER_SEAT_MAX,
            Viewer::Spectator => SPECTATOR_STREAMS_MAX,
        };
        let mut ring = self.lock();
        let streams = ring.streams.entry(viewer).or_default();
        if *streams >= limit {
            return Err(ApiError::StreamLimit { limit });
        }
        *streams += 1;
        self.note_arrival(ring, viewer);
        Ok(())
    }

    /// Notes that a stream has ended.
    pub(super) fn leave(&self, viewer: Viewer) {
        let mut ring = self.lock();
        if let Some(streams) = ring.streams.get_mut(&viewer) {
            *streams = streams.saturating_sub(1);
        }
        self.note_arrival(ring, viewer);
    }

    /// Tells of who came or went. Spectators are nobody's business: with many of them everybody
    /// would be told all the time.
    fn note_arrival(&self, mut ring: MutexGuard<'_, Ring>, viewer: Viewer) {
        match viewer {
            Viewer::Seat(_) => {
                ring.arrivals += 1;
                self.changed.send_replace(());
            }
            Viewer::Spectator => {}
        }
    }

    /// Who is there, and how often that has changed.
    pub(crate) fn presence(&self) -> (v1::Presence, u64) {
        let ring = self.lock();
        let seats = Seat::all(self.fixed.rules.seats()).map(|seat| v1::SeatPresence {
            seat: number_of(seat),
            streams: ring.streams.get(&Viewer::Seat(seat)).copied().unwrap_or(0),
        });
        (v1::Presence { seats: seats.collect() }, ring.arrivals)
    }

    /// How often streams came and went.
    pub(crate) fn arrivals(&self) -> u64 {
        self.lock().arrivals
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        // No code under this lock leaves the ring half changed.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if let Some(pump) = self.pump.get() {
            pump.abort();
        }
    }
}

impl Ring {
    /// The chain of a version that was shown and is still kept.
    fn chain_of(&self, version: Version) -> Option<Chain> {
        if version == self.head.version {
            return Some(self.head.chain);
        }
        let oldest = self.steps.front()?.step.mark.version;
        let place = usize::try_from(version.0.checked_sub(oldest.0)?).ok()?;
        self.steps.get(place).map(|shown| shown.step.mark.chain)
    }

    fn restart(&mut self, head: Mark, why: v1::SnapshotCause) {
        self.head = head;
        self.steps.clear();
        self.epoch += 1;
        self.why = why;
    }
}
