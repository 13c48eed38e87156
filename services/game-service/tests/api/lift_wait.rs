//! Bots leave a round's first act alone while numbers lifted may still come, but not for ever.
//!
//! **Invariant:** what is waited for is the store's time, which the test sets.

use handfoot_protocol::v1;
use handfoot_rules::ExactPickModel;

use super::dispatch::{LEVEL, acquire, one, submit};
use super::game::chosen;
use super::kit::{Replica, World, bot, draw, person, reason, submission};
use super::lifts::{draft, enter, lift, table};

super::on_each_store! {
    the_last_number_lets_the_first_bot_begin,
    a_bot_begins_without_numbers_when_its_wait_is_up,
    how_long_bots_wait_is_chosen_with_the_table,
    a_number_may_come_while_the_first_bot_thinks,
    bots_behind_a_person_do_not_wait,
    no_lease_reaches_into_a_round_that_waits_for_numbers,
}

/// A started table at which these seats are people's and the others bots', and the version of the
/// deal.
async fn bots(
    replica: &Replica,
    world: &World,
    options: v1::TableOptions,
    people: &[u32],
) -> (String, u64) {
    let rules = draft(4, 2, ExactPickModel::Entered);
    let id = table(replica, world, &rules, options).await;
    for seat in 1..=4 {
        let owner = match people.contains(&seat) {
            true => person(&format!("player-{seat}")),
            false => bot(LEVEL),
        };
        replica.set_seat(&id, seat, owner).await.unwrap();
    }
    let version = replica.start(&id).await.unwrap().version;
    (id, version)
}

/// Plays on under a lease until the seat's turn is over.
async fn finish_turn(
    world: &World,
    replica: &Replica,
    task: &v1::BotTask,
    mut legal: v1::LegalActions,
) {
    while !legal.actions.is_empty() {
        let request = submission(world, legal.version, vec![chosen(&legal, 0)]);
        legal = submit(replica, task, &request).await.unwrap().legal.unwrap();
    }
}

/// Whether a worker is given a decision of this table.
async fn is_offered(replica: &Replica, id: &str) -> bool {
    acquire(replica, 0).await.iter().any(|task| task.table_id == id)
}

fn waiting(lift_wait_ms: u32, bot_pace_ms: u32) -> v1::TableOptions {
    v1::TableOptions { lift_wait_ms: Some(lift_wait_ms), bot_pace_ms, ..Default::default() }
}

/// Rule: HF-1.7
async fn the_last_number_lets_the_first_bot_begin(world: World) {
    let replica = world.replica();
    let (id, dealt) = bots(&replica, &world, v1::TableOptions::default(), &[]).await;
    let began = tokio::time::Instant::now();
    let worker = {
        let replica = replica.clone();
        tokio::spawn(async move { acquire(&replica, 30_000).await })
    };
    for seat in 1..=3 {
        enter(&replica, &lift(&world, &id, dealt, seat, 18)).await.unwrap();
        assert!(acquire(&replica, 0).await.is_empty(), "after that of seat {seat}");
    }
    enter(&replica, &lift(&world, &id, dealt, 4, 18)).await.unwrap();
    // Woken, not found by looking again.
    let tasks = worker.await.unwrap();
    assert_eq!((tasks.len(), tasks[0].seat), (1, 1));
    assert!(began.elapsed().is_zero(), "{:?}", began.elapsed());
    assert!(tasks[0].view.as_ref().unwrap().seats.iter().all(|seat| seat.lifted == 18));
}

async fn a_bot_begins_without_numbers_when_its_wait_is_up(world: World) {
    let replica = world.replica();
    let (id, dealt) = bots(&replica, &world, v1::TableOptions::default(), &[]).await;
    world.pass(20_000);
    // Some numbers are not enough, and do not begin the wait anew.
    enter(&replica, &lift(&world, &id, dealt, 1, 18)).await.unwrap();
    world.pass(9_999);
    assert!(acquire(&replica, 0).await.is_empty());
    world.pass(1);
    let task = one(&replica).await;
    let version = task.legal.as_ref().unwrap().version;
    let drawn = submission(&world, version, vec![draw()]);
    let legal = submit(&replica, &task, &drawn).await.unwrap().legal.unwrap();
    let late = lift(&world, &id, dealt, 2, 18);
    assert_eq!(reason(enter(&replica, &late).await), "LIFT_TOO_LATE");
    // The lease holds on, and the next one waits for nothing.
    finish_turn(&world, &replica, &task, legal).await;
    assert_eq!(one(&replica).await.seat, 2);
}

