//! Places at the table and the teams they belong to.

use handfoot_rules::SEATS_MAX;

/// A place at the table. Its number, 1 to 12, is what people and the wire see; its index counts
/// from 0, clockwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this index, below [`SEATS_MAX`].
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Seat> {
        if index < SEATS_MAX {
            #[expect(clippy::cast_possible_truncation, reason = "index < 12")]
            Some(Seat(index as u8))
        } else {
            None
        }
    }

    /// The seat with this number, 1 to 12.
    #[must_use]
    pub const fn from_number(number: usize) -> Option<Seat> {
        match number.checked_sub(1) {
            Some(index) => Seat::from_index(index),
            None => None,
        }
    }

    /// Its place in lists, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// What people call it, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize + 1
    }

    /// The seats of a table, in order.
    #[must_use]
    pub fn all(seats: usize) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        #[expect(clippy::cast_possible_truncation, reason = "at most 12")]
        (0..seats.min(SEATS_MAX) as u8).map(Seat)
    }

    /// The next seat clockwise at a table of so many.
    #[must_use]
    pub const fn next(self, seats: usize) -> Seat {
        if self.index() + 1 < seats { Seat(self.0 + 1) } else { Seat(0) }
    }

    /// The team it belongs to at a table of so many teams. Rule: HF-1.1
    #[must_use]
    pub const fn team(self, teams: usize) -> Team {
        #[expect(clippy::cast_possible_truncation, reason = "below 12")]
        Team((self.index() % teams) as u8)
    }
}

impl std::fmt::Display for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// Seats that score together; a single seat where there are no partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Team(u8);

impl Team {
    /// The team with this number, 1 to 12.
    #[must_use]
    pub const fn from_number(number: usize) -> Option<Team> {
        match Seat::from_number(number) {
            Some(seat) => Some(Team(seat.0)),
            None => None,
        }
    }

    /// Its place in lists, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// What people call it, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize + 1
    }

    /// The teams of a table, in order.
    #[must_use]
    pub fn all(teams: usize) -> impl DoubleEndedIterator<Item = Team> + ExactSizeIterator {
        Seat::all(teams).map(|seat| Team(seat.0))
    }
}

impl std::fmt::Display for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.number())
    }
}
