//! Server processes: this program with other arguments.
//!
//! **Invariant:** a server is given out when it says where it listens.

use std::time::Duration;

use handfoot_processes::{Plan, Process};

use crate::trouble::Trouble;

/// How long a server may take to say where it listens.
const READY_MAX: Duration = Duration::from_secs(60);

/// A server process.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) process: Process,
    /// Where it listens: `HOST:PORT`.
    pub(crate) address: String,
    /// Its credential for platforms, if it has one.
    pub(crate) credential: String,
    /// Its credential for bots, if it has one.
    pub(crate) bot_credential: String,
    /// Where it shows metrics, if it does: `HOST:PORT`.
    pub(crate) metrics: Option<String>,
}

impl Server {
    /// Starts this program with other arguments, and waits until it says where it listens.
    ///
    /// # Errors
    ///
    /// `System` or `Process`.
    pub(crate) fn start(
        arguments: Vec<String>,
        metrics: Option<String>,
    ) -> Result<Server, Trouble> {
        let mut process = own("the server", arguments, Vec::new())?;
        let after = |mark: &'static str| {
            move |line: &str| line.split_once(mark).map(|(_, text)| text.to_owned())
        };
        let address = process.read(READY_MAX, after(" on "))?;
        let credential = process.read(READY_MAX, after("platform credential: "))?;
        let bot_credential = process.read(READY_MAX, after("bot credential: "))?;
        Ok(Server { process, address, credential, bot_credential, metrics })
    }
}

/// Starts this program with other arguments.
///
/// # Errors
///
/// `System` or `Process`.
pub(crate) fn own(
    name: &str,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
) -> Result<Process, Trouble> {
    let plan = Plan {
        name: name.to_owned(),
        program: std::env::current_exe().map_err(Trouble::system("this program's path"))?,
        advice: "build it again".to_owned(),
        arguments,
        environment,
        log: None,
    };
    Ok(plan.start()?)
}