async fn how_long_bots_wait_is_chosen_with_the_table(world: World) {
    let replica = world.replica();
    let chosen = [
        (waiting(0, 0), 0),
        (waiting(5_000, 0), 5_000),
        (waiting(400, 700), 700),
        (waiting(0, 700), 700),
    ];
    for (options, wait) in chosen {
        let (id, _) = bots(&replica, &world, options, &[]).await;
        if wait > 0 {
            world.pass(wait - 1);
            assert!(!is_offered(&replica, &id).await, "{options:?}");
            world.pass(1);
        }
        assert!(is_offered(&replica, &id).await, "{options:?}");
    }
    // The pace counts from the last number.
    let (id, dealt) = bots(&replica, &world, waiting(600_000, 700), &[]).await;
    world.pass(10_000);
    for seat in 1..=4 {
        enter(&replica, &lift(&world, &id, dealt, seat, 18)).await.unwrap();
    }
    world.pass(699);
    assert!(!is_offered(&replica, &id).await);
    world.pass(1);
    assert!(is_offered(&replica, &id).await);
    let request = v1::CreateTableRequest {
        request_id: world.id(),
        options: Some(waiting(600_001, 0)),
        ..v1::CreateTableRequest::default()
    };
    assert_eq!(reason(replica.platform().create_table(request).await), "FIELD_INVALID");
}

async fn a_number_may_come_while_the_first_bot_thinks(world: World) {
    let replica = world.replica();
    let (id, dealt) = bots(&replica, &world, waiting(1_000, 0), &[]).await;
    world.pass(1_000);
    let task = one(&replica).await;
    for seat in 1..=4 {
        enter(&replica, &lift(&world, &id, dealt, seat, 18)).await.unwrap();
    }
    // Its lease holds, its decision is not stale, and nobody else gets it.
    assert!(acquire(&replica, 0).await.is_empty());
    let legal = task.legal.clone().unwrap();
    assert_eq!(legal.version, dealt);
    finish_turn(&world, &replica, &task, legal).await;
    assert_eq!(one(&replica).await.seat, 2);
}

async fn bots_behind_a_person_do_not_wait(world: World) {
    let replica = world.replica();
    let (id, _) = bots(&replica, &world, v1::TableOptions::default(), &[1]).await;
    let mut player = replica.player(&replica.token(&id, 1).await);
    while player.view().await.to_act == 1 {
        let legal = player.legal().await;
        player.submit(&submission(&world, legal.version, vec![chosen(&legal, 0)])).await.unwrap();
    }
    // The person's first act has ended the time for numbers.
    assert_eq!(one(&replica).await.seat, 2);
}

/// Whoever ends a round under a lease, and is the first of the next, does not go on under it.
async fn no_lease_reaches_into_a_round_that_waits_for_numbers(world: World) {
    let replica = world.replica();
    let mut rules = draft(2, 1, ExactPickModel::Entered);
    rules.length.rounds = Some(8);
    let id = table(&replica, &world, &rules, v1::TableOptions::default()).await;
    for seat in 1..=2 {
        replica.set_seat(&id, seat, bot(LEVEL)).await.unwrap();
    }
    let mut dealt = replica.start(&id).await.unwrap().version;
    let (mut n_rounds, mut n_own) = (0, 0);
    'game: loop {
        assert!(acquire(&replica, 0).await.is_empty(), "round {n_rounds}");
        for seat in 1..=2 {
            enter(&replica, &lift(&world, &id, dealt, seat, 18)).await.unwrap();
        }
        'round: loop {
            let task = one(&replica).await;
            let mut legal = task.legal.clone().unwrap();
            while !legal.actions.is_empty() {
                let request = submission(&world, legal.version, vec![chosen(&legal, 0)]);
                let answer = submit(&replica, &task, &request).await.unwrap();
                let commit = answer.commit.unwrap();
                if commit.table_state() == v1::TableState::Finished {
                    break 'game;
                }
                let is_deal = |event: &v1::Event| {
                    matches!(event.event, Some(v1::event::Event::RoundBegan(_)))
                };
                legal = answer.legal.unwrap();
                if commit.events.iter().any(is_deal) {
                    dealt = legal.version;
                    n_rounds += 1;
                    n_own += usize::from(!legal.actions.is_empty());
                    let on = submission(&world, legal.version, vec![draw()]);
                    assert_eq!(reason(submit(&replica, &task, &on).await), "LEASE_LOST");
                    break 'round;
                }
            }
        }
    }
    assert_eq!(n_rounds, 7);
    assert!(n_own > 0, "nobody was the first after ending a round");
}
