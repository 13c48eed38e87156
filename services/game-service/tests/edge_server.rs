//! The server around its services: health, reflection, limits, and how it ends.

use std::sync::Arc;
use std::time::Duration;

use handfoot_game_service::drain::Drain;
use handfoot_game_service::health::{HealthBook, Readiness};
use handfoot_game_service::server::{
    Ended, Listeners, ServeError, Settings, StartError, bind, connections, run, serve,
    standard_routes,
};
use handfoot_protocol::v1::server_service_client::ServerServiceClient;
use handfoot_protocol::v1::server_service_server::{ServerService, ServerServiceServer};
use handfoot_protocol::v1::{GetServerInfoRequest, GetServerInfoResponse};
use handfoot_store::TableStore;
use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::{ReceiverStream, UnboundedReceiverStream};
use tonic::service::Routes;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

type Serving = JoinHandle<Result<Ended, ServeError>>;

/// A server without a port.
struct House {
    drain: Drain,
    health: HealthBook,
    serving: Serving,
    door: mpsc::UnboundedSender<std::io::Result<DuplexStream>>,
}

impl House {
    fn with(service: Option<Odd>) -> Self {
        let drain = Drain::new();
        let health = HealthBook::new(drain.clone());
        let mut routes = standard_routes(&health).unwrap();
        if let Some(service) = service {
            routes.add_service(ServerServiceServer::new(service));
        }
        let (door, connections) = mpsc::unbounded_channel();
        let served = serve_all(connections, routes.routes(), drain.clone());
        Self { drain, health, serving: tokio::spawn(served), door }
    }

    fn new() -> Self {
        Self::with(None)
    }

    /// A connection; nothing is sent on it yet.
    fn knock(&self) -> DuplexStream {
        let (inside, outside) = tokio::io::duplex(64 * 1024);
        self.door.send(Ok(inside)).unwrap();
        outside
    }

    async fn channel(&self) -> Channel {
        let mut outside = Some(TokioIo::new(self.knock()));
        let connector = tower::service_fn(move |_| {
            let outside = outside.take().ok_or(std::io::Error::other("one connection only"));
            async move { outside }
        });
        Endpoint::from_static("http://in.memory").connect_with_connector(connector).await.unwrap()
    }
}

async fn serve_all(
    connections: mpsc::UnboundedReceiver<std::io::Result<DuplexStream>>,
    routes: Routes,
    drain: Drain,
) -> Result<Ended, ServeError> {
    serve(UnboundedReceiverStream::new(connections), routes, &Settings::USUAL, drain).await
}

fn asked(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned() }
}

async fn status(health: &mut HealthClient<Channel>, service: &str) -> Result<ServingStatus, Code> {
    let answer = health.check(asked(service)).await.map_err(|status| status.code())?;
    Ok(answer.get_ref().status())
}

#[tokio::test(start_paused = true)]
async fn health_tells_the_process_from_its_readiness() {
    let house = House::new();
    let mut health = HealthClient::new(house.channel().await);
    assert_eq!(status(&mut health, "liveness").await, Ok(ServingStatus::Serving));
    for name in ["", "readiness"] {
        assert_eq!(status(&mut health, name).await, Ok(ServingStatus::NotServing));
    }
    house.health.set(Readiness::Ready);
    for name in ["", "readiness"] {
        assert_eq!(status(&mut health, name).await, Ok(ServingStatus::Serving));
    }
    house.health.set(Readiness::StoreAway);
    assert_eq!(status(&mut health, "liveness").await, Ok(ServingStatus::Serving));
    assert_eq!(status(&mut health, "readiness").await, Ok(ServingStatus::NotServing));
    assert_eq!(status(&mut health, "nothing").await, Err(Code::NotFound));
}

/// Fault list: R98.
#[tokio::test(start_paused = true)]
async fn a_watcher_of_health_is_told_of_the_drain_and_keeps_nobody_waiting() {
    let house = House::new();
    house.health.set(Readiness::Ready);
    let mut health = HealthClient::new(house.channel().await);
    let mut watched = health.watch(asked("readiness")).await.unwrap().into_inner();
    let mut unknown = health.watch(asked("nothing")).await.unwrap().into_inner();
    let mut next = async || watched.message().await.unwrap().map(|item| item.status());
    assert_eq!(next().await, Some(ServingStatus::Serving));
    let item = unknown.message().await.unwrap().unwrap();
    assert_eq!(item.status(), ServingStatus::ServiceUnknown);
    let started = Instant::now();
    house.drain.start();
    assert_eq!(house.health.readiness(), Readiness::Closed);
    assert_eq!(next().await, Some(ServingStatus::NotServing));
    assert_eq!(next().await, None);
    assert_eq!(unknown.message().await.unwrap(), None);
    drop((health, watched, unknown));
    assert_eq!(house.serving.await.unwrap().unwrap(), Ended::Drained);
    assert!(started.elapsed() < Duration::from_secs(1));
}

