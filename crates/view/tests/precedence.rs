//! The promised order of refusals: of two rules that an action breaks, the first in order is named.
//!
//! **Invariant:** every row breaks two rules; the same row cured of the first breaks the second, so
//! that both are known to have been broken. Rows stand in the order of the first.

use std::collections::BTreeSet;

use handfoot_rules::{
    BlackThreeMeld, DiscardLock, ExtendBook, LastDiscard, Need, OpeningBook, OpeningStep,
    OpeningViaDiscards, PerRound, RedThreeMode, RulesDraft, SpecialLastDiscard, SpecialRank,
    TakeMatch, WildDiscard, WildMeld, WildTop,
};
use handfoot_view::{
    Action, Asked, Drew, FootStage, Lay, Phase, Rejection, RoundEnd, UNDOS_MAX, Undo, WayOut, judge,
};

use crate::tables::{Table, rules, seat, whitnack};

/// An action that breaks two rules, and one that breaks the second of them alone.
#[derive(Clone)]
struct Row {
    reasons: [&'static str; 2],
    both: (Table, Action),
    cured: (Table, Action),
}

/// A row with a table and an action that break both rules, then those that break the second.
fn row(reasons: [&'static str; 2], both: (&Table, &str), cured: (&Table, &str)) -> Row {
    let read = |(table, text): (&Table, &str)| (table.clone(), table.action(text));
    Row { reasons, both: read(both), cured: read(cured) }
}

/// The same action at two tables.
fn at(reasons: [&'static str; 2], text: &str, both: &Table, cured: &Table) -> Row {
    row(reasons, (both, text), (cured, text))
}

/// Two actions at one table.
fn by(reasons: [&'static str; 2], table: &Table, both: &str, cured: &str) -> Row {
    row(reasons, (table, both), (table, cured))
}

/// Actions that no text names.
fn plain(reasons: [&'static str; 2], both: (&Table, Action), cured: (&Table, Action)) -> Row {
    Row { reasons, both: (both.0.clone(), both.1), cured: (cured.0.clone(), cured.1) }
}

fn play() -> Table {
    Table::new(whitnack())
}

fn draw() -> Table {
    play().draw()
}

/// A team that has opened, with a book and an unfinished meld.
fn opened() -> Table {
    play().meld("9x7").meld("8x3")
}

/// A seat that plays from its foot, as its partner does, in a team that has opened.
fn foot() -> Table {
    opened().all_in_foot()
}

/// A seat that may go out but for the question.
fn ready() -> Table {
    play().contract().all_in_foot()
}

fn barred(draft: &mut RulesDraft) {
    draft.need = PerRound::Same(Need { clean: 2, dirty: 2, wild: 0, sevens: 0, total: 0 });
    draft.wild_meld = WildMeld::Barred;
    draft.take.wild_top = WildTop::Barred;
}

fn sevens(draft: &mut RulesDraft) {
    draft.special = vec![SpecialRank {
        rank: "7".to_owned(),
        book_bonus: 1500,
        discard_lock: DiscardLock::UntilOwnTeam,
        last_discard: SpecialLastDiscard::Banned,
    }];
}

/// A team that has opened, by other rules.
fn opened_by(change: fn(&mut RulesDraft)) -> Table {
    Table::new(rules(4, change)).meld("9x7").meld("8x3")
}

/// Turn, step and question.
fn steps() -> Vec<Row> {
    let how = RoundEnd::StockRanOut(seat(2));
    let other = Phase::Draw { seat: seat(2), asked: Asked::NotYet };
    let asked = Phase::AwaitAnswer { asker: seat(3), answering: seat(1), drew: Some(Drew::Stock) };
    let undoing = Phase::AwaitUndo {
        asker: seat(3),
        answering: seat(1),
        acts: 1,
        drew: Drew::Stock,
        asked: Asked::NotYet,
    };
    let mut tired = play();
    tired.public.undos = UNDOS_MAX;
    let mut no_undo = tired.clone();
    no_undo.public.options.undo = Undo::Off;
    let two = || Table::new(rules(2, |_| {}));
    let few = || foot().own("9C");
    vec![
        at(
            ["GAME_OVER", "MUST_DRAW_FIRST"],
            "discard 9C",
            &play().phase(Phase::GameOver { how }),
            &draw(),
        ),
        at(
            ["ROUND_OVER", "NOT_YOUR_TURN"],
            "draw",
            &play().phase(Phase::RoundOver { how }),
            &play().phase(other),
        ),
        at(["NOT_YOUR_TURN", "NOTHING_ASKED"], "answer yes", &play().phase(other), &play()),
        at(["NOT_YOUR_TURN", "MUST_DRAW_FIRST"], "discard 9C", &play().phase(other), &draw()),
        at(["MUST_ANSWER", "ALREADY_DREW"], "draw", &play().phase(asked), &play()),
        at(["MUST_ANSWER", "CARD_NOT_HELD"], "discard 9C", &play().phase(asked), &play()),
        at(["MUST_ANSWER_UNDO", "ALREADY_DREW"], "draw", &play().phase(undoing), &play()),
        at(["MUST_ANSWER_UNDO", "NOTHING_ASKED"], "answer yes", &play().phase(undoing), &play()),
        at(["MUST_DRAW_FIRST", "QUESTION_NOT_NEEDED"], "ask discard 9C", &two().draw(), &two()),
        at(["MUST_DRAW_FIRST", "CARD_NOT_HELD"], "discard 9C", &draw(), &play()),
        at(
            ["ALREADY_DREW", "ALREADY_ASKED"],
            "ask take 9C 9D 9H",
            &refused(foot()),
            &refused(foot().draw()),
        ),
        at(["ALREADY_DREW", "DISCARDS_EMPTY"], "take 9C 9D 9H", &play(), &draw()),
        at(["UNDO_OFF", "TOO_MANY_UNDOS"], "undo 1", &no_undo, &tired),
        at(["TOO_MANY_UNDOS", "NOTHING_TO_UNDO"], "undo 1", &tired, &play()),
        at(["QUESTION_NOT_NEEDED", "NOT_IN_FOOT"], "ask discard 9C", &two(), &play()),
        at(["ALREADY_ASKED", "NOT_IN_FOOT"], "ask discard 9C", &refused(play()), &play()),
        at(["ALREADY_ASKED", "TOO_FEW_CARDS_TO_ASK"], "ask discard 9C", &refused(few()), &few()),
        at(["NOT_IN_FOOT", "TOO_FEW_CARDS_TO_ASK"], "ask discard 9C", &opened().own("9C"), &few()),
        at(["NOT_IN_FOOT", "DISCARDS_EMPTY"], "ask take 9C 9D 9H", &draw(), &foot().draw()),
        at(["TOO_FEW_CARDS_TO_ASK", "CARD_NOT_HELD"], "ask discard 9D", &few(), &few().own("9C")),
    ]
}

/// The discard pile as it lies.
fn discards() -> Vec<Row> {
    let three = || Table::new(rules(4, |draft| draft.take.min_size = 3)).draw();
    let no_wild = |size| {
        Table::new(rules(4, |draft| {
            barred(draft);
            draft.take.min_size = size;
        }))
        .draw()
    };
    let opens_first = || {
        let barred = OpeningViaDiscards::Barred;
        Table::new(rules(4, |draft| draft.opening.via_discards = barred)).draw()
    };
    let take_nothing = || Action::TakeDiscards(Lay::new());
    let take = "take KC KD KH";
    vec![
        at(["DISCARDS_EMPTY", "DISCARDS_TOO_FEW"], take, &three(), &three().discards("8C KH")),
        at(
            ["DISCARDS_TOO_FEW", "UPCARD_IS_THREE"],
            take,
            &three().discards("3S"),
            &three().discards("8C KH 3S"),
        ),
        at(
            ["DISCARDS_TOO_FEW", "WILD_UPCARD_BARRED"],
            take,
            &no_wild(3).discards("2C"),
            &no_wild(1).discards("2C"),
        ),
        at(
            ["UPCARD_IS_THREE", "CARD_NOT_HELD"],
            take,
            &draw().discards("3H"),
            &draw().discards("KH"),
        ),
        plain(
            ["UPCARD_IS_THREE", "NOTHING_LAID"],
            (&draw().discards("3S"), take_nothing()),
            (&draw().discards("KH"), take_nothing()),
        ),
        plain(
            ["WILD_UPCARD_BARRED", "NOTHING_LAID"],
            (&no_wild(1).discards("*"), take_nothing()),
            (&no_wild(1).discards("KH"), take_nothing()),
        ),
        plain(
            ["OPENING_WITHOUT_DISCARDS", "NOTHING_LAID"],
            (&opens_first().discards("KH"), take_nothing()),
            (&draw().discards("KH"), take_nothing()),
        ),
    ]
}

/// What is named, whatever it makes.
fn cards() -> Vec<Row> {
    let ask = |lay| {
        let discard = Some(play().own("KC").own.iter().next().unwrap());
        Action::AskToGoOut(Box::new(WayOut { lay, discard, ..WayOut::default() }))
    };
    let red = || foot().own("3H 3S 3S 3C KC KD 9C");
    vec![
        plain(
            ["NOTHING_LAID", "CARD_NOT_HELD"],
            (&foot().own("9C 9D"), ask(Some(Lay::new()))),
            (&foot().own("9C 9D"), ask(None)),
        ),
        by(["UNKNOWN_MELD", "CARD_NOT_HELD"], &opened(), "lay m3 8C", "lay m2 8C"),
        by(
            ["UNKNOWN_MELD", "CARD_NOT_HELD"],
            &foot().own("4C 8C"),
            "ask lay m3 8C ; discard 5C",
            "ask lay m2 8C ; discard 5C",
        ),
        at(["CARD_NOT_HELD", "RED_THREE_NOT_DISCARDED"], "discard 3H", &play(), &play().own("3H")),
        by(
            ["CARD_NOT_HELD", "THREES_NOT_MELDED"],
            &opened().own("3Cx3"),
            "lay 3Cx3 3S",
            "lay 3Cx3",
        ),
        by(
            ["CARD_NOT_HELD", "MELD_TOO_SMALL"],
            &foot().own("KC KD 9C"),
            "ask lay KC KD ; discard 8C",
            "ask lay KC KD ; discard 9C",
        ),
        by(
            ["RED_THREE_NOT_DISCARDED", "THREES_NOT_MELDED"],
            &red(),
            "ask lay 3Sx2 3C ; discard 3H",
            "ask lay 3Sx2 3C ; discard KC",
        ),
        by(
            ["RED_THREE_NOT_DISCARDED", "MIXED_RANKS"],
            &red(),
            "ask lay KC KD 9C ; discard 3H",
            "ask lay KC KD 9C ; discard 3S",
        ),
        by(
            ["DISCARD_LOCKED", "MELD_TOO_SMALL"],
            &opened_by(sevens).all_in_foot().own("KC KD 7C 9C"),
            "ask lay KC KD ; discard 7C",
            "ask lay KC KD ; discard 9C",
        ),
    ]
}

/// Melds, one by one and together.
fn melds() -> Vec<Row> {
    let own = || opened().own("3S 3S 3S 9C 7Cx3 Kx9 2x4 *");
    let no_wild = || Table::new(rules(4, barred)).meld("9x7").own("9C 2Cx2 2D KCx2");
    let started = || opened().meld("Kx3").own("Kx3 Qx3 2x2");
    let full = |table: Table| {
        let mut table = table;
        let melds = &mut table.public.teams[0].melds;
        let book = melds[0].clone();
        while melds.len() < handfoot_view::MELDS_MAX {
            melds.insert(0, book.clone());
        }
        table
    };
    let taking = || opened().draw().own("Qx3 9C").discards("9D");
    let once = || {
        let once = opened_by(|draft| {
            draft.per_rank.total = Some(1);
            draft.need = PerRound::Same(Need { clean: 1, dirty: 1, wild: 0, sevens: 0, total: 0 });
        });
        once.draw().own("9Cx3").discards("QH")
    };
    vec![
        by(["THREES_NOT_MELDED", "MIXED_RANKS"], &own(), "lay 3S K K", "lay 9C K K"),
        by(["THREES_NOT_MELDED", "MIXED_RANKS"], &own(), "lay 9C K K / 3Sx3", "lay 9C K K"),
        by(["THREES_NOT_MELDED", "BOOK_CLOSED"], &own(), "lay m1 9C 3S", "lay m1 9C"),
        by(
            ["RED_THREE_NEEDS_BOOK", "BOOK_CLOSED"],
            &opened_by(|draft| draft.red_three.mode = RedThreeMode::Blocker).own("3H 9C"),
            "lay m2 3H / m1 9C",
            "lay m1 9C",
        ),
        by(["MIXED_RANKS", "BOOK_CLOSED"], &own(), "lay m1 9C K", "lay m1 9C"),
        by(["MIXED_RANKS", "MELD_TOO_SMALL"], &own(), "lay K K / 7Cx3 9C", "lay K K / 7Cx3"),
        by(["BOOK_CLOSED", "WILD_MELD_BARRED"], &no_wild(), "lay 2Cx2 2D / m1 9C", "lay 2Cx2 2D"),
        by(["BOOK_CLOSED", "MELD_TOO_SMALL"], &own(), "lay K K / m1 9C", "lay K K"),
        by(["WILD_MELD_BARRED", "MELD_TOO_SMALL"], &no_wild(), "lay 2C 2D", "lay KCx2"),
        by(["WILD_MELD_BARRED", "MELD_TOO_SMALL"], &no_wild(), "lay KCx2 / 2Cx2 2D", "lay KCx2"),
        by(["MELD_TOO_SMALL", "MELD_TOO_LARGE"], &own(), "lay Kx8 / 7Cx2", "lay Kx8 / 7Cx3"),
        by(["MELD_TOO_SMALL", "TOO_MANY_WILDS"], &own(), "lay K 2", "lay K 2 2"),
        by(["MELD_TOO_LARGE", "TOO_MANY_WILDS"], &own(), "lay Kx4 2x4", "lay Kx4 2x3"),
        by(["MELD_TOO_LARGE", "TOO_MANY_WILDS"], &own(), "lay 7C 2 2 / Kx8", "lay 7C 2 2 / Kx7"),
        by(["TOO_MANY_WILDS", "UNFINISHED_MELD_EXISTS"], &started(), "lay K 2 2", "lay K K 2"),
        by(
            ["WILDS_ON_BOOK", "UNFINISHED_MELD_EXISTS"],
            &opened_by(|draft| draft.extend.clean = ExtendBook::Natural).own("8Cx3 2C"),
            "lay m1 2C / 8Cx3",
            "lay 8Cx3",
        ),
        by(["UNFINISHED_MELD_EXISTS", "TOO_MANY_MELDS"], &full(started()), "lay Kx3", "lay Qx3"),
        at(
            ["RANK_FULL", "UPCARD_NOT_LAID"],
            "take 9Cx3",
            &once(),
            &opened().draw().own("9Cx3").discards("QH"),
        ),
        at(["TOO_MANY_MELDS", "UPCARD_NOT_LAID"], "take Qx3", &full(taking()), &taking()),
    ]
}

/// The discard pile with what is named, and the opening.
fn openings() -> Vec<Row> {
    let nine = || draw().own("KCx3 9Cx2 2C").discards("9H");
    let joining = |discards| {
        let rules = rules(4, |draft| {
            draft.take.matching = TakeMatch::PairOrAddToMeld;
            draft.wild_discard = WildDiscard::Freeze;
        });
        Table::new(rules).draw().own("KCx3 9Cx2 2C").discards(discards)
    };
    let mut last_round = draw().own("2C 2D * KCx2").discards("2H");
    last_round.public.round_index = 3;
    vec![
        by(["UPCARD_NOT_LAID", "NO_NATURAL_PAIR"], &nine(), "take KCx3", "take 9H 9C 2C"),
        by(["UPCARD_NOT_LAID", "OPENING_TOO_LOW"], &nine(), "take KCx3", "take 9H 9Cx2"),
        by(["NO_NATURAL_PAIR", "OPENING_TOO_LOW"], &nine(), "take 9H 9C 2C", "take 9H 9Cx2"),
        by(
            ["UPCARD_NOT_MATCHED", "OPENING_TOO_LOW"],
            &joining("9H"),
            "take 9H 9C 2C",
            "take 9H 9Cx2",
        ),
        by(
            ["DISCARDS_FROZEN", "OPENING_TOO_LOW"],
            &joining("2H 9H"),
            "take 9H 9C 2C",
            "take 9H 9Cx2",
        ),
        by(["WILDS_DO_NOT_MATCH", "OPENING_TOO_LOW"], &last_round, "take 2H 2C *", "take 2H 2C 2D"),
    ]
}

/// A seat that may go out but for the question, with cards to do so.
fn out() -> Table {
    ready().own("KCx3 QC")
}

fn late(table: Table) -> Table {
    table.foot(3, FootStage::TakenUp)
}

fn refused(table: Table) -> Table {
    table.asked(Asked::Refused)
}

/// Without a book that the contract needs.
fn lacking(mut table: Table) -> Table {
    table.public.teams[0].melds.truncate(4);
    table
}

/// Openings, in the foot.
fn foot_openings() -> Vec<Row> {
    let from_hand = OpeningStep::Book(OpeningBook::BookFromHand);
    let clean = OpeningStep::Book(OpeningBook::CleanBook);
    let by_book = |step| {
        let rules = rules(4, |draft| draft.opening.steps = vec![step]);
        Table::new(rules).all_in_foot().own("KCx3 QC")
    };
    let unopened = |table: Table| {
        let mut table = table;
        table.public.teams[0].melds.clear();
        table
    };
    vec![
        at(["OPENING_TOO_LOW", "NOT_A_WAY_OUT"], "ask lay KCx3", &unopened(out()), &out()),
        at(
            ["OPENING_TOO_LOW", "CONTRACT_NOT_MET"],
            "ask lay KCx3 ; discard QC",
            &unopened(out()),
            &lacking(out()),
        ),
        at(["OPENING_TOO_LOW", "KEEP_CARDS"], "lay KCx3", &unopened(out()), &lacking(out())),
        at(["OPENING_NEEDS_BOOK", "KEEP_CARDS"], "lay KCx3", &by_book(from_hand), &lacking(out())),
        at(
            ["OPENING_NEEDS_CLEAN_BOOK", "KEEP_CARDS"],
            "lay KCx3",
            &by_book(clean),
            &lacking(out()),
        ),
    ]
}

/// The contract.
fn contracts() -> Vec<Row> {
    let ends_by = |last_discard| {
        let rules = rules(4, |draft| draft.last_discard = last_discard);
        Table::new(rules).contract().all_in_foot()
    };
    let seven = || Table::new(rules(4, sevens)).contract().all_in_foot().own("KCx3 7C");
    vec![
        by(
            ["NOT_A_WAY_OUT", "CONTRACT_NOT_MET"],
            &lacking(out()),
            "ask lay KCx3",
            "ask lay KCx3 ; discard QC",
        ),
        by(
            ["NOT_A_WAY_OUT", "PARTNER_NOT_READY"],
            &late(out()),
            "ask lay KCx3",
            "ask lay KCx3 ; discard QC",
        ),
        at(
            ["CONTRACT_NOT_MET", "PARTNER_NOT_READY"],
            "ask lay KCx3 ; discard QC",
            &lacking(late(out())),
            &late(out()),
        ),
        at(
            ["CONTRACT_NOT_MET", "MUST_ASK_FIRST"],
            "lay KCx3",
            &lacking(ready().own("KCx3")),
            &ready().own("KCx3"),
        ),
        at(
            ["CONTRACT_NOT_MET", "LAST_DISCARD_REQUIRED"],
            "ask lay KCx3",
            &lacking(ends_by(LastDiscard::Required).own("KCx3")),
            &ends_by(LastDiscard::Required).own("KCx3"),
        ),
        at(
            ["CONTRACT_NOT_MET", "LAST_DISCARD_FORBIDDEN"],
            "ask lay KCx3 ; discard QC",
            &lacking(ends_by(LastDiscard::Forbidden).own("KCx3 QC")),
            &ends_by(LastDiscard::Forbidden).own("KCx3 QC"),
        ),
        at(
            ["CONTRACT_NOT_MET", "LAST_DISCARD_BANNED"],
            "ask lay KCx3 ; discard 7C",
            &lacking(seven()),
            &seven(),
        ),
    ]
}

/// What must be left, or the right to go out.
fn ends() -> Vec<Row> {
    let threes = || {
        let meld = BlackThreeMeld::SetWhenGoingOut;
        Table::new(rules(4, |draft| draft.black_three.meld = meld)).meld("9x7").all_in_foot()
    };
    vec![
        at(
            ["PARTNER_NOT_READY", "GOING_OUT_REFUSED"],
            "discard KC",
            &refused(late(ready().own("KC"))),
            &refused(ready().own("KC")),
        ),
        at(
            ["PARTNER_NOT_READY", "MUST_ASK_FIRST"],
            "lay KCx3",
            &late(ready().own("KCx3")),
            &ready().own("KCx3"),
        ),
        at(
            ["GOING_OUT_REFUSED", "KEEP_CARDS"],
            "lay KCx3",
            &refused(ready().own("KCx3")),
            &refused(out()),
        ),
        at(["MUST_ASK_FIRST", "KEEP_CARDS"], "lay KCx3", &ready().own("KCx3"), &out()),
        at(
            ["KEEP_CARDS", "BLACK_THREES_ONLY_GOING_OUT"],
            "lay 3Cx3",
            &threes().own("3Cx3 QC"),
            &threes().own("3Cx3 QC QD"),
        ),
    ]
}

/// Of two rules broken, the first in the promised order is named; every reason is produced.
/// Rule: HF-2.1, HF-2.2, HF-2.5, HF-2.7, HF-3.6, HF-3.8, HF-4.12, HF-4.13, HF-4.1, HF-4.2, HF-4.3, HF-4.4, HF-4.5, HF-4.6, HF-4.7,
/// HF-4.11, HF-5.1, HF-5.2, HF-5.3, HF-5.6, HF-5.7, HF-5.8, HF-6.1, HF-6.6, HF-6.4, HF-8.13, HF-8.14, HF-8.1, HF-8.2, HF-8.3, HF-8.4, HF-8.5, HF-8.7,
/// HF-8.9, HF-8.11
#[test]
fn of_two_rules_broken_the_first_in_order_is_named() {
    let rows: Vec<Row> =
        [steps(), discards(), cards(), melds(), openings(), foot_openings(), contracts(), ends()]
            .concat();
    let order =
        |reason: &str| Rejection::ALL.iter().position(|(other, ..)| *other == reason).unwrap();
    let mut produced = BTreeSet::new();
    let mut before = 0;
    for (index, Row { reasons: [first, second], both, cured }) in rows.iter().enumerate() {
        for ((table, action), expected) in [(both, first), (cured, second)] {
            let refusal = judge(table.view(), action).unwrap_err();
            assert_eq!(refusal.reason(), *expected, "row {index}, {first} before {second}");
            assert_eq!(refusal.order(), order(expected));
            produced.insert(*expected);
        }
        assert!(before <= order(first) && order(first) < order(second), "row {index} out of order");
        before = order(first);
    }
    for (reason, ..) in Rejection::ALL {
        assert!(produced.contains(reason), "{reason} is never produced");
    }
}
