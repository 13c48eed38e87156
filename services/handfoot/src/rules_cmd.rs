//! `handfoot rules`: which rule sets there are, what they say, and what is wrong with one.
//!
//! **Invariant:** what `show` prints, `check` accepts.

use std::collections::BTreeMap;
use std::path::Path;

use handfoot_rules::limits::FILE_BYTES_MAX;
use handfoot_rules::{FileProblem, Preset, RuleFile, Rules, RulesDraft, RulesProblem, Seating};
use serde::Serialize;

use crate::cli::RulesCommand;
use crate::exit::{Exit, Stop};
use crate::names::counted;
use crate::out::Out;
use crate::setup::{self, Found};

/// The width that comments and summaries are wrapped to.
const TEXT_WIDTH: usize = 96;

/// Lists, shows or checks.
pub(crate) fn run(command: &RulesCommand) -> Result<Exit, Stop> {
    match command {
        RulesCommand::List { json } => list(*json),
        RulesCommand::Show { rules, players, json } => show(rules, *players, *json),
        RulesCommand::Check { file, json } => check(file, *json),
    }
}

#[derive(Serialize)]
struct SeatingReport {
    players: u8,
    team_sizes: Vec<u8>,
}

impl SeatingReport {
    fn all(seating: &[Seating]) -> Vec<SeatingReport> {
        let row = |row: &Seating| SeatingReport {
            players: row.players,
            team_sizes: row.team_sizes.clone(),
        };
        seating.iter().map(row).collect()
    }
}

#[derive(Serialize)]
struct PresetReport<'a> {
    id: &'a str,
    title: &'a str,
    source: &'a str,
    summary: &'a str,
    /// The usual table first.
    seating: Vec<SeatingReport>,
}

fn list(json: bool) -> Result<Exit, Stop> {
    let mut out = Out::stdout();
    if json {
        let report = |preset: &'static Preset| PresetReport {
            id: &preset.id,
            title: &preset.title,
            source: &preset.source,
            summary: &preset.summary,
            seating: SeatingReport::all(&preset.seating),
        };
        out.json(&Preset::all().iter().map(report).collect::<Vec<_>>())?;
        return Ok(Exit::Ok);
    }
    for preset in Preset::all() {
        out.headline(&format!("{:<16}{}", preset.id, preset.title))?;
        for line in wrapped(&preset.summary, TEXT_WIDTH - 4) {
            out.line(format!("    {line}"))?;
        }
        let rows = preset.seating.iter().map(|row| {
            let sizes: Vec<String> = row.team_sizes.iter().map(|size| team_text(*size)).collect();
            format!("{} ({})", row.players, sizes.join(" or "))
        });
        let rows: Vec<String> = rows.collect();
        out.line(format!("    Players: {}", rows.join(", ")))?;
        out.line("")?;
    }
    out.line("All parameters of one: handfoot rules show ID")?;
    Ok(Exit::Ok)
}

fn team_text(size: u8) -> String {
    match size {
        1 => "each alone".to_owned(),
        2 => "in pairs".to_owned(),
        size => format!("in teams of {size}"),
    }
}

/// A rule set's own texts.
struct Texts<'a> {
    id: Option<&'a str>,
    title: Option<&'a str>,
    source: Option<&'a str>,
    summary: Option<&'a str>,
    notes: &'a BTreeMap<String, String>,
    seating: &'a [Seating],
}

impl Texts<'_> {
    fn of(found: &Found) -> Texts<'_> {
        match found {
            Found::Preset(preset) => Texts {
                id: Some(&preset.id),
                title: Some(&preset.title),
                source: Some(&preset.source),
                summary: Some(&preset.summary),
                notes: &preset.notes,
                seating: &preset.seating,
            },
            Found::File(file) => Texts {
                id: file.id.as_deref(),
                title: file.title.as_deref(),
                source: file.source.as_deref(),
                summary: file.summary.as_deref(),
                notes: &file.notes,
                seating: &file.seating,
            },
        }
    }
}

#[derive(Serialize)]
struct ShowReport<'a> {
    id: Option<&'a str>,
    title: Option<&'a str>,
    source: Option<&'a str>,
    summary: Option<&'a str>,
    /// The tables it can be played at, the usual one first.
    seating: Vec<SeatingReport>,
    /// Remarks on single values, by the path of the field.
    notes: &'a BTreeMap<String, String>,
    /// Every parameter, for the table asked for.
    rules: &'a RulesDraft,
}

