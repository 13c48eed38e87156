//! Runs every conformance case, and sees that none is missing.
//!
//! **Invariant:** the files are the list of cases; what they must cover stands here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use handfoot::conform::{Report, run_paths, run_text};
use handfoot_engine::Game;
use handfoot_rules::{Choice, Preset, Rules, RulesDraft};
use handfoot_view::Rejection;
use handfoot_view::notation::{parse_action, parse_view};

/// Every row of section C of the rules specification, with those of its variants that a case can
/// show: a rule set by its code there, or `option` for a choice of a single parameter. A case cites
/// a row as `C-36`, a variant as `C-36/SIMP`. The README of the cases names what is left out.
const ROWS: &[(u16, &[&str])] = &[
    (1, &[]),
    (2, &[]),
    (3, &[]),
    (4, &[]),
    (5, &[]),
    (6, &[]),
    (7, &[]),
    (8, &[]),
    (9, &[]),
    (10, &[]),
    (11, &[]),
    (12, &["BGA"]),
    (13, &["SASK"]),
    (14, &["SIMP"]),
    (15, &["SIMP"]),
    (16, &["SIMP", "FAV"]),
    (17, &["SIMP"]),
    (18, &["HNF"]),
    (19, &["option", "WH*", "SIMP", "FAV"]),
    (20, &["option"]),
    (21, &[]),
    (22, &["SIMP", "FAV"]),
    (23, &["SIMP", "FAV"]),
    (24, &["option", "SIMP", "FAV"]),
    (25, &["option"]),
    (26, &["option", "BGA"]),
    (27, &["option"]),
    (28, &["option"]),
    (29, &[]),
    (30, &["option"]),
    (31, &["option"]),
    (32, &["option"]),
    (34, &["option"]),
    (35, &[]),
    (36, &["SIMP", "FAV", "SASK"]),
    (38, &["option", "SIMP"]),
    (39, &["option"]),
    (40, &["RASA"]),
    (41, &["SIMP"]),
    (43, &[]),
    (44, &["option"]),
    (46, &["SIMP", "FAV", "SASK", "option"]),
    (47, &["option"]),
    (48, &["option", "FAV", "SIMP"]),
    (49, &["SASK"]),
    (51, &["option", "FAV", "SIMP"]),
    (52, &["BRO"]),
    (53, &[]),
    (54, &["DEM"]),
    (55, &[]),
    (58, &["option"]),
    (59, &["option"]),
    (61, &["BIC"]),
    (62, &[]),
    (63, &["SASK", "SIMP"]),
    (65, &["SASK", "SIMP"]),
    (66, &["option"]),
    (67, &["option", "FAV", "SIMP", "BIC"]),
    (69, &[]),
    (70, &["FAV", "SASK", "SIMP"]),
    (72, &["SASK", "SIMP"]),
    (73, &[]),
    (74, &[]),
    (75, &[]),
    (76, &["BRO", "PENN"]),
    (77, &["individuals"]),
    (78, &["option"]),
    (79, &["option"]),
    (80, &[]),
    (81, &[]),
    (82, &[]),
    (84, &[]),
    (85, &[]),
    (86, &["SASK"]),
    (87, &["PENN"]),
    (88, &["option"]),
    (89, &["SIMP", "BGA"]),
    (90, &["SIMP", "BGA"]),
    (92, &[]),
    (93, &[]),
    (94, &["PENN"]),
    (95, &["individuals"]),
    (96, &[]),
    (98, &["option"]),
    (99, &["option"]),
    (101, &[]),
    (102, &[]),
    (103, &["option"]),
    (105, &[]),
    (106, &["SIMP", "BIC"]),
    (107, &["option", "PENN"]),
    (108, &["BRO"]),
    (110, &[]),
    (111, &[]),
    (112, &["option"]),
    (113, &[]),
    (114, &["SIMP", "FAV"]),
    (116, &["BRO"]),
    (117, &["PENN"]),
    (118, &[]),
    (119, &["option", "BGA"]),
    (120, &[]),
    (122, &["SIMP"]),
    (123, &["BRO-H"]),
    (125, &["SIMP"]),
    (126, &[]),
    (128, &[]),
    (129, &[]),
    (131, &["SIMP"]),
    (132, &[]),
];

