//! The rule sets of D.3 as rule files: each can be written, and passes every check of D.2.
//!
//! **Invariant:** values as the specification gives them; warnings are pinned.

use handfoot_rules::{RuleFile, Rules};

/// Asserts that a rule set of the specification makes sense, and is odd for exactly these reasons.
#[track_caller]
fn assert_sound(rules: &str, warnings: &[&str]) {
    let file = RuleFile::parse(&format!("[rules]\n{rules}")).unwrap();
    assert_eq!(RuleFile::parse(&file.rules.to_toml()).unwrap().rules, file.rules);
    let checked = Rules::check(&file.rules);
    assert!(checked.problems.is_empty(), "{:?}", checked.problems);
    let found: Vec<&str> =
        checked.warnings.iter().map(handfoot_rules::RulesWarning::reason).collect();
    assert_eq!(found, warnings);
}

const PENALTY: &str = "red_three = { mode = \"penalty\", laid = \"none\", held = -500 }\n";

const SIMPSON: &str = r#"
team_size = 1
packets = [11, 11]
upcard.deal = "none"
extend = { clean = "any", dirty = "any" }
wild_limit = { a = 1, b = 1, max = "none", min_natural = 2 }
wild_meld = "barred"
per_rank = { open = 1, total = 1 }
take = { count = 7, min_size = 7, wild_top = "barred" }
foot.after_discard = "end_of_turn"
"#;

#[test]
fn whitnack_2005_and_saskatchewan() {
    assert_sound("upcard.bury = [\"red_three\"]", &[]);
    assert_sound(
        r#"
        packets = [11, 13]
        extend = { clean = "natural", dirty = "natural", wild = "wild" }
        wild_limit = { a = 1, b = 1, max = 3, min_natural = 2 }
        opening.steps = [50, 90, 120, "book_from_hand"]
        take.count = "all"
        need = { clean = 1, dirty = 1, wild = 1 }
        "#,
        &[],
    );
}

#[test]
fn favourite() {
    let rules = r#"
        decks = { per_player = 0 }
        packets = [11, 11]
        upcard.deal = "none"
        extend = { clean = "natural", dirty = "natural" }
        wild_limit.max = 2
        wild_meld = "barred"
        take = { count = 5, wild_top = "barred" }
        need = { clean = 2, dirty = 2, wild = 0 }
        "#;
    assert_sound(&format!("{PENALTY}{rules}"), &[]);
}

#[test]
fn simpson_and_brouillette() {
    let need = "need = { clean = 1, dirty = 1, wild = 0 }\n";
    let simpson = format!(
        "{PENALTY}{SIMPSON}{need}last_discard = \"required\"\n\
         book_bonus = {{ clean = 300, dirty = 100 }}\n"
    );
    // Held, −500 outweighs the best book, which pays 300.
    assert_sound(&simpson, &["RED_THREE_HELD_HEAVY"]);
    let partners = SIMPSON.replace("team_size = 1", "team_size = 2\npartner = \"none\"");
    let brouillette = format!(
        r#"{PENALTY}{partners}
        wild_discard = "remove_discards"
        black_three = {{ meld = "set", melded_value = -5, book_bonus = 300 }}
        book_bonus = {{ clean = 500, dirty = 300 }}
        need = [
            {{ clean = 2, dirty = 2, wild = 0 }}, {{ clean = 2, dirty = 2, wild = 0 }},
            {{ clean = 2, dirty = 2, wild = 0 }}, {{ clean = 4, dirty = 4, wild = 0 }},
        ]
        "#
    );
    assert_sound(&brouillette, &[]);
}

#[test]
fn pennies_from_heaven() {
    let rules = r#"
        players = 6
        team_size = 3
        decks = { fixed = 4 }
        packets = [13, 11]
        upcard.bury = []
        foot.trigger = "first_book"
        wild_limit = { a = 0, b = 0, max = 3, min_natural = 2 }
        wild_discard = "freeze"
        need = { clean = 1, dirty = 1, wild = 1, sevens = 1 }
        book_bonus.wild = 1000
        red_three = { all = 1000, needs = "sevens" }
        black_three.meld = "set_when_going_out"
        partner = "none"
        permission = "none"
        length = { rounds = "none", target = 20000 }
        take = { count = "all", wild_top = "barred" }
        [[rules.special]]
        rank = "7"
        book_bonus = 1500
        discard_lock = "until_each_team"
        last_discard = "banned"
        [rules.opening]
        by = { team_score = [0, 500, 1000, 1500] }
        "#;
    // 216 − 144 − 1 = 71 cards of stock for six players.
    assert_sound(rules, &["STOCK_SHORT", "FREEZE_CHANGES_NOTHING"]);
}

