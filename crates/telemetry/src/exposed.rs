//! Metrics and health over plain HTTP, for Prometheus and for probes.
//!
//! **Invariant:** GET of three paths and nothing else. Whoever asks is bounded in number, and each
//! in time, so that nobody can hold up the process from here.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::metrics::Registry;

/// Connections at once.
const CONNECTIONS_MAX: usize = 16;

/// How long a connection may last.
const CONNECTION_MAX: Duration = Duration::from_secs(60);

/// How long the headers of a request may take.
const HEADERS_MAX: Duration = Duration::from_secs(5);

/// The pause after a connection that could not be accepted: there may be no file handle left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What Prometheus calls its text format.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Says whether the process should be sent work.
pub type Ready = Arc<dyn Fn() -> bool + Send + Sync>;

/// What is shown over HTTP: `/metrics`, `/livez`, `/readyz`.
pub struct Exposed {
    /// Where it listens.
    pub listener: TcpListener,
    /// What `/metrics` shows.
    pub registry: Registry,
    /// What `/readyz` says.
    pub ready: Ready,
}

impl fmt::Debug for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exposed").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl Exposed {
    /// Answers until it is told to end, and then at once no more.
    pub async fn serve(self, end: impl Future<Output = ()>) {
        let Exposed { listener, registry, ready } = self;
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut connections = JoinSet::new();
        let accepting = async {
            loop {
                // Dropped with the loop, and their connections with them.
                while connections.try_join_next().is_some() {}
                let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
                let Ok((stream, _)) = listener.accept().await else {
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                };
                let (registry, ready) = (registry.clone(), Arc::clone(&ready));
                connections.spawn(async move {
                    // One that takes too long or breaks concerns nobody else.
                    let _ = timeout(CONNECTION_MAX, connection(stream, &registry, &ready)).await;
                    drop(place);
                });
            }
        };
        tokio::select! {
            () = accepting => {}
            () = end => {}
        }
    }
}

async fn connection(stream: TcpStream, registry: &Registry, ready: &Ready) {
    let answers = service_fn(|request: Request<Incoming>| {
        let answer = answer(request.method(), request.uri().path(), registry, ready);
        std::future::ready(Ok::<_, Infallible>(answer))
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADERS_MAX);
    // Its caller may be gone before the answer.
    let _ = server.serve_connection(TokioIo::new(stream), answers).await;
}

fn answer(
    method: &Method,
    path: &str,
    registry: &Registry,
    ready: &Ready,
) -> Response<Full<Bytes>> {
    if method != Method::GET && method != Method::HEAD {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered here\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match path {
        "/metrics" => {
            let mut response = Response::new(Full::from(registry.text()));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TEXT_FORMAT));
            response
        }
        "/livez" => plain(StatusCode::OK, "alive\n"),
        "/readyz" if ready() => plain(StatusCode::OK, "ready\n"),
        "/readyz" => plain(StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
        _ => plain(StatusCode::NOT_FOUND, "here are /metrics, /livez and /readyz\n"),
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
