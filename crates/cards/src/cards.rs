//! A counted collection of cards. It has no order: who holds it knows what, never when.

use crate::{Card, KINDS_MAX, Kind, SLOTS};

/// The most faces a pack may have.
pub const FACES_MAX: usize = KINDS_MAX * SLOTS;

/// Numbers of cards by kind, indexed by [`Kind::index`].
pub type KindCounts = [u8; KINDS_MAX];

/// A multiset of cards, counted by face. At most 250 cards of one kind.
///
/// # Visibility
///
/// A plain value: whoever is given one may see it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Cards {
    counts: [u8; FACES_MAX],
    len: u16,
}

impl Cards {
    /// No cards.
    pub const EMPTY: Cards = Cards { counts: [0; FACES_MAX], len: 0 };

    /// How many cards there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many of this face there are.
    #[must_use]
    pub fn count(&self, card: Card) -> u8 {
        self.counts[card.index()]
    }

    /// How many of this kind there are, whatever their faces.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> u8 {
        let at = kind.index() * SLOTS;
        let word = [self.counts[at], self.counts[at + 1], self.counts[at + 2], self.counts[at + 3]];
        // The product's top byte is the sum of the four.
        u32::from_le_bytes(word).wrapping_mul(0x0101_0101).to_be_bytes()[0]
    }

    /// How many there are of every kind.
    #[must_use]
    pub fn by_kind(&self) -> KindCounts {
        let mut counts = [0; KINDS_MAX];
        for (count, word) in counts.iter_mut().zip(self.counts.as_chunks::<SLOTS>().0) {
            *count = u32::from_le_bytes(*word).wrapping_mul(0x0101_0101).to_be_bytes()[0];
        }
        counts
    }

    /// Puts one card in.
    pub fn insert(&mut self, card: Card) {
        self.counts[card.index()] += 1;
        self.len += 1;
    }

    /// Puts so many cards of one face in; no more of its kind than [`Cards`] may hold.
    pub fn insert_many(&mut self, card: Card, count: u8) {
        self.counts[card.index()] += count;
        self.len += u16::from(count);
    }

    /// Takes one card out, if there is one of that face.
    #[must_use]
    pub fn remove(&mut self, card: Card) -> bool {
        let count = &mut self.counts[card.index()];
        if *count == 0 {
            return false;
        }
        *count -= 1;
        self.len -= 1;
        true
    }

    /// Puts all the others in.
    pub fn add(&mut self, others: &Cards) {
        for (count, other) in self.counts.iter_mut().zip(others.counts) {
            *count += other;
        }
        self.len += others.len;
    }

    /// Takes all the others out, or none if not every one of them is here.
    #[must_use]
    pub fn subtract(&mut self, others: &Cards) -> bool {
        if !self.contains(others) {
            return false;
        }
        for (count, other) in self.counts.iter_mut().zip(others.counts) {
            *count -= other;
        }
        self.len -= others.len;
        true
    }

    /// Whether every one of the others is here.
    #[must_use]
    pub fn contains(&self, others: &Cards) -> bool {
        self.counts.iter().zip(others.counts).all(|(count, other)| *count >= other)
    }

    /// The lowest card of a kind that is here.
    #[must_use]
    pub fn lowest(&self, kind: Kind) -> Option<Card> {
        kind.cards().find(|card| self.count(*card) > 0)
    }

    /// Each face here with its number, in canonical order.
    pub fn faces(&self) -> impl Iterator<Item = (Card, u8)> + '_ {
        Card::all().map(|card| (card, self.count(card))).filter(|(_, count)| *count > 0)
    }

    /// Each card here, in canonical order, equal ones repeated.
    pub fn iter(&self) -> impl Iterator<Item = Card> + '_ {
        self.faces().flat_map(|(card, count)| std::iter::repeat_n(card, usize::from(count)))
    }
}

impl Default for Cards {
    fn default() -> Cards {
        Cards::EMPTY
    }
}

impl FromIterator<Card> for Cards {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Cards {
        let mut all = Cards::EMPTY;
        for card in cards {
            all.insert(card);
        }
        all
    }
}

impl Extend<Card> for Cards {
    fn extend<I: IntoIterator<Item = Card>>(&mut self, cards: I) {
        for card in cards {
            self.insert(card);
        }
    }
}

impl std::fmt::Debug for Cards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.faces().map(|(card, count)| (card.index(), count))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kings(n: usize) -> Cards {
        (0..n).map(|slot| Kind::KING.card(slot)).collect()
    }

    #[test]
    fn counts_by_kind_are_sums_over_faces() {
        let mut cards = kings(7);
        cards.insert(Kind::JOKER.card(0));
        assert_eq!(cards.of_kind(Kind::KING), 7);
        assert_eq!(cards.by_kind()[Kind::JOKER.index()], 1);
        assert_eq!(cards.len(), 8);
        assert_eq!(cards.lowest(Kind::KING), Some(Kind::KING.card(0)));
        assert_eq!(cards.lowest(Kind::ACE), None);
    }

    #[test]
    fn subtracting_what_is_not_there_changes_nothing() {
        let mut cards = kings(2);
        let before = cards.clone();
        assert!(!cards.subtract(&kings(3)));
        assert_eq!(cards, before);
        assert!(cards.subtract(&kings(2)));
        assert!(cards.is_empty());
        assert!(!cards.remove(Kind::KING.card(0)));
    }

    #[test]
    fn iteration_is_canonical_and_complete() {
        let cards = kings(6);
        let listed: Vec<Card> = cards.iter().collect();
        assert!(listed.is_sorted());
        assert_eq!(listed.into_iter().collect::<Cards>(), cards);
    }
}
