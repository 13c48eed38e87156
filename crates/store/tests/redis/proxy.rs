//! A way to a server on which answers can be lost.
//!
//! **Invariant:** what a client sends always arrives. Lines on which answers are lost stay open, as
//! those do whose other side has gone without a word.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::servers::Server;

/// A proxy before a server.
pub(super) struct Proxy {
    address: SocketAddr,
    /// How often answers were cut off: lines made before hear no more.
    n_cuts: watch::Sender<u64>,
}

impl Proxy {
    pub(super) async fn before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let (address, port) = (listener.local_addr().expect("it has one"), server.port);
        let n_cuts = watch::Sender::new(0);
        let cuts = n_cuts.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, port, cuts.clone()));
            }
        });
        Self { address, n_cuts }
    }

    pub(super) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// Loses all answers on lines that there are now.
    pub(super) fn lose_answers(&self) {
        self.n_cuts.send_modify(|n| *n += 1);
    }
}

async fn pass(client: TcpStream, port: u16, cuts: watch::Receiver<u64>) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    let (mut asks, hears) = client.into_split();
    let (answers, mut asked) = server.into_split();
    let n_cuts = cuts.clone();
    let before = *n_cuts.borrow();
    tokio::spawn(answer(answers, hears, cuts));
    // A client that has gone is one.
    let _ = copy(&mut asks, &mut asked).await;
    if *n_cuts.borrow() > before {
        // The server is not told of it either.
        std::future::pending::<()>().await;
    }
}

async fn answer(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut cuts: watch::Receiver<u64>) {
    let (before, mut chunk) = (*cuts.borrow_and_update(), [0; 4096]);
    loop {
        let length = tokio::select! {
            biased;
            _ = cuts.wait_for(|n| *n > before) => break,
            read = from.read(&mut chunk) => read.unwrap_or(0),
        };
        if length == 0 || to.write_all(&chunk[..length]).await.is_err() {
            return;
        }
    }
    // A server that has gone is one.
    let _ = copy(&mut from, &mut sink()).await;
}
