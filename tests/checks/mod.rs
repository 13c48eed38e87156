//! Checks over the tree itself: its style, its layers, its licences and its rule book.
//!
//! Each check is a function from what it reads to a list of problems, so that a second test can
//! hand it a bad sample and see that it does fail.
//!
//! **Invariant:** checks read files and `cargo metadata` only; they link no other package of the
//! workspace, so they run even while those do not compile.

mod dictionary;
mod faults;
mod layers;
mod metadata;
mod rules_index;
mod rust_text;
mod tidy;
mod tree;

/// One thing that is wrong, and where: `path:line: what`.
type Problem = String;

/// Fails the test with the whole list, if there is anything in it.
#[track_caller]
fn report(problems: &[Problem]) {
    assert!(problems.is_empty(), "{} problem(s):\n{}", problems.len(), problems.join("\n"));
}

/// Fails the test unless exactly one problem was found and it says this.
#[track_caller]
fn expect_one(problems: &[Problem], text: &str) {
    assert_eq!(problems.len(), 1, "one problem was planted: {problems:#?}");
    assert!(problems[0].contains(text), "`{text}` is not in `{}`", problems[0]);
}
