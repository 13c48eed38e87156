//! Working for bots: taking seats and decisions.
//!
//! **Invariant:** of a task only its worker sees cards, token and seed: none of them is printed. A
//! task that cannot be read still gives its lease, so that it can be handed back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use handfoot_protocol::v1;
use handfoot_protocol::v1::bot_dispatch_service_client::BotDispatchServiceClient;
use handfoot_protocol::{DecodeError, DecodeProblem};
use handfoot_rules::Rules;

use crate::connection::Connection;
use crate::credential::{BotCredential, SeatToken};
use crate::error::{AnswerProblem, ClientError};
use crate::known::{Known, read_rules};
use crate::play::{Legal, PlayClient};
use crate::policy::Rpc;
use crate::trace_origin::TraceOrigin;

/// Rule sets that are kept decoded, at most.
const RULES_KEPT_MAX: usize = 16;

/// Takes seats and decisions for a worker.
#[derive(Clone)]
pub struct DispatchClient {
    connection: Connection,
    credential: BotCredential,
    worker: String,
    levels: Vec<String>,
    rules: Arc<Mutex<RulesKept>>,
}

impl std::fmt::Debug for DispatchClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DispatchClient")
            .field("worker", &self.worker)
            .field("levels", &self.levels)
            .finish_non_exhaustive()
    }
}

/// Rules of recent tasks, so that those of many tables are read once; the newest last.
type RulesKept = Vec<(v1::RulesDraft, Arc<Rules>)>;

/// How many decisions to take, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnOrder {
    /// The most decisions, 1 to 16.
    pub tasks_max: u32,
    /// How long to wait for the first.
    pub wait: Duration,
    /// How long leases are to hold.
    pub lease: Duration,
}

/// What fixes a bot's chance.
///
/// # Visibility
///
/// The bot. It is not printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BotSecret(pub [u8; 32]);

impl std::fmt::Debug for BotSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BotSecret(..)")
    }
}

/// A worker's claim on a decision.
#[derive(Clone, Debug)]
pub struct Lease {
    /// Its id.
    pub id: String,
    /// The token with which to play while it holds.
    pub token: SeatToken,
    /// How long it holds from when the task was made; none if the server does not say.
    pub holds: Option<Duration>,
}

/// A decision that a bot seat owes.
#[derive(Clone, Debug)]
pub struct BotTask {
    /// The claim on it.
    pub lease: Lease,
    /// The level it is to be played at.
    pub level: String,
    /// The table as the seat may know it.
    pub known: Known,
    /// What the seat may do.
    pub legal: Legal,
    /// What fixes the bot's chance.
    pub secret: BotSecret,
    /// How long a visible action is to take at least.
    pub pace: Duration,
    /// The trace in which it became due; none if there is none or it cannot be read.
    pub trace: Option<TraceOrigin>,
}

/// A task that makes no sense to this client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableTask {
    /// The lease, to be given back; none if that is missing too.
    pub lease_id: Option<String>,
    /// What is wrong.
    pub error: ClientError,
}

impl DispatchClient {
    /// Works under this name, for bots of these levels.
    #[must_use]
    pub fn new(
        connection: Connection,
        credential: BotCredential,
        worker: String,
        levels: Vec<String>,
    ) -> DispatchClient {
        let rules = Arc::new(Mutex::new(Vec::new()));
        DispatchClient { connection, credential, worker, levels, rules }
    }

