//! The laws of the engine, checked while a game is played: by tests, by simulation, by whoever
//! doubts.
//!
//! *Conservation*: all zones together are the pack, after every event. *Fits*: each event fits the
//! view of each viewer that it is sent to. *Fold*: each viewer's first view and its events give the
//! view made now. *Non-interference*: whatever a seat cannot know may
//! be dealt anew without changing anything it is shown. *Menu*: what is listed is legal. *Progress*:
//! whoever is to act can. *No effect*: a refused action changes nothing.

use handfoot_rules::Rules;
use handfoot_view::{Action, Answer, Menu, Seat, TableView, Unfit, ViewRef, judge, list};
use rand_core::Rng;

use crate::event::{Events, Viewer};
use crate::fault::Fault;
use crate::game::Game;
use crate::resample::World;

/// A law that a game has broken: a fault of the engine, never of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawBroken {
    /// A position is impossible.
    Position(Fault),
    /// An event does not fit the view of a viewer that it is sent to.
    Fits(Viewer, Unfit),
    /// A viewer's events do not lead to its view.
    Fold(Viewer),
    /// A seat's view, menu or list depends on a card that it cannot know.
    NonInterference(Seat),
    /// A listed action is refused.
    Menu(Seat),
    /// The seat to act has no legal action.
    Progress(Seat),
    /// A refused action changed something.
    NoEffect(Seat),
}

impl std::fmt::Display for LawBroken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LawBroken::Position(fault) => write!(f, "conservation: {fault}"),
            LawBroken::Fits(viewer, unfit) => write!(f, "fits: {}: {unfit}", view_of(*viewer)),
            LawBroken::Fold(viewer) => write!(f, "fold: {}", view_of(*viewer)),
            LawBroken::NonInterference(seat) => write!(f, "non-interference: seat {seat}"),
            LawBroken::Menu(seat) => write!(f, "menu: a listed action of seat {seat} is refused"),
            LawBroken::Progress(seat) => write!(f, "progress: seat {seat} has no legal action"),
            LawBroken::NoEffect(seat) => {
                write!(f, "no effect: a refused action of seat {seat} changed something")
            }
        }
    }
}

impl std::error::Error for LawBroken {}

fn view_of(viewer: Viewer) -> String {
    match viewer {
        Viewer::Seat(seat) => format!("the view of seat {seat}"),
        Viewer::Spectator => "the view of a spectator".to_owned(),
    }
}

/// How a seat is shown its side of a position, for the law of non-interference. The engine's own
/// way is [`honest`]; a test plants a leaking one, which the law must catch.
pub type Projection = fn(&World, Seat) -> TableView;

/// Shows a seat what it may know.
#[must_use]
pub fn honest(world: &World, seat: Seat) -> TableView {
    let view = world.view(seat);
    TableView {
        seat: Some(seat),
        own: view.own.clone(),
        table: view.table.clone(),
        history: Vec::new(),
    }
}

/// Follows one game and checks the laws on the way.
pub struct Laws {
    views: Vec<(Viewer, TableView)>,
    steps: u64,
    redeal_every: u64,
    actions: Vec<Action>,
}

impl std::fmt::Debug for Laws {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Laws").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl Laws {
    /// Begins to follow a game. The laws that deal hidden cards anew or list actions are checked
    /// at every `redeal_every`th step, the others at each; rounds that are over are compared at
    /// every such step and between rounds.
    #[must_use]
    pub fn new(game: &Game, redeal_every: u64) -> Laws {
        let seats = Seat::all(game.rules().seats()).map(Viewer::Seat);
        let viewers = seats.chain(std::iter::once(Viewer::Spectator));
        Laws {
            views: viewers.map(|viewer| (viewer, game.table_view(viewer))).collect(),
            steps: 0,
            redeal_every: redeal_every.max(1),
            actions: Vec::new(),
        }
    }

