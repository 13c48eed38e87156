//! Events, both ways.
//!
//! **Invariant:** an event is encoded as its viewer was given it; nothing is added or hidden here.

use std::num::NonZero;

use handfoot_view::{Answer, DrawCause, Event, LIFTED_MAX, Lay, Refill, Seat, ToFoot};

use crate::action::{answer, read_answer};
use crate::codec::{Codec, seat, seat_or_none};
use crate::decode::{At, DecodeError, pairs};
use crate::v1;
use v1::event::Event as Wire;

/// The most events of one commit.
const EVENTS_MAX: usize = 4096;

pairs! {
    draw_cause / read_draw_cause: DrawCause = DrawCause {
        DrawStep = DrawStep,
        Replacement = Replacement,
    }
    to_foot / read_to_foot: ToFoot = ToFoot {
        Ran = Ran,
        Walked = Walked,
        AtTurnEnd = AtTurnEnd,
    }
    refill / read_refill: Refill = RefillSource {
        Removed = Removed,
        Discards = Discards,
        Deck = Deck,
    }
}

fn undo_asked(of: Seat, acts: u8, answering: Seat) -> Wire {
    Wire::UndoAsked(v1::UndoAsked {
        seat: seat(of),
        acts: u32::from(acts),
        answering: seat(answering),
    })
}

fn undo_answered(of: Seat, said: Answer, next: Option<Seat>) -> Wire {
    let (answer, next) = (answer(said), seat_or_none(next));
    Wire::UndoAnswered(v1::UndoAnswered { seat: seat(of), answer, next })
}

fn go_out_answered(of: Seat, said: Answer, next: Option<Seat>) -> Wire {
    let (answer, next) = (answer(said), seat_or_none(next));
    Wire::Answered(v1::GoOutAnswered { seat: seat(of), answer, next })
}

