//! Calls that have one answer: deadline, credential, and the same request again.
//!
//! **Invariant:** what is sent again is the same message to the byte, request id included. Only
//! what the policy names is sent again, at most so often, and never past the deadline.

use std::future::Future;
use std::time::Duration;

use handfoot_telemetry::TraceParent;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::{Code, Request, Response, Status};
use tracing::Instrument;

use crate::connection::Connection;
use crate::credential::Header;
use crate::error::ClientError;
use crate::link::{Lost, Wire};
use crate::observed::Observed;
use crate::policy::{Again, Policy, Ready, Rpc};

/// What a call has behind it.
#[derive(Default)]
struct Behind {
    /// Attempts that count.
    attempts: u32,
    /// Attempts that failed, counted or not.
    failures: u32,
}

impl Connection {
    /// Calls a method by its policy. `send` makes one attempt.
    pub(crate) async fn call<Q, A, F>(
        &self,
        rpc: Rpc,
        credential: Option<&Header>,
        message: Q,
        send: impl Fn(Wire, Request<Q>) -> F,
    ) -> Result<A, ClientError>
    where
        Q: Clone,
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let call = Observed::begin(rpc, self.observer());
        let attempts = self.attempts(&call, credential, message, send);
        let answer = attempts.instrument(call.span().clone()).await;
        call.end(answer.as_ref().err());
        answer
    }

    /// The same request until it is answered, or may not be sent again.
    async fn attempts<Q, A, F>(
        &self,
        call: &Observed<'_>,
        credential: Option<&Header>,
        message: Q,
        send: impl Fn(Wire, Request<Q>) -> F,
    ) -> Result<A, ClientError>
    where
        Q: Clone,
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let policy = Policy::of(call.rpc());
        let started = Instant::now();
        let mut behind = Behind::default();
        loop {
            let mut request = Request::new(message.clone());
            authorise(&mut request, credential);
            trace(&mut request);
            let deadline = policy.timeout.map(|timeout| started + timeout);
            if let Some(deadline) = deadline {
                request.set_timeout(deadline.saturating_duration_since(Instant::now()));
            }
            let attempt = send(self.wire(), request);
            let ended = match deadline {
                Some(deadline) => timeout_at(deadline, attempt).await.ok(),
                None => Some(attempt.await),
            };
            let status = match ended {
                Some(Ok(response)) => return Ok(response.into_inner()),
                Some(Err(status)) => status,
                None => return Err(deadline_exceeded(&policy)),
            };
            let Some(pause) = self.pause_before_next(&policy, &status, &mut behind) else {
                return Err(failed(&policy, &status, behind.attempts));
            };
            if deadline.is_some_and(|deadline| Instant::now() + pause >= deadline) {
                return Err(failed(&policy, &status, behind.attempts));
            }
            sleep(pause).await;
            call.repeated();
        }
    }

    /// How long to wait before the next attempt; none if there is to be none.
    fn pause_before_next(
        &self,
        policy: &Policy,
        status: &Status,
        behind: &mut Behind,
    ) -> Option<Duration> {
        let lost = Lost::of(status);
        behind.failures += 1;
        let is_away = match &lost {
            Some(Lost::NotReached) => true,
            Some(Lost::Insecure(problem)) => problem.may_pass(),
            Some(Lost::Broken) | None => false,
        };
        match policy.ready {
            // It waits for a server: only the deadline ends that.
            Ready::Wait if is_away && policy.timeout.is_some() => {}
            Ready::Wait | Ready::Fail => behind.attempts += 1,
        }
        let code = lost.map_or(status.code(), |_| Code::Unavailable);
        if policy.retry.allows(code) == Again::No || behind.attempts >= policy.retry.attempts_max {
            return None;
        }
        Some(self.pause(policy, status, behind.failures))
    }

    /// A pause after so many failures: the server's, or one that grows.
    pub(crate) fn pause(&self, policy: &Policy, status: &Status, failures: u32) -> Duration {
        let error = ClientError::of(status, failures);
        let asked = match &error {
            ClientError::Refused(refused) => refused.retry_after(),
            ClientError::NotReached
            | ClientError::Insecure(_)
            | ClientError::Broken { .. }
            | ClientError::DeadlineExceeded { .. }
            | ClientError::Answer(_) => None,
        };
        match asked {
            Some(least) => self.jitter().beyond(least),
            None => self.jitter().within(policy.retry.pause_max(failures)),
        }
    }
}

/// Shows the credential with a request.
pub(crate) fn authorise<Q>(request: &mut Request<Q>, credential: Option<&Header>) {
    if let Some(header) = credential {
        request.metadata_mut().insert("authorization", header.value());
    }
}

/// Says of which trace a request is part, if any.
pub(crate) fn trace<Q>(request: &mut Request<Q>) {
    let value = TraceParent::current().and_then(|parent| parent.to_string().parse().ok());
    if let Some(value) = value {
        request.metadata_mut().insert(TraceParent::HEADER, value);
    }
}

fn deadline_exceeded(policy: &Policy) -> ClientError {
    ClientError::DeadlineExceeded { after: policy.timeout.unwrap_or_default() }
}

fn failed(policy: &Policy, status: &Status, attempts: u32) -> ClientError {
    let error = ClientError::of(status, attempts);
    match status.code() == Code::DeadlineExceeded && error.reason().is_none() {
        true => deadline_exceeded(policy),
        false => error,
    }
}
