//! Numbers lifted, which the platform enters before the first act of a round.
//!
//! **Invariant:** the engine judges; what is added here is whose table it is and which round is
//! meant.

use std::num::NonZero;
use std::sync::Arc;

use handfoot_engine::{Events, LiftRefused, Viewer};
use handfoot_protocol::v1;
use handfoot_store::{BodyHash, LeaseUse, RequestId, TableId, Tenant};
use handfoot_view::Seat;
use sha2::{Digest, Sha256};

use super::Tables;
use super::commit::{Asked, Change};
use super::once::{Carried, FirstAnswer, Verdict, short};
use crate::error::{Answer, ApiError};
use crate::table::{Stage, Table};

/// A number that is to be entered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lift {
    pub(crate) request_id: RequestId,
    /// A version at which the round was dealt.
    pub(crate) expected: u64,
    /// The seat's number, as it was sent.
    pub(crate) seat: u32,
    /// Cards, as they were sent.
    pub(crate) cards: NonZero<u32>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Entered {
    /// The table now.
    pub(crate) table: Arc<Table>,
    /// The commit as everybody may know it.
    pub(crate) commit: v1::Commit,
    pub(crate) verdict: Verdict,
}

impl Tables {
    /// Enters how many cards a seat lifted for its packets of this round.
    pub(crate) async fn enter_lift(
        &self,
        tenant: &Tenant,
        id: &TableId,
        lift: &Lift,
    ) -> Answer<Entered> {
        let table = self.reached(id, lift.expected).await?;
        let viewer = Viewer::Spectator;
        let asked = Asked { viewer, id: lift.request_id, body: lift.body() };
        let admit = |table: &Table| match table.fixed.tenant == *tenant {
            true => Ok(()),
            false => Err(ApiError::TableNotFound),
        };
        let decide = |table: &Table| lift.entered(table, asked);
        match self.carry_out(table, asked, LeaseUse::None, admit, decide).await? {
            Carried::Out { table, commit } => {
                Ok(Entered { table, commit, verdict: Verdict::Played })
            }
            Carried::Before { version, answer } => {
                let first = self.first_answer(id, viewer, version, answer).await?;
                let FirstAnswer { commit, table, now: _ } = first;
                Ok(Entered { table, commit, verdict: Verdict::Replayed })
            }
        }
    }
}

impl Lift {
    fn entered(&self, table: &Table, asked: Asked) -> Answer<Change> {
        let game = match (table.stage, &table.game) {
            (Stage::Playing, Some(game)) => game,
            (Stage::Waiting, _) | (Stage::Playing, None) => return Err(ApiError::TableNotStarted),
            (Stage::Finished | Stage::Cancelled, _) => return Err(ApiError::TableClosed),
        };
        table.check_reached(self.expected)?;
        let refused = |refused| self.refused(refused);
        let seat = usize::try_from(self.seat).ok().and_then(Seat::from_number);
        let no_such_seat = LiftRefused::NoSuchSeat { seats: table.seats.len() };
        let seat = seat.ok_or_else(|| refused(no_such_seat))?;
        // More than the engine counts is more than it allows.
        let cards = NonZero::<u16>::try_from(self.cards).unwrap_or(NonZero::<u16>::MAX);
        let (mut game, mut events) = (game.clone(), Events::new());
        game.enter_lift(seat, cards, &mut events).map_err(refused)?;
        // Only now: that it is too late says more than that the table has changed.
        table.check_fresh(self.expected)?;
        let next = Table { game: Some(game), ..table.clone_without_game() };
        let change = Change::of_table(next, v1::CommitCause::Lift);
        Ok(Change { seat: Some(seat), events, request: Some(asked), ..change })
    }

    fn refused(&self, refused: LiftRefused) -> ApiError {
        ApiError::LiftRefused { refused, seat: self.seat, cards: self.cards.get() }
    }

    /// What the request stands for.
    fn body(&self) -> BodyHash {
        let mut hash = Sha256::new();
        hash.update(b"handfoot/1 lift");
        hash.update(self.seat.to_be_bytes());
        hash.update(self.cards.get().to_be_bytes());
        short(hash)
    }
}
