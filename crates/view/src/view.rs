//! What one seat can know: the public table and its own cards, nothing else.

use handfoot_cards::Cards;
use handfoot_rules::{OpeningStep, Rules};

use crate::{Concealed, Event, PublicTable, RoundResult, Seat, Team};

/// A seat's view, borrowed: nothing is copied. Legality, menus and policies are functions of it.
///
/// # Visibility
///
/// The seat. The table in it is for all, the own cards for the seat alone.
#[derive(Clone, Copy, Debug)]
pub struct ViewRef<'a> {
    /// Who looks.
    pub seat: Seat,
    /// What that seat holds now, whichever packet it came from.
    pub own: &'a Cards,
    /// What everybody sees.
    pub table: &'a PublicTable,
    /// The rules of the table.
    pub rules: &'a Rules,
}

impl ViewRef<'_> {
    /// The seat's team.
    #[must_use]
    pub fn team(&self) -> Team {
        self.table.team_of(self.seat)
    }

    /// What the team must reach with its opening, in card points; 0 if it needs a book.
    /// Rule: HF-6.1, HF-6.3
    #[must_use]
    pub fn opening_minimum(&self) -> i32 {
        self.table.opening_minimum(self.seat, self.rules)
    }

    /// Whether the seat plays from its last packet. Rule: HF-8.11
    #[must_use]
    pub fn in_foot(&self) -> bool {
        self.table.in_foot(self.seat, self.rules)
    }

    /// What the team's first lay-down of the round must be. Rule: HF-6.1
    #[must_use]
    pub fn opening(&self) -> OpeningStep {
        let total = self.table.teams[self.team().index()].total;
        self.rules.opening_step(usize::from(self.table.round_index), total)
    }

    /// Whether the team has made its first lay-down of the round. Rule: HF-6.1
    #[must_use]
    pub fn has_opened(&self) -> bool {
        self.table.teams[self.team().index()].has_opened()
    }
}

/// A view that owns its parts: what a client decodes and keeps up to date by events.
///
/// It is plain data. Only the engine labels one as true of a game.
///
/// # Visibility
///
/// Its seat; a spectator's has no seat and no cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableView {
    /// Who looks; none is a spectator.
    pub seat: Option<Seat>,
    /// What that seat holds now.
    pub own: Cards,
    /// What everybody sees.
    pub table: PublicTable,
    /// Finished rounds, in order.
    pub history: Vec<RoundResult>,
}

impl TableView {
    /// Lends the view to [`crate::judge`], menus and policies; none for a spectator.
    #[must_use]
    pub fn lend<'a>(&'a self, rules: &'a Rules) -> Option<ViewRef<'a>> {
        self.seat.map(|seat| ViewRef { seat, own: &self.own, table: &self.table, rules })
    }

    /// Follows an event sent to this viewer, so that the view equals the server's. Whoever does not
    /// trust the sender asks [`TableView::fits`] first.
    ///
    /// # Panics
    ///
    /// Only if the event does not fit.
    pub fn apply(&mut self, event: &Event, rules: &Rules) {
        self.follow_own(event, rules);
        self.table.apply(event, rules);
        if let Event::RoundEnded { result } = event {
            self.history.push(RoundResult::clone(result));
        }
    }

    fn follow_own(&mut self, event: &Event, rules: &Rules) {
        let Some(viewer) = self.seat else { return };
        follow_own(&mut self.own, viewer, &self.table, event, rules);
    }
}

/// Follows an event with a seat's own cards; `table` is as it was before the event.
pub fn follow_own(
    own: &mut Cards,
    viewer: Seat,
    table: &PublicTable,
    event: &Event,
    rules: &Rules,
) {
    match event {
        Event::RoundBegan { .. } => *own = Cards::EMPTY,
        Event::HandDealt { seat, cards }
        | Event::Drew { seat, cards, .. }
        | Event::FootTakenUp { seat, cards, .. } => {
            if let (true, Concealed::Faces(cards)) = (*seat == viewer, cards) {
                own.add(cards);
            }
        }
        Event::RedThreesLaid { seat, cards } if *seat == viewer => {
            let _ = own.subtract(cards);
        }
        Event::DiscardsTaken { seat, lay } if *seat == viewer => {
            let first = table.discards.len() - table.take_count(rules);
            own.extend(table.discards[first..].iter().copied());
            for card in lay.cards() {
                let _ = own.remove(*card);
            }
        }
        Event::Laid { seat, lay } | Event::LaidConcealed { seat, lay: Some(lay) }
            if *seat == viewer =>
        {
            for card in lay.cards() {
                let _ = own.remove(*card);
            }
        }
        Event::LaysUndone { seat, acts } if *seat == viewer => {
            own.extend(table.laid_in_last(*acts).map(|laid| laid.card));
        }
        Event::Discarded { seat, card } if *seat == viewer => {
            let _ = own.remove(*card);
        }
        Event::RedThreesLaid { .. }
        | Event::DiscardsTaken { .. }
        | Event::Laid { .. }
        | Event::LaidConcealed { .. }
        | Event::LaysShown { .. }
        | Event::LaysUndone { .. }
        | Event::UndoAsked { .. }
        | Event::UndoAnswered { .. }
        | Event::Discarded { .. }
        | Event::Lifted { .. }
        | Event::DiscardsRemoved { .. }
        | Event::StockRefilled { .. }
        | Event::TurnBegan { .. }
        | Event::AskedToGoOut { .. }
        | Event::Answered { .. }
        | Event::TurnPassed { .. }
        | Event::RoundEnded { .. } => {}
    }
}
