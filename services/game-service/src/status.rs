//! The only place where an error becomes a status.
//!
//! **Invariant:** what is sent is built by the protocol crate from the values that the error
//! holds. A fault of the service or of stored data is sent as an id, and logged with it.

use std::time::Duration;

use handfoot_engine::LiftRefused;
use handfoot_protocol::v1::ServiceReason;
use handfoot_protocol::{ChoiceError, DecodeError, Failure, refused, rules_invalid};
use handfoot_rules::ExactPickModel;
use handfoot_store::Version;
use handfoot_telemetry::TraceParent;
use handfoot_view::{Asked, Step};
use tonic::Status;

use crate::auth::AuthError;
use crate::error::ApiError;
use crate::table::number_of;

impl From<ApiError> for Status {
    fn from(error: ApiError) -> Status {
        failure(&error).to_status()
    }
}

impl From<AuthError> for Status {
    fn from(error: AuthError) -> Status {
        error.failure().to_status()
    }
}

fn failure(error: &ApiError) -> Failure {
    use ServiceReason as Why;
    match error {
        ApiError::Decode(error) => Failure::from(error),
        ApiError::Field { field, problem } => wrong_field(field, &problem.to_string()),
        ApiError::Choice { field, error } => choice(field, error),
        ApiError::RulesInvalid { field, problems } => rules_invalid(problems, field),
        ApiError::Refused { action_index, rejection, rules } => {
            refused(rejection, rules, *action_index)
        }
        ApiError::BatchCrossesReveal { action_index } => {
            let text = "an action that reveals something must be the last of its batch";
            Failure::new(Why::BatchCrossesReveal, text).with("action", action_index)
        }
        ApiError::StaleVersion { expected, version } => {
            Failure::new(Why::StaleVersion, "the table has changed since")
                .with("expected", expected)
                .with("version", version)
        }
        ApiError::HistoryDiverged { expected, version } => {
            Failure::new(Why::HistoryDiverged, "the table has not come so far")
                .with("expected", expected)
                .with("version", version)
        }
        ApiError::SeatsOpen { seat } => {
            Failure::new(Why::SeatsOpen, "a seat is nobody's").with("seat", number_of(*seat))
        }
        ApiError::PlayerAlreadySeated { seat } => {
            Failure::new(Why::PlayerAlreadySeated, "the person has another seat at this table")
                .with("seat", number_of(*seat))
        }
        ApiError::LiftRefused { refused, seat, cards } => lift_refused(refused, *seat, *cards),
        ApiError::HistoryGone { oldest } => {
            Failure::new(Why::HistoryGone, "commits so old are not kept").with("oldest", oldest)
        }
        ApiError::StreamLimit { limit } => {
            Failure::new(Why::StreamLimit, "too many streams are open").with("limit", limit)
        }
        ApiError::TableLimit { limit } => {
            Failure::new(Why::TableLimit, "there are too many tables").with("limit", limit)
        }
        ApiError::Unavailable { retry_after } => {
            same_again(Why::StoreUnreachable, "the store does not answer", *retry_after)
        }
        ApiError::Unconfirmed { retry_after } => {
            same_again(Why::CommitUnconfirmed, "not on enough replicas yet", *retry_after)
        }
        ApiError::StateCorrupt => traced(Why::StateCorrupt, "the stored table cannot be read"),
        ApiError::Internal => traced(Why::Internal, "a fault of the server"),
        ApiError::RequestIdReused { version } => reused(*version),
        ApiError::PresetNotFound
        | ApiError::TableNotFound
        | ApiError::SeatNotFound
        | ApiError::SeatNotPerson
        | ApiError::NotSeated
        | ApiError::TableNotStarted
        | ApiError::TableAlreadyStarted
        | ApiError::TableClosed
        | ApiError::PageTokenInvalid
        | ApiError::CredentialExpired
        | ApiError::LeaseLost
        | ApiError::SchemaNewer
        | ApiError::Draining => plain(error),
    }
}

fn reused(version: Option<Version>) -> Failure {
    let text = "the request_id is another request's";
    let failure = Failure::new(ServiceReason::RequestIdReused, text);
    match version {
        Some(version) => failure.with("version", version),
        None => failure,
    }
}

fn same_again(reason: ServiceReason, text: &str, retry_after: Duration) -> Failure {
    Failure::new(reason, text).with_retry_after(retry_after)
}

