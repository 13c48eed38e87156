//! Options of a table, by themselves and together: undo by consent, and lays that are concealed
//! until they can no longer be undone.
//!
//! **Invariant:** every option is played with every law checked.

use std::sync::Arc;

use handfoot_engine::laws::play_to_end;
use handfoot_engine::{Events, Game, GameRecord, Seed, Viewer, World, replay};
use handfoot_rules::Rules;
use handfoot_view::notation::{parse_view, read_action, write_view};
use handfoot_view::{
    Action, Answer, Event, Lays, Phase, Seat, TableOptions, UNDO_QUESTIONS_MAX, UNDOS_MAX, Undo,
    ViewRef, judge, list, sample,
};
use proptest::prelude::*;
use rand_xoshiro::rand_core::Rng;

use crate::games::{chance, every_table, rules};

const CHOICES: [TableOptions; 6] = [
    TableOptions { undo: Undo::OwnTurn, lays: Lays::Open },
    TableOptions { undo: Undo::ByConsent, lays: Lays::Open },
    TableOptions { undo: Undo::Off, lays: Lays::Open },
    TableOptions { undo: Undo::OwnTurn, lays: Lays::Concealed },
    TableOptions { undo: Undo::ByConsent, lays: Lays::Concealed },
    TableOptions { undo: Undo::Off, lays: Lays::Concealed },
];

fn game(rules: &Arc<Rules>, options: TableOptions, seed: u64) -> Game {
    Game::new(Arc::clone(rules), options, "test", Seed::chosen(seed), None, &mut Events::new())
}

/// Random play in which a seat takes back lays now and then, and others allow it or not.
fn restless(view: ViewRef<'_>, rng: &mut impl Rng) -> Option<Action> {
    let number = rng.next_u32();
    let undo = Action::UndoLays(1 + u8::try_from(number % 3).unwrap());
    if number.is_multiple_of(5) && judge(view, &undo).is_ok() {
        return Some(undo);
    }
    let asked_to_undo = judge(view, &Action::AnswerUndo(Answer::No)).is_ok();
    match asked_to_undo && number.is_multiple_of(7) {
        true => Some(Action::AnswerUndo(Answer::No)),
        false => sample(view, rng),
    }
}

/// Plays until it is somebody's turn with at least so many lays that can be undone.
fn with_lays(rules: &Arc<Rules>, options: TableOptions, acts: u8) -> (Game, Seat) {
    for seed in 0..200 {
        let mut game = game(rules, options, seed);
        let (mut chooser, mut events) = (chance(seed), Events::new());
        while let Some(seat) = game.public().to_act() {
            if game.view(seat).as_ref().table.undoable() >= acts {
                return (game, seat);
            }
            let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
            game.play(seat, &action, &mut events).unwrap();
        }
    }
    panic!("nobody laid {acts} times in a turn");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Every law holds with every option: conservation, fold, non-interference, menus, no effect.
    /// Rule: HF-13.1, HF-13.3, HF-13.4
    #[test]
    fn every_option_keeps_every_law(
        seed in any::<u64>(),
        table in any::<prop::sample::Index>(),
        options in prop::sample::select(&CHOICES),
    ) {
        let tables = every_table();
        let rules = table.get(&tables);
        let mut chooser = chance(seed);
        let choose = |view: ViewRef<'_>| restless(view, &mut chooser);
        let played = play_to_end(game(rules, options, seed), 8, &mut chance(!seed), choose);
        prop_assert!(played.is_ok(), "{}", played.map(|_| ()).unwrap_err().0);
        let game = played.unwrap();
        let text = game.record().unwrap().text().to_owned();
        let again = replay(&GameRecord::parse(&text).unwrap()).unwrap();
        prop_assert!(again.record().unwrap().text() == text);
        for viewer in viewers(&game) {
            prop_assert!(again.table_view(viewer) == game.table_view(viewer));
        }
    }
}

fn viewers(game: &Game) -> Vec<Viewer> {
    let seats = Seat::all(game.rules().seats()).map(Viewer::Seat);
    seats.chain([Viewer::Spectator]).collect()
}

/// Snapshots, stored events, positions and views of every option come back. Rule: HF-13.3
#[test]
fn what_is_stored_and_written_comes_back() {
    let rules = rules("whitnack", 4, None);
    let mut concealed = 0;
    for (seed, options) in (1..).zip(CHOICES) {
        let mut game = game(&rules, options, seed);
        let (mut chooser, mut events) = (chance(seed), Events::new());
        for _ in 0..700 {
            let Some(seat) = game.public().to_act() else { break };
            events.clear();
            let action = restless(game.view(seat).as_ref(), &mut chooser).unwrap();
            game.play(seat, &action, &mut events).unwrap();
            let restored = Game::restore(&rules, game.snapshot().reveal()).unwrap();
            let logged = Events::restore(&rules, &events.store(&rules)).unwrap();
            let placed = Game::from_position(Arc::clone(&rules), game.position().reveal()).unwrap();
            for viewer in viewers(&game) {
                let view = game.table_view(viewer);
                assert!(restored.table_view(viewer) == view);
                assert!(logged.seen_by(viewer).eq(events.seen_by(viewer)));
                let text = write_view(&view, &rules);
                assert_eq!(placed.table_view(viewer), view, "{text}");
                assert_eq!(parse_view(&text, &rules).unwrap(), view, "{text}");
                concealed += u32::from(view.table.teams != placed_teams(&game));
            }
        }
    }
    assert!(concealed > 100, "lays were concealed at {concealed} moments only");
}