/// Reasons that no position which keeps the laws leads to.
const UNREACHABLE: [&str; 2] = ["TOO_FEW_CARDS_TO_ASK", "RED_THREE_NOT_DISCARDED"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

fn all() -> Report {
    run_paths(&[folder()])
}

/// Every file of a folder and those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("its entries can be read").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// The blocks of the README that are marked so: what follows the mark, and their text.
fn examples(mark: &str) -> Vec<(String, String)> {
    let readme = std::fs::read_to_string(folder().join("README.md")).expect("the README is there");
    let mut found = Vec::new();
    for block in readme.split("\n```").skip(1).step_by(2) {
        let (head, text) = block.split_once('\n').expect("a block has lines");
        let (kind, rest) = head.split_once(' ').unwrap_or((head, ""));
        if kind == mark {
            found.push((rest.to_owned(), text.to_owned()));
        }
    }
    assert!(!found.is_empty(), "the README has no example of {mark}");
    found
}

fn whitnack() -> std::sync::Arc<Rules> {
    let preset = Preset::find("whitnack").expect("the default preset is there");
    let draft = preset.draft(None, None).expect("it has a usual table");
    std::sync::Arc::new(Rules::new(draft).expect("it can be played").rules)
}

#[test]
fn every_case_passes() {
    let report = all();
    assert!(report.is_ok(), "{report}");
    assert!(report.cases.len() >= 130, "{report}");
}

#[test]
fn every_file_is_read() {
    let read: BTreeSet<PathBuf> = all().files.into_iter().collect();
    let unread: Vec<PathBuf> = files(&folder())
        .into_iter()
        .filter(|path| !read.contains(path) && !path.ends_with("README.md"))
        .collect();
    assert_eq!(unread, Vec::<PathBuf>::new());
}

#[test]
fn every_row_of_the_specification_has_a_case_for_each_variant() {
    let sources = all().cases.into_iter().flat_map(|case| case.sources);
    let cited: BTreeSet<String> = sources.collect();
    let rows: BTreeSet<&str> = cited.iter().filter_map(|source| source.split('/').next()).collect();
    let mut missing = Vec::new();
    for (row, variants) in ROWS {
        let row = format!("C-{row}");
        if !rows.contains(row.as_str()) {
            missing.push(row.clone());
        }
        let names = variants.iter().map(|variant| format!("{row}/{variant}"));
        missing.extend(names.filter(|name| !cited.contains(name)));
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// No case cites a variant that the list of rows does not know, so that none is misspelt.
#[test]
fn every_variant_that_is_cited_is_listed() {
    let listed: BTreeSet<String> = ROWS
        .iter()
        .flat_map(|(row, variants)| variants.iter().map(move |name| format!("C-{row}/{name}")))
        .collect();
    let cited = all().cases.into_iter().flat_map(|case| case.sources);
    let unknown: BTreeSet<String> = cited
        .filter(|source| source.starts_with("C-") && source.contains('/'))
        .filter(|source| !listed.contains(source))
        .collect();
    assert_eq!(unknown, BTreeSet::new());
}

/// For every choice of every parameter there is a case whose result differs when only that choice
/// is flipped.
#[test]
fn every_choice_of_every_parameter_is_flipped() {
    let flipped: BTreeSet<Choice> = all().cases.into_iter().flat_map(|case| case.flipped).collect();
    let offered = RulesDraft::choices_offered();
    let missing: Vec<&Choice> = offered.iter().filter(|choice| !flipped.contains(choice)).collect();
    assert!(missing.is_empty(), "{} of {}: {missing:#?}", missing.len(), offered.len());
}

#[test]
fn every_reason_of_refusal_has_a_case() {
    let texts: Vec<String> = files(&folder())
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "case"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let given: BTreeSet<&str> = lines
        .filter_map(|line| line.strip_prefix("refused ").or(line.split_once("-> ").map(|l| l.1)))
        .filter_map(|reason| reason.split_whitespace().next())
        .collect();
    for (reason, ..) in Rejection::ALL {
        let is_expected = !UNREACHABLE.contains(reason);
        assert_eq!(given.contains(reason), is_expected, "{reason}");
    }
}

#[test]
fn every_example_of_the_readme_works() {
    let rules = whitnack();
    for (_, text) in examples("case") {
        let report = run_text(Path::new("README.md"), &text);
        assert!(report.is_ok(), "{report}");
    }
    for (_, text) in examples("position") {
        let problem = match text.starts_with("view") {
            true => parse_view(&text, &rules).map(|_| ()),
            false => Game::from_position(std::sync::Arc::clone(&rules), &text).map(|_| ()),
        };
        assert_eq!(problem, Ok(()), "{text}");
    }
    for (_, text) in examples("actions") {
        for line in text.lines() {
            assert_eq!(parse_action(line, rules.pack()).map(|_| ()), Ok(()), "{line}");
        }
    }
    for (file, text) in examples("record") {
        let record = std::fs::read_to_string(folder().join(file)).unwrap();
        let mut lines = record.lines();
        for shown in text.lines().filter(|line| *line != "...") {
            let start = shown.strip_suffix("...").unwrap_or(shown);
            assert!(lines.any(|line| line.starts_with(start)), "{shown}");
        }
    }
}

#[test]
fn a_case_that_is_wrong_fails() {
    let failure = |text: &str| {
        let case = format!("case x\nrule: HF-1.1\nturn 1 play stock\nseat 1 hand 4 5\n{text}\n");
        let report = run_text(Path::new("x.case"), &case);
        assert!(!report.is_ok(), "{text}");
        let failed = report.cases.first().and_then(|case| case.failure.clone());
        let problem = report.problems.first().map(|problem| (problem.line, problem.what.clone()));
        failed.map(|failure| (failure.line, failure.what)).or(problem).unwrap()
    };
    let cases = [
        ("do 1 draw", 5, "ALREADY_DREW"),
        ("do 1 discard 4\nrefused CARD_NOT_HELD", 5, "expected CARD_NOT_HELD, found that it is"),
        ("do 1 discard 6\nrefused CARD_NOT_HELD card=6D", 5, "found CARD_NOT_HELD card=6C"),
        ("do 1 discard 4\nevent drew 1", 6, "expected the event"),
        ("do 1 discard 4\nno event turn_began", 6, "expected no event"),
        ("expect seat 1 held 3", 5, "found 2"),
        ("expect seat 1 holds 4 6", 5, "found 4C 5C"),
        ("expect seat 1 has 4x2", 5, "found 4C 5C"),
        ("expect seat 5 held 1", 5, "expected a seat, 1 to 4"),
        ("expect discards 4", 5, "found -"),
        ("expect turn 2", 5, "found turn 1 play stock"),
        ("expect score 1 total 0", 5, "no round that is over"),
        ("expect nonsense", 5, "expected seat"),
        ("expect meld 1 m1 4", 5, "expected a meld"),
        ("listed 1 draw", 5, "not among"),
        ("not listed 1 discard 4", 5, "among those listed"),
        ("check 1 discard 4 -> MUST_ASK_FIRST", 5, "found that it is legal"),
        ("check 1 jump -> ok", 5, "expected draw, discard"),
        ("check 1 draw", 5, "expected check"),
        ("deal", 5, "NOT_YOUR_TURN"),
        ("frobnicate", 5, "expected rule:"),
        ("ok\nfrobnicate", 6, "expected do"),
    ];
    for (text, line, what) in cases {
        let (at, found) = failure(text);
        assert!(found.contains(what), "{text}: {found}");
        assert_eq!(at, line, "{text}: {found}");
    }
    let position = run_text(Path::new("x.case"), "case x\nrule: HF-1.1\n\nseat 9 hand 4\nok\n");
    assert_eq!(position.cases[0].failure.as_ref().map(|failure| failure.line), Some(4));
    assert!(!run_text(Path::new("x.case"), "").is_ok());
    assert!(!run_paths(&[PathBuf::from("there/is/no/such/file.case")]).is_ok());
    assert!(!run_paths(&[]).is_ok(), "nothing was read");
}

#[test]
fn a_flip_that_proves_nothing_fails() {
    let failure = |text: &str| {
        let case = format!("case x\nrule: HF-1.1\nturn 1 play stock\nseat 1 hand 4 5 2\n{text}\n");
        let report = run_text(Path::new("x.case"), &case);
        if report.is_ok() { String::new() } else { report.to_string() }
    };
    let held = "do 1 discard 4\nexpect seat 1 held 2\n";
    let limit = "check 1 lay 9x2 2 -> CARD_NOT_HELD\n";
    let cases = [
        ("flip out_bonus = 200".to_owned(), "found \"flip\""),
        (format!("{held}flip out_bonus = 200"), "has no step"),
        (format!("{held}flip out_bonus = 200\nexpect seat 1 held 3"), "hold after it too"),
        (format!("{held}flip out_bonus = 200\nexpect seat 1 held 4"), "found 3"),
        (format!("{held}flip out_bonus = 100\n{held}"), "changes no rule"),
        (format!("{held}flip out_bonus = 200\nflip meld_min = 2\n{held}"), "one parameter"),
        (format!("{held}flip out_bonus = 2000\n{held}"), "out_bonus"),
        (format!("{held}flip nonsense = 1\n{held}"), "nonsense"),
        (format!("{held}flip packets = [11, 11]\n{limit}"), "hold after it too"),
        (format!("{held}flip"), "expected do"),
    ];
    for (text, what) in cases {
        let found = failure(&text);
        assert!(found.contains(what), "{text}: {found}");
    }
    let good = "expect stock 176\nflip jokers_per_deck = 4\nexpect stock 186";
    assert_eq!(failure(good), "");
}

#[test]
fn no_case_file_makes_the_runner_panic() {
    let mut texts = Vec::new();
    for path in files(&folder()).iter().filter(|path| !path.ends_with("most-melds.case")) {
        texts.push(std::fs::read_to_string(path).unwrap());
    }
    let cases: Vec<&str> = texts
        .iter()
        .filter(|text| !text.starts_with("handfoot record"))
        .flat_map(|text| text.split("\n\n"))
        .filter(|text| text.starts_with("case "))
        .collect();
    const SPARE: [&str; 18] = [
        "9C",
        "?x13",
        "-1",
        "99999999999",
        ";",
        "/",
        "m0",
        "\u{0}",
        "é",
        "*x250",
        "seat",
        "turn",
        "\n",
        "foot",
        "->",
        "do",
        "expect",
        "=",
    ];
    let mut state: u64 = 1;
    let mut below = |bound: usize| {
        // SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(bound.max(1)).unwrap()).unwrap()
    };
    let (mut passed, mut other) = (0, 0);
    for _ in 0..4000 {
        let case = cases[below(cases.len())];
        let mut words: Vec<String> = case.split_inclusive([' ', '\n']).map(str::to_owned).collect();
        for _ in 0..=below(2) {
            let at = below(words.len());
            match below(4) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, format!("{} ", SPARE[below(SPARE.len())])),
                2 => words[at] = SPARE[below(SPARE.len())].to_owned(),
                _ => {
                    let from = below(words.len());
                    words.swap(at, from);
                }
            }
            if words.is_empty() {
                words.push(String::new());
            }
        }
        match run_text(Path::new("mutated.case"), &words.concat()).is_ok() {
            true => passed += 1,
            false => other += 1,
        }
    }
    assert!(other > passed && passed > 0, "{passed} passed, {other} did not");
}
