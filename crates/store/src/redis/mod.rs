//! Tables in Redis, for any number of processes.
//!
//! **Invariant:** every change of a table is one script, and the store's time is that of Redis. A
//! process holds nothing that another would miss: it may end at any moment. No key, no value and
//! no password comes into a log or an error.
//!
//! What is kept, in one of 256 partitions by the table's name (`PREFIX:{TAG}:` before each key):
//!
//! | key | what |
//! |---|---|
//! | `t:TABLE` | state: version, chain, times, snapshot, turns, leases, listing, the newest 128 requests with their answers (a hash) |
//! | `l:TABLE` | log, ids are versions (a stream) |
//! | `i:TABLE` | the names of those requests, oldest first (a list) |
//! | `D`, `T` | deadlines, turns owed (sorted sets, by time) |
//! | `L` | places in lists (a sorted set, by name) |
//! | `O`, `M` | the outbox (a stream), its newest number and the newest token (a hash) |
//!
//! Channels: `n:TABLE` carries each commit to watchers, `W` says that there is work for bots. Both
//! are doorbells; the log and the index are the truth, and are looked at every two seconds.
//!
//! | `?durability=` | acknowledged when | can be lost by |
//! |---|---|---|
//! | `local` | the primary has it | the loss of the primary; of its machine's power, up to a second with `appendfsync everysec` |
//! | `replicated` | one replica has it too | the loss of both at once; of the primary alone, if a replica follows that had not confirmed |
//! | `strict` | two replicas have it too | with two replicas, the loss of all three at once |
//!
//! In `replicated` and `strict` reads wait as well, so that nobody is shown a card from a commit
//! that a failover takes back. A primary that has lost its last replica acknowledges nothing until
//! one is back: with two replicas for each primary, games go on after a failover. Which of the two
//! follows is not ours to say: sentinels go by `replica-priority`, which should be equal, and then
//! by who was ahead when they last asked. Where the other one had confirmed, or is cut off together
//! with the primary, a commit is taken back; `strict` survives that too, as both have it. A primary
//! that is cut off from both stops taking changes by `min-replicas-to-write 1` and
//! `min-replicas-max-lag 3`.

mod address;
mod advice;
mod board;
mod committer;
mod dial;
mod fault;
mod keys;
mod limits;
mod link;
mod lists;
mod news;
mod node;
mod probe;
mod reply;
mod routes;
mod scripts;
mod seal;
mod sweep;
mod tables;
mod tags;
mod turns;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;

pub(crate) use self::address::RedisAddress;
pub use self::address::{AddressProblem, Durability};
use self::board::Board;
use self::dial::Dial;
use self::link::Link;
use self::news::News;
pub use self::probe::{RedisProblem, Release};
use self::routes::Routes;
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

/// Whose time a store has.
#[derive(Clone, Debug)]
pub enum StoreTime {
    /// That of Redis, the same for all processes.
    OfRedis,
    /// That of a clock, for tests.
    OfClock(Arc<dyn Clock>),
}

impl StoreTime {
    /// What a script is told: a time, or nothing if it is to ask its server.
    fn told(&self) -> String {
        match self {
            Self::OfRedis => String::new(),
            Self::OfClock(clock) => clock.now().0.to_string(),
        }
    }
}

/// Tables in Redis.
pub struct RedisStore {
    /// None when it is closed.
    open: Mutex<Option<Open>>,
    bells: Arc<Bells>,
}

/// A store that is open.
struct Open {
    inner: Arc<Inner>,
    /// Tasks of its own, begun at the first call.
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        for task in self.tasks.drain(..) {
            task.abort();
        }
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").finish_non_exhaustive()
    }
}

/// What all calls share.
#[derive(Debug)]
struct Inner {
    link: Arc<Link>,
    time: StoreTime,
    limits: Limits,
    bells: Arc<Bells>,
    board: Arc<Board>,
    news: Arc<News>,
    /// How many tables there are, as last counted.
    count: sweep::Count,
}

impl RedisStore {
    /// Opens the store at an address, after a look whether it can be used.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the address, or with Redis.
    pub fn open(url: &str, time: StoreTime, limits: Limits) -> Result<Self, OpenError> {
        let address: RedisAddress = url.parse()?;
        let authority = match &address.authority {
            None => None,
            Some(path) => Some(std::fs::read(path).map_err(|cause| {
                tracing::error!(%cause, "the certificates cannot be read");
                RedisProblem::Authority { path: path.clone() }
            })?),
        };
        let retain = address.retain;
        let dial = Arc::new(Dial::new(address, authority, limits.replicas_answer));
        probe::probe(&dial)?;
        let link = Arc::new(Link::new(Routes::new(dial)));
        let bells = Arc::new(Bells::default());
        let (board, news) = (Arc::new(Board::new()), Arc::new(News::default()));
        let count = sweep::Count::new(retain);
        let inner = Inner { link, time, limits, bells: Arc::clone(&bells), board, news, count };
        let open = Open { inner: Arc::new(inner), tasks: Vec::new() };
        Ok(Self { open: Mutex::new(Some(open)), bells })
    }

