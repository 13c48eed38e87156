//! Real sockets: several servers, some of which are gone.
//!
//! **Invariant:** real time, because sockets do not wait for a paused clock.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use handfoot_client::{
    ClientError, Connection, PlatformClient, PlatformCredential, Resolve, Settings,
};
use handfoot_protocol::v1;
use handfoot_protocol::v1::server_service_server::{ServerService, ServerServiceServer};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// A server that says its name.
struct Named(&'static str);

#[tonic::async_trait]
impl ServerService for Named {
    async fn get_server_info(
        &self,
        _: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        let server_version = self.0.to_owned();
        Ok(Response::new(v1::GetServerInfoResponse { server_version, ..Default::default() }))
    }
}

/// A server with threads of its own, so that it dies with all its connections.
pub(crate) struct Server {
    pub(crate) at: SocketAddr,
    threads: Option<Runtime>,
}

impl Server {
    pub(crate) fn start(name: &'static str, at: SocketAddr) -> Server {
        let mut threads = tokio::runtime::Builder::new_multi_thread();
        let threads = threads.worker_threads(1).enable_all().build().unwrap();
        let listener = std::net::TcpListener::bind(at).unwrap();
        listener.set_nonblocking(true).unwrap();
        let at = listener.local_addr().unwrap();
        threads.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            tonic::transport::Server::builder()
                .add_service(ServerServiceServer::new(Named(name)))
                .serve_with_incoming(TcpListenerStream::new(listener))
                .await
                .unwrap();
        });
        Server { at, threads: Some(threads) }
    }

    async fn die(mut self) {
        let threads = self.threads.take().unwrap();
        let end = || threads.shutdown_timeout(Duration::from_secs(1));
        tokio::task::spawn_blocking(end).await.unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// A port that nobody listens on.
async fn nobody() -> SocketAddr {
    TcpListener::bind(free()).await.unwrap().local_addr().unwrap()
}

pub(crate) fn free() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

#[derive(Clone, Default)]
pub(crate) struct Names(pub(crate) Arc<Mutex<Vec<SocketAddr>>>);

impl Resolve for Names {
    fn resolve<'a>(
        &'a self,
        _: &'a str,
        _: u16,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>> {
        let now = self.0.lock().unwrap().clone();
        Box::pin(std::future::ready(Ok(now)))
    }
}

fn client(names: &Names) -> PlatformClient {
    let settings = Settings {
        resolve_every: Duration::from_secs(1),
        jitter_seed: Some(1),
        resolver: Some(Arc::new(names.clone())),
        ..Settings::default()
    };
    let connection = Connection::to(vec!["games:1".parse().unwrap()], &settings);
    PlatformClient::new(connection, PlatformCredential::new("key").unwrap())
}

pub(crate) async fn name_of_server(client: &PlatformClient) -> Result<String, ClientError> {
    let info = client.get_server_info(v1::GetServerInfoRequest {}).await?;
    Ok(info.server_version)
}

/// Fault list: R99.
#[tokio::test]
async fn requests_go_round_pass_over_the_dead_and_follow_the_name() {
    let names = Names::default();
    let (one, two) = (Server::start("one", free()), Server::start("two", free()));
    let dead = nobody().await;
    names.0.lock().unwrap().extend([dead, one.at, two.at]);
    let client = client(&names);
    let mut answered: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..12 {
        *answered.entry(name_of_server(&client).await.unwrap()).or_default() += 1;
    }
    assert!(answered["one"] >= 3 && answered["two"] >= 3, "{answered:?}");
    // One server goes away between calls, and then the other: no call fails.
    one.die().await;
    for _ in 0..6 {
        assert_eq!(name_of_server(&client).await.unwrap(), "two");
    }
    let three = Server::start("three", free());
    *names.0.lock().unwrap() = vec![three.at];
    two.die().await;
    for _ in 0..6 {
        assert_eq!(name_of_server(&client).await.unwrap(), "three");
    }
}

#[tokio::test]
async fn a_call_waits_for_a_server_that_starts_later() {
    let names = Names::default();
    let at = nobody().await;
    names.0.lock().unwrap().push(at);
    let client = client(&names);
    let started_later = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Server::start("late", at)
    };
    let (name, _server) = tokio::join!(name_of_server(&client), started_later);
    assert_eq!(name.unwrap(), "late");
}

#[tokio::test]
async fn nobody_at_all_is_an_error_in_time() {
    let names = Names::default();
    let dead = nobody().await;
    names.0.lock().unwrap().push(dead);
    let client = client(&names);
    let told = tokio::time::timeout(Duration::from_secs(60), name_of_server(&client)).await;
    let error = told.expect("it is told").unwrap_err();
    assert!(
        matches!(error, ClientError::NotReached | ClientError::DeadlineExceeded { .. }),
        "{error:?}"
    );
}
