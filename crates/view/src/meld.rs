//! Melds and books on the table.

use handfoot_cards::{Card, Cards, Kind, Pack, Role, SLOTS};
use handfoot_rules::{BookCounts, MeldKind, RankSort, Rules};

/// What a meld collects: one natural kind, or wild cards. "Wild" counts as a rank. Rule: HF-4.6
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeldRank {
    /// Naturals of this kind, with wild cards as far as the limit goes.
    Natural(Kind),
    /// Wild cards only.
    Wild,
}

/// A meld's place among its team's, in the order in which they were started, from 0. It does not
/// change while the meld is on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeldId(u8);

impl MeldId {
    /// The meld with this index.
    #[must_use]
    pub fn from_index(index: usize) -> Option<MeldId> {
        u8::try_from(index).ok().map(MeldId)
    }

    /// The meld with this number, from 1.
    #[must_use]
    pub fn from_number(number: usize) -> Option<MeldId> {
        MeldId::from_index(number.checked_sub(1)?)
    }

    /// Its place in the team's list, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// What people call it, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize + 1
    }
}

/// What the rules see of a meld: its rank and how many cards of which sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeldShape {
    /// What it collects.
    pub rank: MeldRank,
    /// Natural cards.
    pub naturals: u8,
    /// Wild cards.
    pub wilds: u8,
    /// Whether a red three lies on it.
    pub cap: Cap,
}

/// Whether a red three lies on a book, of which it is no card. Rule: HF-3.8
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cap {
    /// None does.
    Bare,
    /// One does: no further one, and no wild card, may join.
    Capped,
}

impl MeldShape {
    /// A meld that holds nothing yet.
    #[must_use]
    pub const fn empty(rank: MeldRank) -> MeldShape {
        MeldShape { rank, naturals: 0, wilds: 0, cap: Cap::Bare }
    }

    /// All its cards.
    #[must_use]
    pub const fn size(self) -> u8 {
        self.naturals.saturating_add(self.wilds)
    }

    /// What it is made of.
    #[must_use]
    pub const fn kind(self) -> MeldKind {
        MeldKind::of(self.naturals, self.wilds)
    }

    /// Whether it is complete. Rule: HF-4.5
    #[must_use]
    pub fn is_book(self, rules: &Rules) -> bool {
        self.size() >= rules.draft().book_size
    }

    /// What it pays as a book, its cards apart; nothing while it is none. Rule: HF-10.2, HF-10.9
    #[must_use]
    pub fn book_bonus(self, rules: &Rules) -> i32 {
        let rank = match self.rank {
            MeldRank::Natural(kind) => Some(kind),
            MeldRank::Wild => None,
        };
        match self.is_book(rules) {
            true => rules.book_bonus(rank, self.kind()),
            false => 0,
        }
    }

    /// The most wild cards beside its naturals, its size apart. Black threes take none.
    /// Rule: HF-4.2, HF-4.13
    #[must_use]
    pub fn wilds_max(self, rules: &Rules) -> u8 {
        match self.rank {
            MeldRank::Wild => u8::MAX,
            MeldRank::Natural(kind) if rules.role(kind) == Role::BlackThree => 0,
            MeldRank::Natural(_) => rules.wilds_max(self.naturals),
        }
    }

    /// Whether its rank has rules of its own. Rule: HF-4.14
    #[must_use]
    pub fn sort(self, rules: &Rules) -> RankSort {
        match self.rank {
            MeldRank::Natural(kind) => rules.sort(kind),
            MeldRank::Wild => RankSort::Plain,
        }
    }

    /// Whether it is a complete book without wild cards.
    #[must_use]
    pub fn is_clean_book(self, rules: &Rules) -> bool {
        self.is_book(rules) && self.kind() == MeldKind::Clean
    }

    /// Adds it to the books, if it is one.
    pub(crate) fn count_in(self, books: &mut BookCounts, rules: &Rules) {
        if self.is_book(rules) {
            books.count(self.kind(), self.sort(rules));
        }
    }
}

/// A meld or book on the table, with the cards as printed.
///
/// # Visibility
///
/// All.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Meld {
    /// The counts below by sort, kept because every decision asks for them.
    shape: MeldShape,
    /// By slot of the rank's kind; all zero in a wild meld.
    naturals: [u8; SLOTS],
    /// By place among the pack's wild faces.
    wilds: [u8; Pack::WILD_FACES_MAX],
}

impl Meld {
    /// A meld that holds nothing yet.
    #[must_use]
    pub const fn new(rank: MeldRank) -> Meld {
        Meld {
            shape: MeldShape::empty(rank),
            naturals: [0; SLOTS],
            wilds: [0; Pack::WILD_FACES_MAX],
        }
    }

    /// What it collects.
    #[must_use]
    pub const fn rank(&self) -> MeldRank {
        self.shape.rank
    }

    /// What the rules see of it.
    #[must_use]
    pub const fn shape(&self) -> MeldShape {
        self.shape
    }

    /// Whether there is no card in it, and none on it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape == MeldShape::empty(self.shape.rank)
    }

    /// Puts a card in. Whether it fits is for [`crate::judge`] to say.
    pub fn insert(&mut self, card: Card, rules: &Rules) {
        let (count, total) = self.counters(card, rules);
        *count = count.saturating_add(1);
        *total = total.saturating_add(1);
    }

    /// Takes a card out that was put in. Only undo does: melded cards stay. Rule: HF-4.8
    pub fn remove(&mut self, card: Card, rules: &Rules) {
        let (count, total) = self.counters(card, rules);
        *count -= 1;
        *total -= 1;
    }

    /// Says whether a red three lies on it. Rule: HF-3.8
    pub fn set_cap(&mut self, cap: Cap) {
        self.shape.cap = cap;
    }

    /// The count of a card's face and that of its sort.
    fn counters(&mut self, card: Card, rules: &Rules) -> (&mut u8, &mut u8) {
        match rules.role(card.kind()) {
            Role::Wild => (&mut self.wilds[rules.pack().place(card)], &mut self.shape.wilds),
            Role::Natural | Role::RedThree | Role::BlackThree => {
                (&mut self.naturals[card.slot()], &mut self.shape.naturals)
            }
        }
    }

    /// The cards as printed.
    #[must_use]
    pub fn cards(&self, rules: &Rules) -> Cards {
        let naturals = match self.shape.rank {
            MeldRank::Natural(kind) => Some(kind.cards().zip(self.naturals)),
            MeldRank::Wild => None,
        };
        let wilds = rules.pack().wild_faces().iter().copied().zip(self.wilds);
        naturals
            .into_iter()
            .flatten()
            .chain(wilds)
            .flat_map(|(card, count)| std::iter::repeat_n(card, usize::from(count)))
            .collect()
    }

    /// Its card points, bonuses apart. Rule: HF-10.1
    #[must_use]
    pub fn points(&self, rules: &Rules) -> i32 {
        let naturals = match self.shape.rank {
            MeldRank::Natural(kind) => i32::from(self.shape.naturals) * rules.melded_value(kind),
            MeldRank::Wild => 0,
        };
        let wilds = rules.pack().wild_faces().iter().zip(self.wilds);
        naturals
            + wilds.map(|(card, count)| i32::from(count) * rules.value(card.kind())).sum::<i32>()
    }
}
