//! Requests that come twice, late, together or wrong.

use handfoot_protocol::v1;

use super::game::play;
use super::kit::{Player, World, discard, discards, draw, reason, submission};
use super::watch::{commit, snapshot, watch};

super::on_each_store! {
    the_same_request_is_played_once_and_answered_twice,
    an_id_stands_for_its_actions_and_its_seat,
    a_decision_on_an_old_version_is_stale_and_one_ahead_has_diverged,
    of_twenty_at_once_one_is_played,
    a_refused_action_leaves_no_trace,
    a_batch_ends_where_something_is_revealed,
    lays_are_undone_by_a_request_of_their_own,
    twenty_copies_of_a_request_are_one_move,
    of_twenty_different_requests_at_once_each_is_answered,
    a_refusal_is_told_to_its_caller_alone,
}

/// The seat whose turn it is.
async fn to_act(players: &mut [Player]) -> usize {
    usize::try_from(players[0].view().await.to_act).unwrap()
}

/// Fault list: R53.
async fn the_same_request_is_played_once_and_answered_twice(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 2).await;
    let seat = to_act(&mut players).await;
    let version = players[seat].version().await;
    let request = submission(&world, version, vec![draw()]);
    let first = players[seat].submit(&request).await.unwrap();
    let again = players[seat].submit(&request).await.unwrap();
    assert!(!first.replayed && again.replayed);
    assert_eq!(first.commit, again.commit);
    assert_eq!(first.legal, again.legal);
    assert_eq!(players[seat].version().await, version + 1);

    // Others go on; the answer stays, and what is legal is what is legal now.
    let legal = players[seat].legal().await;
    let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
    players[seat].submit(&end).await.unwrap();
    let late = players[seat].submit(&request).await.unwrap();
    assert!(late.replayed);
    assert_eq!(first.commit, late.commit);
    assert_eq!(late.legal.unwrap().version, version + 2);

    // The version is not part of what the id stands for.
    let other_version = v1::SubmitActionsRequest { expected_version: 1, ..request.clone() };
    assert!(players[seat].submit(&other_version).await.unwrap().replayed);
}

async fn an_id_stands_for_its_actions_and_its_seat(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 3).await;
    let seat = to_act(&mut players).await;
    let request = submission(&world, players[seat].version().await, vec![draw()]);
    players[seat].submit(&request).await.unwrap();
    let legal = players[seat].legal().await;
    let other = v1::SubmitActionsRequest {
        actions: vec![discard(discards(&legal)[0])],
        expected_version: legal.version,
        ..request.clone()
    };
    assert_eq!(reason(players[seat].submit(&other).await), "REQUEST_ID_REUSED");
    // The same id is another seat's own affair.
    let next = seat % 4 + 1;
    assert_eq!(reason(players[next].submit(&other).await), "NOT_YOUR_TURN");
    assert!(players[seat].submit(&request).await.unwrap().replayed);
}

async fn a_decision_on_an_old_version_is_stale_and_one_ahead_has_diverged(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 4).await;
    let seat = to_act(&mut players).await;
    let version = players[seat].version().await;
    let ahead = submission(&world, version + 1, vec![draw()]);
    assert_eq!(reason(players[seat].submit(&ahead).await), "HISTORY_DIVERGED");
    players[seat].submit(&submission(&world, version, vec![draw()])).await.unwrap();
    let stale = submission(&world, version, vec![draw()]);
    assert_eq!(reason(players[seat].submit(&stale).await), "STALE_VERSION");

    // A commit that does not change the game makes no decision stale.
    let before = players[seat].legal().await;
    let revoke = v1::IssueSeatTokenRequest {
        table_id,
        seat: u32::try_from(seat % 4 + 1).unwrap(),
        older_tokens: v1::OlderTokens::Revoke as i32,
        ..v1::IssueSeatTokenRequest::default()
    };
    replica.platform().issue_seat_token(revoke).await.unwrap();
    let stamp = players[seat].view().await.stamp.unwrap();
    assert_eq!((stamp.version, stamp.game_version), (before.version + 1, before.version));
    let end = submission(&world, before.version, vec![discard(discards(&before)[0])]);
    players[seat].submit(&end).await.unwrap();
}

