//! What events make of a view: undo, known cards, the foot, questions and answers.
//!
//! **Invariant:** events are applied as a client applies them; none is checked for legality.

use handfoot_cards::{Cards, Kind};
use handfoot_rules::PartnerCondition;
use handfoot_view::{
    Action, Answer, Asked, Concealed, DrawCause, Drew, Event, FootStage, Lay, Phase, TableView,
    ToFoot, judge,
};

use crate::tables::{Table, rules, seat, whitnack};

/// A table's view by its viewer, and what the table says of its rules.
struct Client {
    table: Table,
    view: TableView,
}

impl Client {
    fn of(table: Table) -> Client {
        let view = TableView {
            seat: Some(table.viewer),
            own: table.own.clone(),
            table: table.public.clone(),
            history: Vec::new(),
        };
        Client { table, view }
    }

    fn apply(&mut self, event: &Event) {
        self.view.apply(event, &self.table.rules);
    }

    fn apply_all(&mut self, events: &[Event]) {
        events.iter().for_each(|event| self.apply(event));
    }

    /// The viewer lays, as text.
    fn lay(&mut self, text: &str) {
        let lay = self.read(text);
        self.apply(&Event::Laid { seat: self.table.viewer, lay });
    }

    fn read(&self, text: &str) -> Lay {
        let action = self.table.action(text);
        let (Action::Lay(lay) | Action::TakeDiscards(lay)) = action else {
            panic!("{action:?} lays nothing");
        };
        lay
    }

    fn discard(&mut self, text: &str) {
        let action = self.table.action(text);
        let Action::Discard(card) = action else { panic!("{action:?} is no discard") };
        self.apply(&Event::Discarded { seat: self.table.viewer, card });
    }

    fn foot(&self, number: usize) -> FootStage {
        self.view.table.seats[number - 1].foot
    }

    fn known(&self, kind: Kind) -> u8 {
        self.view.table.seats[0].known[kind.index()]
    }
}

fn foot_taken_up(how: ToFoot) -> Event {
    Event::FootTakenUp { seat: seat(1), cards: Concealed::Backs(13), how }
}

/// A view but for its counts of events and undos, which never go back in a turn.
fn uncounted(view: &TableView) -> TableView {
    let mut view = view.clone();
    (view.table.event_index, view.table.undos) = (0, 0);
    view
}

/// Each undo takes back the newest act and leaves what was before it. Rule: HF-2.6
#[test]
fn undo_restores_melds_own_cards_and_what_is_known() {
    let table = Table::new(whitnack()).meld("9C 9D 9H").own("KCx4 9Cx2 2C QC");
    let mut client = Client::of(table);
    client.view.table.seats[0].known[Kind::KING.index()] = 3;
    let start = client.view.clone();
    client.lay("lay KCx3 2C / m1 9C");
    let one = client.view.clone();
    assert_eq!((client.known(Kind::KING), one.own.len()), (0, 3));
    client.lay("lay m2 KC / m1 9C");
    assert_eq!(client.view.table.undoable(), 2);
    client.apply(&Event::LaysUndone { seat: seat(1), acts: 1 });
    assert_eq!(uncounted(&client.view), uncounted(&one));
    client.lay("lay m2 KC");
    client.apply(&Event::LaysUndone { seat: seat(1), acts: 2 });
    assert_eq!(uncounted(&client.view), uncounted(&start));
    assert!(client.view.table.event_index > start.table.event_index);
}

/// Nothing is undone across a card received, a foot taken up or a question. Rule: HF-2.6
#[test]
fn what_was_revealed_ends_undo() {
    let drew =
        Event::Drew { seat: seat(1), cards: Concealed::Backs(1), cause: DrawCause::Replacement };
    let asked = Event::AskedToGoOut { seat: seat(1), answering: seat(3) };
    for event in [drew, foot_taken_up(ToFoot::Ran), asked] {
        let mut client = Client::of(Table::new(whitnack()).own("KCx3 QC"));
        client.lay("lay KCx3");
        assert_eq!(client.view.table.undoable(), 1);
        client.apply(&event);
        assert_eq!(client.view.table.undoable(), 0, "{event:?}");
    }
    let mut client = Client::of(Table::new(whitnack()).draw().own("KCx2 QC").discards("KH"));
    let lay = client.read("take KH KCx2");
    client.apply(&Event::DiscardsTaken { seat: seat(1), lay });
    assert_eq!(client.view.table.undoable(), 0);
}