/// Errors without values.
fn plain(error: &ApiError) -> Failure {
    use ServiceReason as Why;
    let (reason, text) = match error {
        ApiError::PresetNotFound => (Why::PresetNotFound, "there is no such preset"),
        ApiError::TableNotFound => (Why::TableNotFound, "there is no such table"),
        ApiError::SeatNotFound => (Why::SeatNotFound, "the table has no such seat"),
        ApiError::SeatNotPerson => (Why::SeatNotPerson, "the seat is not a person's"),
        ApiError::NotSeated => (Why::NotSeated, "this takes the token of a seat"),
        ApiError::TableNotStarted => (Why::TableNotStarted, "the table has not been started"),
        ApiError::TableAlreadyStarted => (Why::TableAlreadyStarted, "the table has been started"),
        ApiError::TableClosed => (Why::TableClosed, "the table is closed"),
        ApiError::PageTokenInvalid => (Why::PageTokenInvalid, "not a page_token of this call"),
        ApiError::CredentialExpired => (Why::CredentialExpired, "a newer token has replaced it"),
        ApiError::LeaseLost => (Why::LeaseLost, "the lease is not held any more"),
        ApiError::SchemaNewer => (Why::SchemaNewer, "a newer program wrote the table"),
        ApiError::Draining => (Why::Draining, "the process is about to end"),
        ApiError::Decode(_)
        | ApiError::Field { .. }
        | ApiError::Choice { .. }
        | ApiError::RulesInvalid { .. }
        | ApiError::Refused { .. }
        | ApiError::RequestIdReused { .. }
        | ApiError::BatchCrossesReveal { .. }
        | ApiError::StaleVersion { .. }
        | ApiError::HistoryDiverged { .. }
        | ApiError::SeatsOpen { .. }
        | ApiError::PlayerAlreadySeated { .. }
        | ApiError::LiftRefused { .. }
        | ApiError::HistoryGone { .. }
        | ApiError::StreamLimit { .. }
        | ApiError::TableLimit { .. }
        | ApiError::StateCorrupt
        | ApiError::Unavailable { .. }
        | ApiError::Unconfirmed { .. }
        | ApiError::Internal => (Why::Internal, "a fault of the server"),
    };
    Failure::new(reason, text)
}

fn wrong_field(field: &str, problem: &str) -> Failure {
    Failure::new(ServiceReason::FieldInvalid, &format!("{field}: {problem}"))
        .with("field", field)
        .with_violation(field, problem)
}

fn choice(field: &str, error: &ChoiceError) -> Failure {
    match error {
        ChoiceError::Decode(error) => {
            let field = format!("{field}.{}", error.field);
            Failure::from(&DecodeError { field, problem: error.problem })
        }
        ChoiceError::Fields { errors, problems } => {
            let path = |error: &DecodeError| format!("{field}.{}", error.field);
            let first = errors.first().map(path).unwrap_or_default();
            let failure = Failure::new(ServiceReason::FieldInvalid, &format!("{field}: {error}"));
            let failure = errors.iter().fold(failure.with("field", first), |failure, error| {
                failure.with_violation(&path(error), &error.problem.to_string())
            });
            problems.iter().fold(failure, |failure, problem| {
                let path = format!("{field}.changes.{}", problem.at);
                failure.with_violation(&path, &problem.problem.to_string())
            })
        }
        ChoiceError::Preset(unknown) => {
            Failure::new(ServiceReason::PresetNotFound, &unknown.to_string())
        }
        ChoiceError::Override(unknown) => {
            wrong_field(&format!("{field}.override_ids"), &unknown.to_string())
        }
        ChoiceError::Seating(error) => wrong_field(&format!("{field}.players"), &error.to_string()),
    }
}

fn lift_refused(refused: &LiftRefused, seat: u32, cards: u32) -> Failure {
    use ServiceReason as Why;
    let failure = |reason| Failure::new(reason, &refused.to_string()).with("seat", seat);
    match refused {
        LiftRefused::NotEntered { model } => failure(Why::LiftsNotEntered)
            .with("model", model_word(*model))
            .with("required", model_word(ExactPickModel::Entered))
            .with("cards", cards),
        LiftRefused::NoSuchSeat { seats } => failure(Why::SeatNotFound).with("seats", seats),
        LiftRefused::TooLate { turn, step, asked } => failure(Why::LiftTooLate)
            .with("turn", turn)
            .with("step", step_word(*step))
            .with("asked", asked_word(*asked))
            .with("required_turn", 1)
            .with("required_step", step_word(Step::Draw))
            .with("required_asked", asked_word(Asked::NotYet))
            .with("cards", cards),
        LiftRefused::Twice { entered } => {
            failure(Why::LiftAlreadyEntered).with("entered", entered).with("cards", cards)
        }
        LiftRefused::TooMany { allowed } => failure(Why::LiftTooLarge)
            .with("allowed", allowed)
            .with("cards", cards)
            .with_violation("cards", &refused.to_string()),
    }
}

const fn model_word(model: ExactPickModel) -> &'static str {
    match model {
        ExactPickModel::Off => "off",
        ExactPickModel::Chance(_) => "chance",
        ExactPickModel::Entered => "entered",
    }
}

const fn asked_word(asked: Asked) -> &'static str {
    match asked {
        Asked::NotYet => "not_yet",
        Asked::Granted => "granted",
        Asked::Refused => "refused",
    }
}

const fn step_word(step: Step) -> &'static str {
    match step {
        Step::Draw => "draw",
        Step::Play => "play",
        Step::Answer => "answer",
        Step::AnswerUndo => "answer_undo",
        Step::Wait => "wait",
        Step::Over => "over",
    }
}

/// A fault that is reported by an id.
fn traced(reason: ServiceReason, text: &str) -> Failure {
    let trace = fault_id();
    tracing::error!(trace, text);
    Failure::new(reason, text).with("trace", trace)
}

/// An id by which a fault is found again: that of its trace, or one by chance.
pub(crate) fn fault_id() -> String {
    if let Some(parent) = TraceParent::current() {
        return parent.trace_id();
    }
    let mut id = [0; 8];
    // Without chance every id is the same, which is still a line to look for.
    let _ = getrandom::fill(&mut id);
    format!("{:016x}", u64::from_be_bytes(id))
}
