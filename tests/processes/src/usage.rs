//! What processes use, as the system counts it.
//!
//! **Invariant:** a number that the system does not tell is an error, never zero.

use std::io::{Error, ErrorKind};

use crate::error::ProcessError;

/// Ticks of a second in which the system counts CPU time of processes.
const TICKS: f64 = 100.0;

/// Times that the system counts for a process: its own, and after them those of its children that
/// have ended.
const OWN: usize = 2;
const WITH_CHILDREN: usize = 4;

/// Seconds of CPU time that this process has used.
///
/// # Errors
///
/// `System` where the system does not tell.
pub fn own_cpu_seconds() -> Result<f64, ProcessError> {
    first_times("self", OWN)
}

/// Seconds of CPU time that a process has used, with children that have ended: a child of Redis
/// rewrites its file.
pub(crate) fn cpu_seconds(id: u32) -> Result<f64, ProcessError> {
    first_times(&id.to_string(), WITH_CHILDREN)
}

/// The sum of so many times, which begin with a process's own in user mode and in the system.
fn first_times(process: &str, count: usize) -> Result<f64, ProcessError> {
    let doing = "asking for the CPU time of a process";
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"));
    let text = text.map_err(ProcessError::system(doing))?;
    // The name may hold spaces; what follows it does not.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(11).take(count).map(str::parse::<u32>);
    let times: Vec<u32> = times.filter_map(Result::ok).collect();
    match times.len() == count {
        true => Ok(f64::from(times.iter().sum::<u32>()) / TICKS),
        false => Err(ProcessError::system(doing)(Error::from(ErrorKind::InvalidData))),
    }
}

pub(crate) fn memory_bytes(id: u32) -> Result<u64, ProcessError> {
    let doing = "asking for the memory of a process";
    let text = std::fs::read_to_string(format!("/proc/{id}/status"));
    let text = text.map_err(ProcessError::system(doing))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let unknown = || ProcessError::system(doing)(Error::from(ErrorKind::InvalidData));
    kib.map(|kib| kib * 1024).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_children_used_counts_when_they_have_ended() {
        // A child counts long enough to be seen; then its parent says so, and waits to be ended.
        let script = "(i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done); echo done; read end";
        let mut parent = Command::new("sh");
        let parent = parent.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut parent = parent.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let all = cpu_seconds(parent.id()).unwrap();
        let own = first_times(&parent.id().to_string(), OWN).unwrap();
        // It ends when its input does.
        drop(parent.stdin.take());
        parent.wait().unwrap();
        assert_eq!(line, "done\n");
        assert!(all - own > 3.0 / TICKS, "{own} s of its own, {all} s in all");
    }
}
