//! One measurement: tables are opened, then played, and what that cost is read.
//!
//! **Invariant:** nothing is opened, signed or dealt while time is taken.

use std::sync::Arc;

use handfoot_processes::own_cpu_seconds;
use serde::Serialize;
use tonic::metadata::{Ascii, MetadataValue};

use crate::drive::{Driven, Load, drive};
use crate::latency::Latencies;
use crate::running::Running;
use crate::script::{SEATS, Script};
use crate::subject::{Moves, Watchers};
use crate::table::Table;
use crate::trouble::Trouble;

/// What is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial<'a> {
    /// What tables play, in turn.
    pub(crate) scripts: &'a [Arc<Script>],
    pub(crate) n_tables: usize,
    pub(crate) watchers: Watchers,
    pub(crate) moves: Moves,
    pub(crate) load: Load,
    /// What a player of the baseline shows.
    pub(crate) token: &'a MetadataValue<Ascii>,
}

/// What one measurement gave.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    /// Actions that were played.
    pub(crate) n_actions: u64,
    /// Commits that watchers saw; none if games were broken off, so that they could not see all.
    pub(crate) n_seen: Option<u64>,
    /// Actions a second, until the last answer and the last item of a stream.
    pub(crate) actions_per_s: f64,
    /// Microseconds within which half of the actions were answered.
    pub(crate) p50_us: f64,
    /// Microseconds within which all but one in a hundred were.
    pub(crate) p99_us: f64,
    /// Microseconds of CPU time of all servers of ours for an action.
    pub(crate) server_cpu_us: f64,
    /// Microseconds of CPU time of Redis and its replicas for an action; zero without Redis.
    pub(crate) redis_cpu_us: f64,
    /// Microseconds of CPU time of the caller and all watchers for an action.
    pub(crate) client_cpu_us: f64,
    /// How long each call took.
    #[serde(skip)]
    pub(crate) latencies: Latencies,
}

/// Opens tables and plays them.
///
/// # Errors
///
/// What went wrong first.
pub(crate) async fn measure(running: &mut Running, trial: Trial<'_>) -> Result<Measured, Trouble> {
    let Trial { scripts, n_tables, watchers, moves, load, token } = trial;
    let scripts = scripts.iter().cycle().take(n_tables).cloned();
    let tables = running.open(scripts, watchers, moves, token).await?;
    measure_tables(running, tables, watchers, load).await
}

/// Plays tables that are open.
///
/// # Errors
///
/// What went wrong first.
#[expect(clippy::cast_precision_loss, reason = "there are millions of actions at most")]
pub(crate) async fn measure_tables(
    running: &Running,
    tables: Vec<Table>,
    watchers: Watchers,
    load: Load,
) -> Result<Measured, Trouble> {
    let before = CpuSeconds::now(running)?;
    let Driven { mut latencies, elapsed, n_seen } = drive(tables, load).await?;
    let after = CpuSeconds::now(running)?;
    let n_actions = latencies.len() as u64;
    let expected = match watchers {
        Watchers::Nobody => 0,
        Watchers::EverySeat => SEATS as u64 * n_actions,
    };
    if let Some(seen) = n_seen.filter(|seen| *seen != expected) {
        return Err(Trouble::wrong(format!("watchers saw {seen} commits, not {expected}")));
    }
    let micros = |seconds: f64| seconds * 1e6 / n_actions.max(1) as f64;
    Ok(Measured {
        n_actions,
        n_seen,
        actions_per_s: n_actions as f64 / elapsed.as_secs_f64(),
        p50_us: latencies.within_us(500),
        p99_us: latencies.within_us(990),
        server_cpu_us: micros(after.server - before.server),
        redis_cpu_us: micros(after.redis - before.redis),
        client_cpu_us: micros(after.client - before.client),
        latencies,
    })
}

/// CPU time that was used so far.
struct CpuSeconds {
    server: f64,
    redis: f64,
    client: f64,
}

impl CpuSeconds {
    fn now(running: &Running) -> Result<CpuSeconds, Trouble> {
        Ok(CpuSeconds {
            server: running.site.server_cpu_seconds()?,
            redis: running.site.redis_cpu_seconds()?,
            client: own_cpu_seconds()?,
        })
    }
}
