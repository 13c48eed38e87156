//! Seeds, commitments and the shuffle: everything needed to check a deal afterwards.
//!
//! Each round has its own seed, derived from a game secret that is never revealed, so that a
//! revealed seed says nothing of later rounds. SHA-256 of seed, table and round is published with
//! the deal, the seed when the round has ended. The operator still sees the cards.

use chacha20::ChaCha20Rng;
use handfoot_cards::{Card, Pack};
use handfoot_view::Seat;
use hkdf::Hkdf;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

const ROUND_SEED: &[u8] = b"handfoot/1 round seed";
const CHOSEN_SEED: &[u8] = b"handfoot/1 chosen seed";
const SHUFFLE: &[u8] = b"handfoot/1 shuffle";
const REFILL_SEED: &[u8] = b"handfoot/1 refill seed";
const REFILL: &[u8] = b"handfoot/1 refill";
const COMMITMENT: &[u8] = b"handfoot/1 commitment";

/// 32 secret bytes that fix what chance does. They are not printed.
///
/// # Visibility
///
/// Nobody, until a round's own seed is revealed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl Seed {
    /// A seed of these bytes, which must come from a secure source if anybody is to trust it.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Seed {
        Seed(bytes)
    }

    /// A seed that everybody can guess: for games that must come out the same again.
    #[must_use]
    pub fn chosen(number: u64) -> Seed {
        Seed(expand(&number.to_be_bytes(), &[], CHOSEN_SEED, &[]))
    }

    /// The seed's bytes, for whoever stores or reveals it.
    #[must_use]
    pub const fn reveal(&self) -> [u8; 32] {
        self.0
    }

    /// The seed of one round, with this one as the game secret.
    #[must_use]
    pub fn of_round(&self, round_index: u16) -> Seed {
        Seed(expand(&self.0, &[], ROUND_SEED, &round_index.to_be_bytes()))
    }
}

/// What a seat adds to the shuffle of a round after its commitment was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// Who adds it.
    pub seat: Seat,
    /// What it adds.
    pub bytes: [u8; 32],
}

/// SHA-256 that binds a round's seed to its table and round.
#[must_use]
pub fn commitment(seed: &Seed, table: &str, round_index: u16) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(COMMITMENT);
    hash.update(seed.0);
    hash.update(u64::try_from(table.len()).unwrap_or(u64::MAX).to_be_bytes());
    hash.update(table.as_bytes());
    hash.update(round_index.to_be_bytes());
    hash.finalize().into()
}

/// The source of chance of one round: its seed and what the seats contributed, in seat order.
pub(crate) struct Chance(ChaCha20Rng);

/// What fixes the order of the cards that the stock is given in the middle of a round.
pub(crate) fn refill_seed(seed: &Seed, contributions: &[Contribution]) -> [u8; 32] {
    expand(&seed.0, &salt_of(contributions), REFILL_SEED, &[])
}

/// What the seats contributed, in seat order.
fn salt_of(contributions: &[Contribution]) -> Vec<u8> {
    let mut salt = Vec::with_capacity(contributions.len() * 33);
    let mut ordered = contributions.to_vec();
    ordered.sort_by_key(|contribution| contribution.seat);
    for contribution in &ordered {
        salt.extend(u8::try_from(contribution.seat.number()));
        salt.extend(contribution.bytes);
    }
    salt
}

impl Chance {
    pub(crate) fn of_round(seed: &Seed, contributions: &[Contribution]) -> Chance {
        let salt = salt_of(contributions);
        Chance(ChaCha20Rng::from_seed(expand(&seed.0, &salt, SHUFFLE, &[])))
    }

    /// The source for one refill of the stock, by the number of refills before it.
    pub(crate) fn of_refill(refill_seed: &[u8; 32], before: u8) -> Chance {
        Chance(ChaCha20Rng::from_seed(expand(refill_seed, &[], REFILL, &[before])))
    }

    /// Whether something happens that has this probability.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        const STEPS: usize = 1 << 32;
        // A power of two: the product is exact, and the same on every machine.
        let steps = f64::from(2u32).powi(32);
        let drawn = u32::try_from(self.below(STEPS)).unwrap_or(u32::MAX);
        f64::from(drawn) < probability * steps
    }

    /// A number below `bound`, each equally likely; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        below(&mut self.0, bound)
    }

    /// Puts cards into an order, each equally likely (Fisher and Yates).
    pub(crate) fn shuffle(&mut self, cards: &mut [Card]) {
        for last in (1..cards.len()).rev() {
            let other = self.below(last + 1);
            cards.swap(last, other);
        }
    }
}

/// A number below `bound` by rejection, each equally likely; 0 if `bound` is 0.
pub(crate) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    let Some(bound) = u64::try_from(bound).ok().filter(|bound| *bound > 0) else { return 0 };
    // Numbers from the last, incomplete run of `bound` are thrown away.
    let usable = u64::MAX - u64::MAX % bound;
    loop {
        let number = rng.next_u64();
        if number < usable {
            return usize::try_from(number % bound).unwrap_or(0);
        }
    }
}

/// The order in which a round's cards lie before the deal, for whoever checks one: the first card
/// of the list is the bottom of the pack, the last is dealt first.
#[must_use]
pub fn deck_order(pack: &Pack, seed: &Seed, contributions: &[Contribution]) -> Vec<Card> {
    shuffled(pack, &mut Chance::of_round(seed, contributions))
}

pub(crate) fn shuffled(pack: &Pack, chance: &mut Chance) -> Vec<Card> {
    let mut cards: Vec<Card> = pack.cards().iter().collect();
    chance.shuffle(&mut cards);
    cards
}

fn expand(secret: &[u8], salt: &[u8], label: &[u8], index: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    Hkdf::<Sha256>::new(Some(salt), secret)
        .expand_multi_info(&[label, index], &mut bytes)
        .expect("32 bytes are within what HKDF gives");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_contributions_and_tables_change_the_outcome() {
        let pack = Pack::standard(2, 2).unwrap();
        let secret = Seed::chosen(7);
        let (first, second) = (secret.of_round(0), secret.of_round(1));
        assert!(deck_order(&pack, &first, &[]) == deck_order(&pack, &first, &[]));
        assert!(deck_order(&pack, &first, &[]) != deck_order(&pack, &second, &[]));
        let seat = Seat::from_index(0).unwrap();
        let given = Contribution { seat, bytes: [1; 32] };
        assert!(deck_order(&pack, &first, &[]) != deck_order(&pack, &first, &[given]));
        assert_ne!(commitment(&first, "a", 0), commitment(&first, "b", 0));
        assert_ne!(commitment(&first, "a", 0), commitment(&first, "a", 1));
    }

    #[test]
    fn every_place_is_about_equally_likely() {
        let mut chance = Chance::of_round(&Seed::chosen(1), &[]);
        let mut hits = [0u32; 6];
        for _ in 0..6000 {
            hits[chance.below(6)] += 1;
        }
        assert!(hits.iter().all(|count| (850..1150).contains(count)), "{hits:?}");
        assert_eq!(chance.below(0), 0);
    }

    #[test]
    fn a_seed_does_not_print_itself() {
        assert_eq!(format!("{:?}", Seed::chosen(1)), "Seed(..)");
    }
}
