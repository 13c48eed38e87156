//! The laws in random play under every choice of the deal, the stock, the foot and the threes,
//! alone and together.
//!
//! **Invariant:** a failure prints the choice and the seed.

use std::sync::Arc;

use handfoot_cards::{NamedKind, Role};
use handfoot_engine::laws::play_to_end;
use handfoot_engine::{Events, Game, Viewer, replay};
use handfoot_rules::{
    Buried, Decks, ExactPick, ExactPickModel, FootAfterDiscard, FootAfterMeld, FootTrigger,
    FromDiscards, Need, NoStock, OpeningBy, OpeningStep, PackChoice, PartnerCondition, PerRound,
    Preset, RedThreeMode, Rules, RulesDraft, StockShort, StockThen, StockTrigger, Tie, UpcardDeal,
    WildDiscard,
};
use handfoot_view::{Action, Event, ViewRef, list, sample};
use rand_xoshiro::rand_core::Rng;

use handfoot_test_kit::{chance, game};

/// A choice and the change that makes it.
type Choice = (&'static str, fn(&mut RulesDraft));

/// Every choice by itself.
const CHOICES: &[Choice] = &[
    ("one packet", |d| d.packets = PerRound::Same(vec![15])),
    ("three packets", |d| d.packets = PerRound::Same(vec![11, 4, 9])),
    ("four packets", |d| d.packets = PerRound::Same(vec![5, 5, 5, 5])),
    ("packets by round", |d| {
        d.packets = PerRound::Each(vec![vec![13, 11], vec![11], vec![7, 7, 7]]);
    }),
    ("lifts by chance", |d| {
        d.exact_pick = ExactPick { bonus: 100, model: ExactPickModel::Chance(0.5) };
    }),
    ("lifts entered", |d| d.exact_pick = ExactPick { bonus: 300, model: ExactPickModel::Entered }),
    ("red threes penalty", penalty),
    ("all red threes", |d| {
        d.red_three.all = Some(1000);
        d.red_three.needs = Some(handfoot_rules::BookNeeded::Clean);
    }),
    ("red threes end always", |d| d.red_three.no_stock = NoStock::EndAlways),
    ("red threes skip", |d| d.red_three.no_stock = NoStock::Skip),
    ("red threes from discards", |d| {
        d.red_three.from_discards = FromDiscards::Replaced;
        d.upcard.bury = vec![Buried::Wild];
    }),
    ("opening by score", |d| d.opening.by = OpeningBy::TeamScore(vec![0, 500, 1000, 1500])),
    ("foot by first book", |d| d.foot.trigger = FootTrigger::FirstBook),
    ("lay that empties ends the turn", |d| {
        d.foot.after_meld = FootAfterMeld::EndTurn;
        d.packets = PerRound::Same(vec![3, 9]);
    }),
    ("foot at the end of the turn", |d| d.foot.after_discard = FootAfterDiscard::EndOfTurn),
    ("no discard of the last hand card", |d| {
        d.foot.after_discard = FootAfterDiscard::NotAllowed;
    }),
    ("ends when empty", |d| d.stock_out.trigger = StockTrigger::Empty),
    ("draw the rest", |d| d.stock_out.short = StockShort::DrawRest),
    ("reshuffle", |d| d.stock_out.then = StockThen::ReshuffleDiscards),
    ("reshuffle and draw the rest, one by one", |d| {
        d.stock_out.then = StockThen::ReshuffleDiscards;
        d.stock_out.short = StockShort::DrawRest;
        d.draw = PerRound::Same(1);
    }),
    ("add decks", |d| {
        d.stock_out.then = StockThen::AddDeck;
        d.stock_out.max_added = Some(2);
    }),
    ("play on", |d| d.stock_out.then = StockThen::PlayOn),
    ("play on after drawing the rest", |d| {
        d.stock_out.then = StockThen::PlayOn;
        d.stock_out.short = StockShort::DrawRest;
        d.red_three.no_stock = NoStock::Skip;
    }),
    ("remove discards", |d| d.wild_discard = WildDiscard::RemoveDiscards),
    ("remove discards from the upcard on", |d| {
        d.wild_discard = WildDiscard::RemoveDiscards;
        d.upcard.bury.clear();
    }),
    ("to a target", |d| {
        d.length.rounds = None;
        d.length.target = Some(900);
    }),
    ("rounds and target, ties shared", |d| {
        d.length.target = Some(900);
        d.length.tie = Tie::Shared;
    }),
    ("draws by round", |d| d.draw = PerRound::Each(vec![3, 1, 4, 5])),
    ("no jokers", |d| d.jokers_per_deck = 0),
    ("eight jokers", |d| d.jokers_per_deck = 8),
    ("no upcard", |d| d.upcard.deal = UpcardDeal::None),
    ("in the foot", |d| d.partner = PartnerCondition::InFoot),
    ("a full turn", |d| d.partner = PartnerCondition::FullTurn),
    ("named pack", named_pack),
    ("named pack with another", |d| {
        named_pack(d);
        d.stock_out.then = StockThen::AddDeck;
        d.stock_out.max_added = Some(1);
    }),
];

fn penalty(d: &mut RulesDraft) {
    d.red_three.mode = RedThreeMode::Penalty;
    (d.red_three.laid, d.red_three.held) = (None, -500);
}

fn named_pack(d: &mut RulesDraft) {
    let natural = |name: &str| NamedKind { name: name.to_owned(), number: 16, role: Role::Natural };
    let mut kinds: Vec<NamedKind> = (1..=12).map(|n: u8| natural(&n.to_string())).collect();
    let special = |name: &str, number, role| NamedKind { name: name.to_owned(), number, role };
    kinds.push(special("Lord", 20, Role::Natural));
    kinds.push(special("Jester", 20, Role::Wild));
    kinds.push(special("Joker", 10, Role::Wild));
    kinds.push(special("Villain", 10, Role::BlackThree));
    kinds.push(special("Lady", 10, Role::RedThree));
    d.card_value.0 = kinds.iter().map(|kind| (kind.name.clone(), 10)).collect();
    d.pack = PackChoice::Kinds(kinds);
    d.decks = Decks::Fixed(1);
}

/// A short game with a small stock, a low opening and a light contract, so that everything happens.
fn quick(players: u8, team_size: u8) -> RulesDraft {
    let mut draft = Preset::find("whitnack").unwrap().draft(Some(4), None).unwrap();
    (draft.players, draft.team_size) = (players, team_size);
    draft.decks = Decks::Fixed(players.max(3));
    draft.packets = PerRound::Same(vec![9, 9]);
    draft.book_size = 4;
    draft.need = PerRound::Same(Need { clean: 0, dirty: 0, wild: 0, sevens: 0, total: 2 });
    draft.opening.steps = [0, 15, 30, 50].map(OpeningStep::Points).to_vec();
    draft.length.rounds = Some(3);
    draft
}

fn validated(draft: RulesDraft) -> Arc<Rules> {
    Arc::new(Rules::new(draft).unwrap().rules)
}

/// Whether a whole game of listed or sampled actions keeps every law, and gives the game back.
#[track_caller]
fn keeps_laws(name: &str, rules: &Arc<Rules>, seed: u64) -> Game {
    let mut chooser = chance(seed);
    let mut actions = Vec::new();
    let choose = |view: ViewRef<'_>| {
        if seed.is_multiple_of(2) {
            return sample(view, &mut chooser);
        }
        list(view, &mut actions);
        pick(&actions, &mut chooser)
    };
    match play_to_end(game(rules, seed), 16, &mut chance(!seed), choose) {
        Ok(game) => game,
        Err((broken, game)) => {
            panic!("{name}, seed {seed}: {broken}\n{}", game.position().reveal())
        }
    }
}

