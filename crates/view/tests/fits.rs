//! Each way in which an event does not fit a table, one by one.
//!
//! **Invariant:** every row is one step away from an event that fits. Random events are tried
//! beside the engine, which makes them.

use std::num::NonZero;
use std::slice::from_ref;

use handfoot_cards::{Card, Cards, Kind};
use handfoot_rules::{ExactPick, ExactPickModel};
use handfoot_view::{
    Answer, Asked, Concealed, DrawCause, Drew, Event, FootStage, Lay, Lays, MeldId, Phase, Refill,
    RoundEnd, RoundResult, Seat, ShownCards, TableView, Target, ToFoot, Undo, Unfit,
};

use crate::tables::{Table, rules, seat, whitnack};

fn kings(count: usize) -> Vec<Card> {
    (0..count).map(|slot| Kind::KING.card(slot)).collect()
}

fn lay(target: Target, cards: &[Card]) -> Lay {
    Lay::of(target, cards).unwrap()
}

fn meld(number: usize) -> Target {
    Target::Meld(MeldId::from_number(number).unwrap())
}

fn fits(table: &Table, event: &Event) -> Result<(), Unfit> {
    let view = TableView {
        seat: Some(table.viewer),
        own: table.own.clone(),
        table: table.public.clone(),
        history: Vec::new(),
    };
    let fits = view.fits(event, &table.rules);
    if fits.is_ok() {
        view.clone().apply(event, &table.rules);
    }
    fits
}

/// The viewer, seat 1, plays with four kings, a queen and a two; its team has a meld of nines.
fn playing() -> Table {
    Table::new(whitnack()).own("KCx1 KDx1 KHx1 KSx1 QC 2C").meld("9C 9D 9H")
}

fn laid(number: usize, lay: Lay) -> Event {
    Event::Laid { seat: seat(number), lay }
}

fn drew(number: usize, cards: Concealed) -> Event {
    Event::Drew { seat: seat(number), cards, cause: DrawCause::DrawStep }
}

#[test]
fn seats_are_those_of_the_table_and_of_the_turn() {
    let table = playing();
    let discarded = |number| Event::Discarded { seat: seat(number), card: Kind::QUEEN.card(0) };
    assert_eq!(fits(&table, &discarded(1)), Ok(()));
    assert_eq!(fits(&table, &discarded(5)), Err(Unfit::NoSuchSeat { seat: seat(5) }));
    let other = Unfit::OtherSeat { seat: seat(2), expected: seat(1) };
    assert_eq!(fits(&table, &discarded(2)), Err(other));
    assert_eq!(fits(&table.clone().draw(), &discarded(1)), Err(Unfit::Untimely));
    let began = |number| Event::TurnBegan { seat: seat(number) };
    assert_eq!(fits(&table, &began(2)), Ok(()));
    let other = Unfit::OtherSeat { seat: seat(3), expected: seat(2) };
    assert_eq!(fits(&table, &began(3)), Err(other));
    let over = Phase::RoundOver { how: RoundEnd::WentOut(seat(1)) };
    assert_eq!(fits(&table.clone().phase(over), &began(2)), Err(Unfit::Untimely));
    let mut last = table;
    last.public.turns = u16::MAX;
    assert_eq!(fits(&last, &began(2)), Err(Unfit::Overflow));
}

#[test]
fn cards_come_from_a_stock_that_has_them_and_with_their_faces() {
    let table = playing().draw();
    let faces = |count| Concealed::Faces(kings(count).into_iter().collect());
    assert_eq!(fits(&table, &drew(1, faces(2))), Ok(()));
    assert_eq!(fits(&table, &drew(1, Concealed::Backs(2))), Err(Unfit::OwnConcealed));
    let stock = |named| Unfit::Stock { named, stock: 50 };
    assert_eq!(fits(&table, &drew(1, Concealed::Backs(51))), Err(stock(51)));
    assert_eq!(fits(&table, &drew(1, Concealed::Backs(0))), Err(stock(0)));
    let one_face: Cards = std::iter::repeat_n(Kind::KING.card(0), 5).collect();
    let more = drew(1, Concealed::Faces(one_face));
    assert_eq!(fits(&table, &more), Err(Unfit::MoreThanInPlay));
    let mut full = table.clone();
    full.public.seats[0].held = u16::MAX - 1;
    assert_eq!(fits(&full, &drew(1, faces(2))), Err(Unfit::Overflow));
    let took = table.play(Drew::Discards);
    assert_eq!(fits(&took, &drew(1, faces(1))), Err(Unfit::Untimely));
}

