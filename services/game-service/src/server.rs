//! The listener, its limits, and how it ends.
//!
//! **Invariant:** everything comes in as an argument: sockets are bound, and the store is opened,
//! by whoever calls. Ending takes a bounded time, whatever callers do.

mod call;
mod call_body;
mod connection;
mod gather;
mod methods;
mod start;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use handfoot_store::{StoreError, TableStore};
use handfoot_telemetry::Exposed;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_stream::{Stream, StreamExt};
use tonic::service::{Routes, RoutesBuilder};
use tonic::transport::Server;
use tonic::transport::server::{Connected, TcpIncoming};
use tower_layer::Stack;

use crate::drain::Drain;
use crate::exit::Exit;
use crate::health::HealthBook;
use crate::metrics::Metrics;

use call::CallLayer;
use connection::Connection;
use gather::Gathering;
use methods::Methods;
pub use start::{Parts, StartError, bind, start};

/// How often a quiet connection is asked whether it is alive.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// How long it may take to say so.
const KEEPALIVE_ANSWER_MAX: Duration = Duration::from_secs(20);

/// Bytes of the headers of a call, at most.
const HEADER_BYTES_MAX: u32 = 16 * 1024;

/// The pause after a connection that could not be accepted: there may be no file handle left, and
/// asking again at once would only burn time.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long health may take to end, after everything else has.
const HEALTH_END_MAX: Duration = Duration::from_secs(1);

/// The time that the store is given to close, also when callers have used up all there was.
const STORE_CLOSE_MIN: Duration = Duration::from_secs(1);

/// By how many percent a process spreads the age of its connections.
const AGE_SPREAD_PERCENT: u64 = 20;

/// What an operator sets of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long the end may take, from the signal on.
    pub drain: Duration,
    /// Calls and streams that one connection may have open.
    pub streams_per_connection_max: u32,
    /// Age at which a connection is asked to be made anew, so that load moves to new replicas.
    pub connection_age: Duration,
}

impl Settings {
    /// What is usual.
    pub const USUAL: Self = Self {
        drain: Duration::from_secs(25),
        streams_per_connection_max: 1_024,
        connection_age: Duration::from_secs(1_800),
    };
}

/// Why a server could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A listener cannot be used.
    #[error("the listener failed ({kind}); check the address and the limits on open files")]
    Listener {
        /// What the system says.
        kind: io::ErrorKind,
    },
    /// The contract within the program is damaged.
    #[error("the program was built with a damaged contract; please report it")]
    Contract,
    /// The store did not come to rest.
    #[error("the store could not be closed: {0}; what was acknowledged is kept")]
    Close(StoreError),
}

impl ServeError {
    /// The exit code for it.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Listener { .. } => Exit::Unavailable,
            Self::Contract => Exit::Internal,
            Self::Close(_) => Exit::Io,
        }
    }
}

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every call finished and every stream was ended.
    Drained,
    /// Time was up: what was still open was cut.
    Cut,
}

/// Health and reflection, to which the services of the API are added.
///
/// # Errors
///
/// `Contract` if the descriptors within the program cannot be read.
pub fn standard_routes(health: &HealthBook) -> Result<RoutesBuilder, ServeError> {
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(handfoot_protocol::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let v1 = reflection().build_v1().map_err(|_| ServeError::Contract)?;
    let v1alpha = reflection().build_v1alpha().map_err(|_| ServeError::Contract)?;
    let mut routes = RoutesBuilder::default();
    routes.add_service(health.service()).add_service(v1).add_service(v1alpha);
    Ok(routes)
}

/// Serves routes on connections until a drain starts, and ends within the time that is set.
///
/// # Errors
///
/// `Contract` if the descriptors within the program cannot be read, `Listener` if the server
/// cannot go on.
pub async fn serve<I, C>(
    connections: I,
    routes: Routes,
    settings: &Settings,
    drain: Drain,
) -> Result<Ended, ServeError>
where
    I: Stream<Item = io::Result<C>>,
    C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    serve_counted(connections, routes, settings, drain, Metrics::default()).await
}

/// The same, and calls are counted.
async fn serve_counted<I, C>(
    connections: I,
    routes: Routes,
    settings: &Settings,
    drain: Drain,
    metrics: Metrics,
) -> Result<Ended, ServeError>
where
    I: Stream<Item = io::Result<C>>,
    C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    let router = builder(settings, metrics)?.add_routes(routes);
    let connections = connections
        .map(|opened| opened.map(|inner| Connection::new(Gathering::new(inner), &drain)));
    let serving = router.serve_with_incoming_shutdown(connections, drain.started());
    // Graceful shutdown waits for every connection without a limit of its own.
    let time_is_up = async {
        drain.started().await;
        sleep(settings.drain).await;
    };
    tokio::select! {
        served = serving => match served {
            Ok(()) => Ok(Ended::Drained),
            Err(_) => Err(ServeError::Listener { kind: io::ErrorKind::Other }),
        },
        () = time_is_up => Ok(Ended::Cut),
    }
}

