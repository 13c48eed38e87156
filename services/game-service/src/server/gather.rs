//! A connection whose answers leave together if they are ready together.
//!
//! The transport writes every answer by itself as soon as it is there, and a write to a socket costs
//! about as much as all else that is done for an action. Here a write only gathers; what was
//! gathered leaves when every task that is ready now has run.
//!
//! **Invariant:** nothing is held back for a time: a lone answer leaves as soon as the thread has
//! nothing else to do. What is gathered is bounded.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::yield_now;
use tokio_util::sync::ReusableBoxFuture;
use tonic::transport::server::Connected;

/// Bytes that are gathered, more or less: more leave at once.
const GATHERED_MAX: usize = 64 * 1024;

/// Room that a quiet connection keeps.
const KEPT_MAX: usize = 8 * 1024;

/// A connection that gathers what is written.
#[derive(Debug)]
pub(super) struct Gathering<C> {
    inner: C,
    gathered: Vec<u8>,
    /// How much of it has left.
    n_left: usize,
    turn: Turn,
    /// Ready when every task that was ready has run.
    others: ReusableBoxFuture<'static, ()>,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Nobody was let first yet.
    New,
    /// Others are.
    Others,
    /// All had their turn: what was gathered leaves.
    Own,
}

impl<C> Gathering<C> {
    pub(super) fn new(inner: C) -> Self {
        let others = ReusableBoxFuture::new(yield_now());
        Self { inner, gathered: Vec::new(), n_left: 0, turn: Turn::New, others }
    }
}

impl<C: AsyncWrite + Unpin> Gathering<C> {
    /// Writes what was gathered.
    fn poll_leave(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.n_left < self.gathered.len() {
            let rest = &self.gathered[self.n_left..];
            match ready!(Pin::new(&mut self.inner).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                n_written => self.n_left += n_written,
            }
        }
        self.n_left = 0;
        self.gathered.clear();
        self.gathered.shrink_to(KEPT_MAX);
        Poll::Ready(Ok(()))
    }

    /// Makes room if there is none.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.gathered.len() < GATHERED_MAX {
            true => Poll::Ready(Ok(())),
            false => self.poll_leave(cx),
        }
    }
}

impl<C: AsyncWrite + Unpin> AsyncWrite for Gathering<C> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_room(cx))?;
        this.gathered.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.gathered.is_empty() {
            return Pin::new(&mut this.inner).poll_flush(cx);
        }
        if this.turn == Turn::New {
            this.others.set(yield_now());
            this.turn = Turn::Others;
        }
        if this.turn == Turn::Others {
            ready!(this.others.poll(cx));
            this.turn = Turn::Own;
        }
        ready!(this.poll_leave(cx))?;
        this.turn = Turn::New;
        Pin::new(&mut this.inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_leave(cx))?;
        Pin::new(&mut this.inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_room(cx))?;
        slices.iter().for_each(|slice| this.gathered.extend_from_slice(slice));
        Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()))
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Gathering<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<C: Connected> Connected for Gathering<C> {
    type ConnectInfo = C::ConnectInfo;

    fn connect_info(&self) -> C::ConnectInfo {
        self.inner.connect_info()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn what_is_written_leaves_with_a_flush_and_in_order() {
        let (here, mut there) = duplex(8);
        let mut gathering = Gathering::new(here);
        let sent: Vec<u8> = (0..200).collect();
        let writing = async {
            gathering.write_all(&sent[..150]).await.unwrap();
            let (b, c) = (io::IoSlice::new(&sent[150..160]), io::IoSlice::new(&sent[160..]));
            assert_eq!(gathering.write_vectored(&[b, c]).await.unwrap(), 50);
            gathering.flush().await.unwrap();
            assert!(gathering.gathered.is_empty());
            gathering.write_all(&sent[..3]).await.unwrap();
            gathering.shutdown().await.unwrap();
        };
        let mut received = Vec::new();
        let reading = there.read_to_end(&mut received);
        let ((), read) = tokio::join!(writing, reading);
        assert_eq!(read.unwrap(), 203);
        assert_eq!(received, [&sent[..], &sent[..3]].concat());
    }

    #[tokio::test]
    async fn what_others_write_meanwhile_leaves_with_it() {
        let (here, mut there) = duplex(1024);
        let mut gathering = Gathering::new(here);
        gathering.write_all(b"one").await.unwrap();
        let flushed = look(&mut gathering);
        assert!(flushed.is_pending(), "others come first");
        gathering.write_all(b"two").await.unwrap();
        gathering.flush().await.unwrap();
        let mut received = [0; 6];
        there.read_exact(&mut received).await.unwrap();
        assert_eq!(&received, b"onetwo");
    }

    #[tokio::test]
    async fn more_than_is_gathered_leaves_without_a_flush() {
        let (here, mut there) = duplex(2 * GATHERED_MAX);
        let mut gathering = Gathering::new(here);
        gathering.write_all(&vec![7; GATHERED_MAX]).await.unwrap();
        gathering.write_all(&[8]).await.unwrap();
        let mut received = vec![0; GATHERED_MAX];
        there.read_exact(&mut received).await.unwrap();
        assert_eq!(gathering.gathered, [8]);
    }

    /// One look at a flush.
    fn look(gathering: &mut Gathering<tokio::io::DuplexStream>) -> Poll<io::Result<()>> {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        Pin::new(gathering).poll_flush(&mut cx)
    }
}
