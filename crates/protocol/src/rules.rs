//! Rule sets, presets and what is wrong or odd about a rule set.
//!
//! **Invariant:** nothing here decides what can be played; it asks `handfoot-rules`.

mod decode;
mod encode;
mod explain;
mod summary;
pub(crate) mod words;

use std::collections::BTreeMap;

use handfoot_rules::{
    Checked, NameError, Override, Preset, Rules, RulesDraft, RulesProblem, RulesWarning, Seating,
    SeatingError, UnknownOverride, UnknownPreset,
};

pub use decode::decode_draft;
pub use encode::encode_draft;
pub use explain::{ExplainError, explain_rules};
pub use summary::encode_summary;

use crate::decode::{At, DecodeError, DecodeProblem};
use crate::v1;
use crate::view::count;

/// Overrides of a choice, at most; no preset has as many.
const OVERRIDES_MAX: usize = 32;

/// Why a choice of rules names no rule set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChoiceError {
    /// A field cannot be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// Parameters cannot be decoded: every one of them, each with the first thing that is wrong
    /// with it, and what is wrong with the values of the others.
    #[error("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Fields {
        /// At least one, in the order of D.1.
        errors: Vec<DecodeError>,
        /// Problems of the rule set without those parameters; fields from the rules on.
        problems: Vec<RulesProblem>,
    },
    /// There is no such preset.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// The preset has no such override.
    #[error(transparent)]
    Override(#[from] UnknownOverride),
    /// The preset is not for such a table.
    #[error(transparent)]
    Seating(#[from] SeatingError),
}

/// The rule set that a choice names: a preset with changes, or all of it. No choice is the default
/// preset. It is unchecked.
///
/// # Errors
///
/// [`ChoiceError`], with fields from the choice on.
pub fn decode_choice(choice: Option<&v1::RulesChoice>) -> Result<RulesDraft, ChoiceError> {
    Ok(decode_chosen(choice)?.1)
}

/// The rule set that a choice names, and the preset behind it, overrides included.
fn decode_chosen(
    choice: Option<&v1::RulesChoice>,
) -> Result<(Option<Preset>, RulesDraft), ChoiceError> {
    let root = At::Root;
    let usual = || -> Result<_, ChoiceError> {
        let preset = default_preset()?;
        Ok((Some(preset.clone()), preset.draft(None, None)?))
    };
    let Some(choice) = choice else { return usual() };
    let changes = choice.changes.clone().unwrap_or_default();
    let ids: Vec<&str> = choice.override_ids.iter().map(String::as_str).collect();
    root.field("override_ids").at_most(ids.len(), OVERRIDES_MAX)?;
    if choice.preset_id.is_empty() {
        let overrides = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        for (number, name) in [
            (choice.players, "players"),
            (choice.team_size, "team_size"),
            (overrides, "override_ids"),
        ] {
            if number != 0 {
                return Err(root.field(name).error(DecodeProblem::Misplaced).into());
            }
        }
        return match choice.changes {
            None => usual(),
            Some(_) => Ok((None, read_whole(&changes)?)),
        };
    }
    let seats = |number: u32, name| -> Result<Option<u8>, DecodeError> {
        let number = root.field(name).number(number, u8::MAX)?;
        Ok(Some(number).filter(|number| *number != 0))
    };
    let preset = named(&choice.preset_id)?.with(&ids)?;
    let (players, team_size) =
        (seats(choice.players, "players")?, seats(choice.team_size, "team_size")?);
    let base = encode_draft(&preset.draft(players, team_size)?);
    let draft = read_whole(&replaced(base, changes))?;
    Ok((Some(preset), draft))
}

/// The preset of that id, with overrides that are part of it: `bga+eleven`.
fn named(id: &str) -> Result<Preset, ChoiceError> {
    Preset::named(id).map_err(|error| match error {
        NameError::Preset(unknown) => ChoiceError::Preset(unknown),
        NameError::Override(unknown) => ChoiceError::Override(unknown),
    })
}

fn default_preset() -> Result<&'static Preset, UnknownPreset> {
    match Preset::all().first() {
        Some(preset) => Ok(preset),
        None => Preset::find(""),
    }
}

