//! Who calls, as the table service needs to know it.
//!
//! **Invariant:** whoever makes one of these has verified a credential. Table and seat of a play
//! request come from here and from nowhere else.

use std::time::Duration;

use handfoot_engine::Viewer;
use handfoot_store::{Lease, LeaseUse, TableId, Tenant, Token};
use handfoot_view::Seat;

use crate::table::number_of;

/// The holder of a token for one table.
#[derive(Clone, Debug)]
pub(crate) struct SeatCaller {
    /// Whose table it is.
    pub(crate) tenant: Tenant,
    /// The table.
    pub(crate) table: TableId,
    /// The seat; none is a spectator.
    pub(crate) seat: Option<Seat>,
    /// The generation of the token.
    pub(crate) generation: u32,
    /// The lease that the token belongs to, if it is a bot worker's.
    pub(crate) lease: Option<HeldLease>,
}

/// A worker's claim on one seat's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldLease {
    /// Which claim.
    pub(crate) token: Token,
    /// For how long an accepted submission renews it.
    pub(crate) length: Duration,
}

impl SeatCaller {
    /// As whom the caller sees the table.
    pub(crate) fn viewer(&self) -> Viewer {
        self.seat.map_or(Viewer::Spectator, Viewer::Seat)
    }

    /// The lease under which the caller acts.
    pub(crate) fn lease_use(&self) -> LeaseUse {
        match (self.seat, self.lease) {
            (Some(seat), Some(held)) => LeaseUse::Held {
                lease: Lease {
                    table: self.table.clone(),
                    seat: small_number_of(seat),
                    token: held.token,
                },
                length: held.length,
            },
            (Some(_) | None, None) | (None, Some(_)) => LeaseUse::None,
        }
    }
}

/// A seat's number as the store has it.
pub(crate) fn small_number_of(seat: Seat) -> u8 {
    u8::try_from(number_of(seat)).unwrap_or(0)
}
