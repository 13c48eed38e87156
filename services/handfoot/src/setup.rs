//! From the words of the command line to rules, bots and seeds that exist.
//!
//! **Invariant:** every refusal says what is wrong and which values there are.

use std::path::Path;
use std::sync::Arc;

use handfoot_bots::Level;
use handfoot_rules::limits::FILE_BYTES_MAX;
use handfoot_rules::{
    NameError, Preset, RuleFile, Rules, RulesDraft, RulesWarning, Seating, SeatingError,
};

use crate::cli::RulesChoice;
use crate::exit::{Exit, Stop, failed};

/// A rule set by the name that was given for it.
pub(crate) struct NamedRules {
    /// A preset's id, or a file's path.
    pub(crate) name: String,
    /// Its title, or the file's path again.
    pub(crate) title: String,
    /// The rules for the table asked for.
    pub(crate) rules: Arc<Rules>,
    /// What is odd about them.
    pub(crate) warnings: Vec<RulesWarning>,
}

/// Rules as they were found, before a table is chosen.
pub(crate) enum Found {
    /// A preset, with the overrides that were named.
    Preset(Box<Preset>),
    /// A rule file, with the overrides that were named.
    File(Box<RuleFile>),
}

impl Found {
    /// Looks a rule set up among the presets, then among the files. Overrides follow its name,
    /// each after a `+`.
    pub(crate) fn by_name(name: &str) -> Result<Found, Stop> {
        let (path, ids) = path_and_overrides(name);
        let looks_like_path = path.contains(['/', '\\']) || path.ends_with(".toml");
        if !looks_like_path || Preset::find(path).is_ok() {
            match Preset::named(name) {
                Ok(preset) => return Ok(Found::Preset(Box::new(preset))),
                Err(NameError::Preset(_)) if Path::new(path).exists() => {}
                Err(unknown) => {
                    let next = match unknown {
                        NameError::Preset(_) => "handfoot rules list, or the path of a rule file",
                        NameError::Override(_) => "handfoot rules list",
                    };
                    return Err(failed(Exit::Usage, unknown.to_string(), next));
                }
            }
        }
        let text = read_text(Path::new(path), FILE_BYTES_MAX)?;
        let file = RuleFile::parse(&text).map_err(|problems| refused(path, &problems))?;
        let file = file.with(&ids).map_err(|unknown| {
            failed(Exit::Usage, unknown.to_string(), format!("handfoot rules show {path}"))
        })?;
        Ok(Found::File(Box::new(file)))
    }

    /// The parameters for a table of so many seats, in teams of so many.
    pub(crate) fn draft(
        &self,
        players: Option<u8>,
        team_size: Option<u8>,
    ) -> Result<RulesDraft, SeatingError> {
        match self {
            Found::Preset(preset) => preset.draft(players, team_size),
            Found::File(file) => file.draft(players, team_size),
        }
    }

    /// The tables that the rules allow.
    pub(crate) fn seating(&self) -> &[Seating] {
        match self {
            Found::Preset(preset) => &preset.seating,
            Found::File(file) => &file.seating,
        }
    }
}

/// The path of a rule file and what stands behind it; a file may have a `+` in its own name.
fn path_and_overrides(name: &str) -> (&str, Vec<&str>) {
    match name.split_once('+') {
        Some((path, ids)) if !Path::new(name).exists() => (path, ids.split('+').collect()),
        Some(_) | None => (name, Vec::new()),
    }
}

/// The rules that were asked for.
pub(crate) fn rules(choice: &RulesChoice) -> Result<NamedRules, Stop> {
    let found = Found::by_name(&choice.rules)?;
    rules_at(&found, &choice.rules, choice.players, choice.team_size)
}

