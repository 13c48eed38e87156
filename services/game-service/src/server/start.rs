//! From a configuration to a server that runs, and back out again.
//!
//! **Invariant:** in this order: logs, keys, store, sockets, server. What fails says what to do, and
//! which exit code it has.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use handfoot_store::{Clock, OpenError, SystemClock, TableStore};
use handfoot_telemetry::{Exposed, MetricsProblem, Ready, StartProblem, Telemetry};
use tokio::net::TcpListener;
use tonic::service::{Routes, RoutesBuilder};

use super::{Ended, Listeners, ServeError, run, standard_routes};
use crate::auth::{KeyFileError, Keys, LocalCredentials, local_keys};
use crate::config::{Config, KeySource};
use crate::drain::{Drain, Signals};
use crate::exit::Exit;
use crate::health::{HealthBook, Readiness};
use crate::metrics::{Metrics, PROGRAM};
use crate::observed_store::ObservedStore;
use crate::pages::keep_pages_small;

/// How long the last spans may take to be sent, whatever is left of the drain.
const FLUSH_MAX: Duration = Duration::from_secs(3);

/// The time that the last spans are given, also when callers have used up all there was.
const FLUSH_MIN: Duration = Duration::from_secs(1);

/// How long threads may take to let go of what they do, after everything has ended.
const THREADS_END_MAX: Duration = Duration::from_secs(1);

/// What the services of the API are made from.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Where tables are kept.
    pub store: Arc<dyn TableStore>,
    /// What credentials are verified with.
    pub keys: Arc<Keys>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Says when the process is about to end.
    pub drain: Drain,
    /// What is counted.
    pub metrics: Metrics,
}

/// Why a service does not serve, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system gives no threads or signals.
    #[error("the system gives no {what} ({kind}); check the limits of this process")]
    System {
        /// What it does not give.
        what: &'static str,
        /// What it says.
        kind: io::ErrorKind,
    },
    /// Local keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeyFileError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The port is taken.
    #[error(
        "{address} is in use by another program; stop that one, or choose another port with \
         {variable} (port 0 takes a free one)"
    )]
    PortInUse {
        /// The address.
        address: SocketAddr,
        /// What sets it.
        variable: &'static str,
    },
    /// The address cannot be used.
    #[error("cannot listen on {address} ({kind}); choose another address with {variable}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// What sets it.
        variable: &'static str,
        /// What the system says.
        kind: io::ErrorKind,
    },
    /// The server failed.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Traces cannot be sent.
    #[error(transparent)]
    Traces(#[from] StartProblem),
    /// Nothing can be counted.
    #[error(transparent)]
    Metrics(#[from] MetricsProblem),
}

impl StartError {
    /// The exit code for it.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        match self {
            Self::System { .. } | Self::Metrics(_) => Exit::Internal,
            Self::Keys(error) => match error {
                KeyFileError::NotUsable { .. } | KeyFileError::NotKeys { .. } => Exit::Io,
                KeyFileError::NoRandomness => Exit::Unavailable,
            },
            Self::Store(error) => exit_of_store(error),
            Self::PortInUse { .. } | Self::Address { .. } => Exit::Unavailable,
            Self::Serve(error) => error.exit(),
            Self::Traces(_) => Exit::Config,
        }
    }
}

/// The exit code for a store that cannot be opened.
const fn exit_of_store(error: &OpenError) -> Exit {
    match error {
        OpenError::UnknownScheme { .. }
        | OpenError::UnknownOption { .. }
        | OpenError::NoPath
        | OpenError::Address(_) => Exit::Config,
        OpenError::Redis(_)
        | OpenError::InUse { .. }
        | OpenError::NotUsable { .. }
        | OpenError::NewerFormat { .. } => Exit::Unavailable,
        OpenError::Full { .. } | OpenError::Corrupt { .. } => Exit::Io,
    }
}

/// Serves what a configuration says until a signal comes, and ends.
///
/// `api` adds the services of the API to the standard ones.
///
/// # Errors
///
/// Says what is wrong, what to do and which exit code it has.
pub fn start(
    config: &Config,
    api: impl FnOnce(RoutesBuilder, &Parts) -> Routes,
) -> Result<Ended, StartError> {
    keep_pages_small();
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    if let Some(number) = config.worker_threads {
        threads.worker_threads(number.get());
    }
    let threads = threads.enable_all().build();
    let threads = threads.map_err(|e| StartError::System { what: "threads", kind: e.kind() })?;
    // Spans are sent by these threads.
    let within = threads.enter();
    let telemetry = Telemetry::start(&PROGRAM, &config.logs, config.traces.as_ref())?;
    drop(within);
    config.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    let drain = Drain::new();
    let ended = threads.block_on(serve_config(config, api, drain.clone()));
    let left = config.settings.drain.saturating_sub(drain.elapsed());
    telemetry.end(left.clamp(FLUSH_MIN, FLUSH_MAX));
    threads.shutdown_timeout(THREADS_END_MAX);
    ended
}

