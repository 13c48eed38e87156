//! Rule sets, presets and what is wrong or odd about a rule set.
//!
//! **Invariant:** nothing here decides what can be played; it asks `handfoot-rules`.

mod decode;
mod encode;
mod explain;
mod summary;
mod words;

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// A field cannot be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
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
            Some(_) => Ok((None, decode::read_draft(&changes, root.field("changes"))?)),
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
    let draft = decode::read_draft(&replaced(base, changes), root.field("changes"))?;
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

/// The base with every field replaced that the changes set.
fn replaced(base: v1::RulesDraft, changes: v1::RulesDraft) -> v1::RulesDraft {
    v1::RulesDraft {
        players: changes.players.or(base.players),
        team_size: changes.team_size.or(base.team_size),
        decks: changes.decks.or(base.decks),
        jokers_per_deck: changes.jokers_per_deck.or(base.jokers_per_deck),
        packets: changes.packets.or(base.packets),
        upcard: changes.upcard.or(base.upcard),
        exact_pick: changes.exact_pick.or(base.exact_pick),
        card_value: changes.card_value.or(base.card_value),
        red_three: changes.red_three.or(base.red_three),
        black_three: changes.black_three.or(base.black_three),
        meld_min: changes.meld_min.or(base.meld_min),
        book_size: changes.book_size.or(base.book_size),
        extend: changes.extend.or(base.extend),
        wild_limit: changes.wild_limit.or(base.wild_limit),
        wild_meld: changes.wild_meld.or(base.wild_meld),
        per_rank: changes.per_rank.or(base.per_rank),
        special: changes.special.or(base.special),
        opening: changes.opening.or(base.opening),
        draw: changes.draw.or(base.draw),
        take: changes.take.or(base.take),
        wild_discard: changes.wild_discard.or(base.wild_discard),
        foot: changes.foot.or(base.foot),
        need: changes.need.or(base.need),
        partner: changes.partner.or(base.partner),
        permission: changes.permission.or(base.permission),
        last_discard: changes.last_discard.or(base.last_discard),
        stock_out: changes.stock_out.or(base.stock_out),
        out_bonus: changes.out_bonus.or(base.out_bonus),
        book_bonus: changes.book_bonus.or(base.book_bonus),
        unfinished_second: changes.unfinished_second.or(base.unfinished_second),
        length: changes.length.or(base.length),
        pack: changes.pack.or(base.pack),
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
