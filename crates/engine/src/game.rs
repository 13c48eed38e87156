//! A game at a table: its state, its seeds, its finished rounds and what was played.

use std::num::NonZero;
use std::sync::Arc;

use handfoot_rules::Rules;
use handfoot_view::{
    Action, Phase, PublicTable, Rejection, RoundMelds, RoundResult, ScoreSheet, Seat, TableOptions,
    TableView, ViewRef,
};

use crate::event::{Events, Viewer};
use crate::fault::Fault;
use crate::log::ActionLog;
use crate::shuffle::{Chance, Contribution, Seed, commitment, refill_seed, shuffled};
use crate::state::State;

/// A whole game, from the first deal to the result.
///
/// Equal rules, options, table name, seed and actions give equal games on every machine.
///
/// # Visibility
///
/// Nobody: seats get [`SeatView`]s and [`crate::SeatEvent`]s.
#[derive(Clone)]
pub struct Game {
    pub(crate) state: State,
    pub(crate) table_name: String,
    pub(crate) seeds: Seeds,
    pub(crate) first_dealer: Option<Seat>,
    pub(crate) history: Vec<RoundResult>,
    /// The melds that lay when each round ended; none of rounds before a position.
    pub(crate) melds: Vec<RoundMelds>,
    pub(crate) log: Vec<LoggedRound>,
}

/// Where the rounds' seeds come from.
#[derive(Clone)]
pub(crate) enum Seeds {
    /// Derived from a game secret.
    Secret(Seed),
    /// Given one by one, as a record does.
    Given(Vec<Seed>),
}

/// What fixed a round, and what was played in it.
#[derive(Clone)]
pub(crate) struct LoggedRound {
    pub(crate) seed: Seed,
    pub(crate) contributions: Vec<Contribution>,
    /// Numbers lifted that were entered, in order.
    pub(crate) lifts: Vec<(Seat, NonZero<u16>)>,
    pub(crate) actions: ActionLog,
}

impl std::fmt::Debug for Game {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Game").field("table", &self.table_name).finish_non_exhaustive()
    }
}

/// A true view of a game: what a seat, or a spectator, may know. Only the engine makes one.
#[derive(Clone, Copy, Debug)]
pub struct SeatView<'a> {
    view: ViewRef<'a>,
    history: &'a [RoundResult],
}

impl<'a> SeatView<'a> {
    /// What legality, menus and policies are asked about.
    #[must_use]
    pub const fn as_ref(&self) -> ViewRef<'a> {
        self.view
    }

    /// Finished rounds, in order.
    #[must_use]
    pub const fn history(&self) -> &'a [RoundResult] {
        self.history
    }

    /// The view as data of its own, to send or to keep. It loses its label.
    #[must_use]
    pub fn to_table_view(&self) -> TableView {
        TableView {
            seat: Some(self.view.seat),
            own: self.view.own.clone(),
            table: self.view.table.clone(),
            history: self.history.to_vec(),
        }
    }
}

impl Game {
    /// A game with its first round dealt. The first dealer is drawn unless it is named.
    #[must_use]
    pub fn new(
        rules: Arc<Rules>,
        options: TableOptions,
        table_name: &str,
        seed: Seed,
        first_dealer: Option<Seat>,
        events: &mut Events,
    ) -> Game {
        let seeds = Seeds::Secret(seed);
        Game::with_seeds(rules, options, table_name, seeds, first_dealer, &[], events)
    }

    pub(crate) fn with_seeds(
        rules: Arc<Rules>,
        options: TableOptions,
        table_name: &str,
        seeds: Seeds,
        first_dealer: Option<Seat>,
        contributions: &[Contribution],
        events: &mut Events,
    ) -> Game {
        let anybody = first_dealer.or_else(|| Seat::from_index(0));
        let dealer = anybody.expect("every table has a first seat");
        let table = PublicTable::new(&rules, options, dealer);
        let mut game = Game {
            state: State::new(rules, table),
            table_name: table_name.to_owned(),
            seeds,
            first_dealer,
            history: Vec::new(),
            melds: Vec::new(),
            log: Vec::new(),
        };
        game.deal(0, first_dealer, contributions, events);
        game
    }

