//! Options of a table over the wire: concealed lays, undo by consent, drawn seats; and the score
//! sheet.

use handfoot_protocol::v1;
use handfoot_protocol::v1::action::Action as Wire;
use handfoot_protocol::v1::event::Event;
use handfoot_protocol::v1::watch_table_response::Item;
use prost::Message;

use super::game::play;
use super::kit::{Player, Replica, World, bot, open, person, reason, submission};

async fn table_with(replica: &Replica, world: &World, options: v1::TableOptions) -> String {
    let request = v1::CreateTableRequest {
        request_id: world.id(),
        chosen_seed: Some(51),
        first_dealer: 4,
        options: Some(options),
        ..v1::CreateTableRequest::default()
    };
    let created = replica.platform().create_table(request).await.unwrap().into_inner();
    let table = created.table.unwrap();
    let kept = table.options.unwrap();
    assert_eq!((kept.lays, kept.seat_order), (options.lays.max(1), options.seat_order.max(1)));
    table.table_id
}

async fn people_with(
    replica: &Replica,
    world: &World,
    options: v1::TableOptions,
) -> (String, Vec<Player>) {
    let id = table_with(replica, world, options).await;
    replica.seat_people(&id).await;
    replica.start(&id).await.unwrap();
    let mut players = Vec::new();
    for seat in 0..=4 {
        players.push(replica.player(&replica.token(&id, seat).await));
    }
    (id, players)
}

/// Lays that the seat on turn could make now and go on from.
fn lays(legal: &v1::LegalActions) -> Vec<v1::Action> {
    let is_lay = |action: &&v1::Action| matches!(action.action, Some(Wire::Lay(_)));
    legal.actions.iter().filter(is_lay).cloned().collect()
}

/// Plays until the seat on turn has two different lays to choose from.
async fn with_choice(world: &World, players: &mut [Player]) -> (usize, v1::LegalActions) {
    for _ in 0..400 {
        let seat = usize::try_from(players[0].view().await.to_act).unwrap();
        let legal = players[seat].legal().await;
        let view = players[seat].view().await;
        if lays(&legal).len() >= 2 && view.own_cards.len() > 9 {
            return (seat, legal);
        }
        // Draws and discards alone, so that there are lays to choose from.
        let idle =
            |action: &&v1::Action| matches!(action.action, Some(Wire::Draw(_) | Wire::Discard(_)));
        let action = legal.actions.iter().rfind(idle).unwrap().clone();
        players[seat].submit(&submission(world, legal.version, vec![action])).await.unwrap();
    }
    panic!("nobody had two lays to choose from");
}

fn without_chain(mut commit: v1::Commit) -> v1::Commit {
    if let Some(stamp) = &mut commit.stamp {
        stamp.chain.clear();
    }
    commit
}

/// All that a viewer is sent of the newest commit: by the stream, by the log, and as a view.
async fn sent(player: &mut Player, after: u64) -> Vec<u8> {
    let request = v1::ListCommitsRequest { after_version: after, ..Default::default() };
    let listed = player.client.list_commits(request).await.unwrap().into_inner();
    let mut bytes = Vec::new();
    for commit in listed.commits {
        bytes.extend(without_chain(commit).encode_to_vec());
    }
    let mut view = player.view().await;
    view.stamp = None;
    view.server_time = None;
    bytes.extend(view.encode_to_vec());
    bytes
}

