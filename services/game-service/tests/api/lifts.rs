//! Numbers lifted, entered over the wire: told to all, paid for, once, and refused with reasons.

use std::collections::BTreeMap;

use handfoot_protocol::v1::event::Event;
use handfoot_protocol::{ErrorDetails, encode_draft, v1};
use handfoot_rules::{
    Decks, ExactPick, ExactPickModel, Need, OpeningStep, PerRound, Preset, RulesDraft,
};
use tonic::{Code, Status};

use super::game::play;
use super::kit::{Player, Replica, World, draw, reason, submission};
use super::watch::{Folded, commit, snapshot, watch};

super::on_each_store! {
    numbers_are_told_to_all_and_paid_for_in_every_round,
    a_number_is_entered_once,
    of_many_at_once_each_number_is_entered_once,
    the_first_act_ends_the_time_for_numbers,
    a_number_that_cannot_be_is_refused_with_its_values,
    tables_that_take_no_numbers_say_why,
    only_the_platform_of_the_table_enters_numbers,
}

/// Points for lifting exactly.
const PRIZE: i32 = 300;

/// Cards of a seat's packets.
const EXACT: u32 = 18;

/// Quick rules for so many players, who are paid for lifting exactly as a model says.
pub(super) fn draft(players: u8, team_size: u8, model: ExactPickModel) -> RulesDraft {
    let mut draft = Preset::find("whitnack").unwrap().draft(Some(4), None).unwrap();
    (draft.players, draft.team_size) = (players, team_size);
    draft.decks = Decks::Fixed(4);
    draft.packets = PerRound::Same(vec![9, 9]);
    draft.book_size = 4;
    draft.need = PerRound::Same(Need { clean: 0, dirty: 0, wild: 0, sevens: 0, total: 2 });
    draft.opening.steps = [15, 30].map(OpeningStep::Points).to_vec();
    draft.length.rounds = Some(3);
    let bonus = if model == ExactPickModel::Off { 0 } else { PRIZE };
    draft.exact_pick = ExactPick { bonus, model };
    draft
}

/// A table of these rules, not started.
pub(super) async fn table(
    replica: &Replica,
    world: &World,
    draft: &RulesDraft,
    options: v1::TableOptions,
) -> String {
    let rules = v1::RulesChoice { changes: Some(encode_draft(draft)), ..Default::default() };
    let request = v1::CreateTableRequest {
        request_id: world.id(),
        rules: Some(rules),
        options: Some(options),
        first_dealer: u32::from(draft.players),
        chosen_seed: Some(7),
        ..v1::CreateTableRequest::default()
    };
    let created = replica.platform().create_table(request).await.unwrap().into_inner();
    let table = created.table.unwrap();
    assert_eq!(table.options.unwrap().lift_wait_ms, options.lift_wait_ms);
    table.table_id
}

/// Four people at a started table of quick rules, a spectator first, and the version of the deal.
async fn people(
    replica: &Replica,
    world: &World,
    model: ExactPickModel,
) -> (String, Vec<Player>, u64) {
    let id = table(replica, world, &draft(4, 2, model), v1::TableOptions::default()).await;
    replica.seat_people(&id).await;
    let version = replica.start(&id).await.unwrap().version;
    let mut players = Vec::new();
    for seat in 0..=4 {
        players.push(replica.player(&replica.token(&id, seat).await));
    }
    (id, players, version)
}

pub(super) fn lift(
    world: &World,
    table_id: &str,
    expected_version: u64,
    seat: u32,
    cards: u32,
) -> v1::EnterLiftRequest {
    let (request_id, table_id) = (world.id(), table_id.to_owned());
    v1::EnterLiftRequest { request_id, expected_version, table_id, seat, cards }
}

pub(super) async fn enter(
    replica: &Replica,
    request: &v1::EnterLiftRequest,
) -> Result<v1::EnterLiftResponse, Status> {
    Ok(replica.platform().enter_lift(request.clone()).await?.into_inner())
}

/// The code, the reason and the values of a refusal.
async fn refusal(
    replica: &Replica,
    request: &v1::EnterLiftRequest,
) -> (Code, String, BTreeMap<String, String>) {
    let status = enter(replica, request).await.expect_err("it must be refused");
    let details = ErrorDetails::of(&status);
    (status.code(), details.name, details.metadata)
}

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Plays until so many rounds are over.
async fn play_rounds(world: &World, players: &mut [Player], n_rounds: usize) {
    while players[0].view().await.history.len() < n_rounds {
        assert_eq!(play(world, players, 1).await, 1, "the game ended before");
    }
}

