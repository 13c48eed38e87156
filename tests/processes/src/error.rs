//! What can go wrong with a process.
//!
//! **Invariant:** says which process and what to do, and quotes nothing that it printed: that may
//! be a credential.

use std::io;
use std::path::PathBuf;

/// Why a process does not do what it was started for.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// There is no such program.
    #[error("{program} cannot be started ({kind}): {advice}")]
    NoProgram {
        /// The program.
        program: PathBuf,
        /// What the system says.
        kind: io::ErrorKind,
        /// What to do.
        advice: String,
    },
    /// The system refuses something.
    #[error("{doing}: {error}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What it says.
        error: io::Error,
    },
    /// It ended instead of saying what was waited for.
    #[error("{name} ended{}", see(.log.as_ref()))]
    Ended {
        /// Which process.
        name: String,
        /// Where its output is.
        log: Option<PathBuf>,
    },
    /// It did not do in time what was waited for.
    #[error("{name}: {what} did not come in time{}", see(.log.as_ref()))]
    Late {
        /// Which process.
        name: String,
        /// What was waited for.
        what: String,
        /// Where its output is.
        log: Option<PathBuf>,
    },
    /// A Redis server refuses a command.
    #[error("{command}: {error}")]
    Redis {
        /// The command.
        command: String,
        /// What it says.
        error: ::redis::RedisError,
    },
}

impl ProcessError {
    /// For `map_err` after a call of the system.
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> ProcessError {
        move |error| ProcessError::System { doing, error }
    }
}

fn see(log: Option<&PathBuf>) -> String {
    log.map_or(String::new(), |log| format!(" (see {})", log.display()))
}
