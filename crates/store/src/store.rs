//! The contract that every store keeps.
//!
//! **Invariant:** each call is one step: it is done wholly or not at all, and its outcome does not
//! depend on what a caller did before. The suite in `tests/contract` holds every sentence below.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::{
    ClaimTurns, Commit, CommitOutcome, Confirmed, CreateOutcome, DeadlineDue, Deleted, History,
    Lease, LeaseOutcome, ListCursor, ListFilter, ListPage, Loaded, Mark, NewTable, OutboxCursor,
    OutboxPage, Partition, StoreError, TableId, TurnDue, Version, Wakeups,
};

/// What a call gives: boxed, because `async fn` in a trait is not object safe, and a service
/// chooses its store when it starts.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps tables: a snapshot, a log, remembered requests, a deadline and turns owed for each, and
/// an outbox and lists for all.
///
/// The store's clock is the only time. An `Ok` from [`create`](Self::create),
/// [`commit`](Self::commit) or [`delete`](Self::delete) is given when the change will survive what
/// the store promises to survive, and no call but [`glance`](Self::glance) shows a change before.
pub trait TableStore: Send + Sync + fmt::Debug {
    /// Creates a table at version 0.
    ///
    /// # Errors
    ///
    /// `Limit` if it is too large or there are too many tables.
    fn create(&self, new: NewTable) -> StoreFuture<'_, CreateOutcome>;

    /// Gives a table as it stands; `None` if there is no such table.
    ///
    /// # Errors
    ///
    /// `Corrupt` if its snapshot is damaged.
    fn load<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>>;

    /// Gives a table as it lately stood, for a step to be taken from; `None` if there was no such
    /// table. A store for which that is cheaper than [`load`](Self::load) says how.
    ///
    /// **Not to be shown, nor refused by:** it may have been overtaken, and it may be a change that
    /// will not survive. A commit from it is taken only if it stands, and survives only with it. The
    /// store's time need not be asked: `now` may be `at`.
    ///
    /// # Errors
    ///
    /// `Corrupt` if its snapshot is damaged.
    fn glance<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>> {
        self.load(table)
    }

    /// Says whether a table stands at a mark, and gives it if it does not.
    ///
    /// # Errors
    ///
    /// `Corrupt` if its snapshot is damaged.
    fn confirm<'a>(&'a self, table: &'a TableId, mark: Mark) -> StoreFuture<'a, Confirmed>;

    /// Takes one step of a table.
    ///
    /// In this order: a remembered request id is answered; a lease that is not held is refused; a
    /// version or chain that is not the table's is a conflict. Otherwise, at once: the snapshot is
    /// replaced, the entry appended, the request remembered (the newest 128 are), deadline, turns
    /// and listing change, the outbox grows, the log is trimmed, watchers are woken.
    ///
    /// # Errors
    ///
    /// `Limit` if something is too large.
    fn commit(&self, commit: Commit) -> StoreFuture<'_, CommitOutcome>;

    /// Gives log entries from a version on, that one included.
    ///
    /// # Errors
    ///
    /// `Corrupt` if an entry is damaged or missing.
    fn history<'a>(
        &'a self,
        table: &'a TableId,
        from: Version,
        limit: usize,
    ) -> StoreFuture<'a, History>;

    /// Watches a table; `None` if there is no such table.
    ///
    /// # Errors
    ///
    /// `Limit` if it has too many watchers.
    fn watch<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Wakeups>>;

    /// How many partitions there are, numbered from 0.
    fn partitions(&self) -> u16;

    /// Gives deadlines that have passed, oldest first. They stay until a commit changes them.
    ///
    /// # Errors
    ///
    /// Those of any call.
    fn deadlines_due(
        &self,
        partition: Partition,
        limit: usize,
    ) -> StoreFuture<'_, Vec<DeadlineDue>>;

    /// Claims turns that are due and that nobody holds, oldest first and each tenant in its turn.
    ///
    /// # Errors
    ///
    /// `Limit` if the lease is too long.
    fn claim_turns(&self, claim: ClaimTurns) -> StoreFuture<'_, Vec<TurnDue>>;

    /// Makes a lease that is held last from now for this long.
    ///
    /// # Errors
    ///
    /// `Limit` if the lease is too long.
    fn renew_turn<'a>(
        &'a self,
        lease: &'a Lease,
        length: Duration,
    ) -> StoreFuture<'a, LeaseOutcome>;

    /// Gives a lease back: its turn can be claimed at once.
    ///
    /// # Errors
    ///
    /// Those of any call.
    fn release_turn<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, LeaseOutcome>;

    /// Waits until another process may have left work: turns to claim, or tables that are listed
    /// in another state. Whoever is woken may find none, and one may be missed: work is asked for
    /// from time to time all the same. A store of one process never wakes anybody.
    ///
    /// # Errors
    ///
    /// Those of any call.
    fn work_wanted(&self) -> StoreFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    /// Gives outbox entries after a cursor.
    ///
    /// # Errors
    ///
    /// `Corrupt` if an entry is damaged.
    fn outbox(
        &self,
        partition: Partition,
        after: OutboxCursor,
        limit: usize,
    ) -> StoreFuture<'_, OutboxPage>;

    /// Lists tables, newest first, from a cursor on.
    ///
    /// A table that is there all the time comes exactly once, whatever comes and goes meanwhile.
    ///
    /// # Errors
    ///
    /// Those of any call.
    fn list(
        &self,
        filter: ListFilter,
        after: Option<ListCursor>,
        limit: usize,
    ) -> StoreFuture<'_, ListPage>;

    /// Deletes a table and all that is kept of it, but what the outbox has said. Also a damaged one.
    ///
    /// # Errors
    ///
    /// Those of any call.
    fn delete<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Deleted>;

    /// Says whether the store can take commits.
    ///
    /// # Errors
    ///
    /// What a commit would give.
    fn healthy(&self) -> StoreFuture<'_, ()>;

    /// Closes the store: changes under way are finished, watchers end, every later call gives
    /// `Closed`.
    ///
    /// # Errors
    ///
    /// `Unavailable` or `Full` if what was written could not be brought to rest.
    fn close(&self) -> StoreFuture<'_, ()>;
}
