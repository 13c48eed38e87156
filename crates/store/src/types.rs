//! What goes into a store and what comes out.
//!
//! **Invariant:** plain data. A commit carries everything it needs, so that a store can decide it
//! in one step, without asking back.

use std::time::Duration;

use bytes::Bytes;

use crate::{
    BodyHash, Chain, ListedState, Mark, Millis, OutboxCursor, Queue, RequestId, TableId, Tenant,
    Token, Version,
};

/// A table to be created.
#[derive(Clone, Debug)]
pub struct NewTable {
    /// Its name.
    pub id: TableId,
    /// Whose it is; this never changes.
    pub tenant: Tenant,
    /// The state under which it is listed.
    pub state: ListedState,
    /// What lists show of it.
    pub summary: Bytes,
    /// Its whole state at version 0.
    pub snapshot: Bytes,
    /// The chain at version 0.
    pub chain: Chain,
    /// The request that creates it; remembered as long as the table is there.
    pub request: CreateRequest,
    /// When something must happen if nobody acts.
    pub deadline: Option<Millis>,
    /// The turns owed from the start.
    pub turns: Vec<TurnWanted>,
    /// What the outbox is to say of it.
    pub outbox: Vec<Bytes>,
}

/// The request that creates a table.
#[derive(Clone, Debug)]
pub struct CreateRequest {
    /// Its name.
    pub id: RequestId,
    /// What it asks for.
    pub body: BodyHash,
    /// The answer, kept for whoever asks again.
    pub answer: Bytes,
}

/// What came of creating a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It is there, at version 0.
    Created {
        /// Since when.
        at: Millis,
    },
    /// The same request has created it before.
    Duplicate {
        /// The first answer.
        answer: Bytes,
    },
    /// A request with this id but another body has created it.
    Reused,
    /// Another request has created it.
    Exists,
}

/// One step of a table.
///
/// The store looks for the request id first, then at the lease, then at version and chain.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The table.
    pub table: TableId,
    /// What the step was made from.
    pub expected: Mark,
    /// The chain after it.
    pub new_chain: Chain,
    /// The whole state after it.
    pub snapshot: Bytes,
    /// What the log keeps of it.
    pub entry: Bytes,
    /// The request that is answered by it.
    pub request: Option<Request>,
    /// The lease under which it is made.
    pub lease: LeaseUse,
    /// What becomes of the deadline.
    pub deadline: DeadlineChange,
    /// What becomes of the turns owed.
    pub turns: TurnsChange,
    /// What becomes of its place in lists.
    pub listing: ListingChange,
    /// What the outbox is to say, in this order.
    pub outbox: Vec<Bytes>,
    /// What becomes of the old log.
    pub trim: Trim,
}

impl Commit {
    /// A commit that keeps everything but the state.
    #[must_use]
    pub const fn new(
        table: TableId,
        expected: Mark,
        new_chain: Chain,
        snapshot: Bytes,
        entry: Bytes,
    ) -> Self {
        Self {
            table,
            expected,
            new_chain,
            snapshot,
            entry,
            request: None,
            lease: LeaseUse::None,
            deadline: DeadlineChange::Keep,
            turns: TurnsChange::Keep,
            listing: ListingChange::Keep,
            outbox: Vec::new(),
            trim: Trim::Keep,
        }
    }
}

/// A request that a commit answers. Ids belong to the table and the seat.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whose request; 0 is nobody's seat.
    pub seat: u8,
    /// Its name.
    pub id: RequestId,
    /// What it asks for.
    pub body: BodyHash,
    /// The answer, kept for whoever asks again.
    pub answer: Bytes,
}

/// The lease under which a commit is made.
#[derive(Clone, Debug)]
pub enum LeaseUse {
    /// None is needed.
    None,
    /// This one must be held; it is renewed if the seat owes a turn after the commit.
    Held {
        /// The lease.
        lease: Lease,
        /// For how long it is renewed.
        length: Duration,
    },
}

/// What becomes of a table's deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadlineChange {
    /// It stays.
    Keep,
    /// There is none any more.
    Clear,
    /// It is at this time.
    Set(Millis),
}

/// What becomes of the turns that a table owes.
#[derive(Clone, Debug)]
pub enum TurnsChange {
    /// They stay.
    Keep,
    /// They are these. A seat that stays in its queue keeps its lease.
    Replace(Vec<TurnWanted>),
}

/// A turn that waits for a worker. A seat owes one at a time; of two the later counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnWanted {
    /// The seat that owes it.
    pub seat: u8,
    /// Which workers it waits for.
    pub queue: Queue,
    /// When it may first be taken.
    pub takeable_at: Millis,
}

/// What becomes of a table's place in lists.
#[derive(Clone, Debug)]
pub enum ListingChange {
    /// It stays.
    Keep,
    /// It is this.
    Set {
        /// The state under which it is listed.
        state: ListedState,
        /// What lists show of it.
        summary: Bytes,
    },
}

