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
use handfoot_store::{Limits, MemoryStore, SystemClock};
use tokio_util::sync::CancellationToken;

use crate::alone;

struct Service {
    connection: Connection,
    platform: PlatformClient,
    bots: BotCredential,
}

fn service() -> Service {
    let clock = Arc::new(SystemClock);
    let store = Arc::new(MemoryStore::new(clock.clone(), Limits::STANDARD));
    let (keys, local) = local_keys(None, clock).unwrap();
    let tables = Tables::new(store, Arc::new(MachineSecrets), Drain::new());
    let mut routes = tonic::service::RoutesBuilder::default();
    rpc::add_services(&mut routes, &tables, &Arc::new(keys));
    let settings = Settings { jitter_seed: Some(1), ..Settings::default() };
    let connection = Connection::in_process(routes.routes(), &settings);
    let credential = PlatformCredential::new(local.platform.reveal()).unwrap();
    let platform = PlatformClient::new(connection.clone(), credential);
    Service { connection, platform, bots: BotCredential::new(local.bot.reveal()).unwrap() }
}

impl Service {
    /// A table whose seats are bots' or offered to bots, started.
    async fn start_table(&self, seed: u64, level: Level) -> String {
        let rules = Some(v1::RulesChoice {
            preset_id: "whitnack".to_owned(),
            players: 4,
            ..v1::RulesChoice::default()
        });
        let chosen_seed = Some(seed);
        let request = v1::CreateTableRequest { rules, chosen_seed, ..Default::default() };
        let table = self.platform.create(request).await.unwrap().table.unwrap();
        let table_id = table.table_id;
        for seat in 1..=4 {
            let bot = v1::Bot { level: level.name().to_owned() };
            let occupancy = Some(v1::set_seat_request::Occupancy::Bot(bot));
            let request = v1::SetSeatRequest { table_id: table_id.clone(), seat, occupancy };
            self.platform.set_seat(request).await.unwrap();
        }
        let request = v1::StartTableRequest { table_id: table_id.clone() };
        self.platform.start_table(request).await.unwrap();
        table_id
    }

    async fn table(&self, table_id: &str) -> v1::Table {
        let request = v1::GetTableRequest { table_id: table_id.to_owned() };
        self.platform.get_table(request).await.unwrap().table.unwrap()
    }

    async fn spectator(&self, table_id: &str) -> PlayClient {
        let table_id = table_id.to_owned();
        let request = v1::IssueSeatTokenRequest { table_id, ..Default::default() };
        let token = self.platform.issue(request).await.unwrap().token;
        PlayClient::new(self.connection.clone(), token)
    }
}

#[tokio::test]
async fn bots_play_whole_games_that_are_those_of_their_seeds() {
    let service = service();
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
    let service = service();
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
