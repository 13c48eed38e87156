//! Playing: a request is found, its version checked, its actions judged, in this order.
//!
//! **Invariant:** all actions of a request or none. An accepted request is answered once and its
//! repetition is told the same; a refused one changes nothing, not even the version.

use std::sync::Arc;

use handfoot_engine::{Events, Game, Viewer};
use handfoot_protocol::{Codec, v1};
use handfoot_store::{BodyHash, RequestId};
use handfoot_view::{Action, Event, Phase, Seat, judge};
use prost::Message;
use sha2::{Digest, Sha256};

use super::commit::{Asked, Change};
use super::once::{Carried, FirstAnswer, Verdict, short};
use super::{Reading, Tables};
use crate::caller::SeatCaller;
use crate::error::{Answer, ApiError};
use crate::table::{Stage, Table};

/// What a request asks to have played.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    pub(crate) request_id: RequestId,
    /// The version on which the decision rests.
    pub(crate) expected: u64,
    /// At least one.
    pub(crate) actions: Vec<Action>,
    pub(crate) cause: v1::CommitCause,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Played {
    /// The commit as the acting seat may know it.
    pub(crate) commit: v1::Commit,
    pub(crate) verdict: Verdict,
    /// The table now, as that seat reads it.
    pub(crate) now: Reading,
}

impl Tables {
    /// The rules of the caller's table, to decode a request by; they never change.
    pub(crate) async fn rules_of(&self, caller: &SeatCaller) -> Answer<Arc<handfoot_rules::Rules>> {
        let table = self.seen(&caller.table).await?;
        match table.fixed.tenant == caller.tenant {
            true => Ok(Arc::clone(table.rules())),
            false => Err(ApiError::TableNotFound),
        }
    }

    /// Plays what a seat asks for.
    pub(crate) async fn submit(
        &self,
        caller: &SeatCaller,
        submission: &Submission,
    ) -> Answer<Played> {
        let seat = caller.seat.ok_or(ApiError::NotSeated)?;
        check_batch(&submission.actions)?;
        let table = self.reached(&caller.table, submission.expected).await?;
        let asked = Asked {
            viewer: Viewer::Seat(seat),
            id: submission.request_id,
            body: body_of(&Codec::new(table.rules()), &submission.actions),
        };
        let admitted = |table: &Table| admit(table, caller);
        let decided = |table: &Table| decide(table, caller, seat, asked, submission);
        match self.carry_out(table, asked, caller.lease_use(), admitted, decided).await? {
            Carried::Out { table, commit } => {
                let now = Reading { now: table.at, viewer: caller.viewer(), table };
                Ok(Played { commit, verdict: Verdict::Played, now })
            }
            Carried::Before { version, answer } => {
                let viewer = caller.viewer();
                let first = self.first_answer(&caller.table, viewer, version, answer).await?;
                let FirstAnswer { commit, table, now } = first;
                let now = Reading { table, now, viewer };
                Ok(Played { commit, verdict: Verdict::Replayed, now })
            }
        }
    }

    /// Judges a request against the view as it is, and plays nothing.
    pub(crate) async fn validate(
        &self,
        caller: &SeatCaller,
        submission: &Submission,
    ) -> Answer<Reading> {
        let seat = caller.seat.ok_or(ApiError::NotSeated)?;
        check_batch(&submission.actions)?;
        let reading = self.read(caller).await?;
        let table = &reading.table;
        table.check_version(submission.expected)?;
        let Some((last, first)) = submission.actions.split_last() else { return Ok(reading) };
        let game = table.game.as_ref().ok_or(ApiError::TableNotStarted)?;
        let refused = |action_index, rejection| ApiError::Refused {
            action_index,
            rejection,
            rules: Arc::clone(table.rules()),
        };
        let mut events = Events::new();
        let mut imagined: Option<Game> = None;
        for (action_index, action) in first.iter().enumerate() {
            // Lays alone come here, and nothing hidden decides what becomes of one.
            let game = imagined.get_or_insert_with(|| game.clone());
            events.clear();
            let played = game.play(seat, action, &mut events);
            played.map_err(|rejection| refused(action_index, rejection))?;
            if reveals(&events, 0) {
                return Err(ApiError::BatchCrossesReveal { action_index });
            }
        }
        let view = imagined.as_ref().unwrap_or(game).view(seat);
        judge(view.as_ref(), last).map_err(|rejection| refused(first.len(), rejection))?;
        Ok(reading)
    }
}

/// Whether the caller may act at the table.
pub(super) fn admit(table: &Table, caller: &SeatCaller) -> Answer<()> {
    if table.fixed.tenant != caller.tenant {
        return Err(ApiError::TableNotFound);
    }
    let Some(seat) = caller.seat else { return Ok(()) };
    let state = table.seat(seat).ok_or(ApiError::SeatNotFound)?;
    match caller.generation >= state.holder.token_generation {
        true => Ok(()),
        false => Err(ApiError::CredentialExpired),
    }
}