/// The rules for one table, the usual one where nothing is said.
pub(crate) fn rules_at(
    found: &Found,
    name: &str,
    players: Option<u8>,
    team_size: Option<u8>,
) -> Result<NamedRules, Stop> {
    let draft = found.draft(players, team_size).map_err(|error| seating(name, &error))?;
    let validated = Rules::new(draft).map_err(|problems| refused(name, &problems))?;
    let title = match found {
        Found::Preset(preset) => Some(preset.title.clone()),
        Found::File(file) => file.title.clone(),
    };
    Ok(NamedRules {
        name: name.to_owned(),
        title: title.unwrap_or_else(|| name.to_owned()),
        rules: Arc::new(validated.rules),
        warnings: validated.warnings,
    })
}

/// A table that the rules do not allow.
pub(crate) fn seating(name: &str, error: &SeatingError) -> Stop {
    let next = match error {
        SeatingError::Players { .. } => "another number after --players",
        SeatingError::TeamSize { .. } => "another number after --team-size",
    };
    failed(Exit::Usage, format!("{name} is {error}"), next)
}

/// A rule file with problems: the first one is told, `rules check` tells all.
pub(crate) fn refused<P: std::fmt::Display>(name: &str, problems: &[P]) -> Stop {
    let first = problems.first().map(P::to_string).unwrap_or_default();
    let more = match problems.len().saturating_sub(1) {
        0 => String::new(),
        1 => " (and 1 more problem)".to_owned(),
        more => format!(" (and {more} more problems)"),
    };
    let next = match Preset::named(name) {
        Ok(_) => "another preset: handfoot rules list".to_owned(),
        Err(_) => format!("handfoot rules check {}", path_and_overrides(name).0),
    };
    failed(Exit::BadInput, format!("{name} cannot be played: {first}{more}"), next)
}

/// A text file, if it is there, is text, and is not absurdly large.
pub(crate) fn read_text(path: &Path, bytes_max: usize) -> Result<String, Stop> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        failed(
            Exit::NoInput,
            format!("{shown} cannot be read: {error}"),
            "the path of a file that exists and may be read",
        )
    };
    let mut bytes = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let file = std::fs::File::open(path).map_err(unreadable)?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, limit), &mut bytes)
        .map_err(unreadable)?;
    if bytes.len() > bytes_max {
        let what = format!("{shown} is too long: more than {bytes_max} bytes");
        return Err(failed(Exit::BadInput, what, "another file: this one is none of ours"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let what = format!("{shown} is no text: byte {at} is not UTF-8");
        failed(Exit::BadInput, what, "another file: this one is none of ours")
    })
}

/// The level of each seat: one for all, or one a seat.
pub(crate) fn levels(text: &str, rules: &Rules) -> Result<Vec<Level>, Stop> {
    levels_of(text, rules.seats())
}

/// The level of each of so many seats: one for all, or one a seat.
pub(crate) fn levels_of(text: &str, seats: usize) -> Result<Vec<Level>, Stop> {
    let parsed: Result<Vec<Level>, Stop> = text.split(',').map(level).collect();
    match parsed?.as_slice() {
        [one] => Ok(vec![*one; seats]),
        each if each.len() == seats => Ok(each.to_vec()),
        each => Err(failed(
            Exit::Usage,
            format!("--bots names {} levels for {seats} seats", each.len()),
            format!("one level for all seats, or {seats} with commas between them"),
        )),
    }
}

/// The level of this name.
pub(crate) fn level(name: &str) -> Result<Level, Stop> {
    name.trim().parse().map_err(|unknown: handfoot_bots::UnknownLevel| {
        let names = Level::ALL.map(Level::name);
        failed(Exit::Usage, unknown.to_string(), format!("one of {}", names.join(", ")))
    })
}

/// A seed from the operating system, short enough to be typed again and exact in any JSON reader.
pub(crate) fn random_seed() -> Result<u64, Stop> {
    getrandom::u32().map(u64::from).map_err(|error| {
        let what = format!("the operating system gives no randomness: {error}");
        failed(Exit::Internal, what, "a seed of your own: --seed 1")
    })
}
