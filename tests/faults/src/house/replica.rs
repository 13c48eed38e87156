//! One process of the game-service.
//!
//! **Invariant:** started again it listens where it listened, so that everybody who knew it finds
//! it.

use std::process::ExitStatus;
use std::time::Duration;

use handfoot_processes::{Plan, Process, ProcessError, Signal};

/// How long it may take to serve.
const READY_MAX: Duration = Duration::from_secs(30);

/// A process of the game-service.
#[derive(Debug)]
pub(crate) struct Replica {
    plan: Plan,
    pub(crate) process: Process,
    pub(crate) address: String,
}

/// What it says when it begins.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    pub(crate) platform: String,
    pub(crate) bot: String,
}

impl Replica {
    /// Starts it and waits until it serves.
    ///
    /// # Errors
    ///
    /// Says why it does not.
    pub(crate) fn start(plan: Plan) -> Result<(Replica, Credentials), ProcessError> {
        let (process, address, credentials) = serve(&plan)?;
        Ok((Replica { plan, process, address }, credentials))
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again, if it has ended.
    ///
    /// # Errors
    ///
    /// Says why it does not serve.
    pub(crate) fn start_again(&mut self) -> Result<(), ProcessError> {
        self.kill();
        (self.process, self.address, _) = serve(&self.plan)?;
        Ok(())
    }

    /// Asks it to end and waits for that.
    ///
    /// # Errors
    ///
    /// `Late` if it does not end in time.
    pub(crate) fn terminate(&mut self, limit: Duration) -> Result<ExitStatus, ProcessError> {
        self.process.signal(Signal::Terminate)?;
        self.process.wait(limit)
    }
}

fn serve(plan: &Plan) -> Result<(Process, String, Credentials), ProcessError> {
    let mut process = plan.start()?;
    let mut read =
        |begin: &str| process.read(READY_MAX, |line| line.strip_prefix(begin).map(str::to_owned));
    let address = read("game-service on ")?;
    let platform = read("platform credential: ")?;
    let bot = read("bot credential: ")?;
    Ok((process, address, Credentials { platform, bot }))
}
