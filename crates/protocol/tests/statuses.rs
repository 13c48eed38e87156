//! Errors as other libraries read them.
//!
//! **Invariant:** tonic's own types of `google.rpc` read what this crate writes.

use std::time::Duration;

use handfoot_cards::Kind;
use handfoot_protocol::{
    Codec, DETAILS_BYTES_MAX, DOMAIN, ErrorDetails, Failure, Reason, refused, rules_invalid, v1,
};
use handfoot_view::Rejection;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::games::rules;
use crate::reasons::service_reasons;

#[test]
fn a_refusal_is_read_by_standard_libraries() {
    let rules = rules("whitnack", 4, None);
    let rejection = Rejection::OpeningTooLow { laid: 30, minimum: 50 };
    let status: Status = refused(&rejection, &rules, 2).into();
    assert_eq!(status.code(), Code::FailedPrecondition);
    let details = status.get_error_details();
    let info = details.error_info().unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("OPENING_TOO_LOW", DOMAIN));
    for (name, value) in
        [("laid", "30"), ("minimum", "50"), ("rule", "HF-6.1"), ("actionIndex", "2")]
    {
        assert_eq!(info.metadata.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(status.metadata().get("hf-reason").unwrap(), "OPENING_TOO_LOW");
    let read = ErrorDetails::of(&status);
    assert_eq!(read.reason, Some(Reason::Rule(v1::RejectionReason::OpeningTooLow)));
    assert_eq!(read.metadata.len(), 4);
}

#[test]
fn what_no_state_would_accept_names_its_field() {
    let rules = rules("whitnack", 4, None);
    let card = Kind::RED_THREE.card(0);
    let status = refused(&Rejection::ThreesNotMelded { card }, &rules, 1).to_status();
    assert_eq!(status.code(), Code::InvalidArgument);
    let details = status.get_error_details();
    let violations = &details.bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, "actions[1]");
    assert_eq!(ErrorDetails::of(&status).metadata["card"], "3D");
}

#[test]
fn a_bad_field_is_named() {
    let rules = rules("whitnack", 4, None);
    let error = Codec::new(&rules).decode_batch(&[]).unwrap_err();
    let status = Failure::from(&error).to_status();
    assert_eq!(status.code(), Code::InvalidArgument);
    let read = ErrorDetails::of(&status);
    assert_eq!(read.name, "FIELD_INVALID");
    assert_eq!(read.violations[0].field, "actions");
}

/// What is worth the same request again says when; nothing else does.
#[test]
fn only_what_may_be_repeated_says_when() {
    for (reason, name) in service_reasons() {
        let status = Failure::new(reason, "a sentence").to_status();
        let read = ErrorDetails::of(&status);
        assert_eq!(read.name, name);
        let details = status.get_error_details();
        let pause = details.retry_info().and_then(|info| info.retry_delay);
        assert_eq!(read.retry_after, pause, "{name}");
        let is_unavailable = status.code() == Code::Unavailable;
        assert!(!is_unavailable || pause.is_some(), "{name}");
    }
    let longer =
        Failure::new(v1::ServiceReason::Draining, "").with_retry_after(Duration::from_secs(3));
    let read = ErrorDetails::of(&longer.to_status());
    assert_eq!(read.retry_after, Some(Duration::from_secs(3)));
}

/// However much is wrong, an error stays small.
#[test]
fn errors_stay_small() {
    let rules = rules("whitnack", 4, None);
    let long = "ä".repeat(5000);
    let mut failure = Failure::new(v1::ServiceReason::FieldInvalid, &long).with("field", &long);
    for _ in 0..500 {
        failure = failure.with_violation(&long, &long);
    }
    for index in 0..100 {
        failure = failure.with(&format!("value_{index}"), &long);
    }
    let mut draft = rules.draft().clone();
    draft.players = 1;
    draft.book_size = 0;
    draft.opening.steps.clear();
    let problems = handfoot_rules::Rules::new(draft).unwrap_err();
    for status in [failure.to_status(), rules_invalid(&problems, "rules.changes").to_status()] {
        assert!(status.details().len() <= DETAILS_BYTES_MAX, "{}", status.details().len());
        // Details travel as base64, and a byte of the message may become three.
        let details = status.details().len().div_ceil(3) * 4;
        let reason = ErrorDetails::of(&status).name.len();
        assert!(details + 3 * status.message().len() + reason <= 2048);
        assert!(!ErrorDetails::of(&status).name.is_empty());
    }
}

/// Equal refusals are equal bytes, so that nothing can be read from their order.
#[test]
fn equal_refusals_are_equal_bytes() {
    let rules = rules("whitnack", 4, None);
    let rejection = Rejection::ContractNotMet { clean: 1, dirty: 2, wild: 1, sevens: 0, total: 0 };
    let bytes = || refused(&rejection, &rules, 0).to_status().details().to_vec();
    assert!((0..20).all(|_| bytes() == bytes()));
}

#[test]
fn errors_of_others_have_no_reason() {
    let read = ErrorDetails::of(&Status::unavailable("a proxy"));
    assert_eq!((read.reason, read.name.as_str()), (None, ""));
    let mut trailer = Status::aborted("an old library");
    trailer.metadata_mut().insert("hf-reason", "STALE_VERSION".parse().unwrap());
    let read = ErrorDetails::of(&trailer);
    assert_eq!(read.reason, Some(Reason::Service(v1::ServiceReason::StaleVersion)));
}
