//! What the tests of the API are made with: replicas over one store, callers, and short ways to
//! ask for things.
//!
//! **Invariant:** time is the test's: the store's clock is set by hand and the runtime's is paused.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use handfoot_game_service::auth::{
    BotCredential, CredentialKey, KeySet, Keys, PlatformCredential, SigningKey,
};
use handfoot_game_service::drain::Drain;
use handfoot_game_service::server::{Settings, serve};
use handfoot_game_service::{Metrics, SecretSource, Tables, rpc};
use handfoot_processes::redis::Server;
use handfoot_protocol::v1::bot_dispatch_service_client::BotDispatchServiceClient;
use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_protocol::v1::rules_service_client::RulesServiceClient;
use handfoot_protocol::v1::server_service_client::ServerServiceClient;
use handfoot_protocol::v1::table_service_client::TableServiceClient;
use handfoot_protocol::{ErrorDetails, v1};
use handfoot_store::{
    Clock, Limits, ManualClock, Millis, RedisStore, StoreTime, TableStore, open_with,
};
use hmac::{Hmac, KeyInit, Mac};
use hyper_util::rt::TokioIo;
use sha2::Sha256;
use tempfile::TempDir;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::metadata::MetadataValue;
use tonic::service::RoutesBuilder;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Request, Status};

use super::stores::{Patient, Shaky};
use crate::edge_auth::KEY_A;

const CREDENTIAL_KEY: &str = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";
const PLATFORM_KEY: &str = "hfp_acme.secret";
const OTHER_PLATFORM_KEY: &str = "hfp_other.secret";
const BOT_KEY: &str = "hfb_bots.secret";

/// When the tests begin.
pub(crate) const START: Millis = Millis(1_800_000_000_000);

/// Secrets that are always the same, so that chains are too.
#[derive(Debug)]
pub(crate) struct SameSecrets;

impl SecretSource for SameSecrets {
    fn secret(&self) -> Option<[u8; 32]> {
        Some([9; 32])
    }
}

/// A store with its clock and keys, and as many replicas as are asked for.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<dyn TableStore>,
    keys: Arc<Keys>,
    ids: AtomicU64,
    /// What its replicas count, all together.
    pub(crate) metrics: Metrics,
    kept: Kept,
}

/// Where what the store keeps is; gone at the end.
#[derive(Debug)]
enum Kept {
    /// In the store itself.
    Store,
    Folder {
        _folder: TempDir,
    },
    /// Each replica has a store of its own over the server.
    Redis {
        server: Box<Server>,
    },
}

/// One process of the service, and a connection to it.
#[derive(Clone, Debug)]
pub(crate) struct Replica {
    channel: Channel,
    door: InMemory,
    pub(crate) drain: Drain,
}

/// Puts a credential on every call.
#[derive(Clone)]
pub(crate) struct Credential(MetadataValue<tonic::metadata::Ascii>);

impl tonic::service::Interceptor for Credential {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}

pub(crate) fn bearer(token: &str) -> Credential {
    Credential(format!("Bearer {token}").parse().unwrap())
}

pub(crate) type Service = InterceptedService<Channel, Credential>;

fn credential_text(key: &str, rest: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(CREDENTIAL_KEY.as_bytes()).unwrap();
    mac.update(key.as_bytes());
    let tag: String = mac.finalize().into_bytes().iter().map(|b| format!("{b:02x}")).collect();
    let id = key.split(['_', '.']).nth(1).unwrap();
    format!("{id}:{tag}{rest}")
}

impl World {
    /// Over a store in memory.
    pub(crate) fn new() -> World {
        World::within(Limits::STANDARD)
    }

    /// Over a store in memory with these limits.
    pub(crate) fn within(limits: Limits) -> World {
        let clock = Arc::new(ManualClock::new(START));
        let store = open_with("memory:", clock.clone(), limits).unwrap();
        World::over(clock, store)
    }

