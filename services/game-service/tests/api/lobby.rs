//! Tables before and beside the play: seats, tokens, lists, tenants, damage.

use handfoot_protocol::v1;
use handfoot_store::{Commit, CommitOutcome, Millis};

use super::kit::{START, World, bot, draw, open, person, reason, submission};

super::on_each_store! {
    creating_twice_gives_one_table,
    what_cannot_be_a_table_is_refused_with_its_field,
    seats_are_given_once_and_before_the_start,
    two_people_sit_down_at_the_same_moment,
    one_person_cannot_take_two_seats_at_the_same_moment,
    a_seat_that_changed_hands_is_not_played_by_who_had_it,
    a_newer_token_can_end_the_older_ones,
    a_cancelled_table_is_closed,
    tenants_do_not_see_each_other,
    pages_of_tables_bring_every_table_once,
    a_damaged_table_is_refused_alone,
    rules_and_server_are_told_to_anybody,
}

async fn creating_twice_gives_one_table(world: World) {
    let (first, second) = (world.replica(), world.replica());
    let request = v1::CreateTableRequest {
        request_id: world.id(),
        display_name: "Thursday".to_owned(),
        ..v1::CreateTableRequest::default()
    };
    let one = first.platform().create_table(request.clone()).await.unwrap().into_inner();
    let two = second.platform().create_table(request.clone()).await.unwrap().into_inner();
    assert_eq!(one, two);
    let table = one.table.unwrap();
    assert_eq!((table.seats.len(), table.preset_id.as_str()), (4, "whitnack"));
    assert_eq!(table.seed_origin, v1::SeedOrigin::Secret as i32);
    let other = v1::CreateTableRequest { display_name: "Friday".to_owned(), ..request.clone() };
    assert_eq!(reason(first.platform().create_table(other).await), "REQUEST_ID_REUSED");
    // The same id is another tenant's own affair.
    let theirs = first.other_platform().create_table(request).await.unwrap().into_inner();
    assert_ne!(theirs.table.unwrap().table_id, table.table_id);
}

async fn what_cannot_be_a_table_is_refused_with_its_field(world: World) {
    let replica = world.replica();
    let good = v1::CreateTableRequest { request_id: world.id(), ..Default::default() };
    let with = |change: fn(&mut v1::CreateTableRequest)| {
        let mut request = good.clone();
        change(&mut request);
        request
    };
    let rows = [
        (with(|r| r.request_id = "no".to_owned()), "FIELD_INVALID"),
        (with(|r| r.display_name = "x".repeat(81)), "FIELD_INVALID"),
        (with(|r| r.display_name = "a\nb".to_owned()), "FIELD_INVALID"),
        (with(|r| r.first_dealer = 5), "FIELD_INVALID"),
        (
            with(|r| {
                let options = v1::TableOptions { bot_pace_ms: 10_001, ..Default::default() };
                r.options = Some(options);
            }),
            "FIELD_INVALID",
        ),
        (
            with(|r| {
                let preset_id = "none".to_owned();
                r.rules = Some(v1::RulesChoice { preset_id, ..Default::default() });
            }),
            "PRESET_NOT_FOUND",
        ),
    ];
    for (request, expected) in rows {
        assert_eq!(reason(replica.platform().create_table(request).await), expected);
    }
    // Choosing a seed takes a scope that the other platform does not have.
    let chosen = with(|r| r.chosen_seed = Some(1));
    let refused = replica.other_platform().create_table(chosen).await;
    assert_eq!(reason(refused), "SCOPE_MISSING");
}

