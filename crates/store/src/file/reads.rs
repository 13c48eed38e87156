//! What is read from the embedded store without its writer.
//!
//! **Invariant:** nothing is changed. Reads are done in place: they are few point look-ups or one
//! short range, from memory as a rule, and shorter than handing over to a thread.

use std::ops::Bound;

use super::codec;
use super::lock;
use super::tables::{RETRY_AFTER, get, log_range, read_error, state_key};
use super::writer::Common;
use crate::head::Head;
use crate::{
    Confirmed, DamagedPart, History, Loaded, LogEntry, Mark, OutboxCursor, OutboxEntry, OutboxPage,
    StoreError, TableId, Version,
};
use bytes::Bytes;

/// How often a range is read again because what it began with was taken away meanwhile.
const ATTEMPTS: usize = 3;

impl Common {
    /// A table as it stands.
    pub(super) fn load(&self, table: &TableId) -> Result<Option<Loaded>, StoreError> {
        let what = DamagedPart::Snapshot;
        let corrupt = || StoreError::Corrupt { table: table.clone(), what };
        let key = state_key(table);
        let Some(record) =
            get(&self.tables.states, key).map_err(|cause| read_error(&cause, table, what))?
        else {
            return Ok(None);
        };
        let (head, snapshot) = codec::read_state(key, &record).ok_or_else(corrupt)?;
        Ok(Some(head.loaded(self.clock.now(), snapshot)))
    }

    /// Whether a table stands at a mark.
    pub(super) fn confirm(&self, table: &TableId, mark: Mark) -> Result<Confirmed, StoreError> {
        let now = self.clock.now();
        match self.head(table)? {
            None => return Ok(Confirmed::NotFound),
            Some(head) if head.mark == mark => {
                return Ok(Confirmed::Unchanged { now: head.at.max(now) });
            }
            Some(_) => {}
        }
        Ok(match self.load(table)? {
            None => Confirmed::NotFound,
            // It survives already, and is about to be shown.
            Some(loaded) if loaded.mark == mark => Confirmed::Unchanged { now: loaded.now },
            Some(loaded) => Confirmed::Changed(loaded),
        })
    }

    /// A part of a table's log.
    pub(super) fn history(
        &self,
        table: &TableId,
        from: Version,
        limit: usize,
    ) -> Result<History, StoreError> {
        let from = from.max(Version(1));
        let what = DamagedPart::LogGap;
        for _ in 0..ATTEMPTS {
            let Some(head) = self.head(table)? else { return Ok(History::NotFound) };
            if from < head.log_oldest {
                return Ok(History::Gone { oldest: head.log_oldest });
            }
            let last = Version(head.mark.version.0.min(from.0.saturating_add(limit as u64 - 1)));
            if let Some(entries) = self.entries(table, from, last)? {
                return Ok(History::Entries(entries));
            }
        }
        Err(StoreError::Corrupt { table: table.clone(), what })
    }

    /// Log entries without a gap; `None` if there is one.
    fn entries(
        &self,
        table: &TableId,
        first: Version,
        last: Version,
    ) -> Result<Option<Vec<LogEntry>>, StoreError> {
        let what = DamagedPart::LogEntry;
        let corrupt = || StoreError::Corrupt { table: table.clone(), what };
        let mut entries = Vec::new();
        if first > last {
            return Ok(Some(entries));
        }
        let mut expected = first;
        for pair in self.tables.log.range(log_range(table, first..=last)) {
            let (key, record) =
                pair.into_inner().map_err(|cause| read_error(&cause, table, what))?;
            let entry =
                codec::read_entry(&key, &Bytes::copy_from_slice(&record)).ok_or_else(corrupt)?;
            if entry.version != expected {
                return Ok(None);
            }
            expected = expected.next();
            entries.push(entry);
        }
        Ok((expected > last).then_some(entries))
    }

    /// A part of the outbox.
    pub(super) fn outbox(
        &self,
        after: OutboxCursor,
        limit: usize,
    ) -> Result<OutboxPage, StoreError> {
        loop {
            let shown = lock(&self.shown);
            let (oldest, next) = (shown.outbox_oldest, shown.outbox_next);
            drop(shown);
            if after.0 >= next {
                return Ok(OutboxPage::Gone { resume: OutboxCursor(next - 1) });
            }
            if after.0 + 1 < oldest {
                return Ok(OutboxPage::Gone { resume: OutboxCursor(oldest - 1) });
            }
            let end = next.min(after.0.saturating_add(1 + limit as u64));
            let entries = self.outbox_entries(after.0 + 1, end)?;
            // What the range began with may have been dropped while it was read.
            let is_whole = lock(&self.shown).outbox_oldest <= after.0 + 1;
            if is_whole {
                return Ok(OutboxPage::Entries(entries));
            }
        }
    }

    fn outbox_entries(&self, first: u64, end: u64) -> Result<Vec<OutboxEntry>, StoreError> {
        let range = (Bound::Included(first.to_be_bytes()), Bound::Excluded(end.to_be_bytes()));
        let mut entries = Vec::new();
        for pair in self.tables.outbox.range(range) {
            let (key, record) = pair.into_inner().map_err(|cause| self.unreadable(&cause))?;
            match codec::read_outbox(&key, &Bytes::copy_from_slice(&record)) {
                Some(entry) => entries.push(entry),
                // It names no table any more; the rest is worth more than a stop.
                None => tracing::error!(?key, "an entry of the outbox is damaged and left out"),
            }
        }
        Ok(entries)
    }

    /// What a caller is told when the engine cannot read something that belongs to no table.
    fn unreadable(&self, cause: &fjall::Error) -> StoreError {
        tracing::error!(path = %self.path.display(), %cause, "the embedded store cannot be read");
        StoreError::Unavailable { retry_after: RETRY_AFTER }
    }

    fn head(&self, table: &TableId) -> Result<Option<std::sync::Arc<Head>>, StoreError> {
        Ok(lock(&self.shown).index.head(table)?.cloned())
    }
}
