//! The one writer: takes changes in order, makes several at once, answers when they will survive.
//!
//! **Invariant:** decisions rest on what is shown, and a batch changes a table once at most; so
//! nothing has to be taken back if a batch fails. What a batch changed is shown after it survives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use fjall::OwnedWriteBatch;
use tokio::sync::oneshot;

use super::codec::{self, RequestRecord};
use super::recover::Shown;
use super::tables::{
    CREATION, Tables, get, log_key, prefix, read_error, request_key, state_key, store_error,
};
use super::{SyncTo, lock};
use crate::decide::{Decision, check_room, decide};
use crate::head::Head;
use crate::requests::{Remembered, Requests, slot};
use crate::wakeups::Bells;
use crate::{
    Clock, Commit, CommitOutcome, CreateOutcome, DamagedPart, Deleted, Limits, LogEntry, NewTable,
    OutboxCursor, OutboxEntry, StoreError, TableId, Version,
};

/// Tables whose remembered requests are kept at hand, at most.
const WARM_TABLES_MAX: usize = 4_096;

/// Where an answer goes.
type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// A change that is asked for.
#[derive(Debug)]
pub(super) enum Asked {
    Create(Box<NewTable>, Reply<CreateOutcome>),
    Commit(Box<Commit>, Reply<CommitOutcome>),
    Delete(TableId, Reply<Deleted>),
}

impl Asked {
    const fn table(&self) -> &TableId {
        match self {
            Self::Create(new, _) => &new.id,
            Self::Commit(commit, _) => &commit.table,
            Self::Delete(table, _) => table,
        }
    }

    pub(super) fn refuse(self, error: &StoreError) {
        // Who no longer waits for an answer gets none.
        match self {
            Self::Create(_, reply) => drop(reply.send(Err(error.clone()))),
            Self::Commit(_, reply) => drop(reply.send(Err(error.clone()))),
            Self::Delete(_, reply) => drop(reply.send(Err(error.clone()))),
        }
    }
}

/// A change that is in the batch and not yet shown.
#[derive(Debug)]
enum Staged {
    Created { table: TableId, head: Arc<Head>, reply: Reply<CreateOutcome> },
    Committed { commit: Box<Commit>, head: Arc<Head>, entry: LogEntry, reply: Reply<CommitOutcome> },
    Deleted { table: TableId, reply: Reply<Deleted> },
}

/// Everything that a writer and its readers share.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) tables: Tables,
    pub(super) shown: Mutex<Shown>,
    pub(super) bells: Arc<Bells>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) path: PathBuf,
    /// Why nothing can be written any more.
    pub(super) fault: Mutex<Option<StoreError>>,
}

impl Common {
    /// Notes an error of the engine for everybody after.
    pub(super) fn fail(&self, cause: &fjall::Error) -> StoreError {
        let error = store_error(&self.path, cause);
        lock(&self.fault).get_or_insert(error).clone()
    }
}

/// The remembered requests of a table that was changed lately.
#[derive(Debug)]
struct Warm {
    requests: Requests<()>,
    used: u64,
}

/// The writer.
pub(super) struct Writer {
    common: Arc<Common>,
    sync: SyncTo,
    limits: Limits,
    warm: BTreeMap<TableId, Warm>,
    /// Counts uses of warm tables.
    uses: u64,
    batch: OwnedWriteBatch,
    staged: Vec<Staged>,
    touched: BTreeSet<TableId>,
    /// Tables that the batch creates.
    n_new: usize,
    /// As the outbox will be after the batch.
    outbox_oldest: u64,
    outbox_next: u64,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("sync", &self.sync).finish_non_exhaustive()
    }
}

impl Writer {
    pub(super) fn new(common: Arc<Common>, sync: SyncTo, limits: Limits) -> Self {
        let batch = common.tables.batch(sync);
        let shown = lock(&common.shown);
        let (outbox_oldest, outbox_next) = (shown.outbox_oldest, shown.outbox_next);
        drop(shown);
        Self {
            common,
            sync,
            limits,
            warm: BTreeMap::new(),
            uses: 0,
            batch,
            staged: Vec::new(),
            touched: BTreeSet::new(),
            n_new: 0,
            outbox_oldest,
            outbox_next,
        }
    }

