//! CPU of an action, by how many servers share the tables and by how many tables there are.
//!
//! **Invariant:** the rate is far below what the machine can do. Where it is each server's, no cell
//! is better or worse for the size of its batches. Tables stay with no server.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use crate::calls::table_calls;
use crate::cli::ScaleArgs;
use crate::drive::Load;
use crate::measure::{Measured, measure_tables};
use crate::out::{progress, say};
use crate::plan;
use crate::running::Running;
use crate::script::Script;
use crate::subject::{Moves, Subject, Watchers};
use crate::table::Table;
use crate::trouble::Trouble;

/// Tables that are met by all servers before anything is measured, at once.
const WARM_UP_AT_ONCE: usize = 16;

/// What a cell is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    n_tables: usize,
    moves: Moves,
    n_servers: usize,
}

/// What a cell gave.
#[derive(Clone, Debug)]
struct Cost {
    measured: Measured,
    /// Calls of Redis for an action.
    calls: f64,
}

/// Measures every cell and prints a table.
///
/// # Errors
///
/// What went wrong first.
pub(crate) async fn scale(args: &ScaleArgs) -> Result<(), Trouble> {
    let setting = &args.setting;
    let scripts = plan::equally_long(&plan::scripts(setting)?, setting);
    let mut costs: BTreeMap<Cell, Vec<Cost>> = BTreeMap::new();
    for round in 1..=args.rounds {
        for &n_servers in &args.servers {
            for &n_tables in &args.tables {
                for moves in ways(n_servers) {
                    let cell = Cell { n_tables, moves, n_servers };
                    let cost = measure(args, &scripts, cell).await?;
                    progress(&format!("round {round} of {}: {}", args.rounds, line(cell, &cost)));
                    costs.entry(cell).or_default().push(cost);
                }
            }
        }
    }
    match args.json {
        true => say(&json(args, &costs)),
        false => tables(args, &costs),
    }
}

/// How tables move; with one server there is only one way.
fn ways(n_servers: usize) -> impl Iterator<Item = Moves> {
    Moves::ALL.into_iter().take(if n_servers == 1 { 1 } else { Moves::ALL.len() })
}

/// Opens tables, plays one action at each, has every server meet every seat, and then plays so many
/// a second, table by table. What a server does once for a table and a token is not counted.
async fn measure(args: &ScaleArgs, scripts: &[Arc<Script>], cell: Cell) -> Result<Cost, Trouble> {
    let Cell { n_tables, moves, n_servers } = cell;
    let rate = args.rate_in_all(n_servers);
    let mut running = Running::start_with(Subject::Redis, n_servers, &args.setting).await?;
    let played = scripts.iter().cycle().take(n_tables).cloned();
    // Only the baseline shows a token that is not its own.
    let token = plan::no_token();
    let tables = running.open(played, Watchers::Nobody, moves, &token).await?;
    let warming = tables.into_iter().map(|mut table| async move {
        table.act().await?;
        table.meet().await?;
        Ok::<Table, Trouble>(table)
    });
    let tables = stream::iter(warming).buffered(WARM_UP_AT_ONCE).try_collect().await?;
    let before = table_calls(running.site.primary()?)?;
    let load = Load::Rate { rate: f64::from(rate), n_actions: n_actions(args, scripts, cell) };
    let measured = measure_tables(&running, tables, Watchers::Nobody, load).await?;
    let calls = table_calls(running.site.primary()?)? - before;
    #[expect(clippy::cast_precision_loss, reason = "there are thousands of them")]
    let calls = calls as f64 / measured.n_actions.max(1) as f64;
    Ok(Cost { measured, calls })
}

/// As many as are asked for, and no more than tables have.
fn n_actions(args: &ScaleArgs, scripts: &[Arc<Script>], cell: Cell) -> u32 {
    let of_a_table = scripts.first().map_or(0, |script| script.acts.len().saturating_sub(1));
    // Tables come nearly in turn; what is left over covers how far they do not.
    let most = cell.n_tables * of_a_table * 4 / 5;
    u32::try_from(most)
        .unwrap_or(u32::MAX)
        .min(args.rate_in_all(cell.n_servers).saturating_mul(args.seconds))
}

fn line(cell: Cell, Cost { measured, calls }: &Cost) -> String {
    let Cell { n_tables, moves, n_servers } = cell;
    format!(
        "{n_servers} servers, {n_tables} tables, {}: server {:.1} us, Redis {:.1} us, \
         {calls:.2} calls, p50 {:.0} us, p99 {:.0} us",
        moves.name(),
        measured.server_cpu_us,
        measured.redis_cpu_us,
        measured.p50_us,
        measured.p99_us
    )
}

fn median(costs: &[Cost], value: impl Fn(&Cost) -> f64) -> f64 {
    let mut values: Vec<f64> = costs.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn tables(args: &ScaleArgs, costs: &BTreeMap<Cell, Vec<Cost>>) -> Result<(), Trouble> {
    say(&format!("{}, nobody watches, medians of {} rounds\n", args.rate_in_words(), args.rounds))?;
    say(
        "| Tables | Servers | Tables move | server CPU us | Redis CPU us | Redis calls | p50 us | p99 us |",
    )?;
    say("|---:|---:|---|---:|---:|---:|---:|---:|")?;
    for (Cell { n_tables, moves, n_servers }, costs) in costs {
        let moves = if *n_servers == 1 { "–" } else { moves.name() };
        say(&format!(
            "| {n_tables} | {n_servers} | {moves} | {:.1} | {:.1} | {:.2} | {:.0} | {:.0} |",
            median(costs, |cost| cost.measured.server_cpu_us),
            median(costs, |cost| cost.measured.redis_cpu_us),
            median(costs, |cost| cost.calls),
            median(costs, |cost| cost.measured.p50_us),
            median(costs, |cost| cost.measured.p99_us),
        ))?;
    }
    Ok(())
}

fn json(args: &ScaleArgs, costs: &BTreeMap<Cell, Vec<Cost>>) -> String {
    let cell = |(cell, costs): (&Cell, &Vec<Cost>)| {
        let round = |Cost { measured, calls }: &Cost| json!({ "measured": measured, "redis_calls_per_action": calls });
        json!({
            "tables": cell.n_tables,
            "servers": cell.n_servers,
            "actions_per_s": args.rate_in_all(cell.n_servers),
            "tables_move": cell.moves.name(),
            "rounds": costs.iter().map(round).collect::<Vec<_>>(),
        })
    };
    json!({
        "workers": args.setting.workers,
        "connections": args.setting.connections,
        "cells": costs.iter().map(cell).collect::<Vec<_>>(),
    })
    .to_string()
}
