//! Changes that are brought to replicas before they are answered.
//!
//! **Invariant:** one connection, on which nothing else is sent: `WAIT` speaks of what its own
//! connection wrote. Every batch writes something of its own before it waits, because a batch of
//! reads and duplicates may write nothing, and `WAIT` would then say nothing of what they saw.
//! Nobody is told of a change before replicas have it.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline, RedisError, RedisResult, Value};
use tokio::sync::{mpsc, oneshot};

use super::address::Server;
use super::advice::advise_of_replicas;
use super::dial::Dial;
use super::fault::Fault;
use super::node::{log_unreached, unreached};
use super::scripts::loading;

/// Calls of one batch, at most.
const BATCH_MAX: usize = 64;

/// How long replicas may take to say that they have it.
const REPLICAS_ANSWER_MAX: Duration = Duration::from_millis(100);

/// Milliseconds for which what a batch writes for itself is kept.
const MARK_KEPT_MS: u64 = 3_600_000;

/// Commands of a batch besides its jobs.
const EXTRA: usize = 3;

/// A call that is answered when replicas have what it did or saw.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) command: Cmd,
    /// A key of the same server, for the batch to write.
    pub(super) mark: String,
    pub(super) reply: oneshot::Sender<Result<Value, Fault>>,
}

/// What is said to watchers, after replicas have it.
#[derive(Debug)]
pub(super) struct Publication {
    pub(super) channel: String,
    pub(super) message: Vec<u8>,
}

impl Publication {
    /// The command that says it.
    pub(super) fn command(&self) -> Cmd {
        let mut command = redis::cmd("SPUBLISH");
        command.arg(&self.channel).arg(&self.message);
        command
    }
}

/// Does jobs in batches, each followed by one wait for replicas, until there will be no more.
pub(super) async fn commit_in_batches(
    server: Server,
    dial: Arc<Dial>,
    mut jobs: mpsc::UnboundedReceiver<Job>,
) {
    let n_replicas = dial.address().durability.replicas();
    let mut line: Option<MultiplexedConnection> = None;
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while jobs.recv_many(&mut batch, BATCH_MAX).await > 0 {
        // A job that nobody waits for any more is not begun.
        batch.retain(|job| !job.reply.is_closed());
        let Some(first) = batch.first() else { continue };
        let mut pipeline = Pipeline::with_capacity(batch.len() + EXTRA);
        for job in &batch {
            pipeline.add_command(job.command.clone());
        }
        // A full server refuses the first and takes the second, so that reads go on.
        pipeline.cmd("SET").arg(&first.mark).arg(1).arg("PX").arg(MARK_KEPT_MS);
        pipeline.cmd("PEXPIRE").arg(&first.mark).arg(MARK_KEPT_MS);
        let wait = u64::try_from(REPLICAS_ANSWER_MAX.as_millis()).unwrap_or(u64::MAX);
        pipeline.cmd("WAIT").arg(n_replicas).arg(wait);
        let answers = match connected(&mut line, &server, &dial).await {
            Ok(connection) => {
                let answers = send(connection, &pipeline, batch.len() + EXTRA).await;
                answers.map_err(|error| Fault::of(&error))
            }
            Err(fault) => Err(fault),
        };
        match answers {
            Ok(answers) => {
                // The name may lead to the primary by now.
                if answers.iter().any(is_of_no_primary) {
                    line = None;
                }
                answer(&mut batch, answers, n_replicas);
            }
            Err(fault) => {
                line = None;
                for job in batch.drain(..) {
                    // Who asked may have gone.
                    let _ = job.reply.send(Err(fault.clone()));
                }
            }
        }
    }
}

async fn connected<'a>(
    line: &'a mut Option<MultiplexedConnection>,
    server: &Server,
    dial: &Dial,
) -> Result<&'a mut MultiplexedConnection, Fault> {
    let connection = match line.take() {
        Some(connection) => connection,
        None => dial.connect(server).await.map_err(|error| {
            log_unreached(server, &error);
            unreached(&error)
        })?,
    };
    Ok(line.insert(connection))
}

async fn send(
    connection: &mut MultiplexedConnection,
    pipeline: &Pipeline,
    count: usize,
) -> RedisResult<Vec<Value>> {
    let answers = connection.send_packed_commands(pipeline, 0, count).await?;
    if answers.iter().any(is_unknown_script) {
        let _: Vec<Value> = loading().query_async(connection).await?;
    }
    Ok(answers)
}

/// Answers each job with its own answer, if enough replicas have the batch.
fn answer(batch: &mut Vec<Job>, mut answers: Vec<Value>, n_replicas: u8) {
    let n_reached = match answers.pop() {
        Some(Value::Int(n_reached)) => n_reached,
        _ => 0,
    };
    let is_marked = answers.pop() == Some(Value::Int(1));
    answers.pop();
    let is_confirmed = is_marked && n_reached >= i64::from(n_replicas);
    if !is_confirmed {
        advise_of_replicas(n_reached, n_replicas);
    }
    for (job, value) in batch.drain(..).zip(answers) {
        let answer = match (value.extract_error(), is_confirmed) {
            (Err(error), _) => Err(Fault::of(&error)),
            (Ok(_), false) => Err(Fault::Unconfirmed),
            (Ok(value), true) => Ok(value),
        };
        // Who asked may have gone.
        let _ = job.reply.send(answer);
    }
}

fn fault_in(value: &Value) -> Option<Fault> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate that grows")]
    match value {
        Value::ServerError(error) => Some(Fault::of(&RedisError::from(error.clone()))),
        _ => None,
    }
}

fn is_unknown_script(value: &Value) -> bool {
    fault_in(value) == Some(Fault::NoScript)
}

fn is_of_no_primary(value: &Value) -> bool {
    fault_in(value) == Some(Fault::NoPrimary)
}