/// Fault list: R98.
#[tokio::test(start_paused = true)]
async fn a_stream_that_its_caller_holds_open_is_cut_when_time_is_up() {
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    let house = House::new();
    let mut reflection = ServerReflectionClient::new(house.channel().await);
    // The caller never ends its side, so the server's side would not end either.
    let (_held, requests) = mpsc::channel(1);
    let held = reflection.server_reflection_info(ReceiverStream::new(requests)).await.unwrap();
    let started = Instant::now();
    house.drain.start();
    assert_eq!(house.serving.await.unwrap().unwrap(), Ended::Cut);
    assert_eq!(started.elapsed().as_secs(), Settings::USUAL.drain.as_secs());
    drop(held);
}

/// Fault list: R98.
#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_does_not_hold_up_the_end() {
    let house = House::new();
    let silent = house.knock();
    let mut health = HealthClient::new(house.channel().await);
    assert_eq!(status(&mut health, "liveness").await, Ok(ServingStatus::Serving));
    let started = Instant::now();
    house.drain.start();
    drop(health);
    assert_eq!(house.serving.await.unwrap().unwrap(), Ended::Drained);
    assert!(started.elapsed() < Duration::from_secs(1));
    drop(silent);
}

#[tokio::test(start_paused = true)]
async fn reflection_names_the_services_in_both_versions() {
    let house = House::new();
    let channel = house.channel().await;
    let v1 = {
        use tonic_reflection::pb::v1::ServerReflectionRequest;
        use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
        use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
        let list = MessageRequest::ListServices(String::new());
        let request = ServerReflectionRequest { host: String::new(), message_request: Some(list) };
        let mut client = ServerReflectionClient::new(channel.clone());
        let answers = client.server_reflection_info(tokio_stream::once(request)).await.unwrap();
        let answer = answers.into_inner().next().await.unwrap().unwrap();
        format!("{:?}", answer.message_response)
    };
    let v1alpha = {
        use tonic_reflection::pb::v1alpha::ServerReflectionRequest;
        use tonic_reflection::pb::v1alpha::server_reflection_client::ServerReflectionClient;
        use tonic_reflection::pb::v1alpha::server_reflection_request::MessageRequest;
        let list = MessageRequest::ListServices(String::new());
        let request = ServerReflectionRequest { host: String::new(), message_request: Some(list) };
        let mut client = ServerReflectionClient::new(channel);
        let answers = client.server_reflection_info(tokio_stream::once(request)).await.unwrap();
        let answer = answers.into_inner().next().await.unwrap().unwrap();
        format!("{:?}", answer.message_response)
    };
    for text in [v1, v1alpha] {
        for name in ["handfoot.v1.PlayService", "handfoot.v1.TableService", "grpc.health.v1.Health"]
        {
            assert!(text.contains(name), "{name} is not in {text}");
        }
    }
}

/// A service that does what none should.
#[derive(Clone, Copy, Debug)]
enum Odd {
    Panics,
    NeverAnswers,
}

#[tonic::async_trait]
impl ServerService for Odd {
    async fn get_server_info(
        &self,
        _: Request<GetServerInfoRequest>,
    ) -> Result<Response<GetServerInfoResponse>, Status> {
        match self {
            Odd::Panics => panic!("planted: a fault of a handler"),
            Odd::NeverAnswers => std::future::pending().await,
        }
    }
}

