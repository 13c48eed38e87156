//! The engine beneath: its key spaces, its keys and its errors.
//!
//! **Invariant:** the only file that opens the engine or names an error of it. Key spaces: one
//! record a table; its log by version; its remembered requests by slot; the outbox by number.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::ops::{Bound, RangeInclusive};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, UserKey};

use super::aside::Aside;
use super::{SyncTo, manifest};
use crate::{DamagedPart, OpenError, StoreError, TableId, Version};

/// The form of the whole store; a program refuses a newer one.
const FORMAT: u32 = 1;

/// The folder of the engine, within that of the store.
const FOLDER: &str = "tables";

/// The file that a process locks while it has the store open.
const LOCK: &str = "lock";

/// The key spaces.
const SPACES: [&str; 5] = ["states", "log", "requests", "outbox", "meta"];

/// Bytes of journals that a start reads again, at most, more or less.
const JOURNAL_BYTES: u64 = 256 << 20;

/// Bytes that a key space keeps in memory before it writes a file. A table's state is written anew
/// with every commit, and only the last one gets into the file: the fewer files, the less work. All
/// calls are slower while a file is written and what it was written from is freed; with half as much
/// that was so twice as often, and with twice as much for longer.
const MEMTABLE_BYTES: u64 = 128 << 20;

/// How long to wait before asking again when the engine fails.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Ends the table id in a key; sorts before all that an id may hold.
const END: u8 = 0;

/// The slot of the request that created a table.
pub(super) const CREATION: u8 = u8::MAX;

/// The open engine.
pub(super) struct Tables {
    /// Let go first of all: it has a share in the key spaces.
    _aside: Aside,
    pub(super) states: Keyspace,
    pub(super) log: Keyspace,
    pub(super) requests: Keyspace,
    pub(super) outbox: Keyspace,
    meta: Keyspace,
    database: Database,
    /// Let go last of all.
    _lock: FolderLock,
}

/// The lock on the folder of a store.
struct FolderLock(File);

impl Drop for FolderLock {
    /// Lets go by name: a process that is just being started may have the file open for a moment.
    fn drop(&mut self) {
        if let Err(cause) = self.0.unlock() {
            tracing::warn!(%cause, "the lock of the store is let go only when the process ends");
        }
    }
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tables").finish_non_exhaustive()
    }
}

impl Tables {
    /// Opens the engine in a folder; says for the how-many-th time.
    pub(super) fn open(path: &Path, sync: SyncTo) -> Result<(Self, u64), OpenError> {
        std::fs::create_dir_all(path).map_err(|cause| io_open_error(path, cause.kind()))?;
        let lock = lock_folder(path)?;
        let folder = path.join(FOLDER);
        manifest::check(&folder).map_err(|cause| read_open_error(path, cause.kind()))?;
        let builder = Database::builder(&folder).worker_threads(1);
        let opened = builder.max_journaling_size(JOURNAL_BYTES).open();
        let database = opened.map_err(|cause| open_error(path, &cause))?;
        // A store that was once complete has all its key spaces.
        let is_complete = SPACES.iter().all(|name| database.keyspace_exists(name));
        let spaces = spaces_of(&database).map_err(|cause| open_error(path, &cause))?;
        let written = spaces.to_vec();
        let aside =
            Aside::start(folder, sync, written).map_err(|cause| thread_error(path, &cause))?;
        let [states, log, requests, outbox, meta] = spaces;
        let tables =
            Self { _aside: aside, states, log, requests, outbox, meta, database, _lock: lock };
        let opening = tables.count_opening(path, sync)?;
        match is_complete || opening == 1 {
            true => Ok((tables, opening)),
            false => Err(OpenError::Corrupt { path: path.to_owned() }),
        }
    }

    /// Checks the format and counts this opening.
    fn count_opening(&self, path: &Path, sync: SyncTo) -> Result<u64, OpenError> {
        let wrong = |cause: &fjall::Error| open_error(path, cause);
        let damaged = || OpenError::Corrupt { path: path.to_owned() };
        let read = |key: &str| self.meta.get(key).map_err(|cause| wrong(&cause));
        if let Some(format) = read("format")? {
            let found = u32::from_le_bytes(format.as_ref().try_into().map_err(|_| damaged())?);
            if found > FORMAT {
                return Err(OpenError::NewerFormat { path: path.to_owned(), found, known: FORMAT });
            }
        }
        let before = match read("openings")? {
            None => 0,
            Some(count) => u64::from_le_bytes(count.as_ref().try_into().map_err(|_| damaged())?),
        };
        let mut batch = self.batch(sync);
        batch.insert(&self.meta, "format", FORMAT.to_le_bytes());
        batch.insert(&self.meta, "openings", (before + 1).to_le_bytes());
        batch.commit().map_err(|cause| wrong(&cause))?;
        Ok(before + 1)
    }

    /// Begins a change that is made at once.
    pub(super) fn batch(&self, sync: SyncTo) -> OwnedWriteBatch {
        let mode = match sync {
            // The journal is laid out beforehand; what else the file needs, fdatasync brings too.
            SyncTo::Disk => PersistMode::SyncData,
            SyncTo::Os => PersistMode::Buffer,
        };
        self.database.batch().durability(Some(mode))
    }

    /// Brings all to rest.
    pub(super) fn rest(&self) -> fjall::Result<()> {
        self.database.persist(PersistMode::SyncAll)
    }
}

/// The key spaces, in the order of their names.
fn spaces_of(database: &Database) -> fjall::Result<[Keyspace; 5]> {
    let space = |name| {
        let options = || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES);
        database.keyspace(name, options)
    };
    let [states, log, requests, outbox, meta] = SPACES;
    Ok([space(states)?, space(log)?, space(requests)?, space(outbox)?, space(meta)?])
}

