//! A collector of traces that counts spans and keeps none.
//!
//! **Invariant:** runs on a thread of its own, and answers as fast as it can, so that no server ever
//! waits for it.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::thread;

use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use tower_service::Service;

use crate::trouble::Trouble;

/// A collector that listens until this program ends.
#[derive(Debug)]
pub(crate) struct Collector {
    url: String,
    spans: Arc<AtomicU64>,
}

/// As much of OTLP as it takes to count: batches of a process, of a library, of spans.
#[derive(Clone, PartialEq, prost::Message)]
struct Export {
    #[prost(message, repeated, tag = "1")]
    of_processes: Vec<OfProcess>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct OfProcess {
    #[prost(message, repeated, tag = "2")]
    of_libraries: Vec<OfLibrary>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct OfLibrary {
    #[prost(message, repeated, tag = "2")]
    spans: Vec<Span>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Span {}

impl Collector {
    /// Listens on a free port of this machine.
    ///
    /// # Errors
    ///
    /// `System`.
    pub(crate) fn start() -> Result<Collector, Trouble> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0");
        let listener = listener.map_err(Trouble::system("listening on a free port"))?;
        let port = listener.local_addr().map_err(Trouble::system("asking for the port"))?.port();
        listener.set_nonblocking(true).map_err(Trouble::system("listening on a free port"))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Trouble::system("starting threads"))?;
        let spans = Arc::new(AtomicU64::new(0));
        let counting = Counting(Arc::clone(&spans));
        thread::spawn(move || runtime.block_on(serve(listener, counting)));
        Ok(Collector { url: format!("http://127.0.0.1:{port}"), spans })
    }

    /// Where traces are sent to.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Spans that have come.
    pub(crate) fn spans(&self) -> u64 {
        self.spans.load(Ordering::Relaxed)
    }
}

async fn serve(listener: std::net::TcpListener, counting: Counting) -> Result<(), Trouble> {
    let listener = TcpListener::from_std(listener);
    let listener = listener.map_err(Trouble::system("listening on a free port"))?;
    let incoming = TcpIncoming::from(listener);
    Ok(Server::builder().add_service(counting).serve_with_incoming(incoming).await?)
}

#[derive(Clone, Debug)]
struct Counting(Arc<AtomicU64>);

impl UnaryService<Export> for Counting {
    type Response = ();
    type Future = Ready<Result<Response<()>, Status>>;

    fn call(&mut self, request: Request<Export>) -> Self::Future {
        let libraries = request.get_ref().of_processes.iter().flat_map(|one| &one.of_libraries);
        let spans: usize = libraries.map(|one| one.spans.len()).sum();
        self.0.fetch_add(spans as u64, Ordering::Relaxed);
        ready(Ok(Response::new(())))
    }
}

impl NamedService for Counting {
    const NAME: &'static str = "opentelemetry.proto.collector.trace.v1.TraceService";
}

impl Service<http::Request<Body>> for Counting {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let counting = self.clone();
        Box::pin(async move {
            // The service has no other method.
            let mut grpc = Grpc::new(ProstCodec::default());
            Ok(grpc.unary(counting, request).await)
        })
    }
}
