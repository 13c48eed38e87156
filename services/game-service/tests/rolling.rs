//! Replicas that are replaced one after the other while games go on: real processes over one Redis.
//!
//! **Invariant:** real time and real sockets. Who plays here is the client that others use, and it
//! is told of no replica but by its name.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use handfoot_client::{
    Connection, Decision, PlatformClient, PlatformCredential, PlayClient, Resolve, SeatToken,
    Settings, Update,
};
use handfoot_processes::redis::Server;
use handfoot_protocol::v1;
use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_protocol::v1::table_service_client::TableServiceClient;
use handfoot_protocol::v1::watch_table_response::Item;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::Streaming;
use tonic::transport::Channel;

use crate::api::kit::{bearer, person};
use crate::edge_process::{Served, ended};

/// Tables that are played all the while.
const TABLES: u64 = 8;

/// A word that nothing may hold that is printed.
const SECRET: &str = "hidden-word";

/// How long a fact may take to come about that is sure to come, on a machine that does other things
/// too.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the name of the service stands for.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<SocketAddr>>>);

impl Names {
    fn are(&self, replicas: &[&Served]) {
        let addresses = replicas.iter().map(|replica| replica.address().parse().unwrap());
        *self.0.lock().unwrap() = addresses.collect();
    }
}

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

/// Players at their tables, until they are told to stop.
#[derive(Clone)]
struct Load {
    is_over: Arc<AtomicBool>,
    n_played: watch::Sender<u64>,
}

impl Load {
    fn new() -> Load {
        Load { is_over: Arc::default(), n_played: watch::Sender::new(0) }
    }

    /// Waits until so many more decisions were played.
    async fn goes_on(&self, n_more: u64) {
        let mut played = self.n_played.subscribe();
        let until = *played.borrow() + n_more;
        let waited = timeout(PATIENCE, played.wait_for(|n| *n >= until)).await;
        drop(waited.expect("somebody plays").unwrap());
    }

    /// Plays one table, and says in the end which version it has come to.
    async fn play(self, seats: Vec<PlayClient>, newest: watch::Sender<u64>) {
        loop {
            let known = seats[0].view().await.expect("the client tries again");
            if self.is_over.load(Ordering::Relaxed) {
                newest.send_replace(known.stamp.version);
                return;
            }
            let seat = known.view.table.to_act().expect("the game goes on").index() + 1;
            let legal = seats[seat].legal().await.expect("the client tries again");
            // Draws come first in the list, and the last is a discard: the game moves on.
            let action = legal.actions.last().cloned().expect("a seat that is to act may act");
            let decision = Decision::new(legal.version, vec![action]);
            seats[seat].submit(&decision).await.expect("the client tries again");
            self.n_played.send_modify(|n| *n += 1);
        }
    }
}

/// Follows a table until it is told of a version and has seen that; gives how often the stream was
/// opened.
async fn follow(seat: PlayClient, mut newest: watch::Receiver<u64>) -> u64 {
    let mut table = seat.watch();
    let mut seen = None;
    while *newest.borrow() == 0 || seen < Some(*newest.borrow()) {
        let update = tokio::select! {
            update = table.next() => update.expect("it opens the stream again"),
            _ = newest.changed() => continue,
        };
        match update {
            Update::Snapshot { cause, .. } => {
                assert_eq!((cause, seen), (v1::SnapshotCause::Start, None), "only the first");
                seen = table.known().map(|known| known.stamp.version);
            }
            Update::Commit(step) => {
                let next = step.commit.stamp.unwrap().version;
                assert_eq!(seen.map(|seen| seen + 1), Some(next), "no gap, and nothing twice");
                seen = Some(next);
            }
            Update::Presence(_) | Update::Heartbeat => {}
            Update::Closed => panic!("the game goes on"),
        }
    }
    table.opened()
}

/// A started table with people, and a client for each seat; a spectator comes first.
async fn table(
    platform: &PlatformClient,
    connection: &Connection,
    number: u64,
) -> (String, Vec<PlayClient>) {
    let request = v1::CreateTableRequest { chosen_seed: Some(number), ..Default::default() };
    let table_id = platform.create(request).await.unwrap().table.unwrap().table_id;
    for seat in 1..=4 {
        let (table_id, occupancy) = (table_id.clone(), Some(person(&format!("player-{seat}"))));
        platform
            .seat(v1::SetSeatRequest { table_id, seat, occupancy, ..Default::default() })
            .await
            .unwrap();
    }
    let started = v1::StartTableRequest { table_id: table_id.clone() };
    platform.start_table(started).await.unwrap();
    let mut seats = Vec::new();
    for seat in 0..=4 {
        let table_id = table_id.clone();
        let request = v1::IssueSeatTokenRequest { table_id, seat, ..Default::default() };
        let token: SeatToken = platform.issue(request).await.unwrap().token;
        seats.push(PlayClient::new(connection.clone(), token));
    }
    (table_id, seats)
}