#[test]
fn what_is_laid_is_held_and_belongs_there() {
    let table = playing();
    let not_held = Unfit::NotHeld { seat: seat(1) };
    assert_eq!(fits(&table, &laid(1, lay(Target::New, &kings(3)))), Ok(()));
    let nines: Vec<Card> = Kind::NINE.cards().take(1).collect();
    assert_eq!(fits(&table, &laid(1, lay(meld(1), &nines))), Err(not_held));
    let meld_2 = Unfit::NoSuchMeld { meld: MeldId::from_number(2).unwrap() };
    assert_eq!(fits(&table, &laid(1, lay(meld(2), &kings(1)))), Err(meld_2));
    for cards in [kings(1), kings(2)] {
        let strange = laid(1, lay(meld(1), &cards));
        assert_eq!(fits(&table, &strange), Err(Unfit::Misplaced));
        let small = laid(1, lay(Target::New, &cards));
        assert_eq!(fits(&table, &small), Err(Unfit::Misplaced));
    }
    let nothing = Unfit::Count { named: 0, expected: 1 };
    assert_eq!(fits(&table, &laid(1, Lay::new())), Err(nothing));
    // Another seat lays what is hidden: it holds enough, and not what it is known to hold besides.
    let mut other = playing().seen_by(3);
    other.public.seats[0].held = 3;
    assert_eq!(fits(&other, &laid(1, lay(Target::New, &kings(3)))), Ok(()));
    other.public.seats[0].known[Kind::QUEEN.index()] = 1;
    assert_eq!(fits(&other, &laid(1, lay(Target::New, &kings(3)))), Err(not_held));
    other.public.seats[0].held = 2;
    assert_eq!(fits(&other, &laid(1, lay(Target::New, &kings(3)))), Err(not_held));
}

#[test]
fn concealed_lays_are_told_as_the_viewer_may_know_them() {
    let mut table = playing();
    let lay = lay(Target::New, &kings(3));
    let concealed = |lay: Option<&Lay>| Event::LaidConcealed { seat: seat(1), lay: lay.cloned() };
    let shown = |lays: &[Lay]| Event::LaysShown { seat: seat(1), lays: lays.to_vec() };
    assert_eq!(fits(&table, &concealed(Some(&lay))), Err(Unfit::Excluded));
    assert_eq!(fits(&table, &shown(from_ref(&lay))), Err(Unfit::Excluded));
    table.public.options.lays = Lays::Concealed;
    assert_eq!(fits(&table, &laid(1, lay.clone())), Err(Unfit::Excluded));
    assert_eq!(fits(&table, &concealed(Some(&lay))), Ok(()));
    assert_eq!(fits(&table, &concealed(None)), Err(Unfit::OwnConcealed));
    assert_eq!(fits(&table, &shown(&[])), Err(Unfit::Untimely));
    assert_eq!(fits(&table, &shown(from_ref(&lay))), Err(Unfit::OwnConcealed));
    let mut other = table.seen_by(3);
    other.public.seats[0].held = 6;
    assert_eq!(fits(&other, &concealed(None)), Ok(()));
    assert_eq!(fits(&other, &concealed(Some(&lay))), Err(Unfit::OthersShown));
    assert_eq!(fits(&other, &shown(&[lay])), Ok(()));
    assert_eq!(fits(&other, &shown(&[])), Err(Unfit::Count { named: 0, expected: 1 }));
}

#[test]
fn only_what_was_laid_is_taken_back() {
    let mut table = playing();
    let undone = |acts| Event::LaysUndone { seat: seat(1), acts };
    let none = |acts, undoable| Err(Unfit::NotUndoable { acts, undoable });
    assert_eq!(fits(&table, &undone(1)), none(1, 0));
    table.public.apply(&laid(1, lay(Target::New, &kings(3))), &table.rules);
    assert_eq!(fits(&table, &undone(1)), Ok(()));
    assert_eq!(fits(&table, &undone(0)), none(0, 1));
    assert_eq!(fits(&table, &undone(2)), none(2, 1));
    let mut gone = table.clone();
    gone.public.teams[0].melds.truncate(1);
    assert_eq!(fits(&gone, &undone(1)), none(1, 1));
    // A meld that was started later would hang in the air.
    let mut later = table.clone().meld("4C 4D 4H");
    assert_eq!(fits(&later, &undone(1)), none(1, 1));
    later.public.options.undo = Undo::Off;
    assert_eq!(fits(&later, &undone(1)), Err(Unfit::Excluded));
    table.public.laid.iter_mut().for_each(|laid| laid.act = u8::MAX);
    assert_eq!(fits(&table, &undone(1)), Err(Unfit::Overflow));
}

