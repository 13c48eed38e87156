//! What can go wrong with a store, and what a caller should do about it.
//!
//! **Invariant:** a [`StoreError`] may be forwarded: it holds no text of the operating system, no
//! path and no key. Causes are logged where they happen. An [`OpenError`] is for the operator.

use std::path::PathBuf;
use std::time::Duration;

use crate::{AddressProblem, RedisProblem, TableId};

/// Why a store did not do what it was asked.
///
/// After any error from a commit but [`StoreError::Limit`] and [`StoreError::Corrupt`], the commit
/// may stand all the same: asking again with the same request id tells.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store is away.
    #[error("the store is not available")]
    Unavailable {
        /// How long to wait before asking again.
        retry_after: Duration,
    },
    /// The change stands, but too few replicas have it yet: a failover may still lose it.
    #[error("the change stands, but too few replicas have it yet")]
    Unconfirmed {
        /// How long to wait before asking again, with the same request id.
        retry_after: Duration,
    },
    /// What is kept of one table does not add up. Other tables are not affected.
    #[error("what is kept of table {table} is damaged: {what}")]
    Corrupt {
        /// The table.
        table: TableId,
        /// What is damaged.
        what: DamagedPart,
    },
    /// There is no room left.
    #[error("the store is full")]
    Full,
    /// What was given is over a limit, or a limit on the number of things is reached.
    #[error("over the limit of {what}: at most {max}")]
    Limit {
        /// Which limit.
        what: Limited,
        /// Its value.
        max: usize,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// What the caller should do.
    #[must_use]
    pub const fn advice(&self) -> Advice {
        match self {
            Self::Unavailable { retry_after } | Self::Unconfirmed { retry_after } => {
                Advice::SameAgain { retry_after: *retry_after }
            }
            Self::Corrupt { .. } => Advice::RestoreTable,
            Self::Full => Advice::MakeRoom,
            Self::Limit { what, .. } => match what {
                Limited::Tables | Limited::Watchers => Advice::AskForLess,
                Limited::SnapshotBytes
                | Limited::EntryBytes
                | Limited::AnswerBytes
                | Limited::SummaryBytes
                | Limited::OutboxBytes
                | Limited::OutboxEntries
                | Limited::Turns
                | Limited::Lease => Advice::FixRequest,
            },
            Self::Closed => Advice::GiveUp,
        }
    }
}

/// What to do about a [`StoreError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Send the same request again, with the same request id.
    SameAgain {
        /// After how long.
        retry_after: Duration,
    },
    /// Send something smaller.
    FixRequest,
    /// Delete tables or close watchers first.
    AskForLess,
    /// The operator must make room; a store in files is then opened again.
    MakeRoom,
    /// The operator must bring the table back from a copy, or delete it.
    RestoreTable,
    /// The process is ending.
    GiveUp,
}

/// Which part of a table is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum DamagedPart {
    /// Its snapshot, or what is kept with it.
    #[error("snapshot")]
    Snapshot,
    /// A log entry.
    #[error("log entry")]
    LogEntry,
    /// A log entry is missing between others.
    #[error("gap in the log")]
    LogGap,
    /// A remembered request.
    #[error("remembered request")]
    Request,
    /// An outbox entry.
    #[error("outbox entry")]
    Outbox,
}

/// Which limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Limited {
    /// Bytes of a snapshot.
    #[error("bytes of a snapshot")]
    SnapshotBytes,
    /// Bytes of a log entry.
    #[error("bytes of a log entry")]
    EntryBytes,
    /// Bytes of an answer.
    #[error("bytes of an answer")]
    AnswerBytes,
    /// Bytes of a summary.
    #[error("bytes of a summary")]
    SummaryBytes,
    /// Bytes of an outbox entry.
    #[error("bytes of an outbox entry")]
    OutboxBytes,
    /// Outbox entries of a commit.
    #[error("outbox entries of a commit")]
    OutboxEntries,
    /// Turns owed at a table.
    #[error("turns owed at a table")]
    Turns,
    /// Milliseconds of a lease.
    #[error("milliseconds of a lease")]
    Lease,
    /// Tables in the store.
    #[error("tables")]
    Tables,
    /// Watchers of a table.
    #[error("watchers of a table")]
    Watchers,
}

/// Why a store could not be opened. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address does not name a store.
    #[error("no store has the address {url:?}; use {supported}", supported = crate::SCHEMES.join(" or "))]
    UnknownScheme {
        /// What was given.
        url: String,
    },
    /// The address of a Redis store is written wrongly.
    #[error("the store address {0}")]
    Address(#[from] AddressProblem),
    /// A Redis store cannot be used.
    #[error(transparent)]
    Redis(#[from] RedisProblem),
    /// The address has an option that is not known, or a value that is not.
    #[error("the store address has the option {option:?}; known are sync=disk and sync=os")]
    UnknownOption {
        /// The option.
        option: String,
    },
    /// The address names no path.
    #[error("the store address names no path; write file:PATH")]
    NoPath,
    /// Another process has it open.
    #[error("{path} is in use by another process; stop that one, or name another path")]
    InUse {
        /// The path.
        path: PathBuf,
    },
    /// It cannot be read or written.
    #[error(
        "{path} cannot be used ({kind}); it must be a folder that this user may read and write"
    )]
    NotUsable {
        /// The path.
        path: PathBuf,
        /// What the system says.
        kind: std::io::ErrorKind,
    },
    /// There is no room.
    #[error("no room is left at {path}; make room and start again")]
    Full {
        /// The path.
        path: PathBuf,
    },
    /// What is there is damaged as a whole.
    #[error(
        "the store at {path} is damaged; bring it back from a copy, or move it away to begin anew"
    )]
    Corrupt {
        /// The path.
        path: PathBuf,
    },
    /// It was written by a newer program.
    #[error(
        "the store at {path} has format {found}, this program reads {known}; use the newer program"
    )]
    NewerFormat {
        /// The path.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that is known here.
        known: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_advice_and_says_nothing_of_the_machine() {
        let retry_after = Duration::from_millis(250);
        let table: TableId = "t-1".parse().unwrap();
        let rows = [
            (StoreError::Unavailable { retry_after }, Advice::SameAgain { retry_after }),
            (StoreError::Unconfirmed { retry_after }, Advice::SameAgain { retry_after }),
            (StoreError::Corrupt { table, what: DamagedPart::LogGap }, Advice::RestoreTable),
            (StoreError::Full, Advice::MakeRoom),
            (StoreError::Limit { what: Limited::Tables, max: 3 }, Advice::AskForLess),
            (StoreError::Limit { what: Limited::EntryBytes, max: 3 }, Advice::FixRequest),
            (StoreError::Closed, Advice::GiveUp),
        ];
        for (error, advice) in rows {
            assert_eq!(error.advice(), advice);
            assert!(!error.to_string().contains(['/', '\\']), "{error}");
        }
    }
}
