//! What is told of a call: a span, and how it ended.
//!
//! **Invariant:** method, code and time; nothing that is sent or answered.

use std::time::Instant;

use handfoot_telemetry::{client_fault, code_name};
use tonic::Code;
use tracing::Span;
use tracing::field::Empty;

use crate::connection::ObserveCalls;
use crate::error::ClientError;
use crate::policy::Rpc;

/// A call under way.
pub(crate) struct Observed<'a> {
    rpc: Rpc,
    span: Span,
    observer: Option<(&'a dyn ObserveCalls, Instant)>,
}

impl<'a> Observed<'a> {
    /// It begins.
    pub(crate) fn begin(rpc: Rpc, observer: Option<&'a dyn ObserveCalls>) -> Observed<'a> {
        let span = tracing::debug_span!(
            "client call",
            otel.name = Empty,
            otel.kind = "client",
            otel.status_code = Empty,
            rpc.system.name = "grpc",
            rpc.method = Empty,
            rpc.response.status_code = Empty,
            error.type = Empty,
        );
        if !span.is_disabled() {
            let name = rpc.name();
            span.record("otel.name", &name).record("rpc.method", &name);
        }
        Observed { rpc, span, observer: observer.map(|observer| (observer, Instant::now())) }
    }

    /// Its span, to be entered while it goes on.
    pub(crate) const fn span(&self) -> &Span {
        &self.span
    }

    /// It ended: as it should, or with an error.
    pub(crate) fn end(self, error: Option<&ClientError>) {
        let code = error.map_or(Code::Ok, ClientError::code);
        if !self.span.is_disabled() {
            self.span.record("rpc.response.status_code", code_name(code));
            if let Some(fault) = client_fault(code) {
                self.span.record("error.type", fault).record("otel.status_code", "ERROR");
            }
        }
        if let Some((observer, begun)) = self.observer {
            observer.ended(&self.rpc.name(), code, begun.elapsed());
        }
    }
}