#[test]
fn the_discard_pile_is_taken_by_its_upcard() {
    let table = playing().draw();
    let taken =
        |cards: &[Card]| Event::DiscardsTaken { seat: seat(1), lay: lay(Target::New, cards) };
    assert_eq!(fits(&table, &taken(&kings(3))), Err(Unfit::Discards));
    let table = table.discards("4C 5C KC");
    assert_eq!(fits(&table, &taken(&kings(3))), Ok(()));
    assert_eq!(fits(&table, &taken(&kings(4)[1..])), Err(Unfit::Misplaced));
    let mut known = table.clone();
    known.public.seats[0].known[Kind::FOUR.index()] = u8::MAX;
    assert_eq!(fits(&known, &taken(&kings(3))), Err(Unfit::NotHeld { seat: seat(1) }));
    let played = table.play(Drew::Stock);
    assert_eq!(fits(&played, &taken(&kings(3))), Err(Unfit::Untimely));
}

#[test]
fn questions_go_round_in_order() {
    let table = playing();
    let asked = |number| Event::AskedToGoOut { seat: seat(1), answering: seat(number) };
    assert_eq!(fits(&table, &asked(3)), Ok(()));
    assert_eq!(fits(&table, &asked(2)), Err(Unfit::OtherNext));
    assert_eq!(fits(&table.clone().asked(Asked::Refused), &asked(3)), Err(Unfit::Twice));
    let answered = |number, answer, next| Event::Answered { seat: seat(number), answer, next };
    assert_eq!(fits(&table, &answered(3, Answer::Yes, None)), Err(Unfit::Untimely));
    let (asker, drew) = (seat(1), Some(Drew::Stock));
    let open = table.clone().phase(Phase::AwaitAnswer { asker, answering: seat(3), drew });
    assert_eq!(fits(&open, &answered(3, Answer::Yes, None)), Ok(()));
    let next = Some(seat(1));
    assert_eq!(fits(&open, &answered(3, Answer::Yes, next)), Err(Unfit::OtherNext));
    let other = Unfit::OtherSeat { seat: seat(2), expected: seat(3) };
    assert_eq!(fits(&open, &answered(2, Answer::No, None)), Err(other));
    let undo = Event::UndoAsked { seat: seat(1), acts: 1, answering: seat(2) };
    assert_eq!(fits(&table, &undo), Err(Unfit::Excluded));
    let undo = Event::UndoAnswered { seat: seat(2), answer: Answer::Yes, next: Some(seat(3)) };
    assert_eq!(fits(&table, &undo), Err(Unfit::Untimely));
}

#[test]
fn a_foot_has_its_size_and_is_taken_up_once() {
    let table = playing();
    let taken_up = |count, how| Event::FootTakenUp {
        seat: seat(1),
        cards: Concealed::Faces(table.rules.pack().cards().iter().take(count).collect()),
        how,
    };
    let size = usize::from(table.public.round(&table.rules).packets[1]);
    assert_eq!(fits(&table, &taken_up(size, ToFoot::Ran)), Ok(()));
    let short = Unfit::Count { named: 5, expected: size };
    assert_eq!(fits(&table, &taken_up(5, ToFoot::Ran)), Err(short));
    assert_eq!(fits(&table, &taken_up(size, ToFoot::Walked)), Err(Unfit::Untimely));
    let in_foot = table.clone().foot(1, FootStage::TakenUp);
    let none = Unfit::NoPacket { seat: seat(1) };
    assert_eq!(fits(&in_foot, &taken_up(size, ToFoot::Ran)), Err(none));
}

