//! The ledger: all that callers were told of each table, and when.
//!
//! **Invariant:** written by callers as they are told, read at the end. It knows nothing that a
//! caller was not told, so that it can be held against what is stored.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use handfoot_client::Known;
use handfoot_protocol::v1;
use tokio::sync::watch;
use tokio::time::timeout_at;

use crate::trouble::Trouble;

/// Between two looks at whether what is waited for is there.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Who was told.
///
/// Seat numbers for players, 0 for who watches only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Viewer {
    pub(crate) seat: u32,
    /// Of several with the same token.
    pub(crate) number: u32,
}

/// A state of a table that somebody was told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) version: u64,
    pub(crate) chain: Vec<u8>,
}

impl Stamp {
    /// As it is sent.
    pub(crate) fn of(stamp: &v1::Stamp) -> Stamp {
        Stamp { version: stamp.version, chain: stamp.chain.to_vec() }
    }
}

/// An item of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// Everything anew, with why.
    Snapshot { cause: v1::SnapshotCause, stamp: Stamp },
    /// The next commit.
    Commit(Stamp),
}

/// A decision that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) seat: u32,
    pub(crate) request_id: String,
    pub(crate) stamp: Stamp,
}

/// A call that failed, after all that its client does about it.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
    /// What the client says, without any value of the game.
    pub(crate) what: String,
}

/// All that callers were told of one table.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// When each version was first heard of, by anybody.
    pub(crate) heard: BTreeMap<u64, Instant>,
    /// Whose each version was, as streams say: a seat's, or 0 for the whole table's.
    pub(crate) seats: BTreeMap<u64, u32>,
    /// What came in each stream.
    pub(crate) streams: BTreeMap<Viewer, Vec<Item>>,
    pub(crate) answers: Vec<Answer>,
    pub(crate) failures: Vec<Failure>,
    /// Answers that say that the request had been played before.
    pub(crate) n_replayed: u64,
    /// Decisions that came too late, or rested on what was lost.
    pub(crate) n_stale: u64,
    /// Decisions that were refused for another reason, which should not be.
    pub(crate) refused: Vec<String>,
    /// The longest call that was answered.
    pub(crate) slowest: Duration,
    /// What each viewer knew when the table closed.
    pub(crate) known: BTreeMap<Viewer, Known>,
    /// Viewers whose stream cannot go on, and why.
    pub(crate) broken: BTreeMap<Viewer, String>,
    pub(crate) is_closed: bool,
}

impl Notes {
    /// How many versions were heard of after a moment.
    pub(crate) fn n_since(&self, moment: Instant) -> usize {
        self.heard.values().filter(|&&at| at > moment).count()
    }

    fn hear(&mut self, version: u64) {
        self.heard.entry(version).or_insert_with(Instant::now);
    }
}

/// The notes of every table.
#[derive(Debug)]
pub(crate) struct Ledger {
    tables: Vec<Mutex<Notes>>,
    moved: watch::Sender<u64>,
}

impl Ledger {
    /// An empty one for so many tables.
    pub(crate) fn new(n_tables: usize) -> Ledger {
        let tables = (0..n_tables).map(|_| Mutex::default()).collect();
        Ledger { tables, moved: watch::channel(0).0 }
    }

    /// The notes of a table.
    pub(crate) fn table(&self, table: usize) -> MutexGuard<'_, Notes> {
        // No code under this lock leaves notes half written.
        self.tables[table].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The notes of all tables, one after the other.
    pub(crate) fn tables(&self) -> impl Iterator<Item = MutexGuard<'_, Notes>> {
        (0..self.tables.len()).map(|table| self.table(table))
    }

    /// Something came in a stream.
    pub(crate) fn streamed(&self, table: usize, viewer: Viewer, item: Item) {
        let mut notes = self.table(table);
        let (Item::Snapshot { stamp, .. } | Item::Commit(stamp)) = &item;
        notes.hear(stamp.version);
        notes.streams.entry(viewer).or_default().push(item);
        drop(notes);
        self.moved.send_modify(|n| *n += 1);
    }

    /// A stream brought a commit of a seat.
    pub(crate) fn played(&self, table: usize, viewer: Viewer, seat: u32, stamp: Stamp) {
        self.table(table).seats.insert(stamp.version, seat);
        self.streamed(table, viewer, Item::Commit(stamp));
    }

    /// A decision was answered.
    pub(crate) fn answered(&self, table: usize, answer: Answer) {
        let mut notes = self.table(table);
        notes.hear(answer.stamp.version);
        notes.seats.insert(answer.stamp.version, answer.seat);
        notes.answers.push(answer);
        drop(notes);
        self.moved.send_modify(|n| *n += 1);
    }

    /// A viewer's table has closed.
    pub(crate) fn closed(&self, table: usize, viewer: Viewer, known: Option<&Known>) {
        let mut notes = self.table(table);
        notes.is_closed = true;
        notes.known.extend(known.map(|known| (viewer, known.clone())));
        drop(notes);
        self.moved.send_modify(|n| *n += 1);
    }

    /// Waits until a fact is there.
    ///
    /// # Errors
    ///
    /// `Late`.
    pub(crate) async fn until(
        &self,
        what: &str,
        limit: Duration,
        mut is_there: impl FnMut(&Ledger) -> bool,
    ) -> Result<(), Trouble> {
        let end = tokio::time::Instant::now() + limit;
        let mut moved = self.moved.subscribe();
        while !is_there(self) {
            let late = || Trouble::Late(what.to_owned());
            timeout_at(end, moved.changed()).await.map_err(|_| late())?.map_err(|_| late())?;
            // Many things happen at once, and looking costs something.
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}
