//! The server of the baselines: an echo, fanned out to whoever watches the same table.
//!
//! **Invariant:** the least that tonic can do: no layer, no limit, no check.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::io::Write;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService, ServerStreamingService, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use tower_service::Service;

use super::message::{ECHO, Ping, Pong, WATCH, payload};
use crate::trouble::Trouble;

type Watchers = Vec<mpsc::UnboundedSender<Pong>>;

/// The service.
#[derive(Clone, Debug, Default)]
struct Bare {
    watchers: Arc<Mutex<BTreeMap<u32, Watchers>>>,
}

/// Serves on a free port of this machine and says where, until the process ends.
///
/// # Errors
///
/// `System` or `Connection`.
pub(crate) async fn serve() -> Result<(), Trouble> {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.map_err(Trouble::system("listening on a free port"))?;
    let address = listener.local_addr().map_err(Trouble::system("asking for the port"))?;
    let mut out = std::io::stdout();
    let said = writeln!(out, "bare on {address}\nplatform credential: none\nbot credential: none");
    said.and_then(|()| out.flush()).map_err(Trouble::system("saying where it listens"))?;
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    Ok(Server::builder().add_service(Bare::default()).serve_with_incoming(incoming).await?)
}

impl Bare {
    fn echo(&self, ping: &Ping) -> Pong {
        if ping.item_bytes > 0 {
            let watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
            for watcher in watchers.get(&ping.table).into_iter().flatten() {
                // Who no longer watches gets none.
                let _ = watcher.send(Pong { payload: payload(ping.item_bytes as usize) });
            }
        }
        Pong { payload: payload(ping.answer_bytes as usize) }
    }

    fn watch(&self, ping: &Ping) -> UnboundedReceiverStream<Pong> {
        let (sender, receiver) = mpsc::unbounded_channel();
        // The first item says that all others will come.
        let _ = sender.send(Pong::default());
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.entry(ping.table).or_default().push(sender);
        UnboundedReceiverStream::new(receiver)
    }
}

struct Echo(Bare);

impl UnaryService<Ping> for Echo {
    type Response = Pong;
    type Future = Ready<Result<Response<Pong>, Status>>;

    fn call(&mut self, request: Request<Ping>) -> Self::Future {
        ready(Ok(Response::new(self.0.echo(request.get_ref()))))
    }
}

struct Watch(Bare);

type Items = Pin<Box<dyn tokio_stream::Stream<Item = Result<Pong, Status>> + Send>>;

impl ServerStreamingService<Ping> for Watch {
    type Response = Pong;
    type ResponseStream = Items;
    type Future = Ready<Result<Response<Items>, Status>>;

    fn call(&mut self, request: Request<Ping>) -> Self::Future {
        let items: Items = Box::pin(self.0.watch(request.get_ref()).map(Ok));
        ready(Ok(Response::new(items)))
    }
}

impl NamedService for Bare {
    const NAME: &'static str = "handfoot.load.Bare";
}

impl Service<http::Request<Body>> for Bare {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let bare = self.clone();
        Box::pin(async move {
            let mut grpc = Grpc::new(ProstCodec::default());
            Ok(match request.uri().path() {
                ECHO => grpc.unary(Echo(bare), request).await,
                WATCH => grpc.server_streaming(Watch(bare), request).await,
                _ => Status::unimplemented("no such method").into_http(),
            })
        })
    }
}