/// Fault list: R30, R53, R54.
async fn of_twenty_at_once_one_is_played(world: World) {
    let replicas = [world.replica(), world.replica()];
    let (_, mut players) = replicas[0].people(&world, 5).await;
    for round in 0..10 {
        let seat = to_act(&mut players).await;
        let version = players[seat].version().await;
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (mut player, request) =
                (players[seat].clone(), submission(&world, version, vec![draw()]));
            calls.spawn(async move { player.submit(&request).await });
        }
        let answers = calls.join_all().await;
        let refused: Vec<String> = answers.into_iter().filter(Result::is_err).map(reason).collect();
        assert_eq!(refused, vec!["STALE_VERSION"; 19], "round {round}");
        let legal = players[seat].legal().await;
        assert_eq!(legal.version, version + 1);
        let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
        players[seat].submit(&end).await.unwrap();
    }
}

/// Fault list: R56.
async fn a_refused_action_leaves_no_trace(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 6).await;
    play(&world, &mut players, 25).await;
    let seat = to_act(&mut players).await;
    let before = players[seat].view().await;
    let version = before.stamp.clone().unwrap().version;
    let other = seat % 4 + 1;
    let not_turn = submission(&world, version, vec![draw()]);
    assert_eq!(reason(players[other].submit(&not_turn).await), "NOT_YOUR_TURN");
    let undo =
        v1::RequestUndoRequest { request_id: world.id(), expected_version: version, acts: 200 };
    let undone = players[seat].client.request_undo(undo).await;
    assert_eq!(reason(undone), "NOTHING_TO_UNDO");
    let nothing =
        v1::SubmitActionsRequest { actions: Vec::new(), ..submission(&world, version, Vec::new()) };
    assert_eq!(reason(players[seat].submit(&nothing).await), "FIELD_INVALID");
    let no_id = v1::SubmitActionsRequest { request_id: String::new(), ..not_turn };
    assert_eq!(reason(players[seat].submit(&no_id).await), "FIELD_INVALID");
    let many = submission(&world, version, vec![draw(); 33]);
    assert_eq!(reason(players[seat].submit(&many).await), "FIELD_INVALID");
    let as_spectator = submission(&world, version, vec![draw()]);
    assert_eq!(reason(players[0].submit(&as_spectator).await), "NOT_SEATED");
    let after = players[seat].view().await;
    assert_eq!(before, v1::View { server_time: before.server_time, ..after });
}

/// Fault list: R81.
async fn a_batch_ends_where_something_is_revealed(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 7).await;
    let seat = to_act(&mut players).await;
    let before = players[seat].view().await;
    let version = players[seat].version().await;
    let card = before.own_cards[0];
    let mut peek = submission(&world, version, vec![draw(), discard(card)]);
    assert_eq!(reason(players[seat].submit(&peek).await), "BATCH_CROSSES_REVEAL");
    peek.validate_only = true;
    assert_eq!(reason(players[seat].submit(&peek).await), "BATCH_CROSSES_REVEAL");
    let judged = v1::SubmitActionsRequest {
        validate_only: true,
        ..submission(&world, version, vec![draw()])
    };
    let answer = players[seat].submit(&judged).await.unwrap();
    assert!(answer.commit.is_none() && !answer.replayed);
    let early = v1::SubmitActionsRequest {
        validate_only: true,
        ..submission(&world, version, vec![discard(card)])
    };
    assert_eq!(reason(players[seat].submit(&early).await), "MUST_DRAW_FIRST");
    // All or nothing: the first would do, the second would not.
    players[seat].play_first(&world).await;
    let legal = players[seat].legal().await;
    let card = discards(&legal)[0];
    let both = submission(&world, legal.version, vec![discard(card), draw()]);
    assert_eq!(reason(players[seat].submit(&both).await), "NOT_YOUR_TURN");
    assert_eq!(players[seat].version().await, legal.version);
}

