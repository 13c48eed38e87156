//! One connection to one server: dialled, made secure if the endpoint says so, and looked at for
//! what a broken connection does not tell.
//!
//! A server that speaks TLS where `http://` is written, or that refuses a client after the
//! handshake, only breaks the connection as far as HTTP/2 can see. What it sent before says why.
//!
//! **Invariant:** bytes are passed on as they come; nothing is sent that the caller has not written.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower_service::Service;

use crate::tls::{HTTP2, Tls, TlsProblem};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long making the connection secure may take after that.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(2);

/// The first byte of what a server sends that speaks TLS: an alert or a handshake. A first frame of
/// HTTP/2 would have to be longer than a million bytes to begin so.
const TLS_FIRST: [u8; 2] = [0x15, 0x16];

/// How a write fails after the server has hung up.
const HUNG_UP: [io::ErrorKind; 2] = [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset];

/// Bytes that are read of a server that hung up; the connection is lost whatever they are.
const LAST_WORDS_MAX: usize = 4096;

/// The first byte of an answer in the words of HTTP/1.
const HTTP1_FIRST: u8 = b'H';

/// Why the newest connection to a server is not what was wanted; none if that is not known.
#[derive(Clone, Default)]
pub(crate) struct Note(Arc<Mutex<Option<TlsProblem>>>);

impl Note {
    fn set(&self, problem: Option<TlsProblem>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }

    pub(crate) fn read(&self) -> Option<TlsProblem> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Dials one server, again and again.
#[derive(Clone)]
pub(crate) struct Dial {
    pub(crate) address: SocketAddr,
    /// What makes it secure, and the host that was written; none where it is not to be.
    pub(crate) secure: Option<(Arc<Tls>, String)>,
    pub(crate) note: Note,
}

/// No connection came about; the note may say why.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no connection")]
pub(crate) struct NoLine;

impl Service<http::Uri> for Dial {
    type Response = TokioIo<Line>;
    type Error = NoLine;
    type Future = Pin<Box<dyn Future<Output = Result<TokioIo<Line>, NoLine>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), NoLine>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Uri) -> Self::Future {
        let dial = self.clone();
        Box::pin(async move { dial.dial().await.map(TokioIo::new) })
    }
}

impl Dial {
    async fn dial(self) -> Result<Line, NoLine> {
        self.note.set(None);
        let dialled = timeout(CONNECT_TIMEOUT, TcpStream::connect(self.address)).await;
        let stream = dialled.map_err(|_| NoLine)?.map_err(|_| NoLine)?;
        // Without it the connection works too, only slower.
        let _ = stream.set_nodelay(true);
        let way = match &self.secure {
            None => Way::Plain(stream),
            Some((tls, host)) => match secured(tls, host, stream).await {
                Ok(stream) => Way::Secure(Box::new(stream)),
                Err(problem) => {
                    self.note.set(Some(problem));
                    return Err(NoLine);
                }
            },
        };
        Ok(Line { way, heard: Heard::Nothing, note: self.note })
    }
}

async fn secured(
    tls: &Arc<Tls>,
    host: &str,
    stream: TcpStream,
) -> Result<TlsStream<TcpStream>, TlsProblem> {
    let name = tls.name_of(host).map_err(TlsProblem::Settings)?;
    let config = tls.config().await.map_err(TlsProblem::Settings)?;
    let handshake = TlsConnector::from(config).connect(name, stream);
    let stream = match timeout(HANDSHAKE_TIMEOUT, handshake).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(TlsProblem::of_handshake(&error)),
        Err(_) => return Err(TlsProblem::Slow),
    };
    match stream.get_ref().1.alpn_protocol() {
        Some(HTTP2) => Ok(stream),
        Some(_) | None => Err(TlsProblem::NotHttp2),
    }
}

/// A connection.
pub(crate) struct Line {
    way: Way,
    heard: Heard,
    note: Note,
}

enum Way {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

/// Whether anything was heard of a server yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    Nothing,
    Something,
}

impl Line {
    /// Notes what was heard first, or what an error of a secure connection says before anything was
    /// heard. Afterwards it is a connection that breaks, and a server may have got what was sent.
    fn hear(&mut self, read: &io::Result<()>, bytes: &[u8]) {
        let problem = match (read, &self.way, self.heard, bytes.first()) {
            (Err(error), Way::Secure(_), Heard::Nothing, _) => TlsProblem::of_connection(error),
            (Ok(()), Way::Plain(_), Heard::Nothing, Some(byte)) => first_heard(*byte),
            (Ok(()) | Err(_), Way::Plain(_) | Way::Secure(_), _, _) => None,
        };
        if problem.is_some() {
            self.note.set(problem);
        }
        if !bytes.is_empty() {
            self.heard = Heard::Something;
        }
    }

