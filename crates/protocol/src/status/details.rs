//! The messages of `google.rpc` that errors carry, with the numbers that every language's library
//! knows.
//!
//! They are written here rather than taken from a library because their maps must be in one order:
//! equal refusals are equal bytes.
//!
//! **Invariant:** field numbers and type names are those of google/rpc/status.proto and
//! google/rpc/error_details.proto; a test reads them with tonic's own types.

use std::collections::BTreeMap;

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub(super) code: i32,
    #[prost(string, tag = "2")]
    pub(super) message: String,
    #[prost(message, repeated, tag = "3")]
    pub(super) details: Vec<prost_types::Any>,
}

/// `google.rpc.ErrorInfo`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ErrorInfo {
    #[prost(string, tag = "1")]
    pub(super) reason: String,
    #[prost(string, tag = "2")]
    pub(super) domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    pub(super) metadata: BTreeMap<String, String>,
}

/// `google.rpc.BadRequest`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct BadRequest {
    #[prost(message, repeated, tag = "1")]
    pub(super) field_violations: Vec<Violation>,
}

/// `google.rpc.BadRequest.FieldViolation`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct Violation {
    #[prost(string, tag = "1")]
    pub(super) field: String,
    #[prost(string, tag = "2")]
    pub(super) description: String,
}

/// `google.rpc.RetryInfo`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    pub(super) retry_delay: Option<prost_types::Duration>,
}

pub(super) const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
pub(super) const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";
pub(super) const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";

pub(super) fn any(type_url: &str, message: &impl prost::Message) -> prost_types::Any {
    prost_types::Any { type_url: type_url.to_owned(), value: message.encode_to_vec() }
}
