//! The items of a stream, and the call that ends with them.
//!
//! **Invariant:** items pass as they are. The call ends with the code that the stream ends with; one
//! that is dropped before was given up by its caller.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use handfoot_telemetry::Running;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::body::Body;
use tonic::{Code, Status};

/// A stream's body with its call.
#[derive(Debug)]
pub(super) struct CallBody {
    inner: Body,
    /// None when it has ended.
    running: Option<Running>,
}

impl CallBody {
    pub(super) const fn new(inner: Body, running: Running) -> CallBody {
        CallBody { inner, running: Some(running) }
    }

    fn end(&mut self, code: Code) {
        if let Some(running) = self.running.take() {
            running.end(code);
        }
    }
}

impl HttpBody for CallBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(trailers) = frame.trailers_ref() {
                    let status = Status::from_header_map(trailers);
                    self.end(status.map_or(Code::Unknown, |status| status.code()));
                }
            }
            Some(Err(status)) => {
                let code = status.code();
                self.end(code);
            }
            None => self.end(Code::Ok),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
