//! Reading rule files: what is merged, what is refused, and in which words.
//!
//! **Invariant:** messages are pinned whole, since players read them.

use handfoot_cards::Role;
use handfoot_rules::{
    Buried, Decks, ExactPickModel, Need, OpeningBook, OpeningBy, OpeningStep, PackChoice, PerRound,
    Preset, Ratio, RuleFile, RulesDraft, TakeCount,
};

use crate::kit::{draft, kind};

#[track_caller]
fn rules(text: &str) -> RulesDraft {
    RuleFile::parse(&format!("[rules]\n{text}")).unwrap().rules
}

#[track_caller]
fn messages(text: &str) -> Vec<String> {
    RuleFile::parse(text).unwrap_err().iter().map(ToString::to_string).collect()
}

#[track_caller]
fn assert_message(rule: &str, expected: &str) {
    assert_eq!(messages(&format!("[rules]\n{rule}")), [expected]);
}

#[test]
fn an_empty_file_is_the_default() {
    let file = RuleFile::parse("").unwrap();
    assert_eq!(file.rules, draft(|_| {}));
    assert_eq!(file.seating, Preset::all()[0].seating);
    assert_eq!(file.base, "whitnack");
    assert_eq!(RuleFile::parse("base = \"foot-canasta\"").unwrap().seating.len(), 1);
}

#[test]
fn tables_are_merged_and_the_rest_is_replaced() {
    let read = rules("take.min_size = 7\nopening.steps = [60]\ncard_value.A = 15");
    let expected = draft(|d| {
        d.take.min_size = 7;
        d.opening.steps = vec![OpeningStep::Points(60)];
        d.card_value.0.insert("A".to_owned(), 15);
    });
    assert_eq!(read, expected);
}

#[test]
fn a_list_of_lists_is_by_round() {
    let packets = |text: &str| rules(&format!("packets = {text}")).packets;
    assert_eq!(packets("[11, 13]"), PerRound::Same(vec![11, 13]));
    assert_eq!(packets("[[13, 13], [11, 11]]"), PerRound::Each(vec![vec![13, 13], vec![11, 11]]));
    assert_eq!(packets("[]"), PerRound::Same(vec![]));
    assert_eq!(packets("[[]]"), PerRound::Each(vec![vec![]]));
    assert_eq!(rules("draw = [3, 4]").draw, PerRound::Each(vec![3, 4]));
    assert_eq!(rules("draw = 3").draw, PerRound::Same(3));
    let count = PerRound::Each(vec![TakeCount::Top(3), TakeCount::All]);
    assert_eq!(rules("take.count = [3, \"all\"]").take.count, count);
    let need = Need { clean: 1, dirty: 1, wild: 0, sevens: 0, total: 0 };
    let two = Need { clean: 2, sevens: 1, ..need };
    let text = "[[rules.need]]\nclean = 1\ndirty = 1\nwild = 0\n\
                [[rules.need]]\nclean = 2\ndirty = 1\nwild = 0\nsevens = 1";
    assert_eq!(rules(text).need, PerRound::Each(vec![need, two]));
    let text = "need = { clean = 1, dirty = 1, wild = 0 }";
    assert_eq!(rules(text).need, PerRound::Same(need));
}

#[test]
fn every_way_of_writing_a_value_is_read() {
    assert_eq!(rules("upcard.bury = []").upcard.bury, []);
    assert_eq!(rules("upcard.bury = [\"black_three\"]").upcard.bury, [Buried::BlackThree]);
    assert_eq!(rules("decks = { fixed = 4 }").decks, Decks::Fixed(4));
    assert_eq!(rules("length.rounds = \"none\"").length.rounds, None);
    assert_eq!(rules("length.target = 5000").length.target, Some(5000));
    let ratio = |numerator, denominator| Ratio { numerator, denominator };
    assert_eq!(rules("wild_limit.a = \"3/2\"").wild_limit.a, ratio(3, 2));
    assert_eq!(rules("wild_limit.a = 1").wild_limit.a, ratio(1, 1));
    let chance = ExactPickModel::Chance(0.1);
    assert_eq!(rules("exact_pick.model = { chance = 0.1 }").exact_pick.model, chance);
    let by = OpeningBy::TeamScore(vec![0, 500]);
    assert_eq!(rules("opening.by = { team_score = [0, 500] }").opening.by, by);
    let steps = rules("opening.steps = [50, \"book_from_hand\", \"clean_book\"]").opening.steps;
    assert_eq!(steps[1], OpeningStep::Book(OpeningBook::BookFromHand));
    let special = rules(
        "special = [{ rank = \"7\", book_bonus = 1500, discard_lock = \"until_each_team\", \
         last_discard = \"banned\" }]",
    );
    assert_eq!(special.special[0].rank, "7");
}

#[test]
fn another_pack_has_its_own_values() {
    let text = "pack = [{ name = \"Lord\", number = 20, role = \"natural\" }]\n\
                card_value = { Lord = 20 }";
    let read = rules(text);
    assert_eq!(read.pack, PackChoice::Kinds(vec![kind("Lord", 20, Role::Natural)]));
    assert_eq!(read.card_value.0.len(), 1);
}

