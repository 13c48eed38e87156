//! What is older than the log reaches, and what a newer program has written.

use bytes::Bytes;
use handfoot_protocol::ErrorDetails;
use handfoot_protocol::state::v1::{CommitRecord, TableRecord};
use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_protocol::v1::{self, SnapshotCause};
use handfoot_store::{Chain, Commit, CommitOutcome, Limits, TableId};
use prost::Message;
use tonic::{Code, Status};

use super::game::play;
use super::kit::{Replica, World, bot, draw, open, submission};
use super::watch::{Folded, commit, next, snapshot, watch};

const SHORT_LOG: Limits = Limits { log_entries: 10, ..Limits::STANDARD };

/// A schema that no program of today reads.
const NEWER: u32 = 99;

/// Fault list: R60.
#[tokio::test(start_paused = true)]
async fn a_resume_from_before_the_log_gets_a_snapshot_that_says_so() {
    let world = World::within(SHORT_LOG);
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 91).await;
    let mut stream = watch(&mut players[1], None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    let mut stamps = vec![folded.stamp.clone()];
    play(&world, &mut players, 15).await;
    for _ in 0..15 {
        folded.apply(&commit(&mut stream).await);
        stamps.push(folded.stamp.clone());
    }
    let newest = folded.stamp.version;
    for stamp in &stamps {
        let mut resumed = watch(&mut players[1], Some(stamp)).await;
        // The next commit is kept, or there is none.
        if stamp.version >= newest - 10 {
            if stamp.version < newest {
                let next = commit(&mut resumed).await.stamp.unwrap();
                assert_eq!(next.version, stamp.version + 1);
            }
            continue;
        }
        let sent = snapshot(&mut resumed).await;
        assert_eq!(sent.cause(), SnapshotCause::TooOld);
        Folded::of(&sent).equals(&players[1].view().await);
    }
    // From there on all commits come.
    let mut resumed = watch(&mut players[1], Some(&stamps[0])).await;
    let mut folded = Folded::of(&snapshot(&mut resumed).await);
    play(&world, &mut players, 3).await;
    for _ in 0..3 {
        folded.apply(&commit(&mut resumed).await);
    }
    folded.equals(&players[1].view().await);
}