/// Does the same for every parameter of a sent draft.
macro_rules! parameters {
    ($($field:ident),+ $(,)?) => {
        /// The base with every field replaced that the changes set.
        fn replaced(base: v1::RulesDraft, changes: v1::RulesDraft) -> v1::RulesDraft {
            v1::RulesDraft { $($field: changes.$field.or(base.$field)),+ }
        }

        /// Every parameter that cannot be decoded, and what is wrong with the rest: those that
        /// cannot are as in a rule set that can be played.
        fn all_problems(
            sent: &v1::RulesDraft,
            sound: &v1::RulesDraft,
            at: At<'_>,
        ) -> (Vec<DecodeError>, Vec<RulesProblem>) {
            let mut errors = Vec::new();
            let mut readable = sound.clone();
            $({
                let mut alone = sound.clone();
                alone.$field = sent.$field.clone();
                match decode::read_draft(&alone, at) {
                    Ok(_) => readable.$field = sent.$field.clone(),
                    Err(error) => errors.push(error),
                }
            })+
            let rest = decode::read_draft(&readable, at).map(|draft| Rules::check(&draft).problems);
            (errors, rest.unwrap_or_default())
        }
    };
}

parameters! {
    players, team_size, decks, jokers_per_deck, packets, upcard, exact_pick, card_value, red_three, black_three, meld_min, book_size, extend, wild_limit, wild_meld, per_rank, special, opening, draw, take, wild_discard, foot, need, partner, permission, last_discard, stock_out, out_bonus, book_bonus, unfinished_second, length, pack,
}

/// Reads a draft, or tells everything that is wrong with it.
fn read_whole(sent: &v1::RulesDraft) -> Result<RulesDraft, ChoiceError> {
    let root = At::Root;
    let at = root.field("changes");
    match decode::read_draft(sent, at) {
        Ok(draft) => Ok(draft),
        Err(error) => {
            let sound = encode_draft(&default_preset()?.draft(None, None)?);
            let (mut errors, problems) = all_problems(sent, &sound, at);
            if errors.is_empty() {
                errors.push(error);
            }
            Err(ChoiceError::Fields { errors, problems })
        }
    }
}

/// A preset as it is sent, without its parameters.
#[must_use]
pub fn encode_preset(preset: &Preset) -> v1::Preset {
    let seating = |row: &Seating| v1::Seating {
        players: count(row.players),
        team_sizes: row.team_sizes.iter().map(|size| count(*size)).collect(),
    };
    v1::Preset {
        preset_id: preset.id.clone(),
        title: preset.title.clone(),
        source: preset.source.clone(),
        summary: preset.summary.clone(),
        notes: encode_notes(&preset.notes),
        seating: preset.seating.iter().map(seating).collect(),
        rules: None,
        overrides: preset.overrides.iter().map(encode_override).collect(),
    }
}

fn encode_override(change: &Override) -> v1::PresetOverride {
    v1::PresetOverride {
        override_id: change.id.clone(),
        title: change.title.clone(),
        summary: change.summary.clone(),
        notes: encode_notes(&change.notes),
    }
}

fn encode_notes(notes: &BTreeMap<String, String>) -> Vec<v1::PresetNote> {
    let note = |(field, note): (&String, &String)| v1::PresetNote {
        field: field.clone(),
        note: note.clone(),
    };
    notes.iter().map(note).collect()
}

/// A problem as it is sent.
#[must_use]
pub fn encode_problem(problem: &RulesProblem) -> v1::RulesFinding {
    v1::RulesFinding {
        field: problem.at.to_string(),
        reason: problem.reason().to_owned(),
        message: problem.problem.to_string(),
    }
}

/// A warning as it is sent.
#[must_use]
pub fn encode_warning(warning: &RulesWarning) -> v1::RulesFinding {
    v1::RulesFinding {
        field: warning.at.to_string(),
        reason: warning.reason().to_owned(),
        message: warning.warning.to_string(),
    }
}

/// What there is to say about a rule set, as it is sent.
#[must_use]
pub fn check_rules(draft: RulesDraft) -> v1::CheckRulesResponse {
    let Checked { problems, warnings } = Rules::check(&draft);
    let rules = Rules::new(draft).ok().map(|validated| validated.rules);
    v1::CheckRulesResponse {
        problems: problems.iter().map(encode_problem).collect(),
        warnings: warnings.iter().map(encode_warning).collect(),
        summary: rules.as_ref().map(encode_summary),
        rules: rules.as_ref().map(|rules| encode_draft(rules.draft())),
    }
}