/// What becomes of the old log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trim {
    /// It stays, up to the limit on its length.
    Keep,
    /// Entries before this version go; the entry of this commit never does.
    Before(Version),
}

/// What came of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It stands.
    Committed {
        /// Its version.
        version: Version,
        /// When; never before the commit before it.
        at: Millis,
    },
    /// The same request was answered before.
    Duplicate {
        /// The version of the commit that answered it.
        version: Version,
        /// The first answer.
        answer: Bytes,
    },
    /// A request with this id but another body was answered before.
    Reused {
        /// The version that it made.
        version: Version,
    },
    /// The lease is not held any more.
    LeaseLost,
    /// Another commit was first. This is what stands now.
    Conflict(Loaded),
    /// There is no such table.
    NotFound,
}

/// A table as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Where its history stands.
    pub mark: Mark,
    /// When the last commit was.
    pub at: Millis,
    /// The store's time now, never before `at`; `at` itself where it was not asked.
    pub now: Millis,
    /// Its whole state.
    pub snapshot: Bytes,
}

/// Whether a table still stands where the caller believes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// It does.
    Unchanged {
        /// The store's time now.
        now: Millis,
    },
    /// It does not. This is what stands now.
    Changed(Loaded),
    /// There is no such table.
    NotFound,
}

/// One commit in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Its version.
    pub version: Version,
    /// The chain after it.
    pub chain: Chain,
    /// When it was.
    pub at: Millis,
    /// What the log keeps of it.
    pub entry: Bytes,
}

/// A part of a table's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum History {
    /// Entries without a gap, oldest first; none if there is nothing newer.
    Entries(Vec<LogEntry>),
    /// The log begins later.
    Gone {
        /// The oldest version that is kept.
        oldest: Version,
    },
    /// There is no such table.
    NotFound,
}

/// A deadline that has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadlineDue {
    /// The table.
    pub table: TableId,
    /// The deadline.
    pub deadline: Millis,
    /// The table's version, for which the deadline was set or kept.
    pub version: Version,
}

/// Which turns a worker can take.
#[derive(Clone, Debug)]
pub struct ClaimTurns {
    /// Whose tables.
    pub tenants: Tenants,
    /// From these queues.
    pub queues: Vec<Queue>,
    /// For how long they are the worker's.
    pub length: Duration,
    /// How many, at most.
    pub limit: usize,
}

/// Whose tables are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tenants {
    /// All; each gets its share.
    All,
    /// This one's.
    One(Tenant),
}

/// A worker's time-limited claim on a seat's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: u8,
    /// Which claim it was.
    pub token: Token,
}

/// A turn that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnDue {
    /// The claim.
    pub lease: Lease,
    /// Until when it holds.
    pub until: Millis,
    /// The queue it was in.
    pub queue: Queue,
    /// Whose table it is.
    pub tenant: Tenant,
    /// The table's version.
    pub version: Version,
}

/// Whether a lease was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// It was; what was asked is done.
    Held {
        /// When the turn can be claimed again.
        until: Millis,
    },
    /// It was not, and nothing is done.
    Lost,
}

/// One thing that the outbox says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEntry {
    /// Its place; later entries have greater ones.
    pub cursor: OutboxCursor,
    /// The table it is about.
    pub table: TableId,
    /// The version of the commit that said it.
    pub version: Version,
    /// When.
    pub at: Millis,
    /// What it says.
    pub body: Bytes,
}

/// A part of an outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxPage {
    /// Entries after the cursor, oldest first.
    Entries(Vec<OutboxEntry>),
    /// Entries after the cursor are gone.
    Gone {
        /// The cursor from which on nothing is missing.
        resume: OutboxCursor,
    },
}

/// Which tables to list.
#[derive(Clone, Debug)]
pub struct ListFilter {
    /// Whose.
    pub tenants: Tenants,
    /// In this state only.
    pub state: Option<ListedState>,
}

/// Where a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListCursor {
    /// When the last table looked at was created.
    pub created_at: Millis,
    /// Its name.
    pub id: TableId,
}

/// A table in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTable {
    /// Its name.
    pub id: TableId,
    /// Whose it is.
    pub tenant: Tenant,
    /// Its state.
    pub state: ListedState,
    /// What is shown of it.
    pub summary: Bytes,
    /// Its version.
    pub version: Version,
    /// When it was created.
    pub created_at: Millis,
    /// When its last commit was.
    pub at: Millis,
}

/// A page of a list, newest tables first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPage {
    /// The tables.
    pub tables: Vec<ListedTable>,
    /// Where it goes on, unless this is the end. A short page is not the end.
    pub next: Option<ListCursor>,
}

/// Whether there was something to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// All of it is gone.
    Gone,
    /// There was no such table.
    NotFound,
}
