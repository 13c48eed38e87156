//! Two processes over one store.

use super::kit::{World, discard, discards, draw, reason, submission};

super::on_each_store! {
    a_stale_cache_refuses_nobody,
    of_two_different_decisions_on_one_version_one_stands,
}

/// Fault list: R57, R101.
async fn a_stale_cache_refuses_nobody(world: World) {
    let (first, second) = (world.replica(), world.replica());
    let (table_id, mut here) = first.people(&world, 11).await;
    let mut there = Vec::new();
    for seat in 0..=4 {
        there.push(second.player(&second.token(&table_id, seat).await));
    }
    for turn in 0..200 {
        // Turns alternate between the replicas, so the other one is always behind.
        let (now, other) =
            if turn % 2 == 0 { (&mut here, &mut there) } else { (&mut there, &mut here) };
        let seat = usize::try_from(other[0].view().await.to_act).unwrap();
        let version = now[0].version().await;
        now[seat].submit(&submission(&world, version, vec![draw()])).await.unwrap();
        if now[0].view().await.round_index > 0 {
            return;
        }
        // This replica has not heard of the draw when it is asked to discard.
        let legal = other[seat].legal().await;
        assert_eq!(legal.version, version + 1);
        let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
        now[seat].submit(&end).await.unwrap();
        // Nor of the discard when the next seat draws.
        let next = seat % 4 + 1;
        let drawn = submission(&world, legal.version + 1, vec![draw()]);
        other[next].submit(&drawn).await.unwrap();
        if now[0].view().await.round_index > 0 {
            return;
        }
        let legal = now[next].legal().await;
        let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
        other[next].submit(&end).await.unwrap();
    }
    panic!("the stock should have run out");
}

/// Fault list: R57.
async fn of_two_different_decisions_on_one_version_one_stands(world: World) {
    let (first, second) = (world.replica(), world.replica());
    let (table_id, mut here) = first.people(&world, 12).await;
    let mut there = Vec::new();
    for seat in 0..=4 {
        there.push(second.player(&second.token(&table_id, seat).await));
    }
    for _ in 0..60 {
        let view = here[0].view().await;
        let Ok(seat @ 1..) = usize::try_from(view.to_act) else { break };
        let version = view.stamp.unwrap().version;
        if here[seat].submit(&submission(&world, version, vec![draw()])).await.is_err() {
            break;
        }
        let legal = there[seat].legal().await;
        let cards = discards(&legal);
        let (one, two) = (cards[0], cards[cards.len() - 1]);
        let a = submission(&world, legal.version, vec![discard(one)]);
        let b = submission(&world, legal.version, vec![discard(two)]);
        let (mut here_too, mut there_too) = (here[seat].clone(), there[seat].clone());
        let (a, b) = tokio::join!(here_too.submit(&a), there_too.submit(&b));
        let n_accepted = usize::from(a.is_ok()) + usize::from(b.is_ok());
        assert_eq!(n_accepted, 1);
        let refused = if a.is_err() { reason(a) } else { reason(b) };
        assert_eq!(refused, "STALE_VERSION");
        assert_eq!(there[0].version().await, legal.version + 1);
    }
}
