//! Numbers at and beyond their limits, and numbers beyond all sense.
//!
//! **Invariant:** validation answers whatever it is asked.

use std::collections::BTreeMap;

use handfoot_cards::{Kind, Role};
use handfoot_rules::{
    BlackThreeMeld, Buried, CardValues, Decks, ExactPickModel, Named, Need, OpeningBy, OpeningStep,
    PackChoice, PerRound, Problem, Rules, RulesDraft, StockThen, TakeCount, Warning,
};

use crate::kit::{Dice, assert_rejected, draft, kind, named, problems, rejected, use_pack};

#[test]
fn every_number_has_its_limits() {
    let out = "OUT_OF_RANGE";
    assert_rejected(|d| d.jokers_per_deck = 9, &[("jokers_per_deck", out)]);
    assert_rejected(|d| d.decks = Decks::PerPlayer(3), &[("decks.per_player", out)]);
    assert_rejected(|d| d.out_bonus = 1001, &[("out_bonus", out)]);
    assert_rejected(|d| d.out_bonus = -1, &[("out_bonus", out)]);
    assert_rejected(|d| d.draw = PerRound::Same(6), &[("draw", out)]);
    assert_rejected(|d| d.draw = PerRound::Each(vec![2, 0]), &[("draw[1]", out)]);
    assert_rejected(|d| d.length.rounds = Some(11), &[("length.rounds", out)]);
    assert_rejected(|d| d.length.rounds = Some(0), &[("length.rounds", out)]);
    assert_rejected(|d| d.length.target = Some(100_001), &[("length.target", out)]);
    assert_rejected(|d| d.take.min_size = 0, &[("take.min_size", out)]);
    assert_rejected(|d| d.take.min_size = 61, &[("take.min_size", out)]);
    assert_rejected(|d| d.per_rank.open = 0, &[("per_rank.open", out)]);
    assert_rejected(|d| d.book_bonus.dirty = 100_001, &[("book_bonus.dirty", out)]);
    assert_rejected(|d| d.red_three.held = -100_001, &[("red_three.held", out)]);
    assert_rejected(
        |d| d.wild_limit.a.numerator = 101,
        &[("wild_limit.a", out), ("need.dirty", "NEED_DIRTY_BARRED")],
    );
    let count = |count| PerRound::Each(vec![TakeCount::All, TakeCount::Top(count)]);
    assert_rejected(|d| d.take.count = count(0), &[("take.count[1]", out)]);
    assert_rejected(|d| d.take.count = count(251), &[("take.count[1]", out)]);
    let step = OpeningStep::Points(100_001);
    assert_rejected(|d| d.opening.steps[0] = step, &[("opening.steps[0]", out)]);
    let jack = |d: &mut RulesDraft| {
        d.card_value.0.insert("J".to_owned(), 100_001);
    };
    assert_rejected(jack, &[("card_value", "CARD_VALUE_OUT_OF_RANGE")]);
    let packet = |d: &mut RulesDraft| {
        d.decks = Decks::Fixed(6);
        d.packets = PerRound::Same(vec![13, 61]);
    };
    assert_rejected(packet, &[("packets", out)]);
}

#[test]
fn tables_have_2_to_12_seats_in_teams_of_1_to_6() {
    let seats = |players, team_size| {
        rejected(|d| {
            (d.players, d.team_size) = (players, team_size);
            d.decks = Decks::Fixed(14);
        })
    };
    assert_eq!(seats(2, 1), []);
    assert_eq!(seats(12, 6), []);
    assert_eq!(seats(12, 1), []);
    assert_eq!(seats(13, 1), [("players".to_owned(), "OUT_OF_RANGE")]);
    assert_eq!(seats(14, 7)[0], ("players".to_owned(), "OUT_OF_RANGE"));
    assert_eq!(seats(14, 7)[1], ("team_size".to_owned(), "OUT_OF_RANGE"));
    assert_eq!(seats(4, 0), [("team_size".to_owned(), "OUT_OF_RANGE")]);
    assert!(seats(0, 0).contains(&("players".to_owned(), "OUT_OF_RANGE")));
}

#[test]
fn a_pack_has_at_most_840_cards() {
    let decks = |decks, jokers| {
        move |d: &mut RulesDraft| {
            d.decks = Decks::Fixed(decks);
            d.jokers_per_deck = jokers;
        }
    };
    assert_rejected(decks(14, 8), &[]);
    assert_rejected(decks(15, 4), &[]);
    assert_rejected(decks(15, 5), &[("decks", "PACK_TOO_LARGE")]);
    assert_rejected(decks(16, 0), &[("decks.fixed", "OUT_OF_RANGE")]);
    assert_rejected(
        decks(0, 2),
        &[
            ("decks.fixed", "OUT_OF_RANGE"),
            ("packets", "DEAL_TOO_LARGE"),
            ("need.clean", "NEED_TOO_MANY_CLEAN"),
            ("need.dirty", "NEED_DIRTY_WITHOUT_WILDS"),
            ("need.wild", "NEED_TOO_MANY_WILD"),
            ("need", "NEED_TOO_MANY_CARDS"),
        ],
    );
}

