//! Stores that things happen to on the way: they are away, lose answers, go back to an older copy,
//! or take their time while the test's time stands still.
//!
//! **Invariant:** what is behind them is a real store; they change what is answered, never what is
//! kept.

use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use handfoot_store::{
    ClaimTurns, Clock, Commit, CommitOutcome, Confirmed, CreateOutcome, DeadlineDue, Deleted,
    History, Lease, LeaseOutcome, Limits, ListCursor, ListFilter, ListPage, Loaded, Mark,
    MemoryStore, NewTable, OutboxCursor, OutboxPage, Partition, StoreError, StoreFuture, TableId,
    TableStore, TurnDue, Version, Wakeups,
};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

/// When a store that is away is to be asked again.
pub(crate) const RETRY_AFTER: Duration = Duration::from_millis(40);

/// A call to a store, for as many stores as it is to reach.
type Call<'a, T> = Box<dyn Fn(Arc<dyn TableStore>) -> StoreFuture<'static, T> + Send + Sync + 'a>;

/// Whether a call changes what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It may give what is old, or what will not survive.
    Glances,
    Reads,
    Writes,
}

/// The way from a service to its store.
trait Way: Send + Sync + Debug {
    fn carry<'a, T: Send + 'static>(
        &'a self,
        effect: Effect,
        call: Call<'a, T>,
    ) -> StoreFuture<'a, T>;
}

/// A store whose answers take real time, which does not pass for the test meanwhile: paused time
/// goes on only while no thread is at work.
#[derive(Debug)]
pub(crate) struct Patient {
    store: Arc<dyn TableStore>,
    /// Whose time the store has.
    runtime: Option<Handle>,
}

impl Patient {
    /// Within the test's runtime.
    pub(crate) fn here(store: Arc<dyn TableStore>) -> Patient {
        Patient { store, runtime: None }
    }

    /// Within a runtime whose time goes on, for a store that waits for other processes.
    pub(crate) fn elsewhere(store: Arc<dyn TableStore>) -> Patient {
        static ELSEWHERE: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
        Patient { store, runtime: Some(ELSEWHERE.handle().clone()) }
    }
}

impl Way for Patient {
    fn carry<'a, T: Send + 'static>(&'a self, _: Effect, call: Call<'a, T>) -> StoreFuture<'a, T> {
        let threads = self.runtime.clone().unwrap_or_else(Handle::current);
        let answer = call(Arc::clone(&self.store));
        Box::pin(async move { spawn_blocking(move || threads.block_on(answer)).await.unwrap() })
    }
}

/// What a service notices of its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    /// It answers.
    Fair,
    /// It does not, and does nothing.
    Away,
    /// It says nothing at all, and never will.
    Hangs,
    /// It does what it is asked, and the answer to a change is lost.
    LosesAnswers,
}

/// A store and its copy, to which it fails over.
#[derive(Debug)]
pub(crate) struct Shaky {
    first: Arc<dyn TableStore>,
    copy: Arc<dyn TableStore>,
    now: Mutex<Now>,
    /// Told of each call that hangs.
    hangs: Notify,
    /// Held for each change, so that both take changes in one order.
    order: tokio::sync::Mutex<()>,
}

#[derive(Clone, Copy, Debug)]
struct Now {
    weather: Weather,
    copying: Copying,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copying {
    /// The copy takes every change.
    Follows,
    /// It has missed the changes since.
    Lags,
    /// It has taken the place of the first.
    InUse,
}

impl Shaky {
    pub(crate) fn new(clock: &Arc<dyn Clock>, limits: Limits) -> Shaky {
        let store = || Arc::new(MemoryStore::new(Arc::clone(clock), limits));
        let now = Mutex::new(Now { weather: Weather::Fair, copying: Copying::Follows });
        let (hangs, order) = (Notify::new(), tokio::sync::Mutex::default());
        Shaky { first: store(), copy: store(), now, hangs, order }
    }

    /// Waits until a call hangs.
    pub(crate) async fn hangs(&self) {
        self.hangs.notified().await;
    }

    pub(crate) fn weather(&self, weather: Weather) {
        self.now.lock().unwrap().weather = weather;
    }

