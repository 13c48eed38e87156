//! One Redis server, or one sentinel.
//!
//! **Invariant:** a server that is started again has its port, its settings and its files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use redis::{Connection, FromRedisValue};
use tempfile::TempDir;

use crate::error::ProcessError;
use crate::port::free_port;
use crate::process::{Plan, Process};

/// How long a server may take to do what it is waited for.
pub const READY_MAX: Duration = Duration::from_secs(30);

/// Between two looks at a server.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How often another port is tried where a program was faster.
const PORTS_TRIED: u32 = 20;

/// Names the program, if it is not on the search path.
const PROGRAM: &str = "HANDFOOT_REDIS_SERVER";

const ADVICE: &str = "install the package redis-server (7.0 or later), or name the program in \
                      HANDFOOT_REDIS_SERVER";

/// What every server is told: to keep an append-only file, and to lose no time with replicas.
const SETTINGS: [&str; 6] =
    ["--save", "", "--appendonly", "yes", "--repl-diskless-sync-delay", "0"];

/// What a server says when it can be used.
const READY: &str = "Ready to accept connections";

/// A running server.
#[derive(Debug)]
pub struct Server {
    port: u16,
    process: Process,
    plan: Plan,
    folder: Arc<TempDir>,
}

/// The program that is started.
#[must_use]
pub fn program() -> PathBuf {
    std::env::var_os(PROGRAM).unwrap_or_else(|| "redis-server".into()).into()
}

