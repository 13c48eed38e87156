//! Who sits where: as the platform says, or as an order says that was drawn with the table.
//!
//! **Invariant:** the order follows from the table's own secret: nobody can know it before, and
//! no player can have another drawn by asking again. A platform that fills the order with others
//! first can choose: it is trusted with its own tables.

use std::time::Duration;

use handfoot_protocol::{encode_options, v1};
use handfoot_view::Seat;
use sha2::{Digest, Sha256};

use super::{Fixed, Owner, Table};

/// Who says where somebody sits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SeatOrder {
    /// The platform.
    #[default]
    AsSeated,
    /// An order drawn with the table: a newcomer takes the first free seat in it.
    Drawn,
}

impl SeatOrder {
    pub(crate) fn of_message(number: i32) -> Option<SeatOrder> {
        match v1::SeatOrder::try_from(number).ok()? {
            v1::SeatOrder::Unspecified | v1::SeatOrder::AsSeated => Some(SeatOrder::AsSeated),
            v1::SeatOrder::Drawn => Some(SeatOrder::Drawn),
        }
    }

    const fn to_message(self) -> v1::SeatOrder {
        match self {
            SeatOrder::AsSeated => v1::SeatOrder::AsSeated,
            SeatOrder::Drawn => v1::SeatOrder::Drawn,
        }
    }
}

impl Fixed {
    /// What the owner chose beside the rules, as it is sent and stored.
    pub(crate) fn options_message(&self) -> v1::TableOptions {
        v1::TableOptions {
            bot_pace_ms: millis(self.bot_pace),
            lift_wait_ms: self.lift_wait.map(millis),
            seat_order: self.seat_order.to_message() as i32,
            ..encode_options(self.options)
        }
    }

    /// The table's seats in the order in which newcomers take them: each by a hash of the game's
    /// secret, so that every order is about equally likely.
    fn drawn_order(&self) -> Vec<Seat> {
        let place = |seat: &Seat| {
            let mut hash = Sha256::new();
            hash.update(b"handfoot/1 seat order");
            hash.update(self.secrets.game_seed);
            hash.update(self.id.as_str().as_bytes());
            hash.update(seat.number().to_be_bytes());
            <[u8; 32]>::from(hash.finalize())
        };
        let mut seats: Vec<Seat> = Seat::all(self.rules.seats()).collect();
        seats.sort_by_key(place);
        seats
    }
}

impl Table {
    /// The seat that a newcomer takes where the order is drawn; none if all are taken.
    pub(crate) fn next_drawn(&self) -> Option<Seat> {
        let is_free =
            |seat: &Seat| self.seat(*seat).is_some_and(|state| state.holder.owner == Owner::Nobody);
        self.fixed.drawn_order().into_iter().find(is_free)
    }
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
