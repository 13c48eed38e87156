//! The fault list against the tests: each row is proved by tests that exist.
//!
//! **Invariant:** `tests/FAULTS.md` is the list; what a test says of itself must stand in it too.

use std::collections::{BTreeMap, BTreeSet};

use super::rust_text::{RustText, Token, is_identifier};
use super::tree::{self, TextFile};
use super::{Problem, expect_one, report};

const LIST: &str = "tests/FAULTS.md";

/// What may stand in the last column; what ends with the second word needs no test yet.
const SHOWN_IN: [&str; 5] =
    ["one process", "many processes", "clocks (later)", "takeover (later)", "strong bots (later)"];
const LATER: &str = "(later)";

/// Macros that make tests, or scenarios of `tests/faults`, of the functions that they are given by
/// name.
const SUITES: [&str; 3] = ["on_each_store", "for_kind", "scenarios"];

/// How a test says for which rows it is there.
const CITATION: &str = "Fault list: ";

/// A row of the list.
#[derive(Debug)]
struct Row {
    line: usize,
    tests: Vec<String>,
    is_later: bool,
}

/// The rows by number, and what is wrong with their form.
fn rows(list: &TextFile) -> (BTreeMap<u32, Row>, Vec<Problem>) {
    let (mut rows, mut problems) = (BTreeMap::new(), Vec::new());
    for (line, text) in list.lines().filter(|(_, text)| text.starts_with("| R")) {
        let mut problem = |what: &str| problems.push(format!("{}:{line}: {what}", list.path));
        let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
        let [number, fault, ours, tests, shown_in] = cells.as_slice() else {
            problem("a row has five cells");
            continue;
        };
        let Some(number) = number.strip_prefix('R').and_then(|number| number.parse().ok()) else {
            problem("a row begins with its number");
            continue;
        };
        if fault.is_empty() || ours.is_empty() || tests.is_empty() {
            problem("an empty cell; write – for no tests");
        }
        if !SHOWN_IN.contains(shown_in) {
            problem(&format!("`{shown_in}` is no word for where it is shown"));
        }
        let tests: Vec<String> = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let is_later = shown_in.ends_with(LATER);
        if tests.is_empty() && !is_later {
            problem("nothing proves this row");
        }
        if rows.insert(number, Row { line, tests, is_later }).is_some() {
            problem("this number stands here twice");
        }
    }
    (rows, problems)
}

/// The names of all tests in the sources.
fn tests(files: &[TextFile]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in files {
        match file.extension() {
            "rs" => names.extend(rust_tests(&RustText::new(file.clone()))),
            "py" => names.extend(python_tests(file)),
            _ => {}
        }
    }
    names
}

/// Functions with a test's attribute, and those that a suite is given.
fn rust_tests(text: &RustText) -> BTreeSet<String> {
    let (tokens, functions) = (text.tokens(), text.functions());
    let mut names = BTreeSet::new();
    for attribute in RustText::attributes(&tokens) {
        let is_test = attribute.iter().any(|token| token.text == "test");
        let (true, Some(last)) = (is_test && attribute[0].text != "cfg", attribute.last()) else {
            continue;
        };
        let next = functions.iter().find(|function| function.line >= last.line);
        names.extend(next.map(|function| function.name.clone()));
    }
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| SUITES.contains(&token.text)) {
        if tokens.get(at + 1).is_some_and(|next| next.text == "!") {
            names.extend(block(&tokens[at + 2..]).map(|token| token.text.to_owned()));
        }
    }
    names.retain(|name| is_identifier(name));
    names
}

/// The tokens of a block, from its brace to the one that closes it.
fn block<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = &'a Token<'a>> {
    let mut depth = 0_usize;
    tokens.iter().take_while(move |token| {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0
    })
}

fn python_tests(file: &TextFile) -> Vec<String> {
    let definitions = file.lines().filter_map(|(_, text)| text.trim_start().strip_prefix("def "));
    let names = definitions.filter_map(|rest| rest.split('(').next()).map(str::to_owned);
    names.filter(|name| name.starts_with("test_")).collect()
}

/// Tests that are named and are not there.
fn missing(rows: &BTreeMap<u32, Row>, tests: &BTreeSet<String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, row) in rows {
        let gone = row.tests.iter().filter(|name| !tests.contains(*name));
        problems.extend(gone.map(|name| format!("{LIST}:{}: R{number}: no test {name}", row.line)));
    }
    problems
}