/// Fault list: R71.
async fn seats_are_given_once_and_before_the_start(world: World) {
    let replica = world.replica();
    let id = replica.table(&world, 1).await;
    assert_eq!(reason(replica.start(&id).await), "SEATS_OPEN");
    let set = replica.set_seat(&id, 1, person("anna")).await.unwrap();
    let again = replica.set_seat(&id, 1, person("anna")).await.unwrap();
    assert_eq!(set, again, "setting a seat to what it is changes nothing");
    assert_eq!(reason(replica.set_seat(&id, 2, person("anna")).await), "PLAYER_ALREADY_SEATED");
    assert_eq!(reason(replica.set_seat(&id, 5, person("eva")).await), "SEAT_NOT_FOUND");
    for seat in 2..=3 {
        replica.set_seat(&id, seat, bot("casual")).await.unwrap();
    }
    replica.set_seat(&id, 4, open(&["casual"])).await.unwrap();
    assert_eq!(reason(replica.start(&id).await), "SEATS_OPEN");
    let asked = |seat| v1::IssueSeatTokenRequest {
        table_id: id.clone(),
        seat,
        ..v1::IssueSeatTokenRequest::default()
    };
    let for_bot = replica.platform().issue_seat_token(asked(2)).await;
    assert_eq!(reason(for_bot), "SEAT_NOT_PERSON");
    let mut early = replica.player(&replica.token(&id, 1).await);
    let unseen = early.client.get_view(v1::GetViewRequest::default()).await;
    assert_eq!(reason(unseen), "TABLE_NOT_STARTED");
    replica.set_seat(&id, 4, person("eva")).await.unwrap();
    let started = replica.start(&id).await.unwrap();
    assert_eq!(replica.start(&id).await.unwrap(), started);
    assert_eq!(reason(replica.set_seat(&id, 4, person("paul")).await), "TABLE_ALREADY_STARTED");
    let players = early.view().await.players;
    let shown: Vec<_> = players.iter().map(|p| format!("{:?}", p.owner)).collect();
    assert!(shown[0].contains("anna") && !shown[3].contains("player_id: \"eva\""));
}

/// Fault list: R59.
async fn two_people_sit_down_at_the_same_moment(world: World) {
    let (first, second) = (world.replica(), world.replica());
    let id = first.table(&world, 1).await;
    let (a, b) =
        tokio::join!(first.set_seat(&id, 1, person("a")), second.set_seat(&id, 2, person("b")));
    a.unwrap();
    b.unwrap();
    let request = v1::GetTableRequest { table_id: id };
    let table = first.platform().get_table(request).await.unwrap().into_inner().table.unwrap();
    assert_eq!(table.seats.iter().filter(|seat| seat.owner.is_some()).count(), 2);
    assert_eq!(table.version, 2);
}

/// Fault list: R71.
async fn one_person_cannot_take_two_seats_at_the_same_moment(world: World) {
    let replicas = [world.replica(), world.replica()];
    let id = replicas[0].table(&world, 1).await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..48 {
        let (replica, id) = (replicas[number % 2].clone(), id.clone());
        let seat = u32::try_from(number % 4).unwrap() + 1;
        calls.spawn(async move { replica.set_seat(&id, seat, person("anna")).await });
    }
    let answers = calls.join_all().await;
    // One seat is hers; whoever asked for it again is told the same, all others why not.
    let refused = answers.into_iter().filter(Result::is_err).map(reason);
    assert_eq!(refused.collect::<Vec<_>>(), vec!["PLAYER_ALREADY_SEATED"; 36]);
    let get = v1::GetTableRequest { table_id: id };
    let table = replicas[0].platform().get_table(get).await.unwrap().into_inner().table.unwrap();
    assert_eq!(table.seats.iter().filter(|seat| seat.owner.is_some()).count(), 1);
    assert_eq!(table.version, 1);
}