/// Two tables alike, at which a seat lays different cards: others are sent the same until the
/// discard shows them. Rule: HF-13.3, HF-13.4
#[tokio::test(start_paused = true)]
async fn concealed_lays_are_sent_to_nobody_else() {
    let options = v1::TableOptions { lays: v1::LaysOption::Concealed as i32, ..Default::default() };
    let mut sent_at = Vec::new();
    for choice in 0..2 {
        let world = World::new();
        let replica = world.replica();
        let (_, mut players) = people_with(&replica, &world, options).await;
        let (seat, legal) = with_choice(&world, &mut players).await;
        let other = if seat == 2 { 4 } else { 2 };
        let watch = v1::WatchTableRequest::default();
        let mut stream = players[other].client.watch_table(watch).await.unwrap().into_inner();
        let action = lays(&legal)[choice].clone();
        let request = submission(&world, legal.version, vec![action]);
        let own = players[seat].submit(&request).await.unwrap().commit.unwrap();
        let Some(Event::LaidConcealed(laid)) = own.events[0].event.clone() else {
            panic!("{:?}", own.events)
        };
        assert!(laid.lay.is_some(), "the seat sees what it laid");
        let streamed = loop {
            match stream.message().await.unwrap().unwrap().item.unwrap() {
                Item::Commit(commit) => break commit,
                Item::Snapshot(_) | Item::Heartbeat(_) | Item::Presence(_) | Item::Rotate(_) => {}
            }
        };
        let Some(Event::LaidConcealed(laid)) = streamed.events[0].event.clone() else {
            panic!("{:?}", streamed.events)
        };
        assert!(laid.lay.is_none(), "others do not");
        let mut seen = vec![without_chain(streamed).encode_to_vec()];
        for viewer in (0..=4).filter(|viewer| *viewer != seat) {
            seen.push(sent(&mut players[viewer], legal.version).await);
        }
        sent_at.push(seen);
        let legal = players[seat].legal().await;
        let discard = |action: &&v1::Action| matches!(action.action, Some(Wire::Discard(_)));
        let discard = legal.actions.iter().find(discard).unwrap().clone();
        let request = submission(&world, legal.version, vec![discard]);
        players[seat].submit(&request).await.unwrap();
        let request = v1::ListCommitsRequest { after_version: legal.version, ..Default::default() };
        let listed = players[0].client.list_commits(request).await.unwrap().into_inner();
        let Some(Event::LaysShown(shown)) = listed.commits[0].events[0].event.clone() else {
            panic!("{:?}", listed.commits)
        };
        assert_eq!(shown.lays.len(), 1);
        let view = players[0].view().await;
        assert!(view.teams.iter().any(|team| !team.unfinished.is_empty()));
    }
    assert_eq!(sent_at[0], sent_at[1]);
}

/// RequestUndo asks, the others answer in turn order, and nobody acts meanwhile. Rule: HF-13.1
#[tokio::test(start_paused = true)]
async fn undo_by_consent_is_asked_and_answered() {
    let options = v1::TableOptions { undo: v1::UndoOption::ByConsent as i32, ..Default::default() };
    let world = World::new();
    let replica = world.replica();
    let (_, mut players) = people_with(&replica, &world, options).await;
    let (seat, legal) = with_choice(&world, &mut players).await;
    let request = submission(&world, legal.version, vec![lays(&legal)[0].clone()]);
    players[seat].submit(&request).await.unwrap();
    let expected_version = players[seat].version().await;
    let request = v1::RequestUndoRequest { request_id: world.id(), expected_version, acts: 1 };
    let asked = players[seat].client.request_undo(request).await.unwrap().into_inner();
    assert!(matches!(asked.commit.unwrap().events[0].event, Some(Event::UndoAsked(_))));
    for step in 1..=3 {
        let answering = (seat + step - 1) % 4 + 1;
        let legal = players[answering].legal().await;
        assert_eq!(legal.menu.as_ref().unwrap().step, v1::Step::AnswerUndo as i32);
        assert!(!players[seat].view().await.laid.is_empty());
        let draw = submission(&world, legal.version, vec![super::kit::draw()]);
        assert_eq!(reason(players[answering].submit(&draw).await), "MUST_ANSWER_UNDO");
        let yes = v1::Action { action: Some(Wire::AnswerUndo(v1::Answer::Yes as i32)) };
        let request = submission(&world, legal.version, vec![yes]);
        players[answering].submit(&request).await.unwrap();
    }
    let view = players[seat].view().await;
    assert_eq!((view.laid.len(), view.undos, view.to_act), (0, 1, u32::try_from(seat).unwrap()));
}

/// Where the order is drawn newcomers name no seat, and asking again draws no other.
#[tokio::test(start_paused = true)]
async fn seats_are_drawn_once() {
    let world = World::new();
    let replica = world.replica();
    let options =
        v1::TableOptions { seat_order: v1::SeatOrder::Drawn as i32, ..Default::default() };
    let id = table_with(&replica, &world, options).await;
    let sit = async |name: &str| {
        let request = v1::SetSeatRequest {
            table_id: id.clone(),
            seat: 0,
            occupancy: Some(person(name)),
            ..Default::default()
        };
        Ok::<_, tonic::Status>(replica.platform().set_seat(request).await?.into_inner().seat)
    };
    let first = sit("anna").await.unwrap();
    assert_eq!(sit("anna").await.unwrap(), first, "who has a seat keeps it");
    let free = (1..=4).find(|seat| *seat != first).unwrap();
    assert_eq!(reason(replica.set_seat(&id, free, person("eva")).await), "FIELD_INVALID");
    assert_eq!(reason(replica.set_seat(&id, first, person("eva")).await), "FIELD_INVALID");
    replica.set_seat(&id, first, open(&[])).await.unwrap();
    assert_eq!(sit("eva").await.unwrap(), first, "a free seat is taken in the same order");
    let mut taken = vec![first];
    for name in ["anna", "paul", "ines"] {
        taken.push(sit(name).await.unwrap());
    }
    taken.sort_unstable();
    assert_eq!(taken, [1, 2, 3, 4]);
    assert_eq!(reason(sit("late").await), "SEAT_NOT_FOUND");
    replica.start(&id).await.unwrap();
    assert_eq!(replica.player(&replica.token(&id, first).await).view().await.seat, first);
    // Everybody sits where the platform says at other tables.
    let id = replica.table(&world, 1).await;
    assert_eq!(reason(replica.set_seat(&id, 0, person("anna")).await), "SEAT_NOT_FOUND");
}

