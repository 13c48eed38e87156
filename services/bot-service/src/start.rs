//! From a configuration to a worker that works, and back out again.
//!
//! **Invariant:** it ends within a bounded time of the first signal.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use handfoot_client::{Connection, Settings};
use handfoot_telemetry::{Exposed, StartProblem, Telemetry};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::budget::Policies;
use crate::config::Config;
use crate::exit::Exit;
use crate::metrics::{Metrics, PROGRAM};
use crate::work::Worker;

/// How long the last spans may take to be sent after the worker has ended.
const FLUSH_MAX: Duration = Duration::from_secs(3);

/// The time that they are given, also when ending has used up all there was.
const FLUSH_MIN: Duration = Duration::from_secs(1);

/// How long what does not end by itself may take after that.
const SHUTDOWN: Duration = Duration::from_secs(1);

/// Why nothing was begun.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system gives no threads.
    #[error(transparent)]
    Threads(io::Error),
    /// Logs cannot be written as they are to be, or traces not be sent.
    #[error(transparent)]
    Telemetry(#[from] StartProblem),
}

impl StartError {
    /// The exit code for it.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        match self {
            StartError::Threads(_) => Exit::Internal,
            StartError::Telemetry(_) => Exit::Config,
        }
    }
}

/// Works as a configuration says until a signal comes, and ends. What goes wrong on the way is in
/// the log.
///
/// # Errors
///
/// Says why nothing was begun.
pub fn start(config: Config) -> Result<Exit, StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(StartError::Threads)?;
    // Spans are sent by its threads.
    let within = runtime.enter();
    let telemetry = Telemetry::start(&PROGRAM, &config.logs, config.traces.as_ref())?;
    drop(within);
    Ok(end(runtime, telemetry, config))
}

/// Works, and ends what was begun within the time there is.
fn end(runtime: Runtime, telemetry: Telemetry, config: Config) -> Exit {
    let most = config.work.drain;
    let told = Arc::new(OnceLock::new());
    let exit = runtime.block_on(work(config, Arc::clone(&told)));
    let used = told.get().map_or(Duration::ZERO, Instant::elapsed);
    telemetry.end(most.saturating_sub(used).clamp(FLUSH_MIN, FLUSH_MAX));
    runtime.shutdown_timeout(SHUTDOWN);
    exit
}

/// Works until a signal comes, and notes when that was.
async fn work(config: Config, told: Arc<OnceLock<Instant>>) -> Exit {
    config.warnings.iter().for_each(|warning| warn!("{warning}"));
    let drain = CancellationToken::new();
    // Before anything is taken, so that no signal comes too early.
    match Signals::listen() {
        Ok(signals) => drop(tokio::spawn(end_on_signal(signals, drain.clone(), told))),
        Err(problem) => {
            error!(kind = %problem.kind(), "the system does not tell of signals");
            return Exit::Internal;
        }
    }
    let metrics = match show_metrics(&config, &drain).await {
        Ok(metrics) => metrics,
        Err(exit) => return exit,
    };
    let settings =
        Settings { observer: metrics.observer(), tls: config.tls, ..Settings::default() };
    let connection = Connection::to(config.endpoints, &settings);
    let thinker = Arc::new(Policies);
    let worker = Worker::new(config.work, connection, config.credential, thinker, &drain);
    match worker.counted(metrics) {
        Ok(worker) => Exit::from(worker.run().await.ended),
        Err(problem) => {
            error!(%problem, "nothing can be counted");
            Exit::Internal
        }
    }
}

/// Shows metrics, if they are to be read, until the process ends.
async fn show_metrics(config: &Config, drain: &CancellationToken) -> Result<Metrics, Exit> {
    let Some(address) = config.metrics_listen else { return Ok(Metrics::default()) };
    let metrics = Metrics::new().map_err(|problem| {
        error!(%problem, "nothing can be counted");
        Exit::Internal
    })?;
    let listener = TcpListener::bind(address).await.map_err(|problem| {
        let kind = problem.kind();
        error!(%address, %kind, "cannot listen; choose another with HANDFOOT_BOT_METRICS_LISTEN");
        Exit::Unavailable
    })?;
    let address = listener.local_addr().unwrap_or(address);
    info!(%address, "metrics");
    if let Some(registry) = metrics.registry() {
        let drain = drain.clone();
        let ready = Arc::new(move || !drain.is_cancelled());
        let exposed = Exposed { listener, registry, ready };
        tokio::spawn(exposed.serve(std::future::pending()));
    }
    Ok(metrics)
}

/// Begins the end at the first signal.
async fn end_on_signal(signals: Signals, drain: CancellationToken, told: Arc<OnceLock<Instant>>) {
    match signals.first().await {
        Ok(name) => info!(signal = name, "ending"),
        Err(problem) => error!(kind = %problem.kind(), "the system does not tell of signals"),
    }
    told.get_or_init(Instant::now);
    drain.cancel();
}

/// The signals that end a process, listened to from the moment that this exists.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn first(mut self) -> io::Result<&'static str> {
        tokio::select! {
            _ = self.terminate.recv() => Ok("SIGTERM"),
            _ = self.interrupt.recv() => Ok("SIGINT"),
        }
    }
}

/// Where there are no signals but ctrl-c.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals)
    }

    async fn first(self) -> io::Result<&'static str> {
        tokio::signal::ctrl_c().await.map(|()| "ctrl-c")
    }
}
