//! What the tests share: drafts to change, and what validation says about them.
//!
//! **Invariant:** no assertion about the rules is made here.

use handfoot_cards::{NamedKind, Role};
use handfoot_rules::{PackChoice, Preset, Rules, RulesDraft, RulesProblem};

/// The default rules with one change.
pub(crate) fn draft(change: impl FnOnce(&mut RulesDraft)) -> RulesDraft {
    let mut draft = Preset::find("whitnack").unwrap().draft(None, None).unwrap();
    change(&mut draft);
    draft
}

/// Every problem of the draft.
pub(crate) fn problems(draft: &RulesDraft) -> Vec<RulesProblem> {
    let problems = Rules::check(draft).problems;
    let refused = Rules::new(draft.clone()).err().unwrap_or_default();
    assert_eq!(format!("{refused:?}"), format!("{problems:?}"), "new and check agree");
    problems
}

/// Field and reason of each problem.
pub(crate) fn rejected(change: impl FnOnce(&mut RulesDraft)) -> Vec<(String, &'static str)> {
    let problems = problems(&draft(change));
    named(&problems)
}

/// Field and reason of each problem.
pub(crate) fn named(problems: &[RulesProblem]) -> Vec<(String, &'static str)> {
    problems.iter().map(|problem| (problem.at.to_string(), problem.reason())).collect()
}

/// Asserts that a change is refused for exactly these reasons.
#[track_caller]
pub(crate) fn assert_rejected(change: impl FnOnce(&mut RulesDraft), expected: &[(&str, &str)]) {
    let found = rejected(change);
    let found: Vec<(&str, &str)> =
        found.iter().map(|(at, reason)| (at.as_str(), *reason)).collect();
    assert_eq!(found, expected);
}

/// One kind of a pack given by name.
pub(crate) fn kind(name: &str, number: u8, role: Role) -> NamedKind {
    NamedKind { name: name.to_owned(), number, role }
}

/// Gives the draft a pack of these kinds, with a value for each.
pub(crate) fn use_pack(draft: &mut RulesDraft, kinds: &[NamedKind]) {
    draft.card_value.0 = kinds.iter().map(|kind| (kind.name.clone(), 5)).collect();
    draft.pack = PackChoice::Kinds(kinds.to_vec());
}

/// A small generator for repeatable tests, SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `end`, which is at least 1.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        usize::try_from(word % u64::try_from(end).unwrap()).unwrap()
    }
}
