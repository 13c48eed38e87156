//! Errors as they are sent, and as they are read.
//!
//! **Invariant:** what a status says comes from the caller's own request and own view; an internal
//! fault says nothing but an id. Whatever is put in, the details stay within
//! [`DETAILS_BYTES_MAX`].

mod details;

use std::collections::BTreeMap;
use std::time::Duration;

use handfoot_rules::{Rules, RulesProblem};
use handfoot_view::Rejection;
use prost::Message;
use tonic::Status;
use tonic::metadata::{MetadataMap, MetadataValue};

use self::details::{
    BAD_REQUEST, BadRequest, ERROR_INFO, ErrorInfo, RETRY_INFO, RetryInfo, RpcStatus, Violation,
    any,
};
use crate::decode::DecodeError;
use crate::reason::{Advice, Reason, retry_after};
use crate::refusal::{reason_of, wire_name};
use crate::v1::ServiceReason;

/// `ErrorInfo.domain` of every error of this contract.
pub const DOMAIN: &str = "handfoot.v1";

/// The trailer that says the reason, for languages without rich errors.
pub const REASON_TRAILER: &str = "hf-reason";

/// Bytes of the encoded details, at most: with the base64 of the trailer, the message and the
/// reason an error stays under 2 KiB.
pub const DETAILS_BYTES_MAX: usize = 1150;

/// Bytes of a message, a value and a description, at most. In a header each may become three.
const TEXT_BYTES_MAX: usize = 120;

/// Fields that are named, at most.
const VIOLATIONS_MAX: usize = 16;

/// Bytes of a field's path, at most.
const FIELD_BYTES_MAX: usize = 120;

/// An error on its way to a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    reason: Reason,
    message: String,
    metadata: BTreeMap<String, String>,
    violations: Vec<FieldViolation>,
    retry_after: Option<Duration>,
}

/// A field of a request and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldViolation {
    /// The path of the field, from the request on.
    pub field: String,
    /// What is wrong with it.
    pub description: String,
}

/// What a received error says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorDetails {
    /// The reason, if it is one that this contract knows.
    pub reason: Option<Reason>,
    /// The reason's name; empty if the error is not of this contract.
    pub name: String,
    /// The values behind it.
    pub metadata: BTreeMap<String, String>,
    /// Fields that are wrong.
    pub violations: Vec<FieldViolation>,
    /// How long to wait before the same request.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// An error of the service. Reasons that are worth the same request again come with a pause.
    #[must_use]
    pub fn new(reason: ServiceReason, message: &str) -> Failure {
        Failure {
            retry_after: retry_after(reason),
            ..Failure::of(Reason::Service(reason), message)
        }
    }

    fn of(reason: Reason, message: &str) -> Failure {
        Failure {
            reason,
            message: clipped(message, TEXT_BYTES_MAX),
            metadata: BTreeMap::new(),
            violations: Vec::new(),
            retry_after: None,
        }
    }

    /// With a value behind it, by its name as in `reason.proto`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Failure {
        self.metadata.insert(wire_name(name), clipped(&value.to_string(), TEXT_BYTES_MAX));
        self
    }

    /// With a field that is wrong; only the first sixteen are kept.
    #[must_use]
    pub fn with_violation(mut self, field: &str, description: &str) -> Failure {
        if self.violations.len() == VIOLATIONS_MAX {
            return self;
        }
        self.violations.push(FieldViolation {
            field: clipped(field, FIELD_BYTES_MAX),
            description: clipped(description, TEXT_BYTES_MAX),
        });
        self
    }

    /// With another pause before the same request.
    #[must_use]
    pub fn with_retry_after(mut self, pause: Duration) -> Failure {
        self.retry_after = Some(pause);
        self
    }

    /// Why.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The status to send.
    #[must_use]
    pub fn to_status(&self) -> Status {
        let details = self.details_within(DETAILS_BYTES_MAX);
        let mut metadata = MetadataMap::new();
        metadata.insert(REASON_TRAILER, MetadataValue::from_static(self.reason.name()));
        let code = self.reason.code();
        Status::with_details_and_metadata(code, &self.message, details.into(), metadata)
    }

    /// The encoded details, without the last fields and values if they would be too long.
    fn details_within(&self, most: usize) -> Vec<u8> {
        let (mut n_violations, mut n_values) = (self.violations.len(), self.metadata.len());
        loop {
            let details = self.details(n_violations, n_values);
            match (details.len() > most, n_violations, n_values) {
                (false, ..) | (true, 0, 0) => return details,
                (true, 0, _) => n_values -= 1,
                (true, ..) => n_violations -= 1,
            }
        }
    }

    fn details(&self, n_violations: usize, n_values: usize) -> Vec<u8> {
        let metadata = self.metadata.iter().take(n_values);
        let info = ErrorInfo {
            reason: self.reason.name().to_owned(),
            domain: DOMAIN.to_owned(),
            metadata: metadata.map(|(name, value)| (name.clone(), value.clone())).collect(),
        };
        let mut details = vec![any(ERROR_INFO, &info)];
        if n_violations > 0 {
            let violation = |of: &FieldViolation| Violation {
                field: of.field.clone(),
                description: of.description.clone(),
            };
            let field_violations =
                self.violations.iter().take(n_violations).map(violation).collect();
            details.push(any(BAD_REQUEST, &BadRequest { field_violations }));
        }
        if let Some(pause) = self.retry_after {
            let retry_delay = prost_types::Duration::try_from(pause).ok();
            details.push(any(RETRY_INFO, &RetryInfo { retry_delay }));
        }
        let code = self.reason.code() as i32;
        RpcStatus { code, message: self.message.clone(), details }.encode_to_vec()
    }
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        failure.to_status()
    }
}

