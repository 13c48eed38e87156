//! What the service counts of what happens to tables.

use std::sync::Arc;

use handfoot_protocol::v1;
use handfoot_protocol::v1::SnapshotCause;

use super::game::play;
use super::kit::{World, draw, reason, submission};
use super::watch::{commit, snapshot, watch};

/// Numbers by the beginning of their line.
struct Counts(String);

impl Counts {
    fn of(world: &World) -> Counts {
        let registry = world.metrics.registry(Arc::new(|| true)).unwrap().unwrap();
        Counts(registry.text())
    }

    fn number(&self, start: &str) -> u32 {
        let line = self.0.lines().find_map(|line| line.strip_prefix(start));
        line.unwrap_or_else(|| panic!("{start} is not in {}", self.0)).trim().parse().unwrap()
    }

    fn commits(&self, outcome: &str) -> u32 {
        self.number(&format!("handfoot_commits_total{{outcome=\"{outcome}\"}}"))
    }

    fn diverged(&self, found_by: &str) -> u32 {
        self.number(&format!("handfoot_diverged_total{{found_by=\"{found_by}\"}}"))
    }
}

#[tokio::test(start_paused = true)]
async fn commits_are_counted_by_what_came_of_them() {
    let world = World::new();
    let (first, second) = (world.replica(), world.replica());
    let (table_id, mut players) = first.people(&world, 81).await;
    let seat = usize::try_from(players[0].view().await.to_act).unwrap();
    let mut other = second.player(&second.token(&table_id, u32::try_from(seat).unwrap()).await);
    other.view().await;
    let (request, _) = players[seat].play_first(&world).await;
    // The same again, and on a replica that does not know of it yet.
    assert!(players[seat].submit(&request).await.unwrap().replayed);
    assert!(other.submit(&request).await.unwrap().replayed);
    let reused = v1::SubmitActionsRequest { actions: vec![draw(), draw()], ..request };
    reason(other.submit(&reused).await);
    let counts = Counts::of(&world);
    // Four seats were given, the game was started, and one action played.
    assert_eq!(counts.commits("committed"), 6);
    assert_eq!(counts.commits("duplicate"), 2);
    assert_eq!(counts.commits("failed"), 0);
    for found_by in ["replica", "watcher", "request"] {
        assert_eq!(counts.diverged(found_by), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_has_gone_back_is_counted_by_who_found_it() {
    let (world, store) = World::shaky();
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 82).await;
    play(&world, &mut players, 3).await;
    let mut stream = watch(&mut players[0], None).await;
    snapshot(&mut stream).await;
    store.lag();
    play(&world, &mut players, 1).await;
    commit(&mut stream).await;
    let lost = players[0].view().await;
    let stamp = lost.stamp.clone().unwrap();
    store.fail_over();
    let seat = usize::try_from(lost.to_act).unwrap();
    let on_lost = submission(&world, stamp.version, vec![draw()]);
    assert_eq!(reason(players[seat].submit(&on_lost).await), "HISTORY_DIVERGED");
    let mut resumed = watch(&mut players[seat], Some(&stamp)).await;
    assert_eq!(snapshot(&mut resumed).await.cause(), SnapshotCause::HistoryDiverged);
    // Who watches from before is told at the next heartbeat.
    assert_eq!(snapshot(&mut stream).await.cause(), SnapshotCause::HistoryDiverged);
    let counts = Counts::of(&world);
    assert_eq!((counts.diverged("request"), counts.diverged("watcher")), (1, 1));
    assert!(counts.diverged("replica") >= 1);
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_waited_for_a_worker_is_counted_with_how_long() {
    let world = World::new();
    let replica = world.replica();
    let table_id = replica.table(&world, 83).await;
    for seat in 1..=4 {
        replica.set_seat(&table_id, seat, super::kit::bot("casual")).await.unwrap();
    }
    replica.start(&table_id).await.unwrap();
    world.pass(700);
    let request = v1::AcquireTurnRequest {
        worker: "w".to_owned(),
        levels: vec!["casual".to_owned()],
        max_tasks: 1,
        ..v1::AcquireTurnRequest::default()
    };
    let tasks = replica.bots().acquire_turn(request).await.unwrap().into_inner().tasks;
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0].trace, None, "nobody traces this");
    let counts = Counts::of(&world);
    assert_eq!(counts.number("handfoot_bot_turn_lag_seconds_count"), 1);
    assert_eq!(counts.number("handfoot_bot_turn_lag_seconds_bucket{le=\"0.5\"}"), 0);
    assert_eq!(counts.number("handfoot_bot_turn_lag_seconds_bucket{le=\"1\"}"), 1);
}
