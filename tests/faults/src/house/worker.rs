//! One process of the bot-service.
//!
//! **Invariant:** what it did is read from what it logs, as operators do.

use std::collections::BTreeMap;
use std::time::Duration;

use handfoot_processes::{Plan, Process, ProcessError, Signal};

/// A process of the bot-service.
#[derive(Debug)]
pub(crate) struct Worker {
    plan: Plan,
    pub(crate) process: Process,
}

impl Worker {
    /// Starts it. It takes work as soon as it can.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub(crate) fn start(plan: Plan) -> Result<Worker, ProcessError> {
        let process = plan.start()?;
        Ok(Worker { plan, process })
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again, if it has ended.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub(crate) fn start_again(&mut self) -> Result<(), ProcessError> {
        self.kill();
        self.process = self.plan.start()?;
        Ok(())
    }

    /// Ends it in good order and gives its counts, by name.
    ///
    /// # Errors
    ///
    /// `Late` if it does not end in time.
    pub(crate) fn end(&mut self, limit: Duration) -> Result<BTreeMap<String, u64>, ProcessError> {
        self.process.signal(Signal::Terminate)?;
        self.process.wait(limit)?;
        let log = self.plan.log.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let log = log.unwrap_or_default();
        let last = log.lines().rev().find(|line| line.contains("seats="));
        Ok(last.map(counts).unwrap_or_default())
    }
}

/// Reads `name=number` wherever it stands in a line.
fn counts(line: &str) -> BTreeMap<String, u64> {
    let pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
    pairs.filter_map(|(name, number)| Some((name.to_owned(), number.parse().ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_a_line_of_the_log() {
        let line = "2026 INFO bots: ended tally=seats=1 tasks=22 lease_lost=3 ended=Drained";
        let counts = counts(line);
        assert_eq!((counts["tasks"], counts["lease_lost"]), (22, 3));
    }
}
