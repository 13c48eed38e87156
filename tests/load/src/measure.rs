//! One measurement: tables are opened, then played, and what that cost is read.
//!
//! **Invariant:** nothing is opened, signed or dealt while time is taken.

use std::sync::Arc;

use handfoot_processes::own_cpu_seconds;
use serde::Serialize;
use tonic::metadata::{Ascii, MetadataValue};

use crate::drive::{Driven, Load, drive};
use crate::script::{SEATS, Script};
use crate::subject::{Running, Watchers};
use crate::trouble::Trouble;

/// What one measurement gave.
#[derive(Clone, Copy, Debug, Serialize)]
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
    /// Microseconds of CPU time of the server for an action.
    pub(crate) server_cpu_us: f64,
    /// Microseconds of CPU time of the caller and all watchers for an action.
    pub(crate) client_cpu_us: f64,
}

/// Plays a number of tables on a server.
///
/// # Errors
///
/// What went wrong first.
#[expect(clippy::cast_precision_loss, reason = "there are millions of actions at most")]
pub(crate) async fn measure(
    running: &mut Running,
    scripts: &[Arc<Script>],
    n_tables: usize,
    watchers: Watchers,
    load: Load,
    token: &MetadataValue<Ascii>,
) -> Result<Measured, Trouble> {
    let scripts = scripts.iter().cycle().take(n_tables).cloned();
    let tables = running.open(scripts, watchers, token).await?;
    let (server_before, client_before) =
        (running.server.process.cpu_seconds()?, own_cpu_seconds()?);
    let Driven { mut latencies, elapsed, n_seen } = drive(tables, load).await?;
    let (server_after, client_after) = (running.server.process.cpu_seconds()?, own_cpu_seconds()?);
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
        p50_us: latencies.within_us(50),
        p99_us: latencies.within_us(99),
        server_cpu_us: micros(server_after - server_before),
        client_cpu_us: micros(client_after - client_before),
    })
}
