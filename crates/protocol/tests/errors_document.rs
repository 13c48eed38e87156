//! `proto/ERRORS.md` is made from the comments of the proto files and from the codes.
//!
//! **Invariant:** nothing in that file is written by hand.

use std::fmt::Write;

use handfoot_protocol::{Reason, values_of, wire_name};
use handfoot_rules::{Problem, Warning};
use handfoot_view::Rejection;

use crate::files::{compare, contract, descriptors};
use crate::reasons::{rule_reasons, service_reasons};

const OPENING: &str = "\
# Errors

<!-- @generated from reason.proto and the codes; to make it anew: HANDFOOT_REWRITE=1 cargo test -p handfoot-protocol -->

Every error carries `google.rpc.ErrorInfo` with the domain `handfoot.v1`, a reason of this list and the values behind it, and says the reason again in the trailer `hf-reason`.
A reason's name and meaning never change; new ones may come.
The gRPC code says what to change: the request (`INVALID_ARGUMENT`), the decision (`FAILED_PRECONDITION`), what you know (`ABORTED`), nothing but the time (`UNAVAILABLE`).

## The rules say no

In order of precedence: when several hold, the first is given.
Each also has the values `actionIndex` (the action's place in its batch, from 0) and `rule` (the clause of `crates/rules/RULES.md`).
The same reasons stand in menus as `Refusal`.
";

/// The comment of each value of an enum in `reason.proto`, by its name without the prefix.
fn comments(enum_name: &str, prefix: &str) -> Vec<(String, String)> {
    let set = descriptors();
    let file = set.file.iter().find(|file| file.name() == "handfoot/v1/reason.proto").unwrap();
    let at = file.enum_type.iter().position(|of| of.name() == enum_name).unwrap();
    let places = &file.source_code_info.as_ref().unwrap().location;
    let comment = |index: usize| {
        let path = [5, i32::try_from(at).unwrap(), 2, i32::try_from(index).unwrap()];
        let place = places.iter().find(|place| place.path == path).unwrap();
        let text = place.leading_comments();
        text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
    };
    let values = file.enum_type[at].value.iter().enumerate();
    values
        .map(|(index, value)| (value.name().replace(prefix, ""), comment(index).trim().to_owned()))
        .collect()
}

/// Splits a comment into what it says and the metadata it names.
fn parts(comment: &str) -> (String, String) {
    let (said, rule) = comment.split_once(" Rule:").unwrap_or((comment, ""));
    assert!(rule.is_empty() || rule.trim_start().starts_with("HF-"), "{comment}");
    let (meaning, metadata) = said.split_once(" Metadata: ").unwrap_or((said, ""));
    (meaning.to_owned(), metadata.trim_end_matches('.').to_owned())
}

fn section(reason: Reason, meaning: &str, rule: Option<&str>, metadata: &str) -> String {
    let mut text = String::new();
    let name = reason.name();
    writeln!(text, "\n### {name}\n\n{meaning}\n").unwrap();
    writeln!(text, "- Code: `{}`", code_name(reason.code())).unwrap();
    if let Some(rule) = rule {
        writeln!(text, "- Rule: {rule}").unwrap();
    }
    if !metadata.is_empty() {
        writeln!(text, "- Metadata: {metadata}").unwrap();
    }
    writeln!(text, "- Advice: {}", reason.advice().text()).unwrap();
    text
}

/// `INVALID_ARGUMENT` for a code that Rust calls `InvalidArgument`.
fn code_name(code: tonic::Code) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}

fn document() -> String {
    let mut text = OPENING.to_owned();
    let said = comments("RejectionReason", "REJECTION_REASON_");
    for (reason, name) in rule_reasons() {
        let comment = &said.iter().find(|(other, _)| *other == name).unwrap().1;
        let (meaning, metadata) = parts(comment);
        let rule = Rejection::ALL.iter().find(|(other, ..)| *other == name).unwrap().1;
        assert!(comment.ends_with(&format!("Rule: {rule}.")), "{name}: the comment lacks {rule}");
        for value in values_of(reason) {
            assert!(metadata.contains(&wire_name(value)), "{name}: the comment lacks {value}");
        }
        text += &section(Reason::Rule(reason), &meaning, Some(rule), &metadata);
    }
    text += "\n## The service says no\n";
    let said = comments("ServiceReason", "SERVICE_REASON_");
    for (reason, name) in service_reasons() {
        let comment = &said.iter().find(|(other, _)| *other == name).unwrap().1;
        let (meaning, metadata) = parts(comment);
        text += &section(Reason::Service(reason), &meaning, None, &metadata);
    }
    text += "\n## Rule sets\n\n`RulesFinding.reason` and the metadata `problem` of `RULES_INVALID` are one of these.\n";
    for (title, reasons) in [("Problems", Problem::REASONS), ("Warnings", Warning::REASONS)] {
        writeln!(text, "\n### {title}\n").unwrap();
        for reason in reasons {
            writeln!(text, "- `{reason}`").unwrap();
        }
    }
    text
}

#[test]
fn the_document_of_errors_is_that_of_the_proto_files() {
    compare(&contract().join("ERRORS.md"), document().as_bytes());
}

/// Everything in the contract says what it is.
#[test]
fn everything_has_a_comment() {
    let set = descriptors();
    let mut bare = Vec::new();
    for file in set.file.iter().filter(|file| file.name().starts_with("handfoot/")) {
        let places = &file.source_code_info.as_ref().unwrap().location;
        for place in places {
            // Messages 4, enums 5, services 6, and what stands in them: fields 2, oneofs 8,
            // values and methods 2.
            let is_named =
                matches!(place.path.as_slice(), [4..=6, _] | [5 | 6, _, 2, _] | [4, _, 2 | 8, _]);
            if is_named && place.leading_comments().trim().is_empty() {
                bare.push(format!("{}:{}", file.name(), place.span[0] + 1));
            }
        }
    }
    assert!(bare.is_empty(), "without a comment: {bare:?}");
}
