//! One server, and the connection that all calls to it share.
//!
//! **Invariant:** a connection that failed is used no more. Whoever finds that it failed says so
//! with its number, so that a newer one is not thrown away for it.

use std::sync::{Arc, OnceLock};

use redis::aio::MultiplexedConnection;
use redis::{Cmd, ErrorKind, RedisError, RedisResult, Value};
use tokio::sync::{Mutex, mpsc};
use tokio::time::Instant;

use super::address::Server;
use super::advice::{advise, say_unreached};
use super::committer::{Job, commit_in_batches};
use super::dial::Dial;
use super::fault::Fault;
use super::limits::{CONNECT_AGAIN_AFTER, JOBS_MAX};
use super::scripts::loading;

/// Keeps those who waited for a try that failed from waiting for one more.
#[derive(Debug, Default)]
pub(super) struct Brake {
    failed_at: Option<Instant>,
}

impl Brake {
    /// What a try gives, unless one has failed a moment ago.
    pub(super) async fn unless_failed<T>(
        &mut self,
        server: &Server,
        connect: impl Future<Output = RedisResult<T>>,
    ) -> Result<T, Fault> {
        if self.failed_at.is_some_and(|at| at.elapsed() < CONNECT_AGAIN_AFTER) {
            return Err(Fault::Unreached);
        }
        let connected = connect.await;
        self.failed_at = connected.is_err().then(Instant::now);
        connected.map_err(|error| {
            log_unreached(server, &error);
            unreached(&error)
        })
    }
}

/// One server.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) server: Server,
    dial: Arc<Dial>,
    line: Mutex<Line>,
    /// Where calls go that must reach replicas before they are answered.
    committer: OnceLock<mpsc::Sender<Job>>,
}

/// The connection in use.
#[derive(Debug, Default)]
struct Line {
    number: u64,
    connection: Option<MultiplexedConnection>,
    brake: Brake,
}

impl Node {
    pub(super) fn new(server: Server, dial: Arc<Dial>) -> Self {
        Self { server, dial, line: Mutex::default(), committer: OnceLock::new() }
    }

    /// Sends a command and waits for its answer.
    pub(super) async fn run(&self, command: &Cmd) -> Result<Value, Fault> {
        let (number, mut connection) = self.connection().await?;
        // The client gives an error of the server as a value.
        let answer = connection.send_packed_command(command).await.and_then(Value::extract_error);
        self.judged(number, answer).await
    }

    /// Sends a command for a slot that is on its way to this server.
    pub(super) async fn run_asked(&self, command: &Cmd) -> Result<Value, Fault> {
        let (number, mut connection) = self.connection().await?;
        let mut pipeline = redis::pipe();
        pipeline.cmd("ASKING").add_command(command.clone());
        let answers = connection.send_packed_commands(&pipeline, 0, 2).await;
        let last =
            answers.and_then(|mut answers| answers.pop().unwrap_or_default().extract_error());
        self.judged(number, last).await
    }

    /// Has a command done and brought to replicas, as soon as there is a place for it.
    pub(super) async fn run_durably(&self, job: Job) -> Result<(), Fault> {
        let committer = self.committer.get_or_init(|| {
            let (sender, jobs) = mpsc::channel(JOBS_MAX);
            tokio::spawn(commit_in_batches(self.server.clone(), Arc::clone(&self.dial), jobs));
            sender
        });
        committer.send(job).await.map_err(|_| Fault::Unreached)
    }

    /// Makes the server know the scripts.
    pub(super) async fn load_scripts(&self) -> Result<(), Fault> {
        let (number, mut connection) = self.connection().await?;
        let loaded = loading().query_async::<Vec<Value>>(&mut connection).await;
        self.judged(number, loaded.map(|_| Value::Nil)).await.map(drop)
    }

    /// The connection, made if there is none.
    async fn connection(&self) -> Result<(u64, MultiplexedConnection), Fault> {
        let mut line = self.line.lock().await;
        if let Some(connection) = &line.connection {
            return Ok((line.number, connection.clone()));
        }
        let connect = self.dial.connect(&self.server);
        let connection = line.brake.unless_failed(&self.server, connect).await?;
        line.number += 1;
        line.connection = Some(connection.clone());
        Ok((line.number, connection))
    }

    async fn judged(&self, number: u64, answer: Result<Value, RedisError>) -> Result<Value, Fault> {
        let fault = match answer {
            Ok(value) => return Ok(value),
            Err(error) => Fault::of(&error),
        };
        if matches!(fault, Fault::Unknown | Fault::NoPrimary) {
            let mut line = self.line.lock().await;
            if line.number == number {
                line.connection = None;
            }
        }
        Err(fault)
    }
}

/// What it means that a connection could not be made. Nothing was sent.
fn unreached(error: &RedisError) -> Fault {
    let fault = Fault::of(error);
    if fault == Fault::Unknown { Fault::Unreached } else { fault }
}

/// Says that a server cannot be reached.
pub(super) fn log_unreached(server: &Server, error: &RedisError) {
    let code = error.code().unwrap_or_default();
    match error.kind() == ErrorKind::AuthenticationFailed {
        true => advise("WRONGPASS"),
        false if code.is_empty() => {}
        false => advise(code),
    }
    say_unreached(server, error);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn after_a_try_that_failed_nobody_tries_for_a_while() {
        let server = Server { host: "nowhere".to_owned(), port: 1 };
        let n_tries = Cell::new(0);
        let fails = async || {
            n_tries.set(n_tries.get() + 1);
            Err::<(), _>(RedisError::from((ErrorKind::Io, "nobody is there")))
        };
        let mut brake = Brake::default();
        for _ in 0..100 {
            assert_eq!(brake.unless_failed(&server, fails()).await, Err(Fault::Unreached));
        }
        assert_eq!(n_tries.get(), 1);
        tokio::time::advance(CONNECT_AGAIN_AFTER).await;
        assert_eq!(brake.unless_failed(&server, fails()).await, Err(Fault::Unreached));
        assert_eq!(n_tries.get(), 2);
        tokio::time::advance(CONNECT_AGAIN_AFTER).await;
        // A try that is made forgets those that failed.
        assert_eq!(brake.unless_failed(&server, async { Ok(1) }).await, Ok(1));
        assert_eq!(brake.unless_failed(&server, async { Ok(2) }).await, Ok(2));
    }
}
