//! What it costs to count all tables, which each server does once a minute if metrics are read.
//!
//! **Invariant:** a server that counts is compared with one that does nothing else either.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::{Setting, Telemetry};
use crate::exposed::Exposed;
use crate::running::Running;
use crate::script::Script;
use crate::subject::Subject;
use crate::trouble::Trouble;

/// How often tables are counted, by a new server each time.
const TIMES: u32 = 5;

/// How long that may take.
const COUNTED_MAX: Duration = Duration::from_secs(60);

/// Between two looks at whether it is done.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What one counting cost, on the average. Milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Census {
    tables: u32,
    /// From the start of a server until it showed the numbers.
    took_ms: f64,
    /// CPU of the server, without what its start takes.
    server_cpu_ms: f64,
    /// CPU of Redis.
    redis_cpu_ms: f64,
}

impl Census {
    pub(super) fn text(&self) -> String {
        format!(
            "{} tables in Redis are counted with {:.0} ms of a server's CPU and {:.0} ms of Redis, \
             and shown {:.0} ms after the start",
            self.tables, self.server_cpu_ms, self.redis_cpu_ms, self.took_ms
        )
    }
}

/// Opens tables, and has them counted by servers that start.
///
/// # Errors
///
/// What went wrong first.
pub(super) async fn census(
    setting: &Setting,
    scripts: &[Arc<Script>],
    n_tables: u32,
) -> Result<Census, Trouble> {
    let setting = Setting { telemetry: Telemetry::Off, ..setting.clone() };
    let mut running = Running::start(Subject::Redis, &setting).await?;
    running.open_services(scripts, usize::try_from(n_tables).unwrap_or(usize::MAX)).await?;
    let (mut counting, mut idle) = (Cost::default(), Cost::default());
    for _ in 0..TIMES {
        let took = counting.add(&mut running, &setting, Telemetry::Metrics, None, n_tables).await?;
        idle.add(&mut running, &setting, Telemetry::Off, Some(took), n_tables).await?;
    }
    let mean = |of: fn(&Cost) -> f64| (of(&counting) - of(&idle)) * 1e3 / f64::from(TIMES);
    Ok(Census {
        tables: n_tables,
        took_ms: counting.took.as_secs_f64() * 1e3 / f64::from(TIMES),
        server_cpu_ms: mean(|cost| cost.server),
        redis_cpu_ms: mean(|cost| cost.redis),
    })
}

/// Seconds of CPU, added up.
#[derive(Debug, Default)]
struct Cost {
    server: f64,
    redis: f64,
    took: Duration,
}

impl Cost {
    /// Starts one more server, waits until it has counted, or for so long, and ends it.
    async fn add(
        &mut self,
        running: &mut Running,
        setting: &Setting,
        telemetry: Telemetry,
        wait: Option<Duration>,
        n_tables: u32,
    ) -> Result<Duration, Trouble> {
        let (before, began) = (running.site.redis_cpu_seconds()?, Instant::now());
        let server = running.site.add_server(setting.workers, telemetry)?;
        match (wait, &server.metrics) {
            (Some(wait), _) => tokio::time::sleep(wait).await,
            (None, Some(metrics)) => until_counted(metrics, n_tables).await?,
            (None, None) => return Err(Trouble::wrong("the server shows no metrics")),
        }
        let took = began.elapsed();
        self.server += server.process.cpu_seconds()?;
        self.redis += running.site.redis_cpu_seconds()? - before;
        self.took += took;
        running.site.servers.pop();
        Ok(took)
    }
}

async fn until_counted(metrics: &str, n_tables: u32) -> Result<(), Trouble> {
    let began = Instant::now();
    while began.elapsed() < COUNTED_MAX {
        let shown = Exposed::read(metrics).await?;
        if shown.sum("handfoot_tables", "") >= f64::from(n_tables) {
            return Ok(());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(Trouble::wrong("tables were not counted"))
}
