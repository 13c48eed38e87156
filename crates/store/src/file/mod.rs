//! Tables in an embedded store on disk, for one process.
//!
//! **Invariant:** one writer makes all changes; readers see only what survives. With
//! [`SyncTo::Disk`] a change is answered after its journal was brought to the disk, with
//! [`SyncTo::Os`] after the operating system has it, so that it survives `kill -9` but not a loss
//! of power. Claims of turns are not written: after a start every turn can be taken at once.
//!
//! The engine is fjall. Measured on two cores beside redb, the same three values a commit (2.2 KiB
//! of state, an entry, a request), commits a second:
//!
//! | | one at a time | 64 in a batch |
//! |---|---|---|
//! | fjall, buffered write | 47,000 | 53,000 |
//! | redb, its file without a sync | 15,700 | 53,000 |
//! | fjall, `fdatasync` | 760 | 15,900 |
//! | redb, durable | 360 | 8,200 |
//!
//! The whole store by `cargo bench -p handfoot-store`, on a quieter disk, with 1, 16 and 64 tables
//! at once: to the operating system 100,000, 80,000 and 87,000 (a thread of its own for the writer
//! gave 45,000, 62,000 and 53,000), to the disk 5,400, 34,000 and 53,000; in memory about 1,000,000.
//!
//! What the engine cannot tell: a journal that lost its end looks like one whose last write was
//! cut off by a loss of power. Commits in the lost part are gone without an error here; clients
//! notice, because their chain is ahead.

mod aside;
mod codec;
mod driver;
mod manifest;
mod reads;
mod recover;
mod tables;
mod writer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use self::driver::Driver;
use self::tables::{Tables, thread_error};
use self::writer::{Asked, Common, Writer};
use crate::decide::{check_commit, check_lease, check_new};
use crate::limits::{
    CLAIMS_MAX, DEADLINES_PAGE_MAX, HISTORY_PAGE_MAX, LIST_PAGE_MAX, OUTBOX_PAGE_MAX,
};
use crate::wakeups::Bells;
use crate::{
    ClaimTurns, Clock, Commit, CommitOutcome, Confirmed, CreateOutcome, DeadlineDue, Deleted,
    History, Lease, LeaseOutcome, Limits, ListCursor, ListFilter, ListPage, Loaded, Mark, NewTable,
    OpenError, OutboxCursor, OutboxPage, Partition, StoreError, StoreFuture, TableId, TableStore,
    TurnDue, Version, Wakeups,
};

/// When a change is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncTo {
    /// When it is on the disk: it survives a loss of power.
    Disk,
    /// When the operating system has it: it survives the end of the process, however it ends.
    Os,
}

/// Tables on disk.
#[derive(Debug)]
pub struct FileStore {
    /// None when it is closed.
    opened: Mutex<Option<Arc<Opened>>>,
}

#[derive(Debug)]
struct Opened {
    common: Arc<Common>,
    driver: Driver,
}

impl FileStore {
    /// Opens the store in a folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the folder or with what is in it.
    pub fn open(
        path: &Path,
        sync: SyncTo,
        clock: Arc<dyn Clock>,
        limits: Limits,
    ) -> Result<Self, OpenError> {
        // The engine asserts some of what it reads, and so panics on some kinds of damage.
        let read = || {
            let (tables, opening) = Tables::open(path, sync)?;
            let shown = recover::recover(&tables, path, opening)?;
            Ok((tables, Mutex::new(shown)))
        };
        let (tables, shown) = catch_unwind(AssertUnwindSafe(read))
            .unwrap_or_else(|_| Err(OpenError::Corrupt { path: path.to_owned() }))?;
        let bells = Arc::new(Bells::default());
        let (path_, fault) = (path.to_owned(), Mutex::new(None));
        let common = Arc::new(Common { tables, shown, bells, clock, path: path_, fault });
        let writer = Writer::new(common.clone(), sync, limits);
        let driver = match sync {
            SyncTo::Disk => Driver::thread(writer).map_err(|cause| thread_error(path, &cause))?,
            SyncTo::Os => Driver::asker(writer),
        };
        Ok(Self { opened: Mutex::new(Some(Arc::new(Opened { common, driver }))) })
    }

    fn opened(&self) -> Result<Arc<Opened>, StoreError> {
        lock(&self.opened).clone().ok_or(StoreError::Closed)
    }

    fn common(&self) -> Result<Arc<Common>, StoreError> {
        Ok(self.opened()?.common.clone())
    }

    /// Has a change made and waits for its answer.
    async fn make<T>(
        &self,
        asked: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Asked,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.opened()?.driver.make(asked(reply)).await;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }
}

