//! The store is away, or does what it is asked and cannot say so.

use std::time::Duration;

use handfoot_protocol::ErrorDetails;
use handfoot_protocol::v1;
use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_store::{Mark, TableId};
use tokio::time::Instant;
use tonic::{Code, Status};

use super::game::play;
use super::kit::{Player, Replica, World, bot, draw, open, person, submission};
use super::stores::{RETRY_AFTER, Shaky, Weather};
use super::watch::{Folded, commit, next, snapshot, watch};

const LEVEL: &str = "casual";

/// Asserts that a call was refused because the store is away, with when to call again.
#[track_caller]
fn is_away<T: std::fmt::Debug>(answer: Result<T, Status>) {
    let status = answer.expect_err("the store is away");
    let details = ErrorDetails::of(&status);
    assert_eq!((status.code(), &*details.name), (Code::Unavailable, "STORE_UNREACHABLE"));
    assert_eq!(details.retry_after, Some(RETRY_AFTER));
}

async fn mark(world: &World, table_id: &str) -> Mark {
    let id: TableId = table_id.parse().unwrap();
    world.store.load(&id).await.unwrap().unwrap().mark
}

fn acquire_turn() -> v1::AcquireTurnRequest {
    v1::AcquireTurnRequest {
        worker: "worker".to_owned(),
        levels: vec![LEVEL.to_owned()],
        max_tasks: 1,
        wait_ms: 10_000,
        lease_ms: 5_000,
    }
}

fn acquire_seat() -> v1::AcquireSeatRequest {
    let (worker, levels) = ("worker".to_owned(), vec![LEVEL.to_owned()]);
    v1::AcquireSeatRequest { worker, levels, wait_ms: 10_000 }
}

fn create(world: &World) -> v1::CreateTableRequest {
    v1::CreateTableRequest { request_id: world.id(), ..Default::default() }
}

fn revoke(table_id: &str) -> v1::IssueSeatTokenRequest {
    v1::IssueSeatTokenRequest {
        table_id: table_id.to_owned(),
        seat: 2,
        older_tokens: v1::OlderTokens::Revoke as i32,
        ..Default::default()
    }
}

/// A table of people about to draw, one that waits with a seat offered to bots, and callers.
struct Set {
    world: World,
    store: std::sync::Arc<Shaky>,
    replica: Replica,
    playing: String,
    waiting: String,
    players: Vec<Player>,
    seat: usize,
}

async fn set() -> Set {
    let (world, store) = World::shaky();
    let replica = world.replica();
    let (playing, mut players) = replica.people(&world, 81).await;
    let waiting = replica.table(&world, 82).await;
    replica.set_seat(&waiting, 1, open(&[LEVEL])).await.unwrap();
    for seat in 2..=4 {
        replica.set_seat(&waiting, seat, bot(LEVEL)).await.unwrap();
    }
    let seat = usize::try_from(players[0].view().await.to_act).unwrap();
    Set { world, store, replica, playing, waiting, players, seat }
}

/// Every call of a play token's owner.
async fn every_play_call(set: &mut Set) {
    let version = mark_version(set).await;
    let player = &mut set.players[set.seat];
    set.store.weather(Weather::Away);
    is_away(player.submit(&submission(&set.world, version, vec![draw()])).await);
    let judged = submission(&set.world, version, vec![draw()]);
    let judged = v1::SubmitActionsRequest { validate_only: true, ..judged };
    is_away(player.submit(&judged).await);
    // What would be refused is not refused from memory.
    is_away(player.submit(&submission(&set.world, 0, vec![draw()])).await);
    let client = &mut player.client;
    is_away(client.get_view(v1::GetViewRequest::default()).await);
    is_away(client.list_legal_actions(v1::ListLegalActionsRequest {}).await);
    is_away(client.list_commits(v1::ListCommitsRequest::default()).await);
    is_away(client.watch_table(v1::WatchTableRequest::default()).await);
    let (request_id, expected_version) = (set.world.id(), version);
    let undo = v1::RequestUndoRequest { request_id, expected_version, acts: 1 };
    is_away(client.request_undo(undo).await);
}

