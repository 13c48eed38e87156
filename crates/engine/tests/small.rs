//! Tiny games, played in every listed way: how many positions there are at each depth.
//!
//! **Invariant:** the numbers are golden. They change only when the rules, the lists or the shuffle
//! do, and whoever changes them says which.

use std::sync::Arc;

use handfoot_engine::{Events, Game};
use handfoot_rules::{Decks, Need, OpeningStep, PerRound, Preset, Ratio, Rules, TakeCount, Tie};
use handfoot_view::notation::read_action;
use handfoot_view::{Phase, RoundEnd, Seat, list};
use rand_xoshiro::rand_core::Rng;

use crate::games::{chance, game};

/// A game of one round with one deck, short packets, pairs for melds and four cards for a book.
fn tiny(players: u8, packets: [u8; 2]) -> Arc<Rules> {
    let mut draft = Preset::find("whitnack").unwrap().draft(Some(players), None).unwrap();
    draft.decks = Decks::Fixed(1);
    draft.jokers_per_deck = 4;
    draft.packets = PerRound::Same(packets.to_vec());
    draft.draw = PerRound::Same(1);
    draft.meld_min = 2;
    draft.book_size = 4;
    draft.wild_limit.a = Ratio { numerator: 1, denominator: 1 };
    draft.wild_limit.min_natural = 1;
    draft.take.count = PerRound::Same(TakeCount::Top(3));
    draft.need = PerRound::Same(Need { clean: 0, dirty: 0, wild: 0, sevens: 0, total: 1 });
    draft.opening.steps = vec![OpeningStep::Points(15)];
    draft.length.rounds = Some(1);
    draft.length.tie = Tie::Shared;
    Arc::new(Rules::new(draft).unwrap().rules)
}

/// Two seats without partners.
fn for_two() -> Arc<Rules> {
    tiny(2, [3, 3])
}

/// Two pairs, who ask each other.
fn for_four() -> Arc<Rules> {
    tiny(4, [2, 2])
}

/// Positions at each depth, and among all of them those where something ends.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    positions: Vec<u64>,
    questions: u64,
    ended: u64,
}

impl Counts {
    /// Everything that can be listed from a deal, so many actions deep.
    fn of(rules: &Arc<Rules>, seed: u64, depth: usize) -> Counts {
        let mut counts = Counts { positions: vec![0; depth + 1], questions: 0, ended: 0 };
        counts.go(&game(rules, seed), 0);
        counts
    }

    fn go(&mut self, game: &Game, depth: usize) {
        game.check().unwrap();
        self.positions[depth] += 1;
        self.questions += u64::from(matches!(game.public().phase, Phase::AwaitAnswer { .. }));
        let Some(seat) = game.public().to_act() else {
            self.ended += 1;
            return;
        };
        let mut actions = Vec::new();
        list(game.view(seat).as_ref(), &mut actions);
        assert!(!actions.is_empty(), "seat {seat} cannot act");
        if depth + 1 == self.positions.len() {
            return;
        }
        let mut events = Events::new();
        for action in &actions {
            let mut next = game.clone();
            events.clear();
            next.play(seat, action, &mut events).unwrap();
            assert_eq!(events.fault(), None);
            self.go(&next, depth + 1);
        }
    }
}

/// What is expected of a deal.
fn counts(positions: &[u64], questions: u64, ended: u64) -> Counts {
    Counts { positions: positions.to_vec(), questions, ended }
}