    /// Takes an open seat that is offered to bots; none if there was none for so long.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn acquire_seat(
        &self,
        wait: Duration,
    ) -> Result<Option<v1::AcquiredSeat>, ClientError> {
        let request = v1::AcquireSeatRequest {
            worker: self.worker.clone(),
            levels: self.levels.clone(),
            wait_ms: milliseconds(wait),
        };
        let rpc = Rpc("handfoot.v1.BotDispatchService/AcquireSeat");
        let send = |wire, request| async move {
            BotDispatchServiceClient::new(wire).acquire_seat(request).await
        };
        let header = Some(self.credential.header());
        let answer: v1::AcquireSeatResponse =
            self.connection.call(rpc, header, request, send).await?;
        Ok(answer.acquired)
    }

    /// Takes decisions, the oldest first; none if there were none for so long.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn acquire_turns(
        &self,
        order: TurnOrder,
    ) -> Result<Vec<Result<BotTask, UnreadableTask>>, ClientError> {
        let request = v1::AcquireTurnRequest {
            worker: self.worker.clone(),
            levels: self.levels.clone(),
            max_tasks: order.tasks_max,
            wait_ms: milliseconds(order.wait),
            lease_ms: milliseconds(order.lease),
        };
        let rpc = Rpc("handfoot.v1.BotDispatchService/AcquireTurn");
        let send = |wire, request| async move {
            BotDispatchServiceClient::new(wire).acquire_turn(request).await
        };
        let header = Some(self.credential.header());
        let answer: v1::AcquireTurnResponse =
            self.connection.call(rpc, header, request, send).await?;
        Ok(answer.tasks.into_iter().map(|task| self.read(task)).collect())
    }

    /// Gives a lease back. Giving back what is gone changes nothing.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn release_turn(
        &self,
        lease_id: &str,
        cause: v1::ReleaseCause,
    ) -> Result<(), ClientError> {
        let request = v1::ReleaseTurnRequest { lease_id: lease_id.to_owned(), cause: cause as i32 };
        let rpc = Rpc("handfoot.v1.BotDispatchService/ReleaseTurn");
        let send = |wire, request| async move {
            BotDispatchServiceClient::new(wire).release_turn(request).await
        };
        let header = Some(self.credential.header());
        let _: v1::ReleaseTurnResponse = self.connection.call(rpc, header, request, send).await?;
        Ok(())
    }

    /// Plays with the token of a task's lease.
    #[must_use]
    pub fn player(&self, task: &BotTask) -> PlayClient {
        let (token, rules) = (task.lease.token.clone(), Arc::clone(&task.known.rules));
        PlayClient::with_rules(self.connection.clone(), token, rules)
    }

    fn read(&self, task: v1::BotTask) -> Result<BotTask, UnreadableTask> {
        let lease_id = task.lease.as_ref().map(|lease| lease.lease_id.clone());
        self.read_task(task).map_err(|error| UnreadableTask { lease_id, error })
    }

    fn read_task(&self, task: v1::BotTask) -> Result<BotTask, ClientError> {
        let lease = task.lease.ok_or_else(|| ClientError::missing("lease"))?;
        let view = task.view.ok_or_else(|| ClientError::missing("view"))?;
        let legal = task.legal.ok_or_else(|| ClientError::missing("legal"))?;
        let known = Known::decode(&view, self.rules_of(task.rules)?)?;
        if known.view.seat.is_none() {
            return Err(ClientError::missing("view.seat"));
        }
        let problem = DecodeProblem::WrongLength { actual: task.bot_seed.len(), required: 32 };
        let wrong_seed = |_| DecodeError { field: "bot_seed".to_owned(), problem };
        let secret = <[u8; 32]>::try_from(task.bot_seed.as_slice()).map_err(wrong_seed)?;
        let expires = lease.expire_time.and_then(|time| SystemTime::try_from(time).ok());
        let unusable = |_| ClientError::Answer(AnswerProblem::Token);
        Ok(BotTask {
            lease: Lease {
                id: lease.lease_id,
                token: SeatToken::new(&lease.token).map_err(unusable)?,
                holds: known.until(expires),
            },
            level: task.level,
            legal: Legal::decode(&legal, &known.rules)?,
            known,
            secret: BotSecret(secret),
            pace: Duration::from_millis(u64::from(task.pace_ms)),
            trace: task.trace.as_ref().and_then(TraceOrigin::decode),
        })
    }

    fn rules_of(&self, draft: Option<v1::RulesDraft>) -> Result<Arc<Rules>, ClientError> {
        let draft = draft.ok_or_else(|| ClientError::missing("rules"))?;
        let mut kept = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rules)) = kept.iter().find(|(known, _)| *known == draft) {
            return Ok(Arc::clone(rules));
        }
        let rules = read_rules(Some(&draft))?;
        if kept.len() >= RULES_KEPT_MAX {
            kept.remove(0);
        }
        kept.push((draft, Arc::clone(&rules)));
        Ok(rules)
    }
}

fn milliseconds(of: Duration) -> u32 {
    u32::try_from(of.as_millis()).unwrap_or(u32::MAX)
}
