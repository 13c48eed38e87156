//! One game between bots in this process, each deciding from what its seat was sent.
//!
//! **Invariant:** a bot sees its seat's folded view and nothing else; the game itself is asked only
//! what events it sends to whom.

use std::sync::Arc;

use handfoot_bots::{BotSeed, Policy};
use handfoot_cards::Cards;
use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_rules::Rules;
use handfoot_view::{Action, Event, PublicTable, Seat, TableView, judge, list};

use crate::exit::{Exit, Stop, failed};
use crate::options::OptionsChoice;

/// The table's name in commitments: there is only one table here.
const TABLE_NAME: &str = "demo";

/// The most actions of a round: far more than any game needs, so that a bot that never ends its
/// turn is noticed.
const ACTIONS_MAX: u32 = 100_000;

/// A game that goes on step by step.
pub(crate) struct Session {
    game: Game,
    /// What each seat was sent so far, folded; by [`Seat::index`].
    views: Vec<TableView>,
    /// The same for whoever watches.
    spectator: TableView,
    /// Who decides for each seat; by [`Seat::index`].
    policies: Vec<&'static dyn Policy>,
    bot_seed: BotSeed,
    events: Events,
    listed: Vec<Action>,
    counts: Counts,
}

/// What was counted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Actions of the round that is being played.
    pub(crate) round_actions: u32,
    /// Actions of all rounds.
    pub(crate) actions: u64,
    /// Decisions where the bot gave no legal action and the first listed one was played.
    pub(crate) fallbacks: u64,
}

/// What whoever watches a game is told.
pub(crate) trait Watcher {
    /// An event is about to happen at this table, as a spectator sees both.
    fn before(&mut self, table: &PublicTable, event: &Event) -> Result<(), Stop>;

    /// It has happened.
    fn after(&mut self, table: &PublicTable, event: &Event, counts: Counts) -> Result<(), Stop>;
}

impl Session {
    /// Deals the first round.
    pub(crate) fn new(
        rules: &Arc<Rules>,
        choice: OptionsChoice,
        seed: u64,
        policies: Vec<&'static dyn Policy>,
    ) -> Result<Session, Stop> {
        let (options, first) = (choice.table(), choice.first_dealer(rules)?);
        let mut events = Events::new();
        let secret = Seed::chosen(seed);
        let game = Game::new(Arc::clone(rules), options, TABLE_NAME, secret, first, &mut events);
        let view = |seat: Option<Seat>| TableView {
            seat,
            own: Cards::EMPTY,
            // The first event says who really deals.
            table: PublicTable::new(rules, options, game.public().dealer),
            history: Vec::new(),
        };
        Ok(Session {
            views: Seat::all(rules.seats()).map(|seat| view(Some(seat))).collect(),
            spectator: view(None),
            game,
            policies,
            bot_seed: BotSeed::chosen(seed),
            events,
            listed: Vec::new(),
            counts: Counts::default(),
        })
    }

    /// Plays to the end of the game.
    pub(crate) fn play(&mut self, watcher: &mut impl Watcher) -> Result<(), Stop> {
        self.send(watcher)?;
        loop {
            match self.game.public().to_act() {
                Some(seat) => self.decide(seat)?,
                None => {
                    self.views_are_true()?;
                    self.counts.round_actions = 0;
                    if self.game.deal_next(&[], &mut self.events).is_err() {
                        return Ok(());
                    }
                }
            }
            self.send(watcher)?;
        }
    }

    /// Lets a seat decide by what it was sent, and plays that.
    fn decide(&mut self, seat: Seat) -> Result<(), Stop> {
        let action = self.choose(seat)?;
        let played = self.game.play(seat, &action, &mut self.events);
        if let Err(rejection) = played {
            return Err(broken(&format!("seat {seat}'s view allows what is refused: {rejection}")));
        }
        self.counts.actions += 1;
        self.counts.round_actions += 1;
        match self.counts.round_actions > ACTIONS_MAX {
            true => Err(broken(&format!("{ACTIONS_MAX} actions do not end a round"))),
            false => Ok(()),
        }
    }

