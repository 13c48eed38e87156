//! A cursor as the stream that the transport reads.
//!
//! **Invariant:** nothing is made ahead: an item is asked for when the caller can take it, so a slow
//! caller costs no memory.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use handfoot_protocol::v1::WatchTableResponse;
use tokio_stream::Stream;
use tokio_util::sync::ReusableBoxFuture;
use tonic::Status;

use crate::error::Answer;
use crate::watch::Cursor;

type Step = (Cursor, Option<Answer<WatchTableResponse>>);

/// Items of a watched table.
#[derive(Debug)]
pub(super) struct WatchStream(ReusableBoxFuture<'static, Step>);

impl WatchStream {
    pub(super) fn new(cursor: Cursor) -> WatchStream {
        WatchStream(ReusableBoxFuture::new(step(cursor)))
    }
}

async fn step(mut cursor: Cursor) -> Step {
    let item = cursor.next().await;
    (cursor, item)
}

impl Stream for WatchStream {
    type Item = Result<WatchTableResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (cursor, item) = ready!(self.0.poll(cx));
        self.0.set(step(cursor));
        Poll::Ready(item.map(|item| item.map_err(Status::from)))
    }
}
