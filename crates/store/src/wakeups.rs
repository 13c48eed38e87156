//! Who waits for news of a table.
//!
//! **Invariant:** a doorbell, not the truth: it may ring once for several commits, never misses
//! the last one, and carries that one's entry so that a watcher who is up to date need not read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::watch;

use crate::limits::WATCHERS_PER_TABLE_MAX;
use crate::{Limited, LogEntry, Mark, StoreError, TableId, Version};

/// News of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wakeup {
    /// The newest version. It is an older one than before if commits were lost with a server.
    pub version: Version,
    /// The newest commit, if it was made since the table was first watched.
    pub entry: Option<LogEntry>,
}

/// What a watcher is woken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There is news.
    News(Wakeup),
    /// There will be none: the table is deleted or the store closed.
    Ended,
}

/// A watcher of one table. The first wake-up comes at once, with the version as it stands.
#[derive(Debug)]
pub struct Wakeups {
    table: TableId,
    /// Always there until the watcher is dropped.
    receiver: Option<watch::Receiver<Wakeup>>,
    bells: Weak<Bells>,
}

impl Wakeups {
    /// Waits for news. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Woken {
        let Some(receiver) = &mut self.receiver else { return Woken::Ended };
        match receiver.changed().await {
            Ok(()) => Woken::News(receiver.borrow_and_update().clone()),
            Err(_) => Woken::Ended,
        }
    }
}

impl Drop for Wakeups {
    fn drop(&mut self) {
        self.receiver = None;
        if let Some(bells) = self.bells.upgrade() {
            bells.tidy(&self.table);
        }
    }
}

/// The bells of all tables that are watched.
#[derive(Debug)]
pub(crate) struct Bells(Mutex<Option<Ringing>>);

/// A bell for each table.
type Ringing = BTreeMap<TableId, watch::Sender<Wakeup>>;

impl Default for Bells {
    fn default() -> Self {
        Self(Mutex::new(Some(Ringing::new())))
    }
}

impl Bells {
    /// Adds a watcher. Its version is still to be told, by [`Self::tell`].
    pub(crate) fn watch(self: &Arc<Self>, table: &TableId) -> Result<Wakeups, StoreError> {
        let mut ringing = self.lock();
        let bells = ringing.as_mut().ok_or(StoreError::Closed)?;
        let bell = bells
            .entry(table.clone())
            .or_insert_with(|| watch::Sender::new(Wakeup { version: Version(0), entry: None }));
        if bell.receiver_count() >= WATCHERS_PER_TABLE_MAX {
            return Err(StoreError::Limit { what: Limited::Watchers, max: WATCHERS_PER_TABLE_MAX });
        }
        let mut receiver = bell.subscribe();
        receiver.mark_changed();
        let bells = Arc::downgrade(self);
        Ok(Wakeups { table: table.clone(), receiver: Some(receiver), bells })
    }

    /// Tells the watchers which version stands; nothing if they know a newer one.
    pub(crate) fn tell(&self, table: &TableId, version: Version, entry: Option<&LogEntry>) {
        let ringing = self.lock();
        let Some(bell) = ringing.as_ref().and_then(|bells| bells.get(table)) else { return };
        bell.send_if_modified(|news| {
            let is_news = news.version < version;
            if is_news {
                *news = Wakeup { version, entry: entry.cloned() };
            }
            is_news
        });
    }

    /// The tables that are watched.
    pub(crate) fn watched(&self) -> Vec<TableId> {
        self.lock().as_ref().map_or(Vec::new(), |bells| bells.keys().cloned().collect())
    }

    /// The newest version that the watchers of a table were told.
    pub(crate) fn known(&self, table: &TableId) -> Option<Version> {
        let ringing = self.lock();
        ringing.as_ref()?.get(table).map(|bell| bell.borrow().version)
    }

    /// Tells the watchers that a table stands elsewhere than they were told: further back than
    /// `known`, which they had been told before somebody looked, or in another history. What they
    /// were told was lost.
    pub(crate) fn correct(&self, table: &TableId, known: Option<Version>, stands: Mark) {
        let ringing = self.lock();
        let Some(bell) = ringing.as_ref().and_then(|bells| bells.get(table)) else { return };
        bell.send_if_modified(|news| {
            let was_told = news.entry.as_ref().filter(|entry| entry.version == news.version);
            let is_other = news.version == stands.version
                && was_told.is_some_and(|entry| entry.chain != stands.chain);
            let is_back = Some(news.version) == known && stands.version < news.version;
            if is_other || is_back {
                *news = Wakeup { version: stands.version, entry: None };
            }
            is_other || is_back
        });
    }

    /// Ends the watchers of a table.
    pub(crate) fn end(&self, table: &TableId) {
        if let Some(bells) = self.lock().as_mut() {
            bells.remove(table);
        }
    }

    /// Ends all watchers, and those to come.
    pub(crate) fn end_all(&self) {
        *self.lock() = None;
    }

    /// Takes down a bell that nobody hears.
    fn tidy(&self, table: &TableId) {
        let mut ringing = self.lock();
        let Some(bells) = ringing.as_mut() else { return };
        if bells.get(table).is_some_and(|bell| bell.receiver_count() == 0) {
            bells.remove(table);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Ringing>> {
        // No code under this lock can leave the map half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bell_goes_with_its_last_watcher() {
        let bells = Arc::new(Bells::default());
        let table: TableId = "a".parse().unwrap();
        let first = bells.watch(&table).unwrap();
        let second = bells.watch(&table).unwrap();
        drop(first);
        assert_eq!(bells.lock().as_ref().unwrap().len(), 1);
        drop(second);
        assert!(bells.lock().as_ref().unwrap().is_empty());
    }

    #[test]
    fn watchers_of_a_table_are_limited() {
        let bells = Arc::new(Bells::default());
        let table: TableId = "a".parse().unwrap();
        let watchers: Vec<Wakeups> =
            (0..WATCHERS_PER_TABLE_MAX).map(|_| bells.watch(&table).unwrap()).collect();
        let max = WATCHERS_PER_TABLE_MAX;
        let refused = bells.watch(&table).unwrap_err();
        assert_eq!(refused, StoreError::Limit { what: Limited::Watchers, max });
        assert!(bells.watch(&"b".parse().unwrap()).is_ok());
        drop(watchers);
        assert!(bells.watch(&table).is_ok());
    }
}
