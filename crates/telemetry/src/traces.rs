//! Traces: which spans are sent, and to whom.
//!
//! **Invariant:** spans of this project alone, without events: what is logged stays in the logs,
//! which name the trace. Sending never holds up what is traced; what cannot be sent is dropped, and
//! the logs say so.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    IdGenerator, RandomIdGenerator, Sampler, SdkTracer, SdkTracerProvider,
};
use tracing::level_filters::LevelFilter;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::start::Program;

/// How long sending some spans may take.
const SEND_MAX: Duration = Duration::from_secs(2);

/// The name under which this code is known to those who receive spans.
const SCOPE: &str = "handfoot";

/// Where traces are sent, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// Where a collector takes OTLP over gRPC: `http://HOST:PORT`.
    pub endpoint: String,
    /// Which part of the traces that begin here is sent, 0 to 1. A trace that a caller began is
    /// sent if the caller's is.
    pub sample: f64,
}

/// Sends spans in batches. Must be called within a runtime, which sends them.
pub(crate) fn provider(
    program: &Program,
    traces: &Traces,
) -> Result<SdkTracerProvider, ExporterBuildError> {
    let exporter = SpanExporter::builder()
        .with_tonic()
        .with_endpoint(&traces.endpoint)
        .with_timeout(SEND_MAX)
        .build()?;
    // Random, so that two processes of one program are told apart wherever they run.
    let instance = RandomIdGenerator::default().new_trace_id().to_string();
    let resource = Resource::builder()
        .with_service_name(program.name)
        .with_attribute(KeyValue::new("service.namespace", SCOPE))
        .with_attribute(KeyValue::new("service.version", program.version))
        .with_attribute(KeyValue::new("service.instance.id", instance))
        .build();
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(traces.sample)));
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_sampler(sampler)
        .with_resource(resource)
        .build())
}

/// Gives spans to a provider.
pub(crate) fn layer<S>(provider: &SdkTracerProvider) -> impl Layer<S> + Send + Sync
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
{
    let tracer: SdkTracer = provider.tracer(SCOPE);
    let layer = OpenTelemetryLayer::new(tracer)
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false);
    let ours =
        filter_fn(|metadata| metadata.is_span() && metadata.target().starts_with("handfoot"));
    layer.with_filter(ours.with_max_level_hint(LevelFilter::DEBUG))
}
