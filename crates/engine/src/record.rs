//! The record of a game as text: rules, seeds and actions, from which all else follows.
//!
//! A record is written line by line and ends with a line that binds all before it, so that one
//! that was cut or edited is noticed. It proves nothing about who wrote it.
//!
//! **Invariant:** whatever is read, it is replayed by the engine's own rules or refused; nothing
//! in a record is believed.

mod read;
mod write;

use std::num::NonZero;
use std::sync::Arc;

use handfoot_rules::{FileProblem, Rules, RulesProblem};
use handfoot_view::notation::ActionError;
use handfoot_view::{Action, Phase, Rejection, RoundEnd, RoundResult, Seat, TableOptions};

use crate::event::Events;
use crate::game::{Game, Seeds};
use crate::lift::LiftRefused;
use crate::shuffle::{Contribution, Seed};

/// The version of the format that is written, and the only one that is read.
pub const RECORD_VERSION: u16 = 1;

/// The longest record that is read, in bytes.
pub const RECORD_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The record of a game.
///
/// # Visibility
///
/// All, once the game is over. Before, nobody at the table: the seed of the round being played is
/// in it, and with that every card.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "it may hold the seed of an unfinished round")]
pub struct GameRecord {
    text: String,
    rules: Arc<Rules>,
    options: TableOptions,
    table_name: String,
    first_dealer: Option<Seat>,
    /// At least one.
    rounds: Vec<RecordedRound>,
}

/// One round of a record.
#[derive(Clone)]
struct RecordedRound {
    line: usize,
    seed: Seed,
    commitment: [u8; 32],
    contributions: Vec<Contribution>,
    lifts: Vec<(usize, Seat, NonZero<u16>)>,
    actions: Vec<(usize, Seat, Action)>,
    result: Option<RecordedResult>,
}

/// How a round ended, as a record says it.
#[derive(Clone)]
struct RecordedResult {
    line: usize,
    how: RoundEnd,
    turns: u16,
    /// By team: points of the round, points of all rounds so far.
    points: Vec<(i32, i32)>,
}

/// Why a record cannot be read or replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct RecordError {
    /// The line, from 1; 0 if the record as a whole is meant.
    pub line: usize,
    /// What is wrong with it.
    pub problem: RecordProblem,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the values that each message names")]
pub enum RecordProblem {
    /// More text than any record needs.
    #[error("{bytes} bytes, at most {RECORD_BYTES_MAX}")]
    TooLong { bytes: usize },
    /// The first line is not that of a record.
    #[error("this is no record; one begins with \"handfoot record {RECORD_VERSION}\"")]
    NotARecord,
    /// A version that this program does not know.
    #[error("version {found} is not supported; supported is {RECORD_VERSION}")]
    Version { found: u16 },
    /// The last line is missing or does not fit the text before it.
    #[error("the record was cut or changed: its last line does not fit what stands before it")]
    Checksum,
    /// A line that should say something else.
    #[error("found {found:?}, expected {expected}")]
    Expected { found: String, expected: &'static str },
    /// Rules that cannot be read.
    #[error("the rules: {0}")]
    RuleFile(FileProblem),
    /// Rules that cannot be played.
    #[error("the rules: {0}")]
    Rules(RulesProblem),
    /// An action that cannot be read.
    #[error("the action: {0}")]
    Action(ActionError),
    /// An action that the rules refuse.
    #[error("the action is refused: {}: {}", .0.reason(), .0.text())]
    Refused(Rejection),
    /// A number lifted that is not taken.
    #[error("the number lifted: {0}")]
    Lift(LiftRefused),
    /// A seed that was not bound by the commitment.
    #[error("the seed of the round does not fit its commitment")]
    Commitment,
    /// A round after one that is not over, or after the last.
    #[error("a round begins here and the one before is not over, or was the last")]
    RoundNotDue,
    /// A round that is over without a result.
    #[error("the round is over and the record gives no result")]
    ResultMissing,
    /// A result of a round that is not over.
    #[error("the record gives a result and the round is not over")]
    ResultNotDue,
    /// A result that replay does not confirm.
    #[error("replay gives another result: {found}")]
    ResultDiffers { found: String },
}

/// What a record was found to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The table's name, which its commitments bind.
    pub table_name: String,
    /// Its rounds, in order.
    pub rounds: Vec<VerifiedRound>,
    /// Points of all rounds, by team.
    pub totals: Vec<i32>,
    /// Whether the game is over.
    pub is_over: bool,
}

/// A round of a record whose deal fits its commitment and whose actions are all legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedRound {
    /// Actions played in it.
    pub n_actions: usize,
    /// How it ended, if it did.
    pub how: Option<RoundEnd>,
}