#[test]
fn what_the_rules_do_not_have_does_not_happen() {
    let table = playing().discards("4C 2C");
    let removed = Event::DiscardsRemoved { count: 2 };
    assert_eq!(fits(&table, &removed), Err(Unfit::Excluded));
    let refilled = Event::StockRefilled { from: Refill::Deck, count: 54 };
    assert_eq!(fits(&table, &refilled), Err(Unfit::Excluded));
    let passed = Event::TurnPassed { seat: seat(1) };
    assert_eq!(fits(&table.clone().draw(), &passed), Err(Unfit::Excluded));
    let lifted = |cards| Event::Lifted { seat: seat(1), cards: NonZero::new(cards).unwrap() };
    assert_eq!(fits(&table, &lifted(22)), Err(Unfit::Excluded));
    let entered = ExactPick { bonus: 100, model: ExactPickModel::Entered };
    let mut first = Table::new(rules(4, |draft| draft.exact_pick = entered)).draw();
    assert_eq!(fits(&first, &lifted(22)), Err(Unfit::Untimely));
    first.public.turns = 1;
    assert_eq!(fits(&first, &lifted(22)), Ok(()));
    assert_eq!(fits(&first, &lifted(u16::MAX)), Err(Unfit::Overflow));
    let asked = Phase::Draw { seat: seat(1), asked: Asked::Refused };
    assert_eq!(fits(&first.clone().phase(asked), &lifted(22)), Err(Unfit::Untimely));
    first.public.seats[0].lifted = NonZero::new(22);
    assert_eq!(fits(&first, &lifted(22)), Err(Unfit::Twice));
}

#[test]
fn a_result_is_of_this_round_and_shows_what_was_held() {
    let mut table = playing();
    for public in &mut table.public.seats[1..] {
        public.held = 0;
    }
    let foot: Cards = table.rules.pack().cards().iter().take(13).collect();
    let shown = |own: &Cards| ShownCards { own: own.clone(), packets: vec![foot.clone()] };
    let result = RoundResult {
        round_index: 0,
        how: RoundEnd::StockRanOut(seat(1)),
        turns: table.public.turns,
        scores: vec![handfoot_rules::RoundScore::default(); 2],
        shown: Seat::all(4)
            .map(|seat| if seat.index() == 0 { shown(&table.own) } else { shown(&Cards::EMPTY) })
            .collect(),
        seed: [0; 32],
    };
    let ended = |change: &dyn Fn(&mut RoundResult)| {
        let mut result = result.clone();
        change(&mut result);
        fits(&table, &Event::RoundEnded { result: Box::new(result) })
    };
    let count = |named, expected| Err(Unfit::Count { named, expected });
    // Four feet of the same thirteen cards are too many of each.
    assert_eq!(ended(&|_| {}), Err(Unfit::MoreThanInPlay));
    let foots: Vec<Card> = table.rules.pack().cards().iter().collect();
    let apart = |result: &mut RoundResult| {
        for (shown, foot) in result.shown.iter_mut().zip(foots[40..].chunks(13)) {
            shown.packets = vec![foot.iter().copied().collect()];
        }
    };
    assert_eq!(ended(&apart), Ok(()));
    assert_eq!(ended(&|result| result.round_index = 1), count(1, 0));
    assert_eq!(ended(&|result| result.turns = 9), count(9, 5));
    assert_eq!(ended(&|result| result.scores.truncate(1)), count(1, 2));
    assert_eq!(ended(&|result| result.shown.truncate(3)), count(3, 4));
    assert_eq!(ended(&|result| result.shown[1].packets.clear()), count(0, 1));
    let not_held = Unfit::NotHeld { seat: seat(1) };
    let other_card = |result: &mut RoundResult| {
        result.shown[0].own = Cards::EMPTY;
        result.shown[0].own.extend(foots[..6].iter().copied());
    };
    assert_eq!(ended(&other_card), Err(not_held));
    assert_eq!(ended(&|result| result.how = RoundEnd::WentOut(seat(1))), Err(not_held));
    let other = Unfit::OtherSeat { seat: seat(2), expected: seat(1) };
    assert_eq!(ended(&|result| result.how = RoundEnd::WentOut(seat(2))), Err(other));
    let points = |result: &mut RoundResult| {
        let line = handfoot_rules::ScoreLine::CleanBooks;
        result.scores[0].points(line, i32::MAX);
        result.scores[0].points(handfoot_rules::ScoreLine::GoingOut, 1);
    };
    assert_eq!(ended(&points), Err(Unfit::Overflow));
}
