//! The rule sets that come with the program, each a rule file of its own.
//!
//! **Invariant:** the files are read once; a preset is data, and no code asks which one it is.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::nearest::nearest;
use crate::overrides::{NameError, Override, UnknownOverride, named, overridden};
use crate::{RuleFile, RulesDraft};

/// The text of a preset's file.
macro_rules! preset_files {
    ($($id:literal,)+) => { [$(include_str!(concat!("../presets/", $id, ".toml"))),+] };
}

/// The files, each after the one it builds on; the first is complete.
const FILES: [&str; 19] = preset_files![
    "whitnack",
    "whitnack-2005",
    "foot-canasta",
    "favourite-500",
    "favourite-300",
    "saskatchewan",
    "simpson",
    "brouillette-low",
    "brouillette-high",
    "brouillette-partnership-low",
    "brouillette-partnership-high",
    "bga",
    "pennies-from-heaven",
    "demeritt",
    "rasa",
    "bicycle",
    "hand-n-foot-262",
    "remastered-teams",
    "vegas",
];

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let mut presets = Vec::new();
    for file in FILES {
        let preset = Preset::of(file, &presets);
        presets.push(preset);
    }
    presets
});

/// A named rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its id: small letters, digits and hyphens.
    pub id: String,
    /// Its name, for players.
    pub title: String,
    /// Where the rules come from.
    pub source: String,
    /// A paragraph on them, for players.
    pub summary: String,
    /// Why single values are as they are where that is a judgement, by the path of the field.
    pub notes: BTreeMap<String, String>,
    /// The tables it can be played at.
    pub seating: Vec<Seating>,
    /// Named changes that a table may choose, those of its base included.
    pub overrides: Vec<Override>,
    /// The parameters, for the usual table.
    pub(crate) rules: RulesDraft,
}

/// A number of players and the teams they may form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seating {
    /// Seats at the table.
    pub players: u8,
    /// Seats in a team, the usual size first.
    pub team_sizes: Vec<u8>,
}

/// A preset that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no preset {found:?}{}; there are {}", hint(nearest.as_deref()), ids.join(", "))]
pub struct UnknownPreset {
    /// The id asked for, at most 40 letters of it.
    pub found: String,
    /// The id that was probably meant.
    pub nearest: Option<String>,
    /// Every id there is.
    pub ids: Vec<String>,
}

/// A table that a rule set does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the values that each message names")]
pub enum SeatingError {
    /// Not for so many players.
    #[error("not for {players} players; allowed are {}", tables(allowed))]
    Players { players: u8, allowed: Vec<Seating> },
    /// Not in teams of this size.
    #[error("{players} players not in teams of {team_size}; allowed are {}", tables(allowed))]
    TeamSize { players: u8, team_size: u8, allowed: Vec<Seating> },
}

impl Preset {
    /// Every preset, the default one first.
    #[must_use]
    pub fn all() -> &'static [Preset] {
        &PRESETS
    }

    /// The preset with this id.
    ///
    /// # Errors
    ///
    /// [`UnknownPreset`], which lists those there are.
    pub fn find(id: &str) -> Result<&'static Preset, UnknownPreset> {
        let ids = || Preset::all().iter().map(|preset| preset.id.clone()).collect();
        Preset::all()
            .iter()
            .find(|preset| preset.id == id)
            .ok_or_else(|| UnknownPreset::new(id, ids()))
    }

    /// The rule set that a name stands for: a preset's id and, each after a `+`, ids of its
    /// overrides, as in `simpson+lifting`.
    ///
    /// # Errors
    ///
    /// [`NameError`], which lists the ids there are.
    pub fn named(name: &str) -> Result<Preset, NameError> {
        named(name, Preset::all())
    }

    /// The preset with some of its overrides carried out, in the order given.
    ///
    /// # Errors
    ///
    /// [`UnknownOverride`], which lists those it has.
    pub fn with(&self, ids: &[&str]) -> Result<Preset, UnknownOverride> {
        let chosen = Override::choose(&self.overrides, &self.id, ids)?;
        let mut preset = self.clone();
        for change in chosen {
            preset.id = format!("{}+{}", preset.id, change.id);
            preset.title = format!("{}, {}", preset.title, change.title_inside());
            preset.summary = format!("{} {}", preset.summary, change.summary);
            preset.notes.extend(change.notes.clone());
            overridden(&mut preset.rules, change);
        }
        Ok(preset)
    }

    /// The parameters for a table of so many seats in teams of such a size; where one is left open,
    /// the usual one.
    ///
    /// # Errors
    ///
    /// [`SeatingError`], which lists the tables there are.
    pub fn draft(
        &self,
        players: Option<u8>,
        team_size: Option<u8>,
    ) -> Result<RulesDraft, SeatingError> {
        seated(&self.rules, &self.seating, players, team_size)
    }

    fn of(text: &str, bases: &[Preset]) -> Preset {
        let file = RuleFile::parse_on(text, bases).expect("a preset's file can be read");
        let text = |field: Option<String>| field.expect("a preset's file has every text");
        Preset {
            id: text(file.id),
            title: text(file.title),
            source: text(file.source),
            summary: text(file.summary),
            notes: file.notes,
            seating: file.seating,
            overrides: file.overrides,
            rules: file.rules,
        }
    }
}

impl UnknownPreset {
    pub(crate) fn new(found: &str, ids: Vec<String>) -> UnknownPreset {
        let near = nearest(found, ids.iter().map(String::as_str)).map(str::to_owned);
        UnknownPreset { found: found.chars().take(40).collect(), nearest: near, ids }
    }
}

/// The parameters for a table, if it is one of those allowed.
pub(crate) fn seated(
    rules: &RulesDraft,
    allowed: &[Seating],
    players: Option<u8>,
    team_size: Option<u8>,
) -> Result<RulesDraft, SeatingError> {
    let players = players.unwrap_or(rules.players);
    let row = allowed.iter().find(|row| row.players == players);
    let row = row.ok_or_else(|| SeatingError::Players { players, allowed: allowed.to_vec() })?;
    let usual = Some(rules.team_size)
        .filter(|size| rules.players == players && row.team_sizes.contains(size))
        .or(row.team_sizes.first().copied());
    let team_size = team_size.or(usual).unwrap_or(rules.team_size);
    if !row.team_sizes.contains(&team_size) {
        let allowed = allowed.to_vec();
        return Err(SeatingError::TeamSize { players, team_size, allowed });
    }
    Ok(RulesDraft { players, team_size, ..rules.clone() })
}

pub(crate) fn hint(nearest: Option<&str>) -> String {
    nearest.map(|id| format!(", did you mean {id}?")).unwrap_or_default()
}

/// The tables there are, in words: `4 players in teams of 2 or 1`.
fn tables(allowed: &[Seating]) -> String {
    let row = |row: &Seating| {
        let sizes: Vec<String> = row.team_sizes.iter().map(u8::to_string).collect();
        format!("{} in teams of {}", row.players, sizes.join(" or "))
    };
    if allowed.is_empty() {
        return "none".to_owned();
    }
    allowed.iter().map(row).collect::<Vec<_>>().join(", ")
}
