//! Decoded tables, by id: what makes an accepted action cheap.
//!
//! **Invariant:** nothing in here is the truth. What is found is a version that the table had;
//! whoever refuses or reads by it asks the store first.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use handfoot_store::{Mark, TableId};

use crate::limits::{CACHE_SHARDS, CACHED_TABLES_MAX};
use crate::table::Table;

/// Decoded tables. Each shard keeps two generations: what is used moves to the young one, and when
/// that is full the old one goes.
#[derive(Debug)]
pub(crate) struct Cache {
    shards: Vec<Mutex<Shard>>,
    /// Tables in a generation of a shard.
    most: usize,
}

#[derive(Debug, Default)]
struct Shard {
    young: BTreeMap<TableId, Arc<Table>>,
    old: BTreeMap<TableId, Arc<Table>>,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache::with_room(CACHED_TABLES_MAX)
    }
}

impl Cache {
    fn with_room(tables: usize) -> Cache {
        let shards = (0..CACHE_SHARDS).map(|_| Mutex::default()).collect();
        Cache { shards, most: (tables / CACHE_SHARDS / 2).max(1) }
    }

    /// The table as it was last seen here.
    pub(crate) fn get(&self, id: &TableId) -> Option<Arc<Table>> {
        let mut shard = self.shard(id);
        if let Some(table) = shard.young.get(id) {
            return Some(Arc::clone(table));
        }
        let table = shard.old.remove(id)?;
        shard.put(Arc::clone(&table), self.most);
        Some(table)
    }

    /// Keeps a table that the store gave, unless a later one is kept. `instead_of` is what the
    /// store was asked about: if that is what is kept, the store has said that it is wrong.
    pub(crate) fn put(&self, table: &Arc<Table>, instead_of: Option<Mark>) {
        let mut shard = self.shard(&table.fixed.id);
        let kept = shard.young.get(&table.fixed.id).or(shard.old.get(&table.fixed.id));
        let is_wanted = kept.is_none_or(|kept| {
            kept.mark.version < table.mark.version || Some(kept.mark) == instead_of
        });
        if is_wanted {
            shard.put(Arc::clone(table), self.most);
        }
    }

    /// Forgets a table.
    pub(crate) fn remove(&self, id: &TableId) {
        let mut shard = self.shard(id);
        shard.young.remove(id);
        shard.old.remove(id);
    }

    fn shard(&self, id: &TableId) -> MutexGuard<'_, Shard> {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let at = usize::try_from(hasher.finish() % self.shards.len() as u64).unwrap_or(0);
        // No code under this lock leaves a shard half changed.
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    fn put(&mut self, table: Arc<Table>, most: usize) {
        self.old.remove(&table.fixed.id);
        self.young.insert(table.fixed.id.clone(), table);
        if self.young.len() > most {
            self.old = mem::take(&mut self.young);
        }
    }
}