/// What tests say of themselves and the list does not.
fn unlisted(rows: &BTreeMap<u32, Row>, text: &RustText) -> Vec<Problem> {
    let functions = text.functions();
    let mut problems = Vec::new();
    let comments = text.file.lines().filter_map(|(line, raw)| {
        let comment = raw.trim_start().strip_prefix("/// ")?;
        comment.strip_prefix(CITATION).map(|cited| (line, cited))
    });
    for (line, cited) in comments {
        let test = functions.iter().find(|function| function.line > line);
        let name = test.map_or("", |function| function.name.as_str());
        let cited = cited.split('.').next().unwrap_or_default();
        for number in cited.split(", ").map(|number| number.trim_start_matches('R')) {
            let row = number.parse().ok().and_then(|number: u32| rows.get(&number));
            if !row.is_some_and(|row| row.tests.iter().any(|test| test == name)) {
                let path = &text.file.path;
                problems.push(format!("{path}:{line}: row R{number} does not name `{name}`"));
            }
        }
    }
    problems
}

#[test]
fn every_fault_has_the_tests_that_it_names() {
    let files = tree::files();
    let (rows, mut problems) = rows(&tree::file(LIST));
    assert!(rows.len() > 40, "{LIST} was not understood");
    let n_shown = rows.values().filter(|row| !row.is_later).count();
    assert!(n_shown > 20, "{n_shown} rows are shown");
    problems.extend(missing(&rows, &tests(&files)));
    report(&problems);
}

#[test]
fn every_test_that_is_there_for_a_fault_is_in_the_list() {
    let (rows, _) = rows(&tree::file(LIST));
    let rust = RustText::all(&tree::files());
    let of_tests = rust.iter().filter(|text| text.file.path != "tests/checks/faults.rs");
    let problems: Vec<Problem> = of_tests.flat_map(|text| unlisted(&rows, text)).collect();
    report(&problems);
}

mod canaries {
    use super::*;

    fn list(rows: &str) -> (BTreeMap<u32, Row>, Vec<Problem>) {
        super::rows(&TextFile::sample(LIST, rows))
    }

    const GOOD: &str = "| R1 | a | b | `one`, `two` | one process |\n\
                        | R2 | a | b | – | clocks (later) |\n";

    #[test]
    fn a_row_that_is_not_in_form_is_noticed() {
        report(&list(GOOD).1);
        expect_one(&list("| R1 | a | b | `x` |\n").1, "five cells");
        expect_one(&list("| Rx | a | b | `x` | one process |\n").1, "its number");
        expect_one(&list("| R1 | a |  | `x` | one process |\n").1, "empty cell");
        expect_one(&list("| R1 | a | b | `x` | somewhere |\n").1, "where it is shown");
        expect_one(&list("| R1 | a | b | – | one process |\n").1, "nothing proves");
        let twice = "| R2 | a | b | `x` | one process |\n";
        expect_one(&list(&format!("{GOOD}{twice}")).1, "twice");
    }

    #[test]
    fn a_test_that_does_not_exist_is_noticed() {
        let source =
            "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n    fn two() {}\n}\n";
        let found = tests(&[TextFile::sample("a.rs", source)]);
        expect_one(&missing(&list(GOOD).0, &found), "R1: no test two");
        let suite = "on_each_store! {\n    two,\n}\nasync fn two() {}\nfn three() {}\n";
        let found = tests(&[TextFile::sample("a.rs", source), TextFile::sample("b.rs", suite)]);
        report(&missing(&list(GOOD).0, &found));
        assert!(!found.contains("three"));
        let python = tests(&[TextFile::sample("a.py", "    def test_a(self):\ndef b():\n")]);
        assert_eq!(python.into_iter().collect::<Vec<_>>(), ["test_a"]);
    }

    #[test]
    fn a_test_that_the_list_does_not_name_is_noticed() {
        let unlisted = |comment: &str| {
            let text = format!("/// {CITATION}{comment}\n#[test]\nfn one() {{}}\n");
            super::unlisted(&list(GOOD).0, &RustText::sample("a.rs", &text))
        };
        report(&unlisted("R1."));
        report(&unlisted("R1. And more."));
        expect_one(&unlisted("R1, R2."), "row R2 does not name `one`");
        expect_one(&unlisted("R9."), "row R9 does not name `one`");
    }
}
