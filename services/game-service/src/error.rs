//! Why the service says no.
//!
//! **Invariant:** an error holds what its caller may know: own request, own view, versions. Causes
//! within the machine are logged where they happen and stay here out.

use std::sync::Arc;
use std::time::Duration;

use handfoot_engine::LiftRefused;
use handfoot_protocol::{ChoiceError, DecodeError};
use handfoot_rules::{Rules, RulesProblem};
use handfoot_store::{Limited, StoreError, Version};
use handfoot_view::{Rejection, Seat};

use crate::table::Unreadable;

/// Why the service says no.
#[derive(Clone, Debug)]
pub(crate) enum ApiError {
    /// A field of a message of the game cannot be decoded.
    Decode(DecodeError),
    /// Another field is wrong.
    Field { field: &'static str, problem: FieldProblem },
    /// A choice of rules names no rule set.
    Choice { field: &'static str, error: ChoiceError },
    /// A rule set cannot be played.
    RulesInvalid { field: &'static str, problems: Vec<RulesProblem> },
    /// The rules of the game say no.
    Refused { action_index: usize, rejection: Rejection, rules: Arc<Rules> },
    /// An action that reveals something is not the last of its batch.
    BatchCrossesReveal { action_index: usize },
    /// The request id was used for something else: the version that made, at a table.
    RequestIdReused { version: Option<Version> },
    /// The table has changed since.
    StaleVersion { expected: u64, version: Version },
    /// The table has not come so far.
    HistoryDiverged { expected: u64, version: Version },
    /// There is no such preset.
    PresetNotFound,
    /// There is no such table, or it is another tenant's.
    TableNotFound,
    /// The table has no such seat.
    SeatNotFound,
    /// The seat is nobody's or a bot's.
    SeatNotPerson,
    /// A spectator cannot do this.
    NotSeated,
    /// The table has not been started.
    TableNotStarted,
    /// The table has been started.
    TableAlreadyStarted,
    /// The table was cancelled, or its game is over.
    TableClosed,
    /// A seat is nobody's.
    SeatsOpen { seat: Seat },
    /// The person has another seat of the table.
    PlayerAlreadySeated { seat: Seat },
    /// A number lifted is not taken: why, and the seat and the cards that were sent.
    LiftRefused { refused: LiftRefused, seat: u32, cards: u32 },
    /// The page token is not one of this call.
    PageTokenInvalid,
    /// A newer credential has taken the place of this one.
    CredentialExpired,
    /// The lease has run out or was given back.
    LeaseLost,
    /// Commits so old are not kept.
    HistoryGone { oldest: Version },
    /// Too many streams are open.
    StreamLimit { limit: u32 },
    /// There are too many tables.
    TableLimit { limit: usize },
    /// What is stored of the table cannot be read.
    StateCorrupt,
    /// A newer program wrote the table.
    SchemaNewer,
    /// The store does not answer, or the request came to nothing again and again.
    Unavailable { retry_after: Duration },
    /// The request was written, and may still be lost: it is not on enough replicas of the store.
    Unconfirmed { retry_after: Duration },
    /// The process is about to end.
    Draining,
    /// A fault of the service.
    Internal,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FieldProblem {
    /// It must be set.
    #[error("must be set")]
    Missing,
    /// It is no UUID.
    #[error("must be a UUID, 32 hexadecimal digits in groups of 8-4-4-4-12")]
    NotUuid,
    /// It is too long, or empty where it must not be.
    #[error("must have {least} to {most} characters")]
    Length { least: usize, most: usize },
    /// It has a character that cannot be shown.
    #[error("must not have control characters")]
    Character,
    /// It is outside its limits.
    #[error("must be {least} to {most}")]
    OutOfRange { least: u64, most: u64 },
    /// It has too many entries, or none where there must be one.
    #[error("must have {least} to {most} entries")]
    Entries { least: usize, most: usize },
    /// It names no section of the rules.
    #[error("is no section of this rule set")]
    NoSection,
    /// It is of a later contract, or of none.
    #[error("is no value of this enum")]
    UnknownNumber,
    /// It has not the length of a chain value.
    #[error("must be 16 bytes")]
    NotChain,
    /// It does not belong with the other fields.
    #[error("does not belong with the other fields")]
    Misplaced,
}

/// An answer of the service, or why not.
pub(crate) type Answer<T> = Result<T, ApiError>;

/// A wrong field.
pub(crate) const fn field(field: &'static str, problem: FieldProblem) -> ApiError {
    ApiError::Field { field, problem }
}

impl From<DecodeError> for ApiError {
    fn from(error: DecodeError) -> ApiError {
        ApiError::Decode(error)
    }
}

impl From<Unreadable> for ApiError {
    fn from(error: Unreadable) -> ApiError {
        match error {
            Unreadable::Newer => ApiError::SchemaNewer,
            Unreadable::Damaged => ApiError::StateCorrupt,
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::Unavailable { retry_after } => ApiError::Unavailable { retry_after },
            StoreError::Unconfirmed { retry_after } => ApiError::Unconfirmed { retry_after },
            StoreError::Corrupt { .. } => ApiError::StateCorrupt,
            StoreError::Full => ApiError::Unavailable { retry_after: Duration::from_secs(1) },
            StoreError::Limit { what: Limited::Tables, max } => ApiError::TableLimit { limit: max },
            StoreError::Limit { what: Limited::Watchers, max } => {
                ApiError::StreamLimit { limit: u32::try_from(max).unwrap_or(u32::MAX) }
            }
            // The service keeps to the other limits; to be over one is a fault of its own.
            StoreError::Limit {
                what:
                    Limited::SnapshotBytes
                    | Limited::EntryBytes
                    | Limited::AnswerBytes
                    | Limited::SummaryBytes
                    | Limited::OutboxBytes
                    | Limited::OutboxEntries
                    | Limited::Turns
                    | Limited::Lease,
                ..
            } => {
                tracing::error!(%error, "over a limit of the store");
                ApiError::Internal
            }
            StoreError::Closed => ApiError::Draining,
        }
    }
}
