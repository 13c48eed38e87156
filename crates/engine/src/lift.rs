//! Numbers lifted at a table of people, which the platform enters before the first act of a round.
//!
//! **Invariant:** no act of a seat; it changes what is paid at the end and nothing else.

use std::num::NonZero;

use handfoot_rules::ExactPickModel;
use handfoot_view::{Event, LIFTED_MAX, Phase, Seat};

use crate::event::Events;
use crate::game::Game;

/// Why a number lifted is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiftRefused {
    /// The rules do not ask for numbers.
    #[error("these rules take no numbers lifted")]
    NotEntered,
    /// The table has no such seat.
    #[error("the table has no such seat")]
    NoSuchSeat,
    /// The round's first act was played.
    #[error("the numbers lifted are entered before the first act of a round")]
    TooLate,
    /// The seat's number is known.
    #[error("the number that this seat lifted is entered already")]
    Twice,
    /// More than anybody lifts.
    #[error("at most {LIFTED_MAX} cards are lifted")]
    TooMany,
}

impl Game {
    /// Enters how many cards a seat lifted for its packets of this round. Exactly as many as they
    /// hold are paid for when the round ends. Rule: HF-1.7
    ///
    /// # Errors
    ///
    /// [`LiftRefused`]; nothing has then changed.
    pub fn enter_lift(
        &mut self,
        seat: Seat,
        cards: NonZero<u16>,
        events: &mut Events,
    ) -> Result<(), LiftRefused> {
        self.judge_lift(seat, cards)?;
        self.state.emit(Event::Lifted { seat, cards }, events);
        if let Some(round) = self.log.last_mut() {
            round.lifts.push((seat, cards));
        }
        Ok(())
    }

    fn judge_lift(&self, seat: Seat, cards: NonZero<u16>) -> Result<(), LiftRefused> {
        match self.rules().draft().exact_pick.model {
            ExactPickModel::Entered => {}
            ExactPickModel::Off | ExactPickModel::Chance(_) => return Err(LiftRefused::NotEntered),
        }
        let table = self.public();
        let public = table.seats.get(seat.index()).ok_or(LiftRefused::NoSuchSeat)?;
        let is_early = match table.phase {
            Phase::Draw { .. } => table.turns == 1,
            Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => false,
        };
        match (is_early, public.lifted) {
            (false, _) => Err(LiftRefused::TooLate),
            (true, Some(_)) => Err(LiftRefused::Twice),
            (true, None) if cards.get() > LIFTED_MAX => Err(LiftRefused::TooMany),
            (true, None) => Ok(()),
        }
    }
}
