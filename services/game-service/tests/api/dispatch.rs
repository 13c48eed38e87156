//! Bots: seats taken, decisions claimed, leases that hold, run out and are given back.

use std::time::Duration;

use handfoot_protocol::v1;
use tonic::Status;

use super::game::chosen;
use super::kit::{Replica, World, bot, discard, discards, draw, open, person, reason, submission};

super::on_each_store! {
    bots_play_a_whole_game_over_two_replicas,
    a_decision_is_given_once_while_its_lease_holds,
    an_accepted_submission_renews_the_lease,
    a_lease_that_is_given_back_is_offered_at_once,
    a_waiting_worker_is_woken_by_a_turn_and_by_a_drain,
    an_empty_wait_ends_when_it_is_up,
    offered_seats_are_taken_once,
    of_fifty_workers_one_gets_the_last_seat,
    a_paced_table_lets_time_pass_before_a_turn,
    a_bot_credential_plays_no_seat_and_a_seat_token_takes_no_work,
}

pub(super) const LEVEL: &str = "casual";

fn turn_request(wait_ms: u32) -> v1::AcquireTurnRequest {
    v1::AcquireTurnRequest {
        worker: "worker".to_owned(),
        levels: vec![LEVEL.to_owned(), "random".to_owned()],
        max_tasks: 16,
        wait_ms,
        lease_ms: 5_000,
    }
}

pub(super) async fn acquire(replica: &Replica, wait_ms: u32) -> Vec<v1::BotTask> {
    let request = turn_request(wait_ms);
    replica.bots().acquire_turn(request).await.unwrap().into_inner().tasks
}

pub(super) async fn one(replica: &Replica) -> v1::BotTask {
    let mut tasks = acquire(replica, 0).await;
    assert_eq!(tasks.len(), 1);
    tasks.remove(0)
}

fn token(task: &v1::BotTask) -> &str {
    &task.lease.as_ref().unwrap().token
}

pub(super) async fn submit(
    replica: &Replica,
    task: &v1::BotTask,
    request: &v1::SubmitActionsRequest,
) -> Result<v1::SubmitActionsResponse, Status> {
    replica.player(token(task)).submit(request).await
}

/// A started table with bots on all seats but these.
async fn bot_table(world: &World, replica: &Replica, people: &[u32]) -> String {
    let id = replica.table(world, 41).await;
    for seat in 1..=4 {
        let owner = match people.contains(&seat) {
            true => person(&format!("player-{seat}")),
            false => bot(LEVEL),
        };
        replica.set_seat(&id, seat, owner).await.unwrap();
    }
    replica.start(&id).await.unwrap();
    id
}

/// Fault list: R101.
async fn bots_play_a_whole_game_over_two_replicas(world: World) {
    let replicas = [world.replica(), world.replica()];
    let id = bot_table(&world, &replicas[0], &[]).await;
    let mut n_played = 0;
    'game: loop {
        let replica = &replicas[n_played % 2];
        for task in acquire(replica, 0).await {
            assert_eq!((task.table_id.as_str(), task.level.as_str()), (id.as_str(), LEVEL));
            let view = task.view.as_ref().unwrap();
            assert_eq!((view.seat, view.to_act), (task.seat, task.seat));
            let mut legal = task.legal.clone().unwrap();
            // The lease holds for the rest of the turn.
            while !legal.actions.is_empty() {
                let request = submission(&world, legal.version, vec![chosen(&legal, n_played)]);
                let answer = submit(replica, &task, &request).await.unwrap();
                n_played += 1;
                let state = answer.commit.unwrap().table_state;
                if state == v1::TableState::Finished as i32 {
                    break 'game;
                }
                if view_is_over(&answer.legal) {
                    break;
                }
                legal = answer.legal.unwrap();
            }
        }
        assert!(n_played < 20_000, "the game does not end");
    }
    assert!(acquire(&replicas[0], 0).await.is_empty());
}

fn view_is_over(legal: &Option<v1::LegalActions>) -> bool {
    legal.as_ref().is_none_or(|legal| legal.actions.is_empty())
}

