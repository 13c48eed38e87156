//! Whole games of bots at the real game-service, over its memory store.

use std::sync::Arc;
use std::time::Duration;

use handfoot_bot_service::{Ended, Tally, Work, run};
use handfoot_bots::Level;
use handfoot_client::{
    BotCredential, Connection, PlatformClient, PlatformCredential, PlayClient, Settings, Update,
};
use handfoot_game_service::auth::local_keys;
use handfoot_game_service::drain::Drain;
use handfoot_game_service::{MachineSecrets, Tables, rpc};
use handfoot_protocol::v1;
use handfoot_protocol::v1::set_seat_request::Occupancy;
use handfoot_store::{Clock, Limits, MemoryStore, SystemClock};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

use crate::alone;

/// The service and its callers, each in this process.
pub(crate) struct Service {
    pub(crate) routes: Routes,
    pub(crate) connection: Connection,
    pub(crate) platform: PlatformClient,
    pub(crate) bots: BotCredential,
}

pub(crate) fn settings() -> Settings {
    Settings { jitter_seed: Some(1), ..Settings::default() }
}

pub(crate) fn service(clock: Arc<dyn Clock>) -> Service {
    let store = Arc::new(MemoryStore::new(clock.clone(), Limits::STANDARD));
    let (keys, local) = local_keys(None, clock).unwrap();
    let tables = Tables::new(store, Arc::new(MachineSecrets), Drain::new());
    let mut routes = tonic::service::RoutesBuilder::default();
    rpc::add_services(&mut routes, &tables, &Arc::new(keys));
    let routes = routes.routes();
    let connection = Connection::in_process(routes.clone(), &settings());
    let credential = PlatformCredential::new(local.platform.reveal()).unwrap();
    let platform = PlatformClient::new(connection.clone(), credential);
    let bots = BotCredential::new(local.bot.reveal()).unwrap();
    Service { routes, connection, platform, bots }
}

impl Service {
    /// A started table of bots.
    pub(crate) async fn start_table(&self, seed: u64, level: Level) -> String {
        let bot = v1::Bot { level: level.name().to_owned() };
        let seats = [(); 4].map(|()| Occupancy::Bot(bot.clone()));
        self.start_with(seed, 0, seats).await
    }

    /// A started table with these on its seats, whose bots take so many milliseconds.
    pub(crate) async fn start_with(
        &self,
        seed: u64,
        bot_pace_ms: u32,
        seats: [Occupancy; 4],
    ) -> String {
        let rules = Some(v1::RulesChoice {
            preset_id: "whitnack".to_owned(),
            players: 4,
            ..v1::RulesChoice::default()
        });
        let options = Some(v1::TableOptions { bot_pace_ms, ..Default::default() });
        let request = v1::CreateTableRequest {
            rules,
            options,
            chosen_seed: Some(seed),
            ..Default::default()
        };
        self.start(request, seats).await
    }

    /// A started table as it was asked for, with these on its seats.
    async fn start(&self, request: v1::CreateTableRequest, seats: [Occupancy; 4]) -> String {
        let table = self.platform.create(request).await.unwrap().table.unwrap();
        let table_id = table.table_id;
        for (seat, occupancy) in (1..).zip(seats) {
            let (table_id, occupancy) = (table_id.clone(), Some(occupancy));
            let request = v1::SetSeatRequest { table_id, seat, occupancy, ..Default::default() };
            self.platform.seat(request).await.unwrap();
        }
        let request = v1::StartTableRequest { table_id: table_id.clone() };
        self.platform.start_table(request).await.unwrap();
        table_id
    }

    pub(crate) async fn table(&self, table_id: &str) -> v1::Table {
        let request = v1::GetTableRequest { table_id: table_id.to_owned() };
        self.platform.get_table(request).await.unwrap().table.unwrap()
    }

    pub(crate) async fn spectator(&self, table_id: &str) -> PlayClient {
        self.player(table_id, 0).await
    }

    /// Whoever has a seat's token.
    pub(crate) async fn player(&self, table_id: &str, seat: u32) -> PlayClient {
        let table_id = table_id.to_owned();
        let request = v1::IssueSeatTokenRequest { table_id, seat, ..Default::default() };
        let token = self.platform.issue(request).await.unwrap().token;
        PlayClient::new(self.connection.clone(), token)
    }
}