/// Times and points that each team was paid for exact lifts, by round.
async fn paid(player: &mut Player) -> Vec<Vec<(u32, i32)>> {
    let answer = player.client.get_score_sheet(v1::GetScoreSheetRequest {}).await.unwrap();
    let line = |team: v1::TeamSheet| {
        let lines = team.score.unwrap().lines;
        let line = lines.into_iter().find(|line| line.line() == v1::ScoreLine::ExactPicks);
        line.map_or((0, 0), |line| (line.count, line.points))
    };
    let rounds = answer.into_inner().sheet.unwrap().rounds.into_iter();
    rounds.map(|round| round.teams.into_iter().map(line).collect()).collect()
}

/// Rule: HF-1.7
async fn numbers_are_told_to_all_and_paid_for_in_every_round(world: World) {
    let (replica, other) = (world.replica(), world.replica());
    let (id, mut players, dealt) = people(&replica, &world, ExactPickModel::Entered).await;
    let mut watchers = Vec::new();
    for seat in 0..=2 {
        // One of them hears of it through the store only.
        let process = if seat == 1 { &other } else { &replica };
        let mut player = process.player(&process.token(&id, seat).await);
        let mut stream = watch(&mut player, None).await;
        let folded = Folded::of(&snapshot(&mut stream).await);
        watchers.push((player, stream, folded));
    }
    // By round: what each seat lifted, in the order in which it is entered.
    let lifted =
        [[(3, EXACT), (1, EXACT), (2, 17), (4, 19)], [(4, EXACT), (1, 1), (2, 1000), (3, 7)]];
    let mut version = dealt;
    for (round, numbers) in lifted.iter().enumerate() {
        let first_act_at = players[0].view().await.stamp.unwrap().game_version;
        for (nth, (seat, cards)) in (1..).zip(numbers) {
            let process = if *seat == 4 { &other } else { &replica };
            let request = lift(&world, &id, version, *seat, *cards);
            let answer = enter(process, &request).await.unwrap();
            let made = answer.commit.unwrap();
            let stamp = made.stamp.clone().unwrap();
            assert_eq!((answer.replayed, made.seat), (false, *seat));
            assert_eq!(made.cause(), v1::CommitCause::Lift);
            assert_eq!((stamp.version, stamp.game_version), (version + nth, first_act_at));
            assert_eq!(answer.table.unwrap().version, stamp.version);
            let event =
                v1::Event { event: Some(Event::Lifted(v1::Lifted { seat: *seat, cards: *cards })) };
            assert_eq!(made.events, [event]);
            for (player, stream, folded) in &mut watchers {
                let told = commit(stream).await;
                assert_eq!(told, made);
                folded.apply(&told);
                folded.equals(&player.view().await);
            }
        }
        // Whoever was not there reads them from the store.
        let fresh = world.replica();
        for (seat, cards) in numbers {
            let view = fresh.player(&fresh.token(&id, *seat).await).view().await;
            assert_eq!(view.seats[usize::try_from(*seat).unwrap() - 1].lifted, *cards);
        }
        let listed = v1::ListCommitsRequest { after_version: version, ..Default::default() };
        let listed = players[0].client.list_commits(listed).await.unwrap().into_inner();
        assert_eq!(listed.commits.len(), numbers.len());
        play_rounds(&world, &mut players, round + 1).await;
        version = players[0].version().await;
        for (player, stream, folded) in &mut watchers {
            while folded.stamp.version < version {
                folded.apply(&commit(stream).await);
            }
            folded.equals(&player.view().await);
        }
        let view = players[0].view().await;
        assert!(view.seats.iter().all(|seat| seat.lifted == 0), "every round anew");
    }
    play_rounds(&world, &mut players, 3).await;
    // To the seat's team, and nothing where nothing was entered.
    let (none, once, twice) = ((0, 0), (1, PRIZE), (2, 2 * PRIZE));
    assert_eq!(paid(&mut players[0]).await, [[twice, none], [none, once], [none, none]]);
}

