//! What is told of a call: a span, and how it ended.
//!
//! **Invariant:** method, code and time; nothing that is sent or answered. Every call is told once,
//! also one that its caller gave up.

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
    /// How it ended as far as is known: one of which nothing more is heard was given up.
    code: Code,
}

impl<'a> Observed<'a> {
    /// It begins.
    pub(crate) fn begin(rpc: Rpc, observer: Option<&'a dyn ObserveCalls>) -> Observed<'a> {
        let span = tracing::debug_span!(
            "client call",
            otel.name = rpc.0,
            otel.kind = "client",
            otel.status_code = Empty,
            rpc.system.name = "grpc",
            rpc.method = rpc.0,
            rpc.response.status_code = Empty,
            error.type = Empty,
        );
        let observer = observer.map(|observer| (observer, Instant::now()));
        Observed { rpc, span, observer, code: Code::Cancelled }
    }

    /// Its method.
    pub(crate) const fn rpc(&self) -> Rpc {
        self.rpc
    }

    /// Its span, to be entered while it goes on.
    pub(crate) const fn span(&self) -> &Span {
        &self.span
    }

    /// Its request is sent again.
    pub(crate) fn repeated(&self) {
        if let Some((observer, _)) = self.observer {
            observer.repeated(self.rpc.0);
        }
    }

    /// It ended: as it should, or with an error.
    pub(crate) fn end(mut self, error: Option<&ClientError>) {
        self.code = error.map_or(Code::Ok, ClientError::code);
    }
}

impl Drop for Observed<'_> {
    fn drop(&mut self) {
        let code = self.code;
        if !self.span.is_disabled() {
            self.span.record("rpc.response.status_code", code_name(code));
            if let Some(fault) = client_fault(code) {
                self.span.record("error.type", fault).record("otel.status_code", "ERROR");
            }
        }
        if let Some((observer, begun)) = self.observer {
            observer.ended(self.rpc.0, code, begun.elapsed());
        }
    }
}
