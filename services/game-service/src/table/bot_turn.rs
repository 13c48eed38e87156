//! The decision that a bot owes: whose it is, where it waits for workers, and from when on.
//!
//! **Invariant:** it follows from the table alone. Queues do not change: workers of other replicas
//! look for the same ones.

use std::time::Duration;

use handfoot_store::Queue;
use handfoot_view::Seat;
use sha2::{Digest, Sha256};

use super::Table;
use crate::limits::LIFT_WAIT_USUAL;

/// A decision that a bot owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BotTurn {
    pub(crate) seat: Seat,
    /// Which workers it waits for.
    pub(crate) queue: Queue,
    pub(crate) takeable: Takeable,
}

/// From when on a worker may take a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takeable {
    /// At the table's pace.
    Paced,
    /// Not while numbers lifted may still come: the round's first act ends the time for them.
    AfterLifts,
}

/// Decisions of one level, by who may go on with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Those that are made as soon as a worker has time.
    Usual,
    /// First turns of rounds for which numbers lifted are entered. A lease ends where a seat's
    /// decision changes queues, so whoever ended the round before does not go on before they are.
    FirstTurns,
}

impl Line {
    pub(crate) const ALL: [Line; 2] = [Line::Usual, Line::FirstTurns];
}

impl Table {
    /// The decision that a bot seat owes.
    pub(crate) fn bot_turn(&self) -> Option<BotTurn> {
        let seat = self.to_act()?;
        let level = self.seat(seat)?.bot_level()?;
        let game = self.game.as_ref()?;
        let line = match self.rules().has_entered_lifts() && game.public().turns == 1 {
            true => Line::FirstTurns,
            false => Line::Usual,
        };
        let takeable = match game.awaits_lifts() {
            true => Takeable::AfterLifts,
            false => Takeable::Paced,
        };
        Some(BotTurn { seat, queue: queue_of(level, line), takeable })
    }

    /// How long a decision that is owed now is left alone.
    pub(crate) fn wait_before(&self, takeable: Takeable) -> Duration {
        let pace = self.fixed.bot_pace;
        match takeable {
            Takeable::Paced => pace,
            Takeable::AfterLifts => pace.max(self.fixed.lift_wait.unwrap_or(LIFT_WAIT_USUAL)),
        }
    }
}

/// The queue of a level. Two levels may share one, so whoever takes a turn looks at its level; the
/// two lines of a level never do.
pub(crate) fn queue_of(level: &str, line: Line) -> Queue {
    const OTHER_LINE: u16 = 1 << 15;
    let hash = Sha256::digest(level.as_bytes());
    let usual = u16::from_be_bytes([hash[0], hash[1]]);
    match line {
        Line::Usual => Queue(usual),
        Line::FirstTurns => Queue(usual ^ OTHER_LINE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_queues_that_do_not_change() {
        for line in Line::ALL {
            assert_eq!(queue_of("casual", line), queue_of("casual", line));
            assert_ne!(queue_of("casual", line), queue_of("random", line));
        }
        assert_ne!(queue_of("casual", Line::Usual), queue_of("casual", Line::FirstTurns));
    }
}
