//! A cold start: reads every table's record once and builds the index from them.
//!
//! **Invariant:** writes nothing. A record that does not add up costs its own table only.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use super::codec;
use super::tables::{Tables, open_error, outbox_number, table_of};
use crate::index::Index;
use crate::{DamagedPart, OpenError};

/// What calls see: everything that survived.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) index: Index,
    /// The number of the oldest outbox entry; the next number if there is none.
    pub(super) outbox_oldest: u64,
    /// The number of the next outbox entry.
    pub(super) outbox_next: u64,
}

/// Reads the index.
pub(super) fn recover(tables: &Tables, path: &Path, opening: u64) -> Result<Shown, OpenError> {
    let mut index = Index::new(opening);
    for pair in tables.states.iter() {
        let (key, record) = pair.into_inner().map_err(|cause| open_error(path, &cause))?;
        let Some(table) = table_of(&key) else {
            tracing::error!(path = %path.display(), "a record has no table's key; it is left alone");
            continue;
        };
        match codec::read_state(&key, &Bytes::copy_from_slice(&record)) {
            Some((head, _)) => index.put(&table, &Arc::new(head)),
            None => {
                tracing::error!(%table, "the record of a table is damaged");
                index.damage(table, DamagedPart::Snapshot);
            }
        }
    }
    let number = |pair: Option<fjall::Guard>| match pair {
        None => Ok::<_, OpenError>(None),
        Some(pair) => {
            let key = pair.key().map_err(|cause| open_error(path, &cause))?;
            Ok(outbox_number(&key))
        }
    };
    let newest = number(tables.outbox.last_key_value())?.unwrap_or(0);
    let oldest = number(tables.outbox.first_key_value())?.unwrap_or(newest + 1);
    Ok(Shown { index, outbox_oldest: oldest, outbox_next: newest + 1 })
}