/// Every way to play the first actions of a few deals. Rule: HF-2.1, HF-2.2, HF-2.4, HF-8.4
#[test]
fn positions_of_tiny_games_are_counted() {
    for (rules, seed, expected) in [
        (
            for_two(),
            2,
            counts(&[1, 1, 4, 4, 28, 40, 88, 160, 528, 1072, 2896, 7328, 15896, 31160], 0, 256),
        ),
        (
            for_two(),
            3,
            counts(
                &[1, 1, 7, 10, 38, 112, 257, 632, 1500, 3188, 6625, 14459, 31135, 62603],
                0,
                640,
            ),
        ),
        (
            for_two(),
            8,
            counts(&[1, 1, 7, 10, 22, 40, 124, 184, 520, 1294, 3244, 7534, 17594, 41152], 0, 0),
        ),
        (
            for_four(),
            6,
            counts(
                &[
                    1, 1, 5, 5, 14, 20, 38, 59, 121, 230, 425, 816, 1408, 2646, 5297, 9467, 16397,
                    27409,
                ],
                980,
                708,
            ),
        ),
        (
            for_four(),
            21,
            counts(
                &[
                    1, 1, 5, 5, 17, 25, 61, 139, 253, 425, 811, 1688, 3701, 7117, 13411, 23478,
                    39631,
                ],
                324,
                0,
            ),
        ),
    ] {
        let depth = expected.positions.len() - 1;
        let counted = Counts::of(&rules, seed, depth);
        assert_eq!(counted, expected, "{} seats, seed {seed}", rules.seats());
    }
}

/// Play at random among what is listed always comes to an end, each way that there is.
/// Rule: HF-9.1, HF-9.2, HF-10.5
#[test]
fn every_tiny_game_ends() {
    let (mut out, mut dry) = (0, 0);
    for (rules, seats) in [(for_two(), 2), (for_four(), 4)] {
        for seed in 0..400 {
            let mut game = game(&rules, seed);
            let mut chooser = chance(seed);
            let mut events = Events::new();
            let mut actions = Vec::new();
            let mut steps = 0;
            while let Some(seat) = game.public().to_act() {
                list(game.view(seat).as_ref(), &mut actions);
                let bound = u64::try_from(actions.len()).unwrap();
                let at = usize::try_from(chooser.next_u64() % bound).unwrap();
                events.clear();
                game.play(seat, &actions[at], &mut events).unwrap();
                game.check().unwrap();
                steps += 1;
                assert!(steps < 400, "{seats} seats, seed {seed}: no end");
            }
            match game.public().phase {
                Phase::GameOver { how: RoundEnd::WentOut(_) } => out += 1,
                Phase::GameOver { how: RoundEnd::StockRanOut(_) } => dry += 1,
                Phase::Draw { .. }
                | Phase::Play { .. }
                | Phase::AwaitAnswer { .. }
                | Phase::AwaitUndo { .. }
                | Phase::RoundOver { .. } => panic!("{seats} seats, seed {seed}: not over"),
            }
        }
    }
    assert!(out > 100 && dry > 50, "{out} went out, {dry} times the stock ran out");
}

/// A seat whose last card can be laid to go out keeps its turn; one whose last card is of no use
/// passes. Rule: HF-7.1, HF-8.9, HF-8.10
#[test]
fn a_turn_is_not_passed_while_the_last_card_can_go_out() {
    let rules = tiny(2, [3, 1]);
    let seat = Seat::from_number(1).unwrap();
    for (last, goes_out) in [("QS", true), ("9S", false)] {
        let text = format!(
            "turn 1 play stock\nstock ?x9\ndiscards -\nseat 1 hand KC KD ; closed {last}\n\
             meld 1 QC QD QH\n"
        );
        let mut game = match Game::from_position(Arc::clone(&rules), &text) {
            Ok(game) => game,
            Err(error) => panic!("{error}\n{text}"),
        };
        let mut events = Events::new();
        let mut play = |game: &mut Game, text: &str| {
            let action = read_action(text, game.view(seat).as_ref()).unwrap();
            game.play(seat, &action, &mut events).unwrap();
            game.check().unwrap();
        };
        play(&mut game, "lay KC KD");
        assert_eq!(game.public().to_act() == Some(seat), goes_out, "{last}");
        if goes_out {
            play(&mut game, "lay m1 QS");
            let how = RoundEnd::WentOut(seat);
            assert_eq!(game.public().phase, Phase::GameOver { how });
        }
    }
}
