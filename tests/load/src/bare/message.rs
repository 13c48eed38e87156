//! The messages of the baselines: payloads of a size that is asked for.
//!
//! **Invariant:** bytes without a meaning: neither side looks into them.

use bytes::Bytes;

/// Where the unary call goes.
pub(crate) const ECHO: &str = "/handfoot.load.Bare/Echo";

/// Where the stream goes.
pub(crate) const WATCH: &str = "/handfoot.load.Bare/Watch";

/// Bytes of the largest payload.
const PAYLOAD_MAX: usize = 1024 * 1024;

static ZEROS: [u8; PAYLOAD_MAX] = [0; PAYLOAD_MAX];

/// What is asked.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Ping {
    /// Whose streams get an item.
    #[prost(uint32, tag = "1")]
    pub(crate) table: u32,
    /// Bytes of the answer's payload.
    #[prost(uint32, tag = "2")]
    pub(crate) answer_bytes: u32,
    /// Bytes of an item's payload.
    #[prost(uint32, tag = "3")]
    pub(crate) item_bytes: u32,
    /// Anything.
    #[prost(bytes = "bytes", tag = "4")]
    pub(crate) payload: Bytes,
}

/// An answer, or an item of a stream.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Pong {
    /// Anything.
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) payload: Bytes,
}

/// So many bytes, cut off at the largest payload.
pub(crate) fn payload(bytes: usize) -> Bytes {
    Bytes::from_static(&ZEROS[..bytes.min(PAYLOAD_MAX)])
}