#[test]
fn every_list_has_its_limits() {
    let long = "LIST_TOO_LONG";
    assert_rejected(|d| d.draw = PerRound::Each(vec![2; 11]), &[("draw", long)]);
    assert_rejected(|d| d.draw = PerRound::Each(vec![]), &[("draw", "LIST_EMPTY")]);
    assert_rejected(|d| d.packets = PerRound::Each(vec![]), &[("packets", "LIST_EMPTY")]);
    assert_rejected(|d| d.need = PerRound::Each(vec![]), &[("need", "LIST_EMPTY")]);
    assert_rejected(|d| d.take.count = PerRound::Each(vec![]), &[("take.count", "LIST_EMPTY")]);
    assert_rejected(|d| d.upcard.bury = vec![Buried::Wild; 4], &[("upcard.bury", long)]);
    let steps = vec![OpeningStep::Points(50); 11];
    assert_rejected(|d| d.opening.steps = steps, &[("opening.steps", long)]);
    assert_rejected(|d| d.packets = PerRound::Same(vec![5; 5]), &[("packets", long)]);
    let values = |d: &mut RulesDraft| {
        d.card_value.0.extend((0..10_000).map(|n| (format!("a{n}"), 5)));
    };
    assert!(rejected(values).contains(&("card_value".to_owned(), long)));
    assert!(rejected(values).len() < 100);
}

