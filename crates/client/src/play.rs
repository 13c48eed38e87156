//! Playing a seat.
//!
//! **Invariant:** a decision has its request id from the moment it is made: whoever sends it again
//! sends the same one, so that it is played once.

use std::sync::{Arc, OnceLock};

use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_protocol::{Codec, v1};
use handfoot_rules::Rules;
use handfoot_view::{Action, Menu};
use uuid::Uuid;

use crate::connection::Connection;
use crate::credential::SeatToken;
use crate::error::ClientError;
use crate::known::{Known, read_rules};
use crate::policy::Rpc;
use crate::watch::TableWatch;

/// Plays and watches with one token. Copies share what they learn of the rules.
#[derive(Clone)]
pub struct PlayClient {
    connection: Connection,
    token: SeatToken,
    rules: Arc<OnceLock<Arc<Rules>>>,
}

/// Actions that a seat has decided on.
///
/// # Visibility
///
/// The seat.
#[derive(Clone, PartialEq, Eq)]
pub struct Decision {
    request_id: String,
    expected_version: u64,
    actions: Vec<Action>,
}

/// An undo that a seat has decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoDecision {
    request_id: String,
    expected_version: u64,
    acts: u8,
}

/// What a seat may do.
///
/// # Visibility
///
/// The seat. `Debug` shows no card.
#[derive(Clone, PartialEq, Eq)]
pub struct Legal {
    /// The table's version for which this holds.
    pub version: u64,
    /// By parts.
    pub menu: Menu,
    /// Whole actions, in canonical order.
    pub actions: Vec<Action>,
}

/// Whether a decision was played by this request or by one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// By this one.
    Now,
    /// By an earlier one with the same id: the commit is the first one.
    Before,
}

/// What came of a decision.
///
/// # Visibility
///
/// The seat. `Debug` shows no card.
#[derive(Clone, PartialEq)]
pub struct Submitted {
    /// The commit that it made; none if it was only judged.
    pub commit: Option<v1::Commit>,
    /// Whether it had been played before.
    pub played: Played,
    /// What the seat may do now; none if the server does not say or this client cannot read it.
    pub legal: Option<Legal>,
}

macro_rules! hide {
    ($($name:ident { $($field:ident),* })+) => { $(
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    )+ };
}

hide! {
    PlayClient { token }
    Decision { request_id, expected_version }
    Legal { version }
    Submitted { played }
}

impl Decision {
    /// Actions decided on at a version, with an id of their own.
    #[must_use]
    pub fn new(expected_version: u64, actions: Vec<Action>) -> Decision {
        Decision::with_id(Uuid::new_v4(), expected_version, actions)
    }

    /// The same with an id that the caller derives, so that others who decide alike use it too.
    #[must_use]
    pub fn with_id(request_id: Uuid, expected_version: u64, actions: Vec<Action>) -> Decision {
        Decision { request_id: request_id.to_string(), expected_version, actions }
    }

    /// The id.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// What was decided.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }
}

impl UndoDecision {
    /// The newest acts to take back, 1 to 255, decided on at a version.
    #[must_use]
    pub fn new(expected_version: u64, acts: u8) -> UndoDecision {
        UndoDecision { request_id: Uuid::new_v4().to_string(), expected_version, acts }
    }
}

impl PlayClient {
    /// Plays or watches with this token.
    #[must_use]
    pub fn new(connection: Connection, token: SeatToken) -> PlayClient {
        PlayClient { connection, token, rules: Arc::new(OnceLock::new()) }
    }

    /// The same at a table whose rules are known already.
    #[must_use]
    pub fn with_rules(connection: Connection, token: SeatToken, rules: Arc<Rules>) -> PlayClient {
        PlayClient { connection, token, rules: Arc::new(OnceLock::from(rules)) }
    }

