//! `handfoot simulate --every-table`: the same games at every table that rules allow, a line each.
//!
//! **Invariant:** plays nothing itself; a table's line is what simulating it alone would print.

use handfoot_bots::Level;
use handfoot_rules::Preset;
use serde::Serialize;

use super::{rounded, simulate};
use crate::cli::SimulateArgs;
use crate::exit::{Exit, Stop};
use crate::names::thousands;
use crate::out::Out;
use crate::setup::{self, Found};
use crate::tally::TallyReport;

/// The name that stands for every preset.
const ALL: &str = "all";

/// What `--every-table --json` prints.
#[derive(Debug, Serialize)]
struct SurveyReport {
    tables: Vec<TallyReport>,
}

/// Plays at every table and prints a line for each as soon as it is done.
pub(super) fn run(args: &SimulateArgs, level: Level, out: &mut Out) -> Result<Exit, Stop> {
    let names = names(&args.table.rules);
    let found: Vec<Found> =
        names.iter().map(|name| Found::by_name(name)).collect::<Result<_, _>>()?;
    let mut wanted = Vec::new();
    for (name, found) in names.iter().zip(&found) {
        for seating in found.seating() {
            for team_size in &seating.team_sizes {
                let players = Some(seating.players);
                let named = setup::rules_at(found, name, players, Some(*team_size))?;
                // Whatever a table does not have is told before the first game.
                args.options.first_dealer(&named.rules)?;
                wanted.push((named, *team_size));
            }
        }
    }
    if !args.json {
        headline(out, args, level)?;
    }
    let mut tables = Vec::new();
    for (named, team_size) in &wanted {
        let report = simulate(named, level, args)?;
        if !args.json {
            line(out, &report, *team_size)?;
        }
        tables.push(report);
    }
    match args.json {
        true => out.json(&SurveyReport { tables })?,
        false => out.line(format!("tables: {}; every game played to its end", tables.len()))?,
    }
    Ok(Exit::Ok)
}

fn names(rules: &str) -> Vec<String> {
    match rules {
        ALL => Preset::all().iter().map(|preset| preset.id.clone()).collect(),
        one => vec![one.to_owned()],
    }
}

fn headline(out: &mut Out, args: &SimulateArgs, level: Level) -> Result<(), Stop> {
    out.headline(&format!(
        "{} games at every table, policy {}, seed {}, laws {}",
        args.games,
        level.name(),
        args.seed,
        args.laws
    ))?;
    out.line(format!(
        "  {:<30}{:>7}{:>6}{:>10}{:>12}{:>13}{:>15}",
        "rules", "players", "team", "rounds", "decisions", "went out", "turns a round"
    ))
}

fn line(out: &mut Out, report: &TallyReport, team_size: u8) -> Result<(), Stop> {
    let whole = |number: u64| thousands(i64::try_from(number).unwrap_or(i64::MAX));
    out.line(format!(
        "  {:<30}{:>7}{:>6}{:>10}{:>12}{:>11} %{:>15}",
        report.rules.name,
        report.rules.players,
        team_size,
        whole(report.rounds),
        whole(report.decisions),
        rounded(report.went_out_share * 100.0),
        rounded(report.turns_per_round),
    ))
}
