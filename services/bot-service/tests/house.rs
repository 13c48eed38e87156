//! A table in this process whose seats are bots', and things that go wrong there.
//!
//! **Invariant:** the game is a real one: what the house accepts is legal, and its answers are those
//! of the contract.

use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use handfoot_bot_service::{Policies, Report, Thinker, Work, Worker};
use handfoot_bots::Level;
use handfoot_client::{BotCredential, Connection, Settings};
use handfoot_engine::{Events, Game, Viewer};
use handfoot_protocol::v1::bot_dispatch_service_server::{
    BotDispatchService, BotDispatchServiceServer,
};
use handfoot_protocol::v1::play_service_server::{PlayService, PlayServiceServer};
use handfoot_protocol::v1::{ReleaseCause, ServiceReason};
use handfoot_protocol::{Codec, Failure, encode_draft, refused, v1};
use handfoot_view::{Menu, Rejection, Seat, list};
use tokio::time::{Instant, sleep};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::alone;

/// What goes wrong with a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The service says this, and nothing happens.
    Says(ServiceReason),
    /// It is played, and the answer never comes.
    AnswerLost,
    /// The rules are said to refuse it.
    Refuses,
    /// Somebody changed something outside the game before.
    VersionGoesOn,
}

pub(crate) struct State {
    pub(crate) game: Game,
    version: u64,
    game_version: u64,
    played: BTreeMap<String, (v1::SubmitActionsRequest, v1::Commit)>,
    /// The lease that holds, and its seat.
    lease: Option<(u64, Seat)>,
    leases: u64,
    pub(crate) levels: Vec<Level>,
    pub(crate) troubles: VecDeque<Trouble>,
    pub(crate) submits: Vec<(Instant, String)>,
    pub(crate) released: Vec<ReleaseCause>,
    pub(crate) pace_ms: u32,
    pub(crate) rounds_max: usize,
    pub(crate) seats_offered: u32,
    pub(crate) refuses_workers: bool,
}

#[derive(Clone)]
pub(crate) struct House(pub(crate) Arc<Mutex<State>>);

impl House {
    /// A table of four bots that ends after its first round.
    pub(crate) fn new(seed: u64, level: Level) -> House {
        House(Arc::new(Mutex::new(State {
            game: alone::game(seed),
            version: 1,
            game_version: 1,
            played: BTreeMap::new(),
            lease: None,
            leases: 0,
            levels: vec![level; 4],
            troubles: VecDeque::new(),
            submits: Vec::new(),
            released: Vec::new(),
            pace_ms: 0,
            rounds_max: 1,
            seats_offered: 0,
            refuses_workers: false,
        })))
    }

    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub(crate) fn trouble(&self, troubles: impl IntoIterator<Item = Trouble>) {
        self.with(|state| state.troubles.extend(troubles));
    }

    pub(crate) fn worker(&self, work: Work, drain: &CancellationToken) -> Worker {
        self.thinking(work, Arc::new(Policies), drain)
    }

    pub(crate) fn thinking(
        &self,
        work: Work,
        thinker: Arc<dyn Thinker>,
        drain: &CancellationToken,
    ) -> Worker {
        let settings = Settings { jitter_seed: Some(1), ..Settings::default() };
        let mut routes = tonic::service::RoutesBuilder::default();
        routes
            .add_service(PlayServiceServer::new(self.clone()))
            .add_service(BotDispatchServiceServer::new(self.clone()));
        let connection = Connection::in_process(routes.routes(), &settings);
        let credential = BotCredential::new("bots").unwrap();
        Worker::new(work, connection, credential, thinker, drain)
    }

    /// Lets a worker play until the table is done.
    pub(crate) async fn play_out(&self, thinker: Arc<dyn Thinker>) -> Report {
        let drain = CancellationToken::new();
        let worker = self.thinking(Work::usual(), thinker, &drain);
        let done = async {
            while !self.with(|state| state.is_done()) {
                sleep(Duration::from_millis(50)).await;
            }
            // So that the last lease is given back.
            sleep(Duration::from_millis(50)).await;
            drain.cancel();
        };
        tokio::join!(worker.run(), done).0
    }
}

impl State {
    pub(crate) fn is_done(&self) -> bool {
        self.game.history().len() >= self.rounds_max
    }

    fn stamp(&self) -> v1::Stamp {
        let (version, game_version) = (self.version, self.game_version);
        v1::Stamp { version, game_version, chain: vec![0; 16] }
    }

