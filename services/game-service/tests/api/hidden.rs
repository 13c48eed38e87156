//! What is sent does not depend on what its viewer cannot know.
//!
//! A table is taken in the middle of a game and put into two stores, alike for one viewer, with
//! everything else dealt anew. All that this viewer is sent must be the same bytes. Only chain
//! values differ, which are keyed; they are taken out before.

use std::sync::Arc;

use handfoot_engine::{Game, Viewer};
use handfoot_protocol::state::v1::TableRecord;
use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_protocol::{decode_draft, v1};
use handfoot_rules::Rules;
use handfoot_store::{
    BodyHash, Chain, CreateRequest, ListedState, Millis, NewTable, RequestId, TableId,
};
use handfoot_view::Seat;
use handfoot_view::notation::write_view;
use prost::Message;

use super::game::play;
use super::kit::{Replica, World, draw, submission};

/// A table in the middle of a game.
struct Middle {
    table: TableId,
    record: TableRecord,
    rules: Arc<Rules>,
    game: Game,
}

async fn middle(actions: usize) -> Middle {
    let world = World::new();
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 51).await;
    play(&world, &mut players, actions).await;
    // Until a seat is about to draw.
    while !players[0].view().await.phase.unwrap().phase.is_some_and(is_draw) {
        play(&world, &mut players, 1).await;
    }
    let table: TableId = table_id.parse().unwrap();
    let loaded = world.store.load(&table).await.unwrap().unwrap();
    let record = TableRecord::decode(&*loaded.snapshot).unwrap();
    let draft = decode_draft(record.rules.as_ref().unwrap()).unwrap();
    let rules = Arc::new(Rules::new(draft).unwrap().rules);
    let game = Game::restore(&rules, &record.engine).unwrap();
    Middle { table, record, rules, game }
}

fn is_draw(phase: v1::phase::Phase) -> bool {
    matches!(phase, v1::phase::Phase::Draw(_))
}

impl Middle {
    /// A game that the viewer cannot tell from this one.
    fn dealt_anew(&self, viewer: Viewer, seed: u64) -> Game {
        let view = write_view(&self.game.table_view(viewer), &self.rules);
        let (_, rest) = view.split_once('\n').unwrap();
        Game::from_position(Arc::clone(&self.rules), &format!("seed {seed}\n{rest}")).unwrap()
    }

    /// A store that has the table with this game.
    async fn put(&self, game: &Game) -> World {
        let chain = Chain([3; 16]);
        let record = TableRecord {
            version: 0,
            game_version: 0,
            chain: chain.0.to_vec(),
            engine: game.snapshot().into_bytes(),
            ..self.record.clone()
        };
        let world = World::new();
        let new = NewTable {
            id: self.table.clone(),
            tenant: "acme".parse().unwrap(),
            state: ListedState(2),
            summary: Vec::new().into(),
            snapshot: record.encode_to_vec().into(),
            chain,
            request: CreateRequest {
                id: RequestId([1; 16]),
                body: BodyHash([1; 16]),
                answer: Vec::new().into(),
            },
            deadline: None::<Millis>,
            turns: Vec::new(),
            outbox: Vec::new(),
        };
        world.store.create(new).await.unwrap();
        world
    }
}

fn without_chain(stamp: &mut Option<v1::Stamp>) {
    if let Some(stamp) = stamp {
        stamp.chain.clear();
    }
}

fn without_chains(mut item: Item) -> Item {
    match &mut item {
        Item::Snapshot(snapshot) => without_chain(&mut snapshot.view.as_mut().unwrap().stamp),
        Item::Commit(commit) => without_chain(&mut commit.stamp),
        Item::Heartbeat(_) | Item::Presence(_) | Item::Rotate(_) => {}
    }
    item
}

/// Whether a commit shows the same to all but its seat: nothing but a draw in it.
fn is_plain_draw(commit: &v1::Commit) -> bool {
    commit.events.len() == 1
}

/// All that a viewer is sent while the seat on turn draws, and whether that was all it did.
async fn sent(world: &World, replica: &Replica, table: &str, viewer: u32) -> (Vec<Vec<u8>>, bool) {
    let mut sent = Vec::new();
    let mut player = replica.player(&replica.token(table, viewer).await);
    let request = v1::WatchTableRequest { rules: 2, ..v1::WatchTableRequest::default() };
    let mut stream = player.client.watch_table(request).await.unwrap().into_inner();
    let first = stream.message().await.unwrap().unwrap().item.unwrap();
    sent.push(v1::WatchTableResponse { item: Some(without_chains(first)) }.encode_to_vec());
    let mut view = player.view().await;
    let turn = view.to_act;
    without_chain(&mut view.stamp);
    sent.push(view.encode_to_vec());
    let mut refusals = vec![submission(world, 0, vec![draw()])];
    if viewer > 0 {
        sent.push(player.legal().await.encode_to_vec());
        let held = view.own_cards.first().copied().unwrap_or(1);
        refusals.push(submission(world, 0, vec![super::kit::discard(held)]));
    }
    for mut request in refusals.into_iter().filter(|_| viewer != turn) {
        let status = player.submit(&request).await.unwrap_err();
        sent.push(status.details().to_vec());
        request.validate_only = true;
        let status = player.submit(&request).await.unwrap_err();
        sent.push(status.details().to_vec());
    }
    let mut actor = replica.player(&replica.token(table, turn).await);
    let drawn = actor.submit(&submission(world, 0, vec![draw()])).await.unwrap();
    let is_plain = is_plain_draw(drawn.commit.as_ref().unwrap());
    let item = stream.message().await.unwrap().unwrap().item.unwrap();
    sent.push(v1::WatchTableResponse { item: Some(without_chains(item)) }.encode_to_vec());
    let mut view = player.view().await;
    without_chain(&mut view.stamp);
    sent.push(view.encode_to_vec());
    let list = v1::ListCommitsRequest { after_version: 0, ..Default::default() };
    let listed = player.client.list_commits(list).await.unwrap().into_inner();
    for mut commit in listed.commits {
        without_chain(&mut commit.stamp);
        sent.push(commit.encode_to_vec());
    }
    (sent, is_plain)
}