async fn mark_version(set: &Set) -> u64 {
    mark(&set.world, &set.playing).await.version.0
}

/// Every call of a platform and of a worker.
async fn every_other_call(set: &mut Set) {
    set.store.weather(Weather::Away);
    let mut platform = set.replica.platform();
    let table_id = set.waiting.clone();
    is_away(platform.create_table(create(&set.world)).await);
    is_away(platform.get_table(v1::GetTableRequest { table_id: table_id.clone() }).await);
    is_away(platform.list_tables(v1::ListTablesRequest::default()).await);
    is_away(set.replica.set_seat(&table_id, 1, person("eva")).await);
    is_away(set.replica.start(&table_id).await);
    is_away(platform.cancel_table(v1::CancelTableRequest { table_id: table_id.clone() }).await);
    is_away(platform.issue_seat_token(revoke(&set.playing)).await);
    let mut bots = set.replica.bots();
    is_away(bots.acquire_seat(acquire_seat()).await);
    is_away(bots.acquire_turn(acquire_turn()).await);
    let lease_id = format!("{table_id}.1.1.5000");
    is_away(bots.release_turn(v1::ReleaseTurnRequest { lease_id, cause: 1 }).await);
}

/// Fault list: R54, R56.
#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_is_told_changes_nothing_and_is_used_again_when_it_is_back() {
    let mut set = set().await;
    let (playing, waiting) = (set.playing.clone(), set.waiting.clone());
    let before = [mark(&set.world, &playing).await, mark(&set.world, &waiting).await];
    every_play_call(&mut set).await;
    every_other_call(&mut set).await;
    set.store.weather(Weather::Fair);
    let after = [mark(&set.world, &playing).await, mark(&set.world, &waiting).await];
    assert_eq!(before, after);
    // Who needs no store was not kept waiting, and everybody else goes on.
    assert_eq!(play(&set.world, &mut set.players, 20).await, 20);
    let acquired = set.replica.bots().acquire_seat(acquire_seat()).await.unwrap().into_inner();
    assert_eq!(acquired.acquired.unwrap().table_id, waiting);
    set.replica.start(&waiting).await.unwrap();
    let tasks = set.replica.bots().acquire_turn(acquire_turn()).await.unwrap().into_inner().tasks;
    assert_eq!(tasks[0].table_id, waiting);
}

