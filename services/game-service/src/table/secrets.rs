//! Keys of a table, and the chain that links its commits.
//!
//! **Invariant:** keys are stored and never sent, printed or logged. The chain is keyed, because a
//! plain hash of a commit would let a client try out which card was drawn.

use std::fmt;

use handfoot_engine::Seed;
use handfoot_protocol::state::v1::Secrets as SecretsRecord;
use handfoot_store::{Chain, Version};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Gives secrets. The service uses the machine's; a test may use others.
pub trait SecretSource: Send + Sync + fmt::Debug {
    /// 32 bytes that nobody can guess, or none if the machine has none to give.
    fn secret(&self) -> Option<[u8; 32]>;
}

/// The machine's own source.
#[derive(Clone, Copy, Debug)]
pub struct MachineSecrets;

impl SecretSource for MachineSecrets {
    fn secret(&self) -> Option<[u8; 32]> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).is_ok().then_some(bytes)
    }
}

/// Keys of one table.
///
/// # Visibility
///
/// The store. Bots of the table get the bot seed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secrets {
    pub(crate) game_seed: [u8; 32],
    pub(crate) chain_key: [u8; 32],
    pub(crate) bot_seed: [u8; 32],
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(..)")
    }
}

impl Secrets {
    /// Keys for a new table; a chosen seed fixes deals and bots, never the chain.
    pub(crate) fn draw(source: &dyn SecretSource, chosen: Option<u64>) -> Option<Secrets> {
        let chain_key = source.secret()?;
        Some(match chosen {
            Some(number) => Secrets {
                game_seed: Seed::chosen(number).reveal(),
                chain_key,
                // The same as a bot makes of a chosen number when it plays without a service.
                bot_seed: mac(b"handfoot/1 bot seed", &[&number.to_be_bytes()]),
            },
            None => Secrets { game_seed: source.secret()?, chain_key, bot_seed: source.secret()? },
        })
    }

    pub(crate) fn to_record(&self) -> SecretsRecord {
        SecretsRecord {
            game_seed: self.game_seed.to_vec(),
            chain_key: self.chain_key.to_vec(),
            bot_seed: self.bot_seed.to_vec(),
        }
    }

    pub(crate) fn of_record(record: &SecretsRecord) -> Option<Secrets> {
        let array = |bytes: &[u8]| <[u8; 32]>::try_from(bytes).ok();
        Some(Secrets {
            game_seed: array(&record.game_seed)?,
            chain_key: array(&record.chain_key)?,
            bot_seed: array(&record.bot_seed)?,
        })
    }

    /// The chain of a new table.
    pub(crate) fn first_chain(&self, table_id: &str) -> Chain {
        self.link(&[b"handfoot/1 chain", table_id.as_bytes()])
    }

    /// The chain after a commit: over the chain before, the version and what the log keeps.
    pub(crate) fn next_chain(&self, before: Chain, version: Version, entry: &[u8]) -> Chain {
        self.link(&[&before.0, &version.0.to_be_bytes(), entry])
    }

    fn link(&self, parts: &[&[u8]]) -> Chain {
        let full = mac(&self.chain_key, parts);
        let mut chain = [0; 16];
        chain.copy_from_slice(&full[..16]);
        Chain(chain)
    }
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Sevens;

    impl SecretSource for Sevens {
        fn secret(&self) -> Option<[u8; 32]> {
            Some([7; 32])
        }
    }

    #[test]
    fn every_part_of_a_commit_changes_the_chain() {
        let secrets = Secrets::draw(&Sevens, None).unwrap();
        let first = secrets.first_chain("a");
        assert_ne!(first, secrets.first_chain("b"));
        let next = secrets.next_chain(first, Version(1), b"entry");
        assert_ne!(next, secrets.next_chain(first, Version(2), b"entry"));
        assert_ne!(next, secrets.next_chain(first, Version(1), b"other"));
        assert_ne!(next, secrets.next_chain(next, Version(1), b"entry"));
    }

    #[test]
    fn a_chosen_seed_fixes_the_game_and_not_the_chain() {
        let chosen = Secrets::draw(&MachineSecrets, Some(5)).unwrap();
        let again = Secrets::draw(&MachineSecrets, Some(5)).unwrap();
        assert_eq!(chosen.game_seed, again.game_seed);
        assert_eq!(chosen.bot_seed, again.bot_seed);
        assert_ne!(chosen.chain_key, again.chain_key);
        assert_eq!(format!("{chosen:?}"), "Secrets(..)");
    }
}