/// Fault list: R44, R75, R80.
#[tokio::test(start_paused = true)]
async fn a_viewer_is_sent_the_same_whatever_it_cannot_see() {
    let mut n_compared = 0;
    for actions in [0, 9, 60, 150] {
        let middle = middle(actions).await;
        let turn = middle.game.public().to_act().unwrap();
        for viewer in 0..=4 {
            let seat = Seat::from_number(usize::try_from(viewer).unwrap());
            let looks = seat.map_or(Viewer::Spectator, Viewer::Seat);
            let mut all = Vec::new();
            for seed in 1..=8 {
                let game = middle.dealt_anew(looks, seed);
                let world = middle.put(&game).await;
                let replica = world.replica();
                let (sent, is_plain) = sent(&world, &replica, middle.table.as_str(), viewer).await;
                // A red three that is drawn is laid, and then all see it.
                if is_plain {
                    all.push(sent);
                }
            }
            let first = all[0].clone();
            if seat == Some(turn) {
                // The tester's test: who draws does see the difference.
                assert!(all.iter().any(|sent| *sent != first));
                continue;
            }
            for sent in &all {
                assert_eq!(sent.len(), first.len());
                for (at, (ours, theirs)) in sent.iter().zip(&first).enumerate() {
                    assert!(ours == theirs, "viewer {viewer}, after {actions}, message {at}");
                }
            }
            n_compared += all.len() - 1;
        }
    }
    assert!(n_compared > 40, "{n_compared} comparisons are too few");
}

/// Fault list: R66. What a seat asks for cannot name a seat, a table or a tenant, so that nothing
/// but its token can say whose it is.
#[test]
fn no_request_of_a_player_can_say_who_asks() {
    use super::bad_requests::Schema;
    let schema = Schema::new();
    let mut n_fields = 0;
    for rpc in schema.rpcs.iter().filter(|rpc| rpc.service == "PlayService") {
        for field in schema.fields_within(&rpc.input) {
            n_fields += 1;
            let names = ["seat", "table_id", "table", "tenant", "player", "player_id", "owner"];
            assert!(!names.contains(&field.as_str()), "{} has {field}", rpc.method);
        }
    }
    assert!(n_fields > 20, "{n_fields} fields are too few");
}

/// Fault list: R77. Everybody sees which cards were taken with the discard pile, and what came of
/// it.
#[tokio::test(start_paused = true)]
async fn what_is_taken_with_the_discard_pile_is_known_to_all() {
    use v1::action::Action;
    let world = World::new();
    let replica = world.replica();
    let (_, mut players) = replica.people(&world, 52).await;
    for _ in 0..1_000 {
        let before = players[0].view().await;
        let seat = usize::try_from(before.to_act).unwrap();
        let legal = players[seat].legal().await;
        let take = legal.actions.iter().find(|a| matches!(a.action, Some(Action::TakeDiscards(_))));
        let Some(take) = take.cloned().filter(|_| before.discards.len() > 2) else {
            play(&world, &mut players, 1).await;
            continue;
        };
        let request = submission(&world, legal.version, vec![take]);
        players[seat].submit(&request).await.unwrap();
        for viewer in 0..=4 {
            let seen = players[viewer].view().await;
            let taken = before.discards.len() - seen.discards.len();
            assert!(taken > 0, "{viewer} sees the pile as it was");
            let (then, now) = (&before.seats[seat - 1], &seen.seats[seat - 1]);
            assert!(!now.known.is_empty() && now.known.len() >= then.known.len(), "{viewer}");
            assert_eq!((seen.to_act, seen.stock), (before.to_act, before.stock));
            let laid = |view: &v1::View| {
                view.teams.iter().map(|team| team.unfinished.len() + team.books.len()).sum()
            };
            let (were, are): (usize, usize) = (laid(&before), laid(&seen));
            assert!(are >= were, "{viewer} sees what was laid");
            let same = players[0].view().await;
            assert_eq!((seen.seats, seen.teams, seen.phase), (same.seats, same.teams, same.phase));
        }
        return;
    }
    panic!("nobody took the discard pile");
}
