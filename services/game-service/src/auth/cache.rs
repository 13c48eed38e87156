//! Seat tokens that were verified lately.
//!
//! **Invariant:** holds verified tokens only, by hash, and a bounded number of them; it makes
//! nothing valid that is not. Whoever asks checks the time again.
//!
//! An Ed25519 verification costs more than the whole rest of a read; the same token comes with
//! every call of a seat.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use aws_lc_rs::digest;

use super::SeatPass;

/// Tokens remembered in each of the two halves, at most: some 4 MiB together.
const HALF_MAX: usize = 8_192;

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

/// The tokens. Two halves: what is asked for moves to the young one; the old one is forgotten
/// when the young one is full.
#[derive(Default)]
pub(super) struct VerifiedTokens(Mutex<Halves>);

#[derive(Default)]
struct Halves {
    young: BTreeMap<TokenHash, SeatPass>,
    old: BTreeMap<TokenHash, SeatPass>,
}

impl VerifiedTokens {
    pub(super) fn get(&self, hash: &TokenHash) -> Option<SeatPass> {
        // A panic elsewhere leaves whole entries behind, so what is held can still be used.
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pass) = halves.young.get(hash) {
            return Some(pass.clone());
        }
        let pass = halves.old.remove(hash)?;
        halves.put(*hash, pass.clone());
        Some(pass)
    }

    pub(super) fn put(&self, hash: TokenHash, pass: SeatPass) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(hash, pass);
    }
}

impl Halves {
    fn put(&mut self, hash: TokenHash, pass: SeatPass) {
        if self.young.len() >= HALF_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, pass);
    }
}

#[cfg(test)]
mod tests {
    use handfoot_engine::Viewer;
    use handfoot_store::Millis;

    use super::super::{Generation, SeatScopes};
    use super::*;

    #[test]
    fn it_is_bounded_and_keeps_what_is_used() {
        let pass = SeatPass {
            tenant: "t".parse().unwrap(),
            table: "a".parse().unwrap(),
            viewer: Viewer::Spectator,
            generation: Generation(0),
            scopes: SeatScopes::SPECTATOR,
            lease: None,
            expires: Millis(1),
        };
        let tokens = VerifiedTokens::default();
        let used = TokenHash::of("used");
        tokens.put(used, pass.clone());
        for number in 0..3 * HALF_MAX {
            tokens.put(TokenHash::of(&number.to_string()), pass.clone());
            assert!(tokens.get(&used).is_some());
        }
        let halves = tokens.0.lock().unwrap();
        assert!(halves.young.len() + halves.old.len() <= 2 * HALF_MAX);
        drop(halves);
        assert!(tokens.get(&TokenHash::of("0")).is_none());
    }
}
