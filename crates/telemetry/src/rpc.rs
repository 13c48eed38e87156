//! Calls as metrics, by the semantic conventions for RPC.
//!
//! **Invariant:** the name of a method comes from the contract; what is not in it is `_OTHER`. Every
//! call is counted once, also one that its caller gave up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus::{HistogramVec, IntCounterVec, IntGauge, IntGaugeVec};
use tonic::Code;

use crate::code::{client_fault, code_name, server_fault};
use crate::metrics::{Definition, Kind, Label, MetricsProblem, Registry, Values};

/// Bounds that the semantic conventions advise for the duration of calls, in seconds.
const DURATIONS: &[f64] =
    &[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

const CODES: Values = Values::Of(&[
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
]);

const SYSTEM: Label = Label { name: "rpc_system_name", values: Values::Of(&["grpc"]) };

const METHOD: Label = Label {
    name: "rpc_method",
    values: Values::Described("the full name of a method of the contract, or `_OTHER`"),
};

const CODE: Label = Label { name: "rpc_response_status_code", values: CODES };

/// Calls that a server answered.
pub const CALLS_OF_SERVER: Definition = Definition {
    name: "rpc_server_call_duration_seconds",
    kind: Kind::Histogram(DURATIONS),
    help: "How long calls took, in seconds; of a stream, how long it was open.",
    labels: &[
        SYSTEM,
        METHOD,
        CODE,
        Label {
            name: "error_type",
            values: Values::Described(
                "the code if it says that the server is at fault: UNKNOWN, DEADLINE_EXCEEDED, \
                 UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS; otherwise it is not there",
            ),
        },
    ],
};

/// Calls that a client made.
pub const CALLS_OF_CLIENT: Definition = Definition {
    name: "rpc_client_call_duration_seconds",
    kind: Kind::Histogram(DURATIONS),
    help: "How long calls took until their answer, in seconds, the same request again included.",
    labels: &[
        SYSTEM,
        METHOD,
        CODE,
        Label {
            name: "error_type",
            values: Values::Described("the code if it is not OK; otherwise it is not there"),
        },
    ],
};

/// Requests that a client sent again.
pub const REPEATS_OF_CLIENT: Definition = Definition {
    name: "handfoot_client_repeats_total",
    kind: Kind::Counter,
    help: "Requests that were sent again because a server was away; callers see only the time it takes.",
    labels: &[METHOD],
};

/// Streams of a server.
pub const STREAMS_OPEN: Definition = Definition {
    name: "handfoot_open_streams",
    kind: Kind::Gauge,
    help: "Streams that are open now.",
    labels: &[METHOD],
};

/// Calls that a server answers.
#[derive(Clone, Debug)]
pub struct ServerCalls {
    durations: HistogramVec,
    streams: IntGaugeVec,
}

impl ServerCalls {
    /// Adds what is told of calls to a registry.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn new(registry: &Registry) -> Result<ServerCalls, MetricsProblem> {
        Ok(ServerCalls {
            durations: registry.histograms(&CALLS_OF_SERVER)?,
            streams: registry.gauges(&STREAMS_OPEN)?,
        })
    }

    /// A call of a method begins; none for one that is not in the contract.
    #[must_use]
    pub fn begin(&self, method: Option<&Arc<str>>) -> Running {
        let durations = self.durations.clone();
        let (begun, open) = (Instant::now(), None);
        Running { durations, method: method.cloned(), begun, open, code: Code::Cancelled }
    }

    /// The call is a stream, which is open from now on.
    pub fn open(&self, call: &mut Running) {
        let open = self.streams.with_label_values(&[call.method()]);
        open.inc();
        call.open = Some(open);
    }

    /// Shows a method that streams as one of which none is open.
    pub fn expect_streams_of(&self, method: &str) {
        self.streams.with_label_values(&[method]).set(0);
    }
}

/// A call under way. It is counted when it is dropped.
#[derive(Debug)]
pub struct Running {
    durations: HistogramVec,
    method: Option<Arc<str>>,
    begun: Instant,
    open: Option<IntGauge>,
    /// With which code it ends as far as is known: a call of which nothing more is heard was given
    /// up by its caller.
    code: Code,
}

impl Running {
    /// It has ended with a code.
    pub fn end(mut self, code: Code) {
        self.code = code;
    }

    fn method(&self) -> &str {
        self.method.as_deref().unwrap_or("_OTHER")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let fault = server_fault(self.code).unwrap_or_default();
        let labels = ["grpc", self.method(), code_name(self.code), fault];
        self.durations.with_label_values(&labels).observe(self.begun.elapsed().as_secs_f64());
        if let Some(open) = &self.open {
            open.dec();
        }
    }
}

/// Calls that a client makes.
#[derive(Clone, Debug)]
pub struct ClientCalls {
    durations: HistogramVec,
    repeats: IntCounterVec,
}

impl ClientCalls {
    /// Adds what is told of calls to a registry.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn new(registry: &Registry) -> Result<ClientCalls, MetricsProblem> {
        let durations = registry.histograms(&CALLS_OF_CLIENT)?;
        Ok(ClientCalls { durations, repeats: registry.counters(&REPEATS_OF_CLIENT)? })
    }

    /// Shows a method as one of which nothing was sent again.
    pub fn expect_repeats_of(&self, method: &str) {
        self.repeats.with_label_values(&[method]);
    }

    /// A request of a method, by its full name, is sent again.
    pub fn repeat(&self, method: &str) {
        self.repeats.with_label_values(&[method]).inc();
    }

    /// A call of a method, by its full name, has ended.
    pub fn count(&self, method: &str, code: Code, took: Duration) {
        let labels = ["grpc", method, code_name(code), client_fault(code).unwrap_or_default()];
        self.durations.with_label_values(&labels).observe(took.as_secs_f64());
    }
}
