//! Changes that are brought to replicas before they are answered.
//!
//! **Invariant:** one connection, on which nothing else is sent: `WAIT` speaks of what its own
//! connection wrote. Every batch writes something of its own before it waits, because a batch of
//! reads and duplicates may write nothing, and `WAIT` would then say nothing of what they saw.
//! Nobody is told of a change before replicas have it.

use std::sync::Arc;

use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline, RedisError, RedisResult, Value};
use tokio::sync::{mpsc, oneshot};

use super::address::Server;
use super::advice::advise_of_replicas;
use super::dial::Dial;
use super::fault::Fault;
use super::limits::{BATCH_MAX, MARK_KEPT_MS};
use super::node::Brake;
use super::scripts::{Call, MARK, loading};
use super::tables::millis;

/// Commands of a batch besides its jobs.
const EXTRA: usize = 2;

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
    mut jobs: mpsc::Receiver<Job>,
) {
    let n_replicas = dial.address().durability.replicas();
    let wait = millis(dial.replicas_answer());
    let mut line = Line::default();
    let mut n_unmarked: usize = 0;
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while jobs.recv_many(&mut batch, BATCH_MAX).await > 0 {
        // A job that nobody waits for any more is not begun.
        batch.retain(|job| !job.reply.is_closed());
        // Where one could not be written, the next batch writes another: its slot may be moving.
        let place = n_unmarked.checked_rem(batch.len()).unwrap_or(0);
        let Some(marked) = batch.get(place) else { continue };
        let mut pipeline = Pipeline::with_capacity(batch.len() + EXTRA);
        for job in &batch {
            pipeline.add_command(job.command.clone());
        }
        pipeline
            .add_command(Call::new(&MARK, &[&marked.mark]).arg(MARK_KEPT_MS).command())
            .cmd("WAIT")
            .arg(n_replicas)
            .arg(wait);
        let answers = match line.connected(&server, &dial).await {
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
                    line.connection = None;
                }
                match answer(&mut batch, answers, n_replicas) {
                    Marked::Yes => n_unmarked = 0,
                    Marked::No => n_unmarked += 1,
                }
            }
            Err(fault) => {
                line.connection = None;
                for job in batch.drain(..) {
                    // Who asked may have gone.
                    let _ = job.reply.send(Err(fault.clone()));
                }
            }
        }
    }
}

/// The connection of a server's committer.
#[derive(Default)]
struct Line {
    connection: Option<MultiplexedConnection>,
    brake: Brake,
}

impl Line {
    async fn connected(
        &mut self,
        server: &Server,
        dial: &Dial,
    ) -> Result<&mut MultiplexedConnection, Fault> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.brake.unless_failed(server, dial.connect_durably(server)).await?,
        };
        Ok(self.connection.insert(connection))
    }
}

/// Whether a batch has written what it writes for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    Yes,
    No,
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

/// Answers each job with its own answer, if enough replicas have the batch. Without a mark nobody
/// knows what replicas have.
fn answer(batch: &mut Vec<Job>, mut answers: Vec<Value>, n_replicas: u8) -> Marked {
    let n_reached = match answers.pop() {
        Some(Value::Int(n_reached)) => n_reached,
        _ => 0,
    };
    let marked = match answers.pop() {
        Some(Value::Okay) => Marked::Yes,
        _ => Marked::No,
    };
    let is_reached = n_reached >= i64::from(n_replicas);
    if marked == Marked::Yes && !is_reached {
        advise_of_replicas(n_reached, n_replicas);
    }
    for (job, value) in batch.drain(..).zip(answers) {
        let answer = match (value.extract_error(), marked, is_reached) {
            (Err(error), _, _) => Err(Fault::of(&error)),
            (Ok(_), Marked::No, _) => Err(Fault::Unknown),
            (Ok(_), Marked::Yes, false) => Err(Fault::Unconfirmed),
            (Ok(value), Marked::Yes, true) => Ok(value),
        };
        // Who asked may have gone.
        let _ = job.reply.send(answer);
    }
    marked
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