/// Fault list: R53.
async fn a_number_is_entered_once(world: World) {
    let (replica, other) = (world.replica(), world.replica());
    let (id, mut players, dealt) = people(&replica, &world, ExactPickModel::Entered).await;
    let request = lift(&world, &id, dealt, 2, EXACT);
    let first = enter(&replica, &request).await.unwrap();
    for process in [&replica, &other] {
        let again = enter(process, &request).await.unwrap();
        assert_eq!((again.replayed, again.commit.as_ref()), (true, first.commit.as_ref()));
        assert_eq!(again.table, first.table);
    }
    // The version is not part of what the id stands for; seat and cards are.
    let elsewhen = v1::EnterLiftRequest { expected_version: 0, ..request.clone() };
    assert!(enter(&replica, &elsewhen).await.unwrap().replayed);
    for other in [
        v1::EnterLiftRequest { cards: EXACT + 1, ..request.clone() },
        v1::EnterLiftRequest { seat: 3, ..request.clone() },
    ] {
        assert_eq!(reason(enter(&replica, &other).await), "REQUEST_ID_REUSED");
    }
    let anew = lift(&world, &id, dealt, 2, EXACT);
    let told = values(&[("seat", "2"), ("cards", "18"), ("entered", "18")]);
    let expected = (Code::FailedPrecondition, "LIFT_ALREADY_ENTERED".to_owned(), told);
    assert_eq!(refusal(&other, &anew).await, expected);
    assert_eq!(players[0].version().await, dealt + 1);
    // An id of the platform is a seat's own affair, and a number makes no decision stale.
    let mut drawn = submission(&world, dealt, vec![draw()]);
    drawn.request_id.clone_from(&request.request_id);
    assert!(!players[1].submit(&drawn).await.unwrap().replayed);
    // When it is long too late the first answer is given still.
    let late = enter(&other, &request).await.unwrap();
    assert_eq!((late.replayed, late.commit), (true, first.commit));
    assert_eq!(late.table.unwrap().version, dealt + 2);
}

/// Fault list: R54.
async fn of_many_at_once_each_number_is_entered_once(world: World) {
    let replicas = [world.replica(), world.replica()];
    let (id, mut players, dealt) = people(&replicas[0], &world, ExactPickModel::Entered).await;
    let mut calls = tokio::task::JoinSet::new();
    for seat in 1..=4 {
        let same = lift(&world, &id, dealt, seat, EXACT);
        for number in 0..6 {
            let replica = replicas[number % 2].clone();
            let request = if number < 4 { same.clone() } else { lift(&world, &id, dealt, seat, 5) };
            calls.spawn(async move { (number < 4, enter(&replica, &request).await) });
        }
    }
    let mut n_made = 0;
    for (is_same, answer) in calls.join_all().await {
        match answer {
            Ok(answer) => n_made += u64::from(!answer.replayed),
            Err(status) => {
                let name = reason(Err::<(), _>(status));
                assert_eq!(name, "LIFT_ALREADY_ENTERED", "the same request: {is_same}");
            }
        }
    }
    let view = players[0].view().await;
    assert_eq!((n_made, view.stamp.unwrap().version), (4, dealt + 4));
    assert!(view.seats.iter().all(|seat| seat.lifted > 0));
}

async fn the_first_act_ends_the_time_for_numbers(world: World) {
    let replica = world.replica();
    let (id, mut players, dealt) = people(&replica, &world, ExactPickModel::Entered).await;
    let at = |turn, step| {
        let required =
            [("requiredTurn", "1"), ("requiredStep", "draw"), ("requiredAsked", "not_yet")];
        let sent =
            [("seat", "4"), ("cards", "18"), ("turn", turn), ("step", step), ("asked", "not_yet")];
        let told = values(&[required.as_slice(), sent.as_slice()].concat());
        (Code::FailedPrecondition, "LIFT_TOO_LATE".to_owned(), told)
    };
    for (turn, expected) in [(1, at("1", "play")), (2, at("2", "draw"))] {
        while players[0].view().await.turns < turn || players[0].version().await == dealt {
            assert_eq!(play(&world, &mut players, 1).await, 1);
        }
        let version = players[0].version().await;
        // Whatever version it rests on: that it is too late says more than that it is stale.
        for known in [dealt, version] {
            let request = lift(&world, &id, known, 4, EXACT);
            assert_eq!(refusal(&replica, &request).await, expected);
        }
        assert_eq!(players[0].version().await, version, "a refusal leaves no trace");
    }
    play_rounds(&world, &mut players, 1).await;
    // What was meant for the round before is not taken for this one.
    let mistaken = lift(&world, &id, dealt, 4, EXACT);
    assert_eq!(reason(enter(&replica, &mistaken).await), "STALE_VERSION");
    let version = players[0].version().await;
    enter(&replica, &lift(&world, &id, version, 4, EXACT)).await.unwrap();
}