fn show(name: &str, players: Option<u8>, json: bool) -> Result<Exit, Stop> {
    let found = Found::by_name(name)?;
    let draft = found.draft(players).map_err(|error| setup::seating(name, &error))?;
    let texts = Texts::of(&found);
    let mut out = Out::stdout();
    if json {
        out.json(&ShowReport {
            id: texts.id,
            title: texts.title,
            source: texts.source,
            summary: texts.summary,
            seating: SeatingReport::all(texts.seating),
            notes: texts.notes,
            rules: &draft,
        })?;
        return Ok(Exit::Ok);
    }
    for text in [texts.title, texts.source, texts.summary].into_iter().flatten() {
        for line in wrapped(text, TEXT_WIDTH - 2) {
            out.line(format!("# {line}"))?;
        }
    }
    let table = format!("for {} players in teams of {}", draft.players, draft.team_size);
    out.line(format!("# Every parameter, {table}."))?;
    out.line("")?;
    let mut notes: Vec<(&String, &String)> = texts.notes.iter().collect();
    for line in draft.to_toml().lines() {
        let field = line.split('=').next().unwrap_or_default().trim();
        // A note stands before its field, or before the field that it is a part of.
        let is_here = |path: &str| {
            path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let (here, later) = notes.into_iter().partition(|(path, _)| is_here(path));
        notes = later;
        for (_, note) in here {
            comment(&mut out, note)?;
        }
        out.line(line)?;
    }
    for (path, note) in notes {
        comment(&mut out, &format!("{path}: {note}"))?;
    }
    Ok(Exit::Ok)
}

fn comment(out: &mut Out, text: &str) -> Result<(), Stop> {
    wrapped(text, TEXT_WIDTH - 2).iter().try_for_each(|line| out.line(format!("# {line}")))
}

/// Breaks text into lines at its spaces.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { continue };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[derive(Serialize)]
struct CheckReport {
    file: String,
    accepted: bool,
    problems: Vec<Remark>,
    warnings: Vec<Remark>,
}

/// A problem or a warning.
#[derive(PartialEq, Serialize)]
struct Remark {
    /// The path of the field; none if the file as a whole is meant.
    field: Option<String>,
    /// Its stable name.
    reason: &'static str,
    message: String,
    /// The tables of the file that it is true of; none if it is true of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<TableReport>,
}

/// Players at a table, in teams of this size.
#[derive(Clone, PartialEq, Serialize)]
struct TableReport {
    players: u8,
    team_size: u8,
}

fn check(path: &Path, json: bool) -> Result<Exit, Stop> {
    let text = setup::read_text(path, FILE_BYTES_MAX)?;
    let (problems, warnings) = match RuleFile::parse(&text) {
        Ok(file) => remarks(&file),
        Err(problems) => {
            let rest = RuleFile::salvage(&text).map(|draft| Rules::check(&draft).problems);
            let rest = rest.into_iter().flatten().map(|problem| of_rules(&problem));
            (problems.iter().map(of_file).chain(rest).collect(), Vec::new())
        }
    };
    let file = path.display().to_string();
    let accepted = problems.is_empty();
    let report = CheckReport { file, accepted, problems, warnings };
    let mut out = Out::stdout();
    match json {
        true => out.json(&report)?,
        false => print(&mut out, &report)?,
    }
    Ok(match accepted {
        true => Exit::Ok,
        false => Exit::BadInput,
    })
}

fn of_file(problem: &FileProblem) -> Remark {
    Remark {
        field: problem.path().map(str::to_owned),
        reason: problem.reason(),
        message: problem.to_string(),
        tables: Vec::new(),
    }
}

fn of_rules(problem: &RulesProblem) -> Remark {
    Remark {
        field: Some(problem.at.to_string()),
        reason: problem.reason(),
        message: problem.to_string(),
        tables: Vec::new(),
    }
}

/// What is wrong and what is odd at the tables that the file is for.
fn remarks(file: &RuleFile) -> (Vec<Remark>, Vec<Remark>) {
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    let rows = file.seating.iter();
    let tables: Vec<TableReport> = rows
        .flat_map(|row| {
            let players = row.players;
            row.team_sizes.iter().map(move |size| TableReport { players, team_size: *size })
        })
        .collect();
    for table in &tables {
        let Ok(draft) = file.draft(Some(table.players), Some(table.team_size)) else { continue };
        let checked = Rules::check(&draft);
        for problem in checked.problems {
            let (field, reason) = (problem.at.to_string(), problem.reason());
            note(&mut problems, field, reason, problem.to_string(), table);
        }
        for warning in checked.warnings {
            let (field, reason) = (warning.at.to_string(), warning.reason());
            note(&mut warnings, field, reason, warning.to_string(), table);
        }
    }
    for remark in problems.iter_mut().chain(&mut warnings) {
        if remark.tables.len() == tables.len() {
            remark.tables.clear();
        }
    }
    (problems, warnings)
}

/// Adds a remark, or the table to one that was made before.
fn note(
    remarks: &mut Vec<Remark>,
    field: String,
    reason: &'static str,
    message: String,
    table: &TableReport,
) {
    match remarks.iter_mut().find(|remark| remark.message == message) {
        Some(remark) => remark.tables.push(table.clone()),
        None => {
            let tables = vec![table.clone()];
            remarks.push(Remark { field: Some(field), reason, message, tables });
        }
    }
}

fn print(out: &mut Out, report: &CheckReport) -> Result<(), Stop> {
    for (word, remarks) in [("problem", &report.problems), ("warning", &report.warnings)] {
        for remark in remarks {
            let tables: Vec<String> = remark
                .tables
                .iter()
                .map(|table| format!("{} in teams of {}", table.players, table.team_size))
                .collect();
            let only = match tables.is_empty() {
                true => String::new(),
                false => format!("  (players: {})", tables.join(", ")),
            };
            out.line(format!("{word}: {}{only}", remark.message))?;
        }
    }
    let counts = format!(
        "{}, {}",
        counted(report.problems.len(), "problem"),
        counted(report.warnings.len(), "warning")
    );
    match report.accepted {
        true => out.line(format!("{} can be played ({counts})", report.file)),
        false => out.line(format!("{} cannot be played: {counts}", report.file)),
    }
}
