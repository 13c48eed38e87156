//! The style of every file: what a reviewer would otherwise have to say again and again.
//!
//! **Invariant:** each check is small, is named after what it asks for, and has a bad sample that
//! it notices.

use super::rust_text::{RustText, Token, path_lines};
use super::tree::{self, TextFile};
use super::{Problem, expect_one, report};

/// The most lines of a Rust file.
const FILE_LINES_MAX: usize = 800;

/// The most lines of a function, from `fn` to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;

/// Folders of the packages that compute and do nothing else.
const PURE: [&str; 4] = ["cards", "rules", "view", "engine"];

/// Names that bring in a clock, chance, or an order that differs from run to run.
const IMPURE_NAMES: [&str; 6] =
    ["HashMap", "HashSet", "Instant", "OsRng", "RandomState", "SystemTime"];

/// Parts of the standard library that bring in the world outside.
const IMPURE_PATHS: [&str; 5] = ["env", "fs", "io", "net", "process"];

/// Marks of unfinished work, split so that this file does not hold them.
const LEFTOVERS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

fn rust_files() -> Vec<RustText> {
    let files = RustText::all(&tree::files());
    assert!(files.len() > 10, "the Rust files were not found");
    files.into_iter().filter(|text| !text.is_generated()).collect()
}

fn check_all(check: fn(&RustText) -> Vec<Problem>) {
    let problems: Vec<Problem> = rust_files().iter().flat_map(check).collect();
    report(&problems);
}

fn opening(text: &RustText) -> Vec<Problem> {
    let first = text.file.text.lines().next().unwrap_or_default();
    if first.strip_prefix("//! ").is_some_and(|purpose| !purpose.is_empty()) {
        return Vec::new();
    }
    vec![format!("{}:1: does not open with `//!` and what it is", text.file.path)]
}

fn file_length(text: &RustText) -> Vec<Problem> {
    let n_lines = text.file.text.lines().count();
    if n_lines <= FILE_LINES_MAX {
        return Vec::new();
    }
    vec![format!("{}: {n_lines} lines, at most {FILE_LINES_MAX}", text.file.path)]
}

fn function_length(text: &RustText) -> Vec<Problem> {
    let functions = text.functions();
    let long = functions.iter().filter(|function| function.n_lines > FUNCTION_LINES_MAX);
    long.map(|function| {
        format!(
            "{}:{}: `{}` has {} lines, at most {FUNCTION_LINES_MAX}",
            text.file.path, function.line, function.name, function.n_lines
        )
    })
    .collect()
}

/// Tests that are switched off, that pass by failing, or that wait.
fn test_habits(text: &RustText) -> Vec<Problem> {
    let tokens = text.tokens();
    let problem = |line: usize, what: &str| format!("{}:{line}: {what}", text.file.path);
    let attributes = RustText::attributes(&tokens);
    let named = |name: &'static str| {
        attributes.iter().filter_map(move |parts| parts.iter().find(|part| part.text == name))
    };
    let mut problems = Vec::new();
    problems.extend(named("ignore").map(|at| problem(at.line, "a test is never ignored")));
    let panics = "say what must be refused instead of `should_panic`";
    problems.extend(named("should_panic").map(|at| problem(at.line, panics)));
    let sleeps = path_lines(&tokens, "thread", "sleep");
    problems.extend(sleeps.into_iter().map(|at| problem(at, "nothing sleeps; wait for a fact")));
    problems
}

/// The world outside, in a package that must not know it. Test code may.
fn purity(text: &RustText) -> Vec<Problem> {
    let is_pure = |folder: &&str| text.file.path.starts_with(&format!("crates/{folder}/src/"));
    let Some(folder) = PURE.iter().find(|folder| is_pure(folder)) else { return Vec::new() };
    let tokens: Vec<Token<'_>> = text.tokens();
    let names = tokens.iter().filter(|token| IMPURE_NAMES.contains(&token.text));
    let mut found: Vec<(usize, String)> =
        names.map(|token| (token.line, token.text.to_owned())).collect();
    for part in IMPURE_PATHS {
        let lines = path_lines(&tokens, "std", part);
        found.extend(lines.into_iter().map(|line| (line, format!("std::{part}"))));
    }
    found.retain(|(line, _)| !text.is_test(*line));
    found
        .iter()
        .map(|(line, name)| format!("{}:{line}: {folder} may not use {name}", text.file.path))
        .collect()
}

fn leftovers(file: &TextFile) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (line, text) in file.lines() {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        if let Some(word) = words.find(|word| LEFTOVERS.contains(word)) {
            problems.push(format!("{}:{line}: {word} is work left over", file.path));
        }
    }
    problems
}

/// A Markdown file has one title, and it comes first.
fn title(file: &TextFile) -> Vec<Problem> {
    let mut is_code = false;
    let mut titles = Vec::new();
    for (line, text) in file.lines() {
        is_code ^= text.starts_with("```");
        if !is_code && text.starts_with("# ") {
            titles.push(line);
        }
    }
    match titles.as_slice() {
        [1] => Vec::new(),
        [line] => vec![format!("{}:{line}: the title is not the first line", file.path)],
        [] => vec![format!("{}: has no title", file.path)],
        [_, second, ..] => vec![format!("{}:{second}: a second title", file.path)],
    }
}

