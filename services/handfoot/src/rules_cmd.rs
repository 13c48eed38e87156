//! `handfoot rules`: which rule sets there are and what they say.
//!
//! **Invariant:** what `show` prints, `check` accepts.

mod check;
mod explain;

use std::collections::BTreeMap;

use handfoot_rules::{Override, Preset, RulesDraft, Seating};
use serde::Serialize;

use crate::cli::RulesCommand;
use crate::exit::{Exit, Stop};
use crate::out::Out;
use crate::setup::{self, Found};

/// The width that comments and summaries are wrapped to.
const TEXT_WIDTH: usize = 96;

/// Lists, shows, explains or checks.
pub(crate) fn run(command: &RulesCommand) -> Result<Exit, Stop> {
    match command {
        RulesCommand::List { json } => list(*json),
        RulesCommand::Show { rules, players, json } => show(rules, *players, *json),
        RulesCommand::Explain { rules, players, section, json } => {
            explain::run(rules, *players, section.as_deref(), *json)
        }
        RulesCommand::Check { file, json } => check::run(file, *json),
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
    /// Named changes; the name of the rule set, a plus and the id choose one.
    overrides: Vec<OverrideReport<'a>>,
}

#[derive(Serialize)]
struct OverrideReport<'a> {
    id: &'a str,
    title: &'a str,
    summary: &'a str,
    notes: &'a BTreeMap<String, String>,
}

impl OverrideReport<'_> {
    fn all(overrides: &[Override]) -> Vec<OverrideReport<'_>> {
        overrides.iter().map(OverrideReport::of).collect()
    }

    fn of(change: &Override) -> OverrideReport<'_> {
        let Override { id, title, summary, notes, .. } = change;
        OverrideReport { id, title, summary, notes }
    }
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
            overrides: OverrideReport::all(&preset.overrides),
        };
        out.json(&Preset::all().iter().map(report).collect::<Vec<_>>())?;
        return Ok(Exit::Ok);
    }
    for preset in Preset::all() {
        out.headline(&format!("{:<28}  {}", preset.id, preset.title))?;
        for line in wrapped(&preset.summary, TEXT_WIDTH - 4) {
            out.line(format!("    {line}"))?;
        }
        let rows = preset.seating.iter().map(|row| {
            let sizes: Vec<String> = row.team_sizes.iter().map(|size| team_text(*size)).collect();
            format!("{} ({})", row.players, sizes.join(" or "))
        });
        let rows: Vec<String> = rows.collect();
        out.line(format!("    Players: {}", rows.join(", ")))?;
        for change in &preset.overrides {
            let name = format!("{}+{}", preset.id, change.id);
            out.line(format!("    {name}: {}", change.title))?;
        }
        out.line("")?;
    }
    out.line("All parameters of one: handfoot rules show ID")?;
    out.line("In plain language:     handfoot rules explain ID")?;
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
    overrides: &'a [Override],
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
                overrides: &preset.overrides,
            },
            Found::File(file) => Texts {
                id: file.id.as_deref(),
                title: file.title.as_deref(),
                source: file.source.as_deref(),
                summary: file.summary.as_deref(),
                notes: &file.notes,
                seating: &file.seating,
                overrides: &file.overrides,
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
    /// Named changes; the name of the rule set, a plus and the id choose one.
    overrides: Vec<OverrideReport<'a>>,
    /// Every parameter, for the table asked for.
    rules: &'a RulesDraft,
}

fn show(name: &str, players: Option<u8>, json: bool) -> Result<Exit, Stop> {
    let found = Found::by_name(name)?;
    let draft = found.draft(players, None).map_err(|error| setup::seating(name, &error))?;
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
            overrides: OverrideReport::all(texts.overrides),
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
    for change in texts.overrides {
        let name = format!("{}+{}", name.split('+').next().unwrap_or_default(), change.id);
        comment(&mut out, &format!("With {name}: {}", change.summary))?;
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
