//! Tables in memory: for trying out, for tests, and as the measure for the others.
//!
//! **Invariant:** nothing survives the process. One lock guards all, and each call holds it once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use crate::decide::{Decision, check_commit, check_lease, check_new, check_room, decide};
use crate::head::Head;
use crate::index::Index;
use crate::limits::{
    CLAIMS_MAX, DEADLINES_PAGE_MAX, HISTORY_PAGE_MAX, LIST_PAGE_MAX, OUTBOX_PAGE_MAX,
};
use crate::requests::{Remembered, Requests};
use crate::wakeups::Bells;
use crate::{
    ClaimTurns, Clock, Commit, CommitOutcome, Confirmed, CreateOutcome, CreateRequest, DeadlineDue,
    Deleted, History, Lease, LeaseOutcome, Limits, ListCursor, ListFilter, ListPage, Loaded,
    LogEntry, Mark, NewTable, OutboxCursor, OutboxEntry, OutboxPage, Partition, StoreError,
    StoreFuture, TableId, TableStore, TurnDue, Version, Wakeups,
};

/// A remembered answer and the version of its commit.
type Answer = (Version, Bytes);

/// Tables in memory.
#[derive(Debug)]
pub struct MemoryStore {
    /// None when it is closed.
    kept: Mutex<Option<Kept>>,
    bells: Arc<Bells>,
    clock: Arc<dyn Clock>,
    limits: Limits,
}

#[derive(Debug)]
struct Kept {
    index: Index,
    tables: BTreeMap<TableId, Table>,
    outbox: VecDeque<OutboxEntry>,
    /// The number of the next outbox entry.
    outbox_next: u64,
}

#[derive(Debug)]
struct Table {
    snapshot: Bytes,
    creation: CreateRequest,
    requests: Requests<Answer>,
    log: VecDeque<LogEntry>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, limits: Limits) -> Self {
        let kept = Kept {
            index: Index::new(0),
            tables: BTreeMap::new(),
            outbox: VecDeque::new(),
            outbox_next: 1,
        };
        Self { kept: Mutex::new(Some(kept)), bells: Arc::default(), clock, limits }
    }

    /// Does something with what is kept. The future is ready at once.
    fn with<'a, T: 'a>(
        &'a self,
        f: impl FnOnce(&mut Kept, &Self) -> Result<T, StoreError> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move { f(self.lock().as_mut().ok_or(StoreError::Closed)?, self) })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        // A panic under this lock would be a fault of this crate; the rest is still whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn create(&mut self, new: NewTable, store: &MemoryStore) -> Result<CreateOutcome, StoreError> {
        check_new(&new)?;
        if let Some(table) = self.tables.get(&new.id) {
            let (first, request) = (&table.creation, &new.request);
            return Ok(match (first.id == request.id, first.body == request.body) {
                (true, true) => CreateOutcome::Duplicate { answer: first.answer.clone() },
                (true, false) => CreateOutcome::Reused,
                (false, _) => CreateOutcome::Exists,
            });
        }
        check_room(self.tables.len(), store.limits.tables)?;
        let head = Arc::new(Head::first(&new, store.clock.now()));
        self.say(&new.id, &head, &new.outbox, store.limits);
        self.index.put(&new.id, &head);
        let table = Table {
            snapshot: new.snapshot,
            creation: new.request,
            requests: Requests::new(0),
            log: VecDeque::new(),
        };
        self.tables.insert(new.id, table);
        Ok(CreateOutcome::Created { at: head.at })
    }

    fn commit(&mut self, commit: Commit, store: &MemoryStore) -> Result<CommitOutcome, StoreError> {
        check_commit(&commit)?;
        let now = store.clock.now();
        let (Some(head), Some(table)) =
            (self.index.head(&commit.table)?, self.tables.get_mut(&commit.table))
        else {
            return Ok(CommitOutcome::NotFound);
        };
        match decide(&commit, head, &table.requests, &self.index, now) {
            Decision::Accept => {}
            Decision::Duplicate { remembered, .. } => {
                let (version, answer) = remembered.answer.clone();
                return Ok(CommitOutcome::Duplicate { version, answer });
            }
            Decision::Reused { remembered, .. } => {
                let (version, _) = remembered.answer;
                return Ok(CommitOutcome::Reused { version });
            }
            Decision::LeaseLost => return Ok(CommitOutcome::LeaseLost),
            Decision::Conflict => {
                return Ok(CommitOutcome::Conflict(head.loaded(now, table.snapshot.clone())));
            }
        }
        let head = Arc::new(head.after(&commit, now, store.limits.log_entries));
        let Mark { version, chain } = head.mark;
        let entry = LogEntry { version, chain, at: head.at, entry: commit.entry };
        table.snapshot = commit.snapshot;
        table.log.push_back(entry.clone());
        while table.log.front().is_some_and(|oldest| oldest.version < head.log_oldest) {
            table.log.pop_front();
        }
        if let Some(request) = commit.request {
            let (seat, id, body) = (request.seat, request.id, request.body);
            let answer = (version, request.answer);
            table.requests.remember(Remembered { seat, id, body, answer });
        }
        self.say(&commit.table, &head, &commit.outbox, store.limits);
        self.index.put(&commit.table, &head);
        self.index.renew(&commit.lease, now);
        store.bells.tell(&commit.table, version, Some(&entry));
        Ok(CommitOutcome::Committed { version, at: head.at })
    }

    /// Appends to the outbox.
    fn say(&mut self, table: &TableId, head: &Head, bodies: &[Bytes], limits: Limits) {
        for body in bodies {
            self.outbox.push_back(OutboxEntry {
                cursor: OutboxCursor(self.outbox_next),
                table: table.clone(),
                version: head.mark.version,
                at: head.at,
                body: body.clone(),
            });
            self.outbox_next += 1;
        }
        while self.outbox.len() > limits.outbox_entries {
            self.outbox.pop_front();
        }
    }

    fn loaded(&self, table: &TableId, store: &MemoryStore) -> Result<Option<Loaded>, StoreError> {
        let (Some(head), Some(kept)) = (self.index.head(table)?, self.tables.get(table)) else {
            return Ok(None);
        };
        Ok(Some(head.loaded(store.clock.now(), kept.snapshot.clone())))
    }

    fn history(&self, table: &TableId, from: Version, limit: usize) -> Result<History, StoreError> {
        let (Some(head), Some(kept)) = (self.index.head(table)?, self.tables.get(table)) else {
            return Ok(History::NotFound);
        };
        let from = from.max(Version(1));
        if from < head.log_oldest {
            return Ok(History::Gone { oldest: head.log_oldest });
        }
        let newer = kept.log.iter().skip(count(from.0 - head.log_oldest.0));
        Ok(History::Entries(newer.take(limit).cloned().collect()))
    }

    fn outbox(&self, after: OutboxCursor, limit: usize) -> OutboxPage {
        let oldest = self.outbox_next - self.outbox.len() as u64;
        if after.0 >= self.outbox_next {
            return OutboxPage::Gone { resume: OutboxCursor(self.outbox_next - 1) };
        }
        if after.0 + 1 < oldest {
            return OutboxPage::Gone { resume: OutboxCursor(oldest - 1) };
        }
        let newer = self.outbox.iter().skip(count(after.0 + 1 - oldest));
        OutboxPage::Entries(newer.take(limit).cloned().collect())
    }
}

