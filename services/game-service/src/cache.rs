//! Decoded tables, by id: what makes an accepted action cheap.
//!
//! **Invariant:** nothing in here is the truth. What is found is a version that the table had, and
//! that a failover may take back; whoever refuses or reads by it asks the store first.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use handfoot_store::{Mark, TableId};

use crate::limits::{CACHE_SHARDS, CACHED_TABLES_MAX};
use crate::recent::Recent;
use crate::table::Table;

/// Decoded tables.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Vec<Mutex<Shard>>,
}

type Shard = Recent<TableId, Arc<Table>>;

impl Default for Cache {
    fn default() -> Cache {
        Cache::with_room(CACHED_TABLES_MAX)
    }
}

impl Cache {
    fn with_room(tables: usize) -> Cache {
        let half = tables / CACHE_SHARDS / 2;
        Cache { shards: (0..CACHE_SHARDS).map(|_| Mutex::new(Recent::new(half))).collect() }
    }

    /// The table as it was last seen here.
    pub(crate) fn get(&self, id: &TableId) -> Option<Arc<Table>> {
        self.shard(id).get(id)
    }

    /// Keeps a table that the store gave, unless a later one is kept. `instead_of` is what the
    /// store was asked about: if that is what is kept, the store has said that it is wrong.
    pub(crate) fn put(&self, table: &Arc<Table>, instead_of: Option<Mark>) {
        let mut shard = self.shard(&table.fixed.id);
        let is_wanted = shard.peek(&table.fixed.id).is_none_or(|kept| {
            kept.mark.version < table.mark.version || Some(kept.mark) == instead_of
        });
        if is_wanted {
            shard.put(table.fixed.id.clone(), Arc::clone(table));
        }
    }

    /// Forgets a table.
    pub(crate) fn remove(&self, id: &TableId) {
        self.shard(id).remove(id);
    }

    fn shard(&self, id: &TableId) -> MutexGuard<'_, Shard> {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let at = usize::try_from(hasher.finish() % self.shards.len() as u64).unwrap_or(0);
        // No code under this lock leaves a shard half changed.
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
