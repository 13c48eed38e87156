//! Ends a process when the program that started it has ended, even by `kill -9`.
//!
//! **Invariant:** the guard waits for the end of its input, which this program holds open and
//! nobody else does.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::error::ProcessError;

/// A line means that the process has ended already; the end of the input, that nobody is there to
/// end it.
const SCRIPT: &str = "read -r _ && exit 0; kill -9 \"$1\"";

/// A process that watches over another.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Watches over a process of this program.
    pub(crate) fn over(id: u32) -> Result<Guard, ProcessError> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "guard", &id.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A group of its own, so that ctrl-c does not end it before its work.
        let started = command.process_group(0).spawn();
        started.map(Guard).map_err(ProcessError::system("starting sh"))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // One that has ended needs no line.
        if let Some(mut input) = self.0.stdin.take() {
            let _ = input.write_all(b"\n");
        }
        let _ = self.0.wait();
    }
}
