//! `handfoot rules check`: everything that is wrong with a rule file or odd about it.
//!
//! **Invariant:** a file is accepted if it can be played at one of its tables at least, and every
//! table is told.

use std::path::Path;

use handfoot_rules::limits::FILE_BYTES_MAX;
use handfoot_rules::{FileProblem, RuleFile, Rules, RulesProblem};
use serde::Serialize;

use crate::exit::{Exit, Failure, Stop};
use crate::names::counted;
use crate::out::Out;
use crate::setup;

#[derive(Serialize)]
struct Report {
    file: String,
    accepted: bool,
    /// The tables it can be played at, in the file's order.
    playable: Vec<Table>,
    /// The tables it cannot be played at.
    unplayable: Vec<Table>,
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
    /// The override that it is true with; none if it is true without any.
    #[serde(skip_serializing_if = "Option::is_none", rename = "override")]
    with: Option<String>,
    /// The tables of the file that it is true of; none if it is true of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<Table>,
}

/// Players at a table, in teams of this size.
#[derive(Clone, PartialEq, Serialize)]
struct Table {
    players: u8,
    team_size: u8,
}

/// Checks a file and prints what there is to say.
pub(super) fn run(path: &Path, json: bool) -> Result<Exit, Stop> {
    let mut out = Out::stdout();
    let file = path.display().to_string();
    let text = match setup::read_text(path, FILE_BYTES_MAX) {
        Err(Stop::Failed(failure)) if json => {
            let exit = failure.exit;
            out.json(&unreadable(file, failure))?;
            return Ok(exit);
        }
        read => read?,
    };
    let report = match RuleFile::parse(&text) {
        Ok(rules) => remarks(file, &rules),
        Err(problems) => {
            let rest = RuleFile::salvage(&text).map(|draft| Rules::check(&draft).problems);
            let rest = rest.into_iter().flatten().map(|problem| of_rules(&problem));
            let problems = problems.iter().map(of_file).chain(rest).collect();
            Report { problems, ..nothing(file) }
        }
    };
    match json {
        true => out.json(&report)?,
        false => print(&mut out, &report)?,
    }
    Ok(match report.accepted {
        true => Exit::Ok,
        false => Exit::BadInput,
    })
}

/// What there is to say of a file before anything is known.
fn nothing(file: String) -> Report {
    let (playable, unplayable) = (Vec::new(), Vec::new());
    let (problems, warnings) = (Vec::new(), Vec::new());
    Report { file, accepted: false, playable, unplayable, problems, warnings }
}

fn unreadable(file: String, failure: Failure) -> Report {
    let remark = Remark {
        field: None,
        reason: "FILE_UNREADABLE",
        message: failure.what,
        with: None,
        tables: Vec::new(),
    };
    Report { problems: vec![remark], ..nothing(file) }
}

fn of_file(problem: &FileProblem) -> Remark {
    Remark {
        field: problem.path().map(str::to_owned),
        reason: problem.reason(),
        message: problem.to_string(),
        with: None,
        tables: Vec::new(),
    }
}

fn of_rules(problem: &RulesProblem) -> Remark {
    Remark {
        field: Some(problem.at.to_string()),
        reason: problem.reason(),
        message: problem.to_string(),
        with: None,
        tables: Vec::new(),
    }
}

/// What is wrong and what is odd at the tables that the file is for, and with its overrides.
fn remarks(file: String, rules: &RuleFile) -> Report {
    let mut report = nothing(file);
    let rows = rules.seating.iter();
    let tables: Vec<Table> = rows
        .flat_map(|row| {
            let players = row.players;
            row.team_sizes.iter().map(move |size| Table { players, team_size: *size })
        })
        .collect();
    for table in &tables {
        match note_all(&mut report, rules, None, table) {
            Playable::Yes => report.playable.push(table.clone()),
            Playable::No => report.unplayable.push(table.clone()),
        }
    }
    for change in &rules.overrides {
        let Ok(changed) = rules.clone().with(&[&change.id]) else { continue };
        for table in report.playable.clone() {
            let _told = note_all(&mut report, &changed, Some(&change.id), &table);
        }
    }
    for remark in report.problems.iter_mut().chain(&mut report.warnings) {
        if remark.tables.len() == tables.len() {
            remark.tables.clear();
        }
    }
    report.accepted = !report.playable.is_empty();
    report
}

/// Whether a table can be played at.
enum Playable {
    Yes,
    No,
}

/// Notes what is wrong and what is odd at one table.
fn note_all(
    report: &mut Report,
    rules: &RuleFile,
    with: Option<&String>,
    table: &Table,
) -> Playable {
    let draft = rules.draft(Some(table.players), Some(table.team_size));
    let Ok(draft) = draft else { return Playable::No };
    let checked = Rules::check(&draft);
    let playable = match checked.problems.is_empty() {
        true => Playable::Yes,
        false => Playable::No,
    };
    for problem in checked.problems {
        note(&mut report.problems, Remark { with: with.cloned(), ..of_rules(&problem) }, table);
    }
    for warning in checked.warnings {
        let remark = Remark {
            field: Some(warning.at.to_string()),
            reason: warning.reason(),
            message: warning.to_string(),
            with: with.cloned(),
            tables: Vec::new(),
        };
        note(&mut report.warnings, remark, table);
    }
    playable
}

/// Adds a remark, or the table to one that was made before. What is so without an override is not
/// told again for one.
fn note(remarks: &mut Vec<Remark>, new: Remark, table: &Table) {
    let same = |remark: &&mut Remark| {
        remark.message == new.message && (remark.with == new.with || remark.with.is_none())
    };
    match remarks.iter_mut().find(same) {
        Some(remark) if remark.tables.contains(table) => {}
        Some(remark) if remark.with == new.with => remark.tables.push(table.clone()),
        Some(_) | None => remarks.push(Remark { tables: vec![table.clone()], ..new }),
    }
}

fn print(out: &mut Out, report: &Report) -> Result<(), Stop> {
    for (word, remarks) in [("problem", &report.problems), ("warning", &report.warnings)] {
        for remark in remarks {
            let with = remark.with.iter().map(|id| format!("with {id}: "));
            let with: String = with.collect();
            let only = match remark.tables.is_empty() {
                true => String::new(),
                false => format!("  (players: {})", listed(&remark.tables)),
            };
            out.line(format!("{word}: {with}{}{only}", remark.message))?;
        }
    }
    let counts = format!(
        "{}, {}",
        counted(report.problems.len(), "problem"),
        counted(report.warnings.len(), "warning")
    );
    let file = &report.file;
    match (report.accepted, report.unplayable.is_empty()) {
        (false, _) => out.line(format!("{file} cannot be played: {counts}")),
        (true, true) => out.line(format!("{file} can be played ({counts})")),
        (true, false) => {
            out.line(format!("{file} can be played at some of its tables ({counts})"))?;
            out.line(format!("  players: {}", listed(&report.playable)))?;
            out.line(format!("  but not: {}", listed(&report.unplayable)))
        }
    }
}

fn listed(tables: &[Table]) -> String {
    let table = |table: &Table| format!("{} in teams of {}", table.players, table.team_size);
    tables.iter().map(table).collect::<Vec<_>>().join(", ")
}