async fn a_number_that_cannot_be_is_refused_with_its_values(world: World) {
    let replica = world.replica();
    let (id, mut players, dealt) = people(&replica, &world, ExactPickModel::Entered).await;
    for seat in [0, 5, 13, u32::MAX] {
        let request = lift(&world, &id, dealt, seat, EXACT);
        let told = values(&[("seat", &seat.to_string()), ("seats", "4")]);
        let expected = (Code::NotFound, "SEAT_NOT_FOUND".to_owned(), told);
        assert_eq!(refusal(&replica, &request).await, expected);
    }
    for cards in [1_001, 65_536, u32::MAX] {
        let request = lift(&world, &id, dealt, 1, cards);
        let cards = cards.to_string();
        let told = values(&[("seat", "1"), ("cards", &cards), ("allowed", "1000")]);
        let expected = (Code::InvalidArgument, "LIFT_TOO_LARGE".to_owned(), told);
        assert_eq!(refusal(&replica, &request).await, expected);
    }
    let good = lift(&world, &id, dealt, 1, EXACT);
    let none = v1::EnterLiftRequest { cards: 0, ..good.clone() };
    let unnamed = v1::EnterLiftRequest { request_id: String::new(), ..good.clone() };
    for (request, field) in [(none, "cards"), (unnamed, "request_id")] {
        let told = values(&[("field", field)]);
        let expected = (Code::InvalidArgument, "FIELD_INVALID".to_owned(), told);
        assert_eq!(refusal(&replica, &request).await, expected);
    }
    let ahead = lift(&world, &id, dealt + 1, 1, EXACT);
    assert_eq!(reason(enter(&replica, &ahead).await), "HISTORY_DIVERGED");
    let unsaid = lift(&world, &id, 0, 1, EXACT);
    assert_eq!(reason(enter(&replica, &unsaid).await), "STALE_VERSION");
    assert_eq!(players[0].version().await, dealt);
    enter(&replica, &good).await.unwrap();
}

async fn tables_that_take_no_numbers_say_why(world: World) {
    let replica = world.replica();
    for (model, word) in [(ExactPickModel::Off, "off"), (ExactPickModel::Chance(0.5), "chance")] {
        let (id, _, dealt) = people(&replica, &world, model).await;
        let request = lift(&world, &id, dealt, 1, EXACT);
        let sent = [("seat", "1"), ("cards", "18")];
        let told = values(&[sent.as_slice(), &[("model", word), ("required", "entered")]].concat());
        let expected = (Code::FailedPrecondition, "LIFTS_NOT_ENTERED".to_owned(), told);
        assert_eq!(refusal(&replica, &request).await, expected);
    }
    let draft = draft(4, 2, ExactPickModel::Entered);
    let id = table(&replica, &world, &draft, v1::TableOptions::default()).await;
    let request = lift(&world, &id, 0, 1, EXACT);
    assert_eq!(reason(enter(&replica, &request).await), "TABLE_NOT_STARTED");
    let cancel = v1::CancelTableRequest { table_id: id };
    replica.platform().cancel_table(cancel).await.unwrap();
    assert_eq!(reason(enter(&replica, &request).await), "TABLE_CLOSED");
    let nowhere = v1::EnterLiftRequest { table_id: "none".to_owned(), ..request };
    assert_eq!(reason(enter(&replica, &nowhere).await), "TABLE_NOT_FOUND");
}

/// Fault list: R66.
async fn only_the_platform_of_the_table_enters_numbers(world: World) {
    let replica = world.replica();
    let (id, mut players, dealt) = people(&replica, &world, ExactPickModel::Entered).await;
    let request = lift(&world, &id, dealt, 1, EXACT);
    let foreign = replica.other_platform().enter_lift(request.clone()).await;
    assert_eq!(reason(foreign), "TABLE_NOT_FOUND");
    for credential in [replica.token(&id, 1).await, "hfb_bots.secret".to_owned()] {
        let refused = replica.platform_as(&credential).enter_lift(request.clone()).await;
        assert_eq!(reason(refused), "CREDENTIAL_INVALID");
    }
    assert_eq!(players[0].version().await, dealt);
    // Not even that it was entered is told to others.
    enter(&replica, &request).await.unwrap();
    let foreign = replica.other_platform().enter_lift(request).await;
    assert_eq!(reason(foreign), "TABLE_NOT_FOUND");
}
