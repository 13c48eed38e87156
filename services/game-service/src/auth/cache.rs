//! Seat tokens that were verified lately.
//!
//! **Invariant:** holds verified tokens only, by hash, and a bounded number of them; it makes
//! nothing valid that is not. Whoever asks checks the time again.
//!
//! An Ed25519 verification costs more than the whole rest of a read; the same token comes with
//! every call of a seat.

use std::sync::{Mutex, PoisonError};

use aws_lc_rs::digest;

use super::SeatPass;
use crate::limits::VERIFIED_TOKENS_MAX;
use crate::recent::Recent;

/// Name of a token: its SHA-256. A caller cannot choose it, so comparing it tells nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(super) fn of(token: &str) -> Self {
        let hash = digest::digest(&digest::SHA256, token.as_bytes());
        let mut bytes = [0; 32];
        bytes.copy_from_slice(hash.as_ref());
        Self(bytes)
    }
}

/// The tokens.
pub(super) struct VerifiedTokens(Mutex<Recent<TokenHash, SeatPass>>);

impl Default for VerifiedTokens {
    fn default() -> Self {
        Self(Mutex::new(Recent::new(VERIFIED_TOKENS_MAX / 2)))
    }
}

impl VerifiedTokens {
    pub(super) fn get(&self, hash: &TokenHash) -> Option<SeatPass> {
        // A panic elsewhere leaves whole entries behind, so what is held can still be used.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(hash)
    }

    pub(super) fn put(&self, hash: TokenHash, pass: SeatPass) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(hash, pass);
    }
}
