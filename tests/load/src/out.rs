//! What is printed: progress while it runs, then a report.
//!
//! **Invariant:** the report goes to the standard output and nothing else does.

use std::io::Write;

use serde::Serialize;
use serde_json::json;

use crate::cli::Setting;
use crate::goals::{Bound, Goal};
use crate::measure::Measured;
use crate::plan::{Key, Kind, Results};
use crate::script::{SEATS, Script};
use crate::sizes::Sizes;
use crate::subject::{Side, Subject, Watchers};
use crate::trouble::Trouble;

/// Stands where there is nothing to say.
const NONE: &str = "–";

/// Bytes of a game's messages, on the average.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MessageBytes {
    pub(crate) request: usize,
    pub(crate) answer: usize,
    pub(crate) item: usize,
}

/// All that a run gave.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) rounds: u16,
    pub(crate) results: &'a Results,
    pub(crate) messages: MessageBytes,
    pub(crate) sizes: Sizes,
    pub(crate) goals: &'a [Goal],
}

impl MessageBytes {
    /// Of scripts.
    pub(crate) fn of<'a>(scripts: impl IntoIterator<Item = &'a Script>) -> MessageBytes {
        let mut sum = MessageBytes { request: 0, answer: 0, item: 0 };
        let mut n_acts = 0;
        for act in scripts.into_iter().flat_map(|script| &script.acts) {
            sum.request += act.request_bytes;
            sum.answer += act.answer_bytes;
            sum.item += act.item_bytes.iter().sum::<usize>() / SEATS;
            n_acts += 1;
        }
        let mean = |sum: usize| sum / usize::max(n_acts, 1);
        MessageBytes { request: mean(sum.request), answer: mean(sum.answer), item: mean(sum.item) }
    }
}

/// Says how far it is, to whoever waits.
pub(crate) fn progress(line: &str) {
    // If nobody can be told, it goes on all the same.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints a line of the report.
///
/// # Errors
///
/// `System` if the output cannot be written.
pub(crate) fn say(line: &str) -> Result<(), Trouble> {
    writeln!(std::io::stdout(), "{line}").map_err(Trouble::system("printing"))
}

impl Report<'_> {
    /// Prints it as tables.
    ///
    /// # Errors
    ///
    /// `System` if the output cannot be written.
    pub(crate) fn tables(&self) -> Result<(), Trouble> {
        let Setting { workers, connections, .. } = self.setting;
        let MessageBytes { request, answer, item } = self.messages;
        say(&format!(
            "{workers} worker(s) a side, {connections} connections, medians of {} rounds; bytes: \
             request {request}, answer {answer}, item of a stream {item}\n",
            self.rounds
        ))?;
        say("| Watchers | Load | Server | actions/s | of bare | p50 us | p99 us | p99.9 us \
             | server CPU us | Redis CPU us |")?;
        say("|---|---|---|---:|---:|---:|---:|---:|---:|---:|")?;
        for key in self.results.0.keys() {
            say(&self.row(*key))?;
        }
        let Sizes { snapshots, idle_watcher, in_redis } = self.sizes;
        let (median, largest) = (snapshots.median, snapshots.largest);
        say(&format!("\nstored snapshot: {median} bytes, the largest {largest}"))?;
        say(&format!("idle watcher: {idle_watcher} bytes"))?;
        say(&format!(
            "table in Redis: {} bytes, the largest {}, without its log {}; a log entry: {}\n",
            in_redis.median, in_redis.largest, in_redis.largest_without_log, in_redis.log_entry
        ))?;
        for goal in self.goals {
            let verdict = if goal.is_met() { "met   " } else { "MISSED" };
            let bound = match goal.bound {
                Bound::AtLeast(least) => format!("at least {least}"),
                Bound::AtMost(most) => format!("at most {most}"),
            };
            say(&format!("{verdict} {}: {:.2}, {bound}", goal.name, goal.value))?;
        }
        Ok(())
    }

    fn row(&self, key: Key) -> String {
        let watched = match key.watchers {
            Watchers::Nobody => "none",
            Watchers::EverySeat => "4 a table",
        };
        let load = match key.kind {
            Kind::InFlight(slots) => format!("{slots} in flight"),
            Kind::HalfLoad => "half".to_owned(),
        };
        let median = |value: fn(&Measured) -> f64| self.results.median(key, value);
        let bare = Key { subject: Subject::Bare, ..key };
        let rate = median(|m| m.actions_per_s);
        let of_bare = match (key.kind, key.subject.side()) {
            (Kind::InFlight(_), Side::Bare | Side::Service) => {
                format!("{:.2}", rate / self.results.median(bare, |m| m.actions_per_s))
            }
            (Kind::HalfLoad, _) | (_, Side::Script) => NONE.to_owned(),
        };
        let slowest = self.results.all_but_a_thousandth_us(key);
        format!(
            "| {watched} | {load} | {} | {rate:.0} | {of_bare} | {:.0} | {:.0} | {} | {} | {} |",
            key.subject,
            median(|m| m.p50_us),
            median(|m| m.p99_us),
            slowest.map_or(NONE.to_owned(), |micros| format!("{micros:.0}")),
            used(median(|m| m.server_cpu_us)),
            used(median(|m| m.redis_cpu_us)),
        )
    }

    /// Prints it as one JSON object.
    ///
    /// # Errors
    ///
    /// `System` if the output cannot be written.
    pub(crate) fn json(&self) -> Result<(), Trouble> {
        let cell = |(key, rounds): (&Key, &Vec<Measured>)| {
            let in_flight = match key.kind {
                Kind::InFlight(slots) => Some(slots),
                Kind::HalfLoad => None,
            };
            json!({
                "subject": key.subject.name(),
                "watchers_per_table": match key.watchers {
                    Watchers::Nobody => 0,
                    Watchers::EverySeat => SEATS,
                },
                "in_flight": in_flight,
                "rounds": rounds,
                "p999_us": self.results.all_but_a_thousandth_us(*key),
            })
        };
        let goal = |goal: &Goal| {
            let Goal { name, value, bound } = goal;
            json!({ "name": name, "value": value, "bound": bound, "is_met": goal.is_met() })
        };
        let whole = json!({
            "workers": self.setting.workers,
            "connections": self.setting.connections,
            "seed": self.setting.seed,
            "message_bytes": self.messages,
            "cells": self.results.0.iter().map(cell).collect::<Vec<_>>(),
            "bytes": self.sizes,
            "goals": self.goals.iter().map(goal).collect::<Vec<_>>(),
        });
        say(&whole.to_string())
    }
}

/// CPU time, if there is any that could be used.
fn used(micros: f64) -> String {
    if micros > 0.0 { format!("{micros:.1}") } else { NONE.to_owned() }
}
