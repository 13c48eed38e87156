//! A process: how it is started, what it says, and how it ends.
//!
//! **Invariant:** each has a group of its own, so that ctrl-c reaches only the program that
//! started it, which then ends them all.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::ProcessError;
use crate::guard::Guard;
use crate::usage;

/// Between two looks at whether a process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Lines that are kept until somebody reads them; later ones go to the log alone.
const LINES_MAX: usize = 1024;

/// How a process is started, as often as it has to be.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it is called in messages.
    pub name: String,
    /// The program: a path, or a name on the search path.
    pub program: PathBuf,
    /// What to do if there is no such program.
    pub advice: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables that it has beside those of this program.
    pub environment: Vec<(String, String)>,
    /// Where its output goes, at the end of what is there; none: its errors come out here.
    pub log: Option<PathBuf>,
}

/// A running process.
#[derive(Debug)]
pub struct Process {
    plan: Plan,
    child: Child,
    lines: Receiver<String>,
    /// None when it has ended.
    guard: Option<Guard>,
}

/// What a process can be told from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// To end in good order.
    Terminate,
    /// To stand still.
    Stop,
    /// To go on.
    Continue,
}

impl Plan {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// `NoProgram` or `System`.
    pub fn start(&self) -> Result<Process, ProcessError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.environment.iter().cloned());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        if self.log.is_some() {
            command.stderr(self.open_log()?.map_or_else(Stdio::null, Stdio::from));
        }
        let started = command.process_group(0).spawn();
        let mut child = started.map_err(|error| ProcessError::NoProgram {
            program: self.program.clone(),
            kind: error.kind(),
            advice: self.advice.clone(),
        })?;
        let (sender, lines) = sync_channel(LINES_MAX);
        let log = self.open_log()?;
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read(output, log, &sender));
        }
        let guard = Some(Guard::over(child.id())?);
        Ok(Process { plan: self.clone(), child, lines, guard })
    }

    fn open_log(&self) -> Result<Option<File>, ProcessError> {
        let opened = self.log.as_ref().map(|path| {
            let mut options = OpenOptions::new();
            options.create(true).append(true).open(path)
        });
        opened.transpose().map_err(ProcessError::system("opening a log"))
    }
}

/// Reads what a process prints for as long as it lives, so that it is never held up.
fn read(output: ChildStdout, mut log: Option<File>, lines: &SyncSender<String>) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if let Some(log) = &mut log {
            // A full disk shows elsewhere.
            let _ = writeln!(log, "{line}");
        }
        // When enough is kept, nobody is waiting for more.
        let _ = lines.try_send(line);
    }
}

impl Process {
    /// The number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it is called in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// Reads what it prints until a line gives what is looked for.
    ///
    /// # Errors
    ///
    /// `Ended` or `Late`.
    pub fn read<T>(
        &mut self,
        limit: Duration,
        mut look: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, ProcessError> {
        let until = Instant::now() + limit;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(found) = look(&line) {
                        return Ok(found);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => return Err(self.late("its first words")),
            }
        }
    }

    /// Sends it a signal.
    ///
    /// # Errors
    ///
    /// `System`.
    pub fn signal(&self, signal: Signal) -> Result<(), ProcessError> {
        use rustix::process::{Pid, Signal as Sent, kill_process};
        let sent = match signal {
            Signal::Terminate => Sent::TERM,
            Signal::Stop => Sent::STOP,
            Signal::Continue => Sent::CONT,
        };
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        let id = id.ok_or_else(|| self.ended())?;
        let sent = kill_process(id, sent).map_err(std::io::Error::from);
        sent.map_err(ProcessError::system("sending a signal"))
    }

    /// Gives it a priority, from -20, the highest, to 19.
    ///
    /// # Errors
    ///
    /// `System`.
    pub(crate) fn prioritize(&self, nice: i32) -> Result<(), ProcessError> {
        use rustix::process::{Pid, setpriority_process};
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        let set = setpriority_process(id, nice).map_err(std::io::Error::from);
        set.map_err(ProcessError::system("giving a process its priority"))
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.guard = None;
    }

    /// Waits until it has ended by itself, and says how.
    ///
    /// # Errors
    ///
    /// `Late`, and then it is still there.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus, ProcessError> {
        let until = Instant::now() + limit;
        loop {
            let ended = self.child.try_wait().map_err(ProcessError::system("waiting"))?;
            if let Some(status) = ended {
                self.guard = None;
                return Ok(status);
            }
            if Instant::now() >= until {
                return Err(self.late("its end"));
            }
            thread::park_timeout(LOOK_EVERY);
        }
    }

    /// Seconds of CPU time that it has used, with children that have ended.
    ///
    /// # Errors
    ///
    /// `System` where the system does not tell.
    pub fn cpu_seconds(&self) -> Result<f64, ProcessError> {
        usage::cpu_seconds(self.id())
    }

    /// Bytes of memory that it holds.
    ///
    /// # Errors
    ///
    /// `System` where the system does not tell.
    pub fn memory_bytes(&self) -> Result<u64, ProcessError> {
        usage::memory_bytes(self.id())
    }

    fn ended(&self) -> ProcessError {
        ProcessError::Ended { name: self.plan.name.clone(), log: self.plan.log.clone() }
    }

    fn late(&self, what: &str) -> ProcessError {
        let (name, what) = (self.plan.name.clone(), what.to_owned());
        ProcessError::Late { name, what, log: self.plan.log.clone() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
