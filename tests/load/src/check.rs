//! The short form: few actions on every server, judged by results and sizes.
//!
//! **Invariant:** no time is judged: this runs on machines that do other things.

use serde_json::{Value, json};

use crate::cli::{CheckArgs, Setting};
use crate::drive::Load;
use crate::goals::{IDLE_WATCHER_BYTES_MAX, SNAPSHOT_BYTES_MAX};
use crate::measure::measure;
use crate::out::{MessageBytes, progress, say};
use crate::plan;
use crate::sizes;
use crate::subject::{Running, Subject, Watchers};
use crate::trouble::Trouble;

/// Tables of a server.
const TABLES: usize = 6;

/// Actions in flight: fewer than there are tables, so that slots take the next one.
const IN_FLIGHT: usize = 4;

/// Actions a second in the measurement at a rate: any machine can do so many.
const RATE: f64 = 400.0;

/// Tables of which the stored snapshot is read.
const SNAPSHOTS: usize = 12;

/// Streams on which nothing happens.
const STREAMS: usize = 400;

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
    };
    let whole = plan::scripts(&setting)?;
    let scripts = plan::equally_long(&whole, &setting);
    let token = plan::sample_token(&setting).await?;
    let mut cells: Vec<Value> = Vec::new();
    for subject in Subject::ALL {
        let mut running = Running::start(subject, &setting).await?;
        for watchers in [Watchers::Nobody, Watchers::EverySeat] {
            let per_table = u32::try_from(TABLES).unwrap_or(0);
            for (load, n_wanted) in [
                (Load::InFlight(IN_FLIGHT), per_table * setting.actions),
                (Load::Rate { rate: RATE, n_actions: 2 * per_table }, 2 * per_table),
            ] {
                let measured =
                    measure(&mut running, &scripts, TABLES, watchers, load, &token).await?;
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
    }
    let snapshots = sizes::snapshots(&setting, &whole, SNAPSHOTS).await?;
    let idle = sizes::idle_watcher_bytes(&setting, STREAMS).await?;
    let messages = MessageBytes::of(whole.iter().map(AsRef::as_ref));
    match args.json {
        true => say(&json!({
            "cells": cells,
            "message_bytes": messages,
            "snapshot_bytes": snapshots,
            "idle_watcher_bytes": idle,
        })
        .to_string())?,
        false => {
            say(&format!("stored snapshot: {} bytes at most", snapshots.largest))?;
            say(&format!("idle watcher: {idle} bytes"))?;
            say("every action was accepted, every watcher saw every version in order")?;
        }
    }
    if snapshots.largest > SNAPSHOT_BYTES_MAX {
        return Err(Trouble::wrong(format!("a snapshot has {} bytes", snapshots.largest)));
    }
    if idle == 0 || idle > IDLE_WATCHER_BYTES_MAX {
        return Err(Trouble::wrong(format!("an idle watcher takes {idle} bytes")));
    }
    Ok(())
}
