//! A worker from its start to its end.
//!
//! **Invariant:** it ends only when it is told to or may not work at all; then within the time set,
//! with every lease finished or given back as far as that time allows.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use handfoot_bots::Level;
use handfoot_client::{BotCredential, ClientError, Connection, DispatchClient};
use handfoot_protocol::Advice;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::budget::{Budget, Policies, Thinker};
use crate::counters::{Counters, Tally};
use crate::{seats, turns};

/// How a worker works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Its name, for logs; 1 to 64 characters.
    pub worker: String,
    /// The levels that it plays, at least one.
    pub levels: Vec<Level>,
    /// Decisions under way at once, at most; at least 1.
    pub concurrency: usize,
    /// How much thinking a decision may cost.
    pub budget: Budget,
    /// How long a call for work waits, 30 s at most.
    pub wait: Duration,
    /// How long a lease is to hold, 1 to 60 s.
    pub lease: Duration,
    /// How long ending may take.
    pub drain: Duration,
    /// Whether it takes seats that are offered to bots.
    pub seats: SeatTaking,
    /// How often the counts are logged; zero: at the end only.
    pub report_every: Duration,
}

/// Whether a worker takes seats that are offered to bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatTaking {
    /// It does.
    Offered,
    /// It only plays seats that bots have already.
    Never,
}

impl Work {
    /// What is usual, for all levels.
    #[must_use]
    pub fn usual() -> Work {
        Work {
            worker: "bot-service".to_owned(),
            levels: Level::ALL.to_vec(),
            concurrency: 64,
            budget: Budget::USUAL,
            wait: Duration::from_secs(20),
            lease: Duration::from_secs(5),
            drain: Duration::from_secs(10),
            seats: SeatTaking::Offered,
            report_every: Duration::from_secs(60),
        }
    }
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything under way was finished or given back.
    Drained,
    /// Time was up: some decisions were left, and their leases run out.
    Cut,
    /// The server does not accept the credential.
    NotAllowed,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The counts.
    pub tally: Tally,
    /// How it ended.
    pub ended: Ended,
}

/// What the parts of a worker share.
pub(crate) struct Shared {
    pub(crate) work: Work,
    pub(crate) client: DispatchClient,
    pub(crate) thinker: Arc<dyn Thinker>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) drain: CancellationToken,
}

/// A worker that can be watched while it works.
pub struct Worker {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("work", &self.shared.work).finish_non_exhaustive()
    }
}

impl Worker {
    /// A worker that has not started. It ends when `drain` is cancelled.
    #[must_use]
    pub fn new(
        work: Work,
        connection: Connection,
        credential: BotCredential,
        thinker: Arc<dyn Thinker>,
        drain: &CancellationToken,
    ) -> Worker {
        let levels = work.levels.iter().map(|level| level.name().to_owned()).collect();
        let client = DispatchClient::new(connection, credential, work.worker.clone(), levels);
        // A token of its own: a worker that may not work stops its parts and nobody else.
        let drain = drain.child_token();
        let counters = Arc::default();
        Worker { shared: Arc::new(Shared { work, client, thinker, counters, drain }) }
    }

    /// Its counts, to be read at any time.
    #[must_use]
    pub fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.shared.counters)
    }

    /// Works until it is told to end.
    pub async fn run(self) -> Report {
        let shared = self.shared;
        let work = &shared.work;
        info!(worker = work.worker, concurrency = work.concurrency, "taking work");
        let (turns, seats, ()) = tokio::join!(
            turns::take(Arc::clone(&shared)),
            seats::take(&shared),
            report_now_and_then(&shared),
        );
        let ended = match (turns, seats) {
            (Ended::NotAllowed, _) | (_, Ended::NotAllowed) => Ended::NotAllowed,
            (Ended::Drained | Ended::Cut, Ended::Drained | Ended::Cut) => turns,
        };
        let tally = shared.counters.tally();
        info!(%tally, ?ended, "ended");
        Report { tally, ended }
    }
}

/// Plays the seats of bots with the levels' own policies until `drain` is cancelled.
pub async fn run(
    work: Work,
    connection: Connection,
    credential: BotCredential,
    drain: CancellationToken,
) -> Report {
    Worker::new(work, connection, credential, Arc::new(Policies), &drain).run().await
}

/// Whether a failed call for work means that none will ever succeed.
pub(crate) fn is_final(error: &ClientError) -> bool {
    error.advice() == Advice::Authorise
}

/// What a log says of a failed call: a fixed word, and where no secure connection can be had also
/// what to do, which names no card and no secret.
pub(crate) fn told(error: &ClientError) -> Cow<'static, str> {
    match error {
        ClientError::Insecure(problem) => Cow::Owned(format!("{}: {problem}", error.label())),
        ClientError::Refused(_)
        | ClientError::NotReached
        | ClientError::Broken { .. }
        | ClientError::DeadlineExceeded { .. }
        | ClientError::Answer(_) => Cow::Borrowed(error.label()),
    }
}

async fn report_now_and_then(shared: &Shared) {
    let every = shared.work.report_every;
    if every.is_zero() {
        return;
    }
    let mut before = Tally::default();
    while !shared.drain.is_cancelled() {
        crate::backoff::rest(every, &shared.drain).await;
        let tally = shared.counters.tally();
        if tally != before && !shared.drain.is_cancelled() {
            info!(%tally, "working");
            before = tally;
        }
    }
}