    /// Follows what an action, or a deal, made happen. `events` are those of this step alone.
    ///
    /// # Errors
    ///
    /// The first [`LawBroken`] found.
    pub fn follow(
        &mut self,
        game: &Game,
        events: &Events,
        rng: &mut impl Rng,
    ) -> Result<(), LawBroken> {
        self.steps += 1;
        if let Some(fault) = events.fault() {
            return Err(LawBroken::Position(fault));
        }
        game.check().map_err(LawBroken::Position)?;
        let is_thorough = self.steps.is_multiple_of(self.redeal_every);
        // A game of a hundred rounds has a long history, and only a round's end adds to it.
        let compared = match is_thorough || game.public().to_act().is_none() {
            true => Compared::WithHistory,
            false => Compared::WithItsLength,
        };
        self.fold(game, events, compared)?;
        if is_thorough {
            non_interference(game, rng)?;
            self.menu(game)?;
            no_effect(game)?;
        }
        Ok(())
    }

    fn fold(&mut self, game: &Game, events: &Events, compared: Compared) -> Result<(), LawBroken> {
        for (viewer, view) in &mut self.views {
            for event in events.seen_by(*viewer) {
                let fits = view.fits(event.event(), game.rules());
                fits.map_err(|unfit| LawBroken::Fits(*viewer, unfit))?;
                view.apply(event.event(), game.rules());
            }
            if !shows(game, *viewer, view, compared) {
                return Err(LawBroken::Fold(*viewer));
            }
        }
        Ok(())
    }

    /// What is listed is accepted and admitted by the menu, and the seat to act can act.
    fn menu(&mut self, game: &Game) -> Result<(), LawBroken> {
        let Some(seat) = game.public().to_act() else { return Ok(()) };
        let view = game.view(seat).as_ref();
        list(view, &mut self.actions);
        let menu = Menu::of(view);
        let holds = |action: &Action| judge(view, action).is_ok() && menu.admits(view, action);
        if !self.actions.iter().all(holds) {
            return Err(LawBroken::Menu(seat));
        }
        match self.actions.is_empty() {
            true => Err(LawBroken::Progress(seat)),
            false => Ok(()),
        }
    }
}

/// Deals anew what each seat cannot know, twice, and compares what it is shown.
fn non_interference(game: &Game, rng: &mut impl Rng) -> Result<(), LawBroken> {
    for seat in Seat::all(game.rules().seats()) {
        let view = game.view(seat).as_ref();
        let worlds = [(); 2].map(|()| World::resample(view, game.rules(), rng));
        let fits = worlds.iter().all(|world| world.check().is_ok())
            && honest(&worlds[0], seat).table == *view.table
            && honest(&worlds[0], seat).own == *view.own;
        if !fits || !cannot_tell(seat, &worlds, game.rules(), honest) {
            return Err(LawBroken::NonInterference(seat));
        }
    }
    Ok(())
}

/// Whether two worlds look the same to a seat that is shown them by a projection: the view, the
/// menu and the list, whose every verdict follows from the view.
#[must_use]
pub fn cannot_tell(seat: Seat, worlds: &[World; 2], rules: &Rules, projection: Projection) -> bool {
    let [here, there] = worlds.each_ref().map(|world| projection(world, seat));
    let (Some(left), Some(right)) = (here.lend(rules), there.lend(rules)) else { return false };
    let (mut listed, mut listed_there) = (Vec::new(), Vec::new());
    list(left, &mut listed);
    list(right, &mut listed_there);
    here == there && Menu::of(left) == Menu::of(right) && listed == listed_there
}

/// How much of the rounds before is compared.
#[derive(Clone, Copy)]
enum Compared {
    /// How many there were.
    WithItsLength,
    /// All that is known of them.
    WithHistory,
}

/// Whether a view equals what the game shows its viewer now.
fn shows(game: &Game, viewer: Viewer, view: &TableView, compared: Compared) -> bool {
    let matches = match viewer {
        Viewer::Seat(seat) => {
            let now = game.view(seat).as_ref();
            view.own == *now.own && view.table == *now.table
        }
        Viewer::Spectator => view.own.is_empty() && view.table == *game.public(),
    };
    let history = game.history();
    matches
        && match compared {
            Compared::WithItsLength => view.history.len() == history.len(),
            Compared::WithHistory => view.history == history,
        }
}