    /// The rules of the game.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.state.rules
    }

    /// What everybody sees.
    #[must_use]
    pub fn public(&self) -> &PublicTable {
        self.state.public()
    }

    /// Finished rounds, in order.
    #[must_use]
    pub fn history(&self) -> &[RoundResult] {
        &self.history
    }

    /// The score sheet of the finished rounds. Rule: HF-10.20
    #[must_use]
    pub fn score_sheet(&self) -> ScoreSheet {
        // Rounds before a position come without melds.
        let unknown = self.history.len().saturating_sub(self.melds.len());
        let mut melds = vec![RoundMelds::new(); unknown];
        melds.extend(self.melds.iter().cloned());
        ScoreSheet::of(&self.history, &melds, self.rules())
    }

    /// What a seat sees.
    ///
    /// # Panics
    ///
    /// If the table has no such seat.
    #[must_use]
    pub fn view(&self, seat: Seat) -> SeatView<'_> {
        SeatView { view: self.state.view(seat), history: &self.history }
    }

    /// What a viewer sees, as data of its own.
    ///
    /// # Panics
    ///
    /// If the table has no such seat.
    #[must_use]
    pub fn table_view(&self, viewer: Viewer) -> TableView {
        match viewer {
            Viewer::Seat(seat) => self.view(seat).to_table_view(),
            Viewer::Spectator => TableView {
                seat: None,
                own: handfoot_cards::Cards::EMPTY,
                table: self.public().clone(),
                history: self.history.clone(),
            },
        }
    }

    /// Plays an action. What it makes happen is added to `events`.
    ///
    /// # Errors
    ///
    /// The first [`Rejection`] in order of precedence; nothing has then changed.
    pub fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Events,
    ) -> Result<(), Rejection> {
        if seat.index() >= self.rules().seats() {
            let turn = self.public().to_act().unwrap_or(self.public().dealer);
            return Err(Rejection::NotYourTurn { turn });
        }
        self.state.play(seat, action, events)?;
        if let Some(round) = self.log.last_mut() {
            round.actions.push(seat, action);
        }
        self.keep_result(events);
        Ok(())
    }

    /// Deals the next round, if the last one is over and the game is not.
    ///
    /// # Errors
    ///
    /// [`Rejection::GameOver`]; while a round is played, [`Rejection::NotYourTurn`].
    pub fn deal_next(
        &mut self,
        contributions: &[Contribution],
        events: &mut Events,
    ) -> Result<(), Rejection> {
        match self.public().phase {
            Phase::GameOver { .. } => Err(Rejection::GameOver),
            Phase::RoundOver { .. } => {
                let dealer = self.public().dealer.next(self.rules().seats());
                let round_index = self.public().round_index + 1;
                self.deal(round_index, Some(dealer), contributions, events);
                Ok(())
            }
            Phase::Draw { .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. } => {
                let turn = self.public().to_act().unwrap_or(self.public().dealer);
                Err(Rejection::NotYourTurn { turn })
            }
        }
    }

    fn deal(
        &mut self,
        round_index: u16,
        dealer: Option<Seat>,
        contributions: &[Contribution],
        events: &mut Events,
    ) {
        let seed = match &self.seeds {
            Seeds::Secret(secret) => secret.of_round(round_index),
            Seeds::Given(seeds) => match seeds.get(usize::from(round_index)).or(seeds.last()) {
                Some(seed) => *seed,
                None => return,
            },
        };
        let mut chance = Chance::of_round(&seed, contributions);
        let order = shuffled(self.state.rules.pack(), &mut chance);
        let bound = commitment(&seed, &self.table_name, round_index);
        self.state.round_seed = seed.reveal();
        if self.state.rules.may_refill() {
            self.state.refill_seed = Some(Box::new(refill_seed(&seed, contributions)));
        }
        self.log.push(LoggedRound {
            seed,
            contributions: contributions.to_vec(),
            lifts: Vec::new(),
            actions: ActionLog::default(),
        });
        self.state.deal(round_index, dealer, order, &mut chance, bound, events);
        self.keep_result(events);
    }

    /// Keeps a result that the newest events brought.
    fn keep_result(&mut self, events: &Events) {
        if self.state.is_round_over()
            && self.history.len() <= usize::from(self.public().round_index)
            && let Some(result) = events.newest_result()
        {
            self.history.push(result.clone());
            self.melds.push(self.state.scored_melds());
        }
    }

    /// Bytes that a clone of the position copies, shared rules and history apart.
    #[must_use]
    pub fn state_bytes(&self) -> usize {
        self.state.size_bytes()
    }

    /// Checks every law that a single position can break; for tests and simulation.
    ///
    /// # Errors
    ///
    /// The first [`Fault`] found.
    pub fn check(&self) -> Result<(), Fault> {
        self.state.check()
    }
}
