//! A game that was seen, dealt and played again beside it, so that there is a record of it.
//!
//! Whoever watches a table does not see the hands. Where the seed was chosen the same game can be
//! dealt here, and what was seen says what was played.
//!
//! **Invariant:** every event of the game here was compared with the one that was sent.

use std::sync::Arc;

use handfoot_engine::{Events, Game, GameRecord, Seed, Viewer};
use handfoot_rules::Rules;
use handfoot_view::{Action, DrawCause, Event, Phase, Seat, TableOptions, list};

use crate::exit::{Exit, Stop, failed};

/// The game so far.
pub(crate) struct Mirror {
    game: Game,
    /// What happened since a commit was compared last.
    events: Events,
}

impl Mirror {
    /// Deals the game of a table whose seed was chosen.
    pub(crate) fn new(
        rules: &Arc<Rules>,
        options: TableOptions,
        first_dealer: Option<Seat>,
        table_id: &str,
        seed: u64,
    ) -> Mirror {
        let mut events = Events::new();
        let seed = Seed::chosen(seed);
        let game = Game::new(Arc::clone(rules), options, table_id, seed, first_dealer, &mut events);
        Mirror { game, events }
    }

    /// Plays what one commit tells of.
    pub(crate) fn follow(&mut self, sent: &[Event]) -> Result<(), Stop> {
        let Some(first) = sent.first() else { return Ok(()) };
        if self.events.seen_by(Viewer::Spectator).next().is_none() {
            let acting = self.game.public().to_act();
            let action = acting.and_then(|seat| self.action_of(seat, first).map(|a| (seat, a)));
            let (seat, action) = action.ok_or_else(|| differs("what was played"))?;
            self.game
                .play(seat, &action, &mut self.events)
                .map_err(|rejection| differs(&rejection.to_string()))?;
            if let Phase::RoundOver { .. } = self.game.public().phase {
                let dealt = self.game.deal_next(&[], &mut self.events);
                dealt.map_err(|_| differs("a round more"))?;
            }
        }
        let ours = self.events.seen_by(Viewer::Spectator);
        if !ours.map(|event| event.event().clone()).eq(sent.iter().cloned()) {
            return Err(differs("what came of it"));
        }
        self.events.clear();
        Ok(())
    }

    /// The action of the seat that acts whose first event this is.
    fn action_of(&self, seat: Seat, event: &Event) -> Option<Action> {
        match event {
            // A seat that wants to draw may find that its turn passes or the stock is refilled.
            Event::Drew { cause: DrawCause::DrawStep, .. }
            | Event::StockRefilled { .. }
            | Event::TurnPassed { .. }
            | Event::RoundEnded { .. } => Some(Action::Draw),
            Event::DiscardsTaken { lay, .. } => Some(Action::TakeDiscards(lay.clone())),
            Event::Laid { lay, .. } | Event::LaidConcealed { lay: Some(lay), .. } => {
                Some(Action::Lay(lay.clone()))
            }
            Event::LaysUndone { acts, .. } | Event::UndoAsked { acts, .. } => {
                Some(Action::UndoLays(*acts))
            }
            Event::UndoAnswered { answer, .. } => Some(Action::AnswerUndo(*answer)),
            Event::Answered { answer, .. } => Some(Action::AnswerGoOut(*answer)),
            Event::Discarded { card, .. } => Some(Action::Discard(*card)),
            // The way out that is asked about is not shown; bots ask about the listed one.
            Event::AskedToGoOut { .. } => {
                let mut listed = Vec::new();
                list(self.game.view(seat).as_ref(), &mut listed);
                listed.into_iter().find(|action| matches!(action, Action::AskToGoOut(_)))
            }
            Event::RoundBegan { .. }
            | Event::HandDealt { .. }
            | Event::Lifted { .. }
            | Event::DiscardsRemoved { .. }
            | Event::TurnBegan { .. }
            | Event::Drew { cause: DrawCause::Replacement, .. }
            | Event::RedThreesLaid { .. }
            | Event::LaidConcealed { lay: None, .. }
            | Event::LaysShown { .. }
            | Event::FootTakenUp { .. } => None,
        }
    }

    /// The game's record.
    pub(crate) fn record(&self) -> Option<GameRecord> {
        self.game.record()
    }
}

fn differs(what: &str) -> Stop {
    failed(
        Exit::Internal,
        format!("this program is at fault: the record differs from the game in {what}"),
        "the same with --in-process, and to report it with the seed",
    )
}
