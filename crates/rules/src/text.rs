//! A rule file: TOML text that names a base and what is different, read whole and written back.
//!
//! **Invariant:** text in, plain data out; whether the rules can be played is not asked here.

mod choices;
mod node;
mod problem;
mod schema;

pub use choices::{Choice, Taken};
pub use problem::FileProblem;

use std::collections::BTreeMap;

use node::{Node, Problems, WrittenFields, clipped};
use schema::FileText;
use toml::{Table, Value};

use crate::limits::FILE_BYTES_MAX;
use crate::overrides::{Override, UnknownOverride, named, overridden};
use crate::preset::{Preset, Seating, SeatingError, seated};
use crate::{CardValues, RulesDraft};

/// The preset that a file without `base` starts from.
pub const BASE_DEFAULT: &str = "whitnack";

/// A rule file that could be read. Its rules may still be nonsense.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleFile {
    /// The preset it starts from, with its overrides each after a `+`.
    pub base: String,
    /// Its own id, if it gives one.
    pub id: Option<String>,
    /// Its title, if it gives one.
    pub title: Option<String>,
    /// Where the rules come from, if it says so.
    pub source: Option<String>,
    /// A paragraph for players, if it gives one.
    pub summary: Option<String>,
    /// Remarks on single values, by the dotted path of the field.
    pub notes: BTreeMap<String, String>,
    /// The tables it can be played at, at least one.
    pub seating: Vec<Seating>,
    /// Named changes that a table may choose, those of the base included.
    pub overrides: Vec<Override>,
    /// The base's parameters with the file's own in their place, for its usual table.
    pub rules: RulesDraft,
}

impl RuleFile {
    /// Reads a rule file. Tables are merged into those of the base field by field; lists, and values
    /// by round, take the place of the base's. `"none"` takes an optional value away.
    ///
    /// # Errors
    ///
    /// Every problem of the file; only text that is too long or no TOML is refused by itself.
    ///
    /// # Limits
    ///
    /// At most [`FILE_BYTES_MAX`] bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use handfoot_rules::RuleFile;
    ///
    /// let file = RuleFile::parse("[rules]\nout_bonus = 200\ntake = { count = 5 }").unwrap();
    /// assert_eq!(file.rules.out_bonus, 200);
    /// let problems = RuleFile::parse("[rules]\ntake.wild_top = \"sometimes\"").unwrap_err();
    /// assert_eq!(
    ///     problems[0].to_string(),
    ///     "take.wild_top: found \"sometimes\", expected one of barred, matching_pair",
    /// );
    /// ```
    pub fn parse(text: &str) -> Result<RuleFile, Vec<FileProblem>> {
        RuleFile::parse_on(text, Preset::all())
    }

    /// The parameters as far as a file with problems can be read: what cannot is as in its base, so
    /// that what else is wrong with the rules can be told in one go. None if nothing can be read.
    #[must_use]
    pub fn salvage(text: &str) -> Option<RulesDraft> {
        let value = Value::Table(table(text).ok()?);
        let base_id = value.get("base").and_then(Value::as_str).unwrap_or(BASE_DEFAULT);
        let bases = Preset::all();
        let base = named(base_id, bases).ok().or_else(|| bases.first().cloned());
        rules(value.get("rules")?.as_table()?, base.as_ref(), &mut Vec::new())
    }

    /// Reads a rule file whose base is one of these presets; without any, it must be complete.
    pub(crate) fn parse_on(text: &str, bases: &[Preset]) -> Result<RuleFile, Vec<FileProblem>> {
        let mut problems = Vec::new();
        let value = Value::Table(table(text).map_err(|problem| vec![problem])?);
        let file = FileText::read(&value, "", &mut problems);
        suggest_rules(&mut problems);
        let base_id = value.get("base").and_then(Value::as_str).unwrap_or(BASE_DEFAULT);
        // The first preset has none to build on.
        let base = match named(base_id, bases) {
            Ok(base) => Some(base),
            Err(_) if bases.is_empty() => None,
            Err(unknown) => {
                problems.push(FileProblem::UnknownBase(unknown));
                None
            }
        };
        let base = base.as_ref();
        // Whatever is wrong so far, the problems of the rules are told too.
        let rules = match value.get("rules") {
            Some(Value::Table(table)) => rules(table, base.or(bases.first()), &mut problems),
            Some(_) | None => base.map(|base| base.rules.clone()),
        };
        if let (Some(file), Some(rules)) = (&file, &rules) {
            file.overrides.check(rules, &mut problems);
        }
        match (file, rules) {
            (Some(file), Some(rules)) if problems.is_empty() => {
                finished(file, base_id.to_owned(), base, rules)
            }
            (Some(_) | None, _) => Err(problems),
        }
    }

    /// The file with some of its overrides carried out, in the order given.
    ///
    /// # Errors
    ///
    /// [`UnknownOverride`], which lists those it has.
    pub fn with(mut self, ids: &[&str]) -> Result<RuleFile, UnknownOverride> {
        let name = self.id.clone().unwrap_or_else(|| "the file".to_owned());
        for change in Override::choose(&self.overrides, &name, ids)? {
            self.notes.extend(change.notes.clone());
            overridden(&mut self.rules, change);
        }
        Ok(self)
    }