/// Fault list: R42, R53.
#[tokio::test(start_paused = true)]
async fn a_move_whose_answer_the_store_lost_is_played_once_and_seen_by_all() {
    let mut set = set().await;
    let mut stream = watch(&mut set.players[0], None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    let version = mark_version(&set).await;
    let request = submission(&set.world, version, vec![draw()]);
    set.store.weather(Weather::LosesAnswers);
    is_away(set.players[set.seat].submit(&request).await);
    is_away(set.players[set.seat].submit(&request).await);
    set.store.weather(Weather::Fair);
    let answer = set.players[set.seat].submit(&request).await.unwrap();
    assert!(answer.replayed);
    assert_eq!(answer.commit.unwrap().stamp.unwrap().version, version + 1);
    assert_eq!(mark_version(&set).await, version + 1);
    folded.apply(&commit(&mut stream).await);
    folded.equals(&set.players[0].view().await);
    let played = play(&set.world, &mut set.players, 10).await;
    for _ in 0..played {
        folded.apply(&commit(&mut stream).await);
    }
    folded.equals(&set.players[0].view().await);
}

/// Fault list: R71.
#[tokio::test(start_paused = true)]
async fn what_a_platform_repeats_after_a_lost_answer_is_done_once() {
    let set = set().await;
    let request = create(&set.world);
    set.store.weather(Weather::LosesAnswers);
    is_away(set.replica.platform().create_table(request.clone()).await);
    set.store.weather(Weather::Fair);
    let created = set.replica.platform().create_table(request.clone()).await.unwrap().into_inner();
    let again = set.replica.platform().create_table(request).await.unwrap().into_inner();
    assert_eq!(created, again);
    let listed = set.replica.platform().list_tables(v1::ListTablesRequest::default()).await;
    assert_eq!(listed.unwrap().into_inner().tables.len(), 3);

    set.store.weather(Weather::LosesAnswers);
    is_away(set.replica.set_seat(&set.waiting, 1, person("eva")).await);
    set.store.weather(Weather::Fair);
    let table = set.replica.set_seat(&set.waiting, 1, person("eva")).await.unwrap();
    assert_eq!(table.version, 5, "the second was no change");
    set.store.weather(Weather::LosesAnswers);
    is_away(set.replica.start(&set.waiting).await);
    set.store.weather(Weather::Fair);
    assert_eq!(set.replica.start(&set.waiting).await.unwrap().version, 6);
}

/// Fault list: R36.
#[tokio::test(start_paused = true)]
async fn a_decision_that_was_claimed_and_never_given_is_offered_after_its_lease() {
    let set = set().await;
    set.replica.set_seat(&set.waiting, 1, bot(LEVEL)).await.unwrap();
    set.replica.start(&set.waiting).await.unwrap();
    set.store.weather(Weather::LosesAnswers);
    is_away(set.replica.bots().acquire_turn(acquire_turn()).await);
    set.store.weather(Weather::Fair);
    let at_once = v1::AcquireTurnRequest { wait_ms: 0, ..acquire_turn() };
    let none = set.replica.bots().acquire_turn(at_once.clone()).await.unwrap().into_inner();
    assert!(none.tasks.is_empty(), "somebody may have it");
    set.world.pass(5_001);
    let task = set.replica.bots().acquire_turn(at_once).await.unwrap().into_inner().tasks;
    assert_eq!(task[0].table_id, set.waiting);
}

/// Fault list: R62, R104.
#[tokio::test(start_paused = true)]
async fn a_stream_ends_while_the_store_is_away_and_resumes_without_a_gap() {
    let mut set = set().await;
    let (mut player, seat) = (set.players[1].clone(), set.seat);
    let mut stream = watch(&mut player, None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    play(&set.world, &mut set.players, 1).await;
    folded.apply(&commit(&mut stream).await);
    set.store.weather(Weather::Away);
    // Silence would look like a quiet table: the next sign of life says what is wrong.
    is_away(stream.message().await);
    assert!(stream.message().await.unwrap().is_none());
    set.store.weather(Weather::Fair);
    let legal = set.players[seat].legal().await;
    assert_eq!(legal.version, folded.stamp.version);
    play(&set.world, &mut set.players, 7).await;
    let mut stream = watch(&mut player, Some(&folded.stamp)).await;
    for _ in 0..7 {
        folded.apply(&commit(&mut stream).await);
    }
    folded.equals(&player.view().await);
    assert!(matches!(next(&mut stream).await, Item::Heartbeat(_)));
}

/// Fault list: R98.
#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_keeps_no_worker_waiting_through_a_drain() {
    let set = set().await;
    set.store.weather(Weather::Hangs);
    let (mut for_turn, mut for_seat) = (set.replica.bots(), set.replica.bots());
    let turn = tokio::spawn(async move { for_turn.acquire_turn(acquire_turn()).await });
    set.store.hangs().await;
    let seat = tokio::spawn(async move { for_seat.acquire_seat(acquire_seat()).await });
    set.store.hangs().await;
    let began = Instant::now();
    set.replica.drain.start();
    assert!(turn.await.unwrap().unwrap().into_inner().tasks.is_empty());
    assert_eq!(seat.await.unwrap().unwrap().into_inner().acquired, None);
    assert_eq!(began.elapsed(), Duration::ZERO, "the drain was waited through");
}
