//! Following a table by its stream, whatever happens to the stream.
//!
//! **Invariant:** a commit is applied only if it is the next one; after anything else the stream is
//! opened again from what is known. What the caller is given has no gap and no repeat: either the
//! next step, or a snapshot that replaces everything.

use std::time::Duration;

use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_protocol::{Advice, v1};
use handfoot_view::Event;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tonic::{Request, Response, Status, Streaming};
use tracing::Instrument;

use crate::caller::{authorise, trace};
use crate::error::{AnswerProblem, ClientError};
use crate::known::{Known, NotNext};
use crate::observed::Observed;
use crate::play::PlayClient;
use crate::policy::{Policy, Rpc};

const RPC: Rpc = Rpc("handfoot.v1.PlayService/WatchTable");

/// Three heartbeats: after so long without a word the stream is taken for dead.
const SILENCE_MAX: Duration = Duration::from_secs(45);

/// How long opening the stream may take.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest wait before a rotated stream is opened again, whatever the server asks for.
const REOPEN_MAX: Duration = Duration::from_secs(60);

/// Commits in a row that do not fit what the server's snapshots say, before that is told.
const MISSES_MAX: u32 = 5;

/// Openings in a row that fail for want of a secure connection, before that is told.
const INSECURE_MAX: u32 = 4;

type Items = Streaming<v1::WatchTableResponse>;

/// Follows one table.
pub struct TableWatch {
    client: PlayClient,
    known: Option<Known>,
    /// Whether the stream can go on from what is known.
    resume: Resume,
    stream: Option<Items>,
    heard: Instant,
    reopen_at: Option<Instant>,
    /// Openings since something was last received that moved things on.
    failures: u32,
    /// Commits in a row that could not be followed, snapshots between them or not.
    misses: u32,
    opened: u64,
    closed: Closed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Resume {
    FromKnown,
    FromSnapshot,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Closed {
    No,
    Yes,
}

/// What was learnt.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// Everything is new: [`TableWatch::known`] was replaced.
    Snapshot {
        /// Why.
        cause: v1::SnapshotCause,
        /// Who is there.
        presence: Option<v1::Presence>,
    },
    /// The next commit, which [`TableWatch::known`] has in it already.
    Commit(Box<Step>),
    /// Who is there changed.
    Presence(v1::Presence),
    /// Nothing happened for a while.
    Heartbeat,
    /// The table is closed and all was sent.
    Closed,
}

/// A commit and what happened in it.
///
/// # Visibility
///
/// The viewer. `Debug` shows no card.
#[derive(Clone, PartialEq)]
pub struct Step {
    /// The commit as it was sent.
    pub commit: v1::Commit,
    /// Its events, in order.
    pub events: Vec<Event>,
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let version = self.commit.stamp.as_ref().map(|stamp| stamp.version);
        f.debug_struct("Step").field("version", &version).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for TableWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWatch").field("known", &self.known).finish_non_exhaustive()
    }
}

impl TableWatch {
    pub(crate) fn new(client: PlayClient, known: Option<Known>) -> TableWatch {
        TableWatch {
            client,
            resume: if known.is_some() { Resume::FromKnown } else { Resume::FromSnapshot },
            known,
            stream: None,
            heard: Instant::now(),
            reopen_at: None,
            failures: 0,
            misses: 0,
            opened: 0,
            closed: Closed::No,
        }
    }

    /// The table as it is known now; none before the first snapshot.
    #[must_use]
    pub const fn known(&self) -> Option<&Known> {
        self.known.as_ref()
    }

    /// How often the stream has been opened.
    #[must_use]
    pub const fn opened(&self) -> u64 {
        self.opened
    }

    /// Waits for what comes next. It survives servers that end, go away, or lose the stream, and
    /// waits for them without limit; dropping it between two answers loses nothing.
    ///
    /// # Errors
    ///
    /// [`ClientError`] if opening the stream again cannot help, such as when the token has run
    /// out, or commit after commit does not fit the table.
    pub async fn next(&mut self) -> Result<Update, ClientError> {
        while self.closed == Closed::No {
            let Some(stream) = self.stream.as_mut() else {
                self.open().await?;
                continue;
            };
            match timeout_at(self.heard + SILENCE_MAX, stream.message()).await {
                Ok(Ok(Some(response))) => {
                    self.heard = Instant::now();
                    if let Some(update) = self.take(response)? {
                        return Ok(update);
                    }
                }
                // It ended without a word, or nothing was heard for too long.
                Ok(Ok(None)) | Err(_) => self.cut(),
                Ok(Err(status)) => self.failed(&status)?,
            }
        }
        Ok(Update::Closed)
    }

    async fn open(&mut self) -> Result<(), ClientError> {
        if let Some(at) = self.reopen_at {
            sleep_until(at).await;
        }
        let from = self.known.as_ref().filter(|_| self.resume == Resume::FromKnown);
        let message = v1::WatchTableRequest {
            after_version: from.map(|known| known.stamp.version),
            after_chain: from.map(|known| known.stamp.chain.clone()).unwrap_or_default(),
            rules: self.client.delivery() as i32,
        };
        let opened = self.ask(message).await;
        match opened {
            Ok(Ok(response)) => {
                self.opened += 1;
                self.heard = Instant::now();
                self.reopen_at = None;
                self.stream = Some(response.into_inner());
                Ok(())
            }
            Ok(Err(status)) => self.failed(&status),
            Err(_) => {
                self.cut();
                Ok(())
            }
        }
    }