    fn view(&self, seat: Seat) -> v1::View {
        let view = self.game.table_view(Viewer::Seat(seat));
        let rules = self.game.rules();
        let (stamp, table_id) = (Some(self.stamp()), "T".to_owned());
        v1::View { stamp, table_id, ..Codec::new(rules).encode_view(&view) }
    }

    fn legal(&self, seat: Seat) -> v1::LegalActions {
        let view = self.game.table_view(Viewer::Seat(seat));
        let rules = self.game.rules();
        let view = view.lend(rules).unwrap();
        let mut listed = Vec::new();
        list(view, &mut listed);
        Codec::new(rules).encode_legal(self.version, &Menu::of(view), &listed)
    }

    fn task(&mut self) -> Option<v1::BotTask> {
        let seat = self.game.public().to_act().filter(|_| self.lease.is_none())?;
        self.leases += 1;
        self.lease = Some((self.leases, seat));
        let lease_id = self.leases.to_string();
        let token = format!("lease-{lease_id}");
        Some(v1::BotTask {
            lease: Some(v1::Lease { lease_id, token, expire_time: None }),
            table_id: "T".to_owned(),
            seat: u32::try_from(seat.number()).unwrap(),
            level: self.levels[seat.index()].name().to_owned(),
            view: Some(self.view(seat)),
            legal: Some(self.legal(seat)),
            rules: Some(encode_draft(self.game.rules().draft())),
            commits: Vec::new(),
            bot_seed: chosen_seed(1),
            pace_ms: self.pace_ms,
        })
    }

    /// The seat of a call's lease.
    fn seat_of<T>(&self, request: &Request<T>) -> Result<Seat, Status> {
        let shown = request.metadata().get("authorization").unwrap().to_str().unwrap();
        let held = self.lease.filter(|(lease, _)| shown == format!("Bearer lease-{lease}"));
        let lost = || Failure::new(ServiceReason::LeaseLost, "lost").to_status();
        held.map(|(_, seat)| seat).ok_or_else(lost)
    }

    fn submit(
        &mut self,
        seat: Seat,
        request: v1::SubmitActionsRequest,
    ) -> Result<v1::SubmitActionsResponse, Status> {
        if let Some((first, commit)) = self.played.get(&request.request_id) {
            if first.actions != request.actions {
                return Err(Failure::new(ServiceReason::RequestIdReused, "other").to_status());
            }
            let (commit, legal) = (Some(commit.clone()), Some(self.legal(seat)));
            return Ok(v1::SubmitActionsResponse { commit, replayed: true, legal });
        }
        if !(self.game_version..=self.version).contains(&request.expected_version) {
            return Err(Failure::new(ServiceReason::StaleVersion, "stale").to_status());
        }
        let rules = Arc::clone(self.game.rules());
        let codec = Codec::new(&rules);
        let actions = codec.decode_batch(&request.actions).unwrap();
        let mut events = Events::new();
        let played = self.game.play(seat, &actions[0], &mut events);
        played.map_err(|rejection| refused(&rejection, &rules, 0).to_status())?;
        self.version += 1;
        self.game_version = self.version;
        let seen = events.seen_by(Viewer::Seat(seat));
        let events = seen.map(|event| codec.encode_event(event.event())).collect();
        let commit = v1::Commit { stamp: Some(self.stamp()), events, ..Default::default() };
        self.played.insert(request.request_id.clone(), (request, commit.clone()));
        let legal = Some(self.legal(seat));
        if self.game.public().to_act().is_none() && !self.is_done() {
            self.game.deal_next(&[], &mut Events::new()).unwrap();
            self.version += 1;
            self.game_version = self.version;
        }
        Ok(v1::SubmitActionsResponse { commit: Some(commit), replayed: false, legal })
    }
}