/// Cards that came with the discard pile are known until shown. Rule: HF-5.4, HF-11.1
#[test]
fn cards_taken_are_known_until_they_are_shown() {
    let table = Table::new(whitnack()).draw().own("KCx2 QCx3").discards("4C 9C 9D QH KS QD KH");
    let mut client = Client::of(table.discards("5C KD"));
    let lay = client.read("take KD KCx2");
    client.apply(&Event::DiscardsTaken { seat: seat(1), lay });
    // Seven come: the upcard is laid at once, six are known.
    assert_eq!([Kind::KING, Kind::QUEEN, Kind::NINE].map(|kind| client.known(kind)), [2, 2, 1]);
    assert_eq!((client.known(Kind::FOUR), client.known(Kind::FIVE)), (0, 1));
    assert_eq!(client.view.table.discards.len(), 2);
    assert_eq!((client.view.own.len(), client.view.own.of_kind(Kind::QUEEN)), (9, 5));
    assert_eq!(client.view.table.seats[0].held, 9);
    client.lay("lay QCx3");
    assert_eq!(client.known(Kind::QUEEN), 0, "which queens were laid nobody can tell");
    client.discard("discard KS");
    assert_eq!(client.known(Kind::KING), 1);
    assert_eq!(client.view.own.len(), 5);
    client.apply(&Event::TurnBegan { seat: seat(2) });
    assert_eq!(client.known(Kind::KING), 1, "it stays known in later turns");
}

/// A spectator follows the same events and never holds a card. Rule: HF-11.1, HF-11.2
#[test]
fn a_spectator_follows_without_cards() {
    let table = Table::new(whitnack()).own("KCx3 QC");
    let mut client = Client::of(table);
    client.view.seat = None;
    client.view.own = Cards::EMPTY;
    client.lay("lay KCx3");
    client.discard("discard QC");
    assert!(client.view.own.is_empty() && client.view.lend(&client.table.rules).is_none());
    assert_eq!(client.view.table.teams[0].melds.len(), 1);
    assert_eq!(client.view.table.upcard().map(handfoot_cards::Card::kind), Some(Kind::QUEEN));
}

/// Whoever lays the last card plays on from the foot, and has played from it when the turn ends.
/// Rule: HF-7.1, HF-8.3
#[test]
fn a_seat_that_ran_to_its_foot_has_played_part_of_a_turn() {
    let mut client = Client::of(Table::new(whitnack()).own("KCx3"));
    client.lay("lay KCx3");
    client.apply(&foot_taken_up(ToFoot::Ran));
    assert_eq!(client.foot(1), FootStage::TakenUp);
    assert!(client.view.table.in_foot(seat(1), &client.table.rules));
    client.discard("discard 9C");
    assert_eq!(client.foot(1), FootStage::Played);
    client.apply(&Event::TurnBegan { seat: seat(1) });
    client.discard("discard 8C");
    assert_eq!(client.foot(1), FootStage::FullTurn);
}

/// Whoever discards the last card takes up the foot when the next turn begins. Rule: HF-7.2, HF-8.3
#[test]
fn a_seat_that_walked_to_its_foot_begins_a_full_turn() {
    let mut client = Client::of(Table::new(whitnack()).own("9C"));
    client.discard("discard 9C");
    assert_eq!(client.foot(1), FootStage::Pending);
    assert!(!client.view.table.in_foot(seat(1), &client.table.rules));
    client.apply(&Event::TurnBegan { seat: seat(2) });
    client.apply(&Event::TurnBegan { seat: seat(1) });
    client.apply(&foot_taken_up(ToFoot::Walked));
    assert_eq!(client.foot(1), FootStage::Begun);
    client.discard("discard 8C");
    assert_eq!(client.foot(1), FootStage::FullTurn);
}

/// A turn that ends without a discard counts only if something was laid in it.
/// Rule: HF-8.3, HF-8.10
#[test]
fn a_turn_passed_from_the_foot_counts_if_a_card_was_laid() {
    let passed = Event::TurnPassed { seat: seat(1) };
    let mut client = Client::of(Table::new(whitnack()).own("KCx3"));
    client.lay("lay KCx3");
    client.apply_all(&[foot_taken_up(ToFoot::Ran), passed.clone()]);
    assert_eq!(client.foot(1), FootStage::TakenUp, "nothing was played from the foot");
    client.apply(&Event::TurnBegan { seat: seat(1) });
    client.lay("lay KDx3");
    client.apply(&passed);
    assert_eq!(client.foot(1), FootStage::Played);
    assert_eq!(client.view.table.discards.len(), 0);
}

/// A hand that is not empty leaves the foot where it is. Rule: HF-7.2, HF-7.3
#[test]
fn a_hand_with_cards_leaves_the_foot_waiting() {
    let mut client = Client::of(Table::new(whitnack()).own("9C 8C"));
    client.discard("discard 9C");
    assert_eq!(client.foot(1), FootStage::Waiting);
}

/// How far the team-mate must have come, for each condition: C-98, C-99. Rule: HF-8.3
#[test]
fn each_partner_condition_asks_for_its_stage() {
    use FootStage::{Begun, FullTurn, Pending, Played, TakenUp, Waiting};
    let stages = [Waiting, Pending, TakenUp, Begun, Played, FullTurn];
    for (condition, least) in [
        (PartnerCondition::None, Waiting),
        (PartnerCondition::InFoot, TakenUp),
        (PartnerCondition::PartOfTurn, Played),
        (PartnerCondition::FullTurn, FullTurn),
    ] {
        let table = Table::new(rules(4, |draft| draft.partner = condition));
        let table = table.contract().all_in_foot().own("KCx3");
        for stage in stages {
            let verdict = table.clone().foot(3, stage).judge("ask lay KCx3");
            let reason = verdict.map_err(|refusal| refusal.reason());
            let expected = if stage >= least { Ok(()) } else { Err("PARTNER_NOT_READY") };
            assert_eq!(reason, expected, "{condition:?}, {stage:?}");
        }
    }
}

