//! What is printed: progress while it runs, then what came of each scenario.
//!
//! **Invariant:** results go to the standard output and nothing else does.

use std::io::Write;
use std::time::Duration;

use serde_json::json;

use crate::cli::Common;
use crate::figures::{Figures, millis};
use crate::scenario::Tried;
use crate::trouble::Trouble;

/// Findings of a scenario that are printed: the first say what is wrong.
const FINDINGS_MAX: usize = 12;

/// Says how far it is, to whoever waits.
pub(crate) fn progress(line: &str) {
    // If nobody can be told, it goes on all the same.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints a line.
///
/// # Errors
///
/// `System` if the output cannot be written.
pub(crate) fn say(line: &str) -> Result<(), Trouble> {
    writeln!(std::io::stdout(), "{line}").map_err(Trouble::system("printing"))
}

/// Prints what came of a scenario.
///
/// # Errors
///
/// `System` if the output cannot be written.
pub(crate) fn report(
    name: &str,
    tried: &Result<Tried, Trouble>,
    took: Duration,
    common: &Common,
) -> Result<(), Trouble> {
    if common.json {
        return say(&json(name, tried, took, common).to_string());
    }
    let seconds = took.as_secs_f64();
    match tried {
        Ok(Tried { findings, figures }) => {
            let word = if findings.is_empty() { "held  " } else { "BROKEN" };
            say(&format!("{word} {name} ({seconds:.1} s)"))?;
            for line in lines(figures) {
                say(&format!("         {line}"))?;
            }
            for finding in findings.iter().take(FINDINGS_MAX) {
                say(&format!("       - {finding}"))?;
            }
            if let Some(more @ 1..) = findings.len().checked_sub(FINDINGS_MAX) {
                say(&format!("       - and {more} more"))?;
            }
            Ok(())
        }
        Err(trouble @ Trouble::Missing { .. }) => {
            say(&format!("SKIPPED {name}: {trouble} (in CI this is a failure)"))
        }
        Err(trouble) => say(&format!("FAILED {name} ({seconds:.1} s): {trouble}")),
    }
}

fn lines(figures: &Figures) -> Vec<String> {
    let Figures { tables, commits, before_per_s, after_per_s, .. } = figures;
    let mut lines = vec![
        format!(
            "{commits} commits at {tables} tables; {before_per_s:.0} a second before the fault, \
             {after_per_s:.0} after it"
        ),
        format!(
            "next commit after {} ms, of every table after {} ms; longest pause {} ms",
            figures.first_commit_ms, figures.every_table_ms, figures.longest_pause_ms
        ),
        format!(
            "{} calls failed in {} ms, {} were sent again; slowest answered {} ms; {} answers given \
             again, {} decisions too late, {} commits lost",
            figures.failed_calls,
            figures.failing_ms,
            figures.repeated_calls,
            figures.slowest_call_ms,
            figures.replayed,
            figures.stale,
            figures.lost
        ),
    ];
    let counts: Vec<String> =
        figures.counts.iter().map(|(what, n)| format!("{what} {n}")).collect();
    if !counts.is_empty() {
        lines.push(counts.join("; "));
    }
    lines
}

fn json(
    name: &str,
    tried: &Result<Tried, Trouble>,
    took: Duration,
    common: &Common,
) -> serde_json::Value {
    let (verdict, findings, figures) = match tried {
        Ok(Tried { findings, figures }) => {
            let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
            let verdict = if findings.is_empty() { "held" } else { "broken" };
            (verdict, texts, Some(figures))
        }
        Err(trouble @ Trouble::Missing { .. }) => ("skipped", vec![trouble.to_string()], None),
        Err(trouble) => ("failed", vec![trouble.to_string()], None),
    };
    json!({
        "scenario": name,
        "seed": common.seed,
        "verdict": verdict,
        "took_ms": millis(took),
        "findings": findings,
        "figures": figures,
    })
}