fn reason(status: &Status) -> String {
    let reason = status.metadata().get("hf-reason");
    reason.map(|reason| reason.to_str().unwrap().to_owned()).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_ends_its_call_and_no_other() {
    let house = House::with(Some(Odd::Panics));
    let channel = house.channel().await;
    let mut health = HealthClient::new(channel.clone());
    let mut watched = health.watch(asked("liveness")).await.unwrap().into_inner();
    let mut client = ServerServiceClient::new(channel);
    let status_of = client.get_server_info(GetServerInfoRequest {}).await.unwrap_err();
    assert_eq!((status_of.code(), &*reason(&status_of)), (Code::Internal, "INTERNAL"));
    assert!(!status_of.message().contains("planted"));
    assert_eq!(watched.message().await.unwrap().unwrap().status(), ServingStatus::Serving);
    assert_eq!(status(&mut health, "liveness").await, Ok(ServingStatus::Serving));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_to_be_sent_again() {
    let house = House::with(Some(Odd::NeverAnswers));
    let mut client = ServerServiceClient::new(house.channel().await);
    let started = Instant::now();
    let status = client.get_server_info(GetServerInfoRequest {}).await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 5);
    assert_eq!((status.code(), &*reason(&status)), (Code::Unavailable, "COMMIT_UNCONFIRMED"));
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_finishes_within_its_own_limit_when_a_drain_starts() {
    let house = House::with(Some(Odd::NeverAnswers));
    let mut client = ServerServiceClient::new(house.channel().await);
    let call = tokio::spawn(async move { client.get_server_info(GetServerInfoRequest {}).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    house.drain.start();
    assert_eq!(call.await.unwrap().unwrap_err().code(), Code::Unavailable);
    assert_eq!(house.serving.await.unwrap().unwrap(), Ended::Drained);
}

/// Sends a body as it stands.
async fn raw(channel: &mut Channel, path: &str, body: &[u8]) -> Status {
    use tower::{Service, ServiceExt};
    let body = String::from_utf8(body.to_vec()).unwrap();
    let request = http::Request::post(format!("http://in.memory{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(tonic::body::Body::new(body))
        .unwrap();
    let answer = channel.ready().await.unwrap().call(request).await.unwrap();
    Status::from_header_map(answer.headers()).unwrap_or_else(|| Status::ok("with a body"))
}

#[tokio::test(start_paused = true)]
async fn what_is_no_request_is_refused_with_a_reason() {
    let house = House::with(Some(Odd::NeverAnswers));
    let mut channel = house.channel().await;
    let info = "/handfoot.v1.ServerService/GetServerInfo";
    let bodies: [&[u8]; 6] = [
        b"",
        b"x",
        b"\0\0\0\0\x05abc",
        b"\0\0\0\0\x03abc",
        b"\x01\0\0\0\x03abc",
        b"\0\x7f\x7f\x7f\x7fabc",
    ];
    for body in bodies {
        let status = raw(&mut channel, info, body).await;
        let refused = (Code::InvalidArgument, "FIELD_INVALID");
        assert_eq!((status.code(), &*reason(&status)), refused, "{body:?}: {status:?}");
    }
    for path in ["/handfoot.v1.ServerService/Nothing", "/nothing.At/All", "/", "/a%20b"] {
        let status = raw(&mut channel, path, b"\0\0\0\0\0").await;
        let refused = (Code::Unimplemented, "NOT_IMPLEMENTED");
        assert_eq!((status.code(), &*reason(&status)), refused, "{path}: {status:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn readiness_follows_the_store_but_not_at_once() {
    let drain = Drain::new();
    let health = HealthBook::new(drain.clone());
    let store = handfoot_store::open("memory:").unwrap();
    let followed = tokio::spawn(health.clone().follow(Arc::clone(&store)));
    let wait = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
    wait(1).await;
    assert_eq!(health.readiness(), Readiness::Ready);
    store.close().await.unwrap();
    wait(6).await;
    assert_eq!(health.readiness(), Readiness::Ready);
    wait(8).await;
    assert_eq!(health.readiness(), Readiness::StoreAway);
    drain.start();
    followed.await.unwrap();
    assert_eq!(health.readiness(), Readiness::Closed);
}

#[tokio::test]
async fn a_port_in_use_says_what_to_do() {
    let first = bind("127.0.0.1:0".parse().unwrap(), "HANDFOOT_LISTEN").await.unwrap();
    let address = first.local_addr().unwrap();
    let error = bind(address, "HANDFOOT_LISTEN").await.unwrap_err();
    assert!(matches!(error, StartError::PortInUse { .. }));
    assert_eq!(error.exit().code(), 69);
    let text = error.to_string();
    let parts = [&*address.to_string(), "in use by another program", "HANDFOOT_LISTEN"];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    let error = bind("192.0.2.1:1".parse().unwrap(), "HANDFOOT_LISTEN").await.unwrap_err();
    assert_eq!(error.exit().code(), 69);
}

#[tokio::test]
async fn a_server_on_ports_drains_and_closes_its_store() {
    let drain = Drain::new();
    let health = HealthBook::new(drain.clone());
    let store = handfoot_store::open("memory:").unwrap();
    let address = "127.0.0.1:0".parse().unwrap();
    let listeners = Listeners {
        api: bind(address, "HANDFOOT_LISTEN").await.unwrap(),
        health: Some(bind(address, "HANDFOOT_HEALTH_LISTEN").await.unwrap()),
        metrics: None,
    };
    let ports = [&listeners.api, listeners.health.as_ref().unwrap()];
    let urls = ports.map(|listener| format!("http://{}", listener.local_addr().unwrap()));
    let routes = standard_routes(&health).unwrap().routes();
    let kept: Arc<dyn TableStore> = Arc::clone(&store);
    let ending = drain.clone();
    let serving = tokio::spawn(async move {
        run(listeners, routes, &Settings::USUAL, kept, health, ending).await
    });
    for url in urls {
        let channel = Endpoint::from_shared(url).unwrap().connect().await.unwrap();
        let mut client = HealthClient::new(channel);
        assert_eq!(status(&mut client, "liveness").await, Ok(ServingStatus::Serving));
        let mut watched = client.watch(asked("readiness")).await.unwrap().into_inner();
        while watched.message().await.unwrap().unwrap().status() != ServingStatus::Serving {}
    }
    drain.start();
    assert_eq!(serving.await.unwrap().unwrap(), Ended::Drained);
    assert!(store.healthy().await.is_err());
}

#[tokio::test]
async fn a_socket_gives_its_connections() {
    let listener = bind("127.0.0.1:0".parse().unwrap(), "HANDFOOT_LISTEN").await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = connections(listener);
    tokio::pin!(accepted);
    let (client, server) = tokio::join!(tokio::net::TcpStream::connect(address), accepted.next());
    assert_eq!(
        server.unwrap().unwrap().peer_addr().unwrap(),
        client.unwrap().local_addr().unwrap()
    );
}
