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
    /// Clean books.
    pub clean: u8,
    /// Dirty books.
    pub dirty: u8,
    /// Wild books.
    pub wild: u8,
}

impl BookCounts {
    /// Counts one more book.
    pub fn count(&mut self, kind: MeldKind) {
        match kind {
            MeldKind::Clean => self.clean += 1,
            MeldKind::Dirty => self.dirty += 1,
            MeldKind::Wild => self.wild += 1,
        }
    }

    /// Books of any kind.
    #[must_use]
    pub const fn total(self) -> u8 {
        self.clean + self.dirty + self.wild
    }

    /// What is still missing for the contract; all zero when it is met. Rule: HF-8.2
    #[must_use]
    pub const fn missing(self, need: Need) -> Need {
        Need {
            clean: need.clean.saturating_sub(self.clean),
            dirty: need.dirty.saturating_sub(self.dirty),
            wild: need.wild.saturating_sub(self.wild),
            sevens: need.sevens,
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