impl TableStore for MemoryStore {
    fn create(&self, new: NewTable) -> StoreFuture<'_, CreateOutcome> {
        self.with(|kept, store| kept.create(new, store))
    }

    fn load<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>> {
        self.with(|kept, store| kept.loaded(table, store))
    }

    fn confirm<'a>(&'a self, table: &'a TableId, mark: Mark) -> StoreFuture<'a, Confirmed> {
        self.with(move |kept, store| {
            Ok(match kept.loaded(table, store)? {
                None => Confirmed::NotFound,
                Some(loaded) if loaded.mark == mark => Confirmed::Unchanged { now: loaded.now },
                Some(loaded) => Confirmed::Changed(loaded),
            })
        })
    }

    fn commit(&self, commit: Commit) -> StoreFuture<'_, CommitOutcome> {
        self.with(|kept, store| kept.commit(commit, store))
    }

    fn history<'a>(
        &'a self,
        table: &'a TableId,
        from: Version,
        limit: usize,
    ) -> StoreFuture<'a, History> {
        let limit = limit.clamp(1, HISTORY_PAGE_MAX);
        self.with(move |kept, _| kept.history(table, from, limit))
    }

    fn watch<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Wakeups>> {
        // Bells are tidied when a watcher is dropped, so none is dropped under their lock.
        self.with(|kept, store| {
            let Some(head) = kept.index.head(table)? else { return Ok(None) };
            let wakeups = store.bells.watch(table)?;
            store.bells.tell(table, head.mark.version, None);
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
        self.with(move |kept, store| {
            Ok(match partition {
                Partition(0) => kept.index.deadlines_due(store.clock.now(), limit),
                Partition(_) => Vec::new(),
            })
        })
    }

    fn claim_turns(&self, claim: ClaimTurns) -> StoreFuture<'_, Vec<TurnDue>> {
        let limit = claim.limit.clamp(1, CLAIMS_MAX);
        self.with(move |kept, store| {
            check_lease(claim.length)?;
            Ok(kept.index.claim(&claim, store.clock.now(), limit))
        })
    }

    fn renew_turn<'a>(
        &'a self,
        lease: &'a Lease,
        length: Duration,
    ) -> StoreFuture<'a, LeaseOutcome> {
        self.with(move |kept, store| {
            check_lease(length)?;
            let now = store.clock.now();
            Ok(kept.index.queues.renew(lease, now, now.after(length)))
        })
    }

    fn release_turn<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, LeaseOutcome> {
        self.with(|kept, store| Ok(kept.index.queues.release(lease, store.clock.now())))
    }

    fn outbox(
        &self,
        partition: Partition,
        after: OutboxCursor,
        limit: usize,
    ) -> StoreFuture<'_, OutboxPage> {
        let limit = limit.clamp(1, OUTBOX_PAGE_MAX);
        self.with(move |kept, _| {
            Ok(match partition {
                Partition(0) => kept.outbox(after, limit),
                Partition(_) => OutboxPage::Entries(Vec::new()),
            })
        })
    }

    fn list(
        &self,
        filter: ListFilter,
        after: Option<ListCursor>,
        limit: usize,
    ) -> StoreFuture<'_, ListPage> {
        let limit = limit.clamp(1, LIST_PAGE_MAX);
        self.with(move |kept, _| Ok(kept.index.list(&filter, after, limit)))
    }

    fn delete<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Deleted> {
        self.with(|kept, store| {
            kept.index.remove(table);
            store.bells.end(table);
            Ok(match kept.tables.remove(table) {
                Some(_) => Deleted::Gone,
                None => Deleted::NotFound,
            })
        })
    }

    fn healthy(&self) -> StoreFuture<'_, ()> {
        self.with(|_, _| Ok(()))
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let kept = self.lock().take();
            self.bells.end_all();
            drop(kept);
            Ok(())
        })
    }
}

/// A count of things that are all in memory.
fn count(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
