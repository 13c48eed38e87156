//! What an accepted action makes happen.
//!
//! The view crate has judged it; nothing here refuses. Consequences follow in the order that the
//! rules give: what was laid, the foot, red threes, the end of the turn or of the round.

use handfoot_cards::{Card, Cards};
use handfoot_view::{
    Action, Answer, Concealed, DrawCause, Event, Lay, Phase, Rejection, RoundEnd, Seat, WayOut,
    is_laid_at_once, judge, way_out,
};

use crate::event::Events;
use crate::state::{Replaced, State};

impl State {
    /// Judges an action and, if it is legal, makes it happen. A refused action changes nothing.
    pub(crate) fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Events,
    ) -> Result<(), Rejection> {
        judge(self.view(seat), action)?;
        self.enact(seat, action, events);
        Ok(())
    }

    fn enact(&mut self, seat: Seat, action: &Action, events: &mut Events) {
        match action {
            Action::Draw => self.draw(seat, events),
            Action::TakeDiscards(lay) => self.take(seat, lay, events),
            Action::Lay(lay) => self.lay(seat, lay, events),
            Action::Discard(card) => self.discard(seat, *card, events),
            Action::AskToGoOut(way) => {
                let Some(answering) = self.table.partners(seat).next() else { return };
                self.way_out = Some(way.clone());
                self.emit(Event::AskedToGoOut { seat, answering }, events);
            }
            Action::AnswerGoOut(answer) => self.answer(seat, *answer, events),
            Action::UndoLays(acts) => self.undo(seat, *acts, events),
            Action::AnswerUndo(answer) => self.answer_undo(seat, *answer, events),
        }
    }

    /// Draws, or ends the round for want of cards. Rule: HF-2.3, HF-3.3, HF-9.2
    fn draw(&mut self, seat: Seat, events: &mut Events) {
        let mut wanted = usize::from(self.table.round(&self.rules).draw);
        if self.stock_len() < wanted {
            return self.end_round(RoundEnd::StockRanOut(seat), events);
        }
        while wanted > 0 {
            let mut batch = Cards::EMPTY;
            let mut red_threes = Cards::EMPTY;
            while wanted > 0 && red_threes.is_empty() {
                let Some(card) = self.pop_stock() else { break };
                batch.insert(card);
                match is_laid_at_once(card, &self.rules) {
                    true => red_threes.insert(card),
                    false => wanted -= 1,
                }
            }
            if batch.is_empty() {
                // A red three was drawn and nothing is left to replace it.
                return self.end_round(RoundEnd::StockRanOut(seat), events);
            }
            let (cards, cause) = (Concealed::Faces(batch), DrawCause::DrawStep);
            self.emit(Event::Drew { seat, cards, cause }, events);
            if !red_threes.is_empty() {
                self.emit(Event::RedThreesLaid { seat, cards: red_threes }, events);
            }
        }
        self.pass_if_stuck(seat, events);
    }

    /// Takes the discard pile. Red threes among the cards are not replaced. Rule: HF-3.5, HF-7.3
    fn take(&mut self, seat: Seat, lay: &Lay, events: &mut Events) {
        self.emit(Event::DiscardsTaken { seat, lay: lay.clone() }, events);
        self.lay_red_threes(seat, Replaced::No, events);
        self.after_lay(seat, events);
    }

    fn lay(&mut self, seat: Seat, lay: &Lay, events: &mut Events) {
        let laid = self.laid(seat, lay);
        self.emit(laid, events);
        self.after_lay(seat, events);
    }

    /// An empty hand takes up the foot, an empty foot goes out. Rule: HF-7.1, HF-9.1
    fn after_lay(&mut self, seat: Seat, events: &mut Events) {
        if !self.hidden.own[seat.index()].is_empty() {
            return;
        }
        if self.table.in_foot(seat, &self.rules) {
            return self.end_round(RoundEnd::WentOut(seat), events);
        }
        self.settle_hand(seat, events);
        self.pass_if_stuck(seat, events);
    }

    fn discard(&mut self, seat: Seat, card: Card, events: &mut Events) {
        self.emit(Event::Discarded { seat, card }, events);
        let is_empty = self.hidden.own[seat.index()].is_empty();
        if is_empty && self.table.in_foot(seat, &self.rules) {
            return self.end_round(RoundEnd::WentOut(seat), events);
        }
        self.begin_turn(seat.next(self.rules.seats()), events);
    }

    /// Ends a turn that no legal act can end. Rule: HF-8.10
    fn pass_if_stuck(&mut self, seat: Seat, events: &mut Events) {
        let own = &self.hidden.own[seat.index()];
        let may_discard =
            own.faces().any(|(card, _)| judge(self.view(seat), &Action::Discard(card)).is_ok());
        if own.len() > 1 || may_discard || way_out(self.view(seat)).is_some() {
            return;
        }
        self.emit(Event::TurnPassed { seat }, events);
        self.begin_turn(seat.next(self.rules.seats()), events);
    }

    /// The first no settles it; the last yes plays the way out. Rule: HF-8.4, HF-8.5
    fn answer(&mut self, seat: Seat, answer: Answer, events: &mut Events) {
        let Phase::AwaitAnswer { asker, .. } = self.table.phase else { return };
        let next = match answer {
            Answer::Yes => self.table.partners(asker).skip_while(|other| *other != seat).nth(1),
            Answer::No => None,
        };
        self.emit(Event::Answered { seat, answer, next }, events);
        match (answer, next) {
            (Answer::Yes, Some(_)) => {}
            (Answer::No, _) => self.way_out = None,
            (Answer::Yes, None) => match self.way_out.take() {
                Some(way) => self.go_out(asker, &way, events),
                None => self.go_out_somehow(asker, events),
            },
        }
    }

    /// In a sampled world the way out that was asked for is not known: any there is will do, and
    /// with none in these cards the turn goes on.
    fn go_out_somehow(&mut self, seat: Seat, events: &mut Events) {
        while let Some(action) = way_out(self.view(seat)) {
            self.enact(seat, &action, events);
        }
    }

    /// Plays a way out that was judged when it was asked for. Rule: HF-8.5, HF-8.6
    fn go_out(&mut self, seat: Seat, way: &WayOut, events: &mut Events) {
        if let Some(lay) = &way.take {
            self.take(seat, lay, events);
        }
        if let Some(lay) = &way.lay {
            self.lay(seat, lay, events);
        }
        if let Some(card) = way.discard {
            self.discard(seat, card, events);
        }
    }
}