    /// From now on the copy takes no change.
    pub(crate) fn lag(&self) {
        self.now.lock().unwrap().copying = Copying::Lags;
    }

    /// What the copy has is all there is; whoever watches the first hears nothing more.
    pub(crate) fn fail_over(&self) {
        self.now.lock().unwrap().copying = Copying::InUse;
    }
}

impl Way for Shaky {
    fn carry<'a, T: Send + 'static>(
        &'a self,
        effect: Effect,
        call: Call<'a, T>,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let held = self.order.lock().await;
            let Now { weather, copying } = *self.now.lock().unwrap();
            if weather == Weather::Away {
                return Err(StoreError::Unavailable { retry_after: RETRY_AFTER });
            }
            if weather == Weather::Hangs {
                drop(held);
                self.hangs.notify_one();
                return std::future::pending().await;
            }
            let (used, behind) = match copying {
                Copying::Follows | Copying::Lags => (&self.first, &self.copy),
                Copying::InUse => (&self.copy, &self.first),
            };
            match effect {
                // The worst that a glance may give: what is old, or what was lost.
                Effect::Glances => return call(Arc::clone(behind)).await,
                Effect::Reads => return call(Arc::clone(used)).await,
                Effect::Writes => {}
            }
            let answer = call(Arc::clone(used)).await;
            if copying == Copying::Follows {
                // It answers as the first does, being its equal.
                let _ = call(Arc::clone(behind)).await;
            }
            match weather {
                Weather::Fair | Weather::Away | Weather::Hangs => answer,
                Weather::LosesAnswers => Err(StoreError::Unavailable { retry_after: RETRY_AFTER }),
            }
        })
    }
}

/// Methods of a store that own what they are asked, each carried by the way.
macro_rules! carried {
    ($($effect:ident $method:ident($($name:ident: $type:ty),*) -> $answer:ty;)+) => {
        $(
            fn $method(&self, $($name: $type),*) -> StoreFuture<'_, $answer> {
                self.carry(Effect::$effect, Box::new(move |store| {
                    $(let $name = $name.clone();)*
                    Box::pin(async move { store.$method($($name),*).await })
                }))
            }
        )+
    };
}

/// Methods that borrow what they are asked about.
macro_rules! carried_by_ref {
    ($($effect:ident $method:ident($key:ident: $of:ty $(, $name:ident: $type:ty)*) -> $answer:ty;)+) => {
        $(
            fn $method<'a>(&'a self, $key: &'a $of, $($name: $type),*) -> StoreFuture<'a, $answer> {
                self.carry(Effect::$effect, Box::new(move |store| {
                    let $key = $key.clone();
                    $(let $name = $name.clone();)*
                    Box::pin(async move { store.$method(&$key, $($name),*).await })
                }))
            }
        )+
    };
}

macro_rules! store {
    ($way:ident) => {
        impl TableStore for $way {
            carried! {
                Writes create(new: NewTable) -> CreateOutcome;
                Writes commit(commit: Commit) -> CommitOutcome;
                Reads deadlines_due(partition: Partition, limit: usize) -> Vec<DeadlineDue>;
                Writes claim_turns(claim: ClaimTurns) -> Vec<TurnDue>;
                Reads outbox(partition: Partition, after: OutboxCursor, limit: usize) -> OutboxPage;
                Reads list(filter: ListFilter, after: Option<ListCursor>, limit: usize) -> ListPage;
                Reads healthy() -> ();
                Writes close() -> ();
            }
            carried_by_ref! {
                Reads load(table: TableId) -> Option<Loaded>;
                Glances glance(table: TableId) -> Option<Loaded>;
                Reads confirm(table: TableId, mark: Mark) -> Confirmed;
                Reads history(table: TableId, from: Version, limit: usize) -> History;
                Reads watch(table: TableId) -> Option<Wakeups>;
                Writes renew_turn(lease: Lease, length: Duration) -> LeaseOutcome;
                Writes release_turn(lease: Lease) -> LeaseOutcome;
                Writes delete(table: TableId) -> Deleted;
            }

            fn partitions(&self) -> u16 {
                1
            }
        }
    };
}

store!(Patient);
store!(Shaky);