fn placed_teams(game: &Game) -> Vec<handfoot_view::TeamTable> {
    let turn = game.public().turn().unwrap_or(game.public().dealer);
    game.view(turn).as_ref().table.teams.clone()
}

/// Whatever a seat lays, others are sent the same while it is concealed, and all of it together
/// when the turn ends. Rule: HF-13.3, HF-13.4
#[test]
fn others_cannot_tell_one_concealed_lay_from_another() {
    let rules = rules("whitnack", 4, None);
    let options = TableOptions { undo: Undo::OwnTurn, lays: Lays::Concealed };
    let mut pairs = 0;
    for seed in 0..40 {
        let mut game = game(&rules, options, seed);
        let (mut chooser, mut events) = (chance(seed), Events::new());
        for _ in 0..300 {
            let Some(seat) = game.public().to_act() else { break };
            pairs += same_for_others(&game, seat);
            events.clear();
            let action = restless(game.view(seat).as_ref(), &mut chooser).unwrap();
            game.play(seat, &action, &mut events).unwrap();
        }
    }
    assert!(pairs > 200, "{pairs} pairs of lays");
}

/// How many lays of a position were compared, each with the first.
fn same_for_others(game: &Game, seat: Seat) -> u32 {
    let mut actions = Vec::new();
    list(game.view(seat).as_ref(), &mut actions);
    let mut first: Option<(Game, Events)> = None;
    let mut compared = 0;
    for action in actions.iter().filter(|action| matches!(action, Action::Lay(_))) {
        let (mut there, mut events) = (game.clone(), Events::new());
        there.play(seat, action, &mut events).unwrap();
        if events.len() > 1 {
            // It emptied the hand or went out: that shows it.
            continue;
        }
        let Some((here, seen)) = &first else {
            first = Some((there, events));
            continue;
        };
        compared += 1;
        for viewer in viewers(game).into_iter().filter(|viewer| *viewer != Viewer::Seat(seat)) {
            assert!(events.seen_by(viewer).eq(seen.seen_by(viewer)));
            assert!(there.table_view(viewer) == here.table_view(viewer));
        }
    }
    compared
}

/// The discard shows all lays of the turn, in order and once. Rule: HF-13.4
#[test]
fn the_discard_shows_what_was_concealed() {
    let rules = rules("whitnack", 4, None);
    let options = TableOptions { undo: Undo::OwnTurn, lays: Lays::Concealed };
    let (mut game, seat) = with_lays(&rules, options, 3);
    let partner = seat.next(4).next(4);
    let team = game.public().team_of(seat).index();
    let own = game.view(seat).as_ref().table.clone();
    let seen = game.view(partner).as_ref().table.clone();
    assert!(seen.laid.is_empty() && seen.teams[team].melds != own.teams[team].melds);
    let laid = u16::try_from(own.laid.len()).unwrap();
    assert_eq!(seen.seats[seat.index()].held, own.seats[seat.index()].held + laid);
    let held = game.view(seat).as_ref().own.clone();
    let discard = held
        .iter()
        .map(Action::Discard)
        .find(|action| judge(game.view(seat).as_ref(), action).is_ok());
    let mut events = Events::new();
    game.play(seat, &discard.unwrap(), &mut events).unwrap();
    let sent: Vec<_> = events.seen_by(Viewer::Seat(partner)).collect();
    let Event::LaysShown { lays, .. } = sent[0].event() else { panic!("{:?}", sent[0]) };
    assert_eq!(lays.len(), 3);
    assert!(matches!(sent[1].event(), Event::Discarded { .. }));
    let mark = events.seen_by(Viewer::Seat(seat)).next().unwrap();
    assert_eq!(*mark.event(), Event::LaysShown { seat, lays: Vec::new() });
    assert!(game.view(partner).as_ref().table.teams[team].melds == own.teams[team].melds);
}

