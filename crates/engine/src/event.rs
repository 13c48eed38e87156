//! Events as they happened, and the only way out of them: as one viewer may know them.

use handfoot_view::{Event, RoundResult, Seat};

use crate::fault::Fault;

/// What an action made happen, consequences included, in order. A caller's buffer: it is cleared
/// and filled again.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "it holds hidden cards and must not print them")]
pub struct Events {
    list: Vec<Event>,
    checks: Checks,
    fault: Option<Fault>,
}

/// Whether each event's position is checked as it happens.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Checks {
    /// It is not.
    #[default]
    Off,
    /// It is; the first fault is kept.
    EveryEvent,
}

/// Who looks at a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Viewer {
    /// A seat: it sees its own cards.
    Seat(Seat),
    /// A spectator: it sees what everybody sees.
    Spectator,
}

/// An event as one viewer may know it. Only the engine makes one, and it cannot be edited.
///
/// # Visibility
///
/// Its viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatEvent {
    viewer: Viewer,
    event: Event,
}

impl SeatEvent {
    /// Who may see it.
    #[must_use]
    pub const fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// What happened.
    #[must_use]
    pub const fn event(&self) -> &Event {
        &self.event
    }
}

impl Events {
    /// An empty buffer.
    #[must_use]
    pub const fn new() -> Events {
        Events { list: Vec::new(), checks: Checks::Off, fault: None }
    }

    /// An empty buffer that has the position checked after every event; for tests and simulation.
    #[must_use]
    pub const fn checked() -> Events {
        Events { list: Vec::new(), checks: Checks::EveryEvent, fault: None }
    }

    /// The first law that a position broke since the buffer was cleared.
    #[must_use]
    pub const fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Keeps the first fault, if checks are on and the deal is done.
    pub(crate) fn check(&mut self, check: impl FnOnce() -> Result<(), Fault>) {
        if self.checks == Checks::EveryEvent && self.fault.is_none() && !self.is_dealing() {
            self.fault = check().err();
        }
    }

    /// Whether hands are still being dealt.
    fn is_dealing(&self) -> bool {
        matches!(self.list.last(), Some(Event::RoundBegan { .. } | Event::HandDealt { .. }))
    }

    /// How many events there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing happened.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Forgets them, keeping the room.
    pub fn clear(&mut self) {
        self.list.clear();
        self.fault = None;
    }

    /// The events as a viewer may know them.
    pub fn seen_by(&self, viewer: Viewer) -> impl Iterator<Item = SeatEvent> + '_ {
        self.list.iter().map(move |event| SeatEvent { viewer, event: project(event, viewer) })
    }

    /// The result that the newest event brought, if it ended the round.
    pub(crate) fn newest_result(&self) -> Option<&RoundResult> {
        match self.list.last() {
            Some(Event::RoundEnded { result }) => Some(result),
            _ => None,
        }
    }

    /// The events as they happened, hidden cards included.
    pub(crate) fn all(&self) -> &[Event] {
        &self.list
    }

    pub(crate) fn push(&mut self, event: Event) {
        self.list.push(event);
    }
}

/// The event with what the viewer cannot know replaced by counts. Rule: HF-11.2
pub(crate) fn project(event: &Event, viewer: Viewer) -> Event {
    let sees = |seat: &Seat| viewer == Viewer::Seat(*seat);
    match event {
        Event::HandDealt { seat, cards } if !sees(seat) => {
            Event::HandDealt { seat: *seat, cards: cards.backs() }
        }
        Event::Drew { seat, cards, cause } if !sees(seat) => {
            Event::Drew { seat: *seat, cards: cards.backs(), cause: *cause }
        }
        Event::FootTakenUp { seat, cards, how } if !sees(seat) => {
            Event::FootTakenUp { seat: *seat, cards: cards.backs(), how: *how }
        }
        // Others learn that the seat laid something. Rule: HF-13.3
        Event::LaidConcealed { seat, .. } if !sees(seat) => {
            Event::LaidConcealed { seat: *seat, lay: None }
        }
        // The seat has these on its table already. Rule: HF-13.4
        Event::LaysShown { seat, .. } if sees(seat) => {
            Event::LaysShown { seat: *seat, lays: Vec::new() }
        }
        // Everything else is public as it stands. Rule: HF-11.1
        public @ (Event::HandDealt { .. }
        | Event::Drew { .. }
        | Event::FootTakenUp { .. }
        | Event::RoundBegan { .. }
        | Event::Lifted { .. }
        | Event::DiscardsRemoved { .. }
        | Event::StockRefilled { .. }
        | Event::TurnBegan { .. }
        | Event::RedThreesLaid { .. }
        | Event::DiscardsTaken { .. }
        | Event::Laid { .. }
        | Event::LaidConcealed { .. }
        | Event::LaysShown { .. }
        | Event::UndoAsked { .. }
        | Event::UndoAnswered { .. }
        | Event::LaysUndone { .. }
        | Event::AskedToGoOut { .. }
        | Event::Answered { .. }
        | Event::Discarded { .. }
        | Event::TurnPassed { .. }
        | Event::RoundEnded { .. }) => public.clone(),
    }
}