impl TableStore for FileStore {
    fn create(&self, new: NewTable) -> StoreFuture<'_, CreateOutcome> {
        Box::pin(async move {
            check_new(&new)?;
            self.make(|reply| Asked::Create(Box::new(new), reply)).await
        })
    }

    fn load<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>> {
        Box::pin(async move { self.common()?.load(table) })
    }

    fn confirm<'a>(&'a self, table: &'a TableId, mark: Mark) -> StoreFuture<'a, Confirmed> {
        Box::pin(async move { self.common()?.confirm(table, mark) })
    }

    fn commit(&self, commit: Commit) -> StoreFuture<'_, CommitOutcome> {
        Box::pin(async move {
            check_commit(&commit)?;
            self.make(|reply| Asked::Commit(Box::new(commit), reply)).await
        })
    }

    fn history<'a>(
        &'a self,
        table: &'a TableId,
        from: Version,
        limit: usize,
    ) -> StoreFuture<'a, History> {
        let limit = limit.clamp(1, HISTORY_PAGE_MAX);
        Box::pin(async move { self.common()?.history(table, from, limit) })
    }

    fn watch<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Wakeups>> {
        Box::pin(async move {
            let common = self.common()?;
            // First the bell, then the version: what is committed in between rings.
            let wakeups = common.bells.watch(table)?;
            let head = lock(&common.shown).index.head(table)?.cloned();
            let Some(head) = head else { return Ok(None) };
            common.bells.tell(table, head.mark.version, None);
            Ok(Some(wakeups))
        })
    }

    fn partitions(&self) -> u16 {
        1
    }

    fn deadlines_due(
        &self,
        partition: Partition,
        limit: usize,
    ) -> StoreFuture<'_, Vec<DeadlineDue>> {
        let limit = limit.clamp(1, DEADLINES_PAGE_MAX);
        Box::pin(async move {
            let common = self.common()?;
            let now = common.clock.now();
            Ok(match partition {
                Partition(0) => lock(&common.shown).index.deadlines_due(now, limit),
                Partition(_) => Vec::new(),
            })
        })
    }

    fn claim_turns(&self, claim: ClaimTurns) -> StoreFuture<'_, Vec<TurnDue>> {
        let limit = claim.limit.clamp(1, CLAIMS_MAX);
        Box::pin(async move {
            check_lease(claim.length)?;
            let common = self.common()?;
            let now = common.clock.now();
            Ok(lock(&common.shown).index.claim(&claim, now, limit))
        })
    }

    fn renew_turn<'a>(
        &'a self,
        lease: &'a Lease,
        length: Duration,
    ) -> StoreFuture<'a, LeaseOutcome> {
        Box::pin(async move {
            check_lease(length)?;
            let common = self.common()?;
            let now = common.clock.now();
            Ok(lock(&common.shown).index.queues.renew(lease, now, now.after(length)))
        })
    }

    fn release_turn<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, LeaseOutcome> {
        Box::pin(async move {
            let common = self.common()?;
            let now = common.clock.now();
            Ok(lock(&common.shown).index.queues.release(lease, now))
        })
    }

    fn outbox(
        &self,
        partition: Partition,
        after: OutboxCursor,
        limit: usize,
    ) -> StoreFuture<'_, OutboxPage> {
        let limit = limit.clamp(1, OUTBOX_PAGE_MAX);
        Box::pin(async move {
            let common = self.common()?;
            match partition {
                Partition(0) => common.outbox(after, limit),
                Partition(_) => Ok(OutboxPage::Entries(Vec::new())),
            }
        })
    }

    fn list(
        &self,
        filter: ListFilter,
        after: Option<ListCursor>,
        limit: usize,
    ) -> StoreFuture<'_, ListPage> {
        let limit = limit.clamp(1, LIST_PAGE_MAX);
        Box::pin(async move { Ok(lock(&self.common()?.shown).index.list(&filter, after, limit)) })
    }

    fn delete<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Deleted> {
        Box::pin(self.make(|reply| Asked::Delete(table.clone(), reply)))
    }

    fn healthy(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let common = self.common()?;
            let fault = lock(&common.fault).clone();
            fault.map_or(Ok(()), Err)
        })
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let opened = lock(&self.opened).take();
            let Some(opened) = opened else { return Ok(()) };
            opened.driver.end().await;
            opened.common.bells.end_all();
            opened.common.tables.rest().map_err(|cause| opened.common.fail(&cause))
        })
    }
}

/// Locks. No code under these locks leaves them half changed, so a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