/// Refused actions, tried on a copy of the game by every seat, leave it as it was.
fn no_effect(game: &Game) -> Result<(), LawBroken> {
    let mut copy = game.clone();
    let mut events = Events::new();
    for seat in Seat::all(game.rules().seats()) {
        let own = game.view(seat).as_ref().own;
        let held = own.iter().next().map(Action::Discard);
        let tries = [Action::Draw, Action::AnswerGoOut(Answer::Yes), Action::UndoLays(200)];
        for action in tries.into_iter().chain(held) {
            if judge(game.view(seat).as_ref(), &action).is_ok() {
                continue;
            }
            let refused = copy.play(seat, &action, &mut events).is_err();
            let unchanged = copy.public() == game.public()
                && Seat::all(game.rules().seats())
                    .all(|other| same_view(copy.view(other).as_ref(), game.view(other).as_ref()));
            if !refused || !unchanged || !events.is_empty() {
                return Err(LawBroken::NoEffect(seat));
            }
        }
    }
    Ok(())
}

fn same_view(here: ViewRef<'_>, there: ViewRef<'_>) -> bool {
    here.own == there.own && here.table == there.table
}

/// Plays a game to its end by a chooser, with the laws checked, and gives it back.
///
/// # Errors
///
/// The [`LawBroken`] and the game as it then stood.
pub fn play_to_end(
    mut game: Game,
    redeal_every: u64,
    rng: &mut impl Rng,
    mut choose: impl FnMut(ViewRef<'_>) -> Option<Action>,
) -> Result<Game, (LawBroken, Box<Game>)> {
    let mut laws = Laws::new(&game, redeal_every);
    let mut events = Events::checked();
    loop {
        events.clear();
        match game.public().to_act() {
            Some(seat) => {
                let chosen = choose(game.view(seat).as_ref());
                let played =
                    chosen.is_some_and(|action| game.play(seat, &action, &mut events).is_ok());
                if !played {
                    return Err((LawBroken::Progress(seat), Box::new(game)));
                }
            }
            None if game.deal_next(&[], &mut events).is_err() => return Ok(game),
            None => {}
        }
        if let Err(broken) = laws.follow(&game, &events, rng) {
            return Err((broken, Box::new(game)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use handfoot_rules::Preset;
    use handfoot_view::{TableOptions, sample};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::shuffle::Seed;

    /// Not at once, for most steps compare only how many rounds there were, but before the round ends.
    #[test]
    fn a_past_round_that_a_view_remembers_otherwise_is_noticed_in_the_next() {
        let draft = Preset::find("whitnack").unwrap().draft(Some(4), None).unwrap();
        let rules = Arc::new(Rules::new(draft).unwrap().rules);
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut events = Events::checked();
        let options = TableOptions::default();
        let seed = Seed::chosen(7);
        let mut game = Game::new(rules, options, "a", seed, None, &mut events);
        // No step is a thorough one.
        let mut laws = Laws::new(&game, u64::MAX);
        let mut changed_in = None;
        let broken = loop {
            events.clear();
            match game.public().to_act() {
                Some(seat) => {
                    let action = sample(game.view(seat).as_ref(), &mut chance).unwrap();
                    game.play(seat, &action, &mut events).unwrap();
                }
                None => game.deal_next(&[], &mut events).expect("it is noticed before"),
            }
            if let Err(broken) = laws.follow(&game, &events, &mut chance) {
                break broken;
            }
            if changed_in.is_none() && game.public().round_index == 1 {
                laws.views[0].1.history[0].turns += 1;
                changed_in = Some(game.public().round_index);
            }
        };
        assert_eq!(broken, LawBroken::Fold(laws.views[0].0));
        assert_eq!((changed_in, game.public().round_index), (Some(1), 1));
    }
}
