//! One step of a table, from what it changes to what the store says of it.
//!
//! **Invariant:** what is shown of a step is shown after the store has it.

use std::sync::Arc;

use bytes::Bytes;
use handfoot_engine::{Events, Viewer};
use handfoot_protocol::state::v1::RequestRecord;
use handfoot_protocol::v1;
use handfoot_store::{
    BodyHash, Chain, Commit, CommitOutcome, LeaseUse, ListingChange, Loaded, Mark, Millis, Request,
    RequestId, TableId, TurnWanted, TurnsChange, Version,
};
use handfoot_view::Seat;
use prost::Message;

use super::Tables;
use crate::caller::small_number_of;
use crate::error::{Answer, ApiError};
use crate::table::{BotTurn, SeatState, Stage, Step, Table, timestamp};

/// A mark that no table has: a commit from it is answered and never taken.
const NOWHERE: Mark = Mark { version: Version(u64::MAX), chain: Chain([0; 16]) };

/// What a step changes.
pub(super) struct Change {
    /// The table after it. Mark and time are still those before.
    pub(super) next: Table,
    pub(super) cause: v1::CommitCause,
    /// The seat it concerns.
    pub(super) seat: Option<Seat>,
    pub(super) events: Events,
    /// Seats that changed hands.
    pub(super) players: Vec<v1::SeatPlayer>,
    pub(super) request: Option<Asked>,
    pub(super) lease: LeaseUse,
}

/// The request that a step answers.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// As whom the answer is seen. Ids belong to a seat; all others, a platform, are spectators.
    pub(super) viewer: Viewer,
    pub(super) id: RequestId,
    pub(super) body: BodyHash,
}

/// What the store said of a step.
pub(super) enum Taken {
    /// It stands; this is the table now, and the commit as whoever asked for it may know it.
    Done { table: Arc<Table>, commit: v1::Commit },
    /// The request was answered before.
    Replay { version: Version, answer: Bytes },
    /// Another was first; this stands.
    Conflict(Arc<Table>),
}

/// What the store knows of a request that is about to be refused.
pub(super) enum Probe {
    /// It was answered before.
    Answered { version: Version, answer: Bytes },
    /// It is new, and this is what stands.
    Stands(Loaded),
}

impl Tables {
    /// Has the store take a step.
    pub(super) async fn take(&self, base: &Arc<Table>, change: Change) -> Answer<Taken> {
        let Change { mut next, cause, seat, events, players, request, lease } = change;
        let id = next.fixed.id.clone();
        let version = base.mark.version.next();
        if changes_game(cause) {
            next.game_version = version;
        }
        let controller = seat
            .and_then(|seat| next.seat(seat))
            .map_or_else(|| v1::Controller::Unspecified, SeatState::controller);
        let mark = Mark { version, chain: base.mark.chain };
        let (game_version, stage) = (next.game_version, next.stage);
        let at = base.at;
        let mut step =
            Step { mark, game_version, at, cause, seat, controller, events, players, stage };
        let entry = step.to_bytes(base.rules(), request.map(record_of));
        let chain = base.fixed.secrets.next_chain(base.mark.chain, version, &entry);
        step.mark.chain = chain;
        next.mark = step.mark;
        let viewer = request.map_or(Viewer::Spectator, |asked| asked.viewer);
        let mut shown = step.seen_by(&next.fixed, viewer);
        shown.commit_time = None;
        let mut commit = Commit::new(id.clone(), base.mark, chain, next.to_bytes(), entry.into());
        commit.request = request.map(|asked| answered_by(asked, &shown));
        commit.lease = lease;
        commit.turns = self.turns(base, &next).await?;
        commit.listing = listing(base, &next);
        match self.store().commit(commit).await? {
            CommitOutcome::Committed { at, .. } => {
                step.at = at;
                shown.commit_time = Some(timestamp(at));
                let table = self.settle(base, next, step);
                Ok(Taken::Done { table, commit: shown })
            }
            CommitOutcome::Duplicate { version, answer } => Ok(Taken::Replay { version, answer }),
            CommitOutcome::Conflict(loaded) => {
                self.adopt(&id, &loaded, Some(base)).map(Taken::Conflict)
            }
            CommitOutcome::Reused { version } => {
                Err(ApiError::RequestIdReused { version: Some(version) })
            }
            CommitOutcome::LeaseLost => Err(ApiError::LeaseLost),
            CommitOutcome::NotFound => Err(self.forget(&id)),
        }
    }