#[test]
fn demeritt_rasa_and_bicycle() {
    let demeritt = r#"
        decks = { per_player = 0 }
        extend = { clean = "none", dirty = "any" }
        wild_limit = { a = 1, b = 1, max = "none", min_natural = 2 }
        wild_meld = "barred"
        take = { count = "all", wild_top = "barred", first_upcard = "free" }
        need = { clean = 2, dirty = 1, wild = 0 }
        out_bonus = 200
        length = { rounds = "none", target = 10000 }
        "#;
    assert_sound(demeritt, &[]);
    let rasa = r#"
        wild_limit = { a = 0, b = 0, max = 3, min_natural = 2 }
        take = { count = "all", matching = "pair_or_add_to_meld", wild_top = "barred" }
        wild_discard = "freeze"
        need = { clean = 1, dirty = 1, wild = 1 }
        length = { rounds = "none", target = 20000 }
        "#;
    assert_sound(&format!("{PENALTY}{rasa}"), &[]);
    let bicycle = r#"
        packets = [11, 11]
        decks = { fixed = 5 }
        wild_limit = { a = 1, b = 1, max = 3, min_natural = 4 }
        wild_meld = "barred"
        take.wild_top = "barred"
        need = { clean = 1, dirty = 1, wild = 0 }
        last_discard = "required"
        "#;
    assert_sound(bicycle, &[]);
}

#[test]
fn remastered_and_vegas() {
    let remastered = r#"
        wild_limit = { a = 1, b = 1, max = "none", min_natural = 2 }
        last_discard = "forbidden"
        "#;
    assert_sound(remastered, &["BLACK_THREES_STRAND"]);
    let vegas = r#"
        decks = { per_player = 2 }
        packets = [11, 11]
        draw = [3, 3, 4, 5]
        take = { count = [3, 3, 4, 5], wild_top = "barred" }
        opening.steps = [90, 120, 150, 180]
        wild_meld = "barred"
        wild_limit = { a = 1, b = 1, max = 3, min_natural = 2 }
        extend = { clean = "natural", dirty = "natural" }
        last_discard = "forbidden"
        card_value.B3 = 300
        need = [
            { clean = 3, dirty = 3, wild = 0 }, { clean = 3, dirty = 3, wild = 0 },
            { clean = 4, dirty = 4, wild = 0 }, { clean = 5, dirty = 5, wild = 0 },
        ]
        "#;
    assert_sound(&format!("{PENALTY}{vegas}"), &["BLACK_THREES_STRAND"]);
}

#[test]
fn hand_n_foot_of_262_cards() {
    let number = |n: u8| format!("{{ name = \"{n}\", number = 16, role = \"natural\" }}");
    let numbers: Vec<String> = (1..=12).map(number).collect();
    let value = |n: u8| format!("{n} = {}", if n < 8 { 5 } else { 10 });
    let values: Vec<String> = (1..=12).map(value).collect();
    let rules = format!(
        r#"
        decks = {{ fixed = 1 }}
        pack = [
            {{ name = "Lord", number = 20, role = "natural" }},
            {{ name = "Jester", number = 20, role = "wild" }},
            {{ name = "Joker", number = 10, role = "wild" }},
            {{ name = "Lady", number = 10, role = "red_three" }},
            {{ name = "Villain", number = 10, role = "black_three" }},
            {}
        ]
        card_value = {{ Lord = 20, Jester = 25, Joker = 50, Villain = 0, {} }}
        packets = [11, 11]
        red_three = {{ mode = "blocker", held = -500 }}
        extend = {{ clean = "any", dirty = "any", wild = "wild" }}
        book_bonus.wild = 2000
        need = {{ clean = 0, dirty = 0, wild = 0, total = 3 }}
        "#,
        numbers.join(", "),
        values.join(", "),
    );
    assert_sound(&rules, &[]);
}
