//! The contract of Hand and Foot on the wire, and its conversions.
//!
//! [`v1`] is what the proto files say, as Rust; a [`Codec`] converts views, events, actions and
//! menus of one table both ways; [`decode_draft`] and its like convert rule sets; [`refused`] and
//! [`Failure`] become `tonic::Status`, and [`ErrorDetails`] reads one.
//!
//! **Invariant:** no message holds what its viewer cannot know: views and events are encoded from
//! types of `handfoot-view` that have no place for it. Decoding never panics. **Boundary:** this
//! crate cannot name the engine and connects to nothing.

mod action;
mod codec;
mod decode;
mod event;
mod generated;
mod menu;
mod reason;
mod refusal;
mod rules;
mod score;
mod sheet;
mod status;
mod view;

pub use action::BATCH_ACTIONS_MAX;
pub use codec::Codec;
pub use decode::{DecodeError, DecodeProblem};
pub use generated::{DESCRIPTORS, state, v1};
pub use reason::{Advice, Reason, retry_after};
pub use refusal::{reason_of, values_of, wire_name};
pub use rules::{
    ChoiceError, ExplainError, check_rules, decode_choice, decode_draft, encode_draft,
    encode_preset, encode_problem, encode_summary, encode_warning, explain_rules,
};
pub use score::encode_score;
pub use status::{
    DETAILS_BYTES_MAX, DOMAIN, ErrorDetails, Failure, FieldViolation, REASON_TRAILER, refused,
    rules_invalid,
};
pub use view::{decode_options, encode_options};
