//! Why nothing could be measured.
//!
//! **Invariant:** says what was being done; a result that is merely slow is no trouble.

use handfoot_processes::ProcessError;
use tonic::Status;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The system refuses something.
    #[error("{doing}: {error}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
    /// A server process does not run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A call failed.
    #[error("{doing}: {} ({:?})", .status.message(), .status.code())]
    Call {
        /// What was being done.
        doing: &'static str,
        /// What the server says.
        status: Box<Status>,
    },
    /// A connection cannot be made.
    #[error("no connection to the server: {0}")]
    Connection(#[from] tonic::transport::Error),
    /// Redis refuses something, or does not answer.
    #[error("Redis: {0}")]
    Redis(#[from] redis::RedisError),
    /// An answer is not what was to come.
    #[error("wrong: {0}")]
    Wrong(String),
}

impl Trouble {
    /// For `map_err` after a call of the system.
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(std::io::Error) -> Trouble {
        move |error| Trouble::System { doing, error }
    }

    /// For `map_err` after a call of a server.
    pub(crate) fn call(doing: &'static str) -> impl FnOnce(Status) -> Trouble {
        move |status| Trouble::Call { doing, status: Box::new(status) }
    }

    /// An answer is not what was to come.
    pub(crate) fn wrong(what: impl Into<String>) -> Trouble {
        Trouble::Wrong(what.into())
    }
}