#[tokio::test(start_paused = true)]
async fn commits_from_before_the_log_are_said_to_be_gone() {
    let world = World::within(SHORT_LOG);
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 92).await;
    play(&world, &mut players, 20).await;
    let newest = players[1].version().await;
    let list = |after_version| v1::ListCommitsRequest { after_version, ..Default::default() };
    let gone = players[1].client.list_commits(list(3)).await.unwrap_err();
    let details = ErrorDetails::of(&gone);
    assert_eq!((gone.code(), &*details.name), (Code::OutOfRange, "HISTORY_GONE"));
    assert_eq!(details.metadata["oldest"], (newest - 9).to_string());
    // From the first that is kept, and from the oldest that was named.
    for after in [0, newest - 10] {
        let kept = players[1].client.list_commits(list(after)).await.unwrap().into_inner();
        let versions: Vec<u64> =
            kept.commits.iter().map(|commit| commit.stamp.as_ref().unwrap().version).collect();
        assert_eq!(versions, (newest - 9..=newest).collect::<Vec<_>>());
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_who_falls_behind_the_log_gets_a_snapshot_that_says_so() {
    let world = World::within(SHORT_LOG);
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 93).await;
    let mut slow = replica.slow().player(&replica.token(&table_id, 4).await);
    let mut stream = watch(&mut slow, None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    // More than the connection's buffers and the channel's ring hold.
    play(&world, &mut players, 1_200).await;
    let newest = players[4].version().await;
    let mut causes = Vec::new();
    while folded.stamp.version < newest {
        match next(&mut stream).await {
            Item::Commit(commit) => folded.apply(&commit),
            Item::Snapshot(sent) => {
                causes.push(sent.cause());
                folded = Folded::of(&sent);
            }
            other @ (Item::Heartbeat(_) | Item::Presence(_) | Item::Rotate(_)) => {
                panic!("commits and a snapshot should come, not {other:?}")
            }
        }
    }
    assert_eq!(causes, [SnapshotCause::FellBehind]);
    folded.equals(&players[4].view().await);
}

/// Has a newer program write the table: as it is, but for the schema.
async fn written_by_a_newer_program(world: &World, table_id: &str) {
    let id: TableId = table_id.parse().unwrap();
    let loaded = world.store.load(&id).await.unwrap().unwrap();
    let version = loaded.mark.version.next();
    let chain = Chain([5; 16]);
    let record = TableRecord::decode(&*loaded.snapshot).unwrap();
    let record = TableRecord {
        schema: NEWER,
        min_reader: NEWER,
        version: version.0,
        chain: chain.0.to_vec(),
        ..record
    };
    let entry = CommitRecord { schema: NEWER, min_reader: NEWER, ..CommitRecord::default() };
    let (snapshot, entry): (Bytes, Bytes) =
        (record.encode_to_vec().into(), entry.encode_to_vec().into());
    let outcome = world.store.commit(Commit::new(id, loaded.mark, chain, snapshot, entry)).await;
    assert!(matches!(outcome, Ok(CommitOutcome::Committed { .. })), "{outcome:?}");
}

#[track_caller]
fn is_newer<T: std::fmt::Debug>(answer: Result<T, Status>) {
    let status = answer.expect_err("this program cannot read it");
    let details = ErrorDetails::of(&status);
    assert_eq!((status.code(), &*details.name), (Code::Unavailable, "SCHEMA_NEWER"));
    assert!(details.retry_after.is_some());
}

/// Fault list: R107.
#[tokio::test(start_paused = true)]
async fn a_table_of_a_newer_program_is_left_alone_and_no_other_suffers() {
    let world = World::new();
    let replica = world.replica();
    let (newer, mut theirs) = replica.people(&world, 94).await;
    let (_, mut ours) = replica.people(&world, 95).await;
    let mut stream = watch(&mut theirs[1], None).await;
    snapshot(&mut stream).await;
    let token = replica.token(&newer, 1).await;
    written_by_a_newer_program(&world, &newer).await;
    let before = world.store.load(&newer.parse().unwrap()).await.unwrap().unwrap();
    // The one has the table in its cache, the other does not.
    for process in [&replica, &world.replica()] {
        refuses_all(&world, process, &newer, &token).await;
    }
    is_newer(stream.message().await);
    let after = world.store.load(&newer.parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(before, after);
    assert_eq!(play(&world, &mut ours, 20).await, 20);
    let listed = replica.platform().list_tables(v1::ListTablesRequest::default()).await;
    assert_eq!(listed.unwrap().into_inner().tables.len(), 2);
}

async fn refuses_all(world: &World, replica: &Replica, table_id: &str, token: &str) {
    let mut platform = replica.platform();
    let table_id = table_id.to_owned();
    is_newer(platform.get_table(v1::GetTableRequest { table_id: table_id.clone() }).await);
    let issue = v1::IssueSeatTokenRequest { table_id, ..Default::default() };
    is_newer(platform.issue_seat_token(issue).await);
    let mut player = replica.player(token);
    is_newer(player.client.get_view(v1::GetViewRequest::default()).await);
    is_newer(player.submit(&submission(world, 5, vec![draw()])).await);
}

/// Fault list: R50.
#[tokio::test(start_paused = true)]
async fn a_newer_table_keeps_no_bot_from_the_others() {
    let world = World::new();
    let replica = world.replica();
    let mut tables = Vec::new();
    for seed in 0..2 {
        // The older table is looked at first.
        world.pass(1);
        let id = replica.table(&world, seed).await;
        for seat in 1..=4 {
            replica.set_seat(&id, seat, open(&["casual"])).await.unwrap();
        }
        tables.push(id);
    }
    written_by_a_newer_program(&world, &tables[0]).await;
    let (worker, levels) = ("worker".to_owned(), vec!["casual".to_owned()]);
    let seat = v1::AcquireSeatRequest { worker, levels, wait_ms: 0 };
    let acquired = replica.bots().acquire_seat(seat).await.unwrap().into_inner().acquired;
    assert_eq!(acquired.unwrap().table_id, tables[1]);

    let mut playing = Vec::new();
    for seed in 2..4 {
        let id = replica.table(&world, seed).await;
        for seat in 1..=4 {
            replica.set_seat(&id, seat, bot("casual")).await.unwrap();
        }
        replica.start(&id).await.unwrap();
        playing.push(id);
    }
    written_by_a_newer_program(&world, &playing[0]).await;
    let turns = v1::AcquireTurnRequest {
        worker: "worker".to_owned(),
        levels: vec!["casual".to_owned()],
        max_tasks: 16,
        wait_ms: 0,
        lease_ms: 5_000,
    };
    let tasks = replica.bots().acquire_turn(turns).await.unwrap().into_inner().tasks;
    let ids: Vec<&str> = tasks.iter().map(|task| task.table_id.as_str()).collect();
    assert_eq!(ids, [playing[1].as_str()]);
}
