//! Each rejection of D.2, by a draft with nothing else wrong.
//!
//! **Invariant:** one rejection a test.

use handfoot_cards::Role;
use handfoot_rules::{
    BlackThreeMeld, BookNeeded, Decks, DiscardLock, ExactPickModel, FootTrigger, FromDiscards,
    LastDiscard, Need, OpeningBook, OpeningBy, OpeningStep, PerRound, RedThreeMode, RulesDraft,
    SpecialLastDiscard, SpecialRank, StockThen, WildMeld, WildTop,
};

use crate::kit::{assert_rejected, kind, use_pack};

const NOTHING: Need = Need { clean: 0, dirty: 0, wild: 0, sevens: 0, total: 0 };

fn same(need: Need) -> PerRound<Need> {
    PerRound::Same(need)
}

fn special(rank: &str) -> SpecialRank {
    SpecialRank {
        rank: rank.to_owned(),
        book_bonus: 1500,
        discard_lock: DiscardLock::None,
        last_discard: SpecialLastDiscard::Allowed,
    }
}

/// Two players with packets so small that one deck is enough.
fn small(draft: &mut RulesDraft) {
    (draft.players, draft.team_size) = (2, 1);
    draft.decks = Decks::Fixed(1);
    draft.packets = PerRound::Same(vec![3, 3]);
    draft.need = same(NOTHING);
}

#[test]
fn reject_1_teams_must_divide_the_players() {
    assert_rejected(|d| d.players = 5, &[("team_size", "TEAM_SIZE_DOES_NOT_DIVIDE")]);
    assert_rejected(|d| d.team_size = 4, &[("team_size", "TOO_FEW_TEAMS")]);
}

#[test]
fn reject_2_the_deal_must_fit_the_pack() {
    let at = [("packets", "DEAL_TOO_LARGE")];
    // 4 × 26 + 1 + 8 = 113 of 108 cards.
    let two_decks = |d: &mut RulesDraft| {
        d.decks = Decks::Fixed(2);
        d.need = same(NOTHING);
    };
    assert_rejected(two_decks, &at);
}

#[test]
fn reject_2_looks_at_each_round_by_itself() {
    assert_rejected(
        |d| {
            d.decks = Decks::Fixed(2);
            d.need = same(NOTHING);
            d.packets = PerRound::Each(vec![vec![11, 11], vec![13, 13]]);
        },
        &[("packets[1]", "DEAL_TOO_LARGE")],
    );
    // 4 × 24 + 1 = 97, and 4 × 3 more in the second round only.
    assert_rejected(
        |d| {
            d.decks = Decks::Fixed(2);
            d.need = same(NOTHING);
            d.packets = PerRound::Same(vec![12, 12]);
            d.draw = PerRound::Each(vec![2, 3]);
        },
        &[("packets[1]", "DEAL_TOO_LARGE")],
    );
}

#[test]
fn reject_3_a_book_is_larger_than_a_meld() {
    assert_rejected(|d| d.meld_min = 7, &[("book_size", "BOOK_TOO_SMALL")]);
    assert_rejected(|d| d.meld_min = 1, &[("meld_min", "MELD_MIN_TOO_SMALL")]);
}

#[test]
fn reject_4_clean_books_must_be_possible() {
    let one_clean = |d: &mut RulesDraft| {
        small(d);
        d.need = same(Need { clean: 1, ..NOTHING });
    };
    assert_rejected(one_clean, &[("need.clean", "NEED_TOO_MANY_CLEAN")]);
}

#[test]
fn reject_4_clean_and_dirty_books_must_fit_the_ranks() {
    let twelve = |d: &mut RulesDraft| {
        d.per_rank.total = Some(1);
        d.need = same(Need { clean: 6, dirty: 6, ..NOTHING });
    };
    assert_rejected(twelve, &[("need", "NEED_TOO_MANY_FOR_RANKS")]);
    let with_black_threes = |d: &mut RulesDraft| {
        twelve(d);
        d.black_three.meld = BlackThreeMeld::Set;
    };
    assert_rejected(with_black_threes, &[]);
}

#[test]
fn reject_4_the_books_of_a_team_must_fit_the_pack() {
    // 36 × 7 = 252 of 250 cards that can be melded.
    let many = |d: &mut RulesDraft| {
        d.need = PerRound::Each(vec![NOTHING, Need { total: 36, ..NOTHING }]);
    };
    assert_rejected(many, &[("need[1]", "NEED_TOO_MANY_CARDS")]);
}

#[test]
fn reject_5_wild_books_must_be_possible() {
    let barred = |d: &mut RulesDraft| {
        d.wild_meld = WildMeld::Barred;
        d.take.wild_top = WildTop::Barred;
    };
    assert_rejected(barred, &[("need.wild", "NEED_WILD_BARRED")]);
    // 5 × 6 = 30 wild cards make four books.
    let five = |d: &mut RulesDraft| d.need = same(Need { wild: 5, ..NOTHING });
    assert_rejected(five, &[("need.wild", "NEED_TOO_MANY_WILD")]);
}

