//! `bot-service`: plays the seats of bots.
//!
//! **Invariant:** this file only reads the configuration, starts the worker and ends the process;
//! it ends within a bounded time of the first signal.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use handfoot_bot_service::config::{self, Asked, Environment};
use handfoot_bot_service::{Config, Exit, Metrics, PROGRAM, Policies, Worker};
use handfoot_client::{Connection, Settings};
use handfoot_telemetry::{Exposed, Telemetry};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

/// How long the last spans may take to be sent after the worker has ended.
const FLUSH_MAX: Duration = Duration::from_secs(3);

/// The time that they are given, also when ending has used up all there was.
const FLUSH_MIN: Duration = Duration::from_secs(1);

/// How long what does not end by itself may take after that.
const SHUTDOWN: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let arguments = std::env::args_os().map(|text| text.to_string_lossy().into_owned());
    let config = match config::read(arguments, &Environment) {
        Ok(Asked::Serve(config)) => *config,
        Ok(Asked::Print(text)) => return print(&text),
        Err(problem) => return failed(&problem, Exit::Config),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(problem) => return failed(&problem, Exit::Internal),
    };
    // Spans are sent by its threads.
    let within = runtime.enter();
    let telemetry = match Telemetry::start(&PROGRAM, &config.logs, config.traces.as_ref()) {
        Ok(telemetry) => telemetry,
        Err(problem) => return failed(&problem, Exit::Config),
    };
    drop(within);
    end(runtime, telemetry, config)
}

/// Works, and ends what was begun within the time there is.
fn end(runtime: Runtime, telemetry: Telemetry, config: Config) -> ExitCode {
    let most = config.work.drain;
    let told = Arc::new(OnceLock::new());
    let exit = runtime.block_on(work(config, Arc::clone(&told)));
    let used = told.get().map_or(Duration::ZERO, Instant::elapsed);
    telemetry.end(most.saturating_sub(used).clamp(FLUSH_MIN, FLUSH_MAX));
    runtime.shutdown_timeout(SHUTDOWN);
    exit.into()
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

fn print(text: &str) -> ExitCode {
    match writeln!(io::stdout(), "{}", text.trim_end()) {
        Ok(()) => Exit::Ok.into(),
        Err(_) => Exit::Internal.into(),
    }
}

fn failed(problem: &dyn std::error::Error, exit: Exit) -> ExitCode {
    // If nobody can be told, the exit code still says it.
    let _ = writeln!(io::stderr(), "bot-service: {}", problem.to_string().trim_end());
    exit.into()
}
