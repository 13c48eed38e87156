//! `bot-service`: plays the seats of bots.
//!
//! **Invariant:** this file only reads the configuration, starts the worker and ends the process;
//! it ends within a bounded time of the first signal.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use handfoot_bot_service::{Config, ConfigError, Exit, LogFormat, read, run};
use handfoot_client::{Connection, Settings};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// How long what does not end by itself may take after the worker has ended.
const SHUTDOWN: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let config = match read(std::env::args_os().map(|text| text.to_string_lossy().into_owned())) {
        Ok(config) => config,
        Err(problem) => return explain(&problem),
    };
    start_logs(&config);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(problem) => {
            error!(kind = %problem.kind(), "the system gives no threads");
            return Exit::Internal.into();
        }
    };
    let exit = runtime.block_on(work(config));
    runtime.shutdown_timeout(SHUTDOWN);
    exit.into()
}

async fn work(config: Config) -> Exit {
    let drain = CancellationToken::new();
    // Before anything is taken, so that no signal comes too early.
    match Signals::listen() {
        Ok(signals) => drop(tokio::spawn(end_on_signal(signals, drain.clone()))),
        Err(problem) => {
            error!(kind = %problem.kind(), "the system does not tell of signals");
            return Exit::Internal;
        }
    }
    let settings = Settings { tls: config.tls, ..Settings::default() };
    let connection = Connection::to(config.endpoints, &settings);
    Exit::from(run(config.work, connection, config.credential, drain).await.ended)
}

/// Begins the end at the first signal.
async fn end_on_signal(signals: Signals, drain: CancellationToken) {
    match signals.first().await {
        Ok(name) => info!(signal = name, "ending"),
        Err(problem) => error!(kind = %problem.kind(), "the system does not tell of signals"),
    }
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

/// Sends logs to the error output.
fn start_logs(config: &Config) {
    let lines = fmt::layer().with_writer(io::stderr);
    let layer = match config.log_format {
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
        LogFormat::Pretty => lines.with_ansi(false).boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(config.log.clone())).init();
}

/// Prints what was asked for, or what is wrong.
fn explain(problem: &ConfigError) -> ExitCode {
    // If nobody can be told, the exit code still says it.
    let _ = match problem {
        ConfigError::Print(text) => writeln!(io::stdout(), "{}", text.trim_end()),
        ConfigError::CommandLine(_) | ConfigError::Mistakes(_) => {
            writeln!(io::stderr(), "error: {}", problem.to_string().trim_end())
        }
    };
    problem.exit().into()
}
