//! What the tests of a store need: a store with a clock, tables, commits.
//!
//! **Invariant:** a fixture is alone: no two share a folder or a clock.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handfoot_store::{
    BodyHash, Chain, ClaimTurns, Commit, CommitOutcome, CreateOutcome, CreateRequest, DeadlineDue,
    LeaseUse, Limits, ListedState, LogEntry, ManualClock, Mark, Millis, NewTable, OutboxCursor,
    OutboxEntry, OutboxPage, Partition, Queue, RedisStore, Request, RequestId, StoreTime, TableId,
    TableStore, Tenants, TurnDue, TurnWanted, TurnsChange, Version, open_with,
};
use tempfile::TempDir;

use crate::redis::servers::Server;

/// When every fixture begins.
pub(crate) const START: Millis = Millis(1_000_000);

/// A kind of store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Memory,
    FileOs,
    FileDisk,
    Redis,
    RedisReplicated,
}

/// A store of its own, with a clock that stands still.
pub(crate) struct Fixture {
    pub(crate) store: Arc<dyn TableStore>,
    pub(crate) clock: Arc<ManualClock>,
    url: String,
    limits: Limits,
    kind: Kind,
    /// Removed at the end.
    _folder: Option<TempDir>,
    /// Ended at the end.
    _servers: Vec<Server>,
}

impl Fixture {
    pub(crate) fn new(kind: Kind, limits: Limits) -> Self {
        let folder = match kind {
            Kind::Memory | Kind::Redis | Kind::RedisReplicated => None,
            Kind::FileOs | Kind::FileDisk => Some(TempDir::new().expect("a folder for the test")),
        };
        let servers = match kind {
            Kind::Memory | Kind::FileOs | Kind::FileDisk => Vec::new(),
            Kind::Redis => vec![Server::start(&[])],
            Kind::RedisReplicated => {
                let primary = Server::start(&["--appendonly", "no"]);
                let replica = primary.replica(&["--appendonly", "no"]);
                vec![primary, replica]
            }
        };
        let path = folder.as_ref().map(|folder| folder.path().display().to_string());
        let url = match kind {
            Kind::Memory => "memory:".to_owned(),
            Kind::FileOs => format!("file:{}?sync=os", path.expect("made above")),
            Kind::FileDisk => format!("file:{}?sync=disk", path.expect("made above")),
            Kind::Redis => servers[0].url(),
            Kind::RedisReplicated => format!("{}?durability=replicated", servers[0].url()),
        };
        let clock = Arc::new(ManualClock::new(START));
        let store = open_kind(kind, &url, &clock, limits);
        Self { store, clock, url, limits, kind, _folder: folder, _servers: servers }
    }

    /// Closes and opens it again, as a process that ends well and starts anew.
    pub(crate) async fn reopen(&mut self) {
        self.store.close().await.expect("it closes");
        self.store = open_kind(self.kind, &self.url, &self.clock, self.limits);
    }

    /// Another process on the same store.
    pub(crate) fn beside(&self) -> Arc<dyn TableStore> {
        open_kind(self.kind, &self.url, &self.clock, self.limits)
    }

    /// Creates a table.
    pub(crate) async fn create(&self, name: &str) -> TableId {
        let created = self.store.create(new_table(name)).await.expect("it is created");
        assert!(matches!(created, CreateOutcome::Created { .. }), "{created:?}");
        id(name)
    }

    /// Where a table stands.
    pub(crate) async fn mark(&self, table: &TableId) -> Mark {
        self.store.load(table).await.expect("it loads").expect("it is there").mark
    }

    /// Makes a commit that must stand; gives its version.
    pub(crate) async fn stand(&self, commit: Commit) -> Version {
        let outcome = self.store.commit(commit).await;
        let Ok(CommitOutcome::Committed { version, .. }) = outcome else { panic!("{outcome:?}") };
        version
    }

    /// Makes so many plain commits.
    pub(crate) async fn play(&self, table: &TableId, n_commits: u64) -> Mark {
        let mut mark = self.mark(table).await;
        for _ in 0..n_commits {
            let commit = commit(table, mark);
            mark = Mark { version: mark.version.next(), chain: commit.new_chain };
            assert_eq!(self.stand(commit).await, mark.version);
        }
        mark
    }

    /// Makes a commit after which a table owes these turns.
    pub(crate) async fn owe(&self, table: &TableId, turns: &[TurnWanted]) {
        let mut commit = commit(table, self.mark(table).await);
        commit.turns = TurnsChange::Replace(turns.to_vec());
        self.stand(commit).await;
    }

    /// Claims turns of queue 0 of all tenants for five seconds.
    pub(crate) async fn claim(&self, limit: usize) -> Vec<TurnDue> {
        self.store.claim_turns(claim_of(Tenants::All, &[0], limit)).await.expect("it is answered")
    }

    /// Moves the clock from the start.
    pub(crate) fn at(&self, millis: u64) {
        self.clock.set(Millis(START.0 + millis));
    }
}

pub(crate) const LEASE: Duration = Duration::from_secs(5);

pub(crate) fn claim_of(tenants: Tenants, queues: &[u16], limit: usize) -> ClaimTurns {
    let queues = queues.iter().copied().map(Queue).collect();
    ClaimTurns { tenants, queues, length: LEASE, limit }
}

pub(crate) fn id(name: &str) -> TableId {
    name.parse().expect("tests use good names")
}

