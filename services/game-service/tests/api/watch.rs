//! Streams: gap-free, resumed from anywhere, equal to the view.

use std::time::Duration;

use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_protocol::{Codec, decode_draft, v1};
use handfoot_rules::Rules;
use handfoot_view::TableView;
use tonic::Streaming;

use super::game::play;
use super::kit::{Player, World};

super::on_each_store! {
    what_is_streamed_folds_to_the_view_of_every_viewer,
    a_stream_resumes_from_every_version_with_its_chain,
    the_log_is_listed_without_a_gap,
    a_quiet_stream_beats_and_ends_when_it_is_old,
    a_drain_ends_streams_at_once_with_a_hint,
    a_closed_table_ends_its_streams_after_the_last_commit,
    presence_says_who_is_there,
    a_token_that_is_ended_ends_its_stream,
    a_reader_who_falls_far_behind_misses_nothing,
    a_reader_who_reads_nothing_is_cut,
    a_full_gallery_keeps_no_player_out,
}

pub(super) type Stream = Streaming<v1::WatchTableResponse>;

pub(super) async fn watch(player: &mut Player, after: Option<&v1::Stamp>) -> Stream {
    let request = v1::WatchTableRequest {
        after_version: after.map(|stamp| stamp.version),
        after_chain: after.map_or_else(Vec::new, |stamp| stamp.chain.clone()),
        rules: v1::RulesDelivery::Include as i32,
    };
    player.client.watch_table(request).await.unwrap().into_inner()
}

/// Far more than come while a real server answers.
const HEARTBEATS_MAX: usize = 10_000;

/// The next item that is no presence.
pub(super) async fn next(stream: &mut Stream) -> Item {
    loop {
        let item = stream.message().await.unwrap().expect("the stream goes on").item.unwrap();
        if !matches!(item, Item::Presence(_)) {
            return item;
        }
    }
}

pub(super) async fn snapshot(stream: &mut Stream) -> v1::Snapshot {
    let item = next(stream).await;
    let Item::Snapshot(snapshot) = item else { panic!("a snapshot should come, not {item:?}") };
    *snapshot
}

/// The next commit. Heartbeats may come first: where a real server is asked, the test's clock runs
/// on to the next of them as long as its doorbell is under way.
pub(super) async fn commit(stream: &mut Stream) -> v1::Commit {
    for _ in 0..HEARTBEATS_MAX {
        match next(stream).await {
            Item::Commit(commit) => return commit,
            Item::Heartbeat(_) => {}
            other @ (Item::Snapshot(_) | Item::Presence(_) | Item::Rotate(_)) => {
                panic!("a commit should come, not {other:?}")
            }
        }
    }
    panic!("no commit comes")
}

/// A client that folds what it is sent.
pub(super) struct Folded {
    rules: Rules,
    view: TableView,
    pub(super) stamp: v1::Stamp,
}

impl Folded {
    pub(super) fn of(snapshot: &v1::Snapshot) -> Folded {
        let draft = decode_draft(snapshot.rules.as_ref().unwrap()).unwrap();
        let rules = Rules::new(draft).unwrap().rules;
        let sent = snapshot.view.as_ref().unwrap();
        let view = Codec::new(&rules).decode_view(sent).unwrap();
        Folded { rules, view, stamp: sent.stamp.clone().unwrap() }
    }

    pub(super) fn apply(&mut self, commit: &v1::Commit) {
        let stamp = commit.stamp.clone().unwrap();
        assert_eq!(stamp.version, self.stamp.version + 1, "a gap, or a repetition");
        for event in Codec::new(&self.rules).decode_events(&commit.events).unwrap() {
            self.view.apply(&event, &self.rules);
        }
        self.stamp = stamp;
    }

    pub(super) fn equals(&self, view: &v1::View) {
        assert_eq!(view.stamp.as_ref(), Some(&self.stamp));
        assert_eq!(Codec::new(&self.rules).decode_view(view).unwrap(), self.view);
    }
}

