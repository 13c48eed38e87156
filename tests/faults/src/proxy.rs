//! A TCP proxy that does to a connection what networks do: cuts it, slows it down, swallows what
//! is sent, or loses an answer to what has been done.
//!
//! **Invariant:** bytes are passed as they are or not at all, unless a text is to be replaced by
//! one of the same length. A connection that has lost bytes never passes any again: to whoever
//! speaks on it, it looks as it would in the field.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::setting::Chance;
use crate::trouble::Trouble;

/// Bytes that are passed at once.
const CHUNK: usize = 64 * 1024;

/// What is done to everything that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing.
    Pass,
    /// Every connection is cut, and every new one.
    Cut,
    /// Each chunk waits for so long, in each direction.
    Delay(Duration),
    /// Connections stay open and nothing arrives any more, in either direction.
    HalfOpen,
    /// One answer of so many is lost, with its connection, after its request has arrived.
    LoseAnswers(u32),
    /// Answers say something else, of the same length.
    Replace(&'static str, &'static str),
}

/// A proxy; it ends with the value.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    mode: watch::Sender<Mode>,
    lost: Arc<AtomicU64>,
    accepting: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What all connections share.
#[derive(Clone)]
struct Shared {
    target: SocketAddr,
    mode: watch::Receiver<Mode>,
    lost: Arc<AtomicU64>,
    seed: u64,
}

/// Which way bytes go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Request,
    Answer,
}

/// Why passing ends.
enum Ended {
    /// One of both sides has closed, or is to be cut.
    Closed,
    /// Bytes were swallowed: whoever waits, waits for ever.
    Swallowed,
}

impl Proxy {
    /// Starts one before an address.
    ///
    /// # Errors
    ///
    /// `System` if there is no port.
    pub(crate) async fn start(target: SocketAddr, seed: u64) -> Result<Proxy, Trouble> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.map_err(Trouble::system("listening"))?;
        let address = listener.local_addr().map_err(Trouble::system("listening"))?;
        let (mode, modes) = watch::channel(Mode::Pass);
        let lost = Arc::new(AtomicU64::new(0));
        let shared = Shared { target, mode: modes, lost: Arc::clone(&lost), seed };
        let accepting = tokio::spawn(accept(listener, shared));
        Ok(Proxy { address, mode, lost, accepting })
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on this is done to everything that passes.
    pub(crate) fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// Answers that were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, shared: Shared) {
    // Dropped with this task, and with it all connections.
    let mut passing = tokio::task::JoinSet::new();
    for number in 0.. {
        while passing.try_join_next().is_some() {}
        let Ok((from, _)) = listener.accept().await else { return };
        let mode = *shared.mode.borrow();
        if mode != Mode::Cut {
            passing.spawn(pass(from, shared.clone(), number));
        }
    }
}

/// Passes one connection until it ends.
async fn pass(from: TcpStream, mut shared: Shared, number: u64) {
    shared.mode.mark_unchanged();
    let Ok(to) = TcpStream::connect(shared.target).await else { return };
    for stream in [&from, &to] {
        if stream.set_nodelay(true).is_err() {
            return;
        }
    }
    let ((from_read, from_write), (to_read, to_write)) = (from.into_split(), to.into_split());
    let chance = Chance::seed_from_u64(shared.seed.wrapping_mul(1_000_003).wrapping_add(number));
    let cut = {
        let mut mode = shared.mode.clone();
        async move { mode.wait_for(|mode| *mode == Mode::Cut).await.is_ok() }
    };
    let requests = carry(from_read, to_write, Way::Request, shared.clone(), chance.clone());
    let answers = carry(to_read, from_write, Way::Answer, shared, chance);
    tokio::select! {
        _ = cut => {}
        Ended::Closed = requests => {}
        Ended::Closed = answers => {}
    }
}

/// Passes one direction.
async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    way: Way,
    shared: Shared,
    mut chance: Chance,
) -> Ended {
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match from.read(&mut chunk).await {
            Ok(0) | Err(_) => return Ended::Closed,
            Ok(length) => length,
        };
        let mode = *shared.mode.borrow();
        match (mode, way) {
            (Mode::Pass | Mode::LoseAnswers(_) | Mode::Replace(..), Way::Request)
            | (Mode::Pass, Way::Answer) => {}
            (Mode::Cut, _) => return Ended::Closed,
            (Mode::Delay(time), _) => sleep(time).await,
            (Mode::HalfOpen, _) => {
                swallow(from).await;
                return Ended::Swallowed;
            }
            (Mode::LoseAnswers(one_in), Way::Answer) => {
                if chance.next_u32().is_multiple_of(one_in.max(1)) {
                    shared.lost.fetch_add(1, Ordering::Relaxed);
                    return Ended::Closed;
                }
            }
            (Mode::Replace(old, new), Way::Answer) => replace(&mut chunk[..length], old, new),
        }
        if to.write_all(&chunk[..length]).await.is_err() {
            return Ended::Closed;
        }
    }
}