impl GameRecord {
    /// The record's text.
    ///
    /// # Visibility
    ///
    /// As the record's own.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The rules it was played by.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Reads a record. Whether its actions are legal is for [`replay`] to say.
    ///
    /// # Errors
    ///
    /// The first [`RecordError`] found.
    ///
    /// # Limits
    ///
    /// At most [`RECORD_BYTES_MAX`] bytes.
    pub fn parse(text: &str) -> Result<GameRecord, RecordError> {
        read::record(text)
    }
}

impl Game {
    /// The record of the game so far, which [`replay`] turns into the same game; none for a game
    /// that started from a position.
    ///
    /// # Visibility
    ///
    /// Nobody at the table before the game is over: the seed of the round being played is in it.
    #[must_use]
    pub fn record(&self) -> Option<GameRecord> {
        let is_whole = self.log.len() == usize::from(self.public().round_index) + 1;
        is_whole.then(|| write::record(self))
    }
}

/// Plays a record again, to its end.
///
/// # Errors
///
/// The first [`RecordError`]: a deal that does not fit its commitment, an action that is refused,
/// or a result that differs.
pub fn replay(record: &GameRecord) -> Result<Game, RecordError> {
    replay_watched(record, |_, _| {})
}

/// Plays a record again, to its end, and shows each deal and each action's events to whoever
/// watches, with the game as it then stands.
///
/// # Errors
///
/// The first [`RecordError`], as [`replay`].
pub fn replay_watched(
    record: &GameRecord,
    mut watch: impl FnMut(&Game, &Events),
) -> Result<Game, RecordError> {
    let mut events = Events::new();
    let mut game = Game::with_seeds(
        Arc::clone(&record.rules),
        record.options,
        &record.table_name,
        Seeds::Given(record.rounds.iter().map(|round| round.seed).collect()),
        record.first_dealer,
        record.rounds.first().map_or(&[], |round| &round.contributions),
        &mut events,
    );
    for (index, round) in record.rounds.iter().enumerate() {
        let error = |line, problem| RecordError { line, problem };
        if index > 0 {
            events.clear();
            game.deal_next(&round.contributions, &mut events)
                .map_err(|_| error(round.line, RecordProblem::RoundNotDue))?;
        }
        if game.public().commitment != round.commitment {
            return Err(error(round.line, RecordProblem::Commitment));
        }
        for (line, seat, cards) in &round.lifts {
            game.enter_lift(*seat, *cards, &mut events)
                .map_err(|refused| error(*line, RecordProblem::Lift(refused)))?;
        }
        watch(&game, &events);
        for (line, seat, action) in &round.actions {
            events.clear();
            game.play(*seat, action, &mut events)
                .map_err(|refused| error(*line, RecordProblem::Refused(refused)))?;
            watch(&game, &events);
        }
        let result = game.history.get(index);
        same_result(result, round, &game).map_err(|(line, problem)| error(line, problem))?;
    }
    Ok(game)
}

/// Plays a record again and tells what it held: every deal fits its commitment, every action is
/// legal, every result is what the actions led to.
///
/// # Errors
///
/// The first [`RecordError`], as [`replay`].
pub fn verify(record: &GameRecord) -> Result<Verified, RecordError> {
    let game = replay(record)?;
    let rounds = record.rounds.iter().map(|round| VerifiedRound {
        n_actions: round.actions.len(),
        how: round.result.as_ref().map(|result| result.how),
    });
    Ok(Verified {
        table_name: record.table_name.clone(),
        rounds: rounds.collect(),
        totals: game.public().teams.iter().map(|team| team.total).collect(),
        is_over: match game.public().phase {
            Phase::GameOver { .. } => true,
            Phase::Draw { .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. } => false,
        },
    })
}

fn same_result(
    result: Option<&RoundResult>,
    round: &RecordedRound,
    game: &Game,
) -> Result<(), (usize, RecordProblem)> {
    let last_line = round.actions.last().map_or(round.line, |(line, ..)| *line);
    match (result, &round.result) {
        (None, None) => Ok(()),
        (Some(_), None) => Err((last_line, RecordProblem::ResultMissing)),
        (None, Some(recorded)) => Err((recorded.line, RecordProblem::ResultNotDue)),
        (Some(result), Some(recorded)) => {
            let points = points(result, game);
            let is_same = recorded.how == result.how
                && recorded.turns == result.turns
                && recorded.points == points;
            match is_same {
                true => Ok(()),
                false => {
                    let found = write::result(result, &points).replace('\n', "; ");
                    Err((recorded.line, RecordProblem::ResultDiffers { found }))
                }
            }
        }
    }
}

/// Points of a round and of all rounds up to it, by team.
fn points(result: &RoundResult, game: &Game) -> Vec<(i32, i32)> {
    let up_to = usize::from(result.round_index) + 1;
    let rounds = &game.history[..up_to.min(game.history.len())];
    let of_team = |(team, score): (usize, &handfoot_rules::RoundScore)| {
        let total = rounds.iter().map(|round| round.scores[team].total()).sum();
        (score.total(), total)
    };
    result.scores.iter().enumerate().map(of_team).collect()
}
