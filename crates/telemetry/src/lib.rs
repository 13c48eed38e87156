//! What a program tells of itself: logs, traces over OTLP, metrics for Prometheus.
//!
//! A library needs [`TraceParent`] and the names of codes alone, and emits with `tracing`; the rest
//! is for programs and stands behind the feature `program`.
//!
//! **Invariant:** nothing that a caller sent becomes a label, and nothing of a trace but its ids is
//! taken from a caller. What is off costs nothing.

mod code;
mod context;
#[cfg(feature = "program")]
mod exposed;
#[cfg(feature = "program")]
mod logs;
#[cfg(feature = "program")]
mod metrics;
#[cfg(feature = "program")]
mod process;
#[cfg(feature = "program")]
mod rpc;
#[cfg(feature = "program")]
mod start;
#[cfg(feature = "program")]
mod traces;

pub use code::{client_fault, code_name, server_fault};
pub use context::{NotATraceParent, TraceParent};
#[cfg(feature = "program")]
pub use exposed::{Exposed, Ready};
#[cfg(feature = "program")]
pub use logs::{LogFilter, LogFormat, Logs, UnknownFilter, UnknownFormat};
#[cfg(feature = "program")]
pub use metrics::{
    Definition, Kind, Label, MetricsProblem, Reading, Registry, STANDARD, Values, reference,
};
#[cfg(feature = "program")]
pub use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec};
#[cfg(feature = "program")]
pub use rpc::{
    CALLS_OF_CLIENT, CALLS_OF_SERVER, ClientCalls, REPEATS_OF_CLIENT, Running, STREAMS_OPEN,
    ServerCalls,
};
#[cfg(feature = "program")]
pub use start::{Program, StartProblem, Telemetry};
#[cfg(feature = "program")]
pub use traces::Traces;
