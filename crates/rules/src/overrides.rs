//! Named changes of a rule set, and the names that choose them: `simpson+lifting`.
//!
//! **Invariant:** a change is data that has been read once; it changes no seats.

use std::collections::BTreeMap;

use crate::nearest::nearest;
use crate::preset::{Preset, UnknownPreset, hint};
use crate::{RulesDraft, text};

/// What stands between a preset's id and the ids of overrides.
const PLUS: char = '+';

/// A named change of a rule set's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Its id: small letters, digits and hyphens.
    pub id: String,
    /// Its name, for players.
    pub title: String,
    /// A sentence on what it changes, for players.
    pub summary: String,
    /// Why single values are as they are where that is a judgement, by the path of the field.
    pub notes: BTreeMap<String, String>,
    /// The parameters it replaces.
    pub(crate) changes: toml::Table,
}

/// An override that a rule set does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{of} has no override {found:?}{}; {}", hint(nearest.as_deref()), listed(ids))]
pub struct UnknownOverride {
    /// The rule set.
    pub of: String,
    /// The id asked for, at most 40 letters of it.
    pub found: String,
    /// The id that was probably meant.
    pub nearest: Option<String>,
    /// Every id there is.
    pub ids: Vec<String>,
}

/// A name that stands for no rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is no such preset.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// The preset has no such override.
    #[error(transparent)]
    Override(#[from] UnknownOverride),
}

impl Override {
    /// The overrides with these ids, each once, in the order given.
    pub(crate) fn choose<'a>(
        all: &'a [Override],
        of: &str,
        ids: &[&str],
    ) -> Result<Vec<&'a Override>, UnknownOverride> {
        let mut chosen: Vec<&Override> = Vec::new();
        for id in ids {
            let found = all.iter().find(|change| change.id == *id);
            let found = found.ok_or_else(|| UnknownOverride::new(of, id, all))?;
            if !chosen.contains(&found) {
                chosen.push(found);
            }
        }
        Ok(chosen)
    }

    /// Its title as it stands inside a sentence.
    pub(crate) fn title_inside(&self) -> String {
        let mut letters = self.title.chars();
        letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
    }
}

impl UnknownOverride {
    fn new(of: &str, found: &str, all: &[Override]) -> UnknownOverride {
        let near = nearest(found, all.iter().map(|change| change.id.as_str()));
        UnknownOverride {
            of: of.chars().take(40).collect(),
            found: found.chars().take(40).collect(),
            nearest: near.map(str::to_owned),
            ids: all.iter().map(|change| change.id.clone()).collect(),
        }
    }
}

/// The rule set that a name stands for, among these presets.
pub(crate) fn named(name: &str, presets: &[Preset]) -> Result<Preset, NameError> {
    let mut parts = name.split(PLUS);
    let id = parts.next().unwrap_or_default();
    let unknown = || {
        let ids = presets.iter().map(|preset| preset.id.clone()).collect();
        UnknownPreset::new(id, ids)
    };
    let preset = presets.iter().find(|preset| preset.id == id).ok_or_else(unknown)?;
    let ids: Vec<&str> = parts.collect();
    Ok(preset.with(&ids)?)
}

/// Carries a change out.
pub(crate) fn overridden(rules: &mut RulesDraft, change: &Override) {
    // It was read with the file it stands in, and what was wrong with it was told then.
    text::merged(rules, &change.changes, "", &mut Vec::new());
}

fn listed(ids: &[String]) -> String {
    match ids.is_empty() {
        true => "it has none".to_owned(),
        false => format!("there are {}", ids.join(", ")),
    }
}