#[test]
fn a_draft_of_unusual_values_is_written_and_read_back() {
    let unusual = draft(|d| {
        d.packets = PerRound::Each(vec![vec![13, 13], vec![11, 11]]);
        d.upcard.bury.clear();
        d.exact_pick.model = ExactPickModel::Chance(0.25);
        d.wild_limit.a = Ratio { numerator: 3, denominator: 2 };
        d.opening.by = OpeningBy::TeamScore(vec![0, 500]);
        d.opening.steps = vec![OpeningStep::Points(50), OpeningStep::Book(OpeningBook::CleanBook)];
        d.take.count = PerRound::Each(vec![TakeCount::All, TakeCount::Top(3)]);
        d.length.rounds = None;
        d.length.target = Some(20_000);
        d.pack = PackChoice::Kinds(vec![kind("Lord", 20, Role::Natural)]);
        d.card_value.0 = [("Lord".to_owned(), 20), ("a.\"b\"\n".to_owned(), 1)].into();
        d.need = PerRound::Each(vec![Need { clean: 1, dirty: 0, wild: 0, sevens: 2, total: 3 }]);
    });
    assert_eq!(RuleFile::parse(&unusual.to_toml()).unwrap().rules, unusual);
}

#[test]
fn the_file_says_for_which_tables_it_is() {
    let seats = |text: &str| {
        let file = RuleFile::parse(text).unwrap();
        (file.seating.len(), file.rules.players, file.rules.team_size)
    };
    assert_eq!(seats("[rules]\nplayers = 6"), (1, 6, 3));
    assert_eq!(seats("[rules]\nplayers = 3"), (1, 3, 1));
    assert_eq!(seats("[rules]\nteam_size = 1"), (1, 4, 1));
    assert_eq!(seats("[rules]\nplayers = 9\nteam_size = 3"), (1, 9, 3));
    let seating = "seating = [{ players = 6, team_sizes = [2, 3] }, { players = 2, \
                   team_sizes = [1] }]\n";
    assert_eq!(seats(seating), (2, 6, 2));
    assert_eq!(seats(&format!("{seating}[rules]\nplayers = 2")), (2, 2, 1));
    assert_eq!(
        messages(&format!("{seating}[rules]\nplayers = 4")),
        ["seating: not for 4 players; allowed are 6 in teams of 2 or 3, 2 in teams of 1"],
    );
    assert_eq!(messages("seating = []"), ["seating: not for 4 players; allowed are none"]);
}

#[test]
fn malformed_text_is_refused_with_its_place() {
    let [message] = &messages("[rules]\nplayers = 4\ndraw = = 2")[..] else { panic!() };
    assert!(message.starts_with("line 3, column 8: "), "{message}");
    let [message] = &messages("[rules]\n# é\ntitle = \"ééé")[..] else { panic!() };
    assert!(message.starts_with("line 3, column "), "{message}");
    let [message] = &messages("a = 1\na = 2")[..] else { panic!() };
    assert!(message.starts_with("line 2, column 1: duplicate key"), "{message}");
}

#[test]
fn wrong_values_are_told_with_what_was_expected() {
    assert_message(
        "take.wild_top = \"sometimes\"",
        "take.wild_top: found \"sometimes\", expected one of barred, matching_pair",
    );
    assert_message("players = 4.5", "players: found 4.5, expected a whole number from 0 to 255");
    assert_message("players = 300", "players: found 300, expected a whole number from 0 to 255");
    assert_message(
        "red_three = 5",
        "red_three: found 5, expected a table of mode, laid, held, all, needs, no_stock, \
         from_discards",
    );
    assert_message(
        "take.count = \"some\"",
        "take.count: found \"some\", expected a whole number from 0 to 255 or all; or a list of \
         such values by round",
    );
    assert_message(
        "packets = [13, \"x\"]",
        "packets[1]: found \"x\", expected a whole number from 0 to 255",
    );
    assert_message(
        "decks = 4",
        "decks: found 4, expected { per_player = 0 to 2 } or { fixed = 1 to 15 }",
    );
    assert_message(
        "wild_limit.a = \"3/0\"",
        "wild_limit.a: found \"3/0\", expected a whole number or a fraction like \"3/2\"",
    );
    assert_message(
        "length.rounds = \"never\"",
        "length.rounds: found \"never\", expected none, or a whole number from 0 to 255",
    );
    assert_message(
        "opening.steps = [50, \"a lot\"]",
        "opening.steps[1]: found \"a lot\", expected a number of points, book_from_hand or \
         clean_book",
    );
    assert_message(
        "pack = \"tarot\"",
        "pack: found \"tarot\", expected standard, or a list of kinds, each a table of name, \
         number, role",
    );
    assert_message(
        "draw = 1979-05-27",
        "draw: found a date or time, expected a whole number from \
                    0 to 255; or a list of such values by round",
    );
}

