//! What the system knows of this process.
//!
//! **Invariant:** read when somebody asks, from files that the system makes up; where there are
//! none, nothing is told.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::metrics::{Definition, Kind, MetricsProblem, Reading, Registry};

pub(crate) const CPU: Definition = Definition {
    name: "process_cpu_seconds_total",
    kind: Kind::Counter,
    help: "CPU time that the process has used, in seconds.",
    labels: &[],
};

pub(crate) const MEMORY: Definition = Definition {
    name: "process_resident_memory_bytes",
    kind: Kind::Gauge,
    help: "Memory that the process holds, in bytes.",
    labels: &[],
};

pub(crate) const FILES: Definition = Definition {
    name: "process_open_fds",
    kind: Kind::Gauge,
    help: "Open files and connections of the process.",
    labels: &[],
};

pub(crate) const STARTED: Definition = Definition {
    name: "process_start_time_seconds",
    kind: Kind::Gauge,
    help: "When the process began, in seconds since 1970.",
    labels: &[],
};

/// Ticks of a second in which the system counts CPU time of processes.
const TICKS: f64 = 100.0;

/// Adds them to a registry.
pub(crate) fn add(registry: &Registry) -> Result<(), MetricsProblem> {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |at| at.as_secs_f64());
    registry.read(&CPU, || once(cpu_seconds()))?;
    registry.read(&MEMORY, || once(memory_bytes()))?;
    registry.read(&FILES, || once(open_files()))?;
    registry.read(&STARTED, move || once(Some(started)))
}

fn once(value: Option<f64>) -> Vec<Reading> {
    value.map(|value| Reading { labels: Vec::new(), value }).into_iter().collect()
}

fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name may hold spaces; what follows it does not.
    let (_, fields) = text.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u32>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some((f64::from(user) + f64::from(system)) / TICKS)
}

fn memory_bytes() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u32 = line.split_whitespace().next()?.parse().ok()?;
    Some(f64::from(kib) * 1024.0)
}

fn open_files() -> Option<f64> {
    let files = fs::read_dir("/proc/self/fd").ok()?.count();
    u32::try_from(files).ok().map(f64::from)
}
