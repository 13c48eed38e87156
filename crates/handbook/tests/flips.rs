//! Every parameter with every choice changes what the handbook says, where it matters at all.
//!
//! **Invariant:** words are those that rule files know, so that a new choice is tested unasked.

use std::collections::BTreeSet;

use handfoot_handbook::{Handbook, Section, Subject};
use handfoot_rules::{Preset, RuleFile};
use toml::Value;

/// A parameter by its path, rules under which it matters, and values that must read differently;
/// no values: every word that a rule file may have there.
struct Field(&'static str, &'static str, &'static [&'static str]);

const SEVENS: &str = "special = [{ rank = \"7\", book_bonus = 1500, discard_lock = \"none\", \
                      last_discard = \"allowed\" }]";
const NO_WILD_NEED: &str = "need.wild = 0\ntake.wild_top = \"barred\"";

const FIELDS: &[Field] = &[
    Field("players", "team_size = 1", &["2", "4", "6"]),
    Field("team_size", "players = 6", &["1", "2", "3"]),
    Field("decks", "", &["{ per_player = 1 }", "{ per_player = 2 }", "{ fixed = 5 }"]),
    Field("jokers_per_deck", "", &["0", "1", "2", "4", "8"]),
    Field("packets", "", &["[13, 13]", "[11, 13]", "[26]", "[13, 7, 6]", "[[13, 13], [11, 11]]"]),
    Field("upcard.deal", "", &[]),
    Field(
        "upcard.bury",
        "",
        &[
            "[]",
            "[\"wild\"]",
            "[\"red_three\"]",
            "[\"black_three\"]",
            "[\"wild\", \"black_three\"]",
        ],
    ),
    Field(
        "exact_pick",
        "",
        &[
            "{ bonus = 0, model = \"off\" }",
            "{ bonus = 100, model = \"entered\" }",
            "{ bonus = 300, model = \"entered\" }",
            "{ bonus = 100, model = { chance = 0.1 } }",
            "{ bonus = 100, model = { chance = 0.25 } }",
        ],
    ),
    Field("card_value.A", "", &["20", "25", "-5"]),
    Field("card_value.B3", "", &["5", "300"]),
    Field(
        "red_three.mode",
        "",
        &["\"bonus\"", "\"blocker\"", "\"penalty\"\nred_three.laid = \"none\""],
    ),
    Field("red_three.laid", "", &["100", "200", "-100"]),
    Field("red_three.held", "", &["-100", "-500", "0", "50"]),
    Field("red_three.all", "", &["\"none\"", "1000", "800"]),
    Field(
        "red_three.needs",
        SEVENS,
        &["\"none\"", "\"any\"", "\"clean\"", "\"dirty\"", "\"wild\"", "\"sevens\""],
    ),
    Field("red_three.no_stock", "", &[]),
    Field("red_three.from_discards", "upcard.bury = [\"wild\"]", &[]),
    Field("black_three.meld", "", &[]),
    Field("black_three.melded_value", "black_three.meld = \"set\"", &["\"none\"", "-5", "5"]),
    Field("black_three.book_bonus", "black_three.meld = \"set\"", &["\"none\"", "100", "300"]),
    Field("meld_min", "", &["3", "4"]),
    Field("book_size", "", &["7", "8"]),
    Field("extend.clean", "", &[]),
    Field("extend.dirty", "", &[]),
    Field("extend.wild", "", &[]),
    Field("wild_limit.a", "", &["0", "1", "2", "3", "\"3/2\""]),
    Field("wild_limit.b", "", &["-1", "0", "1", "2"]),
    Field("wild_limit.max", "", &["\"none\"", "1", "2", "3"]),
    Field("wild_limit.min_natural", "", &["1", "2", "3", "4"]),
    Field("wild_meld", NO_WILD_NEED, &[]),
    Field("per_rank.open", "", &["1", "2", "3"]),
    Field("per_rank.total", "", &["\"none\"", "1", "2"]),
    Field(
        "special",
        "",
        &[
            "[]",
            "[{ rank = \"7\", book_bonus = 1500, discard_lock = \"none\", last_discard = \"allowed\" }]",
            "[{ rank = \"8\", book_bonus = 1500, discard_lock = \"none\", last_discard = \"allowed\" }]",
            "[{ rank = \"7\", book_bonus = 900, discard_lock = \"none\", last_discard = \"allowed\" }]",
            "[{ rank = \"7\", book_bonus = 1500, discard_lock = \"until_own_team\", \
             last_discard = \"allowed\" }]",
            "[{ rank = \"7\", book_bonus = 1500, discard_lock = \"until_each_team\", \
             last_discard = \"allowed\" }]",
            "[{ rank = \"7\", book_bonus = 1500, discard_lock = \"none\", last_discard = \"banned\" }]",
        ],
    ),
    Field(
        "opening.by",
        "",
        &[
            "\"round\"",
            "{ team_score = [0, 500, 1000, 1500] }",
            "{ team_score = [0, 2500, 5000, 7500] }",
        ],
    ),
    Field(
        "opening.steps",
        "",
        &[
            "[50, 90, 120, 150]",
            "[50]",
            "[50, 90, 120, \"book_from_hand\"]",
            "[50, 90, 120, \"clean_book\"]",
            "[\"clean_book\"]",
        ],
    ),
    Field("opening.wilds", "", &[]),
    Field("opening.via_discards", "", &[]),
    Field("draw", "", &["2", "3", "[2, 3]", "[2, 2, 3]"]),
    Field("take.count", "", &["7", "5", "1", "\"all\"", "[3, 4]", "[7, 7, \"all\"]"]),
    Field("take.min_size", "", &["1", "2", "7"]),
    Field("take.matching", "", &[]),
    Field("take.wild_top", "", &[]),
    Field("take.first_upcard", "", &[]),
    Field("wild_discard", "", &[]),
    Field("foot.trigger", "", &[]),
    Field("foot.after_meld", "", &[]),
    Field("foot.after_discard", "", &[]),
    Field("need.clean", "", &["0", "1", "2"]),
    Field("need.dirty", "", &["0", "1", "2"]),
    Field("need.wild", "", &["0", "1"]),
    Field("need.sevens", SEVENS, &["0", "1"]),
    Field("need.total", "", &["0", "6", "7"]),
    Field("partner", "", &[]),
    Field("permission", "", &[]),
    Field("last_discard", "", &[]),
    Field("stock_out.trigger", "", &[]),
    Field("stock_out.short", "", &[]),
    Field(
        "stock_out.then",
        "",
        &[
            "\"end_round\"",
            "\"reshuffle_discards\"",
            "\"play_on\"",
            "\"add_deck\"\nstock_out.max_added = 1",
        ],
    ),
    Field("stock_out.max_added", "stock_out.then = \"add_deck\"", &["1", "2", "3"]),
    Field("out_bonus", "", &["0", "100", "200"]),
    Field("book_bonus.clean", "", &["500", "300"]),
    Field("book_bonus.dirty", "", &["300", "100"]),
    Field("book_bonus.wild", "", &["1500", "1000"]),
    Field("unfinished_second", "", &[]),
    Field("length.rounds", "length.target = 10000", &["\"none\"", "3", "4"]),
    Field("length.target", "", &["\"none\"", "10000", "20000"]),
    Field("length.tie", "", &[]),
    Field(
        "pack",
        "need = { clean = 1, dirty = 1, wild = 1 }\nteam_size = 1\nplayers = 2\npackets = [5, 5]",
        &[
            "\"standard\"",
            "[{ name = \"Lord\", number = 60, role = \"natural\" }, \
             { name = \"Fool\", number = 40, role = \"wild\" }]\n\
             card_value = { Lord = 10, Fool = 30 }",
        ],
    ),
];

