//! A collector of spans: takes OTLP over gRPC and keeps everything.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::ResourceSpans;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// How long spans may take to come that must come.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A span as a test looks at it.
#[derive(Clone, Debug)]
pub(super) struct Span {
    /// The program that sent it.
    pub(super) service: String,
    pub(super) name: String,
    pub(super) kind: i32,
    pub(super) trace: Vec<u8>,
    pub(super) id: Vec<u8>,
    pub(super) parent: Vec<u8>,
    /// Traces and spans that it is linked to.
    pub(super) links: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) n_events: usize,
}

impl Span {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Kept {
    spans: Vec<Span>,
    /// Everything that came, as text, for whoever looks for what must not be in it.
    text: String,
}

/// A collector that listens.
#[derive(Clone)]
pub(super) struct Collector {
    kept: Arc<(Mutex<Kept>, Condvar)>,
    pub(super) url: String,
}

impl Collector {
    /// Listens on a port of this machine.
    pub(super) async fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let kept = Arc::default();
        let collector = Collector { kept, url };
        let service = TraceServiceServer::new(collector.clone());
        let server = tonic::transport::Server::builder().add_service(service);
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        collector
    }

    /// Waits until what has come holds what is looked for. Not on a thread of the runtime.
    pub(super) fn wait_for<T>(&self, look: impl Fn(&[Span]) -> Option<T>) -> T {
        let (kept, changed) = &*self.kept;
        let until = Instant::now() + WAIT_MAX;
        let mut kept = kept.lock().unwrap();
        loop {
            if let Some(found) = look(&kept.spans) {
                return found;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it did not come; {} spans did", kept.spans.len());
            kept = changed.wait_timeout(kept, left).unwrap().0;
        }
    }

    /// What has come.
    pub(super) fn spans(&self) -> Vec<Span> {
        self.kept.0.lock().unwrap().spans.clone()
    }

    /// What has come, as text.
    pub(super) fn text(&self) -> String {
        self.kept.0.lock().unwrap().text.clone()
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let request = request.into_inner();
        let mut kept = self.kept.0.lock().unwrap();
        kept.text.push_str(&format!("{request:?}\n"));
        kept.spans.extend(request.resource_spans.into_iter().flat_map(spans_of));
        self.kept.1.notify_all();
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn spans_of(sent: ResourceSpans) -> Vec<Span> {
    let resource = texts(&sent.resource.unwrap_or_default().attributes);
    let service = resource.into_iter().find(|(key, _)| key == "service.name").unwrap().1;
    let spans = sent.scope_spans.into_iter().flat_map(|scope| scope.spans);
    let span = |span: opentelemetry_proto::tonic::trace::v1::Span| Span {
        service: service.clone(),
        name: span.name,
        kind: span.kind,
        trace: span.trace_id,
        id: span.span_id,
        parent: span.parent_span_id,
        links: span.links.into_iter().map(|link| (link.trace_id, link.span_id)).collect(),
        attributes: texts(&span.attributes),
        n_events: span.events.len(),
    };
    spans.map(span).collect()
}

fn texts(attributes: &[KeyValue]) -> Vec<(String, String)> {
    let text = |value: &Option<AnyValue>| match value.as_ref().and_then(|v| v.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => text.clone(),
        other => format!("{other:?}"),
    };
    attributes.iter().map(|attribute| (attribute.key.clone(), text(&attribute.value))).collect()
}
