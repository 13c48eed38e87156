//! What is encoded and decoded again is what it was.
//!
//! **Invariant:** messages go through bytes, as they do on a wire.

use handfoot_engine::{Events, Viewer};
use handfoot_protocol::{Codec, DecodeProblem, v1};
use handfoot_view::{
    Action, Answer, Event, Lay, MeldId, Menu, Seat, TakeOffer, Target, WayOut, list,
};
use prost::Message;

use crate::games::{below, chance, every_table, game, rules, step, viewers};

fn received<M: Message + Default>(message: &M) -> M {
    M::decode(message.encode_to_vec().as_slice()).unwrap()
}

/// Views, menus, lists and events of games at every table.
#[test]
fn what_is_sent_is_what_is_read() {
    let (mut closed, mut results) = (0, 0);
    for (seed, rules) in (11..).zip(every_table()) {
        let codec = Codec::new(&rules);
        let mut game = game(&rules, seed);
        let mut rng = chance(seed);
        let mut events = Events::new();
        for steps in 0..2000 {
            if !step(&mut game, &mut rng, &mut events) {
                break;
            }
            for viewer in viewers(&rules) {
                for seen in events.seen_by(viewer) {
                    let read = codec.decode_event(&received(&codec.encode_event(seen.event())));
                    assert_eq!(read.as_ref(), Ok(seen.event()));
                    results += u32::from(matches!(seen.event(), Event::RoundEnded { .. }));
                }
                if steps % 7 != 0 {
                    continue;
                }
                let view = game.table_view(viewer);
                let read = codec.decode_view(&received(&codec.encode_view(&view))).unwrap();
                assert_eq!(read, view);
                let Viewer::Seat(seat) = viewer else { continue };
                // The decoded view answers as the true one does.
                let lent = read.lend(&rules).unwrap();
                let menu = Menu::of(lent);
                assert_eq!(menu, Menu::of(game.view(seat).as_ref()));
                let mut actions = Vec::new();
                list(lent, &mut actions);
                let sent = received(&codec.encode_legal(3, &menu, &actions));
                assert_eq!(codec.decode_menu(&sent.menu.unwrap()), Ok(menu.clone()));
                assert_eq!(codec.decode_list(&sent.actions), Ok(actions));
                closed += u32::from(matches!(menu.take, Some(TakeOffer::Closed(_))));
            }
        }
    }
    assert!(closed > 50 && results > 20, "{closed} closed offers, {results} results");
}

/// Actions of every shape, lays as long as they may be.
#[test]
fn every_action_comes_back() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let faces: Vec<_> = rules.pack().faces().collect();
    let mut rng = chance(1);
    let mut lays = vec![Lay::new()];
    for _ in 0..200 {
        let mut lay = Lay::new();
        for _ in 0..below(&mut rng, 26) {
            let target = match below(&mut rng, 3) {
                0 => Target::New,
                _ => Target::Meld(MeldId::from_number(below(&mut rng, 256) + 1).unwrap()),
            };
            let cards: Vec<_> =
                (0..below(&mut rng, 8)).map(|_| faces[below(&mut rng, faces.len())]).collect();
            let _ = lay.push(target, &cards);
        }
        lays.push(lay);
    }
    let mut actions = vec![
        Action::Draw,
        Action::AnswerGoOut(Answer::Yes),
        Action::AnswerGoOut(Answer::No),
        Action::AnswerUndo(Answer::Yes),
        Action::AnswerUndo(Answer::No),
        Action::UndoLays(0),
        Action::UndoLays(255),
        Action::AskToGoOut(Box::default()),
    ];
    actions.extend(faces.iter().map(|card| Action::Discard(*card)));
    for pair in lays.windows(2) {
        actions.push(Action::Lay(pair[0].clone()));
        actions.push(Action::TakeDiscards(pair[1].clone()));
        let (take, lay) = (Some(pair[0].clone()), Some(pair[1].clone()));
        actions.push(Action::AskToGoOut(Box::new(WayOut { take, lay, discard: None })));
        let way = WayOut { take: None, lay: None, discard: Some(faces[0]) };
        actions.push(Action::AskToGoOut(Box::new(way)));
    }
    for action in actions {
        let read = codec.decode_action(&received(&codec.encode_action(&action)));
        assert_eq!(read, Ok(action));
    }
}

/// What is wrong with an action is named by its field.
#[test]
fn a_bad_action_is_named_by_its_field() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let problem = |action: v1::action::Action| {
        let batch = vec![v1::Action { action: Some(action) }];
        let error = codec.decode_batch(&batch).unwrap_err();
        (error.field, error.problem)
    };
    let place = |meld, cards| v1::Placement { meld, cards };
    let lay = |placements| v1::action::Action::Lay(v1::Lay { placements });
    let cards = "actions[0].lay.placements[0].cards";
    let unknown = DecodeProblem::UnknownNumber { number: 50 };
    assert_eq!(problem(lay(vec![place(0, vec![1, 50])])), (format!("{cards}[1]"), unknown));
    let named = DecodeProblem::NotInPack { number: 101 };
    assert_eq!(problem(lay(vec![place(0, vec![101])])), (format!("{cards}[0]"), named));
    let none = DecodeProblem::Unspecified;
    assert_eq!(problem(lay(vec![place(0, vec![0])])), (format!("{cards}[0]"), none));
    assert_eq!(problem(lay(vec![place(0, vec![])])), (cards.to_owned(), DecodeProblem::Empty));
    let meld = DecodeProblem::OutOfRange { actual: 257, least: 1, most: 256 };
    let field = "actions[0].lay.placements[0].meld".to_owned();
    assert_eq!(problem(lay(vec![place(257, vec![1])])), (field, meld));
    let field = "actions[0].lay.placements".to_owned();
    let long = DecodeProblem::TooMany { actual: 65, most: 64 };
    assert_eq!(problem(lay(vec![place(0, vec![1; 65])])), (field.clone(), long));
    let wide = DecodeProblem::TooMany { actual: 25, most: 24 };
    assert_eq!(problem(lay(vec![place(0, vec![1]); 25])), (field, wide));
    let undo = DecodeProblem::OutOfRange { actual: 256, least: 0, most: 255 };
    let found = problem(v1::action::Action::UndoLays(256));
    assert_eq!(found, ("actions[0].undo_lays".to_owned(), undo));
    let missing = codec.decode_batch(&[v1::Action { action: None }]).unwrap_err();
    assert_eq!(missing.to_string(), "actions[0]: must be set");
    assert_eq!(codec.decode_batch(&[]).unwrap_err().to_string(), "actions: must not be empty");
    let draw = v1::Action { action: Some(v1::action::Action::Draw(v1::DrawAction {})) };
    let many = codec.decode_batch(&vec![draw; 33]).unwrap_err();
    assert_eq!(many.problem, DecodeProblem::TooMany { actual: 33, most: 32 });
}