/// Fault list: R77, R101.
async fn what_is_streamed_folds_to_the_view_of_every_viewer(world: World) {
    let (first, second) = (world.replica(), world.replica());
    let (table_id, mut players) = first.people(&world, 21).await;
    // Half of the watchers hear of it through the store only.
    let mut watchers = Vec::new();
    for seat in 0..=4 {
        let replica = if seat % 2 == 0 { &first } else { &second };
        let mut player = replica.player(&replica.token(&table_id, seat).await);
        let mut stream = watch(&mut player, None).await;
        let folded = Folded::of(&snapshot(&mut stream).await);
        watchers.push((player, stream, folded));
    }
    for _ in 0..60 {
        let played = play(&world, &mut players, 20).await;
        for (player, stream, folded) in &mut watchers {
            for _ in 0..played {
                folded.apply(&commit(stream).await);
            }
            folded.equals(&player.view().await);
        }
        if played < 20 {
            break;
        }
    }
    assert!(watchers[0].2.view.table.round_index > 0, "no round was over");
}

/// Fault list: R60.
async fn a_stream_resumes_from_every_version_with_its_chain(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 22).await;
    let mut stream = watch(&mut players[1], None).await;
    let first = snapshot(&mut stream).await.view.unwrap().stamp.unwrap();
    play(&world, &mut players, 30).await;
    let mut commits = Vec::new();
    for _ in 0..30 {
        commits.push(commit(&mut stream).await);
    }
    let stamps = commits.iter().map(|commit| commit.stamp.clone().unwrap());
    let stamps: Vec<v1::Stamp> = std::iter::once(first).chain(stamps).collect();
    for (at, stamp) in stamps.iter().enumerate().take(30) {
        let mut resumed = watch(&mut players[1], Some(stamp)).await;
        assert_eq!(commit(&mut resumed).await, commits[at]);
    }
    let newest = stamps.last().unwrap();
    let wrong = v1::Stamp { chain: vec![1; 16], ..newest.clone() };
    let ahead = v1::Stamp { version: newest.version + 1, ..newest.clone() };
    let old_wrong = v1::Stamp { chain: vec![1; 16], ..stamps[3].clone() };
    for stamp in [wrong, ahead, old_wrong] {
        let mut resumed = watch(&mut players[1], Some(&stamp)).await;
        let sent = snapshot(&mut resumed).await;
        assert_eq!(sent.cause, v1::SnapshotCause::HistoryDiverged as i32);
        assert_eq!(sent.view.unwrap().stamp.as_ref(), Some(newest));
    }
    // Up to date: the next thing is the next commit.
    let mut resumed = watch(&mut players[1], Some(newest)).await;
    play(&world, &mut players, 1).await;
    assert_eq!(commit(&mut resumed).await.stamp.unwrap().version, newest.version + 1);
}

async fn the_log_is_listed_without_a_gap(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 23).await;
    play(&world, &mut players, 30).await;
    let mut request = v1::ListCommitsRequest { page_size: 7, ..Default::default() };
    let mut versions = Vec::new();
    loop {
        let page = players[2].client.list_commits(request.clone()).await.unwrap().into_inner();
        versions.extend(page.commits.iter().map(|c| c.stamp.as_ref().unwrap().version));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(versions, (1..=35).collect::<Vec<_>>());
}

/// Fault list: R92.
async fn a_quiet_stream_beats_and_ends_when_it_is_old(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 24).await;
    let began = tokio::time::Instant::now();
    let mut stream = watch(&mut players[0], None).await;
    let version = snapshot(&mut stream).await.view.unwrap().stamp.unwrap().version;
    let mut beats = 0;
    let end = loop {
        match next(&mut stream).await {
            Item::Heartbeat(beat) => {
                assert_eq!(beat.version, version);
                beats += 1;
                assert_eq!(began.elapsed().as_secs(), beats * 15);
            }
            Item::Rotate(end) => break end,
            other @ (Item::Snapshot(_) | Item::Commit(_) | Item::Presence(_)) => {
                panic!("nothing happens at this table, but {other:?}")
            }
        }
    };
    assert_eq!(end.cause, v1::RotateCause::Age as i32);
    assert!((480..=720).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert!(stream.message().await.unwrap().is_none());
}

/// Fault list: R65.
async fn a_drain_ends_streams_at_once_with_a_hint(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 25).await;
    let mut stream = watch(&mut players[1], None).await;
    snapshot(&mut stream).await;
    let began = tokio::time::Instant::now();
    replica.drain.start();
    let Item::Rotate(end) = next(&mut stream).await else { panic!("the stream should end") };
    assert_eq!(end.cause, v1::RotateCause::Draining as i32);
    assert!(end.reopen_after_ms > 0);
    assert!(began.elapsed() < Duration::from_secs(1));
}

