//! Following a table through everything that happens to streams.

use std::time::Duration;

use handfoot_client::{AnswerProblem, ClientError, NotNext, TableWatch, Update};
use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_protocol::v1::{RotateCause, ServiceReason, SnapshotCause};
use handfoot_protocol::{Advice, Failure, v1};
use tonic::Status;

use crate::fake::{After, Fake, Watched};
use crate::table::{Table, chained, commit, item};

fn rotate(cause: RotateCause, reopen_after_ms: u32) -> v1::WatchTableResponse {
    item(Item::Rotate(v1::Rotate { cause: cause as i32, reopen_after_ms }))
}

fn prepare(fake: &Fake, watches: impl IntoIterator<Item = Watched>) {
    fake.with(|script| script.watches.extend(watches));
}

/// Reads commits until a version is known.
async fn follow(watch: &mut TableWatch, version: u64) {
    while watch.known().is_none_or(|known| known.stamp.version < version) {
        watch.next().await.unwrap();
    }
}

/// From which versions streams were opened, with their chain values.
fn resumed(fake: &Fake) -> Vec<Option<u64>> {
    let watched = fake.with(|script| script.watched.clone());
    let check = |request: &v1::WatchTableRequest| {
        let version = request.after_version;
        let chain = version.map(|version| chained(version).chain).unwrap_or_default();
        assert_eq!(request.after_chain, chain, "the chain value is that of the version");
        version
    };
    watched.iter().map(|(_, request)| check(request)).collect()
}

#[tokio::test(start_paused = true)]
async fn commits_are_folded_into_the_view() {
    let (fake, mut table) = (Fake::default(), Table::new(2));
    let mut items = vec![table.snapshot(SnapshotCause::Start)];
    items.extend((0..40).map(|_| commit(table.advance())));
    prepare(&fake, [Ok((items, After::Silence))]);
    let mut watch = fake.client().watch();
    let first = watch.next().await.unwrap();
    assert_eq!(first, Update::Snapshot { cause: SnapshotCause::Start, presence: None });
    follow(&mut watch, 41).await;
    assert_eq!(watch.known().unwrap().view, table.truth());
    assert_eq!(watch.opened(), 1);
}

/// Fault list: R60.
#[tokio::test(start_paused = true)]
async fn a_gap_is_seen_and_filled() {
    let (fake, mut table) = (Fake::default(), Table::new(3));
    let snapshot = table.snapshot(SnapshotCause::Start);
    let commits: Vec<_> = (0..4).map(|_| commit(table.advance())).collect();
    // The second of four is dropped.
    let first = vec![snapshot, commits[0].clone(), commits[2].clone(), commits[3].clone()];
    prepare(&fake, [Ok((first, After::Silence)), Ok((commits[1..].to_vec(), After::Silence))]);
    let mut watch = fake.client().watch();
    follow(&mut watch, 5).await;
    assert_eq!(watch.known().unwrap().view, table.truth());
    assert_eq!(resumed(&fake), [None, Some(2)]);
}

/// Fault list: R60.
#[tokio::test(start_paused = true)]
async fn a_repeat_is_not_applied_twice() {
    let (fake, mut table) = (Fake::default(), Table::new(4));
    let snapshot = table.snapshot(SnapshotCause::Start);
    let (one, two) = (commit(table.advance()), commit(table.advance()));
    let first = vec![snapshot, one.clone(), one, two.clone()];
    prepare(&fake, [Ok((first, After::Silence)), Ok((vec![two], After::Silence))]);
    let mut watch = fake.client().watch();
    follow(&mut watch, 3).await;
    assert_eq!(watch.known().unwrap().view, table.truth());
    assert_eq!(resumed(&fake), [None, Some(2)]);
}

