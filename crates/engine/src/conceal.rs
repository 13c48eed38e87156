//! Lays that others do not see before what makes undo impossible, whether the table undoes or not.
//!
//! Beside the table itself the state keeps the table as others see it. It follows the events as
//! others are sent them, so that what they fold is what they are shown, by construction.
//!
//! **Invariant:** where lays are open there is one table, which all see, and lays are told as they
//! are.

use handfoot_rules::Rules;
use handfoot_view::{Event, Lay, Lays, PublicTable, Seat};

use crate::event::{Events, Viewer, project};
use crate::state::State;

/// The table as others see it, where lays are concealed. Rule: HF-13.3
pub(crate) fn concealing(table: &PublicTable, rules: &Rules) -> Option<Box<PublicTable>> {
    table.without_concealed(rules).map(Box::new)
}

impl State {
    /// What everybody sees.
    pub(crate) fn public(&self) -> &PublicTable {
        self.shown.as_deref().unwrap_or(&self.table)
    }

    /// The table as a seat sees it. Rule: HF-13.3
    pub(crate) fn table_of(&self, seat: Seat) -> &PublicTable {
        match &self.shown {
            Some(shown) if self.table.turn() != Some(seat) => shown,
            Some(_) | None => &self.table,
        }
    }

    /// The event of a lay, as the table tells it.
    pub(crate) fn laid(&self, seat: Seat, lay: &Lay) -> Event {
        let lay = lay.clone();
        match self.table.options.lays {
            Lays::Open => Event::Laid { seat, lay },
            Lays::Concealed => Event::LaidConcealed { seat, lay: Some(lay) },
        }
    }

    /// Makes an event happen, and first shows what was concealed if it cannot be undone after it.
    /// Rule: HF-13.4
    pub(crate) fn emit_concealing(&mut self, event: Event, events: &mut Events) {
        if !self.table.laid.is_empty()
            && commits(&event)
            && let (Some(seat), Some(shown)) = (self.table.turn(), &mut self.shown)
        {
            let lays = self.table.undoable_lays(shown);
            let revealed = Event::LaysShown { seat, lays };
            shown.apply(&revealed, &self.rules);
            self.table.apply(&project(&revealed, Viewer::Seat(seat)), &self.rules);
            events.push(revealed);
            events.check(|| self.conserved());
        }
        self.happen(&event);
        if let Some(shown) = &mut self.shown {
            shown.apply(&project(&event, Viewer::Spectator), &self.rules);
        }
        events.push(event);
        events.check(|| self.conserved());
    }
}

/// Whether lays before this event can no longer be undone: those after which a table has none.
const fn commits(event: &Event) -> bool {
    match event {
        Event::RoundBegan { .. }
        | Event::HandDealt { .. }
        | Event::TurnBegan { .. }
        | Event::Drew { .. }
        | Event::DiscardsTaken { .. }
        | Event::FootTakenUp { .. }
        | Event::AskedToGoOut { .. }
        | Event::Answered { .. }
        | Event::Discarded { .. }
        | Event::TurnPassed { .. }
        | Event::RoundEnded { .. } => true,
        // Lifts come before the first act; what leaves play or is given to the stock follows an event
        // that has shown the lays. Red threes laid at once are always seen, and undo nothing.
        Event::Lifted { .. }
        | Event::DiscardsRemoved { .. }
        | Event::StockRefilled { .. }
        | Event::RedThreesLaid { .. }
        | Event::Laid { .. }
        | Event::LaidConcealed { .. }
        | Event::LaysShown { .. }
        | Event::LaysUndone { .. }
        | Event::UndoAsked { .. }
        | Event::UndoAnswered { .. } => false,
    }
}
