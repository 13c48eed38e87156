//! The rule book against the code: every clause is decided somewhere, tested somewhere, and no id
//! is cited that is not in it.
//!
//! **Invariant:** the rule book is the list; nothing here repeats one of its clauses.

use std::collections::BTreeSet;
use std::fmt;

use super::rust_text::RustText;
use super::tree::{self, TextFile};
use super::{Problem, expect_one, report};

const RULE_BOOK: &str = "crates/rules/RULES.md";

/// The number of a clause: `HF`, a dash, section, dot, clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ClauseId {
    section: u32,
    clause: u32,
}

impl fmt::Display for ClauseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HF-{}.{}", self.section, self.clause)
    }
}

/// What the rule book holds, and what is wrong with its form.
struct RuleBook {
    clauses: BTreeSet<ClauseId>,
    problems: Vec<Problem>,
}

impl RuleBook {
    fn new(file: &TextFile) -> RuleBook {
        let mut book = RuleBook { clauses: BTreeSet::new(), problems: Vec::new() };
        let mut section = 0;
        let mut last = None;
        for (line, text) in file.lines() {
            if let Some(heading) = text.strip_prefix("## ") {
                section = heading.split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            }
            let Some(item) = text.strip_prefix("- ") else { continue };
            let mut problem = |what: &str| {
                book.problems.push(format!("{}:{line}: {what}", file.path));
            };
            let bold = item.strip_prefix("**").and_then(|rest| rest.split_once("** "));
            let Some(id) = bold.and_then(|(id, _)| whole_id(id)) else {
                problem("this item does not start with a clause's id in bold");
                continue;
            };
            if id.section != section {
                problem(&format!("{id} stands in section {section}"));
            }
            if last.is_some_and(|last| last >= id) {
                problem(&format!("{id} is out of order, or stands here twice"));
            }
            last = Some(id);
            book.clauses.insert(id);
        }
        book
    }

    fn read() -> RuleBook {
        RuleBook::new(&tree::file(RULE_BOOK))
    }

    /// Citations of clauses that do not exist.
    fn unknown(&self, files: &[TextFile]) -> Vec<Problem> {
        let mut problems = Vec::new();
        for file in files.iter().filter(|file| may_cite(file)) {
            for (line, text) in file.lines() {
                let unknown = citations(text).into_iter().filter(|id| !self.clauses.contains(id));
                problems.extend(unknown.map(|id| format!("{}:{line}: no clause {id}", file.path)));
            }
        }
        problems
    }

    /// The clauses that no line of the libraries says it decides.
    fn undecided(&self, rust: &[RustText]) -> Vec<ClauseId> {
        let decided: BTreeSet<ClauseId> = rust.iter().flat_map(decisions).collect();
        self.clauses.difference(&decided).copied().collect()
    }

    /// The clauses that no test and no conformance case names.
    fn untested(&self, rust: &[RustText], files: &[TextFile]) -> Vec<ClauseId> {
        let in_tests = rust.iter().flat_map(test_citations);
        let in_cases = files.iter().filter(|file| is_case(file)).flat_map(|f| citations(&f.text));
        let tested: BTreeSet<ClauseId> = in_tests.chain(in_cases).collect();
        self.clauses.difference(&tested).copied().collect()
    }
}

/// Every clause id in a text, in order.
fn citations(text: &str) -> Vec<ClauseId> {
    let mut found = Vec::new();
    for after in text.split("HF-").skip(1) {
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        let mut numbers = after[..end].split('.').map(str::parse);
        if let (Some(Ok(section)), Some(Ok(clause))) = (numbers.next(), numbers.next()) {
            found.push(ClauseId { section, clause });
        }
    }
    found
}

/// The clause id that this text is, and nothing else.
fn whole_id(text: &str) -> Option<ClauseId> {
    citations(text).first().copied().filter(|id| id.to_string() == text)
}

