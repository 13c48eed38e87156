//! What it costs that servers tell of themselves: metrics, traces, and the counting of tables.
//!
//! **Invariant:** every round measures what servers tell least beside what they tell most, so that
//! whatever else the machine does falls on all.

mod census;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use self::census::{Census, census};
use crate::cli::{Setting, Telemetry, TelemetryArgs};
use crate::drive::Load;
use crate::measure::{Measured, Trial, measure};
use crate::out::{progress, say};
use crate::plan;
use crate::running::Running;
use crate::script::Script;
use crate::subject::{Moves, Subject, Watchers};
use crate::trouble::Trouble;

/// Actions in flight in a measurement as fast as it goes.
const IN_FLIGHT: usize = 64;

/// Tables of a measurement.
const TABLES: usize = 128;

/// Seconds for which a rate is held.
const RATE_SECONDS: u32 = 3;

/// What a cell is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    subject: Subject,
    is_at_a_rate: bool,
    told: Telemetry,
}

/// What a cell gave.
#[derive(Clone, Debug)]
struct Cost {
    measured: Measured,
    /// Spans that came to the collector.
    spans: u64,
}

/// Measures every cell, and the counting of tables, and prints both.
///
/// # Errors
///
/// What went wrong first.
pub(crate) async fn telemetry(args: &TelemetryArgs) -> Result<(), Trouble> {
    let setting = &args.setting;
    let scripts = plan::equally_long(&plan::scripts(setting)?, setting);
    let mut costs: BTreeMap<Cell, Vec<Cost>> = BTreeMap::new();
    for round in 1..=args.rounds {
        for &subject in &args.subjects {
            for told in Telemetry::ALL {
                let setting = Setting { telemetry: told, ..setting.clone() };
                for (cell, cost) in cells(args, subject, &setting, &scripts).await? {
                    let line = row(cell, std::slice::from_ref(&cost));
                    progress(&format!("round {round} of {}: {line}", args.rounds));
                    costs.entry(cell).or_default().push(cost);
                }
            }
        }
    }
    progress("counting tables");
    let census = census(setting, &scripts, args.tables).await?;
    match args.json {
        true => say(&json(&costs, &census)),
        false => tables(args, &costs, &census),
    }
}

/// Measures one server, as fast as it goes and at a rate.
async fn cells(
    args: &TelemetryArgs,
    subject: Subject,
    setting: &Setting,
    scripts: &[Arc<Script>],
) -> Result<Vec<(Cell, Cost)>, Trouble> {
    let mut running = Running::start(subject, setting).await?;
    let (n_tables, watchers, moves) = (TABLES, Watchers::Nobody, Moves::BySeat);
    let token = &plan::no_token();
    let trial = |load| Trial { scripts, n_tables, watchers, moves, load, token };
    let rate = Load::Rate {
        rate: f64::from(args.rate),
        n_actions: args.rate.saturating_mul(RATE_SECONDS),
    };
    let mut cells = Vec::new();
    measure(&mut running, trial(rate)).await?;
    for (is_at_a_rate, load) in [(false, Load::InFlight(IN_FLIGHT)), (true, rate)] {
        let before = running.site.spans();
        let measured = measure(&mut running, trial(load)).await?;
        let spans = running.site.spans() - before;
        let told = setting.telemetry;
        cells.push((Cell { subject, is_at_a_rate, told }, Cost { measured, spans }));
    }
    Ok(cells)
}

fn median(costs: &[Cost], value: impl Fn(&Cost) -> f64) -> f64 {
    let mut values: Vec<f64> = costs.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[expect(clippy::cast_precision_loss, reason = "there are millions at most")]
fn spans_an_action(cost: &Cost) -> f64 {
    cost.spans as f64 / cost.measured.n_actions.max(1) as f64
}

fn tables(
    args: &TelemetryArgs,
    costs: &BTreeMap<Cell, Vec<Cost>>,
    census: &Census,
) -> Result<(), Trouble> {
    say(&format!(
        "{IN_FLIGHT} actions in flight, or {} a second; nobody watches; medians of {} rounds\n",
        args.rate, args.rounds
    ))?;
    say("| Tables in | Load | Told | actions/s | p50 us | p99 us | server CPU us | Redis CPU us \
         | spans an action |")?;
    say("|---|---|---|---:|---:|---:|---:|---:|---:|")?;
    costs.iter().try_for_each(|(cell, costs)| say(&row(*cell, costs)))?;
    say(&format!("\n{}", census.text()))
}

fn row(cell: Cell, costs: &[Cost]) -> String {
    let Cell { subject, is_at_a_rate, told } = cell;
    format!(
        "| {subject} | {} | {} | {:.0} | {:.0} | {:.0} | {:.1} | {:.1} | {:.2} |",
        if is_at_a_rate { "at a rate" } else { "in flight" },
        told.name(),
        median(costs, |cost| cost.measured.actions_per_s),
        median(costs, |cost| cost.measured.p50_us),
        median(costs, |cost| cost.measured.p99_us),
        median(costs, |cost| cost.measured.server_cpu_us),
        median(costs, |cost| cost.measured.redis_cpu_us),
        median(costs, spans_an_action),
    )
}

fn json(costs: &BTreeMap<Cell, Vec<Cost>>, census: &Census) -> String {
    let cell = |(cell, costs): (&Cell, &Vec<Cost>)| {
        let round = |cost: &Cost| json!({ "measured": cost.measured, "spans": cost.spans });
        json!({
            "subject": cell.subject.name(),
            "is_at_a_rate": cell.is_at_a_rate,
            "told": cell.told.name(),
            "rounds": costs.iter().map(round).collect::<Vec<_>>(),
        })
    };
    json!({ "cells": costs.iter().map(cell).collect::<Vec<_>>(), "census": census }).to_string()
}
