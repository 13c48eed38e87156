//! People who go away and come back, to the same process or to another.

use handfoot_protocol::v1;
use handfoot_protocol::v1::watch_table_response::Item;

use super::game::play;
use super::kit::{Player, World, discard, discards, draw, reason, submission};
use super::watch::{Folded, Stream, commit, next, snapshot, watch};

super::on_each_store! {
    who_comes_back_in_mid_turn_goes_on_where_the_turn_was,
    who_vanished_without_a_word_comes_back_at_once,
    after_a_drain_the_same_token_goes_on_elsewhere,
    two_connections_with_one_token_are_one_seat,
    a_token_needs_nothing_but_its_table,
    who_leaves_and_comes_back_finds_the_same_deal,
}

/// The seat that is to act.
async fn to_act(players: &mut [Player]) -> usize {
    usize::try_from(players[0].view().await.to_act).unwrap()
}

/// How many streams each seat has, at the next change of that.
async fn presence(stream: &mut Stream) -> Vec<u32> {
    loop {
        let item = stream.message().await.unwrap().unwrap().item.unwrap();
        if let Item::Presence(there) = item {
            return there.seats.iter().map(|seat| seat.streams).collect();
        }
    }
}

/// Fault list: R62.
async fn who_comes_back_in_mid_turn_goes_on_where_the_turn_was(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 101).await;
    let seat = to_act(&mut players).await;
    let mut other = watch(&mut players[seat % 4 + 1], None).await;
    snapshot(&mut other).await;
    let mut stream = watch(&mut players[seat], None).await;
    snapshot(&mut stream).await;
    assert_eq!(presence(&mut other).await[seat - 1], 1);
    let version = players[seat].version().await;
    players[seat].submit(&submission(&world, version, vec![draw()])).await.unwrap();
    let drawn = players[seat].view().await;
    drop(stream);
    assert_eq!(presence(&mut other).await[seat - 1], 0);

    // Another device, which knows nothing but the token.
    let number = u32::try_from(seat).unwrap();
    let mut back = replica.slow().player(&replica.token(&table_id, number).await);
    let mut stream = watch(&mut back, None).await;
    let sent = snapshot(&mut stream).await.view.unwrap();
    assert_eq!(presence(&mut other).await[seat - 1], 1);
    assert_eq!(sent, v1::View { server_time: sent.server_time, ..drawn });
    assert!(matches!(sent.phase.unwrap().phase, Some(v1::phase::Phase::Play(_))));
    let legal = back.legal().await;
    let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
    back.submit(&end).await.unwrap();
    assert_eq!(commit(&mut stream).await.stamp.unwrap().version, legal.version + 1);
}

/// Fault list: R63.
async fn who_vanished_without_a_word_comes_back_at_once(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 102).await;
    let token = replica.token(&table_id, 3).await;
    // Connections that nobody closed and nobody reads, as a network that went away leaves them.
    let mut vanished = Vec::new();
    for _ in 0..5 {
        let mut player = replica.slow().player(&token);
        let stream = watch(&mut player, None).await;
        vanished.push((player, stream));
    }
    play(&world, &mut players, 6).await;
    let mut back = replica.slow().player(&token);
    let mut stream = watch(&mut back, None).await;
    let mut folded = Folded::of(&snapshot(&mut stream).await);
    play(&world, &mut players, 6).await;
    for _ in 0..6 {
        folded.apply(&commit(&mut stream).await);
    }
    folded.equals(&back.view().await);
    assert_eq!(vanished.len(), 5);
}

/// Fault list: R65, R98.
async fn after_a_drain_the_same_token_goes_on_elsewhere(world: World) {
    let (first, second) = (world.replica(), world.replica());
    let (table_id, mut players) = first.people(&world, 103).await;
    let mut seated = Vec::new();
    for seat in 1..=4 {
        let token = first.token(&table_id, seat).await;
        let mut stream = watch(&mut first.player(&token), None).await;
        let folded = Folded::of(&snapshot(&mut stream).await);
        seated.push((token, stream, folded));
    }
    play(&world, &mut players, 4).await;
    first.drain.start();
    for (token, stream, folded) in &mut seated {
        let end = loop {
            match next(stream).await {
                Item::Commit(commit) => folded.apply(&commit),
                Item::Rotate(end) => break end,
                Item::Heartbeat(_) => {}
                other @ (Item::Snapshot(_) | Item::Presence(_)) => {
                    panic!("commits or the end should come, not {other:?}")
                }
            }
        };
        assert_eq!(end.cause(), v1::RotateCause::Draining);
        let mut there = second.player(token);
        *stream = watch(&mut there, Some(&folded.stamp)).await;
        while folded.stamp.version < there.version().await {
            folded.apply(&commit(stream).await);
        }
        folded.equals(&there.view().await);
    }
    // The first command of whoever is on turn is taken.
    let mut there: Vec<Player> = vec![second.player(&second.token(&table_id, 0).await)];
    there.extend(seated.iter().map(|(token, _, _)| second.player(token)));
    assert_eq!(play(&world, &mut there, 8).await, 8);
    for (_, stream, folded) in &mut seated {
        for _ in 0..8 {
            folded.apply(&commit(stream).await);
        }
    }
}

