//! Server processes: started, asked what they used, and ended with this one.
//!
//! **Invariant:** a server ends when its standard input does, so that none is left behind however
//! this process ends.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::trouble::Trouble;

/// Ticks of a second in which the system counts CPU time of processes.
const TICKS: f64 = 100.0;

/// A server process.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// Where it listens: `HOST:PORT`.
    pub(crate) address: String,
    /// Its platform credential, if it has one.
    pub(crate) credential: String,
    /// Kept open: a server that cannot print would fail.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts this program with other arguments, and waits until it says where it listens.
    ///
    /// # Errors
    ///
    /// `System` or `NoServer`.
    pub(crate) fn start(arguments: &[String]) -> Result<Server, Trouble> {
        let program = std::env::current_exe().map_err(Trouble::system("this program's path"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(Trouble::system("starting a server"))?;
        let mut output = BufReader::new(child.stdout.take().ok_or(Trouble::NoServer)?);
        let (mut address, mut credential) = (None, None);
        let mut line = String::new();
        while address.is_none() || credential.is_none() {
            line.clear();
            let read = output.read_line(&mut line).map_err(Trouble::system("reading a server"))?;
            if read == 0 {
                // It has ended or is of no use; either way it is not to stay.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Trouble::NoServer);
            }
            let line = line.trim_end();
            if let Some((_, text)) = line.split_once(" on ") {
                address = Some(text.to_owned());
            } else if let Some(text) = line.strip_prefix("platform credential: ") {
                credential = Some(text.to_owned());
            }
        }
        let (address, credential) = (address.unwrap_or_default(), credential.unwrap_or_default());
        Ok(Server { child, address, credential, _output: output })
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Seconds of CPU time that it has used.
    ///
    /// # Errors
    ///
    /// `System` where the system does not tell.
    pub(crate) fn cpu_seconds(&self) -> Result<f64, Trouble> {
        cpu_seconds(&self.id().to_string())
    }

    /// Bytes of memory that it holds.
    ///
    /// # Errors
    ///
    /// `System` where the system does not tell.
    pub(crate) fn memory_bytes(&self) -> Result<u64, Trouble> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.id()));
        let text = text.map_err(Trouble::system("asking for the memory of a process"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.map(|kib| kib * 1024).ok_or_else(|| Trouble::wrong("the system tells no memory"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What has ended already cannot be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Seconds of CPU time that this process has used.
///
/// # Errors
///
/// `System` where the system does not tell.
pub(crate) fn own_cpu_seconds() -> Result<f64, Trouble> {
    cpu_seconds("self")
}

fn cpu_seconds(process: &str) -> Result<f64, Trouble> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"));
    let text = text.map_err(Trouble::system("asking for the CPU time of a process"))?;
    // The name may hold spaces; what follows it does not.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u32>);
    match (times.next(), times.next()) {
        (Some(Ok(user)), Some(Ok(system))) => Ok(f64::from(user + system) / TICKS),
        _ => Err(Trouble::wrong("the system tells no CPU time")),
    }
}

/// Ends this process when nobody holds its standard input any more.
pub(crate) fn end_with_input() {
    std::thread::spawn(|| {
        let mut ignored = String::new();
        while std::io::stdin().read_line(&mut ignored).is_ok_and(|read| read > 0) {}
        std::process::exit(0);
    });
}
