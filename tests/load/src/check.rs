//! The short form: few actions on every server, judged by results and sizes.
//!
//! **Invariant:** no time is judged: this runs on machines that do other things.

use std::sync::Arc;

use serde_json::{Value, json};
use tonic::metadata::{Ascii, MetadataValue};

use crate::calls::{Calls, calls};
use crate::cli::{CheckArgs, Setting, Telemetry};
use crate::drive::Load;
use crate::goals;
use crate::measure::{Trial, measure};
use crate::out::{MessageBytes, progress, say};
use crate::plan;
use crate::running::Running;
use crate::script::Script;
use crate::sizes::Sizes;
use crate::streams::{self, Crowd};
use crate::subject::{Moves, Subject, Watchers};
use crate::trouble::Trouble;

/// Tables of a server.
const TABLES: usize = 6;

/// Actions in flight: fewer than there are tables, so that slots take the next one.
const IN_FLIGHT: usize = 4;

/// Actions a second in the measurement at a rate: any machine can do so many.
const RATE: f64 = 400.0;

/// Tables that are weighed.
const WEIGHED_TABLES: usize = 8;

/// Streams on which nothing happens.
const STREAMS: usize = 400;

/// Streams that are open when a server ends.
const CROWD: Crowd = Crowd { connections: 4, tables_per_connection: 13, rate: 200 };

/// Plays few tables on every server and checks what comes of it.
///
/// # Errors
///
/// `Wrong` if something is not as it should be.
pub(crate) async fn check(args: &CheckArgs) -> Result<(), Trouble> {
    let setting = Setting {
        workers: 1,
        connections: 2,
        seed: args.seed,
        actions: 60,
        without_credential: false,
        telemetry: Telemetry::Off,
    };
    let whole = plan::scripts(&setting)?;
    let scripts = plan::equally_long(&whole, &setting);
    let token = plan::sample_token(&setting).await?;
    let mut cells: Vec<Value> = Vec::new();
    for subject in Subject::ALL {
        cells.extend(play(subject, &setting, &scripts, &token).await?);
    }
    let sizes = Sizes::measure(&setting, &whole, WEIGHED_TABLES, STREAMS).await?;
    let mut counted = Vec::new();
    for watchers in [Watchers::Nobody, Watchers::EverySeat] {
        counted.push(calls(&setting, &scripts, watchers, &token).await?);
    }
    let mut ended = Vec::new();
    for subject in [Subject::Memory, Subject::Redis] {
        ended.push(streams::measure(subject, setting.workers, setting.seed, CROWD).await?);
    }
    let messages = MessageBytes::of(whole.iter().map(AsRef::as_ref));
    match args.json {
        true => say(&json!({
            "cells": cells,
            "message_bytes": messages,
            "bytes": sizes,
            "redis_calls": counted,
            "streams": ended,
        })
        .to_string())?,
        false => {
            let Sizes { snapshots, idle_watcher, in_redis } = sizes;
            say(&format!("stored snapshot: {} bytes at most", snapshots.largest))?;
            say(&format!("idle watcher: {idle_watcher} bytes"))?;
            say(&format!(
                "table in Redis: {} bytes at most, {} without its log; a log entry: {}",
                in_redis.largest, in_redis.largest_without_log, in_redis.log_entry
            ))?;
            for Calls { n_accepted, n_scripts, n_looks_max, .. } in &counted {
                say(&format!(
                    "{n_accepted} submissions: {n_scripts} calls of Redis, looks among them at \
                     most {n_looks_max}"
                ))?;
            }
            ended.iter().try_for_each(|measured| say(&measured.text()))?;
            say("every action was accepted, every watcher saw every version in order")?;
        }
    }
    if let Some(calls) = counted.iter().find(|calls| !calls.is_one_each()) {
        return Err(Trouble::wrong(format!("submissions are not one round trip each: {calls:?}")));
    }
    if let Some(goal) = goals::of_sizes(&sizes).iter().find(|goal| !goal.is_met()) {
        return Err(Trouble::wrong(format!("{}: {}", goal.name, goal.value)));
    }
    ended.iter().try_for_each(streams::Measured::check)?;
    match sizes.idle_watcher {
        0 => Err(Trouble::wrong("an idle watcher takes nothing")),
        _ => Ok(()),
    }
}

/// Plays few tables of a subject, as fast as it goes and at a rate, watched if it can be.
async fn play(
    subject: Subject,
    setting: &Setting,
    scripts: &[Arc<Script>],
    token: &MetadataValue<Ascii>,
) -> Result<Vec<Value>, Trouble> {
    let mut running = Running::start(subject, setting).await?;
    let mut cells = Vec::new();
    let watched = [Watchers::Nobody, Watchers::EverySeat];
    for watchers in watched.into_iter().filter(|watchers| subject.may_be(*watchers)) {
        let per_table = u32::try_from(TABLES).unwrap_or(0);
        for (load, n_wanted) in [
            (Load::InFlight(IN_FLIGHT), per_table * setting.actions),
            (Load::Rate { rate: RATE, n_actions: 2 * per_table }, 2 * per_table),
        ] {
            let (n_tables, moves) = (TABLES, Moves::BySeat);
            let trial = Trial { scripts, n_tables, watchers, moves, load, token };
            let measured = measure(&mut running, trial).await?;
            if measured.n_actions != u64::from(n_wanted) {
                let what = format!("{} actions, not {n_wanted}", measured.n_actions);
                return Err(Trouble::wrong(what));
            }
            let seen = measured.n_seen.map_or_else(String::new, |n_seen| {
                format!(", watchers saw {n_seen} commits, each version in order")
            });
            progress(&format!("{subject}: {n_wanted} actions{seen}"));
            cells.push(json!({ "subject": subject.name(), "measured": measured }));
        }
    }
    Ok(cells)
}
