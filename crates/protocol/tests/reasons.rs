//! Reasons are one to one with the refusals of the rules, and well named.
//!
//! **Invariant:** the contract's own descriptors are walked, not a list kept here.

use handfoot_protocol::{Advice, Codec, DESCRIPTORS, Reason, reason_of, v1, values_of, wire_name};
use handfoot_view::Rejection;
use prost::Message;
use tonic::Code;

use crate::games::rules;

/// The values of an enum of the contract: number and name without its prefix.
pub(crate) fn values(name: &str, prefix: &str) -> Vec<(i32, String)> {
    let set = prost_types::FileDescriptorSet::decode(DESCRIPTORS).unwrap();
    let found = set.file.iter().flat_map(|file| &file.enum_type).find(|of| of.name() == name);
    let values = found.unwrap().value.iter();
    values
        .map(|value| (value.number(), value.name().strip_prefix(prefix).unwrap().to_owned()))
        .filter(|(number, _)| *number != 0)
        .collect()
}

pub(crate) fn rule_reasons() -> Vec<(v1::RejectionReason, String)> {
    let values = values("RejectionReason", "REJECTION_REASON_");
    values.into_iter().map(|(number, name)| (number.try_into().unwrap(), name)).collect()
}

pub(crate) fn service_reasons() -> Vec<(v1::ServiceReason, String)> {
    let values = values("ServiceReason", "SERVICE_REASON_");
    values.into_iter().map(|(number, name)| (number.try_into().unwrap(), name)).collect()
}

#[test]
fn every_refusal_has_its_reason_in_the_same_order() {
    let wire: Vec<String> = rule_reasons().into_iter().map(|(_, name)| name).collect();
    let ours: Vec<&str> = Rejection::ALL.iter().map(|(reason, ..)| *reason).collect();
    assert_eq!(wire, ours);
}

#[test]
fn names_are_well_formed_and_known() {
    let rules = rule_reasons().into_iter().map(|(reason, name)| (Reason::Rule(reason), name));
    let services =
        service_reasons().into_iter().map(|(reason, name)| (Reason::Service(reason), name));
    let all: Vec<(Reason, String)> = rules.chain(services).collect();
    for (index, (reason, name)) in all.iter().enumerate() {
        let is_inner = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        assert!(name.len() <= 63 && name.len() >= 3 && name.chars().all(is_inner), "{name}");
        assert!(name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.ends_with('_'));
        assert_eq!(reason.name(), name);
        assert_eq!(Reason::from_name(name), Some(*reason));
        assert!(all[index + 1..].iter().all(|(_, other)| other != name), "{name} stands twice");
    }
    assert_eq!(Reason::from_name("NOBODY_KNOWS"), None);
}

#[test]
fn names_of_values_are_those_of_metadata() {
    let mut names: Vec<String> = vec![wire_name("action_index"), wire_name("rule")];
    for (reason, _) in rule_reasons() {
        names.extend(values_of(reason).iter().map(|name| wire_name(name)));
    }
    for name in names {
        let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-';
        assert!(name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() >= 2, "{name}");
        assert!(name.chars().all(is_key), "{name}");
    }
}

/// Every refusal is read back with its values, and none without them.
#[test]
fn every_refusal_comes_back() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    for (reason, name) in rule_reasons() {
        let value = |value: &&str| v1::RefusalValue {
            name: wire_name(value),
            value: if matches!(*value, "card" | "upcard") { "KS" } else { "7" }.to_owned(),
        };
        let values: Vec<_> = values_of(reason).iter().map(value).collect();
        let sent = v1::Refusal { reason: reason as i32, values };
        let read = codec.decode_refusal(&sent).unwrap();
        assert_eq!((read.reason(), reason_of(&read)), (name.as_str(), reason));
        assert_eq!(codec.encode_refusal(&read), sent);
        if let Some((_, fewer)) = sent.values.split_last() {
            let sent = v1::Refusal { values: fewer.to_vec(), ..sent.clone() };
            assert!(codec.decode_refusal(&sent).is_err(), "{name}");
        }
    }
}

/// The code says what the caller has to change.
#[test]
fn codes_follow_the_advice() {
    for (reason, name) in rule_reasons() {
        let reason = Reason::Rule(reason);
        let expected = match reason.advice() == Advice::FixRequest {
            true => Code::InvalidArgument,
            false => Code::FailedPrecondition,
        };
        assert_eq!(reason.code(), expected, "{name}");
    }
    for (reason, name) in service_reasons() {
        let reason = Reason::Service(reason);
        let is_same_again = reason.advice() == Advice::Retry;
        let is_unavailable = matches!(reason.code(), Code::Unavailable);
        assert!(!is_unavailable || is_same_again, "{name}");
        assert_ne!((reason.code(), reason.advice()), (Code::Aborted, Advice::Retry), "{name}");
    }
}
