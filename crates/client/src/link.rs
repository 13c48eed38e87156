//! What carries a request to a server and its answer back.
//!
//! **Invariant:** whatever fails on the way becomes a status that tells a server's answer from a
//! failure before it: the latter has a [`Lost`] as its source.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::{Code, Status};
use tower_service::Service;

use crate::tls::TlsProblem;

/// What a link answers.
pub(crate) type Reply =
    Pin<Box<dyn Future<Output = Result<http::Response<Body>, Status>> + Send + 'static>>;

/// Carries a request to a server.
pub(crate) trait Link: Send + Sync {
    /// Sends it once.
    fn call(&self, request: http::Request<Body>) -> Reply;
}

/// Why no server answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Lost {
    /// No server could be reached: nothing was sent.
    #[error("no server can be reached")]
    NotReached,
    /// What was reached is not to be spoken to, or not in this way: no server got the request.
    #[error("{0}")]
    Insecure(TlsProblem),
    /// The connection broke: a server may have got the request.
    #[error("the connection broke")]
    Broken,
}

impl Lost {
    /// The status that stands for it.
    pub(crate) fn into_status(self) -> Status {
        let mut status = Status::unavailable(self.to_string());
        status.set_source(Arc::new(self));
        status
    }

    /// Reads it back; none for what a server has answered.
    pub(crate) fn of(status: &Status) -> Option<Lost> {
        let source = std::error::Error::source(status)?;
        if let Some(lost) = source.downcast_ref::<Lost>() {
            return Some(lost.clone());
        }
        // A status that came over the wire has no source: this one was made here.
        match status.code() {
            Code::Unknown | Code::Internal | Code::Cancelled | Code::Unavailable => {
                Some(Lost::Broken)
            }
            Code::Ok
            | Code::InvalidArgument
            | Code::DeadlineExceeded
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::ResourceExhausted
            | Code::FailedPrecondition
            | Code::Aborted
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::DataLoss
            | Code::Unauthenticated => None,
        }
    }
}

/// A link as the generated clients want it.
#[derive(Clone)]
pub(crate) struct Wire(Arc<dyn Link>);

impl Wire {
    pub(crate) fn new(link: &Arc<dyn Link>) -> Wire {
        Wire(Arc::clone(link))
    }
}

impl Service<http::Request<Body>> for Wire {
    type Response = http::Response<Body>;
    type Error = Status;
    type Future = Reply;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Reply {
        self.0.call(request)
    }
}

/// A server in this process.
pub(crate) struct InProcess<S>(pub(crate) S);

impl<S> Link for InProcess<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    fn call(&self, request: http::Request<Body>) -> Reply {
        let mut server = self.0.clone();
        Box::pin(async move {
            let ready = std::future::poll_fn(|context| server.poll_ready(context)).await;
            let answer = match ready {
                Ok(()) => server.call(request).await,
                Err(never) => match never {},
            };
            match answer {
                Ok(response) => Ok(response),
                Err(never) => match never {},
            }
        })
    }
}