pub(crate) fn new_table(name: &str) -> NewTable {
    NewTable {
        id: id(name),
        tenant: "acme".parse().expect("a good name"),
        state: ListedState(0),
        summary: text("a table"),
        snapshot: text("snapshot 0"),
        chain: chain(0),
        request: CreateRequest {
            id: RequestId([1; 16]),
            body: BodyHash([2; 16]),
            answer: text("created"),
        },
        deadline: None,
        turns: Vec::new(),
        outbox: Vec::new(),
    }
}

/// A plain commit on top of a mark: everything in it names its version.
pub(crate) fn commit(table: &TableId, mark: Mark) -> Commit {
    let version = mark.version.0 + 1;
    let (snapshot, entry) = (format!("snapshot {version}"), format!("entry {version}"));
    Commit::new(table.clone(), mark, chain(version), text(&snapshot), text(&entry))
}

/// A commit that answers a request.
pub(crate) fn answering(table: &TableId, mark: Mark, request: Request) -> Commit {
    Commit { request: Some(request), ..commit(table, mark) }
}

/// A request with a number for a name; its answer names it.
pub(crate) fn request(seat: u8, number: u64, body: u8) -> Request {
    let mut id = [seat; 16];
    id[..8].copy_from_slice(&number.to_le_bytes());
    let answer = text(&format!("answer {number}"));
    Request { seat, id: RequestId(id), body: BodyHash([body; 16]), answer }
}

/// A commit under a lease, after which the same turns are owed.
pub(crate) fn under(lease: &TurnDue, mark: Mark) -> Commit {
    let lease_use = LeaseUse::Held { lease: lease.lease.clone(), length: LEASE };
    Commit { lease: lease_use, ..commit(&lease.lease.table, mark) }
}

pub(crate) fn wanted(seat: u8, after: u64) -> TurnWanted {
    TurnWanted { seat, queue: Queue(0), takeable_at: Millis(START.0 + after) }
}

pub(crate) fn text(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

/// A chain for a version, as the plain commits have it.
pub(crate) fn chain(version: u64) -> Chain {
    let mut chain = [7; 16];
    chain[..8].copy_from_slice(&version.to_le_bytes());
    Chain(chain)
}

/// Checks that entries are those of plain commits, from a version on, without a gap.
pub(crate) fn assert_entries(entries: &[LogEntry], first: u64, count: u64) {
    assert_eq!(entries.len() as u64, count);
    for (entry, version) in entries.iter().zip(first..) {
        assert_eq!((entry.version, entry.chain), (Version(version), chain(version)));
        assert_eq!(entry.entry, text(&format!("entry {version}")));
    }
}

/// Runs a test to its end.
pub(crate) fn run(test: impl Future<Output = ()>) {
    runtime().block_on(test);
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    let builder =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    builder.expect("threads for the test")
}

impl Fixture {
    /// Whether what is kept outlives the store.
    pub(crate) fn survives_a_restart(&self) -> bool {
        self.url != "memory:"
    }

    /// Whether claims are those of one process, and end with it.
    pub(crate) fn forgets_claims(&self) -> bool {
        match self.kind {
            Kind::Memory | Kind::FileOs | Kind::FileDisk => true,
            Kind::Redis | Kind::RedisReplicated => false,
        }
    }

    fn partitions(&self) -> impl Iterator<Item = Partition> + use<> {
        (0..self.store.partitions()).map(Partition)
    }

    /// Deadlines that have passed, of all partitions, oldest first.
    pub(crate) async fn due(&self) -> Vec<DeadlineDue> {
        let mut all = Vec::new();
        for partition in self.partitions() {
            let due = self.store.deadlines_due(partition, 10).await.expect("it is answered");
            let first = self.store.deadlines_due(partition, 1).await.expect("it is answered");
            assert_eq!(first[..], due[..due.len().min(1)]);
            assert!(due.is_sorted_by_key(|due| (due.deadline, due.table.clone())), "{due:?}");
            all.extend(due);
        }
        all.sort_by_key(|due| (due.deadline, due.table.clone()));
        all
    }

    /// What the outbox of each partition says, read in pages of this size.
    pub(crate) async fn said(&self, limit: usize) -> Vec<(Partition, Vec<OutboxEntry>)> {
        let mut all = Vec::new();
        for partition in self.partitions() {
            let (mut cursor, mut found) = (OutboxCursor(0), Vec::new());
            loop {
                let page = self.store.outbox(partition, cursor, limit).await;
                let Ok(OutboxPage::Entries(entries)) = page else { panic!("nothing is gone") };
                let Some(last) = entries.last() else { break };
                assert!(entries.len() <= limit && last.cursor > cursor);
                cursor = last.cursor;
                found.extend(entries);
            }
            if !found.is_empty() {
                all.push((partition, found));
            }
        }
        all
    }
}

/// Limits under which a replica may take its time, as it does where machines are busy.
pub(crate) fn patient(limits: Limits) -> Limits {
    Limits { replicas_answer: Duration::from_secs(10), ..limits }
}

fn open_kind(
    kind: Kind,
    url: &str,
    clock: &Arc<ManualClock>,
    limits: Limits,
) -> Arc<dyn TableStore> {
    match kind {
        Kind::Memory | Kind::FileOs | Kind::FileDisk => {
            open_with(url, clock.clone(), limits).expect("the store opens")
        }
        Kind::Redis | Kind::RedisReplicated => {
            let limits = patient(limits);
            let time = StoreTime::OfClock(clock.clone());
            Arc::new(RedisStore::open(url, time, limits).expect("the store opens"))
        }
    }
}