    /// Makes changes in order and answers each.
    pub(super) fn make(&mut self, asked: impl IntoIterator<Item = Asked>) {
        for one in asked {
            if self.touched.contains(one.table()) {
                self.flush();
            }
            let fault = lock(&self.common.fault).clone();
            match (fault, one) {
                (Some(error), one) => one.refuse(&error),
                (None, Asked::Create(new, reply)) => self.create(&new, reply),
                (None, Asked::Commit(commit, reply)) => self.commit(commit, reply),
                (None, Asked::Delete(table, reply)) => self.delete(table, reply),
            }
        }
        self.flush();
    }

    fn create(&mut self, new: &NewTable, reply: Reply<CreateOutcome>) {
        let now = self.common.clock.now();
        let outcome = match self.existing(new) {
            Err(error) => Err(error),
            Ok(Some(outcome)) => Ok(outcome),
            Ok(None) => {
                let head = Arc::new(Head::first(new, now));
                self.stage_table(new, &head);
                let table = new.id.clone();
                self.touched.insert(table.clone());
                self.n_new += 1;
                self.staged.push(Staged::Created { table, head, reply });
                return;
            }
        };
        drop(reply.send(outcome));
    }

    /// What there is instead of a new table.
    fn existing(&self, new: &NewTable) -> Result<Option<CreateOutcome>, StoreError> {
        let shown = lock(&self.common.shown);
        if shown.index.head(&new.id)?.is_none() {
            check_room(shown.index.n_tables() + self.n_new, self.limits.tables)?;
            return Ok(None);
        }
        drop(shown);
        let first = self.remembered(&new.id, CREATION)?;
        Ok(Some(match (first.id == new.request.id, first.body == new.request.body) {
            (true, true) => CreateOutcome::Duplicate { answer: first.answer },
            (true, false) => CreateOutcome::Reused,
            (false, _) => CreateOutcome::Exists,
        }))
    }

    fn stage_table(&mut self, new: &NewTable, head: &Head) {
        let key = request_key(&new.id, CREATION);
        let record = RequestRecord {
            number: 0,
            version: Version(0),
            seat: 0,
            id: new.request.id,
            body: new.request.body,
            answer: new.request.answer.clone(),
        };
        let record = codec::request(&key, &record);
        self.batch.insert(&self.common.tables.requests, key, record);
        let key = state_key(&new.id);
        let record = codec::state(key, head, &new.snapshot);
        self.batch.insert(&self.common.tables.states, key, record);
        self.stage_outbox(&new.id, head, &new.outbox);
    }