/// Fault list: R63.
#[tokio::test(start_paused = true)]
async fn rotation_draining_cuts_and_ends_lose_nothing() {
    let (fake, mut table) = (Fake::default(), Table::new(5));
    let snapshot = table.snapshot(SnapshotCause::Start);
    let mut next = || commit(table.advance());
    let streams = vec![
        Ok((vec![snapshot, next(), rotate(RotateCause::Age, 500)], After::End)),
        Ok((vec![next(), rotate(RotateCause::Draining, 0)], After::End)),
        Err(Failure::new(ServiceReason::Draining, "ending").to_status()),
        Ok((vec![next()], After::Break)),
        Err(Status::unknown("proxy")),
        Ok((vec![next()], After::End)),
        Ok((vec![next()], After::Silence)),
    ];
    prepare(&fake, streams);
    let mut watch = fake.client().watch();
    follow(&mut watch, 6).await;
    assert_eq!(watch.known().unwrap().view, table.truth());
    assert_eq!(resumed(&fake), [None, Some(2), Some(3), Some(3), Some(4), Some(4), Some(5)]);
    let times = fake.with(|script| script.watched.iter().map(|(at, _)| *at).collect::<Vec<_>>());
    assert!(times[1] - times[0] >= Duration::from_millis(500), "the wait asked for is kept");
    assert!(times[3] - times[2] >= Duration::from_millis(200), "and that of an error");
}

/// Fault list: R62.
#[tokio::test(start_paused = true)]
async fn a_dead_stream_is_noticed_by_its_silence() {
    let (fake, mut table) = (Fake::default(), Table::new(6));
    let heartbeat = item(Item::Heartbeat(v1::Heartbeat::default()));
    let first = vec![table.snapshot(SnapshotCause::Start), heartbeat];
    let later = vec![commit(table.advance())];
    prepare(&fake, [Ok((first, After::Silence)), Ok((later, After::Silence))]);
    let mut watch = fake.client().watch();
    follow(&mut watch, 2).await;
    let times = fake.with(|script| script.watched.iter().map(|(at, _)| *at).collect::<Vec<_>>());
    let waited = times[1] - times[0];
    assert!(waited >= Duration::from_secs(45) && waited < Duration::from_secs(47), "{waited:?}");
}

/// Fault list: R60.
#[tokio::test(start_paused = true)]
async fn a_snapshot_replaces_what_was_known() {
    let (fake, mut table) = (Fake::default(), Table::new(7));
    let first = vec![table.snapshot(SnapshotCause::Start), commit(table.advance())];
    prepare(&fake, [Ok((first, After::End))]);
    let mut watch = fake.client().watch();
    follow(&mut watch, 2).await;
    // The write of version 2 was lost; another history goes on.
    let mut other = Table::new(8);
    let second = vec![other.snapshot(SnapshotCause::HistoryDiverged), commit(other.advance())];
    prepare(&fake, [Ok((second, After::Silence))]);
    let update = watch.next().await.unwrap();
    assert_eq!(update, Update::Snapshot { cause: SnapshotCause::HistoryDiverged, presence: None });
    watch.next().await.unwrap();
    assert_eq!(watch.known().unwrap().view, other.truth());
}

#[tokio::test(start_paused = true)]
async fn an_event_of_a_later_contract_leads_to_a_snapshot() {
    let (fake, mut table) = (Fake::default(), Table::new(9));
    let snapshot = table.snapshot(SnapshotCause::Start);
    let mut unknown = table.advance();
    unknown.events.push(v1::Event { event: None });
    let later = vec![table.snapshot(SnapshotCause::Start)];
    prepare(
        &fake,
        [Ok((vec![snapshot, commit(unknown)], After::Silence)), Ok((later, After::Silence))],
    );
    let mut watch = fake.client().watch();
    follow(&mut watch, 2).await;
    assert_eq!(watch.known().unwrap().view, table.truth());
    assert_eq!(resumed(&fake), [None, None]);
}

/// A commit that reads well and cannot have happened: one seat's turn begins twice.
fn unfit(mut commit: v1::Commit) -> v1::Commit {
    let began = v1::event::Event::TurnBegan(v1::TurnBegan { seat: 1 });
    let twice = v1::Event { event: Some(began) };
    commit.events.extend([twice.clone(), twice]);
    commit
}

