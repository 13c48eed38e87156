//! The choices that cannot be played yet: each is refused by name, and hides no other problem.
//!
//! **Invariant:** this list grows shorter as the engine learns.

use handfoot_rules::{
    BlackThreeMeld, DiscardLock, ExtendBook, ExtendWild, FirstUpcard, LastDiscard, OpeningBook,
    OpeningStep, OpeningViaDiscards, OpeningWilds, PerRound, RedThreeMode, RulesDraft,
    SpecialLastDiscard, SpecialRank, TakeMatch, UnfinishedSecond, WildDiscard,
};

use crate::kit::{draft, named, problems};

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
    assert_unsupported("red_three.mode", "blocker", |d| d.red_three.mode = RedThreeMode::Blocker);
    assert_unsupported("black_three.meld", "set", |d| d.black_three.meld = BlackThreeMeld::Set);
    assert_unsupported("black_three.melded_value", "-5", |d| d.black_three.melded_value = Some(-5));
    assert_unsupported("black_three.book_bonus", "300", |d| d.black_three.book_bonus = Some(300));
}

#[test]
fn melds_that_cannot_be_played_yet() {
    assert_unsupported("book_size", "10", |d| d.book_size = 10);
    assert_unsupported("extend.clean", "natural", |d| d.extend.clean = ExtendBook::Natural);
    assert_unsupported("extend.dirty", "any", |d| d.extend.dirty = ExtendBook::Any);
    assert_unsupported("extend.wild", "wild", |d| d.extend.wild = ExtendWild::Wild);
    assert_unsupported("per_rank.open", "2", |d| d.per_rank.open = 2);
    assert_unsupported("per_rank.total", "2", |d| d.per_rank.total = Some(2));
    assert_unsupported("unfinished_second", "minus", |d| {
        d.unfinished_second = UnfinishedSecond::Minus;
    });
    assert_unsupported("special", "a list of ranks", |d| {
        d.special = vec![SpecialRank {
            rank: "7".to_owned(),
            book_bonus: 1500,
            discard_lock: DiscardLock::None,
            last_discard: SpecialLastDiscard::Allowed,
        }];
    });
    assert_unsupported("opening.steps[3]", "clean_book", |d| {
        d.opening.steps[3] = OpeningStep::Book(OpeningBook::CleanBook);
    });
}

#[test]
fn turns_that_cannot_be_played_yet() {
    assert_unsupported("take.matching", "one_natural", |d| d.take.matching = TakeMatch::OneNatural);
    assert_unsupported("take.first_upcard", "free", |d| d.take.first_upcard = FirstUpcard::Free);
    assert_unsupported("opening.wilds", "ignored", |d| d.opening.wilds = OpeningWilds::Ignored);
    assert_unsupported("opening.via_discards", "barred", |d| {
        d.opening.via_discards = OpeningViaDiscards::Barred;
    });
    assert_unsupported("last_discard", "required", |d| d.last_discard = LastDiscard::Required);
    assert_unsupported("last_discard", "forbidden", |d| d.last_discard = LastDiscard::Forbidden);
    assert_unsupported("wild_discard", "freeze", |d| d.wild_discard = WildDiscard::Freeze);
    assert_unsupported("need.sevens", "1", |d| match &mut d.need {
        PerRound::Same(need) => need.sevens = 1,
        PerRound::Each(_) => {}
    });
}

#[test]
fn a_choice_that_cannot_be_played_hides_no_nonsense() {
    let both = draft(|d| {
        d.length.rounds = None;
        d.stock_out.max_added = Some(1);
        d.per_rank.open = 0;
    });
    let both = problems(&both);
    let expected = [
        ("per_rank.open", "OUT_OF_RANGE"),
        ("stock_out.max_added", "MAX_ADDED_UNUSED"),
        ("length", "LENGTH_MISSING"),
        ("per_rank.open", "NOT_SUPPORTED_YET"),
    ];
    let expected: Vec<_> = expected.map(|(at, reason)| (at.to_owned(), reason)).to_vec();
    assert_eq!(named(&both), expected);
}