/// A lost answer is asked for again, and one bot more is one seat more. Fault list: R71.
#[tokio::test(start_paused = true)]
async fn a_repeated_request_for_one_more_bot_takes_one_seat() {
    let world = World::new();
    let replica = world.replica();
    let options =
        v1::TableOptions { seat_order: v1::SeatOrder::Drawn as i32, ..Default::default() };
    let table_id = table_with(&replica, &world, options).await;
    let set = async |request_id: &str, level: &str| {
        let request = v1::SetSeatRequest {
            table_id: table_id.clone(),
            seat: 0,
            occupancy: Some(bot(level)),
            request_id: request_id.to_owned(),
        };
        let set = replica.platform().set_seat(request).await?.into_inner();
        let seats = set.table.unwrap().seats;
        let n_bots = seats.iter().filter(|seat| seat.owner.is_some()).count();
        Ok::<_, tonic::Status>((set.seat, n_bots))
    };
    let ids: Vec<String> = (0..4).map(|_| world.id()).collect();
    let (first, n_bots) = set(&ids[0], "casual").await.unwrap();
    assert_eq!(n_bots, 1);
    assert_eq!(set(&ids[0], "casual").await.unwrap(), (first, 1));
    assert_eq!(reason(set(&ids[0], "random").await), "REQUEST_ID_REUSED");
    assert_eq!(reason(set("", "casual").await), "FIELD_INVALID");
    assert_eq!(reason(set("here", "casual").await), "FIELD_INVALID");
    for (id, n_bots) in ids.iter().zip(1..) {
        assert_eq!(set(id, "casual").await.unwrap().1, n_bots);
    }
    assert_eq!(reason(set(&world.id(), "casual").await), "SEAT_NOT_FOUND");
    replica.start(&table_id).await.unwrap();
    assert_eq!(set(&ids[0], "casual").await.unwrap(), (first, 4), "the first answer stays");
    assert_eq!(reason(set(&world.id(), "casual").await), "TABLE_ALREADY_STARTED");
}

/// The sheet is there for every token and the platform, after the game too, and adds up to the
/// totals. Rule: HF-10.20
#[tokio::test(start_paused = true)]
async fn the_score_sheet_stays_readable() {
    let world = World::new();
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 1).await;
    let sheet = async |player: &mut Player| {
        let answer = player.client.get_score_sheet(v1::GetScoreSheetRequest {}).await;
        answer.unwrap().into_inner()
    };
    assert!(sheet(&mut players[1]).await.sheet.unwrap().rounds.is_empty());
    play(&world, &mut players, 20_000).await;
    let of_platform = v1::GetTableScoreSheetRequest { table_id: table_id.clone() };
    let seen = replica.platform().get_table_score_sheet(of_platform).await.unwrap().into_inner();
    assert_eq!(seen.table_state, v1::TableState::Finished as i32);
    for player in &mut players {
        assert_eq!(sheet(player).await.sheet, seen.sheet);
    }
    let sheet = seen.sheet.unwrap();
    let view = players[0].view().await;
    assert_eq!(sheet.rounds.len(), view.history.len());
    for (team, total) in view.teams.iter().zip(&sheet.totals) {
        let index = usize::try_from(team.team).unwrap() - 1;
        assert_eq!(team.total, *total);
        let rounds = sheet.rounds.iter().map(|round| &round.teams[index]);
        let lines = rounds.flat_map(|team| &team.score.as_ref().unwrap().lines);
        assert_eq!(lines.map(|line| line.points).sum::<i32>(), *total);
    }
    assert_eq!(sheet.turns, view.history.iter().map(|round| round.turns).sum::<u32>());
    let other = v1::GetTableScoreSheetRequest { table_id };
    let refused = replica.other_platform().get_table_score_sheet(other).await;
    assert_eq!(reason(refused), "TABLE_NOT_FOUND");
}
