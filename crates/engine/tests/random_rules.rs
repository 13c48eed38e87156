//! The laws over random play by random rule sets: every parameter, every choice, in any company.
//!
//! **Invariant:** a failure prints genes that shrink towards the default rules, the rules as a file,
//! and what was broken. How many rule sets are tried follows from `HANDFOOT_RULE_SETS`.

use std::sync::Arc;

use handfoot_engine::laws::Laws;
use handfoot_engine::{Events, Game, GameRecord, Viewer, replay, verify};
use handfoot_rules::Rules;
use handfoot_test_kit::{Found, GENES, Genes, below, chance, choose, config, game, rule_set};
use handfoot_view::{Action, Seat};
use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rounds played of each game.
const ROUNDS: usize = 2;

/// A round that has not ended after so many steps for each seat is held to go on for ever.
const STEPS_PER_SEAT: usize = 6_000;

/// How often, in steps, what is dear is checked.
const EVERY: usize = 41;

proptest! {
    #![proptest_config(config(24))]

    /// Every law, over random play by random rules. Rule: HF-2.1, HF-9.1, HF-11.1, HF-11.2
    #[test]
    fn random_rule_sets_keep_every_law((genes, rules) in rule_set(), seed in any::<u64>()) {
        let played = Played::new(&rules, seed).play();
        prop_assert!(played.is_ok(), "{}\ngenes {:?}\n{}", played.unwrap_err(), genes, rules.draft().to_toml());
    }
}

/// Genes that are not 0, by their place, and the seed of a game that broke a law once.
type Broken = (&'static [(usize, u8)], u64);

/// What was found so, shrunk.
const FOUND: [Broken; 2] = [
    // With one card to a draw and takes that join melds, 378 cards make a round of more turns.
    (
        &[
            (2, 17),
            (5, 100),
            (10, 125),
            (11, 13),
            (23, 1),
            (28, 238),
            (44, 106),
            (49, 249),
            (56, 35),
        ],
        7_168_178_536_985_674_175,
    ),
    // A seat that has laid down to one card holds one that may be its last discard.
    (
        &[
            (0, 160),
            (1, 20),
            (4, 19),
            (5, 134),
            (8, 19),
            (23, 52),
            (24, 1),
            (35, 113),
            (39, 61),
            (40, 59),
            (49, 235),
            (53, 134),
            (56, 47),
            (58, 2),
            (61, 70),
        ],
        8_279_169_003_885_305_659,
    ),
];

/// What broke a law once keeps all of them now.
#[test]
fn what_random_rule_sets_found_is_mended() {
    for (genes, seed) in FOUND {
        let mut all = vec![0; GENES];
        for (at, gene) in genes {
            all[*at] = *gene;
        }
        let Found::Playable(rules) = Genes(all).found() else { panic!("not playable") };
        assert_eq!(Played::new(&rules, seed).play(), Ok(()), "seed {seed}");
    }
}

/// A game that is played while the laws are checked.
struct Played {
    game: Game,
    laws: Laws,
    events: Events,
    rng: Xoshiro256PlusPlus,
    /// The view of the seat to act, from before its first lay that can be undone.
    before_lays: Option<(Seat, handfoot_view::TableView)>,
}

impl Played {
    fn new(rules: &Arc<Rules>, seed: u64) -> Played {
        let game = game(rules, seed);
        let laws = Laws::new(&game, 29);
        let rng = chance(!seed);
        Played { game, laws, events: Events::checked(), rng, before_lays: None }
    }

    /// Plays some rounds; gives the law that was broken.
    fn play(mut self) -> Result<(), String> {
        let steps_max = STEPS_PER_SEAT * self.game.rules().seats();
        let mut steps = 0;
        loop {
            steps += 1;
            if steps > steps_max {
                return Err(format!("a round goes on after {steps_max} steps"));
            }
            self.events.clear();
            match self.game.public().to_act() {
                Some(seat) => {
                    self.undo(seat)?;
                    let action = choose(self.game.view(seat).as_ref(), &mut self.rng);
                    let action = action.ok_or_else(|| format!("seat {seat} cannot act"))?;
                    let played = self.game.play(seat, &action, &mut self.events);
                    played.map_err(|refused| format!("{action:?}: {refused}"))?;
                }
                None if self.game.history().len() >= ROUNDS => break,
                None if self.game.deal_next(&[], &mut self.events).is_err() => break,
                None => steps = 0,
            }
            let followed = self.laws.follow(&self.game, &self.events, &mut self.rng);
            followed.map_err(|broken| broken.to_string())?;
            if steps % EVERY == 0 {
                self.reads_back()?;
            }
        }
        self.reads_back()?;
        self.replay()
    }

    /// Lays undone on a copy leave what was before them.
    fn undo(&mut self, seat: Seat) -> Result<(), String> {
        let game = &self.game;
        let view = || game.table_view(Viewer::Seat(seat));
        let undoable = game.public().undoable();
        if undoable == 0 {
            self.before_lays = Some((seat, view()));
            return Ok(());
        }
        let Some((_, start)) = self.before_lays.take_if(|(before, _)| *before == seat) else {
            return Ok(());
        };
        let mut copy = game.clone();
        let mut events = Events::checked();
        let undone = copy.play(seat, &Action::UndoLays(undoable), &mut events);
        undone.map_err(|refused| format!("undo of {undoable}: {refused}"))?;
        copy.check().map_err(|fault| format!("undo: {fault}"))?;
        let mut after = copy.table_view(Viewer::Seat(seat));
        // Only the counts of events and undos have gone on.
        (after.table.event_index, after.table.undos) = (start.table.event_index, start.table.undos);
        match after == start {
            true => Ok(()),
            false => Err("undo leaves another table".to_owned()),
        }
    }

    /// The position as bytes and as text is the same position.
    fn reads_back(&self) -> Result<(), String> {
        let rules = self.game.rules();
        let bytes = self.game.snapshot();
        let restored = Game::restore(rules, bytes.reveal());
        let restored = restored.map_err(|error| format!("snapshot: {error}"))?;
        if restored.snapshot() != bytes || restored.public() != self.game.public() {
            return Err("the snapshot is of another game".to_owned());
        }
        let text = self.game.position();
        let again = Game::from_position(Arc::clone(rules), text.reveal());
        let again = again.map_err(|error| format!("position: {error}\n{}", text.reveal()))?;
        match again.position() == text {
            true => Ok(()),
            false => Err(format!("the position reads back as another\n{}", text.reveal())),
        }
    }

    /// The record as text is played again to the same table.
    fn replay(mut self) -> Result<(), String> {
        let Some(record) = self.game.record() else { return Ok(()) };
        let read = GameRecord::parse(record.text()).map_err(|error| format!("record: {error}"))?;
        let played = replay(&read).map_err(|error| format!("replay: {error}"))?;
        if played.public() != self.game.public() || played.history() != self.game.history() {
            return Err("the record leads to another table".to_owned());
        }
        verify(&read).map_err(|error| format!("verify: {error}"))?;
        // And what is played on from both is the same.
        let mut played = played;
        for _ in 0..below(&mut self.rng, 40) {
            let Some(seat) = self.game.public().to_act() else { break };
            let action = choose(self.game.view(seat).as_ref(), &mut self.rng);
            let action = action.ok_or("nobody can act")?;
            for game in [&mut self.game, &mut played] {
                let done = game.play(seat, &action, &mut Events::checked());
                done.map_err(|refused| refused.to_string())?;
            }
        }
        match played.public() == self.game.public() {
            true => Ok(()),
            false => Err("the record goes on as another game".to_owned()),
        }
    }
}