/// Fault list: R68.
async fn two_connections_with_one_token_are_one_seat(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 104).await;
    let seat = to_act(&mut players).await;
    let token = replica.token(&table_id, u32::try_from(seat).unwrap()).await;
    let (mut one, mut two) = (replica.player(&token), replica.slow().player(&token));
    let (mut first, mut second) = (watch(&mut one, None).await, watch(&mut two, None).await);
    let views = [snapshot(&mut first).await.view, snapshot(&mut second).await.view];
    assert_eq!(views[0], views[1]);
    let version = one.version().await;
    one.submit(&submission(&world, version, vec![draw()])).await.unwrap();
    assert_eq!(commit(&mut first).await, commit(&mut second).await);
    // What one of them did the other cannot do again, and can go on from.
    let again = submission(&world, version, vec![draw()]);
    assert_eq!(reason(two.submit(&again).await), "STALE_VERSION");
    let legal = two.legal().await;
    let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
    two.submit(&end).await.unwrap();
    assert_eq!(commit(&mut first).await, commit(&mut second).await);
    let get = v1::GetTableRequest { table_id };
    let table = replica.platform().get_table(get).await.unwrap().into_inner().table.unwrap();
    assert_eq!(table.seats.len(), 4);
}

/// Fault list: R69.
async fn a_token_needs_nothing_but_its_table(world: World) {
    let (table_id, token) = {
        let replica = world.replica();
        let (table_id, mut players) = replica.people(&world, 105).await;
        play(&world, &mut players, 9).await;
        let token = replica.token(&table_id, 1).await;
        replica.drain.start();
        (table_id, token)
    };
    // Nothing is left of the process that gave it out.
    let replica = world.replica();
    let mut player = replica.player(&token);
    let mut stream = watch(&mut player, None).await;
    Folded::of(&snapshot(&mut stream).await).equals(&player.view().await);
    let mut players = Vec::new();
    for seat in 0..=4 {
        players.push(replica.player(&replica.token(&table_id, seat).await));
    }
    players[1] = player.clone();
    assert_eq!(play(&world, &mut players, 12).await, 12);
    // Without its table it is good for nothing, and that is said.
    world.store.delete(&table_id.parse().unwrap()).await.unwrap();
    let version = 20;
    let late = player.submit(&submission(&world, version, vec![draw()])).await;
    assert_eq!(reason(late), "TABLE_NOT_FOUND");
    let view = player.client.get_view(v1::GetViewRequest::default()).await;
    assert_eq!(reason(view), "TABLE_NOT_FOUND");
    // Where the test's clock runs on to a heartbeat first, that one finds no table.
    loop {
        let item = match stream.message().await {
            Ok(message) => message.unwrap().item.unwrap(),
            Err(status) => {
                assert_eq!(reason(Err::<(), _>(status)), "TABLE_NOT_FOUND");
                return;
            }
        };
        match item {
            Item::Commit(_) | Item::Heartbeat(_) | Item::Presence(_) => {}
            Item::Rotate(end) => {
                assert_eq!(end.cause(), v1::RotateCause::TableClosed);
                return;
            }
            Item::Snapshot(_) => panic!("commits or the end should come, not {item:?}"),
        }
    }
}

/// Fault list: R78.
async fn who_leaves_and_comes_back_finds_the_same_deal(world: World) {
    let replica = world.replica();
    let request = v1::CreateTableRequest { request_id: world.id(), ..Default::default() };
    let created = replica.platform().create_table(request.clone()).await.unwrap().into_inner();
    let table_id = created.table.unwrap().table_id;
    replica.seat_people(&table_id).await;
    replica.start(&table_id).await.unwrap();
    let mut player = replica.player(&replica.token(&table_id, 2).await);
    let mut stream = watch(&mut player, None).await;
    let dealt = snapshot(&mut stream).await.view.unwrap();
    drop(stream);
    world.pass(3_600_000);
    // Neither time, nor creating and starting it again, nor another process deals anew.
    let again = replica.platform().create_table(request).await.unwrap().into_inner();
    assert_eq!(again.table.unwrap().table_id, table_id);
    replica.start(&table_id).await.unwrap();
    let other = world.replica();
    let mut back = other.player(&other.token(&table_id, 2).await);
    let found = back.view().await;
    assert_eq!(found, v1::View { server_time: found.server_time, ..dealt });
}
