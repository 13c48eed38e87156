//! CPU that is withheld from processes, and files that they may open.
//!
//! **Invariant:** what a limit changed on the system is taken back when it is dropped, once its
//! processes have ended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::ProcessError;
use crate::process::Process;

/// Microseconds within which a quota is used, as with containers.
const PERIOD_US: f64 = 100_000.0;

/// The priority of processes where there are no quotas: the lowest.
const NICE: i32 = 19;

/// A limit of CPU that processes share.
#[derive(Debug)]
pub struct CpuLimit(Way);

#[derive(Debug)]
enum Way {
    /// A group of processes with a quota, as a container has one.
    Group(PathBuf),
    /// The lowest priority: no limit, but others come first.
    Nice,
}

impl CpuLimit {
    /// A limit of so many cores. Where the system gives no quota, it is a low priority instead.
    #[must_use]
    pub fn of_cores(cores: f64) -> CpuLimit {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("handfoot-{}-{number}", std::process::id());
        let quota = format!("{:.0}", cores * PERIOD_US);
        let group = second_version(&name, &quota).or_else(|_| first_version(&name, &quota));
        CpuLimit(group.map_or(Way::Nice, Way::Group))
    }

    /// What it is, in words.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.0 {
            Way::Group(_) => "a CPU quota of a control group",
            Way::Nice => "nice 19: this system gives no quota",
        }
    }

    /// Puts a process under the limit.
    ///
    /// # Errors
    ///
    /// `System`.
    pub fn add(&self, process: &Process) -> Result<(), ProcessError> {
        match &self.0 {
            Way::Group(path) => fs::write(path.join("cgroup.procs"), process.id().to_string())
                .map_err(ProcessError::system("limiting the CPU of a process")),
            Way::Nice => process.prioritize(NICE),
        }
    }
}

impl Drop for CpuLimit {
    fn drop(&mut self) {
        if let Way::Group(path) = &self.0 {
            // A group that still has processes stays, and disturbs nobody.
            let _ = fs::remove_dir(path);
        }
    }
}

/// Control groups with all controllers in one tree.
fn second_version(name: &str, quota: &str) -> io::Result<PathBuf> {
    let root = Path::new("/sys/fs/cgroup");
    if !fs::read_to_string(root.join("cgroup.controllers"))?
        .split_whitespace()
        .any(|one| one == "cpu")
    {
        return Err(io::ErrorKind::Unsupported.into());
    }
    fs::write(root.join("cgroup.subtree_control"), "+cpu")?;
    let value = format!("{quota} {PERIOD_US:.0}");
    made(&root.join(name), "cpu.max", &value)
}

/// Control groups with a tree for each controller.
fn first_version(name: &str, quota: &str) -> io::Result<PathBuf> {
    made(&Path::new("/sys/fs/cgroup/cpu").join(name), "cpu.cfs_quota_us", quota)
}

fn made(path: &Path, file: &str, value: &str) -> io::Result<PathBuf> {
    fs::create_dir(path)?;
    match fs::write(path.join(file), value) {
        Ok(()) => Ok(path.to_owned()),
        Err(error) => {
            // Empty as it is, it can be removed.
            let _ = fs::remove_dir(path);
            Err(error)
        }
    }
}

/// Lets this program, and what it starts from now on, open as many files as it may.
///
/// # Errors
///
/// `System`.
pub fn raise_open_files() -> Result<(), ProcessError> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    raised.map_err(|error| ProcessError::system("raising the limit of open files")(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Plan;

    #[test]
    fn a_process_is_under_its_limit_and_nothing_is_left_of_it() {
        let plan = Plan {
            name: "a sleeper".to_owned(),
            program: "sleep".into(),
            advice: "install coreutils".to_owned(),
            arguments: vec!["60".to_owned()],
            environment: Vec::new(),
            log: None,
        };
        let mut process = plan.start().unwrap();
        let limit = CpuLimit::of_cores(0.5);
        limit.add(&process).unwrap();
        match &limit.0 {
            Way::Group(path) => {
                let path = path.clone();
                let name = path.file_name().unwrap().to_str().unwrap();
                let groups = fs::read_to_string(format!("/proc/{}/cgroup", process.id())).unwrap();
                assert!(groups.contains(name), "{groups}");
                process.kill();
                drop(limit);
                assert!(!path.exists());
            }
            Way::Nice => {
                let stat = fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
                let (_, fields) = stat.rsplit_once(") ").unwrap();
                assert_eq!(fields.split(' ').nth(16), Some("19"), "{stat}");
            }
        }
    }

    #[test]
    fn as_many_files_may_be_open_as_the_system_allows() {
        raise_open_files().unwrap();
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        assert_eq!(current, maximum);
    }
}