#[test]
fn every_file_opens_with_its_purpose() {
    check_all(opening);
}

#[test]
fn a_file_without_a_purpose_is_noticed() {
    report(&opening(&RustText::sample("a.rs", "//! A thing.\n")));
    for bad in ["", "use std::fmt;\n", "// A thing.\n", "//!\n//! A thing.\n", "\n//! A thing.\n"] {
        expect_one(&opening(&RustText::sample("a.rs", bad)), "a.rs:1: does not open");
    }
}

#[test]
fn files_are_short() {
    check_all(file_length);
}

#[test]
fn a_long_file_is_noticed() {
    report(&file_length(&RustText::sample("a.rs", &"//\n".repeat(FILE_LINES_MAX))));
    let long = RustText::sample("a.rs", &"//\n".repeat(FILE_LINES_MAX + 1));
    expect_one(&file_length(&long), "a.rs: 801 lines");
}

#[test]
fn functions_are_short() {
    check_all(function_length);
}

#[test]
fn a_long_function_is_noticed() {
    let function = |n_lines: usize| {
        let body = "    f(\"{\");\n".repeat(n_lines - 2);
        RustText::sample("a.rs", &format!("\nfn long() {{\n{body}}}\n\nfn short() {{}}\n"))
    };
    report(&function_length(&function(FUNCTION_LINES_MAX)));
    expect_one(&function_length(&function(FUNCTION_LINES_MAX + 1)), "a.rs:2: `long` has 71 lines");
}

#[test]
fn tests_are_never_ignored_and_never_sleep() {
    check_all(test_habits);
}

#[test]
fn a_bad_habit_of_a_test_is_noticed() {
    let habits = |text: &str| test_habits(&RustText::sample("a.rs", text));
    report(&habits("// #[ignore]\nlet ignore = thread::current(); // thread::sleep\n"));
    expect_one(&habits("#[test]\n#[ignore = \"slow\"]\nfn a() {}\n"), "a.rs:2: a test is never");
    expect_one(&habits("#[cfg_attr(miri, ignore)]\nfn a() {}\n"), "never ignored");
    expect_one(&habits("#[should_panic(expected = \"x\")]\nfn a() {}\n"), "should_panic");
    expect_one(&habits("std::thread::sleep(pause);\n"), "nothing sleeps");
    expect_one(&habits("use std::thread::{self, sleep};\n"), "nothing sleeps");
}

#[test]
fn the_pure_packages_do_not_know_the_world() {
    check_all(purity);
}

#[test]
fn the_world_in_a_pure_package_is_noticed() {
    let purity_of = |path: &str, text: &str| purity(&RustText::sample(path, text));
    let path = "crates/view/src/a.rs";
    report(&purity_of(path, "// HashMap and std::fs\nuse std::fmt;\nlet a = \"SystemTime\";\n"));
    report(&purity_of(path, "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"));
    report(&purity_of("crates/view/tests/main.rs", "use std::fs;\n"));
    report(&purity_of("crates/store/src/a.rs", "use std::fs;\n"));
    for name in IMPURE_NAMES {
        let text = format!("fn a(x: {name}) {{}}\n");
        expect_one(&purity_of(path, &text), &format!("view may not use {name}"));
    }
    for part in IMPURE_PATHS {
        let (plain, group) = (format!("use std::{part}::x;"), format!("use std::{{fmt, {part}}};"));
        expect_one(&purity_of(path, &plain), &format!("std::{part}"));
        expect_one(&purity_of(path, &group), &format!("std::{part}"));
    }
}

#[test]
fn no_work_is_left_over() {
    let files = tree::files();
    // Neither the lock file nor the licences are ours to word.
    let ours = files.iter().filter(|f| f.path != "Cargo.lock" && !f.path.starts_with("LICENSE"));
    let problems: Vec<Problem> = ours.flat_map(leftovers).collect();
    report(&problems);
}

#[test]
fn left_over_work_is_noticed() {
    report(&leftovers(&TextFile::sample("a.md", "To do: XXXL, todo\n")));
    for word in LEFTOVERS {
        let text = format!("Fine.\n// {word}: later\n");
        expect_one(&leftovers(&TextFile::sample("a.rs", &text)), "a.rs:2:");
    }
}

#[test]
fn every_document_has_one_title() {
    let files = tree::files();
    let documents: Vec<&TextFile> = files.iter().filter(|f| f.extension() == "md").collect();
    assert!(documents.len() >= 3, "the Markdown files were not found");
    let problems: Vec<Problem> = documents.into_iter().flat_map(title).collect();
    report(&problems);
}

#[test]
fn a_document_without_one_title_is_noticed() {
    let title_of = |text: &str| title(&TextFile::sample("a.md", text));
    report(&title_of("# A\n\n```text\n# not a title\n```\n\n## B\n"));
    expect_one(&title_of("A\n"), "has no title");
    expect_one(&title_of("# A\n# B\n"), "a.md:2: a second title");
    expect_one(&title_of("\n# A\n"), "not the first line");
}
