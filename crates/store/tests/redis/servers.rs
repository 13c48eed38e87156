//! Real servers for the tests: `redis-server` from the path, or from `HANDFOOT_REDIS_SERVER`.
//!
//! **Invariant:** a server ends with the value that stands for it, whatever becomes of the test.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use redis::{Connection, FromRedisValue};
use tempfile::TempDir;

/// How long a server may take to do what it is waited for.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(30);

/// Ports are looked for from here on. A server of a cluster also listens 10,000 higher.
const PORTS_FROM: u16 = 20_000;

/// How many ports there are to choose from.
const PORTS: u16 = 12_000;

/// What every server is told: to keep an append-only file, and to lose no time with replicas.
const SETTINGS: [&str; 6] =
    ["--save", "", "--appendonly", "yes", "--repl-diskless-sync-delay", "0"];

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    child: Child,
    arguments: Vec<String>,
    folder: Arc<TempDir>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Server {
    /// Starts a server with further settings and waits until it can be used.
    pub(crate) fn start(settings: &[&str]) -> Self {
        Self::start_in(&[&SETTINGS, settings].concat(), "Ready to accept connections", None)
    }

    /// Starts a replica and waits until it has everything.
    pub(crate) fn replica(&self, settings: &[&str]) -> Self {
        let port = self.port.to_string();
        let replica = Self::start(&[&["--replicaof", "127.0.0.1", &port], settings].concat());
        replica.wait_for("INFO", "master_link_status:up");
        // Only a write that it has says that it will have the next one in time.
        let mut connection = self.connect();
        let n_replicas = self.written_on(&mut connection);
        let reached: i64 = ask_on(&mut connection, &format!("WAIT {n_replicas} 30000"));
        assert_eq!(reached, n_replicas);
        replica
    }

    /// Writes once more, and says how often that was. A primary that wants replicas takes no write
    /// until it has heard of one within its last seconds.
    fn written_on(&self, connection: &mut Connection) -> i64 {
        let until = Instant::now() + WAIT_MAX;
        loop {
            match redis::cmd("INCR").arg("test-replicas").query(connection) {
                Ok(n_writes) => return n_writes,
                Err(error) if error.code() == Some("NOREPLICAS") && Instant::now() < until => {
                    std::thread::yield_now();
                }
                Err(error) => panic!("port {}: {error}", self.port),
            }
        }
    }

    /// Starts a sentinel that watches a primary.
    pub(crate) fn sentinel(primary: u16, name: &str) -> Self {
        let text = format!(
            "sentinel monitor {name} 127.0.0.1 {primary} 2\n\
             sentinel down-after-milliseconds {name} 500\n\
             sentinel failover-timeout {name} 5000\n"
        );
        Self::start_in(&["--sentinel"], "+monitor master", Some(&text))
    }

    fn start_in(arguments: &[&str], ready: &str, file: Option<&str>) -> Self {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        for _ in 0..20 {
            let folder = Arc::new(TempDir::new().expect("a folder for the test"));
            if let Some(text) = file {
                std::fs::write(folder.path().join("file.conf"), text).expect("it is written");
            }
            let port = free_port();
            // Where another took the port first, the next one is tried.
            if let Some(child) = run(port, &folder, &arguments, ready) {
                return Self { port, child, arguments, folder };
            }
        }
        panic!("redis-server does not start with {arguments:?}");
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again where it was, with what it has kept.
    pub(crate) fn start_again(&mut self) {
        self.start_again_until("Ready to accept connections");
    }

    /// Starts it again and waits until it says something.
    pub(crate) fn start_again_until(&mut self, ready: &str) {
        self.kill();
        let child = run(self.port, &self.folder, &self.arguments, ready);
        self.child = child.expect("the port is free and the files are whole");
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &process]).status();
        assert!(sent.expect("kill is there").success());
    }

    /// The address of a store in it.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// A connection of the test's own.
    pub(crate) fn connect(&self) -> Connection {
        let client = redis::Client::open(self.url()).expect("a good address");
        client.get_connection().expect("it answers")
    }

    /// Sends a command, written as on a command line without quotes.
    pub(crate) fn ask<T: FromRedisValue>(&self, command: &str) -> T {
        ask_on(&mut self.connect(), command)
    }

    /// Waits until what it answers contains a text.
    pub(crate) fn wait_for(&self, command: &str, text: &str) {
        let mut connection = self.connect();
        let until = Instant::now() + WAIT_MAX;
        loop {
            let answer: redis::Value = ask_on(&mut connection, command);
            if format!("{answer:?}").contains(text) {
                return;
            }
            assert!(Instant::now() < until, "{command} never says {text}: {answer:?}");
            std::thread::yield_now();
        }
    }
}

/// Sends a command on a connection.
pub(crate) fn ask_on<T: FromRedisValue>(connection: &mut Connection, command: &str) -> T {
    let mut words = command.split(' ');
    let mut asked = redis::cmd(words.next().expect("a command"));
    words.for_each(|word| {
        asked.arg(word);
    });
    asked.query(connection).unwrap_or_else(|error| panic!("{command}: {error}"))
}

/// Runs a server and waits until it says that it is ready; none if it ends first.
fn run(port: u16, folder: &TempDir, arguments: &[String], ready: &str) -> Option<Child> {
    let program = std::env::var("HANDFOOT_REDIS_SERVER");
    let mut command = Command::new(program.as_deref().unwrap_or("redis-server"));
    let file = folder.path().join("file.conf");
    if file.exists() {
        command.arg(file);
    }
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]).args(arguments);
    command.arg("--dir").arg(folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap_or_else(|error| {
        panic!(
            "redis-server cannot be started ({}): install the package redis-server, or name the \
             program in HANDFOOT_REDIS_SERVER",
            error.kind()
        )
    });
    let lines = lines_of(&mut child);
    let until = Instant::now() + WAIT_MAX;
    loop {
        match lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) if line.contains(ready) => return Some(child),
            Ok(_) => {}
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// What a server prints, line by line, read for ever so that it is never held up.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let output = child.stdout.take().expect("it was asked for");
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // Nobody listens any more once it is ready.
            let _ = sender.send(line);
        }
    });
    lines
}

/// A port on which nobody listens; processes and threads begin at different ones.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = u16::try_from(std::process::id() % u32::from(PORTS)).expect("it is less");
    loop {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = PORTS_FROM + own.wrapping_mul(37).wrapping_add(step) % PORTS;
        let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
        if is_free(port) && is_free(port + 10_000) {
            return port;
        }
    }
}