    fn choose(&mut self, seat: Seat) -> Result<Action, Stop> {
        let rules = self.game.rules();
        let view = self.views[seat.index()].lend(rules);
        let Some(view) = view else { return Err(broken("a seat's view has no seat")) };
        let policy = self.policies[seat.index()];
        let chosen = policy.choose(view, &mut self.bot_seed.chance(view));
        if let Some(action) = chosen.filter(|action| judge(view, action).is_ok()) {
            return Ok(action);
        }
        // Whatever the bot lacks, the table must not wait for it.
        self.counts.fallbacks += 1;
        list(view, &mut self.listed);
        let first = self.listed.first().cloned();
        first.ok_or_else(|| broken(&format!("seat {seat} has no legal action")))
    }

    /// Sends what happened to every seat and to whoever watches.
    fn send(&mut self, watcher: &mut impl Watcher) -> Result<(), Stop> {
        let rules = Arc::clone(self.game.rules());
        for (seat, view) in Seat::all(rules.seats()).zip(&mut self.views) {
            for event in self.events.seen_by(Viewer::Seat(seat)) {
                view.apply(event.event(), &rules);
            }
        }
        for event in self.events.seen_by(Viewer::Spectator) {
            watcher.before(&self.spectator.table, event.event())?;
            self.spectator.apply(event.event(), &rules);
            watcher.after(&self.spectator.table, event.event(), self.counts)?;
        }
        self.events.clear();
        Ok(())
    }

    /// Whether every folded view still is what the engine would send anew.
    fn views_are_true(&self) -> Result<(), Stop> {
        let viewers = self.views.iter().chain(std::iter::once(&self.spectator));
        for view in viewers {
            let viewer = view.seat.map_or(Viewer::Spectator, Viewer::Seat);
            if *view != self.game.table_view(viewer) {
                return Err(broken(&format!("the events of {viewer:?} do not lead to its view")));
            }
        }
        Ok(())
    }

    /// The game, with everything in it.
    pub(crate) const fn game(&self) -> &Game {
        &self.game
    }

    /// What was counted.
    pub(crate) const fn counts(&self) -> Counts {
        self.counts
    }
}

fn broken(what: &str) -> Stop {
    failed(
        Exit::Internal,
        format!("this program is at fault: {what}"),
        "to report it, with the command line and the seed",
    )
}

#[cfg(test)]
mod tests {
    use handfoot_bots::{Casual, Chance, Random};
    use handfoot_rules::Preset;
    use handfoot_view::ViewRef;

    use super::*;

    struct Nobody;

    impl Watcher for Nobody {
        fn before(&mut self, _: &PublicTable, _: &Event) -> Result<(), Stop> {
            Ok(())
        }

        fn after(&mut self, _: &PublicTable, _: &Event, _: Counts) -> Result<(), Stop> {
            Ok(())
        }
    }

    /// A bot that answers nothing, or nonsense.
    struct Lost(Option<Action>);

    impl Policy for Lost {
        fn choose(&self, _: ViewRef<'_>, _: &mut Chance) -> Option<Action> {
            self.0.clone()
        }
    }

    fn played(policies: Vec<&'static dyn Policy>) -> Session {
        let draft = Preset::all()[0].draft(u8::try_from(policies.len()).ok(), None).unwrap();
        let rules = Arc::new(Rules::new(draft).unwrap().rules);
        let mut session = Session::new(&rules, OptionsChoice::default(), 3, policies).unwrap();
        session.play(&mut Nobody).unwrap();
        assert!(session.game().history().len() >= 4);
        session
    }

    #[test]
    fn seats_decide_from_what_they_were_sent() {
        let session = played(vec![&Random, &Casual, &Casual, &Random]);
        assert_eq!(session.counts().fallbacks, 0);
    }

    #[test]
    fn a_bot_without_a_legal_answer_plays_the_first_listed_action() {
        let session = played(vec![&Lost(None), &Casual, &Lost(Some(Action::UndoLays(9)))]);
        let Counts { actions, fallbacks, .. } = session.counts();
        assert!(0 < fallbacks && fallbacks < actions, "{fallbacks} of {actions}");
    }
}