fn pick(actions: &[Action], chooser: &mut impl Rng) -> Option<Action> {
    let bound = u64::try_from(actions.len()).unwrap().max(1);
    let index = usize::try_from(chooser.next_u64() % bound).unwrap();
    actions.get(index).cloned()
}

/// Rule: HF-1.7, HF-7.5 to HF-7.7, HF-9.3 to HF-9.8, HF-10.8
#[test]
fn every_choice_keeps_every_law() {
    for (name, change) in CHOICES {
        for (seed, (players, team_size)) in [(0, (4, 2)), (1, (4, 2)), (2, (3, 1)), (3, (2, 1))] {
            let mut draft = quick(players, team_size);
            change(&mut draft);
            let _ = keeps_laws(name, &validated(draft), seed);
        }
    }
}

#[test]
fn choices_together_keep_every_law() {
    let mut dice = chance(77);
    let mut played = 0;
    while played < 60 {
        let (players, team_size) =
            [(2, 1), (3, 1), (4, 2), (6, 3), (6, 2)][(dice.next_u32() % 5) as usize];
        let mut draft = quick(players, team_size);
        let mut names = Vec::new();
        for _ in 0..4 {
            let (name, change) = CHOICES[dice.next_u32() as usize % CHOICES.len()];
            change(&mut draft);
            names.push(name);
        }
        let Ok(validated) = Rules::new(draft) else { continue };
        played += 1;
        let _ = keeps_laws(&names.join(" + "), &Arc::new(validated.rules), dice.next_u64());
    }
}

/// Rule: HF-1.1
#[test]
fn every_size_of_table_keeps_every_law() {
    for players in 2..=12u8 {
        for team_size in (1..=6).filter(|size| players % size == 0 && players / size >= 2) {
            let mut draft = quick(players, team_size);
            draft.length.rounds = Some(1);
            let _ = keeps_laws("seats", &validated(draft), u64::from(players * 10 + team_size));
        }
    }
}

