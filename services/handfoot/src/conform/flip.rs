//! Plays a case again with one rule changed, and sees that the change makes the difference.
//!
//! **Invariant:** both halves must hold under their own rules and neither under the other's, from
//! the same beginning; otherwise the case would prove nothing about the rule.

use std::collections::BTreeSet;
use std::sync::Arc;

use handfoot_rules::{Choice, Rules, RulesDraft, Taken};

use super::Failure;
use super::parse::{Case, Flip};
use super::run::{first, steps, validated};

/// Runs one flip of a case whose own steps have passed; gives the choices that were flipped.
pub(super) fn run(
    case: &Case,
    (draft, base): (&RulesDraft, &Arc<Rules>),
    flip: &Flip,
    n_checks: &mut usize,
) -> Result<Vec<Choice>, Failure> {
    let at_flip = |what: String| Failure { line: flip.line, what };
    let changed = draft.with(&flip.change).map_err(|problems| at_flip(first(&problems)))?;
    let flipped = between(draft, &changed);
    one_parameter(&flipped).map_err(at_flip)?;
    let other = validated(changed).map_err(at_flip)?;
    *n_checks += steps(case, &other, &flip.steps)?;
    let differs = |rules, held: &[_], what: &str| match steps(case, rules, held) {
        Ok(_) => Err(at_flip(format!("the flip makes no difference: {what}"))),
        Err(_) => Ok(1),
    };
    *n_checks += differs(&other, &case.steps, "the steps before it hold after it too")?;
    *n_checks += differs(base, &flip.steps, "its steps hold without it too")?;
    Ok(flipped)
}

/// The choices that only one of two drafts has taken, of parameters that both have.
fn between(here: &RulesDraft, there: &RulesDraft) -> Vec<Choice> {
    let (here, there): (BTreeSet<Taken>, BTreeSet<Taken>) =
        (here.choices_taken().into_iter().collect(), there.choices_taken().into_iter().collect());
    let has = |taken: &BTreeSet<Taken>, path: &str| taken.iter().any(|t| t.choice.path == path);
    here.symmetric_difference(&there)
        .map(|taken| &taken.choice)
        .filter(|choice| has(&here, &choice.path) && has(&there, &choice.path))
        .cloned()
        .collect()
}

/// A flip changes something, and nothing outside one parameter: card values go with the pack, whose
/// kinds they name.
fn one_parameter(flipped: &[Choice]) -> Result<(), String> {
    let parameter = |choice: &Choice| choice.path.split('.').next().map(str::to_owned);
    let mut parameters: BTreeSet<String> = flipped.iter().filter_map(parameter).collect();
    if parameters.contains("pack") {
        parameters.remove("card_value");
    }
    match parameters.len() {
        0 => Err("the flip changes no rule".to_owned()),
        1 => Ok(()),
        _ => {
            let names: Vec<String> = parameters.into_iter().collect();
            Err(format!("a flip changes one parameter, found {}", names.join(", ")))
        }
    }
}