impl From<&DecodeError> for Failure {
    /// A field that cannot be decoded, with its path from the request on.
    fn from(error: &DecodeError) -> Failure {
        let problem = error.problem.to_string();
        Failure::new(ServiceReason::FieldInvalid, &error.to_string())
            .with("field", &error.field)
            .with_violation(&error.field, &problem)
    }
}

/// The rules say no to the action at this place of its batch, from 0.
#[must_use]
pub fn refused(rejection: &Rejection, rules: &Rules, action_index: usize) -> Failure {
    let reason = Reason::Rule(reason_of(rejection));
    let mut failure = Failure::of(reason, &rejection.message(rules.pack()))
        .with("action_index", action_index)
        .with("rule", rejection.rule());
    for (name, value) in rejection.values(rules.pack()) {
        failure = failure.with(name, value);
    }
    match reason.advice() == Advice::FixRequest {
        true => failure.with_violation(&format!("actions[{action_index}]"), rejection.text()),
        false => failure,
    }
}

/// A rule set cannot be played; fields are from `prefix` on, such as `rules.changes`.
#[must_use]
pub fn rules_invalid(problems: &[RulesProblem], prefix: &str) -> Failure {
    let first = problems.first().map_or("", RulesProblem::reason);
    let message = format!("the rule set has {} problems", problems.len());
    let failure = Failure::new(ServiceReason::RulesInvalid, &message).with("problem", first);
    problems.iter().fold(failure, |failure, problem| {
        failure.with_violation(&format!("{prefix}.{}", problem.at), &problem.problem.to_string())
    })
}

impl ErrorDetails {
    /// Reads what a status says. Errors of others, such as a proxy's, have no reason.
    #[must_use]
    pub fn of(status: &Status) -> ErrorDetails {
        let sent = RpcStatus::decode(status.details()).unwrap_or_default();
        let mut read = ErrorDetails {
            reason: None,
            name: String::new(),
            metadata: BTreeMap::new(),
            violations: Vec::new(),
            retry_after: None,
        };
        for detail in &sent.details {
            read.take(detail);
        }
        if read.name.is_empty()
            && let Some(Ok(name)) = status.metadata().get(REASON_TRAILER).map(MetadataValue::to_str)
        {
            read.name = name.to_owned();
        }
        read.reason = Reason::from_name(&read.name);
        read
    }

    fn take(&mut self, detail: &prost_types::Any) {
        let bytes = detail.value.as_slice();
        if detail.type_url == ERROR_INFO
            && let Ok(info) = ErrorInfo::decode(bytes)
            && info.domain == DOMAIN
        {
            self.name = info.reason;
            self.metadata = info.metadata;
        } else if detail.type_url == BAD_REQUEST
            && let Ok(request) = BadRequest::decode(bytes)
        {
            let violation =
                |of: Violation| FieldViolation { field: of.field, description: of.description };
            self.violations.extend(request.field_violations.into_iter().map(violation));
        } else if detail.type_url == RETRY_INFO
            && let Ok(info) = RetryInfo::decode(bytes)
        {
            self.retry_after = info.retry_delay.and_then(|delay| Duration::try_from(delay).ok());
        }
    }
}

/// A text of at most so many bytes, cut between characters.
fn clipped(text: &str, most: usize) -> String {
    let end = (0..=text.len().min(most)).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or(0)].to_owned()
}
