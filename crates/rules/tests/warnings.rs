//! Each warning of D.2, by a draft that is odd in no other way.
//!
//! **Invariant:** one warning a test; what is refused is not looked at.

use handfoot_rules::{
    BlackThreeMeld, Decks, FootAfterDiscard, LastDiscard, Need, OpeningStep, OpeningWilds,
    PerRound, RedThreeMode, Rules, RulesDraft, StockTrigger, TakeCount, TakeMatch, WildDiscard,
};

use crate::kit::draft;

/// Asserts that a change is warned of for exactly these reasons.
#[track_caller]
fn assert_warned(change: impl FnOnce(&mut RulesDraft), expected: &[(&str, &str)]) {
    let warnings = Rules::check(&draft(change)).warnings;
    let found: Vec<(String, &str)> =
        warnings.iter().map(|warning| (warning.at.to_string(), warning.reason())).collect();
    let found: Vec<(&str, &str)> =
        found.iter().map(|(at, reason)| (at.as_str(), *reason)).collect();
    assert_eq!(found, expected);
}

#[test]
fn warn_2_the_stock_is_short() {
    // 162 − 105 = 57 cards, eight a round of draws.
    assert_warned(|d| d.decks = Decks::Fixed(3), &[("packets", "STOCK_SHORT")]);
    assert_warned(|d| d.draw = PerRound::Each(vec![2, 5]), &[("packets[1]", "STOCK_SHORT")]);
}

#[test]
fn warn_18_later_cards_are_dead() {
    assert_warned(|d| d.per_rank.total = Some(1), &[("per_rank.total", "DEAD_CARDS")]);
}

#[test]
fn warn_19_black_threes_strand_a_player() {
    let forbidden = |d: &mut RulesDraft| d.last_discard = LastDiscard::Forbidden;
    assert_warned(forbidden, &[("last_discard", "BLACK_THREES_STRAND")]);
    let melded = |d: &mut RulesDraft| {
        forbidden(d);
        d.black_three.meld = BlackThreeMeld::Set;
    };
    assert_warned(melded, &[]);
}

#[test]
fn warn_20_little_is_taken() {
    assert_warned(|d| d.take.min_size = 8, &[("take.count", "TAKE_MIN_SIZE_OVER_COUNT")]);
    let alone = PerRound::Each(vec![TakeCount::Top(7), TakeCount::Top(1)]);
    assert_warned(|d| d.take.count = alone, &[("take.count[1]", "TAKE_UPCARD_ALONE")]);
}

#[test]
fn warn_21_naturals_alone_reach_little() {
    let high = |d: &mut RulesDraft| {
        d.opening.wilds = OpeningWilds::Ignored;
        d.opening.steps[3] = OpeningStep::Points(180);
    };
    assert_warned(high, &[("opening.steps[3]", "OPENING_NATURALS_HIGH")]);
}

#[test]
fn warn_22_not_every_team_can_have_its_books() {
    // 20 × 7 × 2 = 280 of 270 cards.
    let need = Need { clean: 0, dirty: 0, wild: 0, sevens: 0, total: 20 };
    assert_warned(|d| d.need = PerRound::Same(need), &[("need", "NEED_EXCEEDS_PACK")]);
}

#[test]
fn warn_23_a_red_three_outweighs_a_book() {
    let heavy = |d: &mut RulesDraft| {
        d.red_three.mode = RedThreeMode::Penalty;
        d.red_three.held = -1501;
    };
    assert_warned(heavy, &[("red_three.held", "RED_THREE_HELD_HEAVY")]);
}

#[test]
fn warn_24_an_empty_stock_ends_the_round() {
    let empty = |d: &mut RulesDraft| {
        d.stock_out.trigger = StockTrigger::Empty;
        d.take.count = PerRound::Same(TakeCount::All);
    };
    assert_warned(empty, &[("stock_out.trigger", "EMPTY_STOCK_TAKE_ALL")]);
}

#[test]
fn warn_25_several_melds_of_a_rank_are_open() {
    assert_warned(|d| d.per_rank.open = 2, &[("per_rank.open", "SEVERAL_OPEN_MELDS")]);
}

#[test]
fn warn_26_the_last_card_is_stuck() {
    assert_warned(
        |d| d.foot.after_discard = FootAfterDiscard::NotAllowed,
        &[("foot.after_discard", "LAST_CARD_STUCK")],
    );
}

#[test]
fn warn_27_seven_black_threes_do_not_exist() {
    let book = |players: u8| {
        move |d: &mut RulesDraft| {
            (d.players, d.team_size) = (players, 1);
            d.black_three.book_bonus = Some(300);
        }
    };
    assert_warned(book(2), &[("black_three.book_bonus", "BLACK_THREE_BOOK_IMPOSSIBLE")]);
    assert_warned(book(3), &[]);
}

#[test]
fn warn_28_there_are_no_jokers() {
    assert_warned(|d| d.jokers_per_deck = 0, &[("jokers_per_deck", "NO_JOKERS")]);
}

#[test]
fn warn_29_freezing_changes_nothing() {
    let freeze = |d: &mut RulesDraft| d.wild_discard = WildDiscard::Freeze;
    assert_warned(freeze, &[("wild_discard", "FREEZE_CHANGES_NOTHING")]);
    let other = |d: &mut RulesDraft| {
        freeze(d);
        d.take.matching = TakeMatch::OneNatural;
    };
    assert_warned(other, &[]);
}

#[test]
fn rules_that_can_be_played_come_with_their_warnings() {
    let validated = Rules::new(draft(|d| d.jokers_per_deck = 0)).unwrap();
    assert_eq!(validated.warnings.len(), 1);
    assert_eq!(
        validated.warnings[0].to_string(),
        "jokers_per_deck: no jokers: one can never be the upcard",
    );
}
