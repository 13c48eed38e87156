//! What can go wrong in a call, and what to do about it.
//!
//! **Invariant:** what is shown for logs is a fixed word; a server's message and metadata may name
//! the caller's own cards and are given only to who asks for them.

use std::collections::BTreeMap;
use std::time::Duration;

use handfoot_protocol::{Advice, DecodeError, DecodeProblem, ErrorDetails, FieldViolation, Reason};
use handfoot_view::Unfit;
use tonic::{Code, Status};

use crate::link::Lost;
use crate::tls::TlsProblem;

/// Why a call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// A server, or something before it, said no.
    #[error("{0}")]
    Refused(Box<Refused>),
    /// No server could be reached.
    #[error("no server can be reached")]
    NotReached,
    /// A server was reached, and is not to be spoken to, or not in this way: no server got the
    /// request.
    #[error("{0}")]
    Insecure(TlsProblem),
    /// The connection broke, again and again: whether the request took effect is not known.
    #[error("the connection broke after {attempts} attempts")]
    Broken {
        /// Attempts made.
        attempts: u32,
    },
    /// No answer came in time: whether the request took effect is not known.
    #[error("no answer within {} ms", .after.as_millis())]
    DeadlineExceeded {
        /// The time allowed.
        after: Duration,
    },
    /// The answer makes no sense to this client.
    #[error("the answer cannot be read: {0}")]
    Answer(AnswerProblem),
}

/// What a server said.
///
/// # Visibility
///
/// The caller: message and metadata may name its own cards.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .details.name)]
pub struct Refused {
    /// The gRPC code.
    pub code: Code,
    /// What it says to people.
    pub message: String,
    /// Attempts made.
    pub attempts: u32,
    details: ErrorDetails,
}

impl std::fmt::Debug for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Refused({:?} {})", self.code, self.details.name)
    }
}

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerProblem {
    /// A field of it cannot be decoded.
    #[error("{0}")]
    Field(DecodeError),
    /// The table's rules cannot be played by this client.
    #[error("the rules of the table have {problems} problems for this client")]
    Rules {
        /// How many.
        problems: usize,
    },
    /// A token that cannot be sent.
    #[error("a token that cannot be sent")]
    Token,
    /// What is said to have happened does not fit the table, from a new snapshot on either.
    #[error("what is said to have happened does not fit the table: {0}")]
    Unfit(Unfit),
}

impl Refused {
    /// The reason, if it is one of the contract.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        self.details.reason
    }

    /// The reason's name; empty if there is none, and perhaps of a later contract.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.details.name
    }

    /// The values behind the reason.
    #[must_use]
    pub const fn metadata(&self) -> &BTreeMap<String, String> {
        &self.details.metadata
    }

    /// Fields of the request that are wrong.
    #[must_use]
    pub fn violations(&self) -> &[FieldViolation] {
        &self.details.violations
    }

    /// How long to wait before the same request, if the server says so.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.details.retry_after
    }
}

impl ClientError {
    pub(crate) fn of(status: &Status, attempts: u32) -> ClientError {
        match Lost::of(status) {
            Some(Lost::NotReached) => ClientError::NotReached,
            Some(Lost::Insecure(problem)) => ClientError::Insecure(problem),
            Some(Lost::Broken) => ClientError::Broken { attempts },
            None => ClientError::Refused(Box::new(Refused {
                code: status.code(),
                message: status.message().to_owned(),
                attempts,
                details: ErrorDetails::of(status),
            })),
        }
    }

    pub(crate) fn missing(field: &str) -> ClientError {
        let field = field.to_owned();
        ClientError::from(DecodeError { field, problem: DecodeProblem::Missing })
    }

    /// The reason that a server gave, if it is one of the contract.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            ClientError::Refused(refused) => refused.reason(),
            ClientError::NotReached
            | ClientError::Insecure(_)
            | ClientError::Broken { .. }
            | ClientError::DeadlineExceeded { .. }
            | ClientError::Answer(_) => None,
        }
    }

    /// What the caller should do.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            ClientError::Refused(refused) => {
                refused.reason().map_or_else(|| advice_of(refused.code), Reason::advice)
            }
            ClientError::Insecure(problem) if !problem.may_pass() => Advice::GiveUp,
            ClientError::NotReached
            | ClientError::Insecure(_)
            | ClientError::Broken { .. }
            | ClientError::DeadlineExceeded { .. } => Advice::Retry,
            ClientError::Answer(_) => Advice::GiveUp,
        }
    }

    /// A word for logs and metrics: the reason's name, or what happened. It never names a card.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            ClientError::Refused(refused) => refused.reason().map_or("OTHER", Reason::name),
            ClientError::NotReached => "NOT_REACHED",
            ClientError::Insecure(problem) => problem.label(),
            ClientError::Broken { .. } => "BROKEN",
            ClientError::DeadlineExceeded { .. } => "DEADLINE_EXCEEDED",
            ClientError::Answer(_) => "ANSWER_UNREADABLE",
        }
    }
}

impl From<DecodeError> for ClientError {
    fn from(error: DecodeError) -> ClientError {
        ClientError::Answer(AnswerProblem::Field(error))
    }
}

/// What to do about an error that has no reason: a proxy's, or that of a later contract.
const fn advice_of(code: Code) -> Advice {
    match code {
        Code::InvalidArgument | Code::NotFound | Code::AlreadyExists | Code::OutOfRange => {
            Advice::FixRequest
        }
        Code::FailedPrecondition => Advice::Decide,
        Code::Aborted => Advice::Reread,
        Code::Unavailable
        | Code::DeadlineExceeded
        | Code::Cancelled
        | Code::Unknown
        | Code::ResourceExhausted => Advice::Retry,
        Code::Unauthenticated | Code::PermissionDenied => Advice::Authorise,
        Code::Ok | Code::Internal | Code::Unimplemented | Code::DataLoss => Advice::GiveUp,
    }
}

#[cfg(test)]
mod tests {
    use handfoot_protocol::Failure;
    use handfoot_protocol::v1::ServiceReason;

    use super::*;

    #[test]
    fn a_refusal_is_read_from_its_details() {
        let failure = Failure::new(ServiceReason::StaleVersion, "older").with("version", 7);
        let error = ClientError::of(&failure.to_status(), 1);
        assert_eq!(error.reason(), Some(Reason::Service(ServiceReason::StaleVersion)));
        assert_eq!(error.advice(), Advice::Reread);
        assert_eq!(error.label(), "STALE_VERSION");
        let ClientError::Refused(refused) = error else { panic!("not refused") };
        assert_eq!(refused.metadata()["version"], "7");
    }

    #[test]
    fn a_reason_without_details_is_read_from_the_trailer() {
        let mut status = Status::aborted("older");
        status.metadata_mut().insert("hf-reason", "LEASE_LOST".parse().unwrap());
        assert_eq!(ClientError::of(&status, 1).label(), "LEASE_LOST");
    }

    #[test]
    fn an_error_of_others_has_an_advice_too() {
        let error = ClientError::of(&Status::unauthenticated("proxy"), 1);
        assert_eq!((error.reason(), error.advice()), (None, Advice::Authorise));
        assert_eq!(format!("{error:?}"), "Refused(Refused(Unauthenticated ))");
    }
}