/// What only some rules keep survives the store, the record and the notation.
#[test]
fn every_choice_survives_snapshot_record_and_position() {
    for (name, change) in CHOICES {
        let mut draft = quick(4, 2);
        change(&mut draft);
        let rules = validated(draft);
        let mut game = game(&rules, 5);
        let mut chooser = chance(5);
        let mut events = Events::new();
        for step in 0..700 {
            events.clear();
            match game.public().to_act() {
                Some(seat) => {
                    let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
                    game.play(seat, &action, &mut events).unwrap();
                }
                None if game.deal_next(&[], &mut events).is_err() => break,
                None => {}
            }
            let stored = Events::restore(&rules, &events.store(&rules)).unwrap();
            assert!(
                stored.seen_by(Viewer::Spectator).eq(events.seen_by(Viewer::Spectator)),
                "{name}"
            );
            if step % 20 == 0 {
                comes_back(name, &rules, &game);
            }
        }
        let replayed = replay(&game.record().unwrap()).unwrap();
        assert!(replayed.public() == game.public() && replayed.history() == game.history());
    }
}

#[track_caller]
fn comes_back(name: &str, rules: &Arc<Rules>, game: &Game) {
    let text = game.position();
    let restored = Game::restore(rules, game.snapshot().reveal()).unwrap();
    assert!(restored.position().reveal() == text.reveal(), "{name}: the snapshot differs");
    let read = Game::from_position(Arc::clone(rules), text.reveal());
    let read = read.unwrap_or_else(|error| panic!("{name}: {error}\n{}", text.reveal()));
    assert!(read.position().reveal() == text.reveal(), "{name}: the position differs");
}

/// How often each sort of event happens in a few games under a choice.
fn count(change: fn(&mut RulesDraft), wanted: fn(&Event) -> bool) -> usize {
    let mut found = 0;
    for seed in 0..8 {
        let mut draft = quick(4, 2);
        change(&mut draft);
        let mut game = game(&validated(draft), seed);
        let mut chooser = chance(seed);
        let mut events = Events::new();
        loop {
            events.clear();
            match game.public().to_act() {
                Some(seat) => {
                    let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
                    game.play(seat, &action, &mut events).unwrap();
                }
                None if game.deal_next(&[], &mut events).is_err() => break,
                None => {}
            }
            found += events.seen_by(Viewer::Spectator).filter(|seen| wanted(seen.event())).count();
        }
    }
    found
}

fn choice(name: &str) -> fn(&mut RulesDraft) {
    CHOICES.iter().find(|(other, _)| *other == name).unwrap().1
}

/// Otherwise the laws above would have proved nothing.
#[test]
fn what_the_choices_bring_does_happen() {
    let refilled = |event: &Event| matches!(event, Event::StockRefilled { .. });
    for name in ["reshuffle", "add decks", "remove discards"] {
        assert!(count(choice(name), refilled) > 0, "{name}");
    }
    let removed = |event: &Event| matches!(event, Event::DiscardsRemoved { .. });
    assert!(count(choice("remove discards"), removed) > 0);
    let passed = |event: &Event| matches!(event, Event::TurnPassed { .. });
    assert!(count(choice("play on"), passed) > 0);
    let lifted = |event: &Event| matches!(event, Event::Lifted { .. });
    assert!(count(choice("lifts by chance"), lifted) > 0);
    assert_eq!(count(|_| {}, |event| matches!(event, Event::Lifted { .. })), 0);
    let at_turn_end = |event: &Event| {
        matches!(event, Event::FootTakenUp { how: handfoot_view::ToFoot::AtTurnEnd, .. })
    };
    assert!(count(choice("foot at the end of the turn"), at_turn_end) > 0);
    assert!(count(choice("lay that empties ends the turn"), at_turn_end) > 0);
    assert!(count(choice("foot by first book"), |e| matches!(e, Event::FootTakenUp { .. })) > 0);
}

/// A game as long as a game can be, at a table as large as a table can be, fits its store.
/// Rule: HF-10.6, HF-10.7
#[test]
fn the_longest_game_at_the_largest_table_can_be_stored() {
    let mut draft = quick(12, 1);
    draft.decks = Decks::Fixed(14);
    draft.jokers_per_deck = 8;
    draft.packets = PerRound::Same(vec![16, 16, 16, 16]);
    (draft.length.rounds, draft.length.target) = (None, Some(100_000));
    let rules = validated(draft);
    let mut game = game(&rules, 1);
    let mut chooser = chance(1);
    let mut events = Events::new();
    let (mut largest, mut largest_step) = (0, 0);
    loop {
        events.clear();
        match game.public().to_act() {
            Some(seat) => {
                let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
                game.play(seat, &action, &mut events).unwrap();
            }
            None => {
                largest = largest.max(game.snapshot().reveal().len());
                if game.deal_next(&[], &mut events).is_err() {
                    break;
                }
            }
        }
        largest_step = largest_step.max(events.store(&rules).len());
    }
    assert_eq!(game.history().len(), handfoot_view::ROUNDS_PLAYED_MAX);
    assert!(Game::restore(&rules, game.snapshot().reveal()).is_ok());
    assert!(largest <= handfoot_engine::SNAPSHOT_BYTES_MAX, "{largest} bytes");
    assert!(largest_step <= 16 * 1024, "{largest_step} bytes");
}