/// A stream on one replica, opened without the client.
async fn stream(replica: &Served, table_id: &str) -> Streaming<v1::WatchTableResponse> {
    let at = format!("http://{}", replica.address());
    let channel = Channel::from_shared(at).unwrap().connect().await.unwrap();
    let credential = bearer(replica.platform());
    let mut tables = TableServiceClient::with_interceptor(channel.clone(), credential);
    let request = v1::IssueSeatTokenRequest {
        table_id: table_id.to_owned(),
        ..v1::IssueSeatTokenRequest::default()
    };
    let token = tables.issue_seat_token(request).await.unwrap().into_inner().token;
    let mut client = PlayServiceClient::with_interceptor(channel, bearer(&token));
    client.watch_table(v1::WatchTableRequest::default()).await.unwrap().into_inner()
}

/// What a stream says at its end.
async fn end_of(stream: &mut Streaming<v1::WatchTableResponse>) -> v1::Rotate {
    let mut last = None;
    while let Some(message) = stream.message().await.unwrap() {
        last = message.item;
    }
    let Some(Item::Rotate(end)) = last else { panic!("the end should be said, not {last:?}") };
    end
}

/// Ends a replica while calls go on and streams are open; it must end well, and cut nobody off.
async fn end(replica: Served) {
    let ended = tokio::task::spawn_blocking(|| replica.terminate());
    let (code, logs) = timeout(PATIENCE, ended).await.expect("it ends").unwrap();
    assert_eq!(code, 0, "{logs}");
    assert!(logs.contains("every call was answered"), "{logs}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_on_redis_fails_no_call() {
    let server = Server::start(&[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    let (url, keys) = (server.url(), keys.to_str().unwrap().to_owned());
    let start = || Served::new(&["--store", &url, "--local-keys-file", &keys]);
    let (first, second) = (start(), start());
    let names = Names::default();
    names.are(&[&first, &second]);
    let settings = Settings {
        resolve_every: Duration::from_secs(1),
        jitter_seed: Some(1),
        resolver: Some(Arc::new(names.clone())),
        ..Settings::default()
    };
    let connection = Connection::to(vec!["games:1".parse().unwrap()], &settings);
    let credential = PlatformCredential::new(first.platform()).unwrap();
    let platform = PlatformClient::new(connection.clone(), credential);

    let load = Load::new();
    let (mut players, mut watchers, mut ids) = (JoinSet::new(), JoinSet::new(), Vec::new());
    for number in 0..TABLES {
        let (id, seats) = table(&platform, &connection, number).await;
        let (newest, told) = watch::channel(0);
        watchers.spawn(follow(seats[1].clone(), told));
        players.spawn(load.clone().play(seats, newest));
        ids.push(id);
    }
    load.goes_on(100).await;
    // An idle connection, which says nothing for ever, is in nobody's way.
    let idle = std::net::TcpStream::connect(first.address()).unwrap();
    let third = start();
    names.are(&[&first, &second, &third]);
    load.goes_on(100).await;
    let mut open = stream(&first, &ids[0]).await;
    let (told, ()) = tokio::join!(end_of(&mut open), end(first));
    assert_eq!(told.cause(), v1::RotateCause::Draining);
    assert!(told.reopen_after_ms > 0);
    names.are(&[&second, &third]);
    load.goes_on(100).await;
    let fourth = start();
    names.are(&[&second, &third, &fourth]);
    load.goes_on(100).await;
    end(second).await;
    names.are(&[&third, &fourth]);
    load.goes_on(100).await;
    drop(idle);

    load.is_over.store(true, Ordering::Relaxed);
    players.join_all().await;
    let opened = watchers.join_all().await;
    assert!(opened.iter().any(|opened| *opened > 1), "streams were moved: {opened:?}");
}

#[test]
fn the_password_of_redis_is_printed_nowhere() {
    let mut server = Server::start(&["--requirepass", SECRET]).unwrap();
    let at = format!("127.0.0.1:{}", server.port());
    let url = format!("redis://:{SECRET}@{at}");
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    let keys = ["--local-keys-file", keys.to_str().unwrap(), "--log", "trace"];
    let mut served = Served::new(&[&["--store", &url], &keys[..]].concat());
    server.kill();
    served.await_log(&at);
    let (code, logs) = served.terminate();
    assert_eq!(code, 0, "{logs}");
    assert!(!logs.contains(SECRET), "{logs}");
    server.start_again().unwrap();
    let local = [&["--keys", "local", "--listen", "127.0.0.1:0"], &keys[..]].concat();
    let wrong = url.replace(SECRET, "other-hidden-word");
    let (code, why) = ended(&[&["--store", &wrong], &local[..]].concat());
    assert_eq!(code, 69, "{why}");
    assert!(why.contains("refuses this user or password") && !why.contains("hidden-word"), "{why}");
}
