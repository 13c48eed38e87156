//! What an error of Redis means for the call that got it.
//!
//! **Invariant:** the text of an error is logged at most; what is decided follows from its code.

use redis::{ErrorKind, RedisError};

use super::address::{Server, server};
use super::advice::advise;
use super::limits::RETRY_AFTER;
use crate::{DamagedPart, StoreError, TableId};

/// What those gave that could be asked. It fails only if nobody could.
pub(super) fn of_some<T>(
    answers: impl IntoIterator<Item = Result<T, Fault>>,
) -> Result<Vec<T>, StoreError> {
    let (mut given, mut first) = (Vec::new(), None);
    for answer in answers {
        match answer {
            Ok(value) => given.push(value),
            Err(fault) => first = first.or(Some(fault)),
        }
    }
    match first {
        Some(fault) if given.is_empty() => Err(fault.of_all()),
        Some(_) | None => Ok(given),
    }
}

/// Why a call came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing was done: the server does not know the script.
    NoScript,
    /// Nothing was done: another server has the slot for this once.
    Ask(Server),
    /// Nothing was done: another server has it, or this one cannot serve yet.
    Elsewhere,
    /// Nothing was done: this server is no primary. Its name may lead to another by now.
    NoPrimary,
    /// The server could not be reached, so nothing was done.
    Unreached,
    /// No answer came: it may be done or not.
    Unknown,
    /// It is done, but too few replicas have it.
    Unconfirmed,
    /// There is no room.
    Full,
    /// A key is of another kind.
    Damaged,
    /// Redis refuses, and will until an operator does something.
    Refused,
}

impl Fault {
    /// What an error means.
    pub(super) fn of(error: &RedisError) -> Self {
        if error.is_io_error() || error.kind() == ErrorKind::Parse {
            return Self::Unknown;
        }
        // Errors of Redis may quote what was sent, and a snapshot holds hidden cards.
        let code = error.code().unwrap_or_default();
        advise(code);
        match code {
            "NOSCRIPT" => Self::NoScript,
            "ASK" => match error.redirect_node().and_then(|(place, _)| server(place, 0).ok()) {
                Some(server) => Self::Ask(server),
                None => Self::Elsewhere,
            },
            "MOVED" | "LOADING" | "CLUSTERDOWN" | "TRYAGAIN" | "BUSY" | "NOREPLICAS" => {
                Self::Elsewhere
            }
            "READONLY" | "MASTERDOWN" => Self::NoPrimary,
            "OOM" => Self::Full,
            "WRONGTYPE" => Self::Damaged,
            _ => Self::Refused,
        }
    }

    /// Whether it is certain that nothing was done, and another try may help.
    pub(super) const fn is_certain(&self) -> bool {
        match self {
            Self::NoScript | Self::Ask(_) | Self::Elsewhere | Self::NoPrimary | Self::Unreached => {
                true
            }
            Self::Unknown | Self::Unconfirmed | Self::Full | Self::Damaged | Self::Refused => false,
        }
    }

    /// The error for a caller, where a part of a table was asked for.
    pub(super) fn of_table(&self, table: &TableId, what: DamagedPart) -> StoreError {
        match self {
            Self::Damaged => StoreError::Corrupt { table: table.clone(), what },
            Self::NoScript
            | Self::Ask(_)
            | Self::Elsewhere
            | Self::NoPrimary
            | Self::Unreached
            | Self::Unknown
            | Self::Unconfirmed
            | Self::Full
            | Self::Refused => self.of_all(),
        }
    }

    /// The error for a caller, where no table was named.
    pub(super) const fn of_all(&self) -> StoreError {
        match self {
            Self::Unconfirmed => StoreError::Unconfirmed { retry_after: RETRY_AFTER },
            Self::Full => StoreError::Full,
            Self::NoScript
            | Self::Ask(_)
            | Self::Elsewhere
            | Self::NoPrimary
            | Self::Unreached
            | Self::Unknown
            | Self::Damaged
            | Self::Refused => StoreError::Unavailable { retry_after: RETRY_AFTER },
        }
    }
}