fn decide(
    table: &Table,
    caller: &SeatCaller,
    seat: Seat,
    asked: Asked,
    submission: &Submission,
) -> Answer<Change> {
    table.check_played()?;
    table.check_version(submission.expected)?;
    let game = table.game.as_ref().ok_or(ApiError::TableNotStarted)?;
    let mut game = game.clone();
    let mut events = Events::new();
    for (action_index, action) in submission.actions.iter().enumerate() {
        let before = events.len();
        game.play(seat, action, &mut events).map_err(|rejection| ApiError::Refused {
            action_index,
            rejection,
            rules: Arc::clone(table.rules()),
        })?;
        let is_last = action_index + 1 == submission.actions.len();
        if !is_last && reveals(&events, before) {
            return Err(ApiError::BatchCrossesReveal { action_index });
        }
    }
    go_on(&mut game, &mut events);
    let mut next = Table { game: Some(game), ..table.clone_without_game() };
    if next.is_game_over() {
        next.stage = Stage::Finished;
    }
    if next.to_act() != Some(seat)
        && let Some(state) = next.seats.get_mut(seat.index())
    {
        state.turn_ended = table.mark.version.next();
    }
    Ok(Change {
        next,
        cause: submission.cause,
        seat: Some(seat),
        events,
        players: Vec::new(),
        request: Some(asked),
        lease: caller.lease_use(),
    })
}

/// Deals the next round if one is over, in the same step, so that no table is left between two.
pub(super) fn go_on(game: &mut Game, events: &mut Events) {
    match game.public().phase {
        // The game is not over, or the phase would say so: a next round can be dealt.
        Phase::RoundOver { .. } => {
            let _ = game.deal_next(&[], events);
        }
        Phase::Draw { .. }
        | Phase::Play { .. }
        | Phase::AwaitAnswer { .. }
        | Phase::AwaitUndo { .. }
        | Phase::GameOver { .. } => {}
    }
}

/// Refuses a batch that goes on after an action that reveals something whatever comes of it.
fn check_batch(actions: &[Action]) -> Answer<()> {
    let before_last = &actions[..actions.len().saturating_sub(1)];
    match before_last.iter().position(always_reveals) {
        Some(action_index) => Err(ApiError::BatchCrossesReveal { action_index }),
        None => Ok(()),
    }
}

const fn always_reveals(action: &Action) -> bool {
    match action {
        Action::Draw
        | Action::TakeDiscards(_)
        | Action::AskToGoOut(_)
        | Action::AnswerGoOut(_)
        | Action::AnswerUndo(_) => true,
        Action::Lay(_) | Action::Discard(_) | Action::UndoLays(_) => false,
    }
}

/// Whether events after the first so many showed somebody what was not known.
fn reveals(events: &Events, before: usize) -> bool {
    events.seen_by(Viewer::Spectator).skip(before).any(|event| match event.event() {
        Event::RoundBegan { .. }
        | Event::HandDealt { .. }
        | Event::Drew { .. }
        | Event::RedThreesLaid { .. }
        | Event::DiscardsTaken { .. }
        | Event::FootTakenUp { .. }
        | Event::AskedToGoOut { .. }
        | Event::Answered { .. }
        | Event::Lifted { .. }
        | Event::DiscardsRemoved { .. }
        | Event::StockRefilled { .. }
        | Event::UndoAsked { .. }
        | Event::UndoAnswered { .. }
        | Event::RoundEnded { .. } => true,
        Event::TurnBegan { .. }
        | Event::Laid { .. }
        | Event::LaidConcealed { .. }
        // What the seat that acts had laid itself.
        | Event::LaysShown { .. }
        | Event::LaysUndone { .. }
        | Event::Discarded { .. }
        | Event::TurnPassed { .. } => false,
    })
}

/// What a request stands for: its actions, decoded and encoded again.
fn body_of(codec: &Codec<'_>, actions: &[Action]) -> BodyHash {
    let mut hash = Sha256::new();
    for action in actions {
        hash.update(codec.encode_action(action).encode_length_delimited_to_vec());
    }
    short(hash)
}

impl Table {
    /// Everything but the game, which is about to be another.
    pub(super) fn clone_without_game(&self) -> Table {
        Table {
            fixed: Arc::clone(&self.fixed),
            mark: self.mark,
            at: self.at,
            game_version: self.game_version,
            stage: self.stage,
            seats: self.seats.clone(),
            created_at: self.created_at,
            started_at: self.started_at,
            ended_at: self.ended_at,
            game: None,
        }
    }
}
