//! The program as a process: what it prints, and with which code it ends.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

fn program(flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_game-service"));
    command.args(flags).env_clear().stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn ended(flags: &[&str]) -> (i32, String) {
    let Output { status, stderr, .. } = program(flags).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

/// A service that serves; killed when the test ends.
pub(crate) struct Served {
    child: Child,
    greeting: Vec<String>,
    log: BufReader<ChildStderr>,
    /// What was read of the log.
    logged: String,
}

impl Served {
    pub(crate) fn new(flags: &[&str]) -> Self {
        let local = ["--keys", "local", "--listen", "127.0.0.1:0"];
        let mut child = program(&[&local[..], flags].concat()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let greeting = lines.by_ref().take(7).collect::<Result<Vec<_>, _>>().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child, greeting, log, logged: String::new() }
    }

    pub(crate) fn address(&self) -> &str {
        self.greeting[0].strip_prefix("game-service on ").unwrap()
    }

    /// The credential that it has printed for platforms.
    pub(crate) fn platform(&self) -> &str {
        self.greeting[1].split_once(": ").unwrap().1
    }

    /// Waits for a line of its log with `part`.
    pub(crate) fn await_log(&mut self, part: &str) {
        let mut from = 0;
        while !self.logged[from..].contains(part) {
            from = self.logged.len();
            let read = self.log.read_line(&mut self.logged).unwrap();
            assert!(read > 0, "it ended without a word of {part}: {}", self.logged);
        }
    }

    #[cfg(unix)]
    pub(crate) fn terminate(mut self) -> (i32, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.log.read_to_string(&mut self.logged).unwrap();
        (self.child.wait().unwrap().code().unwrap(), std::mem::take(&mut self.logged))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_is_given_memory_in_small_pages() {
    let served = Served::new(&["--store", "memory:"]);
    let status = std::fs::read_to_string(format!("/proc/{}/status", served.child.id())).unwrap();
    let enabled = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
    assert_eq!(enabled.map(str::trim), Some("0"), "{status}");
}

#[test]
fn a_wrong_configuration_ends_with_64_and_says_everything() {
    let (code, text) = ended(&["--drain", "25", "--listen", "here"]);
    assert_eq!(code, 64);
    for part in ["HANDFOOT_DRAIN", "HANDFOOT_LISTEN", "HANDFOOT_STORE", "HANDFOOT_TOKEN_KEY"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(ended(&["--unknown"]).0, 64);
}

#[test]
fn help_and_configuration_go_to_the_output() {
    for (flags, part) in [
        (&["--help"][..], "Exit codes:"),
        (&["--version"], "game-service "),
        (&["--print-config", "--keys", "local", "--store", "memory:"], "HANDFOOT_KEYS=local"),
    ] {
        let output = program(flags).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(String::from_utf8(output.stdout).unwrap().contains(part));
        assert!(output.stderr.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn it_serves_until_it_is_told_to_end_and_logs_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("local-keys");
    let flags = ["--store", "memory:", "--log", "trace", "--local-keys-file", text(&keys)];
    let served = Served::new(&flags);
    let credentials: Vec<String> = served.greeting[1..3]
        .iter()
        .map(|line| line.split_once(": ").unwrap().1.to_owned())
        .collect();
    let stream = std::net::TcpStream::connect(served.address()).unwrap();
    drop(stream);
    let (code, logs) = served.terminate();
    assert_eq!(code, 0, "{logs}");
    assert!(logs.contains("\"draining\"") && logs.contains("\"SIGTERM\""), "{logs}");
    assert!(credentials.iter().all(|secret| !logs.contains(secret.as_str())), "{logs}");
    // The next start has the same credentials.
    let again = Served::new(&flags);
    assert_eq!(again.greeting[1].split_once(": ").unwrap().1, credentials[0]);
}

#[test]
fn a_port_or_a_store_in_use_ends_with_69() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("file:{}", text(&folder.path().join("tables")));
    let first = Served::new(&["--store", &store]);
    let (code, why) =
        ended(&["--keys", "local", "--store", "memory:", "--listen", first.address()]);
    assert_eq!(code, 69, "{why}");
    assert!(why.contains("in use by another program") && why.contains("HANDFOOT_LISTEN"), "{why}");
    let (code, why) = ended(&["--keys", "local", "--store", &store, "--listen", "127.0.0.1:0"]);
    assert_eq!(code, 69, "{why}");
    assert!(why.contains("in use by another process; stop that one"), "{why}");
}

#[test]
fn a_store_that_cannot_be_read_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").unwrap();
    let keys = ["--keys", "local", "--listen", "127.0.0.1:0"];
    let store = format!("file:{}", text(&file));
    let (code, why) = ended(&[&keys[..], &["--store", &store]].concat());
    assert_eq!(code, 69, "{why}");
    assert!(why.contains("must be a folder that this user may read and write"), "{why}");
    let flags = ["--store", "memory:", "--local-keys-file", text(&file)];
    let (code, why) = ended(&[&keys[..], &flags].concat());
    assert_eq!(code, 74, "{why}");
    assert!(why.contains("is not a key file; move it away"), "{why}");
}

#[test]
fn a_damaged_store_ends_with_74_and_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables");
    let store = format!("file:{}", text(&path));
    drop(Served::new(&["--store", &store]));
    let files = files_below(&path);
    assert!(!files.is_empty());
    for file in &files {
        std::fs::write(file, [0x5a; 1000]).unwrap();
    }
    let (code, why) = ended(&["--keys", "local", "--store", &store, "--listen", "127.0.0.1:0"]);
    assert_eq!(code, 74, "{why}");
    assert!(why.contains("is damaged; bring it back from a copy, or move it away"), "{why}");
    assert!(!why.contains("panicked"), "{why}");
}

fn files_below(path: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false => vec![path],
        })
        .collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
