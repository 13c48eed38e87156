//! What is particular to the store in Redis.
//!
//! **Invariant:** a test starts its own servers, on ports that it alone has, and ends them. Where
//! something takes its time, a test waits for the fact and not for the time.

mod away;
mod costs;
mod damage;
mod durable;
mod failover;
mod groups;
mod moved;
mod places;
mod proxy;
mod refusals;
pub(crate) mod servers;
mod together;

use std::sync::Arc;
use std::time::Duration;

use handfoot_store::{
    Commit, CommitOutcome, CreateOutcome, Limits, Mark, StoreError, TableId, TableStore, Version,
    Wakeups, Woken, open_with,
};
use tokio::time::{Instant, sleep, timeout};

use crate::kit::{id, new_table, patient};
use servers::WAIT_MAX;

/// Opens a store with the time of Redis, as a service does; replicas may take their time.
fn open(url: &str) -> Arc<dyn TableStore> {
    opened(url, patient(Limits::STANDARD))
}

/// Opens a store that gives replicas as little time as a service does.
fn open_hasty(url: &str) -> Arc<dyn TableStore> {
    opened(url, Limits::STANDARD)
}

fn opened(url: &str, limits: Limits) -> Arc<dyn TableStore> {
    let clock = Arc::new(handfoot_store::SystemClock);
    open_with(url, clock, limits).unwrap_or_else(|error| panic!("{url}: {error}"))
}

/// A watcher that knows how far it was told.
struct Follower {
    watcher: Wakeups,
    told: Option<Version>,
}

impl Follower {
    /// Watches a table.
    async fn of(store: &dyn TableStore, table: &TableId) -> Self {
        let watcher = store.watch(table).await.expect("watched").expect("it is there");
        Self { watcher, told: None }
    }

    /// Waits until it was told of a version. A bell may ring once for several.
    async fn until(&mut self, version: u64) {
        let until = async {
            while self.told.is_none_or(|told| told < Version(version)) {
                let Woken::News(news) = self.watcher.next().await else { panic!("ended") };
                self.told = Some(news.version);
            }
        };
        timeout(WAIT_MAX, until).await.expect("it is told in time");
    }
}

/// Creates a table.
async fn create(store: &dyn TableStore, name: &str) -> TableId {
    let created = store.create(new_table(name)).await.expect("it is created");
    assert!(matches!(created, CreateOutcome::Created { .. }), "{created:?}");
    id(name)
}

/// Where a table stands.
async fn mark(store: &dyn TableStore, table: &TableId) -> Mark {
    store.load(table).await.expect("it loads").expect("it is there").mark
}

/// Where a table stands, as soon as the store says so.
async fn mark_of(store: &dyn TableStore, table: &TableId) -> Mark {
    let until = Instant::now() + WAIT_MAX;
    loop {
        match store.load(table).await {
            Ok(loaded) => return loaded.expect("it is there").mark,
            Err(error) => assert!(
                matches!(error, StoreError::Unavailable { .. }) && Instant::now() < until,
                "{error:?}"
            ),
        }
    }
}

/// Sends a commit again and again, as a client does, while the store is away or cannot confirm it.
async fn insist(store: &dyn TableStore, commit: Commit) -> CommitOutcome {
    let until = Instant::now() + WAIT_MAX;
    loop {
        match store.commit(commit.clone()).await {
            Ok(outcome) => return outcome,
            Err(error @ (StoreError::Unavailable { .. } | StoreError::Unconfirmed { .. })) => {
                assert!(Instant::now() < until, "{error:?} for too long");
            }
            Err(other) => panic!("{other:?}"),
        }
        sleep(Duration::from_millis(20)).await;
    }
}

/// The version that a commit has made, now or when it was sent before.
fn version_of(outcome: &CommitOutcome) -> Version {
    match outcome {
        CommitOutcome::Committed { version, .. } | CommitOutcome::Duplicate { version, .. } => {
            *version
        }
        other @ (CommitOutcome::Reused { .. }
        | CommitOutcome::LeaseLost
        | CommitOutcome::Conflict(_)
        | CommitOutcome::NotFound) => panic!("{other:?}"),
    }
}
