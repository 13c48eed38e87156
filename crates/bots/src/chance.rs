//! A bot's chance: fixed by its seed, its seat and how far the game is, so that equal seeds give
//! equal games and nobody else can foresee it.

use handfoot_view::ViewRef;
use hmac::{Hmac, KeyInit, Mac};
use rand_core::SeedableRng;
use sha2::Sha256;

/// The generator that policies draw from: xoshiro256++, whose output never changes.
pub type Chance = rand_xoshiro::Xoshiro256PlusPlus;

/// What fixes a bot's chance for a whole game.
///
/// # Visibility
///
/// The bots of the table. It is not printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BotSeed([u8; 32]);

impl std::fmt::Debug for BotSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BotSeed(..)")
    }
}

impl BotSeed {
    /// A seed of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> BotSeed {
        BotSeed(bytes)
    }

    /// A seed that everybody can guess: for games that must come out the same again.
    #[must_use]
    pub fn chosen(number: u64) -> BotSeed {
        BotSeed(mac(b"handfoot/1 bot seed", &number.to_be_bytes()))
    }

    /// The chance of the decision that a view asks for: HMAC-SHA-256 of seat and event index.
    #[must_use]
    pub fn chance(&self, view: ViewRef<'_>) -> Chance {
        let mut message = [0; 5];
        message[0] = u8::try_from(view.seat.number()).unwrap_or_default();
        message[1..].copy_from_slice(&view.table.event_index.to_be_bytes());
        Chance::from_seed(mac(&self.0, &message))
    }
}

fn mac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}