/// Every team-mate must have played from the foot, the first who has not is named: C-112.
/// Rule: HF-1.1, HF-8.3
#[test]
fn every_team_mate_must_be_ready() {
    let table = Table::new(rules(6, |_| {})).contract().all_in_foot().own("KCx3");
    assert_eq!(table.judge("ask lay KCx3"), Ok(()));
    for late in [3, 5] {
        let refusal = table.clone().foot(late, FootStage::TakenUp).judge("ask lay KCx3");
        let partner = seat(late);
        assert_eq!(refusal, Err(handfoot_view::Rejection::PartnerNotReady { partner }));
    }
    assert_eq!(table.foot(2, FootStage::Waiting).judge("ask lay KCx3"), Ok(()));
}

/// Three team-mates, in two teams of four.
fn four_in_a_team() -> Client {
    let rules = rules(4, |draft| (draft.players, draft.team_size) = (8, 4));
    Client::of(Table::new(rules).contract().all_in_foot().own("KCx3"))
}

/// Whose answer is open, if any.
fn answering(client: &Client) -> Option<usize> {
    let Phase::AwaitAnswer { asker, answering, drew } = client.view.table.phase else {
        return None;
    };
    assert_eq!((asker, drew), (seat(1), Some(Drew::Stock)));
    Some(answering.number())
}

/// Team-mates answer one at a time in turn order; all must say yes: C-112. Rule: HF-8.4
#[test]
fn team_mates_are_asked_in_turn_order() {
    let mut client = four_in_a_team();
    let mates: Vec<usize> =
        client.view.table.partners(seat(1)).map(handfoot_view::Seat::number).collect();
    assert_eq!(mates, [3, 5, 7]);
    client.apply(&Event::AskedToGoOut { seat: seat(1), answering: seat(3) });
    for (mate, next) in [(3, Some(5)), (5, Some(7)), (7, None)] {
        assert_eq!(answering(&client), Some(mate));
        for number in 1..=8 {
            let mut asked = client.table.clone().seen_by(number);
            asked.public = client.view.table.clone();
            let verdict = judge(asked.view(), &Action::AnswerGoOut(Answer::Yes));
            assert_eq!(verdict.is_ok(), number == mate, "seat {number} while {mate} is asked");
        }
        let (answer, next) = (Answer::Yes, next.map(seat));
        client.apply(&Event::Answered { seat: seat(mate), answer, next });
    }
    let (seat, drew, asked) = (seat(1), Drew::Stock, Asked::Granted);
    assert_eq!(client.view.table.phase, Phase::Play { seat, drew, asked });
}

/// The first no settles it for the turn, and the next turn may ask again. Rule: HF-8.4
#[test]
fn the_first_no_settles_it_for_the_turn() {
    let mut client = four_in_a_team();
    let yes = Event::Answered { seat: seat(3), answer: Answer::Yes, next: Some(seat(5)) };
    let no = Event::Answered { seat: seat(5), answer: Answer::No, next: None };
    client.apply_all(&[Event::AskedToGoOut { seat: seat(1), answering: seat(3) }, yes, no]);
    let (asker, drew, asked) = (seat(1), Drew::Stock, Asked::Refused);
    assert_eq!(client.view.table.phase, Phase::Play { seat: asker, drew, asked });
    let mut table = client.table.clone();
    table.public = client.view.table.clone();
    assert_eq!(table.refusal("ask lay KCx3"), "ALREADY_ASKED");
    assert_eq!(table.refusal("lay KCx3"), "GOING_OUT_REFUSED");
    client.apply(&Event::TurnBegan { seat: seat(1) });
    let asked = Asked::NotYet;
    assert_eq!(client.view.table.phase, Phase::Draw { seat: asker, asked });
}

/// A question before the draw step leads back to it. Rule: HF-8.6
#[test]
fn a_no_before_the_draw_step_leaves_it_to_be_done() {
    let mut client = four_in_a_team();
    let asker = seat(1);
    client.view.table.phase = Phase::Draw { seat: asker, asked: Asked::NotYet };
    let no = Event::Answered { seat: seat(3), answer: Answer::No, next: None };
    client.apply_all(&[Event::AskedToGoOut { seat: asker, answering: seat(3) }, no]);
    let asked = Asked::Refused;
    assert_eq!(client.view.table.phase, Phase::Draw { seat: asker, asked });
    client.apply(&Event::Drew {
        seat: asker,
        cards: Concealed::Backs(2),
        cause: DrawCause::DrawStep,
    });
    let drew = Drew::Stock;
    assert_eq!(client.view.table.phase, Phase::Play { seat: asker, drew, asked });
}
