//! What enumeration once found wrong, each as the smallest position that shows it.
//!
//! **Invariant:** a test here stays when its cause is gone.

use handfoot_rules::{Need, OpeningStep, PerRound, Permission, RulesDraft, TakeCount};
use handfoot_view::notation::write_action;
use handfoot_view::{Menu, OpeningReach, list, openings, sample, takes, way_out};

use crate::positions::chance;
use crate::tables::{Table, rules, whitnack};

/// Rules without a question and with a small contract.
fn easy(draft: &mut RulesDraft, books: u8, take: u8) {
    draft.permission = Permission::None;
    draft.book_size = 4;
    draft.opening.steps = vec![OpeningStep::Points(15)];
    draft.take.count = PerRound::Same(TakeCount::Top(take));
    draft.need = PerRound::Same(Need { clean: 0, dirty: 0, wild: 0, sevens: 0, total: books });
}

fn easy_table(books: u8, take: u8) -> Table {
    Table::new(rules(2, |draft| easy(draft, books, take))).all_in_foot()
}

fn way_out_text(table: &Table) -> Option<String> {
    way_out(table.view()).map(|action| write_action(&action, table.rules.pack()))
}

/// The three go into wild melds; a wild card that joins naturals counts nowhere. Rule: HF-5.2
#[test]
fn a_wild_card_on_naturals_does_not_go_with_a_wild_upcard() {
    let table = Table::new(whitnack()).meld("4x5").meld("2C 2S *x4").draw();
    let table = table.own("2C 2D KC KD").discards("2H");
    assert_eq!(table.refusal("take m2 2H / m1 2C 2D"), "WILDS_DO_NOT_MATCH");
    assert!(takes(table.view()).is_empty());
    assert_eq!(table.own("2S 2S").judge("take m2 2H / 2S 2S 2C"), Ok(()));
}

/// While a meld is unfinished no other of its rank is started, not even a whole book.
/// Rule: HF-4.6, HF-4.9, HF-5.5
#[test]
fn a_whole_book_does_not_stand_beside_an_unfinished_meld() {
    let table = Table::new(whitnack()).meld("KC KD KH").own("Kx11 QC");
    assert_eq!(table.refusal("lay Kx7"), "UNFINISHED_MELD_EXISTS");
    assert_eq!(table.judge("lay m1 Kx4 / Kx7"), Ok(()));
    let taking = table.draw().discards("KS");
    assert_eq!(taking.refusal("take KS Kx6"), "UNFINISHED_MELD_EXISTS");
    assert_eq!(taking.judge("take m1 KS Kx3 / Kx3"), Ok(()));
    let fresh = Table::new(whitnack()).own("Kx10 QC");
    assert_eq!(fresh.judge("lay Kx3 / Kx7"), Ok(()));
    assert_eq!(fresh.refusal("lay Kx3 / Kx4"), "UNFINISHED_MELD_EXISTS");
}

/// A team that has as many melds as a table holds is offered no new one. Rule: HF-4.11
#[test]
fn a_full_table_is_offered_no_new_meld() {
    let full = (0..100).fold(Table::new(whitnack()), |table, _| table.meld("4x7"));
    let table = full.own("KC KD KH QC QD QH");
    assert_eq!(table.refusal("lay KC KD KH"), "TOO_MANY_MELDS");
    let mut rng = chance(1);
    for _ in 0..200 {
        let action = sample(table.view(), &mut rng).unwrap();
        assert_eq!(handfoot_view::judge(table.view(), &action), Ok(()));
    }
}

/// A take that leaves too few cards is legal if it goes out. Rule: HF-5.1, HF-8.1, HF-8.9
#[test]
fn a_take_that_lays_everything_at_once_is_found() {
    let table = easy_table(1, 1).meld("QC QD QH").draw().own("KC KD 2C QS 4C").discards("KH");
    assert_eq!(way_out_text(&table), Some("take m1 QS / KH KC KD 2C".to_owned()));
    let wild = easy_table(1, 1).meld("QC QD QH").draw().own("2C 2D * QS").discards("2H");
    assert_eq!(way_out_text(&wild), Some("take m1 QS / * 2C 2D 2H".to_owned()));
}