/// Rule: HF-1.7
#[test]
fn numbers_lifted_are_entered_before_the_first_act_and_recorded() {
    use handfoot_engine::LiftRefused;
    use handfoot_view::{Asked, Seat, Step};
    use std::num::NonZero;
    let mut draft = quick(4, 2);
    draft.exact_pick = ExactPick { bonus: 300, model: ExactPickModel::Entered };
    let rules = validated(draft.clone());
    let mut game = game(&rules, 3);
    let mut events = Events::new();
    let cards = |number| NonZero::new(number).unwrap();
    let seat = |number| Seat::from_number(number).unwrap();
    game.enter_lift(seat(1), cards(18), &mut events).unwrap();
    game.enter_lift(seat(3), cards(18), &mut events).unwrap();
    game.enter_lift(seat(2), cards(17), &mut events).unwrap();
    let lifted = events.seen_by(Viewer::Spectator).map(|seen| seen.event().clone());
    assert!(
        lifted.eq([(1, 18), (3, 18), (2, 17)]
            .map(|(number, lifted)| Event::Lifted { seat: seat(number), cards: cards(lifted) }))
    );
    let again = game.enter_lift(seat(1), cards(18), &mut events);
    assert_eq!(again, Err(LiftRefused::Twice { entered: cards(18) }));
    let nobody = game.enter_lift(seat(5), cards(18), &mut events);
    assert_eq!(nobody, Err(LiftRefused::NoSuchSeat { seats: 4 }));
    let many = game.enter_lift(seat(4), cards(1001), &mut events);
    assert_eq!(many, Err(LiftRefused::TooMany { allowed: 1000 }));
    assert!(game.awaits_lifts(), "that of seat 4 is not known");
    comes_back("entered", &rules, &game);
    let mut all_known = game.clone();
    all_known.enter_lift(seat(4), cards(17), &mut Events::new()).unwrap();
    assert!(!all_known.awaits_lifts());
    let mut chooser = chance(3);
    let mut turn_and_step = Vec::new();
    while let Some(seat) = game.public().to_act() {
        let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
        game.play(seat, &action, &mut events).unwrap();
        let late = game.enter_lift(Seat::from_index(3).unwrap(), cards(18), &mut events);
        let Err(LiftRefused::TooLate { turn, step, .. }) = late else { panic!("{late:?}") };
        turn_and_step.push((turn, step));
        assert!(!game.awaits_lifts());
    }
    assert_eq!(turn_and_step[0], (1, Step::Play));
    assert!(turn_and_step.contains(&(2, Step::Draw)));
    let end = turn_and_step.last().unwrap();
    assert_eq!(*end, (game.public().turns, Step::Over));
    let paid =
        |team: usize| game.history()[0].scores[team].line(handfoot_rules::ScoreLine::ExactPicks);
    assert_eq!((paid(0).count, paid(0).points), (2, 600), "once a seat, to its team");
    assert_eq!((paid(1).count, paid(1).points), (0, 0));
    let record = game.record().unwrap();
    assert!(record.text().contains("\nlift 1 18\nlift 3 18\nlift 2 17\n"));
    let replayed = replay(&handfoot_engine::GameRecord::parse(record.text()).unwrap()).unwrap();
    assert!(replayed.public() == game.public() && replayed.history() == game.history());
    // A question before the draw is an act too. Rule: HF-8.6
    let asked = "turns 1\nturn 1 draw ; asked refused\n";
    let mut asked = Game::from_position(Arc::clone(&rules), asked).unwrap();
    let late = LiftRefused::TooLate { turn: 1, step: Step::Draw, asked: Asked::Refused };
    assert_eq!(asked.enter_lift(seat(4), cards(18), &mut events), Err(late));
    assert!(!asked.awaits_lifts());
    draft.exact_pick = ExactPick { bonus: 300, model: ExactPickModel::Chance(1.0) };
    let mut other = handfoot_test_kit::game(&validated(draft), 3);
    let model = ExactPickModel::Chance(1.0);
    assert_eq!(
        other.enter_lift(seat(1), cards(18), &mut events),
        Err(LiftRefused::NotEntered { model })
    );
}