    /// The parameters for a table of so many seats in teams of such a size; where one is left open,
    /// the usual one.
    ///
    /// # Errors
    ///
    /// [`SeatingError`] if the file does not allow such a table.
    pub fn draft(
        &self,
        players: Option<u8>,
        team_size: Option<u8>,
    ) -> Result<RulesDraft, SeatingError> {
        seated(&self.rules, &self.seating, players, team_size)
    }
}

impl RulesDraft {
    /// These parameters with others in their place, written as below `[rules]` in a rule file and
    /// merged as there.
    ///
    /// # Errors
    ///
    /// Every problem of the text, as [`RuleFile::parse`] gives them.
    pub fn with(&self, text: &str) -> Result<RulesDraft, Vec<FileProblem>> {
        let table = table(text).map_err(|problem| vec![problem])?;
        let (mut changed, mut problems) = (self.clone(), Vec::new());
        put(&mut changed, &table, &mut problems);
        if problems.is_empty() { Ok(changed) } else { Err(problems) }
    }

    /// Writes the parameters as a rule file that gives every one of them, a line each, in the order
    /// of D.1. [`RuleFile::parse`] reads the same draft back.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::from("[rules]\n");
        for (name, value) in self.write_fields() {
            text.push_str(&format!("{name} = {value}\n"));
        }
        text
    }
}

/// Puts some parameters in the place of a draft's own.
pub(crate) fn merged(rules: &mut RulesDraft, table: &Table, at: &str, problems: &mut Problems) {
    rules.merge(&Value::Table(table.clone()), at, problems);
}

/// The text as a table.
fn table(text: &str) -> Result<Table, FileProblem> {
    if text.len() > FILE_BYTES_MAX {
        return Err(FileProblem::TooLong { bytes: text.len() });
    }
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        // The end of a text may be blamed, which is no character of it.
        let before = text.get(..start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        FileProblem::Malformed {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: error.message().lines().collect::<Vec<_>>().join("; "),
        }
    })
}

/// The base's parameters with those of the file in their place.
fn rules(table: &Table, base: Option<&Preset>, problems: &mut Problems) -> Option<RulesDraft> {
    let Some(base) = base else {
        return RulesDraft::read(&Value::Table(table.clone()), "", problems);
    };
    let mut rules = base.rules.clone();
    put(&mut rules, table, problems);
    Some(rules)
}

/// Puts parameters in the place of those that a draft has.
fn put(rules: &mut RulesDraft, table: &Table, problems: &mut Problems) {
    if table.contains_key("pack") && table.contains_key("card_value") {
        // Other cards have other names: the values from before would be values of nothing.
        rules.card_value = CardValues(BTreeMap::new());
    }
    rules.merge(&Value::Table(table.clone()), "", problems);
}

/// Settles which tables the file is for.
fn finished(
    file: FileText,
    base_id: String,
    base: Option<&Preset>,
    rules: RulesDraft,
) -> Result<RuleFile, Vec<FileProblem>> {
    let given = |name: &str| file.rules.0.contains_key(name);
    let players = given("players").then_some(rules.players);
    let team_size = given("team_size").then_some(rules.team_size);
    let (seating, rules) = match (file.seating, base) {
        (Some(seating), _) => {
            let players = players.or(seating.first().map(|row| row.players));
            let rules = seated(&rules, &seating, players, team_size);
            (seating, rules.map_err(|error| vec![FileProblem::Seating(error)])?)
        }
        (None, Some(base)) if players.is_none() && team_size.is_none() => {
            (base.seating.clone(), rules)
        }
        (None, base) => {
            // The file names its table; a team size left open is the usual one of the base.
            let usual = base
                .and_then(|base| seated(&base.rules, &base.seating, players, None).ok())
                .map(|usual| usual.team_size);
            let team_size = team_size.or(usual).unwrap_or(rules.team_size);
            let rules = RulesDraft { team_size, ..rules };
            let own = Seating { players: rules.players, team_sizes: vec![rules.team_size] };
            (vec![own], rules)
        }
    };
    let mut overrides = base.map(|base| base.overrides.clone()).unwrap_or_default();
    for own in file.overrides.0 {
        overrides.retain(|inherited| inherited.id != own.id);
        overrides.push(own);
    }
    Ok(RuleFile {
        base: base_id,
        id: file.id,
        title: file.title,
        source: file.source,
        summary: file.summary,
        notes: file.notes.0,
        seating,
        overrides,
        rules,
    })
}

/// A parameter that stands outside `[rules]` belongs in it.
fn suggest_rules(problems: &mut Problems) {
    for problem in problems {
        if let FileProblem::UnknownField { path, nearest } = problem
            && RulesDraft::FIELDS.contains(&path.as_str())
        {
            *nearest = Some(format!("rules.{}", clipped(path)));
        }
    }
}