async fn serve_config(
    config: &Config,
    api: impl FnOnce(RoutesBuilder, &Parts) -> Routes,
    drain: Drain,
) -> Result<Ended, StartError> {
    let signals = Signals::listen();
    let signals = signals.map_err(|e| StartError::System { what: "signals", kind: e.kind() })?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (keys, credentials) = match &config.keys {
        KeySource::Local { file } => {
            let (keys, credentials) = local_keys(file.as_deref(), Arc::clone(&clock))?;
            (keys, Some(credentials))
        }
        KeySource::Given(set) => (Keys::new((**set).clone(), Arc::clone(&clock)), None),
    };
    let metrics = match config.metrics_listen {
        Some(_) => Metrics::new()?,
        None => Metrics::default(),
    };
    let store =
        handfoot_store::open_with(config.store.reveal(), Arc::clone(&clock), config.store_limits)?;
    let store = observed(store, config, &metrics);
    let health = HealthBook::new(drain.clone());
    let listeners = Listeners {
        api: bind(config.listen, "HANDFOOT_LISTEN").await?,
        health: match config.health_listen {
            Some(address) => Some(bind(address, "HANDFOOT_HEALTH_LISTEN").await?),
            None => None,
        },
        metrics: exposed(config, &metrics, &health).await?,
    };
    let address = listeners.api.local_addr().unwrap_or(config.listen);
    let parts = Parts { store, keys: Arc::new(keys), clock, drain: drain.clone(), metrics };
    let routes = api(standard_routes(&health)?, &parts);
    tracing::info!(%address, store = ?config.store, "listening");
    if let Some(credentials) = credentials {
        // Whoever started it without an output does not want to know.
        let _ = announce(&mut io::stdout().lock(), address, &credentials);
    }
    let signals = drain_at_signal(signals, drain.clone());
    let serving = run(listeners, routes, &config.settings, parts.store, health, drain);
    tokio::select! {
        ended = serving => Ok(ended?),
        hurried = signals => Ok(hurried),
    }
    .inspect(|ended| match ended {
        Ended::Drained => tracing::info!("ended; every call was answered"),
        Ended::Cut => tracing::warn!("ended; what was still open was cut"),
    })
}

/// The store, and what is told of it if anything is.
fn observed(store: Arc<dyn TableStore>, config: &Config, metrics: &Metrics) -> Arc<dyn TableStore> {
    match metrics.is_on() || config.traces.is_some() {
        true => Arc::new(ObservedStore::new(store, metrics.clone())),
        false => store,
    }
}

/// What is shown over HTTP.
async fn exposed(
    config: &Config,
    metrics: &Metrics,
    health: &HealthBook,
) -> Result<Option<(Exposed, Metrics)>, StartError> {
    let health = health.clone();
    let ready: Ready = Arc::new(move || health.readiness() == Readiness::Ready);
    let registry = metrics.registry(Arc::clone(&ready))?;
    let Some((address, registry)) = config.metrics_listen.zip(registry) else { return Ok(None) };
    let listener = bind(address, "HANDFOOT_METRICS_LISTEN").await?;
    let address = listener.local_addr().unwrap_or(address);
    tracing::info!(%address, "metrics");
    Ok(Some((Exposed { listener, registry, ready }, metrics.clone())))
}

/// Binds an address that a variable has set.
///
/// # Errors
///
/// `PortInUse` or `Address`.
pub async fn bind(address: SocketAddr, variable: &'static str) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).await.map_err(|error| {
        let kind = error.kind();
        match kind == io::ErrorKind::AddrInUse {
            true => StartError::PortInUse { address, variable },
            false => StartError::Address { address, variable, kind },
        }
    })
}

/// Starts the drain at the first signal and ends at the second: somebody is in a hurry, and what
/// was acknowledged is kept whatever happens.
async fn drain_at_signal(mut signals: Signals, drain: Drain) -> Ended {
    let signal = signals.next().await;
    tracing::info!(signal, "draining");
    drain.start();
    signals.next().await;
    Ended::Cut
}

/// Says once how to call a service on this machine.
fn announce(
    out: &mut impl Write,
    address: SocketAddr,
    credentials: &LocalCredentials,
) -> io::Result<()> {
    let (platform, bot) = (credentials.platform.reveal(), credentials.bot.reveal());
    writeln!(out, "game-service on {address}")?;
    writeln!(out, "platform credential: {platform}")?;
    writeln!(out, "bot credential: {bot}")?;
    writeln!(out, "a first call:")?;
    writeln!(out, "  grpcurl -plaintext -H 'authorization: Bearer {platform}' \\")?;
    writeln!(out, "    -d '{{\"request_id\": \"00000000-0000-4000-8000-000000000001\"}}' \\")?;
    writeln!(out, "    {address} handfoot.v1.TableService/CreateTable")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use handfoot_store::{AddressProblem, RedisProblem};

    use super::*;

    #[test]
    fn every_way_a_store_cannot_be_opened_has_its_code() {
        let path = || "tables".into();
        let kind = io::ErrorKind::PermissionDenied;
        let rows = [
            (OpenError::UnknownScheme { url: "x".to_owned() }, 64),
            (OpenError::UnknownOption { option: "x".to_owned() }, 64),
            (OpenError::NoPath, 64),
            (OpenError::InUse { path: path() }, 69),
            (OpenError::NotUsable { path: path(), kind }, 69),
            (OpenError::NewerFormat { path: path(), found: 2, known: 1 }, 69),
            (OpenError::Address(AddressProblem::NoHost), 64),
            (OpenError::Redis(RedisProblem::Away { server: "x".to_owned() }), 69),
            (OpenError::Full { path: path() }, 74),
            (OpenError::Corrupt { path: path() }, 74),
        ];
        for (error, code) in rows {
            assert_eq!(StartError::from(error).exit().code(), code);
        }
    }

    #[test]
    fn a_first_call_can_be_pasted() {
        let clock = Arc::new(SystemClock);
        let (_, credentials) = local_keys(None, clock).unwrap();
        let mut out = Vec::new();
        announce(&mut out, "127.0.0.1:5".parse().unwrap(), &credentials).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("127.0.0.1:5 handfoot.v1.TableService/CreateTable"), "{text}");
        assert_eq!(text.matches(credentials.platform.reveal()).count(), 2);
    }
}
