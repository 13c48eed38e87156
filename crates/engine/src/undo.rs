//! Taking back lays, and asking the others whether one may.
//!
//! **Invariant:** what may be undone was judged; here it happens.

use handfoot_view::{Answer, Event, Phase, Seat, Undo};

use crate::event::Events;
use crate::state::State;

impl State {
    /// Undoes the newest lays, or asks the others. Rule: HF-2.6, HF-13.1
    pub(crate) fn undo(&mut self, seat: Seat, acts: u8, events: &mut Events) {
        let undone = Event::LaysUndone { seat, acts };
        let event = match (self.table.options.undo, self.table.others(seat).next()) {
            (Undo::ByConsent, Some(answering)) => Event::UndoAsked { seat, acts, answering },
            (Undo::ByConsent, None) | (Undo::Off | Undo::OwnTurn, _) => undone,
        };
        self.emit(event, events);
    }

    /// The first no settles it, the last yes undoes. Rule: HF-13.1
    pub(crate) fn answer_undo(&mut self, seat: Seat, answer: Answer, events: &mut Events) {
        let Phase::AwaitUndo { asker, acts, .. } = self.table.phase else { return };
        let next = match answer {
            Answer::Yes => self.table.others(asker).skip_while(|other| *other != seat).nth(1),
            Answer::No => None,
        };
        self.emit(Event::UndoAnswered { seat, answer, next }, events);
        if (answer, next) == (Answer::Yes, None) {
            self.emit(Event::LaysUndone { seat: asker, acts }, events);
        }
    }
}