/// The one card that comes with the upcard is discarded, since it can be laid later only.
/// Rule: HF-5.4, HF-8.8
#[test]
fn a_take_that_leaves_the_last_discard_is_found() {
    let table = easy_table(0, 2).meld("QC QD QH").draw().own("KC KD").discards("9C KH");
    assert_eq!(way_out_text(&table), Some("take KH KC KD".to_owned()));
    assert_eq!(takes(table.view()).len(), 1);
}

/// A take may need another book of the same act, or it leaves too little. Rule: HF-8.1, HF-8.2
#[test]
fn a_take_is_listed_that_is_legal_only_with_further_lays() {
    let table = easy_table(1, 1).meld("QC QD QH").draw().own("KC KD QS").discards("KH");
    assert_eq!(table.refusal("take KH KC KD"), "KEEP_CARDS");
    assert_eq!(takes(table.view()).len(), 1);
    let mut listed = Vec::new();
    list(table.view(), &mut listed);
    assert!(listed.iter().all(|action| Menu::of(table.view()).admits(table.view(), action)));
}

/// An opening may go out. Rule: HF-6.1, HF-8.9
#[test]
fn an_opening_that_goes_out_is_an_opening() {
    let table = easy_table(0, 1).own("KC KD KH");
    assert_eq!(openings(table.view()).len(), 1);
    assert_eq!(Menu::of(table.view()).opening.unwrap().reach, OpeningReach::Enough);
}

/// Whoever may go out plays the last card, be it one that may not be discarded. Rule: HF-8.10
#[test]
fn a_last_card_that_can_be_laid_is_laid() {
    let table = easy_table(1, 1).meld("QC QD QH").own("QS");
    assert_eq!(table.refusal("discard QS"), "CONTRACT_NOT_MET");
    let mut rng = chance(1);
    for _ in 0..20 {
        let action = sample(table.view(), &mut rng).unwrap();
        assert_eq!(write_action(&action, table.rules.pack()), "lay m1 QS");
    }
}

/// Where no points are needed to open, something must be laid all the same. Rule: HF-6.1
#[test]
fn a_minimum_of_nothing_is_not_an_opening_of_nothing() {
    let rules = rules(4, |draft| draft.opening.steps = vec![OpeningStep::Points(0)]);
    let table = Table::new(rules).own("4C 5C 6C");
    assert_eq!(Menu::of(table.view()).opening.unwrap().reach, OpeningReach::TooLittle);
    let mut rng = chance(1);
    for _ in 0..20 {
        let action = sample(table.view(), &mut rng).unwrap();
        assert!(write_action(&action, table.rules.pack()).starts_with("discard"));
    }
}

/// What only the discard pile would reach is out of reach once the draw step is done. Rule: HF-6.1
#[test]
fn the_opening_does_not_count_on_an_upcard_that_can_no_longer_be_taken() {
    let table = Table::new(whitnack()).own("AC AD 4C 4D 4H 9C").discards("AH");
    let reach = |table: &Table| Menu::of(table.view()).opening.unwrap().reach;
    assert_eq!(reach(&table), OpeningReach::TooLittle);
    assert_eq!(reach(&table.draw()), OpeningReach::Enough);
}

/// In the foot an opening must leave two cards, so that points alone do not reach it. Rule: HF-8.1
#[test]
fn an_opening_that_leaves_too_few_cards_is_out_of_reach() {
    let table = Table::new(whitnack()).all_in_foot().own("AC AD AH 4C");
    assert_eq!(table.refusal("lay AC AD AH"), "KEEP_CARDS");
    assert_eq!(Menu::of(table.view()).opening.unwrap().reach, OpeningReach::TooLittle);
}
