//! One card: its kind (what the rules tell apart) and its face (what is printed on it).

use std::num::NonZeroU8;

/// The most kinds a pack may have.
pub const KINDS_MAX: usize = 20;

/// Faces per kind: a natural rank has four, one a suit.
pub const SLOTS: usize = 4;

/// What the rules tell apart: in the standard pack the ranks 4 to ace, the two, the joker, the red
/// three and the black three.
///
/// Kinds are numbered in canonical order, from 0; a number's meaning comes from the [`crate::Pack`].
/// Inside one more is kept, so that "a kind or something else" is a byte too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(NonZeroU8);

impl Kind {
    /// The four of the standard pack, its first kind; the ranks follow in order.
    pub const FOUR: Kind = Kind::numbered(0);
    /// The five of the standard pack.
    pub const FIVE: Kind = Kind::numbered(1);
    /// The six of the standard pack.
    pub const SIX: Kind = Kind::numbered(2);
    /// The seven of the standard pack.
    pub const SEVEN: Kind = Kind::numbered(3);
    /// The eight of the standard pack.
    pub const EIGHT: Kind = Kind::numbered(4);
    /// The nine of the standard pack.
    pub const NINE: Kind = Kind::numbered(5);
    /// The ten of the standard pack.
    pub const TEN: Kind = Kind::numbered(6);
    /// The jack of the standard pack.
    pub const JACK: Kind = Kind::numbered(7);
    /// The queen of the standard pack.
    pub const QUEEN: Kind = Kind::numbered(8);
    /// The king of the standard pack.
    pub const KING: Kind = Kind::numbered(9);
    /// The ace of the standard pack.
    pub const ACE: Kind = Kind::numbered(10);
    /// The two of the standard pack.
    pub const TWO: Kind = Kind::numbered(11);
    /// The joker of the standard pack.
    pub const JOKER: Kind = Kind::numbered(12);
    /// The red three of the standard pack.
    pub const RED_THREE: Kind = Kind::numbered(13);
    /// The black three of the standard pack.
    pub const BLACK_THREE: Kind = Kind::numbered(14);

    /// The kind with this number, if it is below [`KINDS_MAX`].
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Kind> {
        if index < KINDS_MAX {
            #[expect(clippy::cast_possible_truncation, reason = "index < KINDS_MAX < 256")]
            Some(Kind::numbered(index as u8))
        } else {
            None
        }
    }

    const fn numbered(number: u8) -> Kind {
        Kind(NonZeroU8::MIN.saturating_add(number))
    }

    const fn number(self) -> u8 {
        self.0.get() - 1
    }

    /// The kind's number, below [`KINDS_MAX`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.number() as usize
    }

    /// Every number a kind can have, in canonical order.
    pub fn all() -> impl DoubleEndedIterator<Item = Kind> + ExactSizeIterator {
        (0..20u8).map(Kind::numbered)
    }

    /// The card of this kind in a slot, 0 to 3. Higher slots wrap.
    #[must_use]
    pub const fn card(self, slot: usize) -> Card {
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is below 4")]
        Card(self.number() * 4 + (slot % SLOTS) as u8)
    }

    /// The four cards a kind can have, lowest slot first.
    #[must_use]
    pub fn cards(self) -> impl DoubleEndedIterator<Item = Card> + ExactSizeIterator {
        (0..SLOTS).map(move |slot| self.card(slot))
    }
}

/// What sort of card a kind is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Neither wild nor a three: a rank that melds with its own kind.
    Natural,
    /// A joker or a two: stands for any natural in a meld.
    Wild,
    /// A red three, or the card that plays its part in another pack.
    RedThree,
    /// A black three, or the card that plays its part in another pack.
    BlackThree,
}

/// A suit of the standard pack. It matters to nobody but the people who look at the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suit {
    /// Clubs, black.
    Clubs,
    /// Diamonds, red.
    Diamonds,
    /// Hearts, red.
    Hearts,
    /// Spades, black.
    Spades,
}

impl Suit {
    /// All suits in canonical order, lowest first.
    pub const ALL: [Suit; 4] = [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades];

    /// The suit's letter in notation.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Suit::Clubs => 'C',
            Suit::Diamonds => 'D',
            Suit::Hearts => 'H',
            Suit::Spades => 'S',
        }
    }
}

/// One card as printed. Cards have no identity: two with the same face are equal.
///
/// Its number is `kind × 4 + slot`, so that canonical order is by kind, then by suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The card with this number, if it is below [`crate::FACES_MAX`].
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Card> {
        if index < KINDS_MAX * SLOTS {
            #[expect(clippy::cast_possible_truncation, reason = "index < 80")]
            Some(Card(index as u8))
        } else {
            None
        }
    }

    /// The card's number, below [`crate::FACES_MAX`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// What the rules see of this card.
    #[must_use]
    pub const fn kind(self) -> Kind {
        Kind::numbered(self.0 >> 2)
    }

    /// Which face of its kind it is, 0 to 3.
    #[must_use]
    pub const fn slot(self) -> usize {
        (self.0 & 3) as usize
    }

    /// Every number a card can have, in canonical order.
    pub fn all() -> impl DoubleEndedIterator<Item = Card> + ExactSizeIterator {
        (0..80u8).map(Card)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_its_kind_and_its_slot() {
        for card in Card::all() {
            assert_eq!(card.kind().card(card.slot()), card);
            assert_eq!(Card::from_index(card.index()), Some(card));
        }
        assert_eq!(Card::from_index(80), None);
    }

    #[test]
    fn kinds_are_numbered_from_zero_to_nineteen() {
        assert_eq!(Kind::all().len(), KINDS_MAX);
        assert!(Kind::all().enumerate().all(|(index, kind)| Kind::from_index(index) == Some(kind)));
        assert_eq!(Kind::from_index(KINDS_MAX), None);
    }
}