    /// Asks the store about a request without playing it: whether it was answered before, whether
    /// its lease is held, and what stands.
    pub(super) async fn probe(
        &self,
        id: &TableId,
        asked: Option<Asked>,
        lease: LeaseUse,
    ) -> Answer<Probe> {
        let mut question =
            Commit::new(id.clone(), NOWHERE, NOWHERE.chain, Bytes::new(), Bytes::new());
        question.request = asked.map(|asked| asked.answered(Bytes::new()));
        question.lease = lease;
        match self.store().commit(question).await? {
            CommitOutcome::Conflict(loaded) => Ok(Probe::Stands(loaded)),
            CommitOutcome::Duplicate { version, answer } => Ok(Probe::Answered { version, answer }),
            CommitOutcome::Reused { version } => {
                Err(ApiError::RequestIdReused { version: Some(version) })
            }
            CommitOutcome::LeaseLost => Err(ApiError::LeaseLost),
            CommitOutcome::NotFound => Err(self.forget(id)),
            CommitOutcome::Committed { .. } => {
                tracing::error!(table = %id, "the store took a commit from nowhere");
                Err(ApiError::Internal)
            }
        }
    }

    /// Keeps and shows what the store has taken.
    fn settle(&self, base: &Table, mut next: Table, step: Step) -> Arc<Table> {
        next.at = step.at;
        if base.game.is_none() && next.game.is_some() {
            next.started_at = Some(step.at);
        }
        if next.stage.is_closed() && !base.stage.is_closed() {
            next.ended_at = Some(step.at);
        }
        let has_work = next.bot_turn().is_some() || next.seats.iter().any(SeatState::is_offered);
        let next = Arc::new(next);
        self.inner.cache.put(&next, Some(base.mark));
        self.hub().publish(&next.fixed, base.mark, step);
        if has_work {
            self.work().notify_waiters();
        }
        next
    }

    /// What becomes of the decisions that bots owe at the table.
    async fn turns(&self, base: &Table, next: &Table) -> Answer<TurnsChange> {
        let owed = next.bot_turn();
        if owed == base.bot_turn() {
            return Ok(TurnsChange::Keep);
        }
        let Some(BotTurn { seat, queue, takeable }) = owed else {
            return Ok(TurnsChange::Replace(Vec::new()));
        };
        let wait = next.wait_before(takeable);
        let takeable_at = match wait.is_zero() {
            // The last commit is close enough: it only says whose turn is older.
            true => base.at,
            false => self.store_time(base).await?.after(wait),
        };
        let seat = small_number_of(seat);
        Ok(TurnsChange::Replace(vec![TurnWanted { seat, queue, takeable_at }]))
    }

    async fn store_time(&self, base: &Table) -> Answer<Millis> {
        use handfoot_store::Confirmed;
        match self.store().confirm(&base.fixed.id, base.mark).await? {
            Confirmed::Unchanged { now } => Ok(now),
            Confirmed::Changed(loaded) => Ok(loaded.now),
            Confirmed::NotFound => Err(self.forget(&base.fixed.id)),
        }
    }
}

const fn changes_game(cause: v1::CommitCause) -> bool {
    match cause {
        v1::CommitCause::Actions
        | v1::CommitCause::Undo
        | v1::CommitCause::Start
        | v1::CommitCause::Deal => true,
        // A number lifted is in the game and changes no decision, so none may become stale by it.
        v1::CommitCause::Lift
        | v1::CommitCause::Unspecified
        | v1::CommitCause::Seat
        | v1::CommitCause::Cancel
        | v1::CommitCause::Create => false,
    }
}

impl Asked {
    fn answered(self, answer: Bytes) -> Request {
        let seat = match self.viewer {
            Viewer::Seat(seat) => small_number_of(seat),
            Viewer::Spectator => 0,
        };
        Request { seat, id: self.id, body: self.body, answer }
    }
}

fn answered_by(asked: Asked, shown: &v1::Commit) -> Request {
    let answer = shown.encode_to_vec();
    // What is too long to be remembered is read from the log again.
    let is_short = answer.len() <= handfoot_store::limits::ANSWER_BYTES_MAX;
    asked.answered(if is_short { answer.into() } else { Bytes::new() })
}

fn record_of(asked: Asked) -> RequestRecord {
    RequestRecord { request_id: hex(&asked.id.0), content: asked.body.0.to_vec() }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |number: u8| char::from_digit(u32::from(number), 16).unwrap_or('0');
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.extend([digit(byte >> 4), digit(byte & 0x0F)]);
    }
    text
}

fn listing(base: &Table, next: &Table) -> ListingChange {
    match base.listed_state() == next.listed_state() {
        true => ListingChange::Keep,
        false => ListingChange::Set { state: next.listed_state(), summary: Bytes::new() },
    }
}

impl Table {
    /// Whether actions can be played at it at all.
    pub(super) fn check_played(&self) -> Answer<()> {
        match self.stage {
            Stage::Waiting => Err(ApiError::TableNotStarted),
            Stage::Playing | Stage::Finished => Ok(()),
            Stage::Cancelled => Err(ApiError::TableClosed),
        }
    }
}
