//! What tables cost in Redis: bytes, and round trips.
//!
//! **Invariant:** counted by Redis itself on a running service, never computed from what is sent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use handfoot_processes::redis::Server as RedisServer;
use serde::Serialize;
use tonic::metadata::{Ascii, MetadataValue};

use crate::cli::Setting;
use crate::drive::{Load, drive};
use crate::running::Running;
use crate::script::Script;
use crate::subject::{Moves, Subject, Watchers};
use crate::trouble::Trouble;

/// Commands that the script of a commit calls, or that ask for these counts. Whatever else Redis
/// was asked was a round trip more.
const WITHIN_A_COMMIT: [&str; 8] =
    ["hmget", "time", "get", "xadd", "xtrim", "setrange", "hset", "spublish"];

/// How often watched tables are looked at, in seconds.
const LOOK_EVERY_S: f64 = 2.0;

/// Bytes of tables.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct TableBytes {
    /// Of half the tables at most so many, log and all.
    pub(crate) median: u64,
    /// Of no table more, log and all.
    pub(crate) largest: u64,
    /// Of no table more, without its log.
    pub(crate) largest_without_log: u64,
    /// Of an entry of the logs, on the average.
    pub(crate) log_entry: u64,
}

/// How often Redis was called.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Calls {
    /// Submissions that were accepted.
    pub(crate) n_accepted: u64,
    /// Calls of scripts.
    pub(crate) n_scripts: u64,
    /// Looks at watched tables that may be among them, which do not depend on how much is played.
    pub(crate) n_looks_max: u64,
    /// Commands that are no part of a commit, and how often each came.
    pub(crate) others: BTreeMap<String, u64>,
}

impl Calls {
    /// Whether every accepted submission was one round trip.
    pub(crate) fn is_one_each(&self) -> bool {
        let most = self.n_accepted + self.n_looks_max;
        self.others.is_empty() && (self.n_accepted..=most).contains(&self.n_scripts)
    }
}

/// Plays tables to different points of their games and weighs what Redis has of them.
///
/// # Errors
///
/// What the server or Redis says.
pub(crate) async fn table_bytes(
    setting: &Setting,
    scripts: &[Arc<Script>],
    n_tables: usize,
) -> Result<TableBytes, Trouble> {
    let mut running = Running::start(Subject::Redis, setting).await?;
    let mut ids = Vec::new();
    let mut n_entries = 0;
    for (index, script) in scripts.iter().cycle().take(n_tables).enumerate() {
        let part = script.cut(script.acts.len() * (index + 1) / n_tables);
        n_entries += Script::first_version() + part.acts.len() as u64;
        let mut table = running.open_service(Arc::new(part)).await?;
        while table.act().await? {}
        ids.push(table.id().to_owned());
    }
    let primary = running.site.primary()?;
    let keys: Vec<String> = primary.ask("KEYS *")?;
    let (mut whole, mut without_log) = (Vec::new(), Vec::new());
    let mut log = 0;
    for id in ids {
        let (mut of_log, mut of_rest) = (0, 0);
        for key in keys.iter().filter(|key| key.ends_with(&id)) {
            let bytes: u64 = primary.ask(&format!("MEMORY USAGE {key} SAMPLES 0"))?;
            match key.contains(":l:") {
                true => of_log += bytes,
                false => of_rest += bytes,
            }
        }
        whole.push(of_log + of_rest);
        without_log.push(of_rest);
        log += of_log;
    }
    whole.sort_unstable();
    let at = |index: usize| whole.get(index).copied().unwrap_or(0);
    Ok(TableBytes {
        median: at(whole.len() / 2),
        largest: at(whole.len().saturating_sub(1)),
        largest_without_log: without_log.into_iter().max().unwrap_or(0),
        log_entry: log / n_entries.max(1),
    })
}

/// Plays tables and counts what Redis was asked meanwhile.
///
/// # Errors
///
/// What the server or Redis says.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
pub(crate) async fn calls(
    setting: &Setting,
    scripts: &[Arc<Script>],
    watchers: Watchers,
    token: &MetadataValue<Ascii>,
) -> Result<Calls, Trouble> {
    let mut running = Running::start(Subject::Redis, setting).await?;
    let n_tables = scripts.len();
    let scripts = scripts.iter().cloned();
    let tables = running.open(scripts, watchers, Moves::BySeat, token).await?;
    let (before, began) = (counts(running.site.primary()?)?, Instant::now());
    let driven = drive(tables, Load::InFlight(n_tables)).await?;
    let (after, seconds) = (counts(running.site.primary()?)?, began.elapsed().as_secs_f64());
    let mut more = BTreeMap::new();
    for (command, count) in after {
        let count = count - before.get(&command).copied().unwrap_or(0);
        if count > 0 {
            more.insert(command, count);
        }
    }
    let n_scripts = more.remove("evalsha").unwrap_or(0);
    let n_looks_max = match watchers {
        Watchers::Nobody => 0,
        // One for each table, each time; the first when a stream begins.
        Watchers::EverySeat => (seconds / LOOK_EVERY_S + 2.0) as u64 * n_tables as u64,
    };
    // The counts themselves were asked for in between.
    more.retain(|command, _| command != "info" && !WITHIN_A_COMMIT.contains(&command.as_str()));
    let n_accepted = driven.latencies.len() as u64;
    Ok(Calls { n_accepted, n_scripts, n_looks_max, others: more })
}

/// How often a script was called so far.
///
/// # Errors
///
/// What Redis says.
pub(crate) fn script_calls(server: &RedisServer) -> Result<u64, Trouble> {
    Ok(counts(server)?.get("evalsha").copied().unwrap_or(0))
}

/// How often each command was called so far, from outside or by a script.
fn counts(server: &RedisServer) -> Result<BTreeMap<String, u64>, Trouble> {
    let text: String = server.ask("INFO commandstats")?;
    let count = |line: &str| {
        let (command, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((command.to_owned(), rest.split_once(',')?.0.parse().ok()?))
    };
    Ok(text.lines().filter_map(count).collect())
}