#[test]
fn reject_6_dirty_books_must_be_possible() {
    let no_wild_allowed = |d: &mut RulesDraft| d.wild_limit.max = Some(0);
    assert_rejected(no_wild_allowed, &[("need.dirty", "NEED_DIRTY_BARRED")]);
    let no_wild_there = |d: &mut RulesDraft| {
        use_pack(d, &[kind("Page", 100, Role::Natural), kind("Lord", 100, Role::Natural)]);
        d.need = same(Need { dirty: 1, ..NOTHING });
    };
    assert_rejected(no_wild_there, &[("need.dirty", "NEED_DIRTY_WITHOUT_WILDS")]);
}

#[test]
fn reject_7_a_mixed_meld_holds_a_natural() {
    assert_rejected(
        |d| d.wild_limit.min_natural = 0,
        &[("wild_limit.min_natural", "WILD_LIMIT_WITHOUT_NATURALS")],
    );
    assert_rejected(|d| d.wild_limit.a.numerator = -1, &[("wild_limit.a", "WILD_LIMIT_NEGATIVE")]);
    assert_rejected(
        |d| d.wild_limit.a.denominator = 0,
        &[("wild_limit.a", "WILD_LIMIT_NO_FRACTION")],
    );
}

#[test]
fn reject_8_a_matching_pair_needs_wild_melds() {
    let barred = |d: &mut RulesDraft| {
        d.wild_meld = WildMeld::Barred;
        d.need = same(Need { clean: 1, ..NOTHING });
    };
    assert_rejected(barred, &[("take.wild_top", "WILD_TOP_WITHOUT_WILD_MELD")]);
}

#[test]
fn reject_9_needed_sevens_must_be_special_and_exist() {
    let needed = |count: u8| same(Need { sevens: count, ..NOTHING });
    assert_rejected(|d| d.need = needed(1), &[("need.sevens", "NEED_SEVENS_WITHOUT_SPECIAL")]);
    // 20 sevens make two books.
    let three = |d: &mut RulesDraft| {
        d.special = vec![special("7")];
        d.need = needed(3);
    };
    assert_rejected(three, &[("need.sevens", "NEED_TOO_MANY_SEVENS")]);
}

#[test]
fn reject_10_opening_steps_must_make_sense() {
    assert_rejected(|d| d.opening.steps.clear(), &[("opening.steps", "OPENING_STEPS_EMPTY")]);
    assert_rejected(
        |d| d.opening.steps[2] = OpeningStep::Points(-1),
        &[("opening.steps[2]", "OPENING_STEP_NEGATIVE")],
    );
}

#[test]
fn reject_10_a_book_from_hand_must_fit_the_hand() {
    let book = OpeningStep::Book(OpeningBook::BookFromHand);
    let four_cards = PerRound::Same(vec![4, 13]);
    assert_rejected(
        |d| {
            d.opening.steps[3] = book;
            d.packets = four_cards.clone();
        },
        &[("opening.steps[3]", "OPENING_BOOK_TOO_LARGE")],
    );
    // Only the rounds in which the step applies count.
    let later = |d: &mut RulesDraft| {
        d.opening.steps[3] = book;
        d.packets = PerRound::Each(vec![vec![4, 13], vec![13, 13]]);
    };
    assert_rejected(later, &[]);
    let by_score = |d: &mut RulesDraft| {
        later(d);
        d.opening.by = OpeningBy::TeamScore(vec![0, 500, 1000, 1500]);
    };
    assert_rejected(by_score, &[("opening.steps[3]", "OPENING_BOOK_TOO_LARGE")]);
}

#[test]
fn reject_11_thresholds_rise_one_a_step() {
    let by = |scores: &[i32]| {
        let by = OpeningBy::TeamScore(scores.to_vec());
        move |d: &mut RulesDraft| d.opening.by = by
    };
    assert_rejected(by(&[]), &[("opening.by.team_score", "THRESHOLDS_EMPTY")]);
    assert_rejected(
        by(&[0, 500, 500, 1500]),
        &[("opening.by.team_score[2]", "THRESHOLDS_NOT_RISING")],
    );
    assert_rejected(
        by(&[0, 500, 1000]),
        &[("opening.by.team_score", "THRESHOLDS_DO_NOT_MATCH_STEPS")],
    );
    assert_rejected(by(&[0, 500, 1000, 1500]), &[]);
}