    /// The table as the token's seat may know it.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn view(&self) -> Result<Known, ClientError> {
        let request = v1::GetViewRequest { rules: self.delivery() as i32 };
        let rpc = Rpc("handfoot.v1.PlayService/GetView");
        let send =
            |wire, request| async move { PlayServiceClient::new(wire).get_view(request).await };
        let answer: v1::GetViewResponse = self.call(rpc, request, send).await?;
        let view = answer.view.ok_or_else(|| ClientError::missing("view"))?;
        Known::decode(&view, self.learn(answer.rules.as_ref())?)
    }

    /// What the seat may do now.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn legal(&self) -> Result<Legal, ClientError> {
        let rules = self.rules().await?;
        let rpc = Rpc("handfoot.v1.PlayService/ListLegalActions");
        let send = |wire, request| async move {
            PlayServiceClient::new(wire).list_legal_actions(request).await
        };
        let answer: v1::ListLegalActionsResponse =
            self.call(rpc, v1::ListLegalActionsRequest {}, send).await?;
        let legal = answer.legal.ok_or_else(|| ClientError::missing("legal"))?;
        Legal::decode(&legal, &rules)
    }

    /// Plays what was decided, all or none. Sending the same decision again plays it once.
    ///
    /// # Errors
    ///
    /// [`ClientError`]; its advice says whether to send the same decision again, to read and
    /// decide again, or to choose another action.
    pub async fn submit(&self, decision: &Decision) -> Result<Submitted, ClientError> {
        self.send_decision(decision, false).await
    }

    /// Only judges what was decided, and changes nothing.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as [`PlayClient::submit`].
    pub async fn validate(&self, decision: &Decision) -> Result<Submitted, ClientError> {
        self.send_decision(decision, true).await
    }

    async fn send_decision(
        &self,
        decision: &Decision,
        validate_only: bool,
    ) -> Result<Submitted, ClientError> {
        let rules = self.rules().await?;
        let codec = Codec::new(&rules);
        let request = v1::SubmitActionsRequest {
            request_id: decision.request_id.clone(),
            expected_version: decision.expected_version,
            actions: decision.actions.iter().map(|action| codec.encode_action(action)).collect(),
            validate_only,
        };
        let rpc = Rpc("handfoot.v1.PlayService/SubmitActions");
        let send = |wire, request| async move {
            PlayServiceClient::new(wire).submit_actions(request).await
        };
        let answer: v1::SubmitActionsResponse = self.call(rpc, request, send).await?;
        Ok(Submitted::decode(answer.commit, answer.replayed, answer.legal.as_ref(), &rules))
    }

    /// Takes back own lays of this turn.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn undo(&self, decision: &UndoDecision) -> Result<Submitted, ClientError> {
        let rules = self.rules().await?;
        let request = v1::RequestUndoRequest {
            request_id: decision.request_id.clone(),
            expected_version: decision.expected_version,
            acts: u32::from(decision.acts),
        };
        let rpc = Rpc("handfoot.v1.PlayService/RequestUndo");
        let send =
            |wire, request| async move { PlayServiceClient::new(wire).request_undo(request).await };
        let answer: v1::RequestUndoResponse = self.call(rpc, request, send).await?;
        Ok(Submitted::decode(answer.commit, answer.replayed, answer.legal.as_ref(), &rules))
    }

    /// One page of commits after a version; an empty token begins, and the answer's goes on.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn commits(
        &self,
        request: v1::ListCommitsRequest,
    ) -> Result<v1::ListCommitsResponse, ClientError> {
        let rpc = Rpc("handfoot.v1.PlayService/ListCommits");
        let send =
            |wire, request| async move { PlayServiceClient::new(wire).list_commits(request).await };
        self.call(rpc, request, send).await
    }

    /// The score sheet of all finished rounds, after the game too.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn score_sheet(&self) -> Result<v1::GetScoreSheetResponse, ClientError> {
        let rpc = Rpc("handfoot.v1.PlayService/GetScoreSheet");
        let send = |wire, request| async move {
            PlayServiceClient::new(wire).get_score_sheet(request).await
        };
        self.call(rpc, v1::GetScoreSheetRequest {}, send).await
    }

    /// Follows the table from a snapshot on.
    #[must_use]
    pub fn watch(&self) -> TableWatch {
        TableWatch::new(self.clone(), None)
    }

    /// Follows the table from what is known on.
    #[must_use]
    pub fn watch_from(&self, known: Known) -> TableWatch {
        TableWatch::new(self.clone(), Some(known))
    }

    /// The table's rules, asked for once.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn rules(&self) -> Result<Arc<Rules>, ClientError> {
        match self.rules.get() {
            Some(rules) => Ok(Arc::clone(rules)),
            None => Ok(self.view().await?.rules),
        }
    }

    async fn call<Q, A, F>(
        &self,
        rpc: Rpc,
        message: Q,
        send: impl Fn(crate::link::Wire, tonic::Request<Q>) -> F,
    ) -> Result<A, ClientError>
    where
        Q: Clone,
        F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
    {
        self.connection.call(rpc, Some(self.token.header()), message, send).await
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn token(&self) -> &SeatToken {
        &self.token
    }

    /// Whether an answer must bring the rules.
    pub(crate) fn delivery(&self) -> v1::RulesDelivery {
        match self.rules.get() {
            Some(_) => v1::RulesDelivery::Omit,
            None => v1::RulesDelivery::Include,
        }
    }

    /// The rules, known or learnt from an answer.
    pub(crate) fn learn(&self, draft: Option<&v1::RulesDraft>) -> Result<Arc<Rules>, ClientError> {
        match self.rules.get() {
            Some(rules) => Ok(Arc::clone(rules)),
            None => {
                let read = read_rules(draft)?;
                Ok(Arc::clone(self.rules.get_or_init(|| read)))
            }
        }
    }
}

impl Legal {
    pub(crate) fn decode(legal: &v1::LegalActions, rules: &Rules) -> Result<Legal, ClientError> {
        let codec = Codec::new(rules);
        let menu = legal.menu.as_ref().ok_or_else(|| ClientError::missing("legal.menu"))?;
        Ok(Legal {
            version: legal.version,
            menu: codec.decode_menu(menu)?,
            actions: codec.decode_list(&legal.actions)?,
        })
    }
}

impl Submitted {
    fn decode(
        commit: Option<v1::Commit>,
        replayed: bool,
        legal: Option<&v1::LegalActions>,
        rules: &Rules,
    ) -> Submitted {
        Submitted {
            commit,
            played: if replayed { Played::Before } else { Played::Now },
            // The decision is played, whatever else is in the answer.
            legal: legal.and_then(|legal| Legal::decode(legal, rules).ok()),
        }
    }
}
