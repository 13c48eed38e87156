//! What a meld or book is called, and how many of each kind a team has.
//!
//! **Invariant:** counts only; which melds are legal is decided elsewhere.

use crate::Need;

/// What a meld is made of. The same words serve for books. Rule: HF-4.10
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeldKind {
    /// No wild cards.
    Clean,
    /// Naturals and wild cards.
    Dirty,
    /// Wild cards only.
    Wild,
}

impl MeldKind {
    /// All kinds, in the order of score sheets.
    pub const ALL: [MeldKind; 3] = [MeldKind::Clean, MeldKind::Dirty, MeldKind::Wild];

    /// The kind of a meld with so many naturals and wild cards, at least one card in all.
    #[must_use]
    pub const fn of(naturals: u8, wilds: u8) -> MeldKind {
        match (naturals, wilds) {
            (0, _) => MeldKind::Wild,
            (_, 0) => MeldKind::Clean,
            (_, _) => MeldKind::Dirty,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MeldKind::Clean => "clean",
            MeldKind::Dirty => "dirty",
            MeldKind::Wild => "wild",
        }
    }
}

/// Numbers of books by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BookCounts {
    /// Clean books, those of special ranks included.
    pub clean: u8,
    /// Dirty books.
    pub dirty: u8,
    /// Wild books.
    pub wild: u8,
    /// Those of the clean ones that are of a special rank.
    pub sevens: u8,
}

/// Whether a rank has rules of its own. Rule: HF-4.14
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RankSort {
    /// It has none.
    Plain,
    /// It is listed in `special`: sevens.
    Special,
}

impl BookCounts {
    /// Counts one more book.
    pub fn count(&mut self, kind: MeldKind, rank: RankSort) {
        match (kind, rank) {
            (MeldKind::Clean, RankSort::Plain) => self.clean += 1,
            (MeldKind::Clean, RankSort::Special) => {
                self.clean += 1;
                self.sevens += 1;
            }
            (MeldKind::Dirty, _) => self.dirty += 1,
            (MeldKind::Wild, _) => self.wild += 1,
        }
    }

    /// Counts one book less: wild cards have made a clean one dirty. Rule: HF-4.12
    pub fn uncount(&mut self, kind: MeldKind, rank: RankSort) {
        let counts = match (kind, rank) {
            (MeldKind::Clean, RankSort::Plain) => [Some(&mut self.clean), None],
            (MeldKind::Clean, RankSort::Special) => [Some(&mut self.clean), Some(&mut self.sevens)],
            (MeldKind::Dirty, _) => [Some(&mut self.dirty), None],
            (MeldKind::Wild, _) => [Some(&mut self.wild), None],
        };
        for count in counts.into_iter().flatten() {
            *count = count.saturating_sub(1);
        }
    }

    /// Books of any kind.
    #[must_use]
    pub const fn total(self) -> u8 {
        self.clean + self.dirty + self.wild
    }

    /// What is still missing for the contract; all zero when it is met. Clean books of a special
    /// rank serve for `sevens` first, further ones are clean books as any. Rule: HF-8.2, HF-8.12
    #[must_use]
    pub const fn missing(self, need: Need) -> Need {
        let sevens = if self.sevens < need.sevens { self.sevens } else { need.sevens };
        Need {
            clean: need.clean.saturating_sub(self.clean - sevens),
            dirty: need.dirty.saturating_sub(self.dirty),
            wild: need.wild.saturating_sub(self.wild),
            sevens: need.sevens - sevens,
            total: need.total.saturating_sub(self.total()),
        }
    }
}

impl Need {
    /// Whether nothing is needed.
    #[must_use]
    pub const fn is_met(self) -> bool {
        self.clean == 0 && self.dirty == 0 && self.wild == 0 && self.sevens == 0 && self.total == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEED: Need = Need { clean: 1, dirty: 1, wild: 1, sevens: 1, total: 0 };

    fn books(clean: u8, sevens: u8) -> BookCounts {
        let mut books = BookCounts::default();
        (0..clean).for_each(|_| books.count(MeldKind::Clean, RankSort::Plain));
        (0..sevens).for_each(|_| books.count(MeldKind::Clean, RankSort::Special));
        books
    }

    /// Rule: HF-8.12
    #[test]
    fn sevens_serve_for_sevens_first_and_then_as_clean_books() {
        let missing = |clean, sevens| {
            let missing = books(clean, sevens).missing(NEED);
            (missing.clean, missing.sevens)
        };
        assert_eq!(missing(0, 0), (1, 1));
        assert_eq!(missing(0, 1), (1, 0));
        assert_eq!(missing(0, 2), (0, 0));
        assert_eq!(missing(1, 0), (0, 1));
        assert_eq!(missing(1, 1), (0, 0));
        assert_eq!(books(0, 1).missing(Need { clean: 1, sevens: 0, ..NEED }).clean, 0);
    }

    #[test]
    fn a_book_turned_dirty_is_counted_anew() {
        let mut books = books(1, 1);
        books.uncount(MeldKind::Clean, RankSort::Special);
        books.count(MeldKind::Dirty, RankSort::Special);
        assert_eq!((books.clean, books.sevens, books.dirty, books.total()), (1, 0, 1, 2));
    }
}