impl Server {
    /// Starts a server with further settings and waits until it can be used.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub fn start(settings: &[&str]) -> Result<Server, ProcessError> {
        Server::start_in(&[&SETTINGS, settings].concat(), READY, None)
    }

    /// Starts a replica and waits until it has everything.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub fn replica(&self, settings: &[&str]) -> Result<Server, ProcessError> {
        let port = self.port.to_string();
        let replica = Server::start(&[&["--replicaof", "127.0.0.1", &port], settings].concat())?;
        replica.wait_for("INFO", "master_link_status:up")?;
        // Only a write that it has says that it will have the next one in time.
        let mut connection = self.connect()?;
        let n_replicas = written_on(&mut connection)?;
        let reached: i64 = ask_on(&mut connection, &format!("WAIT {n_replicas} 30000"))?;
        match reached == n_replicas {
            true => Ok(replica),
            false => Err(replica.late("a write of its primary")),
        }
    }

    /// Starts a sentinel that watches a primary under a name.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub fn sentinel(primary: &Server, name: &str) -> Result<Server, ProcessError> {
        let text = format!(
            "sentinel monitor {name} 127.0.0.1 {} 2\n\
             sentinel down-after-milliseconds {name} 500\n\
             sentinel failover-timeout {name} 5000\n",
            primary.port
        );
        Server::start_in(&["--sentinel"], "+monitor master", Some(&text))
    }

    fn start_in(
        arguments: &[&str],
        ready: &str,
        file: Option<&str>,
    ) -> Result<Server, ProcessError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let folder = TempDir::new().map_err(ProcessError::system("making a folder"))?;
            let port = free_port();
            let plan = plan(port, folder.path(), arguments, file)?;
            match run(&plan, ready) {
                Ok(process) => {
                    return Ok(Server { port, process, plan, folder: Arc::new(folder) });
                }
                // Where another took the port first, the next one is tried.
                Err(ProcessError::Ended { .. }) if tries < PORTS_TRIED => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it listens, on 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Where it keeps its files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its process.
    #[must_use]
    pub const fn process(&self) -> &Process {
        &self.process
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again where it was, with what it has kept.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub fn start_again(&mut self) -> Result<(), ProcessError> {
        self.start_again_until(READY)
    }

    /// The same, and waits only until it says something.
    ///
    /// # Errors
    ///
    /// Says why it does not run.
    pub fn start_again_until(&mut self, says: &str) -> Result<(), ProcessError> {
        self.kill();
        self.process = run(&self.plan, says)?;
        Ok(())
    }

    /// The address of a store in it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// A connection of the caller's own.
    ///
    /// # Errors
    ///
    /// `Redis` if it does not answer.
    pub fn connect(&self) -> Result<Connection, ProcessError> {
        let opened = redis::Client::open(self.url()).and_then(|client| client.get_connection());
        opened.map_err(|error| ProcessError::Redis { command: "connecting".to_owned(), error })
    }

    /// Sends a command, written as on a command line without quotes.
    ///
    /// # Errors
    ///
    /// `Redis`.
    pub fn ask<T: FromRedisValue>(&self, command: &str) -> Result<T, ProcessError> {
        ask_on(&mut self.connect()?, command)
    }

    fn late(&self, what: &str) -> ProcessError {
        let (name, what) = (self.process.name().to_owned(), what.to_owned());
        ProcessError::Late { name, what, log: self.plan.log.clone() }
    }

    /// Waits until what it answers contains a text.
    ///
    /// # Errors
    ///
    /// `Redis` or `Late`.
    pub fn wait_for(&self, command: &str, text: &str) -> Result<(), ProcessError> {
        let mut connection = self.connect()?;
        let until = Instant::now() + READY_MAX;
        loop {
            let answer: redis::Value = ask_on(&mut connection, command)?;
            if format!("{answer:?}").contains(text) {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(self.late(&format!("{command}: {text}")));
            }
            thread::park_timeout(LOOK_EVERY);
        }
    }
}

/// Sends a command on a connection.
///
/// # Errors
///
/// `Redis`.
pub fn ask_on<T: FromRedisValue>(
    connection: &mut Connection,
    command: &str,
) -> Result<T, ProcessError> {
    let mut words = command.split(' ');
    let mut asked = redis::cmd(words.next().unwrap_or_default());
    words.for_each(|word| {
        asked.arg(word);
    });
    let refused = |error| ProcessError::Redis { command: command.to_owned(), error };
    asked.query(connection).map_err(refused)
}

/// Writes once more, and says how often that was. A primary that wants replicas takes no write
/// until it has heard of one within its last seconds.
fn written_on(connection: &mut Connection) -> Result<i64, ProcessError> {
    let until = Instant::now() + READY_MAX;
    loop {
        match redis::cmd("INCR").arg("test-replicas").query(connection) {
            Ok(n_writes) => return Ok(n_writes),
            Err(error) if error.code() == Some("NOREPLICAS") && Instant::now() < until => {
                thread::park_timeout(LOOK_EVERY);
            }
            Err(error) => {
                return Err(ProcessError::Redis { command: "INCR".to_owned(), error });
            }
        }
    }
}

/// Sentinels want a file, which they write to.
fn plan(
    port: u16,
    folder: &Path,
    settings: &[&str],
    file: Option<&str>,
) -> Result<Plan, ProcessError> {
    let mut arguments = Vec::new();
    if let Some(text) = file {
        let path = folder.join("file.conf");
        std::fs::write(&path, text).map_err(ProcessError::system("writing a file"))?;
        arguments.push(path.display().to_string());
    }
    let (port, folder_name) = (port.to_string(), folder.display().to_string());
    let own = ["--port", &port, "--bind", "127.0.0.1", "--dir", &folder_name];
    arguments.extend(own.iter().chain(settings).map(|&text| text.to_owned()));
    Ok(Plan {
        name: format!("redis-server on {port}"),
        program: program(),
        advice: ADVICE.to_owned(),
        arguments,
        environment: Vec::new(),
        log: Some(folder.join("log")),
    })
}

fn run(plan: &Plan, ready: &str) -> Result<Process, ProcessError> {
    let mut process = plan.start()?;
    process.read(READY_MAX, |line| line.contains(ready).then_some(()))?;
    Ok(process)
}