async fn a_closed_table_ends_its_streams_after_the_last_commit(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 26).await;
    let mut stream = watch(&mut players[1], None).await;
    snapshot(&mut stream).await;
    replica.platform().cancel_table(v1::CancelTableRequest { table_id }).await.unwrap();
    let last = commit(&mut stream).await;
    assert_eq!(last.table_state, v1::TableState::Cancelled as i32);
    // Whoever has lost the stream just then, and comes back with all that there is, is told too.
    for mut stream in [stream, watch(&mut players[1], last.stamp.as_ref()).await] {
        let Item::Rotate(end) = next(&mut stream).await else { panic!("the stream should end") };
        assert_eq!(end.cause, v1::RotateCause::TableClosed as i32);
        assert!(stream.message().await.unwrap().is_none());
    }
}

/// Fault list: R62.
async fn presence_says_who_is_there(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 27).await;
    let mut first = watch(&mut players[1], None).await;
    let there = snapshot(&mut first).await.presence.unwrap();
    let streams = |presence: &v1::Presence| -> Vec<u32> {
        presence.seats.iter().map(|seat| seat.streams).collect()
    };
    assert_eq!(streams(&there), [1, 0, 0, 0]);
    let second = watch(&mut players[3], None).await;
    let Item::Presence(there) = first.message().await.unwrap().unwrap().item.unwrap() else {
        panic!("somebody came")
    };
    assert_eq!(streams(&there), [1, 0, 1, 0]);
    drop(second);
    let Item::Presence(there) = first.message().await.unwrap().unwrap().item.unwrap() else {
        panic!("somebody left")
    };
    assert_eq!(streams(&there), [1, 0, 0, 0]);
}

async fn a_token_that_is_ended_ends_its_stream(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 28).await;
    let mut stream = watch(&mut players[2], None).await;
    snapshot(&mut stream).await;
    let revoke = v1::IssueSeatTokenRequest {
        table_id,
        seat: 2,
        older_tokens: v1::OlderTokens::Revoke as i32,
        ..Default::default()
    };
    replica.platform().issue_seat_token(revoke).await.unwrap();
    let ended = loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream should say why it ends"),
            Err(status) => break status,
        }
    };
    assert_eq!(ended.code(), tonic::Code::Unauthenticated);
}

/// Fault list: R60.
async fn a_reader_who_falls_far_behind_misses_nothing(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 29).await;
    let mut slow = replica.slow().player(&replica.token(&table_id, 4).await);
    let mut stream = watch(&mut slow, None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    // More than the ring of the channel and the buffers of the connection hold.
    let played = play(&world, &mut players, 1200).await;
    for _ in 0..played {
        folded.apply(&commit(&mut stream).await);
    }
    folded.equals(&players[4].view().await);
}

async fn a_reader_who_reads_nothing_is_cut(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 31).await;
    let mut slow = replica.slow().player(&replica.token(&table_id, 4).await);
    let mut stream = watch(&mut slow, None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    play(&world, &mut players, 1200).await;
    tokio::time::advance(Duration::from_secs(31)).await;
    let end = loop {
        match next(&mut stream).await {
            Item::Commit(commit) => folded.apply(&commit),
            Item::Rotate(end) => break end,
            Item::Heartbeat(_) => {}
            other @ (Item::Snapshot(_) | Item::Presence(_)) => {
                panic!("commits or the end should come, not {other:?}")
            }
        }
    };
    assert_eq!(end.cause, v1::RotateCause::Stalled as i32);
    // It comes back with what it has, and misses nothing.
    let mut stream = watch(&mut players[4], Some(&folded.stamp)).await;
    let newest = players[4].version().await;
    while folded.stamp.version < newest {
        folded.apply(&commit(&mut stream).await);
    }
    folded.equals(&players[4].view().await);
}

/// Fault list: R72.
async fn a_full_gallery_keeps_no_player_out(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 30).await;
    let mut streams = Vec::new();
    for _ in 0..256 {
        streams.push(watch(&mut players[0], None).await);
    }
    let one_more = players[0].client.watch_table(v1::WatchTableRequest::default()).await;
    assert_eq!(super::kit::reason(one_more), "STREAM_LIMIT");
    watch(&mut players[2], None).await;
}
