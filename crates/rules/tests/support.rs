//! The choices that cannot be played yet: each is refused by name, and hides no other problem.
//!
//! **Invariant:** this list grows shorter as the engine learns.

use handfoot_cards::Role;
use handfoot_rules::{
    BookNeeded, ExactPickModel, FootAfterDiscard, FootAfterMeld, FootTrigger, FromDiscards,
    NoStock, OpeningBy, PerRound, RedThreeMode, RulesDraft, StockShort, StockThen, StockTrigger,
};

use crate::kit::{draft, kind, named, problems, use_pack};

/// Asserts that a change is not supported in exactly this field.
#[track_caller]
fn assert_unsupported(field: &str, value: &str, change: impl FnOnce(&mut RulesDraft)) {
    let problems = problems(&draft(change));
    let unsupported: Vec<_> =
        problems.iter().filter(|problem| problem.reason() == "NOT_SUPPORTED_YET").collect();
    assert_eq!(unsupported.len(), 1, "{problems:?}");
    assert_eq!(unsupported[0].at.to_string(), field);
    let message = unsupported[0].to_string();
    let start = format!("{field}: {value} is not supported yet; supported today: ");
    assert!(message.starts_with(&start), "{message}");
}

#[test]
fn cards_that_cannot_be_played_yet() {
    assert_unsupported("packets", "3", |d| d.packets = PerRound::Same(vec![11, 11, 4]));
    assert_unsupported("packets[1]", "1", |d| {
        d.packets = PerRound::Each(vec![vec![11, 11], vec![11]]);
    });
    assert_unsupported("exact_pick.model", "entered", |d| {
        d.exact_pick.model = ExactPickModel::Entered;
    });
    assert_unsupported("exact_pick.model", "chance", |d| {
        d.exact_pick.model = ExactPickModel::Chance(0.1);
    });
    assert_unsupported("exact_pick.bonus", "100", |d| d.exact_pick.bonus = 100);
    assert_unsupported("red_three.mode", "penalty", |d| d.red_three.mode = RedThreeMode::Penalty);
    assert_unsupported("red_three.all", "1000", |d| d.red_three.all = Some(1000));
    assert_unsupported("red_three.needs", "sevens", |d| {
        d.red_three.needs = Some(BookNeeded::Sevens);
    });
    assert_unsupported("red_three.no_stock", "skip", |d| d.red_three.no_stock = NoStock::Skip);
    assert_unsupported("red_three.from_discards", "replaced", |d| {
        d.red_three.from_discards = FromDiscards::Replaced;
    });
    assert_unsupported("pack", "a list of kinds", |d| {
        use_pack(d, &[kind("Lord", 200, Role::Natural), kind("Joker", 50, Role::Wild)]);
    });
}

#[test]
fn openings_that_cannot_be_played_yet() {
    assert_unsupported("opening.by", "team_score", |d| {
        d.opening.by = OpeningBy::TeamScore(vec![0, 1, 2, 3]);
    });
}

#[test]
fn turns_that_cannot_be_played_yet() {
    assert_unsupported("foot.trigger", "first_book", |d| d.foot.trigger = FootTrigger::FirstBook);
    assert_unsupported("foot.after_meld", "end_turn", |d| {
        d.foot.after_meld = FootAfterMeld::EndTurn;
    });
    assert_unsupported("foot.after_discard", "end_of_turn", |d| {
        d.foot.after_discard = FootAfterDiscard::EndOfTurn;
    });
    assert_unsupported("stock_out.trigger", "empty", |d| d.stock_out.trigger = StockTrigger::Empty);
    assert_unsupported("stock_out.short", "draw_rest", |d| {
        d.stock_out.short = StockShort::DrawRest;
    });
    assert_unsupported("stock_out.then", "play_on", |d| d.stock_out.then = StockThen::PlayOn);
    assert_unsupported("stock_out.max_added", "1", |d| d.stock_out.max_added = Some(1));
    assert_unsupported("length.target", "5000", |d| d.length.target = Some(5000));
    assert_unsupported("length.rounds", "none", |d| d.length.rounds = None);
}

#[test]
fn a_choice_that_cannot_be_played_hides_no_nonsense() {
    let both = draft(|d| {
        d.length.rounds = None;
        d.stock_out.max_added = Some(1);
        d.exact_pick.bonus = 300;
    });
    let both = problems(&both);
    let expected = [
        ("exact_pick.bonus", "EXACT_PICK_BONUS_WITHOUT_MODEL"),
        ("stock_out.max_added", "MAX_ADDED_UNUSED"),
        ("length", "LENGTH_MISSING"),
        ("exact_pick.bonus", "NOT_SUPPORTED_YET"),
        ("stock_out.max_added", "NOT_SUPPORTED_YET"),
        ("length.rounds", "NOT_SUPPORTED_YET"),
    ];
    let expected: Vec<_> = expected.map(|(at, reason)| (at.to_owned(), reason)).to_vec();
    assert_eq!(named(&both), expected);
}