/// All others are asked in turn order, the last yes undoes, and nobody acts meanwhile.
/// Rule: HF-13.1
#[test]
fn every_other_seat_must_consent() {
    let rules = rules("whitnack", 4, None);
    let options = TableOptions { undo: Undo::ByConsent, lays: Lays::Open };
    let (mut game, asker) = with_lays(&rules, options, 2);
    let before = game.public().clone();
    let mut events = Events::new();
    let mut play = |game: &mut Game, seat: Seat, action: Action| {
        events.clear();
        game.play(seat, &action, &mut events).map_err(|refused| refused.reason())
    };
    play(&mut game, asker, Action::UndoLays(2)).unwrap();
    let others: Vec<Seat> = game.public().others(asker).collect();
    assert_eq!(others.len(), 3);
    for (index, other) in others.iter().enumerate() {
        assert_eq!(game.public().to_act(), Some(*other));
        assert_eq!(game.public().undoable(), before.undoable(), "nothing is undone yet");
        assert_eq!(play(&mut game, asker, Action::UndoLays(1)), Err("NOT_YOUR_TURN"));
        assert_eq!(play(&mut game, *other, Action::Draw), Err("MUST_ANSWER_UNDO"));
        let go_out = Action::AnswerGoOut(Answer::Yes);
        assert_eq!(play(&mut game, *other, go_out), Err("MUST_ANSWER_UNDO"));
        let mut refused = game.clone();
        play(&mut refused, *other, Action::AnswerUndo(Answer::No)).unwrap();
        assert_eq!(refused.public().phase, before.phase, "no of answer {index}");
        assert_eq!(refused.public().laid, before.laid);
        play(&mut game, *other, Action::AnswerUndo(Answer::Yes)).unwrap();
    }
    assert_eq!(game.public().phase, before.phase);
    assert_eq!(game.public().undoable(), before.undoable() - 2);
    assert_eq!(game.public().undos, 1);
    assert_eq!(play(&mut game, asker, Action::AnswerUndo(Answer::Yes)), Err("NOTHING_ASKED"));
}

/// A seat that has laid down to one card in its foot can discard that card in every world, while it
/// asks whether it may undo as well: after a no it goes on. Rule: HF-8.13, HF-13.1
#[test]
fn who_is_refused_an_undo_goes_on_in_every_world() {
    let rules = rules("pennies-from-heaven", 6, None);
    let text = "undo by_consent
turn 1 play stock
seat 1 foot Kx2 ; full_turn
meld 1 7x7
meld 2 7x7
meld 1 8x7
meld 1 9x5 2x2
meld 1 2x5 *x2
meld 1 Kx3
";
    let mut game = Game::from_position(Arc::clone(&rules), text).unwrap();
    let (mut events, mut rng) = (Events::new(), chance(1));
    let asker = game.public().turn().unwrap();
    for text in ["lay m5 K", "undo 1"] {
        let action = read_action(text, game.view(asker).as_ref()).unwrap();
        game.play(asker, &action, &mut events).unwrap();
    }
    let answering = game.public().to_act().unwrap();
    assert!(matches!(game.public().phase, Phase::AwaitUndo { .. }));
    assert_eq!(game.public().seats[asker.index()].held, 1);
    for _ in 0..200 {
        let mut world = World::resample(game.view(answering).as_ref(), &rules, &mut rng);
        world.check().unwrap();
        world.play(answering, &Action::AnswerUndo(Answer::No), &mut events).unwrap();
        world.check().unwrap();
        let mut actions = Vec::new();
        list(world.view(asker), &mut actions);
        assert!(!actions.is_empty(), "nothing can be done with {:?}", world.view(asker).own);
    }
}

/// A turn ends: lays and undos, or questions, do not go on without end. Rule: HF-13.2
#[test]
fn undos_of_a_turn_are_counted() {
    let rules = rules("whitnack", 4, None);
    let own_turn = TableOptions { undo: Undo::OwnTurn, lays: Lays::Open };
    let by_consent = TableOptions { undo: Undo::ByConsent, lays: Lays::Open };
    for (options, allowed) in [(own_turn, UNDOS_MAX), (by_consent, UNDO_QUESTIONS_MAX)] {
        let (mut game, seat) = with_lays(&rules, options, 1);
        let mut events = Events::new();
        for undone in 0..allowed {
            assert_eq!(game.public().undos, undone);
            let acts = game.public().undoable();
            let lay = game.public().undoable_lays(&without(&game)).pop().unwrap();
            game.play(seat, &Action::UndoLays(acts), &mut events).unwrap();
            while let Phase::AwaitUndo { answering, .. } = game.public().phase {
                game.play(answering, &Action::AnswerUndo(Answer::Yes), &mut events).unwrap();
            }
            game.play(seat, &Action::Lay(lay), &mut events).unwrap();
        }
        let refused = game.play(seat, &Action::UndoLays(1), &mut events).unwrap_err();
        assert_eq!(refused.reason(), "TOO_MANY_UNDOS");
        assert_eq!(handfoot_view::Menu::of(game.view(seat).as_ref()).undoable, 0);
    }
}

/// The table without what can be undone.
fn without(game: &Game) -> handfoot_view::PublicTable {
    let mut table = game.public().clone();
    table.options.lays = Lays::Concealed;
    table.without_concealed(game.rules()).unwrap()
}