/// A socket's connections. It pauses when the system refuses one.
///
/// # Panics
///
/// Outside of a runtime.
pub fn connections(
    listener: TcpListener,
) -> impl Stream<Item = io::Result<tokio::net::TcpStream>> + Send {
    TcpIncoming::from(listener).with_nodelay(Some(true)).then(|accepted| async {
        if let Err(error) = &accepted {
            tracing::warn!(kind = %error.kind(), "a connection cannot be accepted");
            sleep(ACCEPT_PAUSE).await;
        }
        accepted
    })
}

/// Where a server listens.
#[derive(Debug)]
pub struct Listeners {
    /// The API, with health and reflection.
    pub api: TcpListener,
    /// Health alone, for a port that is not shown outside.
    pub health: Option<TcpListener>,
    /// Metrics over HTTP, and what calls are counted with.
    pub metrics: Option<(Exposed, Metrics)>,
}

/// Serves until a drain starts, then ends: readiness first, then calls and streams, then the store.
///
/// `routes` come from [`standard_routes`] with the services of the API added; `health` is the book
/// they were made with.
///
/// # Errors
///
/// Says what failed and which exit code it has.
pub async fn run(
    listeners: Listeners,
    routes: Routes,
    settings: &Settings,
    store: Arc<dyn TableStore>,
    health: HealthBook,
    drain: Drain,
) -> Result<Ended, ServeError> {
    // Probes are answered as long as there is something to ask about.
    let finished = Drain::new();
    let (exposed, metrics) = listeners.metrics.unzip();
    let metrics = metrics.unwrap_or_default();
    let api = async {
        let api = connections(listeners.api);
        let ended = serve_counted(api, routes, settings, drain.clone(), metrics).await;
        finished.start();
        ended
    };
    let metrics_only = async {
        if let Some(exposed) = exposed {
            exposed.serve(finished.started()).await;
        }
        Ok(())
    };
    let health_only = async {
        let settings = Settings { drain: HEALTH_END_MAX, ..settings.clone() };
        match listeners.health {
            Some(listener) => {
                let routes = Routes::new(health.service());
                serve(connections(listener), routes, &settings, finished.clone()).await
            }
            None => Ok(Ended::Drained),
        }
    };
    let followed = tokio::spawn(health.clone().follow(Arc::clone(&store)));
    let ended = tokio::try_join!(api, health_only, metrics_only);
    followed.abort();
    let (ended, _, ()) = ended?;
    let left = settings.drain.saturating_sub(drain.elapsed()).max(STORE_CLOSE_MIN);
    match timeout(left, store.close()).await {
        Ok(Ok(()) | Err(StoreError::Closed)) => Ok(ended),
        Ok(Err(error)) => Err(ServeError::Close(error)),
        Err(_) => Ok(Ended::Cut),
    }
}

type Layers = Stack<CallLayer, tower_layer::Identity>;

fn builder(settings: &Settings, metrics: Metrics) -> Result<Server<Layers>, ServeError> {
    let known = [
        handfoot_protocol::DESCRIPTORS,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ];
    let methods = Methods::of(&known).map_err(|_| ServeError::Contract)?;
    // No grace beside the age: with one, tonic sends no GOAWAY and cuts the connection dead.
    Ok(Server::builder()
        .max_concurrent_streams(settings.streams_per_connection_max)
        .http2_max_header_list_size(HEADER_BYTES_MAX)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE_ANSWER_MAX))
        .max_connection_age(spread(settings.connection_age))
        .layer(CallLayer { methods, metrics }))
}

/// An age that differs from process to process, so that not all move at once.
fn spread(age: Duration) -> Duration {
    let mut chance = [0; 2];
    // Without chance the age is the shortest one, which is as good.
    let _ = aws_lc_rs::rand::fill(&mut chance);
    let percent = 100 - AGE_SPREAD_PERCENT
        + u64::from(u16::from_be_bytes(chance)) * 2 * AGE_SPREAD_PERCENT / u64::from(u16::MAX);
    age.mul_f64(f64::from(u32::try_from(percent).unwrap_or(100)) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_connections_is_spread() {
        let age = Duration::from_secs(1_000);
        let ages: std::collections::BTreeSet<_> = (0..200).map(|_| spread(age)).collect();
        assert!(ages.len() > 10);
        assert!(ages.iter().all(|age| (800..=1_200).contains(&age.as_secs())), "{ages:?}");
    }
}