/// Takes what comes until it is closed, and keeps both sides open as long as the other direction
/// does.
async fn swallow(mut from: OwnedReadHalf) {
    let mut chunk = vec![0; CHUNK];
    while from.read(&mut chunk).await.is_ok_and(|length| length > 0) {}
}

fn replace(chunk: &mut [u8], old: &str, new: &str) {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    if old.is_empty() || old.len() != new.len() {
        return;
    }
    let found: Vec<usize> = (0..chunk.len()).filter(|&at| chunk[at..].starts_with(old)).collect();
    for at in found {
        chunk[at..at + new.len()].copy_from_slice(new);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    /// Long enough for anything that comes at all.
    const COMES: Duration = Duration::from_secs(20);

    /// A server that answers each byte with the next one, and a proxy before it.
    async fn proxied() -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    while let Ok(byte) = stream.read_u8().await {
                        stream.write_u8(byte + 1).await.unwrap();
                    }
                });
            }
        });
        Proxy::start(target, 1).await.unwrap()
    }

    async fn connect(proxy: &Proxy) -> TcpStream {
        TcpStream::connect(proxy.address()).await.unwrap()
    }

    /// What comes back; none if the connection is closed.
    async fn ask(stream: &mut TcpStream, byte: u8) -> Option<u8> {
        stream.write_u8(byte).await.ok()?;
        timeout(COMES, stream.read_u8()).await.expect("something comes, or the end").ok()
    }

    #[tokio::test]
    async fn bytes_pass_and_connections_are_cut() {
        let proxy = proxied().await;
        let mut stream = connect(&proxy).await;
        assert_eq!(ask(&mut stream, 1).await, Some(2));
        proxy.set(Mode::Cut);
        assert_eq!(timeout(COMES, stream.read_u8()).await.unwrap().ok(), None);
        assert_eq!(ask(&mut connect(&proxy).await, 1).await, None);
        proxy.set(Mode::Pass);
        assert_eq!(ask(&mut connect(&proxy).await, 4).await, Some(5));
    }

    #[tokio::test]
    async fn a_half_open_connection_stays_dead_and_new_ones_do_not() {
        let proxy = proxied().await;
        let mut stream = connect(&proxy).await;
        assert_eq!(ask(&mut stream, 1).await, Some(2));
        proxy.set(Mode::HalfOpen);
        stream.write_u8(2).await.unwrap();
        assert!(timeout(Duration::from_millis(200), stream.read_u8()).await.is_err());
        proxy.set(Mode::Pass);
        stream.write_u8(3).await.unwrap();
        assert_eq!(ask(&mut connect(&proxy).await, 4).await, Some(5));
        assert!(timeout(Duration::from_millis(200), stream.read_u8()).await.is_err());
    }

    #[tokio::test]
    async fn an_answer_is_lost_with_its_connection() {
        let proxy = proxied().await;
        proxy.set(Mode::LoseAnswers(1));
        assert_eq!(ask(&mut connect(&proxy).await, 1).await, None);
        assert_eq!(proxy.lost(), 1);
        proxy.set(Mode::Pass);
        assert_eq!(ask(&mut connect(&proxy).await, 1).await, Some(2));
    }

    #[tokio::test]
    async fn answers_are_late_or_say_something_else() {
        let proxy = proxied().await;
        let mut stream = connect(&proxy).await;
        proxy.set(Mode::Delay(Duration::from_millis(30)));
        let asked = tokio::time::Instant::now();
        assert_eq!(ask(&mut stream, 1).await, Some(2));
        assert!(asked.elapsed() >= Duration::from_millis(60));
        proxy.set(Mode::Replace("C", "x"));
        assert_eq!(ask(&mut stream, b'B').await, Some(b'x'));
        assert_eq!(ask(&mut stream, b'C').await, Some(b'D'));
    }
}
