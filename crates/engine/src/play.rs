//! What an accepted action makes happen.
//!
//! The view crate has judged it; nothing here refuses. Consequences follow in the order that the
//! rules give: what was laid, the foot, red threes, the end of the turn or of the round.

use handfoot_cards::{Card, Cards};
use handfoot_rules::{
    FootAfterDiscard, FootAfterMeld, FromDiscards, HandRule, NoStock, StockShort, StockTrigger,
};
use handfoot_view::{
    Action, Answer, Concealed, DrawCause, Event, Lay, Phase, Rejection, RoundEnd, Seat, ToFoot,
    ViewRef, WayOut, is_laid_at_once, judge, list, way_out,
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

    /// Draws, or comes to what the rules say for want of cards. Rule: HF-2.3, HF-3.3, HF-9.2, HF-9.9
    fn draw(&mut self, seat: Seat, events: &mut Events) {
        let mut wanted = usize::from(self.table.round(&self.rules).draw);
        if self.stock_len() < wanted {
            match self.supply(wanted, events) {
                found if found == wanted => {}
                found if found > 0 && self.draws_rest() => wanted = found,
                _ => return self.cannot_draw(seat, events),
            }
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
                if self.supply(wanted, events) > 0 {
                    continue;
                }
                // A red three was drawn and nothing is left to replace it.
                match self.rules.draft().red_three.no_stock {
                    NoStock::Skip => break,
                    NoStock::EndInDrawStep | NoStock::EndAlways => {
                        return self.end_round(RoundEnd::StockRanOut(seat), events);
                    }
                }
            }
            let (cards, cause) = (Concealed::Faces(batch), DrawCause::DrawStep);
            self.emit(Event::Drew { seat, cards, cause }, events);
            if !red_threes.is_empty() {
                self.emit(Event::RedThreesLaid { seat, cards: red_threes }, events);
            }
        }
        self.pass_if_stuck(seat, events);
    }

    fn draws_rest(&self) -> bool {
        match self.rules.draft().stock_out.short {
            StockShort::DrawRest => true,
            StockShort::End => false,
        }
    }

    /// The stock has too few cards and there are none to give it. Rule: HF-9.2, HF-9.7
    fn cannot_draw(&mut self, seat: Seat, events: &mut Events) {
        if !self.rules.may_pass() {
            return self.end_round(RoundEnd::StockRanOut(seat), events);
        }
        self.emit(Event::TurnPassed { seat }, events);
        match usize::from(self.table.passes) < self.rules.seats() {
            true => self.end_turn(seat, events),
            false => self.end_round(RoundEnd::StockRanOut(seat), events),
        }
    }

    /// Takes the discard pile, red threes among the cards included. Rule: HF-3.5, HF-7.3
    fn take(&mut self, seat: Seat, lay: &Lay, events: &mut Events) {
        let books = self.books_before(seat);
        self.emit(Event::DiscardsTaken { seat, lay: lay.clone() }, events);
        let replaced = match self.rules.draft().red_three.from_discards {
            FromDiscards::Replaced => Replaced::Yes,
            FromDiscards::NotReplaced => Replaced::No,
        };
        self.lay_red_threes(seat, replaced, events);
        self.after_lay(seat, books, events);
    }

    fn lay(&mut self, seat: Seat, lay: &Lay, events: &mut Events) {
        let books = self.books_before(seat);
        let laid = self.laid(seat, lay);
        self.emit(laid, events);
        self.after_lay(seat, books, events);
    }

    /// The team's books, where a seat waits for its first one. Rule: HF-7.7
    fn books_before(&self, seat: Seat) -> Option<u8> {
        match self.rules.hand_rule() {
            HandRule::Free | HandRule::EmptyByLayOnly => None,
            HandRule::KeepUntilFirstBook if self.table.in_foot(seat, &self.rules) => None,
            HandRule::KeepUntilFirstBook => Some(self.books(seat)),
        }
    }

    fn books(&self, seat: Seat) -> u8 {
        self.table.teams[self.table.team_of(seat).index()].books(&self.rules).total()
    }

    /// An empty hand, or the first book, takes up the foot; an empty foot goes out.
    /// Rule: HF-7.1, HF-7.5, HF-7.7, HF-9.1
    fn after_lay(&mut self, seat: Seat, books_before: Option<u8>, events: &mut Events) {
        if self.is_round_over() {
            return;
        }
        if let Some(before) = books_before {
            if self.books(seat) > before {
                self.take_up_foot(seat, ToFoot::Ran, events);
                self.settle_hand(seat, events);
            }
            return self.pass_if_stuck(seat, events);
        }
        if !self.hidden.own[seat.index()].is_empty() {
            return;
        }
        if self.table.in_foot(seat, &self.rules) {
            return self.end_round(RoundEnd::WentOut(seat), events);
        }
        match self.rules.draft().foot.after_meld {
            FootAfterMeld::Continue => {
                self.settle_hand(seat, events);
                self.pass_if_stuck(seat, events);
            }
            FootAfterMeld::EndTurn => {
                self.take_up_foot(seat, ToFoot::AtTurnEnd, events);
                self.emit(Event::TurnPassed { seat }, events);
                self.end_turn(seat, events);
            }
        }
    }

    fn discard(&mut self, seat: Seat, card: Card, events: &mut Events) {
        self.emit(Event::Discarded { seat, card }, events);
        let is_empty = self.hidden.own[seat.index()].is_empty();
        if is_empty && self.table.in_foot(seat, &self.rules) {
            return self.end_round(RoundEnd::WentOut(seat), events);
        }
        self.remove_under_wild(events);
        if is_empty && self.rules.hand_rule() == HandRule::Free {
            match self.rules.draft().foot.after_discard {
                FootAfterDiscard::EndOfTurn => {
                    self.take_up_foot(seat, ToFoot::AtTurnEnd, events);
                }
                FootAfterDiscard::StartOfNextTurn | FootAfterDiscard::NotAllowed => {}
            }
        }
        self.end_turn(seat, events);
    }

    /// Begins the next turn, unless the stock has run out where that ends the round. Rule: HF-9.3
    fn end_turn(&mut self, seat: Seat, events: &mut Events) {
        let ends_when_empty = match self.rules.draft().stock_out.trigger {
            StockTrigger::Empty => !self.rules.may_pass(),
            StockTrigger::CannotDraw => false,
        };
        if ends_when_empty && self.stock_len() == 0 && !self.refill(events) {
            return self.end_round(RoundEnd::StockRanOut(seat), events);
        }
        self.begin_turn(seat.next(self.rules.seats()), events);
    }

    /// Ends a turn that no legal act can end. Rule: HF-8.10
    fn pass_if_stuck(&mut self, seat: Seat, events: &mut Events) {
        let own = &self.hidden.own[seat.index()];
        if own.len() > 1 || self.is_round_over() || can_go_on(self.view(seat)) {
            return;
        }
        self.emit(Event::TurnPassed { seat }, events);
        self.end_turn(seat, events);
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

/// Whether a seat that has drawn has a legal act. Rule: HF-8.10
pub(crate) fn can_go_on(view: ViewRef<'_>) -> bool {
    let mut cards = view.own.faces();
    let may_discard = cards.any(|(card, _)| judge(view, &Action::Discard(card)).is_ok());
    may_discard || way_out(view).is_some() || can_lay(view)
}

/// Whether a hand that must not be emptied by the discard can be by a lay. Rule: HF-7.6, HF-7.7
fn can_lay(view: ViewRef<'_>) -> bool {
    if view.rules.hand_rule() == HandRule::Free || view.table.in_foot(view.seat, view.rules) {
        return false;
    }
    let mut actions = Vec::new();
    list(view, &mut actions);
    !actions.is_empty()
}