/// Fault list: R66, R71.
async fn a_seat_that_changed_hands_is_not_played_by_who_had_it(world: World) {
    let replica = world.replica();
    let id = replica.table(&world, 1).await;
    replica.seat_people(&id).await;
    let before = replica.token(&id, 1).await;
    replica.set_seat(&id, 1, person("eva")).await.unwrap();
    let after = replica.token(&id, 1).await;
    replica.start(&id).await.unwrap();
    let mut had_it = replica.player(&before);
    let unseen = had_it.client.get_view(v1::GetViewRequest::default()).await;
    assert_eq!(reason(unseen), "CREDENTIAL_EXPIRED");
    let version = replica.player(&after).version().await;
    let played = had_it.submit(&submission(&world, version, vec![draw()])).await;
    assert_eq!(reason(played), "CREDENTIAL_EXPIRED");
    replica.player(&after).submit(&submission(&world, version, vec![draw()])).await.unwrap();
}

async fn a_newer_token_can_end_the_older_ones(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 1).await;
    let revoke = v1::IssueSeatTokenRequest {
        table_id: table_id.clone(),
        seat: 2,
        older_tokens: v1::OlderTokens::Revoke as i32,
        ..v1::IssueSeatTokenRequest::default()
    };
    let issued = replica.platform().issue_seat_token(revoke).await.unwrap().into_inner();
    let refused = players[2].client.get_view(v1::GetViewRequest::default()).await;
    assert_eq!(reason(refused), "CREDENTIAL_EXPIRED");
    let version = players[1].version().await;
    let refused = players[2].submit(&submission(&world, version, vec![draw()])).await;
    assert_eq!(reason(refused), "CREDENTIAL_EXPIRED");
    replica.player(&issued.token).view().await;
    players[3].view().await;
}

async fn a_cancelled_table_is_closed(world: World) {
    let replica = world.replica();
    let (table_id, mut players) = replica.people(&world, 1).await;
    let request = v1::CancelTableRequest { table_id };
    let once = replica.platform().cancel_table(request.clone()).await.unwrap().into_inner();
    let twice = replica.platform().cancel_table(request).await.unwrap().into_inner();
    assert_eq!(once, twice);
    let view = players[1].view().await;
    let late = submission(&world, view.stamp.unwrap().version, vec![draw()]);
    assert_eq!(reason(players[1].submit(&late).await), "TABLE_CLOSED");
}

async fn tenants_do_not_see_each_other(world: World) {
    let replica = world.replica();
    let (table_id, _) = replica.people(&world, 1).await;
    let mut other = replica.other_platform();
    let get = v1::GetTableRequest { table_id: table_id.clone() };
    assert_eq!(reason(other.get_table(get).await), "TABLE_NOT_FOUND");
    let cancel = v1::CancelTableRequest { table_id: table_id.clone() };
    assert_eq!(reason(other.cancel_table(cancel).await), "TABLE_NOT_FOUND");
    let set = v1::SetSeatRequest {
        table_id: table_id.clone(),
        seat: 1,
        occupancy: Some(person("spy")),
        ..Default::default()
    };
    assert_eq!(reason(other.set_seat(set).await), "TABLE_NOT_FOUND");
    let token = v1::IssueSeatTokenRequest { table_id, seat: 1, ..Default::default() };
    assert_eq!(reason(other.issue_seat_token(token).await), "TABLE_NOT_FOUND");
    let listed = other.list_tables(v1::ListTablesRequest::default()).await.unwrap().into_inner();
    assert!(listed.tables.is_empty());
}