#[test]
fn a_pack_of_kinds_has_its_limits() {
    let lord = kind("Lord", 200, Role::Natural);
    let with = |kinds: &[(&str, u8, Role)]| {
        let mut all = vec![lord.clone()];
        all.extend(kinds.iter().map(|(name, number, role)| kind(name, *number, *role)));
        rejected(|d| {
            use_pack(d, &all);
            d.need = PerRound::Same(Need { clean: 1, dirty: 0, wild: 0, sevens: 0, total: 0 });
        })
    };
    let at = |at: &str, reason| vec![(at.to_owned(), reason)];
    assert_eq!(with(&[]), []);
    assert_eq!(with(&[("a b", 9, Role::Wild)]), at("pack[1]", "PACK_NAME_UNREADABLE"));
    assert_eq!(with(&[("Jack", 0, Role::Natural)]), at("pack[1]", "PACK_KIND_EMPTY"));
    assert_eq!(with(&[("Jack", 251, Role::Natural)]), at("pack[1]", "PACK_TOO_LARGE"));
    let large = [("a", 250, Role::Natural), ("b", 250, Role::Natural), ("c", 250, Role::Natural)];
    assert_eq!(with(&large), at("pack", "PACK_TOO_LARGE"));
    let names = ["a", "b", "c", "d", "e", "f"];
    assert_eq!(with(&names.map(|name| (name, 1, Role::Wild))), at("pack", "PACK_TOO_MANY_WILDS"));
    assert_eq!(
        with(&names.map(|name| (name, 1, Role::RedThree))),
        at("pack", "PACK_TOO_MANY_RED_THREES"),
    );
    let many: Vec<String> = (0..20).map(|n| format!("k{n}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), 1, Role::Natural)).collect();
    assert!(with(&many).contains(&("pack".to_owned(), "LIST_TOO_LONG")));
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let worst = draft(|d| {
        d.players = 7;
        d.meld_min = 1;
        d.wild_limit.min_natural = 0;
        d.opening.steps.clear();
        d.length.rounds = Some(99);
        d.card_value.0.remove("K");
    });
    let found = named(&problems(&worst));
    let expected = [
        ("team_size", "TEAM_SIZE_DOES_NOT_DIVIDE"),
        ("card_value", "CARD_VALUE_MISSING"),
        ("meld_min", "MELD_MIN_TOO_SMALL"),
        ("wild_limit.min_natural", "WILD_LIMIT_WITHOUT_NATURALS"),
        ("opening.steps", "OPENING_STEPS_EMPTY"),
        ("length.rounds", "OUT_OF_RANGE"),
    ];
    let expected: Vec<_> = expected.map(|(at, reason)| (at.to_owned(), reason)).to_vec();
    assert_eq!(found, expected);
}

#[test]
fn messages_name_what_is_there_and_what_is_required() {
    let message = |change: fn(&mut RulesDraft)| problems(&draft(change))[0].to_string();
    assert_eq!(message(|d| d.out_bonus = 2000), "out_bonus: 2000, must be 0 to 1000");
    assert_eq!(
        message(|d| d.players = 5),
        "team_size: 5 players cannot be divided into teams of 2",
    );
    assert_eq!(Named::Number(-5).to_string(), "-5");
}

#[test]
fn reasons_are_stable_names() {
    let mut all: Vec<&str> = Problem::REASONS.to_vec();
    all.extend(Warning::REASONS);
    all.extend(handfoot_rules::FileProblem::REASONS);
    for reason in &all {
        assert!(reason.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{reason}");
        assert!(reason.len() <= 63);
    }
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

/// Sets every number of a draft to something that may be absurd.
fn scramble(d: &mut RulesDraft, dice: &mut Dice) {
    let small = |dice: &mut Dice| [0, 1, 2, 3, 4, 7, 13, 60, 128, 254, 255][dice.below(11)];
    let point = |dice: &mut Dice| [i32::MIN, -1, 0, 1, 100, i32::MAX][dice.below(6)];
    let short = |dice: &mut Dice| [i16::MIN, -1, 0, 1, 2, i16::MAX][dice.below(6)];
    (d.players, d.team_size) = (small(dice), small(dice));
    d.decks = match dice.below(2) {
        0 => Decks::Fixed(small(dice)),
        _ => Decks::PerPlayer(small(dice)),
    };
    d.jokers_per_deck = small(dice);
    let sizes = |dice: &mut Dice| (0..dice.below(5)).map(|_| small(dice)).collect::<Vec<_>>();
    d.packets = match dice.below(2) {
        0 => PerRound::Same(sizes(dice)),
        _ => PerRound::Each((0..dice.below(13)).map(|_| sizes(dice)).collect()),
    };
    d.draw = PerRound::Each(sizes(dice));
    (d.meld_min, d.book_size) = (small(dice), small(dice));
    (d.wild_limit.a.numerator, d.wild_limit.a.denominator) = (short(dice), short(dice));
    (d.wild_limit.b, d.wild_limit.min_natural) = (i8::MIN, small(dice));
    d.wild_limit.max = [None, Some(small(dice))][dice.below(2)];
    d.per_rank.total = [None, Some(small(dice))][dice.below(2)];
    let mut counts = || small(dice);
    let need = Need {
        clean: counts(),
        dirty: counts(),
        wild: counts(),
        sevens: counts(),
        total: counts(),
    };
    d.need = PerRound::Same(need);
    (d.out_bonus, d.red_three.held, d.book_bonus.clean) = (point(dice), point(dice), point(dice));
    (d.book_bonus.dirty, d.book_bonus.wild) = (point(dice), i32::MIN);
    d.opening.steps = vec![OpeningStep::Points(point(dice))];
    d.opening.by = OpeningBy::TeamScore(vec![point(dice), point(dice)]);
    d.length.rounds = [None, Some(small(dice))][dice.below(2)];
    d.length.target = Some(point(dice));
    d.take.count = PerRound::Same(TakeCount::Top(small(dice)));
    d.stock_out.then = StockThen::AddDeck;
    d.exact_pick.model = ExactPickModel::Chance(f64::NAN);
    d.black_three.meld = BlackThreeMeld::Set;
    if dice.below(4) == 0 {
        let role = [Role::Natural, Role::Wild, Role::RedThree, Role::BlackThree];
        let kinds = (0..dice.below(300)).map(|n| kind(&"é".repeat(n), 255, role[n % 4]));
        d.pack = PackChoice::Kinds(kinds.collect());
        d.card_value = CardValues(BTreeMap::new());
    }
}

#[test]
fn no_number_is_too_absurd_to_be_answered() {
    let mut dice = Dice(7);
    for _ in 0..5_000 {
        let absurd = draft(|d| scramble(d, &mut dice));
        let checked = Rules::check(&absurd);
        for problem in &checked.problems {
            assert!(!problem.to_string().is_empty());
        }
        assert!(Rules::new(absurd).is_err());
    }
}

#[test]
fn rules_answer_whatever_they_are_asked() {
    let largest = draft(|d| {
        (d.players, d.team_size) = (12, 6);
        d.decks = Decks::Fixed(14);
        d.jokers_per_deck = 8;
        d.length.rounds = Some(10);
    });
    let rules = Rules::new(largest).unwrap().rules;
    assert_eq!(rules.pack().cards().len(), 840);
    assert_eq!(rules.wilds_max(255), 31);
    assert_eq!(rules.opening_minimum(usize::MAX, 0), 150);
    assert_eq!(rules.value(Kind::RED_THREE), 0);
    assert_eq!(rules.teams(), 2);
}
