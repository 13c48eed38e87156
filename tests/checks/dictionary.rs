//! The dictionary of `CONTRIBUTING.md`: one word, one meaning.
//!
//! **Invariant:** the table there is the only list of words that identifiers may not hold; the
//! exceptions below are whole names, each with its reason.

use super::rust_text::{RustText, is_identifier, words};
use super::tree::{self, TextFile};
use super::{Problem, expect_one, report};

const GUIDE: &str = "CONTRIBUTING.md";

/// The heading above the table.
const HEADING: &str = "## Dictionary";

/// Names that hold a forbidden word all the same, and why.
const EXCEPTIONS: [(&str, &str); 1] =
    [("foot_canasta", "the id of a published rule set, which people look for under that name")];

/// A type of another crate that is named in one file as that crate names it: the file, the name, and
/// what it is.
const OTHERS_TYPES: [(&str, &str, &str); 1] =
    [("tests/processes/src/process.rs", "Pid", "a process that a signal is sent to")];

/// One row of the table.
#[derive(Debug)]
struct Entry {
    line: usize,
    word: String,
    /// What is in `code` in the last column: identifiers may not hold it.
    forbidden: Vec<String>,
}

/// Reads the table; the problems are those of its form.
fn entries(guide: &TextFile) -> (Vec<Entry>, Vec<Problem>) {
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    let after = guide.lines().skip_while(|(_, text)| *text != HEADING).skip(1);
    let section = after.take_while(|(_, text)| !text.starts_with("## "));
    for (line, text) in section.filter(|(_, text)| text.starts_with('|')).skip(2) {
        let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
        let [word, meaning, not] = cells.as_slice() else {
            problems.push(format!("{}:{line}: a row has three cells", guide.path));
            continue;
        };
        if word.is_empty() || meaning.is_empty() || not.is_empty() {
            problems.push(format!("{}:{line}: an empty cell; write – for none", guide.path));
        }
        entries.push(Entry { line, word: (*word).to_owned(), forbidden: in_code(not) });
    }
    let mut seen: Vec<&str> = Vec::new();
    for entry in &entries {
        if seen.contains(&entry.word.as_str()) {
            problems.push(format!("{}:{}: {} twice", guide.path, entry.line, entry.word));
        }
        seen.push(&entry.word);
    }
    (entries, problems)
}

/// The parts of a text that stand between backticks.
fn in_code(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Identifiers of a file that hold a forbidden word, however they are written.
fn word_problems(text: &RustText, forbidden: &[String]) -> Vec<Problem> {
    let forbidden: Vec<Vec<String>> = forbidden.iter().map(|word| words(word)).collect();
    let mut problems = Vec::new();
    let is_others = |name: &str| {
        OTHERS_TYPES.iter().any(|(path, others, _)| *path == text.file.path && *others == name)
    };
    let is_ours = |name: &str| is_identifier(name) && !is_others(name);
    for token in text.tokens().into_iter().filter(|token| is_ours(token.text)) {
        let mut held = words(token.text);
        for (exception, _) in EXCEPTIONS {
            held = without(held, &words(exception));
        }
        for word in forbidden.iter().filter(|word| position(&held, word).is_some()) {
            problems.push(format!(
                "{}:{}: `{}` holds `{}`; {GUIDE} has the word to use",
                text.file.path,
                token.line,
                token.text,
                word.join("_")
            ));
        }
    }
    problems
}

/// Where some words follow each other in others; the last may be a plural.
fn position(held: &[String], sought: &[String]) -> Option<usize> {
    let is_word = |a: &String, b: &String| a == b || a.strip_suffix('s') == Some(b.as_str());
    held.windows(sought.len()).position(|part| part.iter().zip(sought).all(|(a, b)| is_word(a, b)))
}

fn without(mut held: Vec<String>, part: &[String]) -> Vec<String> {
    while let Some(at) = position(&held, part) {
        // A mark stays behind, so that what stood apart does not become neighbours.
        held.splice(at..at + part.len(), [String::new()]);
    }
    held
}

fn forbidden_words() -> Vec<String> {
    let (entries, _) = entries(&tree::file(GUIDE));
    entries.into_iter().flat_map(|entry| entry.forbidden).collect()
}

#[test]
fn the_dictionary_has_a_clear_form() {
    let (entries, problems) = entries(&tree::file(GUIDE));
    report(&problems);
    assert!(entries.len() >= 30, "the table under `{HEADING}` was not understood");
    let forbidden = forbidden_words();
    for word in ["talon", "draw_pile", "pid"] {
        assert!(forbidden.iter().any(|listed| listed == word), "`{word}` is not read from it");
    }
}

#[test]
fn identifiers_use_the_words_of_the_dictionary() {
    let forbidden = forbidden_words();
    let files = tree::files();
    let code = files.into_iter().filter(|file| matches!(file.extension(), "rs" | "proto"));
    let problems: Vec<Problem> = code
        .map(RustText::new)
        .filter(|text| !text.is_generated())
        .flat_map(|text| word_problems(&text, &forbidden))
        .collect();
    report(&problems);
}

#[test]
fn a_dictionary_without_a_clear_form_is_noticed() {
    let problems = |rows: &str| {
        let table = format!("{HEADING}\n\n| Word | Meaning | Not |\n|---|---|---|\n{rows}");
        entries(&TextFile::sample(GUIDE, &table)).1
    };
    report(&problems("| a | b | – |\n| c | d | `e` |\n"));
    expect_one(&problems("| a | b |\n"), "three cells");
    expect_one(&problems("| a | b | |\n"), "an empty cell");
    expect_one(&problems("| a | b | – |\n| a | c | – |\n"), "a twice");
}

#[test]
fn a_forbidden_word_in_an_identifier_is_noticed() {
    let forbidden = ["talon".to_owned(), "draw_pile".to_owned(), "canasta".to_owned()];
    let problems = |text: &str| word_problems(&RustText::sample("a.rs", text), &forbidden);
    let fine = [
        "let stock = \"talon\"; // talon",
        "#[doc(alias = \"canasta\")] struct Book;",
        "fn foot_canasta() {} const FOOT_CANASTA: u8 = 1; enum A { FootCanasta }",
        "fn draw(pile: u8) {} let talons_of = withdraw_pile_up;",
    ];
    report(&problems(fine[0]));
    report(&problems(fine[1]));
    report(&problems(fine[2]));
    expect_one(&problems(fine[3]), "`talons_of` holds `talon`");
    expect_one(&problems("struct TalonCount;"), "a.rs:1: `TalonCount` holds `talon`");
    expect_one(&problems("const MAX_DRAW_PILE: u8 = 3;"), "`draw_pile`");
    expect_one(&problems("let drawPiles = 3;"), "`draw_pile`");
    expect_one(&problems("let foot_canasta_canasta = 3;"), "`canasta`");
}