/// Fault list: R48.
#[tokio::test]
async fn bots_play_whole_games_that_are_those_of_their_seeds() {
    let service = service(Arc::new(SystemClock));
    let mut tables = Vec::new();
    for (seed, level) in [(1, Level::Casual), (2, Level::Random)] {
        tables.push((seed, level, service.start_table(seed, level).await));
    }
    let drain = CancellationToken::new();
    let worker =
        run(Work::usual(), service.connection.clone(), service.bots.clone(), drain.clone());
    let finished = async {
        for (_, _, table_id) in &tables {
            while service.table(table_id).await.state() == v1::TableState::Playing {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        drain.cancel();
    };
    let (report, ()) = tokio::join!(worker, finished);
    assert_eq!(report.ended, Ended::Drained);
    let tally = report.tally;
    assert!(tally.decisions > 100);
    assert_eq!(Tally { tasks: 0, decisions: 0, ..tally }, Tally::default(), "{tally}");
    for (seed, level, table_id) in &tables {
        assert_eq!(service.table(table_id).await.state(), v1::TableState::Finished);
        let known = service.spectator(table_id).await.view().await.unwrap();
        assert_eq!(known.view.history, alone::play(*seed, *level, usize::MAX));
    }
}

#[tokio::test]
async fn a_spectator_follows_a_game_of_bots_to_its_end() {
    let service = service(Arc::new(SystemClock));
    let table_id = service.start_table(3, Level::Casual).await;
    let spectator = service.spectator(&table_id).await;
    let drain = CancellationToken::new();
    let (connection, bots) = (service.connection.clone(), service.bots.clone());
    let worker = run(Work::usual(), connection, bots, drain.clone());
    let watching = async {
        let mut watch = spectator.watch();
        let mut commits = 0;
        loop {
            match watch.next().await.unwrap() {
                Update::Commit(_) => commits += 1,
                Update::Closed => break,
                Update::Snapshot { .. } | Update::Presence(_) | Update::Heartbeat => {}
            }
        }
        drain.cancel();
        (commits, watch.known().unwrap().clone())
    };
    let (report, (commits, known)) = tokio::join!(worker, watching);
    assert!(commits > 50, "{commits}");
    assert_eq!((report.tally.refused, report.tally.fallbacks), (0, 0));
    let read = spectator.view().await.unwrap();
    assert_eq!((&known.view, &known.stamp), (&read.view, &read.stamp));
    assert_eq!(known.view.history, alone::play(3, Level::Casual, usize::MAX));
}

/// Nobody plays a round before its numbers are there, and they are paid for. Rule: HF-1.7
#[tokio::test]
async fn bots_begin_each_round_once_its_numbers_are_entered() {
    let service = service(Arc::new(SystemClock));
    let model = v1::ExactPickModel::Entered as i32;
    let exact_pick = Some(v1::ExactPick { bonus: 100, model, chance: None });
    let changes = Some(v1::RulesDraft { exact_pick, ..v1::RulesDraft::default() });
    let preset_id = "whitnack".to_owned();
    let request = v1::CreateTableRequest {
        rules: Some(v1::RulesChoice { preset_id, players: 4, changes, ..Default::default() }),
        options: Some(v1::TableOptions { lift_wait_ms: Some(600_000), ..Default::default() }),
        chosen_seed: Some(4),
        ..Default::default()
    };
    let bot = v1::Bot { level: Level::Casual.name().to_owned() };
    let table_id = service.start(request, [(); 4].map(|()| Occupancy::Bot(bot.clone()))).await;
    let spectator = service.spectator(&table_id).await;
    let drain = CancellationToken::new();
    let (connection, bots) = (service.connection.clone(), service.bots.clone());
    let worker = run(Work::usual(), connection, bots, drain.clone());
    let entering = async {
        let mut watch = spectator.watch();
        let mut rounds = 0;
        loop {
            match watch.next().await.unwrap() {
                Update::Snapshot { .. } | Update::Commit(_) => {}
                Update::Closed => break,
                Update::Presence(_) | Update::Heartbeat => continue,
            }
            let known = watch.known().unwrap();
            if usize::from(known.view.table.round_index) < rounds {
                continue;
            }
            let expected_version = known.stamp.version;
            for (seat, cards) in (1..).zip([26, 25, 26, 26]) {
                let (table_id, request_id) = (table_id.clone(), String::new());
                let request =
                    v1::EnterLiftRequest { request_id, expected_version, table_id, seat, cards };
                let entered = service.platform.lift(request).await.unwrap();
                assert_eq!(entered.commit.unwrap().cause(), v1::CommitCause::Lift);
            }
            rounds += 1;
        }
        drain.cancel();
        rounds
    };
    let both = async { tokio::join!(worker, entering) };
    let (report, rounds) = tokio::time::timeout(Duration::from_secs(120), both).await.unwrap();
    let tally = report.tally;
    // Whoever ended a round has no lease for the next one.
    let expected = Tally { tasks: tally.tasks, decisions: tally.decisions, ..Tally::default() };
    assert_eq!(Tally { lease_lost: 0, ..tally }, expected, "{tally}");
    let sheet = spectator.score_sheet().await.unwrap().sheet.unwrap();
    assert_eq!((rounds, sheet.rounds.len()), (4, 4));
    for team in sheet.rounds.iter().flat_map(|round| &round.teams) {
        let score = team.score.as_ref().unwrap();
        let line = score.lines.iter().find(|line| line.line() == v1::ScoreLine::ExactPicks);
        let paid = line.map(|line| (line.count, line.points));
        assert_eq!(paid, Some(if score.team == 1 { (2, 200) } else { (1, 100) }));
    }
}
