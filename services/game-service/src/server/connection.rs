//! A connection that ends with the process while it has not said anything.
//!
//! **Invariant:** once a byte has come in, it changes nothing. Without it, a client that connects
//! ahead of need would hold up every end until time is up: the server waits for its first words.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::transport::server::Connected;

use crate::drain::Drain;

/// A connection, and whether it has said anything.
#[derive(Debug)]
pub(super) struct Connection<C> {
    inner: C,
    silence: Silence,
}

#[derive(Debug)]
enum Silence {
    /// Nothing came yet; this waits for the start of a drain.
    Kept(Pin<Box<WaitForCancellationFutureOwned>>),
    /// Something did.
    Broken,
}

impl<C> Connection<C> {
    pub(super) fn new(inner: C, drain: &Drain) -> Self {
        Self { inner, silence: Silence::Kept(Box::pin(drain.started())) }
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Connection<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let polled = Pin::new(&mut this.inner).poll_read(cx, buffer);
        match (&polled, &mut this.silence) {
            (Poll::Ready(_), Silence::Kept(_)) => {
                this.silence = Silence::Broken;
                polled
            }
            // No bytes are the end of the connection.
            (Poll::Pending, Silence::Kept(started)) => started.as_mut().poll(cx).map(Ok),
            (Poll::Ready(_) | Poll::Pending, Silence::Broken) => polled,
        }
    }
}

impl<C: AsyncWrite + Unpin> AsyncWrite for Connection<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, slices)
    }
}

impl<C: Connected> Connected for Connection<C> {
    type ConnectInfo = C::ConnectInfo;

    fn connect_info(&self) -> C::ConnectInfo {
        self.inner.connect_info()
    }
}