/// Fault list: R36.
async fn a_decision_is_given_once_while_its_lease_holds(world: World) {
    let (first, second) = (world.replica(), world.replica());
    bot_table(&world, &first, &[]).await;
    let task = one(&first).await;
    assert!(acquire(&second, 0).await.is_empty());
    assert_eq!(task.bot_seed.len(), 32);
    assert!(!task.commits.is_empty() && task.rules.is_some());

    // Drawn, then nothing: after the lease another goes on from where it stands.
    let version = task.legal.as_ref().unwrap().version;
    let drawn = submission(&world, version, vec![draw()]);
    submit(&first, &task, &drawn).await.unwrap();
    world.pass(5_001);
    let heir = one(&second).await;
    assert_eq!(heir.seat, task.seat);
    let legal = heir.legal.clone().unwrap();
    assert_eq!(legal.version, version + 1);
    assert_eq!(heir.bot_seed, task.bot_seed);

    // The late worker: the same request is answered, anything else is refused.
    assert!(submit(&first, &task, &drawn).await.unwrap().replayed);
    let late = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
    assert_eq!(reason(submit(&first, &task, &late).await), "LEASE_LOST");
    let second_draw = submission(&world, legal.version, vec![draw()]);
    assert_eq!(reason(submit(&first, &task, &second_draw).await), "LEASE_LOST");
    let view = first.player(token(&task)).client.get_view(v1::GetViewRequest::default()).await;
    assert_eq!(reason(view), "LEASE_LOST");
    assert_eq!(reason(submit(&second, &heir, &second_draw).await), "ALREADY_DREW");
    let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
    submit(&second, &heir, &end).await.unwrap();
}

async fn an_accepted_submission_renews_the_lease(world: World) {
    let replica = world.replica();
    bot_table(&world, &replica, &[]).await;
    let task = one(&replica).await;
    world.pass(4_000);
    let version = task.legal.as_ref().unwrap().version;
    let drawn = submit(&replica, &task, &submission(&world, version, vec![draw()])).await.unwrap();
    world.pass(4_000);
    assert!(acquire(&replica, 0).await.is_empty());
    let legal = drawn.legal.unwrap();
    let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
    submit(&replica, &task, &end).await.unwrap();
    // The turn is over, and with it the lease.
    let view = replica.player(token(&task)).client.get_view(v1::GetViewRequest::default()).await;
    assert_eq!(reason(view), "LEASE_LOST");
}

async fn a_lease_that_is_given_back_is_offered_at_once(world: World) {
    let replica = world.replica();
    bot_table(&world, &replica, &[]).await;
    let task = one(&replica).await;
    let release = v1::ReleaseTurnRequest {
        lease_id: task.lease.as_ref().unwrap().lease_id.clone(),
        cause: v1::ReleaseCause::Draining as i32,
    };
    replica.bots().release_turn(release.clone()).await.unwrap();
    let next = one(&replica).await;
    assert_eq!(next.seat, task.seat);
    // The one given back is gone, and giving it back again changes nothing.
    replica.bots().release_turn(release).await.unwrap();
    assert!(acquire(&replica, 0).await.is_empty());
    let version = task.legal.as_ref().unwrap().version;
    let late = submission(&world, version, vec![draw()]);
    assert_eq!(reason(submit(&replica, &task, &late).await), "LEASE_LOST");
    let bad = v1::ReleaseTurnRequest { lease_id: "x".to_owned(), cause: 0 };
    assert_eq!(reason(replica.bots().release_turn(bad).await), "FIELD_INVALID");
}

async fn a_waiting_worker_is_woken_by_a_turn_and_by_a_drain(world: World) {
    let replica = world.replica();
    // Seat 1 begins: a person; seat 2 is a bot.
    let id = bot_table(&world, &replica, &[1]).await;
    let mut player = replica.player(&replica.token(&id, 1).await);
    let waiting = {
        let replica = replica.clone();
        tokio::spawn(async move { acquire(&replica, 30_000).await })
    };
    tokio::task::yield_now().await;
    player.play_first(&world).await;
    let legal = player.legal().await;
    let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
    player.submit(&end).await.unwrap();
    let tasks = waiting.await.unwrap();
    assert_eq!(tasks[0].seat, 2);
    // What happened since the seat's last turn comes with it.
    let newest = tasks[0].commits.last().unwrap().stamp.as_ref().unwrap().version;
    assert_eq!(newest, tasks[0].legal.as_ref().unwrap().version);

    let began = tokio::time::Instant::now();
    let waiting = {
        let replica = replica.clone();
        tokio::spawn(async move { replica.bots().acquire_turn(turn_request(30_000)).await })
    };
    tokio::time::sleep(Duration::from_secs(3)).await;
    replica.drain.start();
    assert!(waiting.await.unwrap().unwrap().into_inner().tasks.is_empty());
    assert!(began.elapsed() < Duration::from_secs(4));
}