    /// Over an embedded store in a folder of its own.
    pub(crate) fn on_file() -> World {
        let (clock, folder) = (Arc::new(ManualClock::new(START)), TempDir::new().unwrap());
        let address = format!("file:{}?sync=os", folder.path().display());
        let store = open_with(&address, clock.clone(), Limits::STANDARD).unwrap();
        let world = World::over(clock, Arc::new(Patient::here(store)));
        World { kept: Kept::Folder { _folder: folder }, ..world }
    }

    /// Over a Redis of its own, where replicas share nothing in memory.
    pub(crate) fn on_redis() -> World {
        let (clock, server) = (Arc::new(ManualClock::new(START)), Server::start(&[]).unwrap());
        let store = on_redis(&server, &clock);
        World { kept: Kept::Redis { server: Box::new(server) }, ..World::over(clock, store) }
    }

    /// Over a store that things happen to.
    pub(crate) fn shaky() -> (World, Arc<Shaky>) {
        let clock = Arc::new(ManualClock::new(START));
        let time: Arc<dyn Clock> = clock.clone();
        let store = Arc::new(Shaky::new(&time, Limits::STANDARD));
        (World::over(clock, store.clone()), store)
    }

    pub(crate) fn over(clock: Arc<ManualClock>, store: Arc<dyn TableStore>) -> World {
        let everything = ":acme:tables.read+tables.write+tokens.issue+seed.choose";
        let platform = |key, rest| PlatformCredential::from_text(&credential_text(key, rest));
        let set = KeySet {
            signing: SigningKey::from_pem(KEY_A).unwrap(),
            previous: None,
            credential_key: CredentialKey::from_text(CREDENTIAL_KEY).unwrap(),
            platforms: vec![
                platform(PLATFORM_KEY, everything).unwrap(),
                platform(OTHER_PLATFORM_KEY, "").unwrap(),
            ],
            bots: vec![BotCredential::from_text(&credential_text(BOT_KEY, ":*")).unwrap()],
        };
        let keys = Arc::new(Keys::new(set, clock.clone()));
        let (ids, metrics) = (AtomicU64::new(1), Metrics::new().unwrap());
        World { clock, store, keys, ids, metrics, kept: Kept::Store }
    }

    /// Moves the store's clock.
    pub(crate) fn pass(&self, milliseconds: u64) {
        self.clock.set(Millis(self.clock.now().0 + milliseconds));
    }

    /// A new UUID.
    pub(crate) fn id(&self) -> String {
        let number = self.ids.fetch_add(1, Ordering::SeqCst);
        format!("00000000-0000-4000-8000-{number:012x}")
    }

    /// A process over the store.
    pub(crate) fn replica(&self) -> Replica {
        let drain = Drain::new();
        let store = match &self.kept {
            Kept::Store | Kept::Folder { .. } => self.store.clone(),
            Kept::Redis { server } => on_redis(server, &self.clock),
        };
        let metrics = self.metrics.clone();
        let tables = Tables::counted(store, Arc::new(SameSecrets), drain.clone(), metrics);
        let mut routes = RoutesBuilder::default();
        rpc::add_services(&mut routes, &tables, &self.keys);
        let (connections, accepted) = mpsc::unbounded_channel();
        let incoming = UnboundedReceiverStream::new(accepted);
        let (routes, stop) = (routes.routes(), drain.clone());
        tokio::spawn(async move { serve(incoming, routes, &Settings::USUAL, stop).await });
        let door = InMemory(connections);
        Replica { channel: door.channel(65_535), door, drain }
    }
}

/// A store over a Redis, with the test's clock.
fn on_redis(server: &Server, clock: &Arc<ManualClock>) -> Arc<dyn TableStore> {
    let time = StoreTime::OfClock(clock.clone());
    let store = RedisStore::open(&server.url(), time, Limits::STANDARD).unwrap();
    Arc::new(Patient::elsewhere(Arc::new(store)))
}

/// Connects within the process.
#[derive(Clone, Debug)]
struct InMemory(mpsc::UnboundedSender<std::io::Result<DuplexStream>>);