/// Fault list: R60.
#[tokio::test(start_paused = true)]
async fn an_event_that_does_not_fit_changes_nothing_and_leads_to_a_snapshot() {
    let (fake, mut table) = (Fake::default(), Table::new(12));
    let snapshot = table.snapshot(SnapshotCause::Start);
    let wrong = unfit(table.advance());
    let later = vec![table.snapshot(SnapshotCause::Start), commit(table.advance())];
    let first = vec![snapshot, commit(wrong.clone())];
    prepare(&fake, [Ok((first, After::Silence)), Ok((later, After::Silence))]);
    let mut watch = fake.client().watch();
    watch.next().await.unwrap();
    let mut known = watch.known().unwrap().clone();
    let before = known.clone();
    let refused = known.follow(&wrong).unwrap_err();
    assert!(matches!(refused, NotNext::Unfit { .. }), "{refused:?}");
    assert_eq!(known, before, "what fitted before the one that does not is not kept");
    follow(&mut watch, 3).await;
    assert_eq!(watch.known().unwrap().view, table.truth());
    assert_eq!(resumed(&fake), [None, None]);
}

/// Fault list: R60.
#[tokio::test(start_paused = true)]
async fn a_server_whose_commits_never_fit_is_asked_a_bounded_number_of_times() {
    let (fake, mut table) = (Fake::default(), Table::new(13));
    let nonsense = |table: &mut Table| {
        let snapshot = table.snapshot(SnapshotCause::Start);
        Ok((vec![snapshot, commit(unfit(table.advance()))], After::Silence))
    };
    prepare(&fake, (0..6).map(|_| nonsense(&mut table)));
    let mut watch = fake.client().watch();
    let mut snapshots = 0;
    let error = loop {
        match watch.next().await {
            Ok(update) => {
                assert!(matches!(update, Update::Snapshot { .. }), "{update:?}");
                snapshots += 1;
            }
            Err(error) => break error,
        }
    };
    assert_eq!((snapshots, watch.opened()), (6, 6));
    assert!(matches!(error, ClientError::Answer(AnswerProblem::Unfit(_))), "{error:?}");
    assert_eq!(error.advice(), Advice::GiveUp);
    let times = fake.with(|script| script.watched.iter().map(|(at, _)| *at).collect::<Vec<_>>());
    let pauses: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses[0] < Duration::from_millis(50), "{pauses:?}");
    assert!(pauses[4] >= Duration::from_millis(400), "it is asked ever more slowly: {pauses:?}");
    // Whoever goes on all the same does, once the server is mended.
    let mended = vec![table.snapshot(SnapshotCause::Start), commit(table.advance())];
    prepare(&fake, [Ok((mended, After::Silence))]);
    let version = table.version;
    follow(&mut watch, version).await;
    assert_eq!(watch.known().unwrap().view, table.truth());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_helped_is_told() {
    let fake = Fake::default();
    let expired = Failure::new(ServiceReason::CredentialExpired, "old").to_status();
    prepare(&fake, [Err(expired)]);
    let error: ClientError = fake.client().watch().next().await.unwrap_err();
    assert_eq!(error.advice(), Advice::Authorise);
}

#[tokio::test(start_paused = true)]
async fn a_closed_table_ends_the_watch() {
    let (fake, table) = (Fake::default(), Table::new(10));
    let items = vec![table.snapshot(SnapshotCause::Start), rotate(RotateCause::TableClosed, 0)];
    prepare(&fake, [Ok((items, After::End))]);
    let mut watch = fake.client().watch();
    watch.next().await.unwrap();
    assert_eq!(watch.next().await, Ok(Update::Closed));
    assert_eq!(watch.next().await, Ok(Update::Closed));
    assert_eq!(watch.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn waiting_can_be_given_up_and_taken_up_again() {
    let (fake, mut table) = (Fake::default(), Table::new(11));
    let first = vec![table.snapshot(SnapshotCause::Start)];
    let away = || Err(Status::unavailable("away"));
    let later = vec![commit(table.advance())];
    prepare(&fake, [Ok((first, After::End)), away(), away(), Ok((later, After::Silence))]);
    let mut watch = fake.client().watch();
    let mut given_up = 0;
    while watch.known().is_none_or(|known| known.stamp.version < 2) {
        let next = tokio::time::timeout(Duration::from_millis(20), watch.next());
        given_up += u32::from(next.await.is_err());
    }
    assert!(given_up > 2);
    assert_eq!(watch.known().unwrap().view, table.truth());
}
