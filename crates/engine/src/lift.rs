//! Numbers lifted at a table of people, which the platform enters before the first act of a round.
//!
//! **Invariant:** no act of a seat; it changes what is paid at the end and nothing else.

use std::num::NonZero;

use handfoot_rules::ExactPickModel;
use handfoot_view::{Asked, Event, LIFTED_MAX, Phase, Seat, SeatTable, Step};

use crate::event::Events;
use crate::game::Game;

/// Why a number lifted is not taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LiftRefused {
    /// The rules do not ask for numbers.
    #[error("these rules take no numbers lifted")]
    NotEntered {
        /// How they settle who lifted exactly.
        model: ExactPickModel,
    },
    /// The table has no such seat.
    #[error("the table has no such seat")]
    NoSuchSeat {
        /// Seats that it has.
        seats: usize,
    },
    /// The round's first act was played.
    #[error("the numbers lifted are entered before the first act of a round")]
    TooLate {
        /// Turns begun in the round; the first is the only one early enough.
        turn: u16,
        /// What is to be done in it; only before the draw it is early enough.
        step: Step,
        /// Whether the seat whose turn it is has asked to go out: a question is an act.
        asked: Asked,
    },
    /// The seat's number is known.
    #[error("the number that this seat lifted is entered already")]
    Twice {
        /// The number.
        entered: NonZero<u16>,
    },
    /// More than anybody lifts.
    #[error("at most {allowed} cards are lifted")]
    TooMany {
        /// Cards allowed.
        allowed: u16,
    },
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

    /// Whether a number that a seat lifted can still be entered in this round. Rule: HF-1.7
    #[must_use]
    pub fn awaits_lifts(&self) -> bool {
        let is_unknown = |seat: &SeatTable| seat.lifted.is_none();
        self.rules().has_entered_lifts()
            && self.check_early().is_ok()
            && self.public().seats.iter().any(is_unknown)
    }

    fn judge_lift(&self, seat: Seat, cards: NonZero<u16>) -> Result<(), LiftRefused> {
        let rules = self.rules();
        if !rules.has_entered_lifts() {
            return Err(LiftRefused::NotEntered { model: rules.draft().exact_pick.model });
        }
        let seats = &self.public().seats;
        let found = seats.get(seat.index());
        let found = found.ok_or(LiftRefused::NoSuchSeat { seats: seats.len() })?;
        self.check_early()?;
        match found.lifted {
            Some(entered) => Err(LiftRefused::Twice { entered }),
            None if cards.get() > LIFTED_MAX => Err(LiftRefused::TooMany { allowed: LIFTED_MAX }),
            None => Ok(()),
        }
    }

    /// Refuses a number once the round's first act was played.
    fn check_early(&self) -> Result<(), LiftRefused> {
        let table = self.public();
        if table.is_before_first_act() {
            return Ok(());
        }
        let (step, asked) = match table.phase {
            Phase::Draw { asked, .. } => (Step::Draw, asked),
            Phase::Play { asked, .. } => (Step::Play, asked),
            Phase::AwaitAnswer { .. } => (Step::Answer, Asked::NotYet),
            Phase::AwaitUndo { asked, .. } => (Step::AnswerUndo, asked),
            Phase::RoundOver { .. } | Phase::GameOver { .. } => (Step::Over, Asked::NotYet),
        };
        Err(LiftRefused::TooLate { turn: table.turns, step, asked })
    }
}
