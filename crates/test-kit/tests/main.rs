//! Are the random rule sets what they are for?
//!
//! **Invariant:** counts only; no rule of the game is tested here.

#![expect(clippy::print_stdout, reason = "the share that can be played is asked for")]

use std::collections::BTreeSet;

use handfoot_rules::{Choice, PerRound, RuleFile, RulesDraft};
use handfoot_test_kit::{Found, Genes, asked_for, with_seed};

/// Rule sets that are looked at; more where the long form asks for more.
fn n_sets() -> u64 {
    u64::from(asked_for(4000).max(4000))
}

/// Without genes the rules are the default ones.
#[test]
fn no_genes_are_the_default_rules() {
    let whitnack = handfoot_rules::Preset::find("whitnack").unwrap().draft(None, None).unwrap();
    assert_eq!(Genes(Vec::new()).draft(), whitnack);
}

/// Most random rule sets make sense, and whatever does can be played.
#[test]
fn most_random_rule_sets_make_sense() {
    let (mut playable, mut refused) = (0, BTreeSet::new());
    for seed in 0..n_sets() {
        match with_seed(seed).found() {
            Found::Playable(_) => playable += 1,
            Found::Refused(_, problems) => drop(refused.insert((seed, problems.join("; ")))),
        }
    }
    println!("{playable} playable, {} refused", refused.len());
    let some: Vec<&(u64, String)> = refused.iter().take(20).collect();
    assert!(
        u64::try_from(refused.len()).unwrap() * 20 < n_sets(),
        "{} refused: {some:#?}",
        refused.len()
    );
    assert!(playable > 50);
}

/// Every choice of every parameter is reached by rule sets that make sense.
#[test]
fn every_choice_of_every_parameter_is_reached() {
    let mut reached: BTreeSet<Choice> = BTreeSet::new();
    for seed in 0..n_sets() {
        let draft = match with_seed(seed).found() {
            Found::Playable(rules) => rules.draft().clone(),
            Found::Refused(..) => continue,
        };
        reached.extend(draft.choices_taken().into_iter().map(|taken| taken.choice));
    }
    let offered = RulesDraft::choices_offered();
    let missing: Vec<&Choice> = offered.iter().filter(|choice| !reached.contains(choice)).collect();
    assert!(missing.is_empty(), "{} of {}: {missing:#?}", missing.len(), offered.len());
    let unknown: Vec<&Choice> = reached.iter().filter(|choice| !offered.contains(choice)).collect();
    assert!(unknown.is_empty(), "taken and not offered: {unknown:#?}");
}

/// A draft written as a file is read back as it was.
#[test]
fn every_random_draft_reads_back_from_its_file() {
    for seed in 0..400 {
        let draft = with_seed(seed).draft();
        let read = RuleFile::parse(&draft.to_toml()).unwrap().rules;
        // A list by round of one entry is one value.
        assert!(read == draft || matches!(draft.packets, PerRound::Each(_)), "seed {seed}");
    }
}