    /// Opens the stream; an error if that takes too long. Its call is traced until it is open.
    async fn ask(
        &self,
        message: v1::WatchTableRequest,
    ) -> Result<Result<Response<Items>, Status>, Elapsed> {
        let call = Observed::begin(RPC, None);
        let opening = async {
            let mut request = Request::new(message);
            authorise(&mut request, Some(self.client.token().header()));
            trace(&mut request);
            let mut service = PlayServiceClient::new(self.client.connection().wire());
            timeout(OPEN_TIMEOUT, service.watch_table(request)).await
        };
        let opened = opening.instrument(call.span().clone()).await;
        let error = match &opened {
            Ok(Ok(_)) => None,
            Ok(Err(status)) => Some(ClientError::of(status, 1)),
            Err(_) => Some(ClientError::DeadlineExceeded { after: OPEN_TIMEOUT }),
        };
        call.end(error.as_ref());
        opened
    }

    fn take(&mut self, response: v1::WatchTableResponse) -> Result<Option<Update>, ClientError> {
        match response.item {
            Some(Item::Snapshot(snapshot)) => self.replace(*snapshot).map(Some),
            Some(Item::Commit(commit)) => self.step(commit),
            Some(Item::Heartbeat(_)) => Ok(Some(Update::Heartbeat)),
            Some(Item::Presence(presence)) => Ok(Some(Update::Presence(presence))),
            Some(Item::Rotate(rotate)) => Ok(self.rotate(rotate)),
            // Of a later contract.
            None => Ok(None),
        }
    }

    fn replace(&mut self, snapshot: v1::Snapshot) -> Result<Update, ClientError> {
        let cause = snapshot.cause();
        let rules = self.client.learn(snapshot.rules.as_ref())?;
        let view = snapshot.view.ok_or_else(|| ClientError::missing("snapshot.view"))?;
        self.known = Some(Known::decode(&view, rules)?);
        self.resume = Resume::FromKnown;
        // Whoever can follow nothing but snapshots asks for them ever more slowly.
        self.failures = self.misses;
        Ok(Update::Snapshot { cause, presence: snapshot.presence })
    }

    fn step(&mut self, commit: v1::Commit) -> Result<Option<Update>, ClientError> {
        let followed = self.known.as_mut().map(|known| known.follow(&commit));
        let mut told = Ok(None);
        match followed {
            Some(Ok(events)) => {
                (self.failures, self.misses) = (0, 0);
                return Ok(Some(Update::Commit(Box::new(Step { commit, events }))));
            }
            Some(Err(NotNext::Gap { .. })) => {}
            // The view is the truth: an event of a later contract is in it.
            Some(Err(NotNext::Unreadable(_))) | None => self.missed(),
            // What is known may be what is wrong.
            Some(Err(NotNext::Unfit { unfit, .. })) => {
                self.missed();
                if self.misses > MISSES_MAX {
                    told = Err(ClientError::Answer(AnswerProblem::Unfit(unfit)));
                }
            }
        }
        self.cut();
        told
    }

    fn missed(&mut self) {
        self.resume = Resume::FromSnapshot;
        self.misses = self.misses.saturating_add(1);
    }

    fn rotate(&mut self, rotate: v1::Rotate) -> Option<Update> {
        if rotate.cause() == v1::RotateCause::TableClosed {
            self.stream = None;
            self.closed = Closed::Yes;
            return Some(Update::Closed);
        }
        let asked = Duration::from_millis(u64::from(rotate.reopen_after_ms)).min(REOPEN_MAX);
        self.stream = None;
        self.reopen_at = Some(Instant::now() + self.client.connection().jitter().beyond(asked));
        None
    }

    /// Gives the stream up; it is opened again at once the first time, and then ever later.
    fn cut(&mut self) {
        self.stream = None;
        let most = Policy::of(RPC).retry.pause_max(self.failures);
        let pause = self.client.connection().jitter().within(most);
        self.reopen_at = (self.failures > 0).then(|| Instant::now() + pause);
        self.failures = self.failures.saturating_add(1);
    }

    /// Gives the stream up for an error, unless that cannot be helped.
    fn failed(&mut self, status: &Status) -> Result<(), ClientError> {
        let error = ClientError::of(status, self.failures + 1);
        let is_insecure = matches!(error, ClientError::Insecure(_));
        let stays = is_insecure && self.failures + 1 >= INSECURE_MAX;
        match (error.advice(), error.reason()) {
            // Of many servers one may be misunderstood, and only for a while.
            (Advice::GiveUp, None) if stays => {
                self.stream = None;
                return Err(error);
            }
            // Without a reason something between us and the server is at fault, perhaps for a moment.
            (Advice::Retry | Advice::Reread, _) | (Advice::GiveUp, None) => {}
            (
                Advice::FixRequest
                | Advice::Decide
                | Advice::Wait
                | Advice::Authorise
                | Advice::GiveUp,
                _,
            ) => {
                self.stream = None;
                return Err(error);
            }
        }
        self.stream = None;
        self.failures = self.failures.saturating_add(1);
        let connection = self.client.connection();
        let pause = connection.pause(&Policy::of(RPC), status, self.failures);
        self.reopen_at = Some(Instant::now() + pause);
        Ok(())
    }
}
