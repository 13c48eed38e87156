//! What happens around every call: its limit of time, its log line, its faults.
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
use http::{Request, Response};
use tokio::time::{Instant, timeout};
use tonic::body::Body;
use tonic::{Code, Status};
use tower_layer::Layer;
use tower_service::Service;
use tracing::Instrument;

use super::methods::{AnswersWithin, Method, Methods};

/// Puts [`Call`] around a service.
#[derive(Clone, Debug)]
pub(super) struct CallLayer {
    pub(super) methods: Methods,
}

impl<S> Layer<S> for CallLayer {
    type Service = Call<S>;

    fn layer(&self, inner: S) -> Call<S> {
        Call { inner, methods: self.methods.clone() }
    }
}

/// A service with what happens around its calls.
#[derive(Clone, Debug)]
pub(super) struct Call<S> {
    inner: S,
    methods: Methods,
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
        let span = match &method {
            Some(method) => tracing::debug_span!("call", method = &*method.name),
            None => tracing::debug_span!("call", method = "unknown"),
        };
        let answer = self.inner.call(request);
        Box::pin(around(method, answer).instrument(span))
    }
}

async fn around(method: Option<Method>, answer: impl Future<Output = Answered>) -> Answered {
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
    let name = method.as_ref().map_or("unknown", |method| &method.name);
    note(name, &response, started.elapsed());
    Ok(response)
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
    let mut id = [0; 8];
    // Without chance every id is the same, which is still a line to look for.
    let _ = aws_lc_rs::rand::fill(&mut id);
    let trace = format!("{:016x}", u64::from_be_bytes(id));
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
fn note(method: &str, response: &Response<Body>, length: Duration) {
    let micros = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
    let code = code_of(response).unwrap_or(Code::Ok);
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