    fn commit(&mut self, commit: Box<Commit>, reply: Reply<CommitOutcome>) {
        match self.decided(&commit) {
            Ok(Ok(head)) => self.stage_commit(commit, head, reply),
            Ok(Err(outcome)) => drop(reply.send(Ok(outcome))),
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// The head after a commit, or what comes of it instead.
    fn decided(&mut self, commit: &Commit) -> Result<Result<Arc<Head>, CommitOutcome>, StoreError> {
        let now = self.common.clock.now();
        let shown = lock(&self.common.shown);
        let Some(head) = shown.index.head(&commit.table)?.cloned() else {
            return Ok(Err(CommitOutcome::NotFound));
        };
        drop(shown);
        self.warm_up(&commit.table, &head)?;
        let requests = &self.warm[&commit.table].requests;
        let shown = lock(&self.common.shown);
        let decision = decide(commit, &head, requests, &shown.index, now);
        drop(shown);
        Ok(match decision {
            Decision::Accept => Ok(Arc::new(head.after(commit, now, self.limits.log_entries))),
            Decision::Duplicate { slot, .. } => {
                let first = self.remembered(&commit.table, slot)?;
                Err(CommitOutcome::Duplicate { version: first.version, answer: first.answer })
            }
            Decision::Reused { slot, .. } => {
                let first = self.remembered(&commit.table, slot)?;
                Err(CommitOutcome::Reused { version: first.version })
            }
            Decision::LeaseLost => Err(CommitOutcome::LeaseLost),
            Decision::Conflict => Err(self.conflict(&commit.table, &head)?),
        })
    }

    fn conflict(&self, table: &TableId, head: &Head) -> Result<CommitOutcome, StoreError> {
        let what = DamagedPart::Snapshot;
        let record = read(&self.common.tables.states, table, state_key(table), what)?;
        let (_, snapshot) = codec::read_state(state_key(table), &record)
            .ok_or_else(|| StoreError::Corrupt { table: table.clone(), what })?;
        Ok(CommitOutcome::Conflict(head.loaded(self.common.clock.now(), snapshot)))
    }

    fn stage_commit(&mut self, commit: Box<Commit>, head: Arc<Head>, reply: Reply<CommitOutcome>) {
        let tables = &self.common.tables;
        let key = state_key(&commit.table);
        self.batch.insert(&tables.states, key, codec::state(key, &head, &commit.snapshot));

        let (version, chain, at) = (head.mark.version, head.mark.chain, head.at);
        let entry = LogEntry { version, chain, at, entry: commit.entry.clone() };
        let key = log_key(&commit.table, version);
        let record = codec::entry(&key, &entry);
        self.batch.insert(&tables.log, key, record);
        self.stage_trim(&commit.table, head.log_oldest);

        if let Some(request) = &commit.request {
            let number = head.n_requests - 1;
            let key = request_key(&commit.table, slot(number));
            let record = RequestRecord {
                number,
                version,
                seat: request.seat,
                id: request.id,
                body: request.body,
                answer: request.answer.clone(),
            };
            let record = codec::request(&key, &record);
            self.batch.insert(&self.common.tables.requests, key, record);
        }
        self.stage_outbox(&commit.table, &head, &commit.outbox);
        self.touched.insert(commit.table.clone());
        self.staged.push(Staged::Committed { commit, head, entry, reply });
    }

    /// Removes what the log no longer holds.
    fn stage_trim(&mut self, table: &TableId, kept_from: Version) {
        let shown = lock(&self.common.shown);
        let head = shown.index.head(table).ok().flatten();
        let was_from = head.map_or(kept_from, |head| head.log_oldest);
        drop(shown);
        for version in was_from.0..kept_from.0 {
            self.batch.remove(&self.common.tables.log, log_key(table, Version(version)));
        }
    }

    fn stage_outbox(&mut self, table: &TableId, head: &Head, bodies: &[Bytes]) {
        let space = &self.common.tables.outbox;
        for body in bodies {
            let entry = OutboxEntry {
                cursor: OutboxCursor(self.outbox_next),
                table: table.clone(),
                version: head.mark.version,
                at: head.at,
                body: body.clone(),
            };
            let key = self.outbox_next.to_be_bytes();
            self.batch.insert(space, key, codec::outbox(&key, &entry));
            self.outbox_next += 1;
            if self.outbox_next - self.outbox_oldest > self.limits.outbox_entries as u64 {
                self.batch.remove(space, self.outbox_oldest.to_be_bytes());
                self.outbox_oldest += 1;
            }
        }
    }

    fn delete(&mut self, table: TableId, reply: Reply<Deleted>) {
        let shown = lock(&self.common.shown);
        let is_there = !matches!(shown.index.head(&table), Ok(None));
        drop(shown);
        if !is_there {
            drop(reply.send(Ok(Deleted::NotFound)));
            return;
        }
        // What is written is looked up rather than computed: the head may be damaged.
        let tables = &self.common.tables;
        for space in [&tables.log, &tables.requests] {
            for pair in space.prefix(prefix(&table)) {
                match pair.key() {
                    Ok(key) => self.batch.remove(space, key),
                    Err(cause) => tracing::error!(%table, %cause, "a key cannot be read"),
                }
            }
        }
        self.batch.remove(&tables.states, state_key(&table));
        self.touched.insert(table.clone());
        self.staged.push(Staged::Deleted { table, reply });
    }

    /// Makes the batch survive, shows it and answers.
    fn flush(&mut self) {
        let staged = std::mem::take(&mut self.staged);
        if staged.is_empty() {
            return;
        }
        self.touched.clear();
        self.n_new = 0;
        let next = self.common.tables.batch(self.sync);
        let batch = std::mem::replace(&mut self.batch, next);
        if let Err(cause) = batch.commit() {
            let error = self.common.fail(&cause);
            staged.into_iter().for_each(|one| one.refuse(&error));
            return;
        }
        self.show(&staged);
        for one in staged {
            self.settle(&one);
            one.answer();
        }
    }

    fn show(&self, staged: &[Staged]) {
        let now = self.common.clock.now();
        let mut shown = lock(&self.common.shown);
        for one in staged {
            match one {
                Staged::Created { table, head, .. } => shown.index.put(table, head),
                Staged::Committed { commit, head, .. } => {
                    shown.index.put(&commit.table, head);
                    shown.index.renew(&commit.lease, now);
                }
                Staged::Deleted { table, .. } => shown.index.remove(table),
            }
        }
        shown.outbox_oldest = self.outbox_oldest;
        shown.outbox_next = self.outbox_next;
    }

    /// Remembers the request and wakes watchers.
    fn settle(&mut self, staged: &Staged) {
        match staged {
            Staged::Created { .. } => {}
            Staged::Committed { commit, entry, .. } => {
                if let (Some(request), Some(warm)) =
                    (&commit.request, self.warm.get_mut(&commit.table))
                {
                    let (seat, id, body) = (request.seat, request.id, request.body);
                    warm.requests.remember(Remembered { seat, id, body, answer: () });
                }
                self.common.bells.tell(&commit.table, entry.version, Some(entry));
            }
            Staged::Deleted { table, .. } => {
                self.warm.remove(table);
                self.common.bells.end(table);
            }
        }
    }

    /// Brings a table's remembered requests to hand.
    fn warm_up(&mut self, table: &TableId, head: &Head) -> Result<(), StoreError> {
        self.uses += 1;
        if let Some(warm) = self.warm.get_mut(table) {
            warm.used = self.uses;
            return Ok(());
        }
        if self.warm.len() >= WARM_TABLES_MAX {
            let mut used: Vec<u64> = self.warm.values().map(|warm| warm.used).collect();
            let (_, middle, _) = used.select_nth_unstable(WARM_TABLES_MAX / 2);
            let middle = *middle;
            self.warm.retain(|_, warm| warm.used > middle);
        }
        let requests = self.read_requests(table, head)?;
        self.warm.insert(table.clone(), Warm { requests, used: self.uses });
        Ok(())
    }

    fn read_requests(&self, table: &TableId, head: &Head) -> Result<Requests<()>, StoreError> {
        let first = head.n_requests.saturating_sub(crate::limits::REQUESTS_KEPT as u64);
        let mut requests = Requests::new(first);
        for number in first..head.n_requests {
            let record = self.remembered(table, slot(number))?;
            if record.number != number {
                let what = DamagedPart::Request;
                return Err(StoreError::Corrupt { table: table.clone(), what });
            }
            let RequestRecord { seat, id, body, .. } = record;
            requests.remember(Remembered { seat, id, body, answer: () });
        }
        Ok(requests)
    }

    fn remembered(&self, table: &TableId, slot: u8) -> Result<RequestRecord, StoreError> {
        let (key, what) = (request_key(table, slot), DamagedPart::Request);
        let record = read(&self.common.tables.requests, table, &key, what)?;
        codec::read_request(&key, &record)
            .ok_or_else(|| StoreError::Corrupt { table: table.clone(), what })
    }
}

/// A value that must be there.
fn read(
    space: &fjall::Keyspace,
    table: &TableId,
    key: &[u8],
    what: DamagedPart,
) -> Result<Bytes, StoreError> {
    let value = get(space, key).map_err(|cause| read_error(&cause, table, what))?;
    value.ok_or_else(|| StoreError::Corrupt { table: table.clone(), what })
}

impl Staged {
    fn refuse(self, error: &StoreError) {
        match self {
            Self::Created { reply, .. } => drop(reply.send(Err(error.clone()))),
            Self::Committed { reply, .. } => drop(reply.send(Err(error.clone()))),
            Self::Deleted { reply, .. } => drop(reply.send(Err(error.clone()))),
        }
    }

    fn answer(self) {
        match self {
            Self::Created { head, reply, .. } => {
                drop(reply.send(Ok(CreateOutcome::Created { at: head.at })));
            }
            Self::Committed { head, reply, .. } => {
                let (version, at) = (head.mark.version, head.at);
                drop(reply.send(Ok(CommitOutcome::Committed { version, at })));
            }
            Self::Deleted { reply, .. } => drop(reply.send(Ok(Deleted::Gone))),
        }
    }
}
