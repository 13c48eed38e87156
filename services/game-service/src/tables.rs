//! The table service: every table of a store, played, seated and read.
//!
//! A table is read from the store or from the cache, the next version is made from it, and the
//! store takes it or says what stands instead; then the decision is made anew. Nothing is locked
//! and nothing is owned, so any number of these may serve one store.
//!
//! **Invariant:** only an accepted action rests on the cache. A refusal and a read are answered
//! from a version that the store has confirmed in that call.

mod census;
mod commit;
mod lifts;
mod lobby;
mod log;
mod once;
mod page;
mod play;
mod read;
mod seating;

use std::fmt;
use std::sync::Arc;

use handfoot_store::{Confirmed, Loaded, Mark, Millis, TableId, TableStore};
use tokio::sync::Notify;

pub(crate) use lifts::Lift;
pub(crate) use lobby::{NewTableRequest, TokenFor};
pub(crate) use log::Part;
pub(crate) use page::{Page, PageToken};
pub(crate) use play::Submission;
pub(crate) use read::Reading;
pub(crate) use seating::Occupancy;

use crate::cache::Cache;
use crate::drain::Drain;
use crate::error::{Answer, ApiError};
use crate::metrics::Metrics;
use crate::table::{Fixed, SecretSource, Table};
use crate::watch::Hub;

/// The table service. Cloning it gives another handle to the same.
#[derive(Clone)]
pub struct Tables {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn TableStore>,
    secrets: Arc<dyn SecretSource>,
    cache: Cache,
    hub: Hub,
    /// Rings when a commit of this process leaves a bot something to do.
    work: Notify,
    drain: Drain,
    metrics: Metrics,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("store", &self.inner.store).finish_non_exhaustive()
    }
}

impl Tables {
    /// The service over a store. When a drain starts, streams end and waiting workers are
    /// answered at once.
    #[must_use]
    pub fn new(store: Arc<dyn TableStore>, secrets: Arc<dyn SecretSource>, drain: Drain) -> Tables {
        Tables::counted(store, secrets, drain, Metrics::default())
    }

    /// The same, and it is counted what it does.
    #[must_use]
    pub fn counted(
        store: Arc<dyn TableStore>,
        secrets: Arc<dyn SecretSource>,
        drain: Drain,
        metrics: Metrics,
    ) -> Tables {
        let inner = Inner {
            store,
            secrets,
            cache: Cache::default(),
            hub: Hub::default(),
            work: Notify::new(),
            drain,
            metrics,
        };
        Tables { inner: Arc::new(inner) }
    }

    pub(crate) fn store(&self) -> &dyn TableStore {
        &*self.inner.store
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    pub(crate) fn work(&self) -> &Notify {
        &self.inner.work
    }

    pub(crate) fn drain(&self) -> &Drain {
        &self.inner.drain
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }

    /// A version of the table: the cached one, which may be old, or the store's.
    async fn seen(&self, id: &TableId) -> Answer<Arc<Table>> {
        match self.inner.cache.get(id) {
            Some(table) => Ok(table),
            None => self.confirmed(id).await.map(|(table, _)| table),
        }
    }

    /// A version of the table for a request that was decided at a version: the cached one if it is
    /// as new, or else what the store has at a glance. Where other replicas have played, an older
    /// one would only be refused, and to ask the store about a refusal costs more than a glance.
    async fn reached(&self, id: &TableId, expected: u64) -> Answer<Arc<Table>> {
        let cached = self.inner.cache.get(id);
        if let Some(table) = cached.as_ref().filter(|table| table.mark.version.0 >= expected) {
            return Ok(Arc::clone(table));
        }
        match self.store().glance(id).await? {
            Some(glanced) => self.adopt(id, &glanced, cached.as_ref()),
            // That there is none is a refusal, which a glance is not good for.
            None => self.confirmed(id).await.map(|(table, _)| table),
        }
    }

    /// The table as it stands in the store now, and the store's time.
    pub(crate) async fn confirmed(&self, id: &TableId) -> Answer<(Arc<Table>, Millis)> {
        let Some(table) = self.inner.cache.get(id) else {
            let loaded = self.store().load(id).await?.ok_or(ApiError::TableNotFound)?;
            return Ok((self.adopt(id, &loaded, None)?, loaded.now));
        };
        match self.store().confirm(id, table.mark).await? {
            Confirmed::Unchanged { now } => Ok((table, now)),
            Confirmed::Changed(loaded) => Ok((self.adopt(id, &loaded, Some(&table))?, loaded.now)),
            Confirmed::NotFound => Err(self.forget(id)),
        }
    }

    /// Takes what the store gave for what stands. `instead_of` is what it was asked about.
    fn adopt(
        &self,
        id: &TableId,
        loaded: &Loaded,
        instead_of: Option<&Arc<Table>>,
    ) -> Answer<Arc<Table>> {
        if let Some(same) = instead_of.filter(|table| table.mark == loaded.mark) {
            return Ok(Arc::clone(same));
        }
        let known: Option<&Arc<Fixed>> = instead_of.map(|table| &table.fixed);
        let table = Table::of_loaded(id, loaded, known).inspect_err(|error| {
            tracing::error!(table = %id, version = %loaded.mark.version, %error, "unreadable table");
        })?;
        let table = Arc::new(table);
        let asked: Option<Mark> = instead_of.map(|table| table.mark);
        self.inner.cache.put(&table, asked);
        Ok(table)
    }

    fn forget(&self, id: &TableId) -> ApiError {
        self.inner.cache.remove(id);
        ApiError::TableNotFound
    }
}