#[test]
fn reject_12_penalty_threes_have_none_of_what_laid_ones_have() {
    let penalty = |d: &mut RulesDraft| {
        d.red_three.mode = RedThreeMode::Penalty;
        d.red_three.laid = None;
    };
    let reason = "RED_THREE_VALUE_IN_PENALTY";
    assert_rejected(penalty, &[]);
    assert_rejected(|d| d.red_three.mode = RedThreeMode::Penalty, &[("red_three.laid", reason)]);
    let all = |d: &mut RulesDraft| {
        penalty(d);
        d.red_three.all = Some(1000);
    };
    assert_rejected(all, &[("red_three.all", reason)]);
    let needs = |d: &mut RulesDraft| {
        penalty(d);
        d.red_three.needs = Some(BookNeeded::Sevens);
    };
    assert_rejected(needs, &[("red_three.needs", reason)]);
    let replaced = |d: &mut RulesDraft| {
        penalty(d);
        d.red_three.from_discards = FromDiscards::Replaced;
    };
    assert_rejected(replaced, &[("red_three.from_discards", reason)]);
}

#[test]
fn reject_12_special_ranks_meld() {
    let ranks = |names: &[&str]| {
        let special: Vec<_> = names.iter().copied().map(special).collect();
        move |d: &mut RulesDraft| d.special = special
    };
    assert_rejected(ranks(&["7"]), &[]);
    assert_rejected(ranks(&["7", "B3"]), &[("special[1].rank", "SPECIAL_THREE")]);
    assert_rejected(ranks(&["2"]), &[("special[0].rank", "SPECIAL_UNKNOWN")]);
    assert_rejected(ranks(&["11"]), &[("special[0].rank", "SPECIAL_UNKNOWN")]);
    assert_rejected(ranks(&["7", "7"]), &[("special[1].rank", "SPECIAL_REPEATED")]);
}

#[test]
fn laid_red_threes_have_points() {
    assert_rejected(|d| d.red_three.laid = None, &[("red_three.laid", "RED_THREE_LAID_MISSING")]);
}

#[test]
fn reject_13_an_exact_pick_needs_its_model() {
    assert_rejected(
        |d| d.exact_pick.bonus = 300,
        &[("exact_pick.bonus", "EXACT_PICK_BONUS_WITHOUT_MODEL")],
    );
    for chance in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_rejected(
            |d| d.exact_pick.model = ExactPickModel::Chance(chance),
            &[("exact_pick.model", "EXACT_PICK_CHANCE")],
        );
    }
}

#[test]
fn reject_14_there_are_packets_with_cards() {
    let packets = |sizes: &[u8]| {
        let packets = PerRound::Same(sizes.to_vec());
        move |d: &mut RulesDraft| d.packets = packets
    };
    assert_rejected(packets(&[]), &[("packets", "PACKETS_EMPTY")]);
    assert_rejected(packets(&[13, 0]), &[("packets", "PACKET_TOO_SMALL")]);
    let three = |d: &mut RulesDraft| {
        packets(&[11, 11, 11])(d);
        d.foot.trigger = FootTrigger::FirstBook;
    };
    assert_rejected(three, &[("packets", "FIRST_BOOK_WITH_PACKETS")]);
}

#[test]
fn reject_15_a_game_ends() {
    assert_rejected(|d| d.length.rounds = None, &[("length", "LENGTH_MISSING")]);
    assert_rejected(|d| d.length.target = Some(0), &[("length.target", "TARGET_TOO_SMALL")]);
}

#[test]
fn reject_16_a_pack_has_naturals_each_once() {
    let none = |d: &mut RulesDraft| {
        use_pack(d, &[kind("Joker", 200, Role::Wild)]);
        d.need = same(NOTHING);
    };
    assert_rejected(none, &[("pack", "PACK_WITHOUT_NATURALS")]);
    let twice = |d: &mut RulesDraft| {
        use_pack(d, &[kind("Lord", 100, Role::Natural), kind("Lord", 100, Role::Natural)]);
        d.need = same(NOTHING);
    };
    assert_rejected(twice, &[("pack[1]", "PACK_NAME_REPEATED")]);
}

#[test]
fn reject_16_only_what_the_pack_holds_can_be_asked_for() {
    let plain = |d: &mut RulesDraft| {
        use_pack(d, &[kind("Lord", 200, Role::Natural), kind("Joker", 50, Role::Wild)]);
    };
    assert_rejected(plain, &[]);
    let value = |d: &mut RulesDraft| {
        plain(d);
        d.card_value.0.insert("Villain".to_owned(), 5);
    };
    assert_rejected(value, &[("card_value", "CARD_VALUE_UNKNOWN")]);
    let red = |d: &mut RulesDraft| {
        plain(d);
        d.red_three.all = Some(1000);
    };
    assert_rejected(red, &[("red_three.all", "RED_THREE_NOT_IN_PACK")]);
    let black = |d: &mut RulesDraft| {
        plain(d);
        d.black_three.meld = BlackThreeMeld::Set;
    };
    assert_rejected(black, &[("black_three.meld", "BLACK_THREE_NOT_IN_PACK")]);
}

