//! Two processes over one Redis: replicas whose stores share nothing in memory.
//!
//! **Invariant:** the time of the runtime is real here, because Redis is; a test waits for facts.

use std::sync::Arc;
use std::time::Duration;

use handfoot_processes::redis::Server;
use handfoot_protocol::v1;
use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_store::{Limits, ManualClock, RedisStore, StoreTime};
use tokio::time::timeout;
use tonic::Streaming;

use super::kit::{Player, Replica, START, World, submission};

/// How long something may take that others must first be told of.
const WAIT_MAX: Duration = Duration::from_secs(20);

/// A process of its own over a Redis.
fn world(server: &Server, clock: &Arc<ManualClock>) -> World {
    let time = StoreTime::OfClock(clock.clone());
    let store = RedisStore::open(&server.url(), time, Limits::STANDARD).unwrap();
    World::over(clock.clone(), Arc::new(store))
}

fn worlds(server: &Server) -> [World; 2] {
    let clock = Arc::new(ManualClock::new(START));
    [world(server, &clock), world(server, &clock)]
}

async fn watch(player: &mut Player) -> Streaming<v1::WatchTableResponse> {
    let request = v1::WatchTableRequest::default();
    player.client.watch_table(request).await.unwrap().into_inner()
}

/// The next item that is neither presence nor heartbeat.
async fn next(stream: &mut Streaming<v1::WatchTableResponse>) -> Item {
    loop {
        let message = timeout(WAIT_MAX, stream.message()).await.expect("something comes");
        let item = message.unwrap().expect("the stream goes on").item.unwrap();
        if !matches!(item, Item::Presence(_) | Item::Heartbeat(_)) {
            return item;
        }
    }
}

async fn players(replica: &Replica, table_id: &str) -> Vec<Player> {
    let mut players = Vec::new();
    for seat in 0..=4 {
        players.push(replica.player(&replica.token(table_id, seat).await));
    }
    players
}

/// Sends a request on two replicas at once; both must give the same commit, played once.
async fn doubled(one: &mut Player, two: &mut Player, request: &v1::SubmitActionsRequest) -> u64 {
    let (one, two) = tokio::join!(one.submit(request), two.submit(request));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_ne!(one.replayed, two.replayed, "one is played and one is a replay");
    let (one, two) = (one.commit.unwrap(), two.commit.unwrap());
    assert_eq!(one.stamp, two.stamp);
    assert_eq!(one.events, two.events);
    one.stamp.unwrap().version
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_replicas_show_one_history_and_play_doubled_requests_once() {
    let server = Server::start(&[]).unwrap();
    let [here, there] = worlds(&server);
    let (first, second) = (here.replica(), there.replica());
    let (table_id, mut ours) = first.people(&here, 21).await;
    let mut theirs = players(&second, &table_id).await;
    let mut streams =
        [watch(&mut ours[0]).await, watch(&mut theirs[0]).await, watch(&mut theirs[2]).await];
    for stream in &mut streams {
        assert!(matches!(next(stream).await, Item::Snapshot(_)));
    }
    let mut newest = 0;
    for step in 0..80 {
        let view = ours[0].view().await;
        let Ok(seat @ 1..) = usize::try_from(view.to_act) else { break };
        let legal = theirs[seat].legal().await;
        // Draws come first in the list, and the last is a discard: the game moves on.
        let Some(action) = legal.actions.last().cloned() else { break };
        let request = submission(&here, legal.version, vec![action]);
        let (one, two) = (&mut ours[seat], &mut theirs[seat]);
        newest = match step % 2 {
            0 => doubled(one, two, &request).await,
            _ => doubled(two, one, &request).await,
        };
    }
    assert!(newest > 40, "{newest}");
    let mut seen = Vec::new();
    for stream in &mut streams {
        let mut stamps = Vec::new();
        while stamps.last().is_none_or(|stamp: &v1::Stamp| stamp.version < newest) {
            let item = next(stream).await;
            let Item::Commit(commit) = item else { panic!("commits should come, not {item:?}") };
            stamps.push(commit.stamp.unwrap());
        }
        let versions: Vec<u64> = stamps.iter().map(|stamp| stamp.version).collect();
        assert!(versions.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{versions:?}");
        seen.push(stamps);
    }
    assert!(seen.iter().all(|stamps| *stamps == seen[0]), "equal versions in equal order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_redis_lost_is_told_and_the_game_goes_on() {
    let server = Server::start(&[]).unwrap();
    let [here, there] = worlds(&server);
    let (first, second) = (here.replica(), there.replica());
    let (table_id, mut ours) = first.people(&here, 22).await;
    let mut theirs = players(&second, &table_id).await;
    let before = ours[0].version().await;
    // What a replica of Redis has that is one commit behind.
    let keys: Vec<String> = server.ask("KEYS *").unwrap();
    let copies: Vec<(String, Vec<u8>)> = keys
        .into_iter()
        .map(|key| (key.clone(), server.ask(&format!("DUMP {key}")).unwrap()))
        .collect();
    let seat = usize::try_from(ours[0].view().await.to_act).unwrap();
    ours[seat].play_first(&here).await;
    let mut streams = [watch(&mut ours[0]).await, watch(&mut theirs[0]).await];
    for stream in &mut streams {
        assert!(matches!(next(stream).await, Item::Snapshot(_)));
    }
    let mut restore = redis::pipe();
    restore.atomic().cmd("FLUSHALL").ignore();
    for (key, bytes) in copies {
        restore.cmd("RESTORE").arg(key).arg(0).arg(bytes).ignore();
    }
    restore.exec(&mut server.connect().unwrap()).unwrap();
    for stream in &mut streams {
        let item = next(stream).await;
        let Item::Snapshot(snapshot) = item else { panic!("a snapshot should come, not {item:?}") };
        assert_eq!(snapshot.cause(), v1::SnapshotCause::HistoryDiverged);
        assert_eq!(snapshot.view.unwrap().stamp.unwrap().version, before);
    }
    // The other replica plays on, and both streams follow.
    theirs[seat].play_first(&there).await;
    for stream in &mut streams {
        let item = next(stream).await;
        let Item::Commit(commit) = item else { panic!("a commit should come, not {item:?}") };
        assert_eq!(commit.stamp.unwrap().version, before + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_away_is_unavailable_and_comes_back() {
    let mut server = Server::start(&["--appendfsync", "always"]).unwrap();
    let [here, _] = worlds(&server);
    let replica = here.replica();
    let (_, mut players) = replica.people(&here, 23).await;
    let seat = usize::try_from(players[0].view().await.to_act).unwrap();
    let legal = players[seat].legal().await;
    let request = submission(&here, legal.version, vec![legal.actions[0].clone()]);
    server.kill();
    let refused = players[seat].submit(&request).await.expect_err("the store is away");
    assert_eq!(refused.code(), tonic::Code::Unavailable);
    server.start_again().unwrap();
    let again = async {
        loop {
            match players[seat].submit(&request).await {
                Ok(answer) => return answer,
                Err(status) => assert_eq!(status.code(), tonic::Code::Unavailable),
            }
        }
    };
    let answer = timeout(WAIT_MAX, again).await.expect("it comes back");
    assert_eq!(answer.commit.unwrap().stamp.unwrap().version, legal.version + 1);
}