/// What a rule file says in words; nothing if it cannot be read or played.
fn told(rules: &str) -> Result<String, String> {
    let file = RuleFile::parse(&format!("[rules]\n{rules}")).map_err(|p| format!("{p:?}"))?;
    let subject = Subject::file(&file, file.draft(None, None).unwrap());
    let book = Handbook::of(&subject.map_err(|p| format!("{p:?}"))?);
    // Estimates and other tables would change with anything.
    let sections =
        book.sections.iter().filter(|section| !["length", "tables"].contains(&section.id));
    Ok(sections.map(Section::to_text).collect::<Vec<_>>().join("\n"))
}

/// Every word that a rule file may have at a path.
fn words(path: &str) -> Vec<String> {
    let problems = RuleFile::parse(&format!("[rules]\n{path} = \"?\"")).unwrap_err();
    let text = problems[0].to_string();
    let words = text.split("expected one of ").nth(1).unwrap_or_else(|| panic!("{text}"));
    words.split(", ").map(|word| format!("{word:?}")).collect()
}

#[test]
fn every_choice_changes_the_text() {
    for Field(path, context, values) in FIELDS {
        let values = match values.is_empty() {
            true => words(path),
            false => values.iter().map(|value| (*value).to_owned()).collect(),
        };
        assert!(values.len() > 1, "{path}");
        let texts: Vec<String> = values
            .iter()
            .map(|value| {
                let rules = format!("{context}\n{path} = {value}\n");
                told(&rules).unwrap_or_else(|problems| panic!("{rules}: {problems}"))
            })
            .collect();
        for (index, text) in texts.iter().enumerate() {
            let same = texts[..index].iter().position(|other| other == text);
            assert!(
                same.is_none(),
                "{path}: {} reads like {}",
                values[index],
                values[same.unwrap()]
            );
        }
    }
}

#[test]
fn every_parameter_is_flipped() {
    let text = Preset::find("whitnack").unwrap().draft(None, None).unwrap().to_toml();
    let table: toml::Table = toml::from_str(&text).unwrap();
    let mut leaves = BTreeSet::new();
    gather(&table["rules"], "", &mut leaves);
    assert!(leaves.len() > 60);
    for leaf in leaves {
        let is_flipped = |Field(path, _, _): &Field| {
            leaf == *path || leaf.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
        };
        assert!(FIELDS.iter().any(is_flipped), "{leaf}");
    }
}

fn gather(value: &Value, at: &str, leaves: &mut BTreeSet<String>) {
    match value {
        Value::Table(table) => {
            // Values of ranks are told in one table: one rank stands for all.
            for (name, value) in table.iter().filter(|(name, _)| at != "card_value" || *name == "A")
            {
                let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                let is_pair = table.len() == 1 && path.starts_with("decks.");
                let path = if is_pair { at.to_owned() } else { path };
                gather(value, &path, leaves);
            }
        }
        Value::String(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_) => {
            leaves.insert(at.to_owned());
        }
    }
}
