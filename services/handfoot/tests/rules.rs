//! `handfoot rules`.
//!
//! **Invariant:** what one command prints is fed to another.

use serde_json::Value;

use crate::kit::{file, run};

#[test]
fn the_list_names_every_preset() {
    let text = run("rules list").ok();
    let presets = run("rules list --json").json();
    let presets = presets.as_array().unwrap();
    assert!(presets.len() >= 2);
    assert_eq!(presets[0]["id"], "whitnack");
    for preset in presets {
        let [id, title] = ["id", "title"].map(|field| preset[field].as_str().unwrap());
        let headline = |line: &str| line.starts_with(id) && line.ends_with(title);
        assert!(text.lines().any(headline), "{id}: {text}");
        assert!(preset["seating"][0]["players"].is_u64());
        assert!(!preset["summary"].as_str().unwrap().is_empty());
    }
}

#[test]
fn what_is_shown_is_accepted() {
    let shown = [
        ("shown-2.toml", "whitnack --players 2"),
        ("shown-4.toml", "whitnack"),
        ("shown-6.toml", "whitnack --players 6"),
        ("shown-canasta.toml", "foot-canasta"),
    ];
    for (name, arguments) in shown {
        let text = run(&format!("rules show {arguments}")).ok();
        assert!(text.starts_with("# ") && text.contains("\n[rules]\n"), "{text}");
        let path = file(name, &text);
        let checked = run(&format!("rules check {path}")).ok();
        assert!(checked.contains("can be played (0 problems, "), "{checked}");
        // And it is the same rule set still.
        let rules =
            |source: &str| run(&format!("rules show {source} --json")).json()["rules"].clone();
        assert_eq!(rules(&path), rules(arguments));
        assert_eq!(run(&format!("demo --seed 1 --rules {path}")).code, 0);
    }
}

#[test]
fn notes_stand_where_they_belong() {
    let text = run("rules show whitnack").ok();
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("team_size = ")).unwrap();
    assert!(lines[at - 1].starts_with("# "), "{}", lines[at - 1]);
    let shown = run("rules show whitnack --json").json();
    for note in shown["notes"].as_object().unwrap().values() {
        let words: Vec<&str> = note.as_str().unwrap().split_whitespace().take(4).collect();
        assert!(text.contains(&words.join(" ")), "{note}");
    }
}

#[test]
fn all_problems_of_a_file_are_told() {
    let unreadable = "\
[rules]
colour = 1
meld_min = \"three\"
take.wild_top = \"sometimes\"
";
    let path = file("unreadable-rules.toml", unreadable);
    let ran = run(&format!("rules check {path}"));
    assert_eq!((ran.code, ran.err.as_str()), (65, ""));
    for part in ["problem: colour: ", "problem: meld_min: ", "problem: take.wild_top: "] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(ran.out.contains("cannot be played: 3 problems, 0 warnings"), "{}", ran.out);
}

#[test]
fn all_problems_of_the_rules_are_told_with_their_fields() {
    let path =
        file("refused-rules.toml", "[rules]\nmeld_min = 9\ndraw = 0\nwild_meld = \"barred\"\n");
    let ran = run(&format!("rules check {path} --json"));
    assert_eq!((ran.code, ran.err.as_str()), (65, ""));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["accepted"], false);
    let problems = report["problems"].as_array().unwrap();
    for (field, reason) in [
        ("book_size", "BOOK_TOO_SMALL"),
        ("draw", "OUT_OF_RANGE"),
        ("need.wild", "NEED_WILD_BARRED"),
    ] {
        let named = |problem: &&Value| problem["reason"] == reason;
        let problem = problems.iter().find(named).unwrap_or_else(|| panic!("{reason}: {report}"));
        assert!(problem["field"].as_str().unwrap().starts_with(field), "{problem}");
        assert!(problem.get("tables").is_none(), "true of every table: {problem}");
    }
    let text = run(&format!("rules check {path}")).out;
    assert_eq!(text.matches("problem: ").count(), problems.len(), "{text}");
}

/// A field that cannot be read does not hide a value that cannot be played.
#[test]
fn what_cannot_be_read_hides_nothing_else() {
    let text = "[rules]\ndrw = 3\nout_bonus = 9999\nneed = { wild = 9 }\ntake.count = 0\n";
    let checked = run(&format!("rules check {}", file("mixed.toml", text)));
    let parts = ["drw: no such field", "out_bonus: 9999", "need.wild: 9", "take.count: 0"];
    assert_eq!(checked.code, 65);
    assert!(parts.iter().all(|part| checked.out.contains(part)), "{}", checked.out);
}

