//! The store goes back: commits that were acknowledged are gone, and nobody is told anything wrong.

use std::time::Duration;

use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_protocol::v1::{self, SnapshotCause};

use super::game::play;
use super::kit::{Player, World, discard, discards, draw, reason, submission};
use super::watch::{Folded, Stream, commit, next, snapshot, watch};

/// A seat that has drawn and is about to discard, what it may do then, and its request to draw.
async fn drawn(
    world: &World,
    players: &mut [Player],
) -> (usize, v1::LegalActions, v1::SubmitActionsRequest) {
    let mut view = players[0].view().await;
    while !matches!(view.phase.unwrap().phase, Some(v1::phase::Phase::Draw(_))) {
        play(world, players, 1).await;
        view = players[0].view().await;
    }
    let seat = usize::try_from(view.to_act).unwrap();
    let request = submission(world, view.stamp.unwrap().version, vec![draw()]);
    let legal = players[seat].submit(&request).await.unwrap().legal.unwrap();
    (seat, legal, request)
}

/// Discards one of the cards that may be: the first, or the last.
fn end_of_turn(world: &World, legal: &v1::LegalActions, first: bool) -> v1::SubmitActionsRequest {
    let cards = discards(legal);
    let card = if first { cards[0] } else { cards[cards.len() - 1] };
    submission(world, legal.version, vec![discard(card)])
}

/// The next snapshot, which says that what was shown was lost.
async fn told_of_the_loss(stream: &mut Stream) -> Folded {
    let sent = snapshot(stream).await;
    assert_eq!(sent.cause(), SnapshotCause::HistoryDiverged);
    Folded::of(&sent)
}

#[tokio::test(start_paused = true)]
async fn a_glance_at_what_is_old_or_lost_refuses_nobody_and_is_shown_to_nobody() {
    let (world, store) = World::shaky();
    let (first, second) = (world.replica(), world.replica());
    let (table_id, mut here) = first.people(&world, 73).await;
    let mut there = second.player(&second.token(&table_id, 0).await);
    let stands = there.version().await;
    let seat = usize::try_from(here[0].view().await.to_act).unwrap();
    store.lag();
    let drawn = here[seat].submit(&submission(&world, stands, vec![draw()])).await.unwrap();
    let legal = drawn.legal.unwrap();

    // The other has not heard of the draw, and its glance is as old as what it knows.
    let mut late = second.player(&second.token(&table_id, u32::try_from(seat).unwrap()).await);
    let lost = late.submit(&end_of_turn(&world, &legal, true)).await.unwrap();
    let lost = lost.commit.unwrap().stamp.unwrap();
    assert_eq!(lost.version, legal.version + 1);
    store.fail_over();

    // A third knows nothing of the table, and its glance is at what was lost.
    let third = world.replica();
    let next = u32::try_from(seat % 4 + 1).unwrap();
    let mut stranger = third.player(&third.token(&table_id, next).await);
    let on_lost = submission(&world, lost.version, vec![draw()]);
    assert_eq!(reason(stranger.submit(&on_lost).await), "HISTORY_DIVERGED");
    assert_eq!(stranger.version().await, stands);
    let mut anew = third.player(&third.token(&table_id, u32::try_from(seat).unwrap()).await);
    anew.submit(&submission(&world, stands, vec![draw()])).await.unwrap();
    assert_eq!(there.version().await, stands + 1);
}

#[tokio::test(start_paused = true)]
async fn a_glance_that_finds_nothing_refuses_nobody() {
    let (world, store) = World::shaky();
    let (first, second) = (world.replica(), world.replica());
    store.lag();
    let (table_id, mut here) = first.people(&world, 74).await;
    let seat = here[0].view().await.to_act;
    let mut late = second.player(&second.token(&table_id, seat).await);
    let version = late.version().await;
    let seat = usize::try_from(seat).unwrap();
    let drawn = here[seat].submit(&submission(&world, version, vec![draw()])).await.unwrap();
    late.submit(&end_of_turn(&world, &drawn.legal.unwrap(), true)).await.unwrap();
}

/// Fault list: R60, R102.
#[tokio::test(start_paused = true)]
async fn after_a_lost_commit_watchers_are_told_and_the_game_goes_on() {
    let (world, store) = World::shaky();
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 71).await;
    play(&world, &mut players, 12).await;
    let (seat, legal, _) = drawn(&world, &mut players).await;
    let mut watchers = Vec::new();
    for player in &mut players {
        let mut stream = watch(player, None).await;
        let folded = Folded::of(&snapshot(&mut stream).await);
        watchers.push((player.clone(), stream, folded));
    }
    store.lag();
    let lost = end_of_turn(&world, &legal, true);
    let told = players[seat].submit(&lost).await.unwrap().commit.unwrap().stamp.unwrap();
    for (_, stream, folded) in &mut watchers {
        folded.apply(&commit(stream).await);
        assert_eq!(folded.stamp, told);
    }
    store.fail_over();

    // Who decides on what was lost is told so, and everybody reads what stands.
    let next_seat = seat % 4 + 1;
    let on_lost = submission(&world, told.version, vec![draw()]);
    assert_eq!(reason(players[next_seat].submit(&on_lost).await), "HISTORY_DIVERGED");
    assert_eq!(players[next_seat].version().await, legal.version);
    // The seat decides anew, and otherwise.
    let other = end_of_turn(&world, &legal, false);
    let stands = players[seat].submit(&other).await.unwrap().commit.unwrap().stamp.unwrap();
    assert_eq!(stands.version, told.version);
    assert_ne!(stands.chain, told.chain);
    for (player, stream, folded) in &mut watchers {
        *folded = told_of_the_loss(stream).await;
        folded.equals(&player.view().await);
        assert_eq!(folded.stamp, stands);
    }

    let played = play(&world, &mut players, 40).await;
    for (player, stream, folded) in &mut watchers {
        for _ in 0..played {
            folded.apply(&commit(stream).await);
        }
        folded.equals(&player.view().await);
        // Who resumes from what was lost is told so too.
        let mut resumed = watch(player, Some(&told)).await;
        told_of_the_loss(&mut resumed).await.equals(&player.view().await);
    }
}

