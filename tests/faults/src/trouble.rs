//! Why nothing can be said of the service: the house around it does not stand.
//!
//! **Invariant:** what the service does wrong is no trouble but a finding of the verdict.

use handfoot_client::ClientError;
use handfoot_processes::ProcessError;
use handfoot_store::{OpenError, StoreError};

/// Why a scenario could not be tried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The system refuses something.
    #[error("{doing}: {error}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What it says.
        error: std::io::Error,
    },
    /// A process does not do what it is there for.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The programs of the services cannot be had.
    #[error("{0}")]
    Programs(String),
    /// There is no such scenario.
    #[error("there is no scenario {name:?}; see handfoot-faults list")]
    NoScenario {
        /// What was asked for.
        name: String,
    },
    /// Something that a scenario needs is not installed.
    #[error("needs {what}: {advice}")]
    Missing {
        /// What is not there.
        what: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// A call that no fault had been made for failed.
    #[error("{doing}: {error}")]
    Call {
        /// What was being done.
        doing: &'static str,
        /// What the client says.
        error: Box<ClientError>,
    },
    /// The store cannot be opened to look into it.
    #[error("opening the store: {0}")]
    Open(#[from] OpenError),
    /// The store cannot be read.
    #[error("reading the store: {0}")]
    Store(#[from] StoreError),
    /// What a scenario waits for did not come.
    #[error("{0} did not come in time")]
    Late(String),
    /// Somebody has had enough.
    #[error("interrupted")]
    Interrupted,
    /// A task of this program panicked.
    #[error("a fault of this program: {0}")]
    Own(String),
}

impl Trouble {
    /// For `map_err` after a call of the system.
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(std::io::Error) -> Trouble {
        move |error| Trouble::System { doing, error }
    }

    /// For `map_err` after a call of a server.
    pub(crate) fn call(doing: &'static str) -> impl FnOnce(ClientError) -> Trouble {
        move |error| Trouble::Call { doing, error: Box::new(error) }
    }
}
