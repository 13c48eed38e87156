//! What the proto files say, as Rust: made by `tests/codegen.rs`, never by hand.
//!
//! To make it anew: `HANDFOOT_REWRITE=1 cargo test -p handfoot-protocol`.
//!
//! **Invariant:** every included file is marked `@generated`, and a test fails if one differs from
//! what the proto files give. Stubs are made without a transport: who connects chooses one.

/// The public contract.
#[expect(
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    reason = "the generators of messages and stubs write so, and their output is not edited"
)]
pub mod v1 {
    include!("generated/handfoot.v1.rs");
}

/// How a table is kept in a store.
pub mod state {
    /// The first version of it.
    pub mod v1 {
        include!("generated/handfoot.state.v1.rs");
    }
}

/// Every proto file of this contract and those it uses, as an encoded `FileDescriptorSet` without
/// comments: what reflection serves.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.binpb");