fn may_cite(file: &TextFile) -> bool {
    matches!(file.extension(), "rs" | "md" | "toml" | "proto") || is_case(file)
}

fn is_case(file: &TextFile) -> bool {
    file.path.starts_with("tests/conformance/") && file.extension() != "md"
}

/// The clauses that the code of a library says it decides: after `Rule:` in a comment, in comment
/// lines that carry on such a list, under a `# Rule` heading, and as a string of its own, which is
/// how a refusal names the clause behind it.
fn decisions(text: &RustText) -> Vec<ClauseId> {
    // The rules are decided in these crates and nowhere else.
    let deciding = ["cards", "rules", "view", "engine"];
    let is_deciding = |name: &str| text.file.path.starts_with(&format!("crates/{name}/src/"));
    if text.is_generated() || !deciding.into_iter().any(is_deciding) {
        return Vec::new();
    }
    let mut decided = Vec::new();
    let mut is_under_heading = false;
    let mut is_in_list = false;
    for (_, raw) in text.file.lines().filter(|(line, _)| !text.is_test(*line)) {
        let strings = raw.split('"').skip(1).step_by(2);
        decided.extend(strings.filter_map(whole_id));
        let comment = raw.split_once("//").map(|(_, comment)| comment);
        let Some(comment) = comment else {
            (is_under_heading, is_in_list) = (false, false);
            continue;
        };
        let comment = comment.trim_start_matches(['/', '!', ' ']);
        if comment.starts_with("# ") {
            is_under_heading = comment.starts_with("# Rule");
        }
        let named = comment.split_once("Rule:").map(|(_, after)| after);
        let is_alone = raw.trim_start().starts_with("//");
        let carries_on = is_under_heading || (is_in_list && comment.starts_with("HF-"));
        let carried_on = Some(comment).filter(|_| is_alone && carries_on);
        let ids = named.or(carried_on).map(citations).unwrap_or_default();
        is_in_list = !ids.is_empty();
        decided.extend(ids);
    }
    decided
}

/// The clauses that a test names. These checks are tests of the tree, not of a rule.
fn test_citations(text: &RustText) -> Vec<ClauseId> {
    if text.file.path.starts_with("tests/checks/") {
        return Vec::new();
    }
    let lines = text.file.lines().filter(|(line, _)| text.is_test(*line));
    lines.flat_map(|(_, raw)| citations(raw)).collect()
}

fn list(ids: &[ClauseId]) -> String {
    let ids: Vec<String> = ids.iter().map(ClauseId::to_string).collect();
    format!("{} clause(s): {}", ids.len(), ids.join(", "))
}

#[test]
fn the_rule_book_is_in_order() {
    let book = RuleBook::read();
    report(&book.problems);
    assert!(book.clauses.len() > 50, "{RULE_BOOK} was not understood");
}

#[test]
fn every_cited_clause_exists() {
    report(&RuleBook::read().unknown(&tree::files()));
}

#[test]
fn every_clause_is_decided_and_tested() {
    let book = RuleBook::read();
    let files = tree::files();
    let rust = RustText::all(&files);
    let mut problems = Vec::new();
    let undecided = book.undecided(&rust);
    if !undecided.is_empty() {
        problems.push(format!("no line under crates/*/src says it decides {}", list(&undecided)));
    }
    let untested = book.untested(&rust, &files);
    if !untested.is_empty() {
        problems.push(format!("no test and no conformance case names {}", list(&untested)));
    }
    report(&problems);
}

mod canaries {
    use super::*;

    /// Samples write `HF~1.1`, so that the check of citations does not see them in this file.
    fn sample(path: &str, text: &str) -> TextFile {
        TextFile::sample(path, &text.replace('~', "-"))
    }

    fn book(text: &str) -> RuleBook {
        RuleBook::new(&sample(RULE_BOOK, text))
    }

    const BOOK: &str =
        "## 1. One\n\n- **HF~1.1** A.\n- **HF~1.2** B.\n\n## 2. Two\n- **HF~2.1** C.\n";