#[test]
fn a_problem_of_some_tables_names_them() {
    let path = file("crowded-rules.toml", "[rules]\ndecks = { fixed = 2 }\n");
    let report = run(&format!("rules check {path} --json")).json();
    assert_eq!(report["accepted"], true);
    let players = |list: &Value| -> Vec<u64> {
        list.as_array().unwrap().iter().map(|table| table["players"].as_u64().unwrap()).collect()
    };
    assert_eq!(players(&report["playable"]), [2, 3]);
    assert_eq!(players(&report["unplayable"]), [4, 4, 5, 6, 6]);
    let text = run(&format!("rules check {path}")).ok();
    assert!(text.contains("can be played at some of its tables"), "{text}");
    assert!(text.contains("  players: 2 in teams of 1, 3 in teams of 1\n"), "{text}");
    assert_eq!(run(&format!("demo --seed 1 --players 2 --rules {path}")).code, 0);
    run(&format!("demo --seed 1 --rules {path}")).fails(65, &["packets: ", "rules check "]);
    let tables = |problem: &Value| {
        let tables = problem["tables"].as_array().cloned().unwrap_or_default();
        tables.iter().any(|table| table["players"] == 6)
            && tables.iter().all(|table| table["players"] != 2)
    };
    assert!(report["problems"].as_array().unwrap().iter().any(tables), "{report}");
}

#[test]
fn warnings_do_not_refuse() {
    let path = file("odd-rules.toml", "[rules]\ntake.count = 1\n");
    let text = run(&format!("rules check {path}")).ok();
    assert!(text.contains("warning: take.count: only the upcard is taken"), "{text}");
    assert!(text.contains("can be played (0 problems, 1 warning)"), "{text}");
    let played = run(&format!("demo --seed 1 --rules {path}")).ok();
    assert!(played.contains("warning: take.count"), "{played}");
}

/// A program that asks for JSON gets JSON, whatever is wrong.
#[test]
fn a_file_that_cannot_be_read_is_reported_as_json() {
    for (path, code) in [("no-such-file.toml".to_owned(), 66), (latin("latin-rules.toml"), 65)] {
        let ran = run(&format!("rules check {path} --json"));
        assert_eq!((ran.code, ran.err.as_str()), (code, ""), "{path}");
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(report["accepted"], false);
        assert_eq!(report["problems"][0]["reason"], "FILE_UNREADABLE");
        run(&format!("rules check {path}")).fails(code, &[&path]);
    }
}

/// A file that is no text.
fn latin(name: &str) -> String {
    let path = file(name, "");
    std::fs::write(&path, b"title = \"caf\xe9\"").unwrap();
    path
}

#[test]
fn overrides_are_chosen_by_name_everywhere() {
    let list = run("rules list").ok();
    assert!(list.contains("simpson+lifting: Dealing by lifting"), "{list}");
    let shown = run("rules show bga+eleven+percentage").ok();
    assert!(shown.contains("packets = [11, 11]") && shown.contains("a = \"3/2\""), "{shown}");
    run("rules show bga+elven").fails(64, &["did you mean eleven?"]);
    run("rules show whitnack+x").fails(64, &["it has none"]);
    let own = "[overrides.short]\ntitle = \"Short\"\nsummary = \"Two rounds.\"\n\
               [overrides.short.rules]\nlength.rounds = 2\n";
    let path = file("with-overrides.toml", own);
    let told = run(&format!("rules explain {path}+short --section game")).ok();
    assert!(told.contains("The game has two rounds."), "{told}");
    assert_eq!(run(&format!("demo --seed 1 --rules {path}+short --in-process")).code, 0);
    run(&format!("rules explain {path}+long")).fails(64, &["no override \"long\""]);
    // What is wrong with an override alone is told as that.
    let odd = own.replace("length.rounds = 2", "take.count = 1\ndraw = 9");
    let path = file("odd-override.toml", &odd);
    let text = run(&format!("rules check {path}")).ok();
    assert!(text.contains("problem: with short: draw: "), "{text}");
    assert!(text.contains("warning: with short: take.count") || text.contains("take"), "{text}");
}

#[test]
fn every_preset_is_explained() {
    let presets = run("rules list --json").json();
    for preset in presets.as_array().unwrap() {
        let id = preset["id"].as_str().unwrap();
        let text = run(&format!("rules explain {id}")).ok();
        assert!(text.starts_with(preset["title"].as_str().unwrap()), "{id}");
        let report = run(&format!("rules explain {id} --json")).json();
        assert!(report["figures"]["rounds"][0]["stock"].as_u64().unwrap() > 0);
        let sections = report["sections"].as_array().unwrap();
        for section in sections {
            assert!(text.contains(section["title"].as_str().unwrap()), "{id}: {section}");
        }
    }
    run("rules explain whitnack --section chess").fails(64, &["no section \"chess\"", "opening"]);
}