impl tower_service::Service<Uri> for InMemory {
    type Response = TokioIo<DuplexStream>;
    type Error = std::io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let sent = self.0.send(Ok(theirs));
        Box::pin(async move {
            sent.map(|()| TokioIo::new(ours))
                .map_err(|_| std::io::Error::from(std::io::ErrorKind::ConnectionRefused))
        })
    }
}

impl InMemory {
    /// A connection on which a stream is sent so many bytes ahead of its reader.
    fn channel(&self, ahead: u32) -> Channel {
        Endpoint::from_static("http://replica")
            .initial_stream_window_size(Some(ahead))
            .connect_with_connector_lazy(self.clone())
    }
}

impl Replica {
    /// The same process by a connection of its own on which little is sent ahead of its reader, so
    /// that a slow one is noticed.
    pub(crate) fn slow(&self) -> Replica {
        Replica { channel: self.door.channel(1_024), ..self.clone() }
    }

    pub(crate) fn platform(&self) -> TableServiceClient<Service> {
        TableServiceClient::with_interceptor(self.channel.clone(), bearer(PLATFORM_KEY))
    }

    pub(crate) fn other_platform(&self) -> TableServiceClient<Service> {
        TableServiceClient::with_interceptor(self.channel.clone(), bearer(OTHER_PLATFORM_KEY))
    }

    /// Calls for platforms with a credential that may not be one.
    pub(crate) fn platform_as(&self, credential: &str) -> TableServiceClient<Service> {
        TableServiceClient::with_interceptor(self.channel.clone(), bearer(credential))
    }

    pub(crate) fn bots(&self) -> BotDispatchServiceClient<Service> {
        BotDispatchServiceClient::with_interceptor(self.channel.clone(), bearer(BOT_KEY))
    }

    pub(crate) fn player(&self, token: &str) -> Player {
        let client = PlayServiceClient::with_interceptor(self.channel.clone(), bearer(token));
        Player { client }
    }

    pub(crate) fn rules(&self) -> RulesServiceClient<Channel> {
        RulesServiceClient::new(self.channel.clone())
    }

    pub(crate) fn server(&self) -> ServerServiceClient<Channel> {
        ServerServiceClient::new(self.channel.clone())
    }

    /// A table with a chosen seed, not started.
    pub(crate) async fn table(&self, world: &World, seed: u64) -> String {
        let request = v1::CreateTableRequest {
            request_id: world.id(),
            chosen_seed: Some(seed),
            first_dealer: 4,
            ..v1::CreateTableRequest::default()
        };
        let created = self.platform().create_table(request).await.unwrap();
        created.into_inner().table.unwrap().table_id
    }

    /// Gives all four seats to people.
    pub(crate) async fn seat_people(&self, table_id: &str) {
        for seat in 1..=4 {
            self.set_seat(table_id, seat, person(&format!("player-{seat}"))).await.unwrap();
        }
    }

    pub(crate) async fn set_seat(
        &self,
        table_id: &str,
        seat: u32,
        occupancy: v1::set_seat_request::Occupancy,
    ) -> Result<v1::Table, Status> {
        let (table_id, occupancy) = (table_id.to_owned(), Some(occupancy));
        let request = v1::SetSeatRequest { table_id, seat, occupancy, ..Default::default() };
        let answer = self.platform().set_seat(request).await?;
        Ok(answer.into_inner().table.unwrap())
    }

    pub(crate) async fn start(&self, table_id: &str) -> Result<v1::Table, Status> {
        let request = v1::StartTableRequest { table_id: table_id.to_owned() };
        Ok(self.platform().start_table(request).await?.into_inner().table.unwrap())
    }

    pub(crate) async fn token(&self, table_id: &str, seat: u32) -> String {
        let request = v1::IssueSeatTokenRequest {
            table_id: table_id.to_owned(),
            seat,
            ..v1::IssueSeatTokenRequest::default()
        };
        self.platform().issue_seat_token(request).await.unwrap().into_inner().token
    }

