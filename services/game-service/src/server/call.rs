//! What happens around every call: its limit of time, its span, its log line, its count, its
//! faults.
//!
//! **Invariant:** no card, no token and nothing else that a caller sent is logged. A panic ends one
//! call, not the connection with all its streams. Every refusal that leaves here has a reason.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use handfoot_protocol::v1::ServiceReason;
use handfoot_protocol::{Failure, REASON_TRAILER};
use handfoot_telemetry::{Running, TraceParent, code_name, server_fault};
use http::{HeaderMap, Request, Response};
use tokio::time::{Instant, timeout};
use tonic::body::Body;
use tonic::{Code, Status};
use tower_layer::Layer;
use tower_service::Service;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::call_body::CallBody;
use super::methods::{AnswersWithin, Method, Methods};
use crate::metrics::Metrics;

/// What stands for a method that is not in the contract.
const UNKNOWN: &str = "_OTHER";

/// Puts [`Call`] around a service.
#[derive(Clone, Debug)]
pub(super) struct CallLayer {
    pub(super) methods: Methods,
    pub(super) metrics: Metrics,
}

impl<S> Layer<S> for CallLayer {
    type Service = Call<S>;

    fn layer(&self, inner: S) -> Call<S> {
        Call { inner, methods: self.methods.clone(), metrics: self.metrics.clone() }
    }
}

/// A service with what happens around its calls.
#[derive(Clone, Debug)]
pub(super) struct Call<S> {
    inner: S,
    methods: Methods,
    metrics: Metrics,
}

type Answered = Result<Response<Body>, Infallible>;

impl<S> Service<Request<Body>> for Call<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Answered> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let method = self.methods.get(request.uri().path()).cloned();
        let running = self.metrics.begin(method.as_ref().map(|method| &method.name));
        let span = span(method.as_ref(), request.headers());
        let answer = self.inner.call(request);
        let counted = Counted { metrics: self.metrics.clone(), running };
        Box::pin(around(method, answer, counted, span.clone()).instrument(span))
    }
}

/// The span of a call, part of the caller's trace if it has one.
fn span(method: Option<&Method>, headers: &HeaderMap) -> Span {
    let name = method.map_or(UNKNOWN, |method| &method.name);
    let span = tracing::debug_span!(
        "call",
        otel.name = name,
        otel.kind = "server",
        otel.status_code = Empty,
        rpc.system.name = "grpc",
        rpc.method = name,
        rpc.response.status_code = Empty,
        error.type = Empty,
    );
    if !span.is_disabled()
        && let Some(parent) = TraceParent::of_headers(headers)
    {
        parent.adopt(&span);
    }
    span
}

/// A call under way as it is counted.
struct Counted {
    metrics: Metrics,
    running: Option<Running>,
}

async fn around(
    method: Option<Method>,
    answer: impl Future<Output = Answered>,
    counted: Counted,
    span: Span,
) -> Answered {
    let started = Instant::now();
    let within = method.as_ref().map_or(AnswersWithin::Stream, |method| method.answers_within);
    let response = match within {
        AnswersWithin::Stream => caught(answer).await,
        AnswersWithin::Limit(limit) => {
            timeout(limit, caught(answer)).await.unwrap_or(Ended::TooLate)
        }
    };
    let response = match response {
        Ended::Answered(response) => with_reason(response),
        Ended::TooLate => too_late(),
        Ended::Panicked => panicked(),
    };
    let name = method.as_ref().map_or(UNKNOWN, |method| &method.name);
    let code = code_of(&response);
    note(name, code.unwrap_or(Code::Ok), started.elapsed());
    record(&span, code.unwrap_or(Code::Ok));
    Ok(count(counted, within, code, response))
}

fn record(span: &Span, code: Code) {
    if span.is_disabled() {
        return;
    }
    span.record("rpc.response.status_code", code_name(code));
    if let Some(fault) = server_fault(code) {
        span.record("error.type", fault).record("otel.status_code", "ERROR");
    }
}

/// Counts a call: now, or when its stream ends.
fn count(
    counted: Counted,
    within: AnswersWithin,
    code: Option<Code>,
    response: Response<Body>,
) -> Response<Body> {
    let Counted { metrics, running } = counted;
    let Some(mut running) = running else { return response };
    match (within, code) {
        (AnswersWithin::Stream, None) => {
            metrics.open(&mut running);
            response.map(|body| Body::new(CallBody::new(body, running)))
        }
        (AnswersWithin::Stream | AnswersWithin::Limit(_), code) => {
            running.end(code.unwrap_or(Code::Ok));
            response
        }
    }
}

/// How a call ended.
enum Ended {
    Answered(Response<Body>),
    TooLate,
    Panicked,
}

/// The answer, or that there was a panic. A handler shares nothing with others but caches whose
/// locks survive one, so going on is safe.
async fn caught(answer: impl Future<Output = Answered>) -> Ended {
    let mut answer = std::pin::pin!(answer);
    let polled = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(Ok(response))) => Poll::Ready(Ended::Answered(response)),
        Err(_) => Poll::Ready(Ended::Panicked),
    });
    polled.await
}

/// What was asked for may have been done: the same request id answers.
fn too_late() -> Response<Body> {
    let text = "the answer took too long; send the same request again, with the same request_id";
    Failure::new(ServiceReason::CommitUnconfirmed, text).to_status().into_http()
}

fn panicked() -> Response<Body> {
    let trace = crate::status::fault_id();
    tracing::error!(trace, "a handler panicked");
    let failure = Failure::new(ServiceReason::Internal, "a fault of the server");
    failure.with("trace", trace).to_status().into_http()
}

/// Gives what the transport refuses a reason of ours: a body that is no message, is too large or
/// goes to no method. Handlers always give one themselves.
#[expect(clippy::wildcard_enum_match_arm, reason = "most codes are left as they are")]
fn with_reason(response: Response<Body>) -> Response<Body> {
    let Some(code) = code_of(&response) else { return response };
    if response.headers().contains_key(REASON_TRAILER) {
        return response;
    }
    match code {
        Code::Internal | Code::Unknown => unreadable("is not a message of this method"),
        Code::OutOfRange | Code::ResourceExhausted => unreadable("is too large"),
        Code::Unimplemented => {
            let text = "this server has no such method";
            Failure::new(ServiceReason::NotImplemented, text).to_status().into_http()
        }
        _ => response,
    }
}

fn unreadable(problem: &str) -> Response<Body> {
    let failure = Failure::new(ServiceReason::FieldInvalid, &format!("the request {problem}"));
    failure.with("field", "request").with_violation("request", problem).to_status().into_http()
}

/// The status of an answer without a body; with one it comes after it.
fn code_of(response: &Response<Body>) -> Option<Code> {
    Status::from_header_map(response.headers()).map(|status| status.code())
}

/// One line a call: the server's faults always, the rest when somebody looks for it.
fn note(method: &str, code: Code, length: Duration) {
    let micros = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
    match code {
        Code::Internal | Code::Unknown | Code::DataLoss | Code::DeadlineExceeded => {
            tracing::warn!(method, ?code, micros, "call");
        }
        Code::Ok
        | Code::Cancelled
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::ResourceExhausted
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::Unavailable
        | Code::Unauthenticated => tracing::debug!(method, ?code, micros, "call"),
    }
}
