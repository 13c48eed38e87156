//! One card: its kind (what the rules tell apart) and its face (what is printed on it).

/// The most kinds a pack may have.
pub const KINDS_MAX: usize = 20;

/// Faces per kind: a natural rank has four, one a suit.
pub const SLOTS: usize = 4;

/// What the rules tell apart: in the standard pack the ranks 4 to ace, the two, the joker, the red
/// three and the black three.
///
/// Kinds are numbered in canonical order, from 0; a number's meaning comes from the [`crate::Pack`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

impl Kind {
    /// The four of the standard pack, its first kind; the ranks follow in order.
    pub const FOUR: Kind = Kind(0);
    /// The five of the standard pack.
    pub const FIVE: Kind = Kind(1);
    /// The six of the standard pack.
    pub const SIX: Kind = Kind(2);
    /// The seven of the standard pack.
    pub const SEVEN: Kind = Kind(3);
    /// The eight of the standard pack.
    pub const EIGHT: Kind = Kind(4);
    /// The nine of the standard pack.
    pub const NINE: Kind = Kind(5);
    /// The ten of the standard pack.
    pub const TEN: Kind = Kind(6);
    /// The jack of the standard pack.
    pub const JACK: Kind = Kind(7);
    /// The queen of the standard pack.
    pub const QUEEN: Kind = Kind(8);
    /// The king of the standard pack.
    pub const KING: Kind = Kind(9);
    /// The ace of the standard pack.
    pub const ACE: Kind = Kind(10);
    /// The two of the standard pack.
    pub const TWO: Kind = Kind(11);
    /// The joker of the standard pack.
    pub const JOKER: Kind = Kind(12);
    /// The red three of the standard pack.
    pub const RED_THREE: Kind = Kind(13);
    /// The black three of the standard pack.
    pub const BLACK_THREE: Kind = Kind(14);

    /// The kind with this number, if it is below [`KINDS_MAX`].
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Kind> {
        if index < KINDS_MAX {
            #[expect(clippy::cast_possible_truncation, reason = "index < KINDS_MAX < 256")]
            Some(Kind(index as u8))
        } else {
            None
        }
    }

    /// The kind's number, below [`KINDS_MAX`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Every number a kind can have, in canonical order.
    pub fn all() -> impl DoubleEndedIterator<Item = Kind> + ExactSizeIterator {
        (0..20u8).map(Kind)
    }

    /// The card of this kind in a slot, 0 to 3. Higher slots wrap.
    #[must_use]
    pub const fn card(self, slot: usize) -> Card {
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is below 4")]
        Card(self.0 * 4 + (slot % SLOTS) as u8)
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
        Kind(self.0 >> 2)
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