async fn pages_of_tables_bring_every_table_once(world: World) {
    let replica = world.replica();
    let mut created = Vec::new();
    for seed in 0..7 {
        world.pass(1);
        created.push(replica.table(&world, seed).await);
    }
    created.reverse();
    let mut request = v1::ListTablesRequest { page_size: 3, ..Default::default() };
    let mut listed = Vec::new();
    loop {
        let page = replica.platform().list_tables(request.clone()).await.unwrap().into_inner();
        listed.extend(page.tables.into_iter().map(|table| table.table_id));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(listed, created);
    let other_states =
        v1::ListTablesRequest { states: vec![v1::TableState::Playing as i32], ..request.clone() };
    let refused = replica.platform().list_tables(other_states).await;
    assert_eq!(reason(refused), "PAGE_TOKEN_INVALID");
    request.page_size = 201;
    assert_eq!(reason(replica.platform().list_tables(request).await), "FIELD_INVALID");
}

/// Fault list: R107.
async fn a_damaged_table_is_refused_alone(world: World) {
    let replica = world.replica();
    let (damaged, _) = replica.people(&world, 1).await;
    let (_, mut whole) = replica.people(&world, 2).await;
    let id = damaged.parse().unwrap();
    let loaded = world.store.load(&id).await.unwrap().unwrap();
    let mut bytes = loaded.snapshot.to_vec();
    let last = bytes.len() - 1;
    bytes[last] ^= 0x55;
    bytes.truncate(last - 3);
    let commit = Commit::new(id, loaded.mark, loaded.mark.chain, bytes.into(), Vec::new().into());
    let outcome = world.store.commit(commit).await.unwrap();
    assert!(matches!(outcome, CommitOutcome::Committed { at, .. } if at == Millis(START.0)));
    let fresh = world.replica();
    for process in [&replica, &fresh] {
        let get = v1::GetTableRequest { table_id: damaged.clone() };
        let refused = process.platform().get_table(get).await;
        assert_eq!(refused.as_ref().unwrap_err().code(), tonic::Code::DataLoss);
        assert_eq!(reason(refused), "STATE_CORRUPT");
    }
    whole[1].view().await;
    let listed = replica.platform().list_tables(v1::ListTablesRequest::default()).await;
    assert_eq!(listed.unwrap().into_inner().tables.len(), 2);
}

async fn rules_and_server_are_told_to_anybody(world: World) {
    let replica = world.replica();
    let info = replica.server().get_server_info(v1::GetServerInfoRequest {}).await.unwrap();
    assert_eq!(info.into_inner().api, "handfoot.v1");
    let mut rules = replica.rules();
    let one = v1::ListPresetsRequest { page_size: 1, page_token: String::new() };
    let page = rules.list_presets(one.clone()).await.unwrap().into_inner();
    assert_eq!(page.presets[0].preset_id, "whitnack");
    let next = v1::ListPresetsRequest { page_token: page.next_page_token, ..one };
    assert_eq!(rules.list_presets(next).await.unwrap().into_inner().presets.len(), 1);
    let preset_id = "foot-canasta".to_owned();
    let preset = rules.get_preset(v1::GetPresetRequest { preset_id }).await.unwrap().into_inner();
    assert!(preset.preset.unwrap().rules.is_some());
    let unknown = v1::GetPresetRequest { preset_id: "bridge".to_owned() };
    assert_eq!(reason(rules.get_preset(unknown).await), "PRESET_NOT_FOUND");
    let checked = rules.check_rules(v1::CheckRulesRequest { rules: None }).await.unwrap();
    assert!(checked.into_inner().problems.is_empty());
    let preset_id = "simpson+lifting".to_owned();
    let preset = rules.get_preset(v1::GetPresetRequest { preset_id }).await.unwrap().into_inner();
    assert_eq!(preset.preset.unwrap().title, "Hand and Foot, Simpson's rules, dealing by lifting");
    let choice = |ids: &[&str]| v1::RulesChoice {
        preset_id: "simpson".to_owned(),
        override_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..Default::default()
    };
    let asked = |ids: &[&str], section_id: &str| v1::ExplainRulesRequest {
        rules: Some(choice(ids)),
        section_id: section_id.to_owned(),
    };
    let told = rules.explain_rules(asked(&["lifting"], "deal")).await.unwrap().into_inner();
    assert!(told.text.contains("There is a prize for lifting exactly 22 cards"), "{}", told.text);
    for wrong in [asked(&["lifting", "more"], ""), asked(&[], "chess")] {
        assert_eq!(reason(rules.explain_rules(wrong).await), "FIELD_INVALID");
    }
}