    /// Whoever writes to a server that hung up learns only that it did; what it said before is
    /// waited for. It is there to be read, or the end of the connection is.
    fn written<T>(
        &mut self,
        context: &mut Context<'_>,
        written: io::Result<T>,
    ) -> Poll<io::Result<T>> {
        if let (Err(error), Heard::Nothing) = (&written, self.heard)
            && HUNG_UP.contains(&error.kind())
        {
            let mut room = [0; LAST_WORDS_MAX];
            let mut room = ReadBuf::new(&mut room);
            let read = ready!(self.way.read(context, &mut room));
            self.hear(&read, room.filled());
        }
        Poll::Ready(written)
    }
}

impl Way {
    fn read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self {
            Way::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Way::Secure(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

/// What the first byte says of a server that is spoken to without TLS.
fn first_heard(byte: u8) -> Option<TlsProblem> {
    match byte {
        HTTP1_FIRST => Some(TlsProblem::NotHttp2),
        byte if TLS_FIRST.contains(&byte) => Some(TlsProblem::SecureOnly),
        _ => None,
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(self.way.read(context, buffer));
        self.hear(&read, &buffer.filled()[before..]);
        Poll::Ready(read)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = match &mut self.way {
            Way::Plain(stream) => ready!(Pin::new(stream).poll_write(context, bytes)),
            Way::Secure(stream) => ready!(Pin::new(stream).poll_write(context, bytes)),
        };
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = match &mut self.way {
            Way::Plain(stream) => ready!(Pin::new(stream).poll_write_vectored(context, parts)),
            Way::Secure(stream) => ready!(Pin::new(stream).poll_write_vectored(context, parts)),
        };
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.way {
            Way::Plain(stream) => stream.is_write_vectored(),
            Way::Secure(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = match &mut self.way {
            Way::Plain(stream) => ready!(Pin::new(stream).poll_flush(context)),
            Way::Secure(stream) => ready!(Pin::new(stream).poll_flush(context)),
        };
        self.written(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.way {
            Way::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Way::Secure(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use handfoot_test_kit::{Authority, Front, Gateway, Validity};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
    use tokio::net::TcpListener;

    use super::*;
    use crate::tls::TlsSettings;

    /// The name that the gateway's certificate is for.
    const NAME: &str = "games.test";

    async fn listener() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        (listener, at)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_connection_that_breaks_in_use_says_nothing_of_the_server() {
        let files = tempfile::tempdir().unwrap();
        let (authority, ca_file) = (Authority::new("ours"), files.path().join("authority.pem"));
        std::fs::write(&ca_file, authority.certificate()).unwrap();
        let identity = authority.sign(&[NAME], Validity::Now);
        let front = Front { identity: &identity, clients: None, protocols: &["h2"] };
        // Behind the gateway is one who says a word; before it a way on which nonsense comes.
        let (behind, at) = listener().await;
        let gateway = Gateway::start(&front, at);
        let (before, address) = listener().await;
        tokio::spawn(async move {
            let (mut word, _) = behind.accept().await.unwrap();
            word.write_all(b"x").await.unwrap();
            // It stays there.
            word.read_u8().await
        });
        let (nonsense, wanted) = tokio::sync::oneshot::channel::<()>();
        tokio::spawn(async move {
            let (client, _) = before.accept().await.unwrap();
            let server = TcpStream::connect(gateway.address()).await.unwrap();
            let ((mut asks, mut hears), (mut answers, mut asked)) =
                (client.into_split(), server.into_split());
            tokio::spawn(async move { copy(&mut asks, &mut asked).await });
            tokio::select! {
                _ = copy(&mut answers, &mut hears) => {}
                _ = wanted => hears.write_all(&[0xff; 64]).await.unwrap(),
            }
            hears
        });
        let tls = Tls::new(TlsSettings { ca_file: Some(ca_file), ..TlsSettings::default() });
        let secure = Some((Arc::new(tls), NAME.to_owned()));
        let dial = Dial { address, secure, note: Note::default() };
        let mut line = dial.clone().dial().await.unwrap();
        assert_eq!(line.read_u8().await.unwrap(), b'x');
        nonsense.send(()).unwrap();
        assert!(line.read_u8().await.is_err());
        assert_eq!(dial.note.read(), None);
    }
}