    fn shown(ids: &[ClauseId]) -> Vec<String> {
        ids.iter().map(|id| id.to_string().replace('-', "~")).collect()
    }

    #[test]
    fn a_rule_book_out_of_order_is_noticed() {
        report(&book(BOOK).problems);
        let twice = "## 1. One\n- **HF~1.1** A.\n- **HF~1.1** B.\n";
        expect_one(&book(twice).problems, "twice");
        let backwards = "## 1. One\n- **HF~1.10** A.\n- **HF~1.9** B.\n";
        expect_one(&book(backwards).problems, "out of order");
        expect_one(&book("## 1. One\n- **HF~2.1** A.\n").problems, "stands in section 1");
        expect_one(&book("## 1. One\n- HF~1.1 A.\n").problems, "in bold");
        expect_one(&book("## 1. One\n- **HF~1.1x** A.\n").problems, "in bold");
    }

    #[test]
    fn a_citation_of_nothing_is_noticed() {
        let unknown = |path: &str, text: &str| book(BOOK).unknown(&[sample(path, text)]);
        report(&unknown("crates/view/src/a.rs", "// Rule: HF~1.2.\n"));
        expect_one(&unknown("crates/view/src/a.rs", "\n// Rule: HF~1.3\n"), "a.rs:2: no clause");
        expect_one(&unknown("tests/conformance/a.case", "Rule: HF~2.2"), "no clause");
        report(&unknown("notes.txt", "HF~9.9"));
    }

    #[test]
    fn a_clause_that_nothing_decides_is_noticed() {
        let undecided = |path: &str, text: &str| {
            shown(&book(BOOK).undecided(&[RustText::new(sample(path, text))]))
        };
        let source = "crates/view/src/a.rs";
        assert_eq!(undecided(source, "/// It. (Rule: HF~1.1, HF~2.1)\n"), ["HF~1.2"]);
        assert_eq!(undecided(source, "// Rule: HF~1.1,\n// HF~1.2\nf(); // HF~2.1\n"), ["HF~2.1"]);
        assert_eq!(
            undecided(source, "/// # Rule\n///\n/// HF~1.1 and\n/// HF~1.2\n/// # X\n/// HF~2.1"),
            ["HF~2.1"]
        );
        assert_eq!(
            undecided(source, "A => \"A\", \"HF~1.1\", \"a, HF~1.2\";\n"),
            ["HF~1.2", "HF~2.1"]
        );
        // A mention is no decision, and neither is a test or a service.
        let all = ["HF~1.1", "HF~1.2", "HF~2.1"];
        assert_eq!(undecided(source, "// See HF~1.1.\n"), all);
        assert_eq!(undecided(source, "#[cfg(test)]\nmod tests {\n    // Rule: HF~1.1\n}\n"), all);
        assert_eq!(undecided("crates/view/tests/main.rs", "// Rule: HF~1.1\n"), all);
        assert_eq!(undecided("services/handfoot/src/a.rs", "// Rule: HF~1.1\n"), all);
    }

    #[test]
    fn a_clause_that_nothing_tests_is_noticed() {
        let untested = |path: &str, text: &str| {
            let file = sample(path, text);
            shown(&book(BOOK).untested(&RustText::all(std::slice::from_ref(&file)), &[file]))
        };
        let all = ["HF~1.1", "HF~1.2", "HF~2.1"];
        assert_eq!(untested("crates/view/tests/main.rs", "// HF~1.1\n"), all[1..]);
        assert_eq!(untested("tests/conformance/1/a.case", "# Rule: HF~1.1\n"), all[1..]);
        assert_eq!(untested("tests/conformance/README.md", "# Rule: HF~1.1\n"), all);
        assert_eq!(untested("crates/view/src/a.rs", "// Rule: HF~1.1\n"), all);
        assert_eq!(untested("tests/checks/a.rs", "// Rule: HF~1.1\n"), all);
    }
}
