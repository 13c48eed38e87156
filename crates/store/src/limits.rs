//! Every numeric limit of a store, in one place.
//!
//! **Invariant:** numbers only. What is over a limit is refused with [`crate::StoreError::Limit`]
//! before anything is written; a page that asks for more is given the most there may be.

use std::time::Duration;

/// Bytes of a snapshot, at most.
pub const SNAPSHOT_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a log entry, at most.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;

/// Bytes of a remembered answer, at most.
pub const ANSWER_BYTES_MAX: usize = 16 * 1024;

/// Bytes of a table's summary in lists, at most.
pub const SUMMARY_BYTES_MAX: usize = 1024;

/// Bytes of one outbox entry, at most.
pub const OUTBOX_BYTES_MAX: usize = 64 * 1024;

/// Outbox entries of one commit, at most.
pub const OUTBOX_PER_COMMIT_MAX: usize = 16;

/// Turns that one table may owe at once, at most.
pub const TURNS_MAX: usize = 16;

/// Request ids that a table remembers: the newest.
pub const REQUESTS_KEPT: usize = 128;

/// Characters of a table id, tenant or other name, at most.
pub const TEXT_MAX: usize = 64;

/// Entries of a page of history, at most.
pub const HISTORY_PAGE_MAX: usize = 512;

/// Tables of a page of a list, at most.
pub const LIST_PAGE_MAX: usize = 200;

/// Tables looked at for one page of a list, at most; a page may be short because of it.
pub const LIST_SCAN_MAX: usize = 4_096;

/// Entries of a page of the outbox, at most.
pub const OUTBOX_PAGE_MAX: usize = 256;

/// Deadlines given at once, at most.
pub const DEADLINES_PAGE_MAX: usize = 256;

/// Turns claimed at once, at most.
pub const CLAIMS_MAX: usize = 64;

/// Length of a lease, at most.
pub const LEASE_MAX: Duration = Duration::from_secs(600);

/// Watchers of one table on one store object, at most.
pub const WATCHERS_PER_TABLE_MAX: usize = 4_096;

/// Limits on what grows with use; a test may choose smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Tables, at most.
    pub tables: usize,
    /// Log entries kept for each table: the newest.
    pub log_entries: usize,
    /// Outbox entries kept in each partition: the newest.
    pub outbox_entries: usize,
    /// How long replicas may take to say that they have a change, where the address asks for them.
    pub replicas_answer: Duration,
}

impl Limits {
    /// The limits of a store in use.
    pub const STANDARD: Self = Self {
        tables: 100_000,
        log_entries: 4_096,
        outbox_entries: 100_000,
        replicas_answer: Duration::from_millis(100),
    };
}