    /// Four people at a started table, and a spectator as the first of the list.
    pub(crate) async fn people(&self, world: &World, seed: u64) -> (String, Vec<Player>) {
        let table_id = self.table(world, seed).await;
        self.seat_people(&table_id).await;
        self.start(&table_id).await.unwrap();
        let mut players = Vec::new();
        for seat in 0..=4 {
            players.push(self.player(&self.token(&table_id, seat).await));
        }
        (table_id, players)
    }
}

/// Who calls with a seat's token.
#[derive(Clone)]
pub(crate) struct Player {
    pub(crate) client: PlayServiceClient<Service>,
}

impl Player {
    pub(crate) async fn view(&mut self) -> v1::View {
        let answer = self.client.get_view(v1::GetViewRequest::default()).await.unwrap();
        answer.into_inner().view.unwrap()
    }

    pub(crate) async fn version(&mut self) -> u64 {
        self.view().await.stamp.unwrap().version
    }

    pub(crate) async fn legal(&mut self) -> v1::LegalActions {
        let answer = self.client.list_legal_actions(v1::ListLegalActionsRequest {}).await.unwrap();
        answer.into_inner().legal.unwrap()
    }

    pub(crate) async fn submit(
        &mut self,
        request: &v1::SubmitActionsRequest,
    ) -> Result<v1::SubmitActionsResponse, Status> {
        Ok(self.client.submit_actions(request.clone()).await?.into_inner())
    }

    /// Draws or, after that, does the first thing that is listed.
    pub(crate) async fn play_first(
        &mut self,
        world: &World,
    ) -> (v1::SubmitActionsRequest, v1::SubmitActionsResponse) {
        let legal = self.legal().await;
        let action = legal.actions.first().cloned().unwrap();
        let request = submission(world, legal.version, vec![action]);
        let answer = self.submit(&request).await.unwrap();
        (request, answer)
    }
}

pub(crate) fn submission(
    world: &World,
    expected_version: u64,
    actions: Vec<v1::Action>,
) -> v1::SubmitActionsRequest {
    let request_id = world.id();
    v1::SubmitActionsRequest { request_id, expected_version, actions, validate_only: false }
}

pub(crate) fn draw() -> v1::Action {
    v1::Action { action: Some(v1::action::Action::Draw(v1::DrawAction {})) }
}

pub(crate) fn discard(card: i32) -> v1::Action {
    v1::Action { action: Some(v1::action::Action::Discard(card)) }
}

pub(crate) fn person(player_id: &str) -> v1::set_seat_request::Occupancy {
    v1::set_seat_request::Occupancy::Person(v1::Person {
        player_id: player_id.to_owned(),
        display_name: format!("Name of {player_id}"),
    })
}

pub(crate) fn bot(level: &str) -> v1::set_seat_request::Occupancy {
    v1::set_seat_request::Occupancy::Bot(v1::Bot { level: level.to_owned() })
}

pub(crate) fn open(levels: &[&str]) -> v1::set_seat_request::Occupancy {
    let bot_levels = levels.iter().map(|level| (*level).to_owned()).collect();
    v1::set_seat_request::Occupancy::Open(v1::OpenSeat { bot_levels })
}

/// The reason of a refusal.
pub(crate) fn reason<T: std::fmt::Debug>(answer: Result<T, Status>) -> String {
    ErrorDetails::of(&answer.expect_err("it must be refused")).name
}

/// Cards that the caller may discard, from what is legal.
pub(crate) fn discards(legal: &v1::LegalActions) -> Vec<i32> {
    let card = |action: &v1::Action| match action.action.as_ref()? {
        v1::action::Action::Discard(card) => Some(*card),
        v1::action::Action::Draw(_)
        | v1::action::Action::TakeDiscards(_)
        | v1::action::Action::Lay(_)
        | v1::action::Action::AskToGoOut(_)
        | v1::action::Action::AnswerGoOut(_)
        | v1::action::Action::AnswerUndo(_)
        | v1::action::Action::UndoLays(_) => None,
    };
    legal.actions.iter().filter_map(card).collect()
}
