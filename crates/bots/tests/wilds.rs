//! What `casual` spends its wild cards on, position by position.
//!
//! **Invariant:** a position names what matters to it; everything else is dealt by chance.

use handfoot_bots::{BotSeed, Level};
use handfoot_engine::Game;
use handfoot_view::notation::write_action;

use super::rules;

/// What `casual` does next under a preset's rules, in notation.
fn choice(preset: &str, players: u8, position: &str) -> String {
    let rules = rules(preset, players);
    let game = Game::from_position(rules.clone(), position).unwrap();
    let view = game.view(game.public().to_act().unwrap()).as_ref();
    let mut chance = BotSeed::chosen(1).chance(view);
    write_action(&Level::Casual.policy().choose(view, &mut chance).unwrap(), rules.pack())
}

#[test]
fn wild_cards_wait_for_a_wild_book_that_the_contract_asks_for() {
    let position = "turn 1 play stock\nmeld 1 9x4 2\nseat 1 hand 2C 4C 6D JS KH";
    assert_eq!(choice("bga", 4, position), "discard 4C");
    // The same contract under the wild limit on which the baseline is frozen.
    assert_eq!(choice("whitnack", 4, position), "lay m1 2C");
    // Nothing but the stock is left to come, and it holds too few.
    let late = "turn 1 play stock\nstock ?x16\nmeld 1 9x4 2\n\
                seat 1 foot 2C 4C 6D JS KH ; full_turn\nseat 2 foot ?x9 ; full_turn\n\
                seat 3 foot ?x2 ; full_turn\nseat 4 foot ?x9 ; full_turn";
    assert_eq!(choice("bga", 4, late), "lay m1 2C");
}

#[test]
fn a_saved_wild_card_is_spent_to_reach_the_foot() {
    let position =
        |own| format!("turn 1 play stock\nmeld 1 9x4 2\nmeld 1 5x4\nmeld 1 8x4\nseat 1 hand {own}");
    assert_eq!(choice("bga", 4, &position("2C KC KD QS")), "lay KC KD 2C");
    assert_eq!(choice("bga", 4, &position("2C QS")), "lay m1 2C");
    assert_eq!(choice("bga", 4, &position("2C KC KD QS JS")), "discard JS");
}

#[test]
fn the_best_clean_meld_stays_clean_while_a_clean_book_is_missing() {
    let position = |books| {
        format!("turn 1 play stock\nmeld 1 8x6\nmeld 1 10x5\n{books}seat 1 hand 2C 4C 6D JS KH")
    };
    assert_eq!(choice("simpson", 4, &position("")), "lay m2 2C");
    assert_eq!(choice("simpson", 4, &position("meld 1 9x7\n")), "lay m1 2C");
}

#[test]
fn sevens_stay_clean_while_their_book_is_missing() {
    let position = |book| {
        format!(
            "turn 1 play stock\nmeld 1 7x6\nmeld 1 9x7\nmeld 1 2x7\n{book}\
             seat 1 foot 2C 4Cx2 6D JS KH ; full_turn"
        )
    };
    assert_eq!(choice("pennies-from-heaven", 6, &position("")), "lay 4Cx2 2C");
    assert_eq!(choice("pennies-from-heaven", 6, &position("meld 1 7x7\n")), "lay m1 2C");
}

#[test]
fn a_wild_card_leaves_with_a_pair_rather_than_alone() {
    let position = "turn 1 play stock\nmeld 1 9x4\nseat 1 hand Jester 4x2 6 8 11";
    assert_eq!(choice("hand-n-foot-262", 4, position), "lay 4x2 Jester");
}

#[test]
fn with_the_contract_met_the_last_wild_card_in_the_foot_is_kept() {
    let position = |own| {
        format!(
            "turn 1 play stock\nmeld 1 9x7\nmeld 1 8x4 2x3\nmeld 1 10x6\nmeld 1 5x4\n\
             seat 1 foot {own} ; full_turn"
        )
    };
    assert_eq!(choice("bicycle", 4, &position("2C 4C 6D JS KH")), "discard 4C");
    // What is more goes where it keeps the most room.
    assert_eq!(choice("bicycle", 4, &position("2Cx2 4C 6D JS KH")), "lay m4 2C");
}

#[test]
fn a_discard_pile_with_red_threes_to_pay_for_is_left_alone() {
    let position = |discards| {
        format!("turn 1 draw\ndiscards {discards}\nmeld 1 9x4\nseat 1 hand KC KD 4C 6D JS QH 10C")
    };
    assert_eq!(choice("rasa", 4, &position("KS 3H 5C 3D")), "draw");
    assert_eq!(choice("rasa", 4, &position("KS 3H 5C")), "take KS KC KD");
    assert_eq!(choice("bga", 4, &position("KS 5C 5D")), "take KS KC KD");
}