/// What follows from other fields is there for clients that know no rule.
#[test]
fn convenience_fields_follow_from_the_others() {
    let rules = rules("whitnack", 6, Some(3));
    let codec = Codec::new(&rules);
    let mut game = game(&rules, 5);
    let mut rng = chance(6);
    let mut events = Events::new();
    let mut books = 0;
    for _ in 0..1500 {
        if !step(&mut game, &mut rng, &mut events) {
            break;
        }
        let viewer = viewers(&rules)[1];
        let view = codec.encode_view(&game.table_view(viewer));
        assert_eq!((view.seat, view.team, view.left, view.right), (2, 2, 3, 1));
        assert_eq!(view.partners, [4, 6]);
        let acting = game.public().to_act().map_or(0, Seat::number);
        assert_eq!(usize::try_from(view.to_act), Ok(acting));
        for team in &view.teams {
            let (made, needed) = (team.made.unwrap(), team.needed.unwrap());
            assert_eq!(usize::try_from(made.total), Ok(team.books.len()));
            assert_eq!(team.missing.unwrap().clean, needed.clean.saturating_sub(made.clean));
            assert!(team.books.iter().all(|book| book.room == 0 && book.cards.len() == 7));
            assert!(team.unfinished.iter().all(|meld| meld.room > 0 && meld.points > 0));
            books += team.books.len();
        }
    }
    assert!(books > 0);
    let spectator = codec.encode_view(&game.table_view(Viewer::Spectator));
    assert_eq!((spectator.seat, spectator.team, spectator.left), (0, 0, 0));
    assert!(spectator.own_cards.is_empty() && spectator.partners.is_empty());
}

/// A view is held to the seats and teams of its table.
#[test]
fn a_view_of_another_table_is_refused() {
    let (four, three) = (rules("whitnack", 4, None), rules("whitnack", 3, None));
    let game = game(&four, 1);
    let mut view = Codec::new(&four).encode_view(&game.table_view(Viewer::Spectator));
    assert!(Codec::new(&four).decode_view(&view).is_ok());
    view.dealer = 1;
    view.phase = Codec::new(&three).encode_view(&first(&three)).phase;
    let error = Codec::new(&three).decode_view(&view).unwrap_err();
    let problem = DecodeProblem::WrongNumber { actual: 4, required: 3 };
    assert_eq!((error.field.as_str(), error.problem), ("seats", problem));
}

/// What lies on the table must fit the pack, and what can be undone must lie there.
#[test]
fn a_view_that_cannot_be_is_refused() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let sent = codec.encode_view(&first(&rules));
    let refused = |change: &dyn Fn(&mut v1::View)| {
        let mut view = sent.clone();
        change(&mut view);
        let error = codec.decode_view(&view).unwrap_err();
        (error.field, error.problem)
    };
    let own = |view: &mut v1::View| {
        view.seat = 1;
        view.own_cards = vec![1; 6];
    };
    let more = DecodeProblem::MoreThanPack { number: 1 };
    assert_eq!(refused(&own), ("own_cards[5]".to_owned(), more));
    let spectator = |view: &mut v1::View| view.own_cards = vec![1];
    assert_eq!(refused(&spectator), ("own_cards".to_owned(), DecodeProblem::Misplaced));
    let meld = |number, rank, cards| v1::Meld { number, rank, cards, ..Default::default() };
    let gap = |view: &mut v1::View| view.teams[0].books = vec![meld(2, 1, vec![1; 3])];
    assert_eq!(refused(&gap), ("teams[0].books[0].number".to_owned(), DecodeProblem::Misplaced));
    let mixed = |view: &mut v1::View| view.teams[1].unfinished = vec![meld(1, 1, vec![1, 5])];
    let field = "teams[1].unfinished[0].cards".to_owned();
    assert_eq!(refused(&mixed), (field, DecodeProblem::Misplaced));
    let laid = |view: &mut v1::View| {
        view.laid = vec![v1::LaidCard { act: 0, meld: 1, card: 1, seen: 1 }];
    };
    assert_eq!(refused(&laid), ("laid[0].meld".to_owned(), DecodeProblem::Misplaced));
    let seed = |view: &mut v1::View| view.commitment = vec![0; 31];
    let length = DecodeProblem::WrongLength { actual: 31, required: 32 };
    assert_eq!(refused(&seed), ("commitment".to_owned(), length));
}

/// What a spectator sees of a game that has just begun.
fn first(rules: &std::sync::Arc<handfoot_rules::Rules>) -> handfoot_view::TableView {
    game(rules, 1).table_view(Viewer::Spectator)
}