impl Codec<'_> {
    /// An event as it is sent to the viewer for whom it was made.
    #[must_use]
    pub fn encode_event(&self, event: &Event) -> v1::Event {
        let concealed = |cards| Some(self.concealed(cards));
        let event = match event {
            Event::RoundBegan { round_index, dealer, upcard, buried, stock, commitment } => {
                Wire::RoundBegan(v1::RoundBegan {
                    round_index: u32::from(*round_index),
                    dealer: seat(*dealer),
                    upcard: upcard.map_or(v1::Card::Unspecified as i32, |card| self.card(card)),
                    buried: self.cards(buried),
                    stock: u32::from(*stock),
                    commitment: commitment.to_vec(),
                })
            }
            Event::HandDealt { seat: of, cards } => {
                Wire::HandDealt(v1::HandDealt { seat: seat(*of), cards: concealed(cards) })
            }
            Event::Lifted { seat: of, cards } => {
                Wire::Lifted(v1::Lifted { seat: seat(*of), cards: u32::from(cards.get()) })
            }
            Event::DiscardsRemoved { count } => {
                Wire::DiscardsRemoved(v1::DiscardsRemoved { count: u32::from(*count) })
            }
            Event::StockRefilled { from, count } => {
                let (source, count) = (refill(*from), u32::from(*count));
                Wire::StockRefilled(v1::StockRefilled { source, count })
            }
            Event::TurnBegan { seat: of } => Wire::TurnBegan(v1::TurnBegan { seat: seat(*of) }),
            Event::Drew { seat: of, cards, cause } => {
                let (cards, cause) = (concealed(cards), draw_cause(*cause));
                Wire::Drew(v1::CardsDrawn { seat: seat(*of), cards, cause })
            }
            Event::RedThreesLaid { seat: of, cards } => {
                Wire::RedThreesLaid(v1::RedThreesLaid { seat: seat(*of), cards: self.cards(cards) })
            }
            Event::DiscardsTaken { seat: of, lay } => {
                let lay = Some(self.lay(lay));
                Wire::DiscardsTaken(v1::DiscardsTaken { seat: seat(*of), lay })
            }
            Event::Laid { seat: of, lay } => Wire::Laid(self.cards_laid(*of, lay)),
            Event::LaysUndone { seat: of, acts } => {
                Wire::LaysUndone(v1::LaysUndone { seat: seat(*of), acts: u32::from(*acts) })
            }
            Event::LaidConcealed { seat: of, lay } => {
                let lay = lay.as_ref().map(|lay| self.lay(lay));
                Wire::LaidConcealed(v1::CardsLaidConcealed { seat: seat(*of), lay })
            }
            Event::LaysShown { seat: of, lays } => Wire::LaysShown(self.lays_shown(*of, lays)),
            Event::UndoAsked { seat, acts, answering } => undo_asked(*seat, *acts, *answering),
            Event::UndoAnswered { seat, answer, next } => undo_answered(*seat, *answer, *next),
            Event::FootTakenUp { seat: of, cards, how } => {
                let (cards, how) = (concealed(cards), to_foot(*how));
                Wire::FootTakenUp(v1::FootTakenUp { seat: seat(*of), cards, how })
            }
            Event::AskedToGoOut { seat: of, answering } => {
                let answering = seat(*answering);
                Wire::AskedToGoOut(v1::AskedToGoOut { seat: seat(*of), answering })
            }
            Event::Answered { seat, answer, next } => go_out_answered(*seat, *answer, *next),
            Event::Discarded { seat: of, card } => {
                Wire::Discarded(v1::CardDiscarded { seat: seat(*of), card: self.card(*card) })
            }
            Event::TurnPassed { seat: of } => Wire::TurnPassed(v1::TurnPassed { seat: seat(*of) }),
            Event::RoundEnded { result } => {
                Wire::RoundEnded(v1::RoundEnded { result: Some(self.encode_result(result)) })
            }
        };
        v1::Event { event: Some(event) }
    }

    /// A received event.
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`]; [`crate::DecodeProblem::Missing`] at the event itself if it is of
    /// a later contract: read the view again.
    pub fn decode_event(&self, event: &v1::Event) -> Result<Event, DecodeError> {
        self.read_event(event, At::Root)
    }

    /// The events of a commit.
    ///
    /// # Errors
    ///
    /// As [`Codec::decode_event`], with the field from the commit on.
    pub fn decode_events(&self, events: &[v1::Event]) -> Result<Vec<Event>, DecodeError> {
        let root = At::Root;
        let at = root.field("events");
        at.at_most(events.len(), EVENTS_MAX)?;
        let read = |(index, event): (usize, &v1::Event)| self.read_event(event, at.entry(index));
        events.iter().enumerate().map(read).collect()
    }

    fn read_event(self, event: &v1::Event, at: At<'_>) -> Result<Event, DecodeError> {
        match at.set(event.event.as_ref())? {
            Wire::RoundBegan(event) => self.read_round_began(event, at.field("round_began")),
            Wire::HandDealt(event) => self.read_hand_dealt(event, at.field("hand_dealt")),
            Wire::Lifted(event) => self.read_lifted(event, at.field("lifted")),
            Wire::DiscardsRemoved(event) => {
                let at = at.field("discards_removed");
                let count = self.read_count(event.count, at.field("count"))?;
                Ok(Event::DiscardsRemoved { count })
            }
            Wire::StockRefilled(event) => self.read_refilled(event, at.field("stock_refilled")),
            Wire::TurnBegan(event) => {
                let at = at.field("turn_began");
                Ok(Event::TurnBegan { seat: self.read_seat(event.seat, at.field("seat"))? })
            }
            Wire::Drew(event) => self.read_drew(event, at.field("drew")),
            Wire::RedThreesLaid(event) => self.read_red_threes(event, at.field("red_threes_laid")),
            Wire::DiscardsTaken(event) => {
                let at = at.field("discards_taken");
                let seat = self.read_seat(event.seat, at.field("seat"))?;
                let at = at.field("lay");
                Ok(Event::DiscardsTaken {
                    seat,
                    lay: self.read_lay(at.set(event.lay.as_ref())?, at)?,
                })
            }
            Wire::Laid(event) => {
                let at = at.field("laid");
                let seat = self.read_seat(event.seat, at.field("seat"))?;
                let at = at.field("lay");
                Ok(Event::Laid { seat, lay: self.read_lay(at.set(event.lay.as_ref())?, at)? })
            }
            Wire::LaysUndone(event) => {
                let at = at.field("lays_undone");
                let seat = self.read_seat(event.seat, at.field("seat"))?;
                Ok(Event::LaysUndone { seat, acts: at.field("acts").number(event.acts, u8::MAX)? })
            }
            Wire::LaidConcealed(event) => {
                self.read_laid_concealed(event, at.field("laid_concealed"))
            }
            Wire::LaysShown(event) => self.read_lays_shown(event, at.field("lays_shown")),
            Wire::UndoAsked(event) => self.read_undo_asked(event, at.field("undo_asked")),
            Wire::UndoAnswered(event) => self.read_undo_answered(event, at.field("undo_answered")),
            Wire::FootTakenUp(event) => self.read_foot(event, at.field("foot_taken_up")),
            Wire::AskedToGoOut(event) => self.read_asked(event, at.field("asked_to_go_out")),
            Wire::Answered(event) => self.read_answered(event, at.field("answered")),
            Wire::Discarded(event) => {
                let at = at.field("discarded");
                let seat = self.read_seat(event.seat, at.field("seat"))?;
                Ok(Event::Discarded { seat, card: self.read_card(event.card, at.field("card"))? })
            }
            Wire::TurnPassed(event) => {
                let at = at.field("turn_passed");
                Ok(Event::TurnPassed { seat: self.read_seat(event.seat, at.field("seat"))? })
            }
            Wire::RoundEnded(event) => {
                let at = at.field("round_ended");
                let at = at.field("result");
                let result = self.read_result(at.set(event.result.as_ref())?, at)?;
                Ok(Event::RoundEnded { result: Box::new(result) })
            }
        }
    }

    fn read_refilled(self, event: &v1::StockRefilled, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::StockRefilled {
            from: read_refill(event.source, at.field("source"))?,
            count: self.read_count(event.count, at.field("count"))?,
        })
    }

    fn read_undo_asked(self, event: &v1::UndoAsked, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::UndoAsked {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            acts: at.field("acts").number(event.acts, u8::MAX)?,
            answering: self.read_seat(event.answering, at.field("answering"))?,
        })
    }

    fn read_undo_answered(
        self,
        event: &v1::UndoAnswered,
        at: At<'_>,
    ) -> Result<Event, DecodeError> {
        Ok(Event::UndoAnswered {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            answer: read_answer(event.answer, at.field("answer"))?,
            next: self.read_seat_or_none(event.next, at.field("next"))?,
        })
    }

    fn read_lifted(self, event: &v1::Lifted, at: At<'_>) -> Result<Event, DecodeError> {
        let seat = self.read_seat(event.seat, at.field("seat"))?;
        let at = at.field("cards");
        let cards = NonZero::new(at.number_from(event.cards, 1, LIFTED_MAX)?);
        Ok(Event::Lifted { seat, cards: at.set(cards)? })
    }

    fn cards_laid(self, of: Seat, lay: &Lay) -> v1::CardsLaid {
        v1::CardsLaid { seat: seat(of), lay: Some(self.lay(lay)) }
    }

    fn lays_shown(self, of: Seat, lays: &[Lay]) -> v1::LaysShown {
        let lays = lays.iter().map(|lay| self.lay(lay)).collect();
        v1::LaysShown { seat: seat(of), lays }
    }

    fn read_laid_concealed(
        self,
        event: &v1::CardsLaidConcealed,
        at: At<'_>,
    ) -> Result<Event, DecodeError> {
        let lay = event.lay.as_ref().map(|lay| self.read_lay(lay, at.field("lay")));
        Ok(Event::LaidConcealed {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            lay: lay.transpose()?,
        })
    }

    fn read_lays_shown(self, event: &v1::LaysShown, at: At<'_>) -> Result<Event, DecodeError> {
        let at_lays = at.field("lays");
        at_lays.at_most(event.lays.len(), usize::from(u8::MAX))?;
        let lays = event.lays.iter().enumerate();
        let lays = lays.map(|(index, lay)| self.read_lay(lay, at_lays.entry(index)));
        Ok(Event::LaysShown {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            lays: lays.collect::<Result<_, _>>()?,
        })
    }

    fn read_hand_dealt(self, event: &v1::HandDealt, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::HandDealt {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            cards: self.read_concealed(event.cards.as_ref(), at.field("cards"))?,
        })
    }

    fn read_drew(self, event: &v1::CardsDrawn, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::Drew {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            cards: self.read_concealed(event.cards.as_ref(), at.field("cards"))?,
            cause: read_draw_cause(event.cause, at.field("cause"))?,
        })
    }

    fn read_foot(self, event: &v1::FootTakenUp, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::FootTakenUp {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            cards: self.read_concealed(event.cards.as_ref(), at.field("cards"))?,
            how: read_to_foot(event.how, at.field("how"))?,
        })
    }

    fn read_asked(self, event: &v1::AskedToGoOut, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::AskedToGoOut {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            answering: self.read_seat(event.answering, at.field("answering"))?,
        })
    }

    fn read_answered(self, event: &v1::GoOutAnswered, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::Answered {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            answer: read_answer(event.answer, at.field("answer"))?,
            next: self.read_seat_or_none(event.next, at.field("next"))?,
        })
    }

    fn read_round_began(self, event: &v1::RoundBegan, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::RoundBegan {
            round_index: at.field("round_index").number(event.round_index, u16::MAX)?,
            dealer: self.read_seat(event.dealer, at.field("dealer"))?,
            upcard: self.read_card_or_none(event.upcard, at.field("upcard"))?,
            buried: self.read_cards(&event.buried, at.field("buried"))?,
            stock: self.read_count(event.stock, at.field("stock"))?,
            commitment: at.field("commitment").bytes(&event.commitment)?,
        })
    }

    fn read_red_threes(self, event: &v1::RedThreesLaid, at: At<'_>) -> Result<Event, DecodeError> {
        Ok(Event::RedThreesLaid {
            seat: self.read_seat(event.seat, at.field("seat"))?,
            cards: self.read_red_three_cards(&event.cards, at.field("cards"))?,
        })
    }
}
