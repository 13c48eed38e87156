//! A client that plays people at tables, as a process of its own with traces of its own.

use std::io::Write;
use std::time::Duration;

use handfoot_bots::{BotSeed, Level};
use handfoot_client::{
    Connection, Decision, Known, PlatformClient, PlatformCredential, PlayClient, Settings, Update,
};
use handfoot_protocol::v1;
use handfoot_protocol::v1::set_seat_request::Occupancy;
use handfoot_protocol::v1::table_service_client::TableServiceClient;
use handfoot_telemetry::{LogFormat, Logs, Program, Telemetry, Traces};

/// Says that this program is to play, and nothing else.
pub(super) const PLAY: &str = "HANDFOOT_TEST_TO_PLAY";
/// Where the server is.
pub(super) const SERVER: &str = "HANDFOOT_TEST_SERVER";
/// The credential of the platform.
pub(super) const CREDENTIAL: &str = "HANDFOOT_TEST_CREDENTIAL";
/// Where traces go.
pub(super) const COLLECTOR: &str = "HANDFOOT_TEST_COLLECTOR";
/// How many tables to play at once.
pub(super) const TABLES: &str = "HANDFOOT_TEST_TABLES";
/// After how many actions of people to stop; 0: never.
pub(super) const ACTIONS: &str = "HANDFOOT_TEST_ACTIONS";

/// What this client is called in its spans.
pub(super) const NAME: &str = "test-client";

/// Before each token that it prints.
pub(super) const TOKEN: &str = "a token: ";

/// Names that people and tables have here, and that nothing may tell.
pub(super) const NAMES: [&str; 3] = ["xenia-the-id", "Zephyrine Quist", "The Secret Salon"];

/// The number that fixes the games here, which nothing may tell.
pub(super) const SEED: u64 = 7_316_254_490_218_837;

/// The body of the client's process.
#[test]
fn plays_when_it_is_told_to() {
    if std::env::var_os(PLAY).is_none() {
        return;
    }
    let threads = tokio::runtime::Runtime::new().unwrap();
    let within = threads.enter();
    let program = Program { name: NAME, version: "1" };
    let logs = Logs { format: LogFormat::Json, filter: "debug".parse().unwrap() };
    let traces = Traces { endpoint: text(COLLECTOR), sample: 1.0 };
    let telemetry = Telemetry::start(&program, &logs, Some(&traces)).unwrap();
    drop(within);
    threads.block_on(async {
        let connection = Connection::to(vec![text(SERVER).parse().unwrap()], &Settings::default());
        let credential = PlatformCredential::new(&text(CREDENTIAL)).unwrap();
        let platform = PlatformClient::new(connection.clone(), credential);
        let tables: u64 = text(TABLES).parse().unwrap();
        let games = (0..tables).map(|number| {
            let (platform, connection) = (platform.clone(), connection.clone());
            tokio::spawn(async move { game(&platform, connection, number).await })
        });
        let games: Vec<_> = games.collect();
        for game in games {
            game.await.unwrap();
        }
    });
    telemetry.end(Duration::from_secs(10));
}

fn text(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by whoever starts this"))
}

/// Plays one person against three bots.
async fn game(platform: &PlatformClient, connection: Connection, number: u64) {
    let rules =
        v1::RulesChoice { preset_id: "whitnack".to_owned(), players: 4, ..Default::default() };
    let request = v1::CreateTableRequest {
        rules: Some(rules),
        chosen_seed: Some(SEED + number),
        display_name: NAMES[2].to_owned(),
        first_dealer: 4,
        ..Default::default()
    };
    let table_id = platform.create(request).await.unwrap().table.unwrap().table_id;
    let person = v1::Person { player_id: NAMES[0].to_owned(), display_name: NAMES[1].to_owned() };
    let bot = || Occupancy::Bot(v1::Bot { level: Level::Casual.name().to_owned() });
    for (seat, occupancy) in [(1, Occupancy::Person(person)), (2, bot()), (3, bot()), (4, bot())] {
        let (table_id, occupancy) = (table_id.clone(), Some(occupancy));
        let request = v1::SetSeatRequest { table_id, seat, occupancy, ..Default::default() };
        platform.seat(request).await.unwrap();
    }
    let token = token(&table_id).await;
    print(&token);
    platform.start_table(v1::StartTableRequest { table_id }).await.unwrap();
    let player = PlayClient::new(connection, token.parse().unwrap());
    play(&player).await;
}

fn print(token: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{TOKEN}{token}").unwrap();
}

/// The text of a token, which the client itself never gives away.
async fn token(table_id: &str) -> String {
    let address = format!("http://{}", text(SERVER));
    let channel = tonic::transport::Endpoint::from_shared(address).unwrap();
    let mut client = TableServiceClient::new(channel.connect().await.unwrap());
    let table_id = table_id.to_owned();
    let asked = v1::IssueSeatTokenRequest { table_id, seat: 1, ..Default::default() };
    let mut request = tonic::Request::new(asked);
    let credential = format!("Bearer {}", text(CREDENTIAL)).parse().unwrap();
    request.metadata_mut().insert("authorization", credential);
    client.issue_seat_token(request).await.unwrap().into_inner().token
}

async fn play(player: &PlayClient) {
    let most: u64 = text(ACTIONS).parse().unwrap();
    let seed = BotSeed::chosen(SEED);
    let mut watch = player.watch();
    let mut actions = 0;
    loop {
        let update = watch.next().await.unwrap();
        if update == Update::Closed {
            return;
        }
        let Some(known) = watch.known().filter(|known| known.is_to_act()) else { continue };
        let decision = decision(known, &seed);
        // What was played meanwhile comes with the stream.
        let _ = player.submit(&decision).await;
        actions += 1;
        if actions == most {
            return;
        }
    }
}

fn decision(known: &Known, seed: &BotSeed) -> Decision {
    let view = known.view.lend(&known.rules).unwrap();
    let action = Level::Casual.policy().choose(view, &mut seed.chance(view)).unwrap();
    Decision::new(known.stamp.version, vec![action])
}