#[test]
fn every_kind_has_a_value_red_threes_apart() {
    let without = |name: &'static str| {
        move |d: &mut RulesDraft| {
            d.card_value.0.remove(name).unwrap();
        }
    };
    for name in ["4", "10", "A", "2", "*", "B3"] {
        assert_rejected(without(name), &[("card_value", "CARD_VALUE_MISSING")]);
    }
    let red = |d: &mut RulesDraft| {
        d.card_value.0.insert("R3".to_owned(), 100);
    };
    assert_rejected(red, &[]);
    let unknown = |d: &mut RulesDraft| {
        d.card_value.0.insert("3".to_owned(), 5);
    };
    assert_rejected(unknown, &[("card_value", "CARD_VALUE_UNKNOWN")]);
}

#[test]
fn reject_17_added_decks_are_numbered_where_they_are_added() {
    let field = "stock_out.max_added";
    assert_rejected(|d| d.stock_out.then = StockThen::AddDeck, &[(field, "MAX_ADDED_MISSING")]);
    for then in [StockThen::EndRound, StockThen::ReshuffleDiscards, StockThen::PlayOn] {
        let unused = |d: &mut RulesDraft| {
            d.stock_out.then = then;
            d.stock_out.max_added = Some(1);
        };
        assert_rejected(unused, &[(field, "MAX_ADDED_UNUSED")]);
    }
}

#[test]
fn decks_that_are_added_must_fit_a_round() {
    let at = [("stock_out.max_added", "PACK_TOO_LARGE")];
    let added = |decks: u8, max_added: u8| {
        move |d: &mut RulesDraft| {
            d.decks = Decks::Fixed(decks);
            d.stock_out.then = StockThen::AddDeck;
            d.stock_out.max_added = Some(max_added);
        }
    };
    // 15 decks of 54 are 810 of 840 cards.
    assert_rejected(added(5, 10), &[]);
    assert_rejected(added(5, 11), &at);
    let named = |number| {
        move |d: &mut RulesDraft| {
            use_pack(d, &[kind("Lord", number, Role::Natural), kind("Joker", 30, Role::Wild)]);
            d.players = 2;
            d.team_size = 1;
            d.stock_out.then = StockThen::AddDeck;
            d.stock_out.max_added = Some(1);
        }
    };
    assert_rejected(named(125), &[]);
    // Two decks of 126 are more of one kind than can be counted.
    assert_rejected(named(126), &at);
}

#[test]
fn red_threes_that_need_sevens_need_a_special_rank() {
    let needs = |d: &mut RulesDraft| d.red_three.needs = Some(BookNeeded::Sevens);
    assert_rejected(needs, &[("red_three.needs", "NEED_SEVENS_WITHOUT_SPECIAL")]);
    let with_special = |d: &mut RulesDraft| {
        needs(d);
        d.special = vec![special("7")];
    };
    assert_rejected(with_special, &[]);
}

#[test]
fn what_is_meaningless_is_set_aside_in_silence() {
    use handfoot_rules::{ExtendWild, PartnerCondition, Permission, Rules};
    let alone = crate::kit::draft(|d| (d.players, d.team_size) = (3, 1));
    let alone = Rules::new(alone).unwrap().rules;
    assert_eq!(alone.draft().partner, PartnerCondition::None);
    assert_eq!(alone.draft().permission, Permission::None);
    let barred = crate::kit::draft(|d| {
        d.wild_meld = WildMeld::Barred;
        d.take.wild_top = WildTop::Barred;
        d.need = same(Need { clean: 1, ..NOTHING });
        d.extend.wild = ExtendWild::Wild;
    });
    let barred = Rules::new(barred).unwrap().rules;
    assert_eq!(barred.draft().book_bonus.wild, 0);
    assert_eq!(barred.draft().extend.wild, ExtendWild::None);
    // A list of kinds has its own jokers, and a forbidden last discard needs no ban.
    assert_rejected(
        |d| {
            use_pack(d, &[kind("Lord", 200, Role::Natural), kind("Joker", 50, Role::Wild)]);
            d.jokers_per_deck = 200;
            d.last_discard = LastDiscard::Forbidden;
        },
        &[],
    );
    // It is the whole pack, once.
    let named = crate::kit::draft(|d| {
        use_pack(d, &[kind("Lord", 200, Role::Natural), kind("Joker", 50, Role::Wild)]);
        d.packets = PerRound::Same(vec![11, 11]);
    });
    assert_eq!(Rules::new(named).unwrap().rules.draft().decks, Decks::Fixed(1));
}
