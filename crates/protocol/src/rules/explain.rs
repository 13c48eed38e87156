//! A rule set in plain language, as it is sent.
//!
//! **Invariant:** not a word is written here; the handbook says it.

use handfoot_handbook::{Handbook, Section, Subject};
use handfoot_rules::{Preset, RulesDraft, RulesProblem};

use super::{ChoiceError, decode_chosen};
use crate::v1;

/// Why a rule set is not explained.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExplainError {
    /// The choice names no rule set.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The rule set makes no sense.
    #[error("the rule set cannot be played")]
    Rules(Vec<RulesProblem>),
    /// There is no such section.
    #[error("no such section; there are {}", .0.join(", "))]
    Section(Vec<&'static str>),
}

/// Says how a rule set is played.
///
/// # Errors
///
/// [`ExplainError`].
pub fn explain_rules(
    request: &v1::ExplainRulesRequest,
) -> Result<v1::ExplainRulesResponse, ExplainError> {
    let (preset, draft) = decode_chosen(request.rules.as_ref())?;
    let has_changes = request.rules.as_ref().is_some_and(|choice| choice.changes.is_some());
    let subject = subject(preset, draft, has_changes).map_err(ExplainError::Rules)?;
    let mut book = Handbook::of(&subject);
    if !request.section_id.is_empty() {
        let ids = book.sections.iter().map(|section| section.id).collect();
        book.sections.retain(|section| section.id == request.section_id);
        if book.sections.is_empty() {
            return Err(ExplainError::Section(ids));
        }
    }
    let section = |section: &Section| v1::RulesSection {
        section_id: section.id.to_owned(),
        title: section.title.clone(),
        text: section.to_text(),
    };
    Ok(v1::ExplainRulesResponse {
        title: book.title.clone(),
        sections: book.sections.iter().map(section).collect(),
        text: book.to_text(),
    })
}

/// What is explained: what a preset says of itself is left out where it was changed.
fn subject(
    preset: Option<Preset>,
    draft: RulesDraft,
    has_changes: bool,
) -> Result<Subject, Vec<RulesProblem>> {
    match preset {
        None => Subject::draft(draft),
        Some(preset) if !has_changes => Subject::preset(&preset, draft),
        Some(preset) => {
            let title = format!("{}, with changes", preset.title);
            Ok(Subject { title, ..Subject::draft(draft)? })
        }
    }
}