#[test]
fn unknown_and_missing_fields_are_told() {
    assert_message("wildmeld = 1", "wildmeld: no such field, did you mean wild_meld?");
    assert_message(
        "take.wild_tops = \"barred\"",
        "take.wild_tops: no such field, did you mean take.wild_top?",
    );
    assert_message("zebra = 1", "zebra: no such field");
    assert_message(
        "need = [{ clean = 1, dirty = 1, wild = 0 }, { clean = 1, wild = 0 }]",
        "need[1].dirty: missing, expected a whole number from 0 to 255",
    );
    assert_eq!(messages("draw = 3"), ["draw: no such field, did you mean rules.draw?"]);
    assert_eq!(messages("[notes]\ndraw = 3"), ["notes.draw: found 3, expected text in quotes"]);
    let found = messages("base = \"foot-canaste\"");
    let start =
        "base: no preset \"foot-canaste\", did you mean foot-canasta?; there are whitnack, ";
    assert!(found.len() == 1 && found[0].starts_with(start), "{found:?}");
    assert_eq!(
        messages("base = \"simpson+lift\""),
        ["base: simpson has no override \"lift\"; there are lifting"],
    );
}

#[test]
fn a_file_builds_on_a_preset_with_overrides_and_has_its_own() {
    let file = RuleFile::parse(
        "base = \"simpson+lifting\"\n[overrides.dear]\ntitle = \"Dear\"\nsummary = \"All is dear.\"\n\
         [overrides.dear.notes]\nout_bonus = \"Ours.\"\n[overrides.dear.rules]\nout_bonus = 900",
    )
    .unwrap();
    assert_eq!(file.base, "simpson+lifting");
    assert_eq!(file.rules.exact_pick.bonus, 100);
    let ids: Vec<&str> = file.overrides.iter().map(|change| change.id.as_str()).collect();
    assert_eq!(ids, ["lifting", "dear"]);
    assert_eq!(file.rules.out_bonus, 100);
    let dear = file.with(&["dear"]).unwrap();
    assert_eq!(dear.rules.out_bonus, 900);
    assert_eq!(dear.notes["out_bonus"], "Ours.");
    assert_eq!(
        dear.with(&["cheap"]).unwrap_err().to_string(),
        "the file has no override \"cheap\"; there are lifting, dear",
    );
}

#[test]
fn what_is_wrong_with_an_override_is_told() {
    let mut found = messages(
        "[overrides.Dear]\ntitle = \"Dear\"\nsummary = \"Dear.\"\n\
         [overrides.odd]\ntitle = 5\ncolour = 1\nsummary = \"Odd.\"\n\
         [overrides.more]\ntitle = \"More\"\nsummary = \"More.\"\n\
         [overrides.more.rules]\nplayers = 3\ntake.count = \"some\"\nzebra = 1",
    );
    found.sort();
    assert_eq!(
        found,
        [
            "overrides.Dear: found \"Dear\", expected a name of small letters, digits and hyphens",
            "overrides.more.rules.players: no such field",
            "overrides.more.rules.take.count: found \"some\", expected a whole number from 0 to 255 \
             or all; or a list of such values by round",
            "overrides.more.rules.zebra: no such field",
            "overrides.odd.colour: no such field",
            "overrides.odd.title: found 5, expected text in quotes",
        ],
    );
}

#[test]
fn everything_that_is_wrong_in_a_file_is_told_at_once() {
    let found = messages(
        "base = \"bridge\"\ntitle = 5\nseats = 4\n[rules]\ndraw = \"x\"\nzebra = 1\n\
         take = { wild_top = 1, count = [1, -1] }\n[rules.card_value]\nJ = \"ten\"\nQ = 1.5",
    );
    let paths: Vec<&str> = found.iter().filter_map(|m| m.split(": ").next()).collect();
    assert_eq!(
        paths,
        [
            "seats",
            "title",
            "base",
            "zebra",
            "card_value.J",
            "card_value.Q",
            "draw",
            "take.count[1]",
            "take.wild_top"
        ],
    );
}

#[test]
fn no_text_is_too_strange_to_be_answered() {
    let long = format!("# {}", "x".repeat(64 * 1024));
    assert_eq!(messages(&long), ["65538 bytes, at most 65536"]);
    let deep = [
        format!("a = {}", "[".repeat(60_000)),
        format!("a = {}1{}", "[".repeat(30_000), "]".repeat(30_000)),
        format!("a = {}", "{a=".repeat(20_000)),
        format!("{}b = 1", "a.".repeat(30_000)),
        format!("[{}b]", "a.".repeat(30_000)),
        format!("[rules]\n{}b = 1", "take.".repeat(10_000)),
        "\u{feff}[rules]\u{0}".to_owned(),
        "[rules]\n".repeat(5_000),
        (0..8_000).map(|n| format!("k{n}=1\n")).collect(),
    ];
    for text in deep {
        let problems = RuleFile::parse(&text).unwrap_err();
        assert!(problems.iter().all(|problem| problem.to_string().len() < 2_000));
    }
}
