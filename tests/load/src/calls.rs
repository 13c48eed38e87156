//! How often Redis is called for what is played.
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
    ["time", "rpush", "xadd", "xtrim", "lpop", "hdel", "hset", "spublish"];

/// The command that each call about a table comes to once, within its script or by itself.
const TABLE_READ: &str = "hmget";

/// How often watched tables are looked at, and Redis is asked whether it takes changes, in seconds.
const LOOK_EVERY_S: f64 = 2.0;

/// How often Redis was called.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Calls {
    /// Submissions that were accepted.
    pub(crate) n_accepted: u64,
    /// Calls of scripts.
    pub(crate) n_scripts: u64,
    /// Looks at watched tables that may be among them, which do not depend on how much is played.
    pub(crate) n_looks_max: u64,
    /// Commands that are no part of a commit, nor come now and then, and how often each came.
    pub(crate) others: BTreeMap<String, u64>,
}

impl Calls {
    /// Whether every accepted submission was one round trip.
    pub(crate) fn is_one_each(&self) -> bool {
        let most = self.n_accepted + self.n_looks_max;
        self.others.is_empty() && (self.n_accepted..=most).contains(&self.n_scripts)
    }
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
    // Each of these scripts reads the fields of its table once; a glance reads them without one.
    if more.get(TABLE_READ) == Some(&n_scripts) {
        more.remove(TABLE_READ);
    }
    // The first when a stream begins.
    let n_times_max = (seconds / LOOK_EVERY_S) as u64 + 2;
    let n_looks_max = match watchers {
        Watchers::Nobody => 0,
        Watchers::EverySeat => n_times_max * n_tables as u64,
    };
    // Whether Redis takes changes is asked now and then; these counts were asked for in between.
    if more.get("set").is_some_and(|n_asked| *n_asked <= n_times_max) {
        more.remove("set");
    }
    more.retain(|command, _| command != "info" && !WITHIN_A_COMMIT.contains(&command.as_str()));
    let n_accepted = driven.latencies.len() as u64;
    Ok(Calls { n_accepted, n_scripts, n_looks_max, others: more })
}

/// How often Redis was called about a table so far: for a commit, a look or a glance.
///
/// # Errors
///
/// What Redis says.
pub(crate) fn table_calls(server: &RedisServer) -> Result<u64, Trouble> {
    Ok(counts(server)?.get(TABLE_READ).copied().unwrap_or(0))
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
