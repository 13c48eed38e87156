//! A whole game, by people who choose from what is legal.

use handfoot_protocol::v1;

use super::kit::{Player, World, submission};

super::on_each_store! {
    four_people_play_a_whole_game,
    a_table_is_kept_in_few_bytes,
}

/// Chooses as somebody does who wants the game to end: lays what can be laid, else takes, draws,
/// says yes, discards.
pub(crate) fn chosen(legal: &v1::LegalActions, salt: usize) -> v1::Action {
    use v1::action::Action;
    let rank = |action: &v1::Action| match action.action.as_ref().unwrap() {
        Action::AskToGoOut(_) => 0,
        Action::Lay(_) => 1,
        Action::AnswerGoOut(answer) if *answer == v1::Answer::Yes as i32 => 2,
        Action::TakeDiscards(_) => 3,
        Action::Draw(_) => 4,
        Action::Discard(_) => 5,
        Action::AnswerGoOut(_) | Action::AnswerUndo(_) => 6,
        Action::UndoLays(_) => 7,
    };
    let best = legal.actions.iter().map(rank).min().unwrap();
    let mut like: Vec<_> = legal.actions.iter().filter(|action| rank(action) == best).collect();
    let at = salt % like.len();
    like.swap_remove(at).clone()
}

/// Plays until the game is over or so many actions are played; gives how many were.
pub(crate) async fn play(world: &World, players: &mut [Player], most: usize) -> usize {
    let mut view = players[0].view().await;
    for played in 0..most {
        let Some(seat) = usize::try_from(view.to_act).ok().filter(|seat| *seat > 0) else {
            return played;
        };
        let legal = players[seat].legal().await;
        let request = submission(world, legal.version, vec![chosen(&legal, played)]);
        let answer = players[seat].submit(&request).await.unwrap();
        let stamp = answer.commit.unwrap().stamp.unwrap();
        assert_eq!(stamp.version, legal.version + 1);
        view = players[0].view().await;
        assert_eq!(view.stamp.as_ref().unwrap(), &stamp);
    }
    most
}

async fn four_people_play_a_whole_game(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 1).await;
    let played = play(&world, &mut players, 20_000).await;
    let view = players[1].view().await;
    let Some(v1::phase::Phase::GameOver(_)) = view.phase.unwrap().phase else {
        panic!("the game is not over after {played} actions");
    };
    assert_eq!(view.history.len(), 4);
    let request = v1::GetTableRequest { table_id };
    let table = replica.platform().get_table(request).await.unwrap().into_inner().table.unwrap();
    assert_eq!(table.state, v1::TableState::Finished as i32);
    assert_eq!(table.rounds_scored, 4);
    assert!(table.start_time.is_some() && table.end_time.is_some());
    // Seats set, then the start, then one commit for each action; deals are in them.
    assert_eq!(table.version, 5 + u64::try_from(played).unwrap());
}

async fn a_table_is_kept_in_few_bytes(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 61).await;
    let table = table_id.parse().unwrap();
    let mut most = 0;
    for _ in 0..100 {
        play(&world, &mut players, 10).await;
        let loaded = world.store.load(&table).await.unwrap().unwrap();
        most = most.max(loaded.snapshot.len());
    }
    assert!(most <= 2_560, "{most} bytes");
}