/// Fault list: R60.
#[tokio::test(start_paused = true)]
async fn a_lost_request_that_is_sent_again_is_played_and_nobody_notices() {
    let (world, store) = World::shaky();
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 72).await;
    let mut stream = watch(&mut players[1], None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    store.lag();
    let (seat, first, request) = drawn(&world, &mut players).await;
    folded.apply(&commit(&mut stream).await);
    store.fail_over();
    let again = players[seat].submit(&request).await.unwrap();
    assert!(!again.replayed, "the store has forgotten it");
    assert_eq!(again.legal.unwrap(), first);
    // The same request makes the same history: what was shown is true again.
    assert_eq!(again.commit.unwrap().stamp.unwrap(), folded.stamp);
    play(&world, &mut players, 5).await;
    for _ in 0..5 {
        folded.apply(&commit(&mut stream).await);
    }
    folded.equals(&players[1].view().await);
}

/// Fault list: R60, R102.
#[tokio::test(start_paused = true)]
async fn a_store_that_goes_back_far_is_noticed_at_the_next_commit() {
    let (world, store) = World::shaky();
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 73).await;
    let (seat, legal, _) = drawn(&world, &mut players).await;
    let mut stream = watch(&mut players[0], None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    store.lag();
    players[seat].submit(&end_of_turn(&world, &legal, true)).await.unwrap();
    let played = play(&world, &mut players, 20).await;
    for _ in 0..=played {
        folded.apply(&commit(&mut stream).await);
    }
    store.fail_over();
    let began = tokio::time::Instant::now();
    players[seat].submit(&end_of_turn(&world, &legal, false)).await.unwrap();
    folded = told_of_the_loss(&mut stream).await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(folded.stamp.version, legal.version + 1);
    folded.equals(&players[0].view().await);
}

/// Fault list: R60, R102.
#[tokio::test(start_paused = true)]
async fn a_store_that_goes_back_in_silence_is_noticed_at_the_next_heartbeat() {
    let (world, store) = World::shaky();
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 74).await;
    let mut streams = Vec::new();
    for player in &mut players {
        let mut stream = watch(player, None).await;
        snapshot(&mut stream).await;
        streams.push(stream);
    }
    store.lag();
    play(&world, &mut players, 3).await;
    for stream in &mut streams {
        for _ in 0..3 {
            commit(stream).await;
        }
    }
    store.fail_over();
    let began = tokio::time::Instant::now();
    for (player, stream) in players.iter_mut().zip(&mut streams) {
        let folded = told_of_the_loss(stream).await;
        folded.equals(&player.view().await);
    }
    assert!(began.elapsed() <= Duration::from_secs(16), "{:?}", began.elapsed());
    // And from then on all is as usual.
    play(&world, &mut players, 2).await;
    for stream in &mut streams {
        commit(stream).await;
        commit(stream).await;
    }
}

/// Fault list: R104.
#[tokio::test(start_paused = true)]
async fn a_wake_up_that_never_came_is_made_up_for_at_the_next_heartbeat() {
    let (world, store) = World::shaky();
    let (here, there) = (world.replica(), world.replica());
    let (table_id, mut players) = here.people(&world, 75).await;
    let mut watcher = there.player(&there.token(&table_id, 3).await);
    let mut stream = watch(&mut watcher, None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    // The copy has everything, and nobody's wake-ups.
    store.fail_over();
    play(&world, &mut players, 5).await;
    let began = tokio::time::Instant::now();
    for _ in 0..5 {
        folded.apply(&commit(&mut stream).await);
    }
    assert!(began.elapsed() <= Duration::from_secs(16), "{:?}", began.elapsed());
    folded.equals(&watcher.view().await);
    let Item::Heartbeat(beat) = next(&mut stream).await else { panic!("nothing else happens") };
    assert_eq!(beat.version, folded.stamp.version);
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_not_given_the_log_of_another_history() {
    let (world, store) = World::shaky();
    let (here, there) = (world.replica(), world.replica());
    let (table_id, mut players) = here.people(&world, 76).await;
    let mut others = Vec::new();
    for seat in 0..=4 {
        others.push(there.player(&there.token(&table_id, seat).await));
    }
    let mut slow = here.slow().player(&here.token(&table_id, 4).await);
    let mut stream = watch(&mut slow, None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    store.lag();
    // More than is kept in memory, so that the reader needs the log.
    play(&world, &mut players, 600).await;
    // The other replica makes another history; this one hears nothing of it.
    store.fail_over();
    play(&world, &mut others, 300).await;
    let told = loop {
        match next(&mut stream).await {
            Item::Commit(commit) => folded.apply(&commit),
            Item::Snapshot(told) => break told,
            other @ (Item::Heartbeat(_) | Item::Presence(_) | Item::Rotate(_)) => {
                panic!("commits or a snapshot should come, not {other:?}")
            }
        }
    };
    assert_eq!(told.cause(), SnapshotCause::HistoryDiverged);
    let folded = Folded::of(&told);
    folded.equals(&slow.view().await);
    // Nothing of it is sent twice, and the next step follows.
    play(&world, &mut others, 1).await;
    let mut folded = folded;
    folded.apply(&commit(&mut stream).await);
    folded.equals(&slow.view().await);
}