async fn an_empty_wait_ends_when_it_is_up(world: World) {
    let replica = world.replica();
    let began = tokio::time::Instant::now();
    assert!(acquire(&replica, 2_000).await.is_empty());
    assert_eq!(began.elapsed().as_secs(), 2);
    let mut request = turn_request(30_001);
    assert_eq!(reason(replica.bots().acquire_turn(request.clone()).await), "FIELD_INVALID");
    request.wait_ms = 0;
    request.levels.clear();
    assert_eq!(reason(replica.bots().acquire_turn(request).await), "FIELD_INVALID");
}

/// Fault list: R59, R71.
async fn offered_seats_are_taken_once(world: World) {
    let (first, second) = (world.replica(), world.replica());
    let id = first.table(&world, 1).await;
    for seat in 1..=4 {
        first.set_seat(&id, seat, open(&[LEVEL])).await.unwrap();
    }
    let seat_request = |level: &str| v1::AcquireSeatRequest {
        worker: "worker".to_owned(),
        levels: vec![level.to_owned()],
        wait_ms: 0,
    };
    let nothing = first.bots().acquire_seat(seat_request("expert")).await.unwrap();
    assert!(nothing.into_inner().acquired.is_none());
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..8 {
        let replica = if number % 2 == 0 { first.clone() } else { second.clone() };
        let request = seat_request(LEVEL);
        calls.spawn(async move { replica.bots().acquire_seat(request).await });
    }
    let answers = calls.join_all().await;
    let mut seats: Vec<u32> = answers
        .into_iter()
        .filter_map(|answer| answer.unwrap().into_inner().acquired)
        .map(|acquired| acquired.seat)
        .collect();
    seats.sort_unstable();
    assert_eq!(seats, [1, 2, 3, 4]);
    let started = first.start(&id).await.unwrap();
    assert!(started.seats.iter().all(|seat| seat.controller == v1::Controller::Bot as i32));
    assert_eq!(acquire(&second, 0).await.len(), 1);
}

/// Fault list: R71.
async fn of_fifty_workers_one_gets_the_last_seat(world: World) {
    let replicas = [world.replica(), world.replica()];
    let id = replicas[0].table(&world, 1).await;
    for seat in 1..=3 {
        replicas[0].set_seat(&id, seat, bot(LEVEL)).await.unwrap();
    }
    replicas[0].set_seat(&id, 4, open(&[LEVEL])).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..50 {
        let replica = replicas[number % 2].clone();
        let (worker, levels) = (format!("worker {number}"), vec![LEVEL.to_owned()]);
        let request = v1::AcquireSeatRequest { worker, levels, wait_ms: 0 };
        calls.spawn(async move { replica.bots().acquire_seat(request).await });
    }
    let answers = calls.join_all().await;
    let acquired: Vec<v1::AcquiredSeat> =
        answers.into_iter().filter_map(|answer| answer.unwrap().into_inner().acquired).collect();
    assert_eq!(acquired.iter().map(|seat| seat.seat).collect::<Vec<_>>(), [4]);
    let get = v1::GetTableRequest { table_id: id };
    let table = replicas[1].platform().get_table(get).await.unwrap().into_inner().table.unwrap();
    assert_eq!(table.version, 5);
}

async fn a_paced_table_lets_time_pass_before_a_turn(world: World) {
    let replica = world.replica();
    let request = v1::CreateTableRequest {
        request_id: world.id(),
        chosen_seed: Some(3),
        options: Some(v1::TableOptions { bot_pace_ms: 700, ..Default::default() }),
        ..Default::default()
    };
    let created = replica.platform().create_table(request).await.unwrap().into_inner();
    let id = created.table.unwrap().table_id;
    for seat in 1..=4 {
        replica.set_seat(&id, seat, bot("random")).await.unwrap();
    }
    replica.start(&id).await.unwrap();
    assert!(acquire(&replica, 0).await.is_empty());
    world.pass(700);
    let task = one(&replica).await;
    assert_eq!((task.pace_ms, task.level.as_str()), (700, "random"));
}

/// Fault list: R66.
async fn a_bot_credential_plays_no_seat_and_a_seat_token_takes_no_work(world: World) {
    let replica = world.replica();
    let (_, players) = replica.people(&world, 1).await;
    drop(players);
    let mut spy = replica.player("hfb_bots.secret");
    let refused = spy.client.get_view(v1::GetViewRequest::default()).await;
    assert_eq!(refused.as_ref().unwrap_err().code(), tonic::Code::Unauthenticated);
}