    /// Takes away every table that nobody has touched for as long as the address says, and gives
    /// how many there were. The store does so by itself, one partition after the other.
    ///
    /// # Errors
    ///
    /// Those of any call.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        self.inner()?.sweep_all().await
    }

    /// What all calls share, with the store's tasks running.
    fn inner(&self) -> Result<Arc<Inner>, StoreError> {
        let mut open = lock(&self.open);
        let Open { inner, tasks } = open.as_mut().ok_or(StoreError::Closed)?;
        if tasks.is_empty() {
            tasks.push(tokio::spawn(news::listen(Arc::clone(inner))));
            tasks.push(tokio::spawn(sweep::sweep(Arc::clone(inner))));
        }
        Ok(Arc::clone(inner))
    }
}

impl TableStore for RedisStore {
    fn create(&self, new: NewTable) -> StoreFuture<'_, CreateOutcome> {
        Box::pin(async move {
            check_new(&new)?;
            self.inner()?.create(new).await
        })
    }

    fn load<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>> {
        Box::pin(async move {
            Ok(match self.inner()?.look(table, None).await? {
                Confirmed::Changed(loaded) => Some(loaded),
                Confirmed::Unchanged { .. } | Confirmed::NotFound => None,
            })
        })
    }

    fn glance<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Loaded>> {
        Box::pin(async move { self.inner()?.glance(table).await })
    }

    fn confirm<'a>(&'a self, table: &'a TableId, mark: Mark) -> StoreFuture<'a, Confirmed> {
        Box::pin(async move { self.inner()?.look(table, Some(mark)).await })
    }

    fn commit(&self, commit: Commit) -> StoreFuture<'_, CommitOutcome> {
        Box::pin(async move {
            check_commit(&commit)?;
            self.inner()?.commit(commit).await
        })
    }

    fn history<'a>(
        &'a self,
        table: &'a TableId,
        from: Version,
        limit: usize,
    ) -> StoreFuture<'a, History> {
        let limit = limit.clamp(1, HISTORY_PAGE_MAX);
        Box::pin(async move { self.inner()?.history(table, from, limit).await })
    }

    fn watch<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Option<Wakeups>> {
        Box::pin(async move {
            let inner = self.inner()?;
            // First the bell, then the version: what is committed in between rings.
            let wakeups = inner.bells.watch(table)?;
            let Confirmed::Changed(loaded) = inner.look(table, None).await? else {
                return Ok(None);
            };
            inner.bells.tell(table, loaded.mark.version, None);
            inner.news.begins(table);
            Ok(Some(wakeups))
        })
    }

    fn partitions(&self) -> u16 {
        tags::PARTITIONS
    }

    fn deadlines_due(
        &self,
        partition: Partition,
        limit: usize,
    ) -> StoreFuture<'_, Vec<DeadlineDue>> {
        let limit = limit.clamp(1, DEADLINES_PAGE_MAX);
        Box::pin(async move { self.inner()?.deadlines_due(partition, limit).await })
    }

    fn claim_turns(&self, claim: ClaimTurns) -> StoreFuture<'_, Vec<TurnDue>> {
        let limit = claim.limit.clamp(1, CLAIMS_MAX);
        Box::pin(async move {
            check_lease(claim.length)?;
            self.inner()?.claim(&claim, limit).await
        })
    }

    fn renew_turn<'a>(
        &'a self,
        lease: &'a Lease,
        length: Duration,
    ) -> StoreFuture<'a, LeaseOutcome> {
        Box::pin(async move {
            check_lease(length)?;
            self.inner()?.lease(lease, Some(length)).await
        })
    }

    fn release_turn<'a>(&'a self, lease: &'a Lease) -> StoreFuture<'a, LeaseOutcome> {
        Box::pin(async move { self.inner()?.lease(lease, None).await })
    }

    fn work_wanted(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let inner = self.inner()?;
            inner.news.work().await;
            Ok(())
        })
    }

    fn outbox(
        &self,
        partition: Partition,
        after: OutboxCursor,
        limit: usize,
    ) -> StoreFuture<'_, OutboxPage> {
        let limit = limit.clamp(1, OUTBOX_PAGE_MAX);
        Box::pin(async move { self.inner()?.outbox(partition, after, limit).await })
    }

    fn list(
        &self,
        filter: ListFilter,
        after: Option<ListCursor>,
        limit: usize,
    ) -> StoreFuture<'_, ListPage> {
        let limit = limit.clamp(1, LIST_PAGE_MAX);
        Box::pin(async move { self.inner()?.list(&filter, after.as_ref(), limit).await })
    }

    fn delete<'a>(&'a self, table: &'a TableId) -> StoreFuture<'a, Deleted> {
        Box::pin(async move { self.inner()?.delete(table).await })
    }

    fn healthy(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move { self.inner()?.healthy().await })
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let Some(open) = lock(&self.open).take() else { return Ok(()) };
            self.bells.end_all();
            open.inner.news.end();
            Ok(())
        })
    }
}

/// Locks. No code under these locks leaves them half changed, so a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