/// Fault list: R81, R83.
async fn lays_are_undone_by_a_request_of_their_own(world: World) {
    use v1::action::Action;
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 8).await;
    for _ in 0..400 {
        let seat = to_act(&mut players).await;
        let legal = players[seat].legal().await;
        let lay = legal.actions.iter().find(|a| matches!(a.action, Some(Action::Lay(_))));
        let Some(lay) = lay.cloned() else {
            players[seat].play_first(&world).await;
            continue;
        };
        let before = players[seat].view().await;
        let laid = players[seat].submit(&submission(&world, legal.version, vec![lay])).await;
        let version = laid.unwrap().commit.unwrap().stamp.unwrap().version;
        let (request_id, expected_version) = (world.id(), version);
        let undo = v1::RequestUndoRequest { request_id, expected_version, acts: 1 };
        let undone = players[seat].client.request_undo(undo.clone()).await;
        if undone.is_err() && reason(undone.map(|_| ())) == "NOTHING_TO_UNDO" {
            // The lay took up the foot, which cannot be unseen.
            continue;
        }
        let after = players[seat].view().await;
        assert_eq!((after.own_cards, after.teams), (before.own_cards, before.teams));
        assert_eq!(after.stamp.unwrap().version, version + 1);
        let again = players[seat].client.request_undo(undo).await.unwrap().into_inner();
        assert!(again.replayed);
        assert_eq!(again.commit.unwrap().cause, v1::CommitCause::Undo as i32);
        return;
    }
    panic!("nobody could lay in 400 actions");
}

/// Fault list: R30, R53.
async fn twenty_copies_of_a_request_are_one_move(world: World) {
    let replicas = [world.replica(), world.replica()];
    let (table_id, mut players) = replicas[0].people(&world, 111).await;
    let seat = to_act(&mut players).await;
    let token = replicas[0].token(&table_id, u32::try_from(seat).unwrap()).await;
    let before = players[seat].view().await;
    let version = before.stamp.unwrap().version;
    let request = submission(&world, version, vec![draw()]);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..20 {
        let (mut player, request) = (replicas[number % 2].player(&token), request.clone());
        calls.spawn(async move { player.submit(&request).await.unwrap() });
    }
    let answers = calls.join_all().await;
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    assert!(answers.iter().all(|answer| answer.commit == answers[0].commit));
    let after = players[seat].view().await;
    assert_eq!(after.stamp.unwrap().version, version + 1);
    let held = |view: &[v1::SeatTable]| view[seat - 1].held;
    // Two cards, and those that replaced red threes.
    assert_eq!(held(&after.seats), held(&before.seats) + 2);
}

/// Fault list: R54.
async fn of_twenty_different_requests_at_once_each_is_answered(world: World) {
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 112).await;
    for _ in 0..5 {
        let seat = to_act(&mut players).await;
        let version = players[seat].version().await;
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..20 {
            // Of each seat a draw, and discards of cards that may not even be held.
            let mut player = players[number % 4 + 1].clone();
            let card = i32::try_from(number).unwrap() + 1;
            let action = if number < 4 { draw() } else { discard(card) };
            let request = submission(&world, version, vec![action]);
            calls.spawn(async move { player.submit(&request).await });
        }
        let answers = calls.join_all().await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        for refused in answers.into_iter().filter(Result::is_err).map(reason) {
            let known = ["NOT_YOUR_TURN", "MUST_DRAW_FIRST", "STALE_VERSION"];
            assert!(known.contains(&refused.as_str()), "{refused}");
        }
        let legal = players[seat].legal().await;
        assert_eq!(legal.version, version + 1);
        let end = submission(&world, legal.version, vec![discard(discards(&legal)[0])]);
        players[seat].submit(&end).await.unwrap();
    }
}

/// Fault list: R56, R80.
async fn a_refusal_is_told_to_its_caller_alone(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 113).await;
    let mut streams = Vec::new();
    for player in &mut players {
        let mut stream = watch(player, None).await;
        snapshot(&mut stream).await;
        streams.push(stream);
    }
    let seat = to_act(&mut players).await;
    let view = players[seat].view().await;
    let version = view.stamp.unwrap().version;
    for card in view.own_cards {
        let early = submission(&world, version, vec![discard(card)]);
        assert_eq!(reason(players[seat].submit(&early).await), "MUST_DRAW_FIRST");
    }
    let id = table_id.parse().unwrap();
    assert_eq!(world.store.load(&id).await.unwrap().unwrap().mark.version.0, version);
    // The version goes on to be good, and the next thing that anybody hears is what it made.
    players[seat].submit(&submission(&world, version, vec![draw()])).await.unwrap();
    for stream in &mut streams {
        assert_eq!(commit(stream).await.stamp.unwrap().version, version + 1);
    }
}
