//! Random rule sets that make sense: every parameter, every choice.
//!
//! A rule set is a list of small numbers, its genes, each of which picks among the values of one
//! parameter; 0 picks the value of `whitnack`. So a failing rule set shrinks, number by number, to
//! the default rules with as little changed as makes it fail.
//!
//! **Invariant:** everything follows from the genes. What cannot be together is mended by what the
//! rules of validation say, never by asking the program; what is still refused is told apart.

mod build;
mod mend;

use std::sync::Arc;

use handfoot_rules::{Rules, RulesDraft};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

pub use build::GENES;

/// Numbers that decide one rule set, at most [`GENES`]; those that are missing are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Genes(pub Vec<u8>);

/// What became of some genes.
#[derive(Clone, Debug)]
pub enum Found {
    /// Rules that can be played.
    Playable(Arc<Rules>),
    /// Nonsense, and the problems.
    Refused(Box<RulesDraft>, Vec<String>),
}

impl Genes {
    /// The parameters that these genes decide.
    #[must_use]
    pub fn draft(&self) -> RulesDraft {
        let mut draft = build::draft(self);
        mend::mend(&mut draft);
        draft
    }

    /// What validation says of them.
    #[must_use]
    pub fn found(&self) -> Found {
        let draft = self.draft();
        let problems = match Rules::new(draft.clone()) {
            Ok(validated) => return Found::Playable(Arc::new(validated.rules)),
            Err(problems) => problems,
        };
        Found::Refused(Box::new(draft), problems.iter().map(ToString::to_string).collect())
    }
}

/// The genes of a seed: mostly 0 for some seeds, hardly any for others.
#[must_use]
pub fn with_seed(seed: u64) -> Genes {
    let mut rng = crate::chance(seed);
    let density = [4, 16, 40, 90][crate::below(&mut rng, 4)];
    let gene = |rng: &mut _| match crate::below(rng, 100) < density {
        true => u8::try_from(crate::below(rng, 256)).unwrap_or_default(),
        false => 0,
    };
    Genes((0..GENES).map(|_| gene(&mut rng)).collect())
}

/// Genes for property tests, which shrink.
pub fn genes() -> impl Strategy<Value = Genes> {
    let with_density = |density: u32| {
        let gene = prop_oneof![100 - density => Just(0_u8), density => any::<u8>()];
        prop::collection::vec(gene, GENES)
    };
    prop_oneof![with_density(4), with_density(16), with_density(40), with_density(90)]
        .prop_map(Genes)
}

/// Playable rule sets for property tests, with their genes. What is filtered is what the program
/// does not play, and what makes no sense; a test counts both.
pub fn rule_set() -> impl Strategy<Value = (Genes, Arc<Rules>)> {
    genes().prop_filter_map("a playable rule set", |genes| match genes.found() {
        Found::Playable(rules) => Some((genes, rules)),
        Found::Refused(..) => None,
    })
}

/// How property tests try rule sets: the same ones every time, so many as are asked for. Another
/// `HANDFOOT_RULE_SEED` than 1 tries others.
#[must_use]
pub fn config(usual: u32) -> ProptestConfig {
    ProptestConfig {
        cases: asked_for(usual),
        // What makes no sense is filtered, however much it is.
        max_global_rejects: u32::MAX,
        max_local_rejects: u32::MAX,
        rng_seed: RngSeed::Fixed(number("HANDFOOT_RULE_SEED").unwrap_or(1)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// How many rule sets to try: what the long form asks for in `HANDFOOT_RULE_SETS`, otherwise this
/// many.
#[must_use]
pub fn asked_for(usual: u32) -> u32 {
    number("HANDFOOT_RULE_SETS").unwrap_or(usual)
}

fn number<N: std::str::FromStr>(variable: &str) -> Option<N> {
    std::env::var(variable).ok()?.parse().ok()
}