/// A value, if it is there. An engine that cannot read it gives `Err`.
///
/// A copy: the engine's own type for keys and values begins with some of their bytes, so that it
/// finds its way in memory by those; it could keep [`Bytes`] instead, and would follow a pointer
/// for each comparison.
pub(super) fn get(space: &Keyspace, key: &[u8]) -> fjall::Result<Option<Bytes>> {
    Ok(space.get(key)?.map(|value| Bytes::copy_from_slice(&value)))
}

/// The key of a table's record.
pub(super) fn state_key(table: &TableId) -> &[u8] {
    table.as_str().as_bytes()
}

/// The table of a record's key.
pub(super) fn table_of(key: &[u8]) -> Option<TableId> {
    std::str::from_utf8(key).ok()?.parse().ok()
}

/// What all keys of a table begin with, in the key spaces that have several.
pub(super) fn prefix(table: &TableId) -> Vec<u8> {
    let mut key = Vec::with_capacity(table.as_str().len() + 9);
    key.extend(table.as_str().as_bytes());
    key.push(END);
    key
}

/// The key of a log entry.
pub(super) fn log_key(table: &TableId, version: Version) -> Vec<u8> {
    let mut key = prefix(table);
    key.extend(version.0.to_be_bytes());
    key
}

/// The keys of log entries.
pub(super) fn log_range(
    table: &TableId,
    versions: RangeInclusive<Version>,
) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
    let (first, last) = versions.into_inner();
    (Bound::Included(log_key(table, first)), Bound::Included(log_key(table, last)))
}

/// The key of a remembered request.
pub(super) fn request_key(table: &TableId, slot: u8) -> Vec<u8> {
    let mut key = prefix(table);
    key.push(slot);
    key
}

/// The number in an outbox entry's key.
pub(super) fn outbox_number(key: &UserKey) -> Option<u64> {
    key.as_ref().try_into().ok().map(u64::from_be_bytes)
}

/// What a caller is told when a value of a table cannot be read; the cause is logged.
pub(super) fn read_error(cause: &fjall::Error, table: &TableId, what: DamagedPart) -> StoreError {
    tracing::error!(%table, %what, %cause, "a value cannot be read");
    match io_kind(cause).filter(|kind| !is_damage(*kind)) {
        Some(_) => StoreError::Unavailable { retry_after: RETRY_AFTER },
        None => StoreError::Corrupt { table: table.clone(), what },
    }
}

/// What a caller is told of an error of the engine, which is logged.
pub(super) fn store_error(path: &Path, cause: &fjall::Error) -> StoreError {
    tracing::error!(path = %path.display(), %cause, "the embedded store failed");
    // A poisoned engine does not say what happened; trying to write does.
    let kind = io_kind(cause).or_else(|| write_failure(path));
    match kind.is_some_and(is_full) {
        true => StoreError::Full,
        false => StoreError::Unavailable { retry_after: RETRY_AFTER },
    }
}

/// Why nothing can be written in a folder, if so.
fn write_failure(path: &Path) -> Option<ErrorKind> {
    let probe = path.join("probe");
    let written = std::fs::write(&probe, [0; 4096]);
    let removed = std::fs::remove_file(&probe);
    written.and(removed).err().map(|cause| cause.kind())
}

/// Locks a folder for this process, as long as the file is open.
fn lock_folder(path: &Path) -> Result<FolderLock, OpenError> {
    let failed = |cause: &std::io::Error| io_open_error(path, cause.kind());
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path.join(LOCK)).map_err(|cause| failed(&cause))?;
    match file.try_lock() {
        Ok(()) => Ok(FolderLock(file)),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(cause)) => Err(failed(&cause)),
    }
}

/// What the operator is told when the engine cannot be read at a start.
pub(super) fn open_error(path: &Path, cause: &fjall::Error) -> OpenError {
    tracing::error!(path = %path.display(), %cause, "the embedded store cannot be opened");
    match (io_kind(cause), cause) {
        (Some(kind), _) => read_open_error(path, kind),
        (None, fjall::Error::Locked) => OpenError::InUse { path: path.to_owned() },
        (None, _) => OpenError::Corrupt { path: path.to_owned() },
    }
}

fn read_open_error(path: &Path, kind: ErrorKind) -> OpenError {
    match is_damage(kind) {
        true => OpenError::Corrupt { path: path.to_owned() },
        false => io_open_error(path, kind),
    }
}

/// What the operator is told when a thread cannot be started.
pub(super) fn thread_error(path: &Path, cause: &std::io::Error) -> OpenError {
    io_open_error(path, cause.kind())
}

fn io_open_error(path: &Path, kind: ErrorKind) -> OpenError {
    match is_full(kind) {
        true => OpenError::Full { path: path.to_owned() },
        false => OpenError::NotUsable { path: path.to_owned(), kind },
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the engine may add errors at any time")]
fn io_kind(cause: &fjall::Error) -> Option<ErrorKind> {
    match cause {
        fjall::Error::Io(cause) | fjall::Error::Storage(fjall::LsmError::Io(cause)) => {
            Some(cause.kind())
        }
        _ => None,
    }
}

/// Whether a failed read means that a file of ours is missing, cut or overwritten.
fn is_damage(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::AlreadyExists
            | ErrorKind::UnexpectedEof
            | ErrorKind::InvalidData
            | ErrorKind::InvalidInput
            | ErrorKind::Other
    )
}

fn is_full(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}