/// What a bot makes of a chosen number when it plays without a service; a seed shows no bytes, so
/// that they are written here for the number 1.
fn chosen_seed(number: u64) -> Vec<u8> {
    use hmac::{Hmac, KeyInit, Mac};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"handfoot/1 bot seed").unwrap();
    mac.update(&number.to_be_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[tonic::async_trait]
impl BotDispatchService for House {
    async fn acquire_seat(
        &self,
        request: Request<v1::AcquireSeatRequest>,
    ) -> Result<Response<v1::AcquireSeatResponse>, Status> {
        let offered = self.with(|state| {
            let offered = state.seats_offered;
            state.seats_offered = offered.saturating_sub(1);
            offered
        });
        let acquired = (offered > 0).then(|| v1::AcquiredSeat {
            table_id: "T".to_owned(),
            seat: offered,
            level: "casual".to_owned(),
        });
        if acquired.is_none() {
            let wait = u64::from(request.get_ref().wait_ms);
            sleep(Duration::from_millis(wait)).await;
        }
        Ok(Response::new(v1::AcquireSeatResponse { acquired }))
    }

    async fn acquire_turn(
        &self,
        request: Request<v1::AcquireTurnRequest>,
    ) -> Result<Response<v1::AcquireTurnResponse>, Status> {
        if self.with(|state| state.refuses_workers) {
            return Err(Failure::new(ServiceReason::CredentialInvalid, "no").to_status());
        }
        let until = Instant::now() + Duration::from_millis(u64::from(request.get_ref().wait_ms));
        while Instant::now() < until {
            if let Some(task) = self.with(State::task) {
                return Ok(Response::new(v1::AcquireTurnResponse { tasks: vec![task] }));
            }
            sleep(Duration::from_millis(5)).await;
        }
        Ok(Response::new(v1::AcquireTurnResponse::default()))
    }

    async fn release_turn(
        &self,
        request: Request<v1::ReleaseTurnRequest>,
    ) -> Result<Response<v1::ReleaseTurnResponse>, Status> {
        let request = request.into_inner();
        self.with(|state| {
            state.released.push(request.cause());
            if state.lease.is_some_and(|(lease, _)| lease.to_string() == request.lease_id) {
                state.lease = None;
            }
        });
        Ok(Response::new(v1::ReleaseTurnResponse {}))
    }
}

#[tonic::async_trait]
impl PlayService for House {
    type WatchTableStream =
        Pin<Box<dyn Stream<Item = Result<v1::WatchTableResponse, Status>> + Send>>;

    async fn get_view(
        &self,
        request: Request<v1::GetViewRequest>,
    ) -> Result<Response<v1::GetViewResponse>, Status> {
        self.with(|state| {
            let view = Some(state.view(state.seat_of(&request)?));
            Ok(Response::new(v1::GetViewResponse { view, rules: None }))
        })
    }

    async fn submit_actions(
        &self,
        request: Request<v1::SubmitActionsRequest>,
    ) -> Result<Response<v1::SubmitActionsResponse>, Status> {
        let answer = self.with(|state| {
            state.submits.push((Instant::now(), request.get_ref().request_id.clone()));
            let seat = state.seat_of(&request)?;
            match state.troubles.pop_front() {
                None => state.submit(seat, request.into_inner()).map(Some),
                Some(Trouble::AnswerLost) => state.submit(seat, request.into_inner()).map(|_| None),
                Some(Trouble::VersionGoesOn) => {
                    state.version += 1;
                    state.submit(seat, request.into_inner()).map(Some)
                }
                Some(Trouble::Refuses) => {
                    Err(refused(&Rejection::AlreadyDrew, state.game.rules(), 0).to_status())
                }
                Some(Trouble::Says(reason)) => {
                    if reason == ServiceReason::LeaseLost {
                        state.lease = None;
                    }
                    Err(Failure::new(reason, "trouble").to_status())
                }
            }
        })?;
        match answer {
            Some(answer) => Ok(Response::new(answer)),
            None => pending().await,
        }
    }

    async fn list_legal_actions(
        &self,
        _: Request<v1::ListLegalActionsRequest>,
    ) -> Result<Response<v1::ListLegalActionsResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }

    async fn request_undo(
        &self,
        _: Request<v1::RequestUndoRequest>,
    ) -> Result<Response<v1::RequestUndoResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }

    async fn watch_table(
        &self,
        _: Request<v1::WatchTableRequest>,
    ) -> Result<Response<Self::WatchTableStream>, Status> {
        Err(Status::unimplemented("not in this test"))
    }

    async fn get_score_sheet(
        &self,
        _: Request<v1::GetScoreSheetRequest>,
    ) -> Result<Response<v1::GetScoreSheetResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }

    async fn list_commits(
        &self,
        _: Request<v1::ListCommitsRequest>,
    ) -> Result<Response<v1::ListCommitsResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
}
