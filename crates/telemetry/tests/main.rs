//! Metrics over HTTP, from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use handfoot_telemetry::{
    CALLS_OF_SERVER, Definition, Exposed, Kind, Label, Program, Reading, Registry, STREAMS_OPEN,
    ServerCalls, Values, reference,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tonic::Code;

const PROGRAM: Program = Program { name: "game-service", version: "1.2.3" };

const ROOMS: Definition = Definition {
    name: "rooms",
    kind: Kind::Gauge,
    help: "Rooms.",
    labels: &[Label { name: "floor", values: Values::Of(&["first", "second", ""]) }],
};

/// A server, and whether it is ready.
struct House {
    address: SocketAddr,
    ready: Arc<AtomicBool>,
    end: oneshot::Sender<()>,
    serving: tokio::task::JoinHandle<()>,
}

impl House {
    async fn new(registry: Registry) -> House {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ready = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&ready);
        let exposed =
            Exposed { listener, registry, ready: Arc::new(move || asked.load(Ordering::SeqCst)) };
        let (end, told) = oneshot::channel();
        let serving = tokio::spawn(exposed.serve(async move {
            let _ = told.await;
        }));
        House { address, ready, end, serving }
    }

    async fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!("{request} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

#[tokio::test]
async fn metrics_and_health_are_shown_and_nothing_else_is() {
    let registry = Registry::new(&PROGRAM).unwrap();
    let house = House::new(registry).await;
    let metrics = house.ask("GET /metrics").await;
    assert!(metrics.starts_with("HTTP/1.1 200 OK"), "{metrics}");
    assert!(metrics.contains("content-type: text/plain; version=0.0.4"), "{metrics}");
    let build = "handfoot_build_info{program=\"game-service\",version=\"1.2.3\"} 1";
    assert!(metrics.contains(build), "{metrics}");
    assert!(metrics.contains("# TYPE process_cpu_seconds_total counter"), "{metrics}");
    assert!(house.ask("GET /livez").await.starts_with("HTTP/1.1 200 OK"));
    assert!(house.ask("GET /readyz").await.starts_with("HTTP/1.1 503"));
    house.ready.store(true, Ordering::SeqCst);
    assert!(house.ask("GET /readyz").await.starts_with("HTTP/1.1 200 OK"));
    assert!(house.ask("HEAD /livez").await.starts_with("HTTP/1.1 200 OK"));
    assert!(house.ask("GET /").await.starts_with("HTTP/1.1 404"));
    assert!(house.ask("GET /metrics/x").await.starts_with("HTTP/1.1 404"));
    assert!(house.ask("POST /metrics").await.starts_with("HTTP/1.1 405"));
    assert!(house.ask("nonsense").await.starts_with("HTTP/1.1 400"));
    house.end.send(()).unwrap();
    house.serving.await.unwrap();
    assert!(TcpStream::connect(house.address).await.is_err(), "the port is given back");
}

#[tokio::test(start_paused = true)]
async fn callers_who_say_nothing_keep_nobody_else_out_for_ever() {
    let house = House::new(Registry::new(&PROGRAM).unwrap()).await;
    let mut silent = Vec::new();
    for _ in 0..16 {
        silent.push(TcpStream::connect(house.address).await.unwrap());
    }
    // All places are taken: it is answered when the silent ones are cut, after five seconds.
    assert!(house.ask("GET /livez").await.starts_with("HTTP/1.1 200 OK"));
    drop(silent);
}

#[test]
fn calls_are_counted_once_whatever_becomes_of_them() {
    let registry = Registry::new(&PROGRAM).unwrap();
    let calls = ServerCalls::new(&registry).unwrap();
    let method = Arc::from("a.B/C");
    calls.begin(Some(&method)).end(Code::Ok);
    calls.begin(Some(&method)).end(Code::Unavailable);
    calls.begin(None).end(Code::Unimplemented);
    let mut stream = calls.begin(Some(&method));
    calls.open(&mut stream);
    let line = |method: &str, code: &str, fault: &str| {
        format!(
            "rpc_server_call_duration_seconds_count{{error_type=\"{fault}\",\
             rpc_method=\"{method}\",rpc_response_status_code=\"{code}\",\
             rpc_system_name=\"grpc\"}} 1\n"
        )
    };
    let text = registry.text();
    for line in [
        line("a.B/C", "OK", ""),
        line("a.B/C", "UNAVAILABLE", "UNAVAILABLE"),
        line("_OTHER", "UNIMPLEMENTED", "UNIMPLEMENTED"),
        "handfoot_open_streams{rpc_method=\"a.B/C\"} 1\n".to_owned(),
    ] {
        assert!(text.contains(&line), "{line} is not in {text}");
    }
    // Its caller gives it up.
    drop(stream);
    let text = registry.text();
    assert!(text.contains(&line("a.B/C", "CANCELLED", "")), "{text}");
    assert!(text.contains("handfoot_open_streams{rpc_method=\"a.B/C\"} 0\n"), "{text}");
}

#[test]
fn numbers_that_are_read_when_somebody_asks_have_their_labels() {
    let registry = Registry::new(&PROGRAM).unwrap();
    let read = || vec![Reading { labels: vec!["first"], value: 7.0 }];
    registry.read(&ROOMS, read).unwrap();
    let text = registry.text();
    assert!(text.contains("# TYPE rooms gauge\nrooms{floor=\"first\"} 7\n"), "{text}");
    let again = registry.read(&ROOMS, read).unwrap_err();
    assert!(again.to_string().contains("please report it"), "{again}");
}

#[test]
fn what_there_is_is_written_down() {
    let text = reference(&[&ROOMS, &CALLS_OF_SERVER, &STREAMS_OPEN]);
    let rooms = "### `rooms`\n\nRooms.\nIt is a gauge.\n\n- `floor`: `first`, `second`, none\n\n";
    assert!(text.starts_with(rooms), "{text}");
    assert!(text.contains("Bounds: 0.005, 0.01, 0.025"), "{text}");
}
