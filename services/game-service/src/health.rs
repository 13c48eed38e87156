//! Health (`grpc.health.v1`) for orchestrators and load balancers.
//!
//! **Invariant:** `liveness` is the process and never the store, or a store that is away for a
//! moment would restart every replica. Nothing here waits once a drain has started: readiness is
//! NOT_SERVING at once, and watchers are told so and end.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use handfoot_store::TableStore;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::drain::Drain;

/// How often the store is asked.
const STORE_POLL: Duration = Duration::from_secs(2);

/// How long the store may take to say that it is well.
const STORE_ANSWER_MAX: Duration = Duration::from_secs(1);

/// How long the store may be away before the replica says that it is not ready. Until then calls
/// get UNAVAILABLE, which says more to a client than a refused connection does.
const STORE_AWAY_MAX: Duration = Duration::from_secs(10);

/// Whether calls should be sent here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// They should.
    Ready,
    /// They should not: the store is away.
    StoreAway,
    /// They should not: not yet, or the process is about to end.
    Closed,
}

/// What the health service says; all clones are one.
#[derive(Clone, Debug)]
pub struct HealthBook {
    readiness: Arc<watch::Sender<Readiness>>,
    drain: Drain,
}

impl HealthBook {
    /// Alive and not ready.
    #[must_use]
    pub fn new(drain: Drain) -> Self {
        Self { readiness: Arc::new(watch::Sender::new(Readiness::Closed)), drain }
    }

    /// What it says now. After the start of a drain it is always `Closed`.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        match self.drain.is_started() {
            true => Readiness::Closed,
            false => *self.readiness.borrow(),
        }
    }

    /// Says something else from now on.
    pub fn set(&self, readiness: Readiness) {
        self.readiness.send_if_modified(|now| std::mem::replace(now, readiness) != readiness);
    }

    /// The service. It answers for the names "" and `readiness`, which are the same, and `liveness`.
    #[must_use]
    pub fn service(&self) -> HealthServer<HealthService> {
        HealthServer::new(HealthService { book: self.clone() })
    }

    /// Asks the store again and again, until a drain starts.
    pub async fn follow(self, store: Arc<dyn TableStore>) {
        let mut tick = interval(STORE_POLL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut well_at = Instant::now();
        let drained = self.drain.started();
        tokio::pin!(drained);
        loop {
            tokio::select! {
                () = &mut drained => return,
                _ = tick.tick() => {}
            }
            match timeout(STORE_ANSWER_MAX, store.healthy()).await {
                Ok(Ok(())) => {
                    well_at = Instant::now();
                    self.set(Readiness::Ready);
                }
                Ok(Err(_)) | Err(_) if well_at.elapsed() >= STORE_AWAY_MAX => {
                    if self.readiness() != Readiness::StoreAway {
                        tracing::warn!("not ready: the store has been away for too long");
                    }
                    self.set(Readiness::StoreAway);
                }
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }

    fn status(&self, name: Name) -> ServingStatus {
        match (name, self.readiness()) {
            (Name::Liveness, _) | (Name::Readiness, Readiness::Ready) => ServingStatus::Serving,
            (Name::Readiness, Readiness::StoreAway | Readiness::Closed) => {
                ServingStatus::NotServing
            }
        }
    }

    /// Sends a status and every change of it until the caller leaves or a drain starts.
    async fn tell(self, name: Name, items: mpsc::Sender<Item>) {
        let mut readiness = self.readiness.subscribe();
        let mut said = None;
        loop {
            let status = self.status(name);
            if said.replace(status) != Some(status) && items.send(answer(status)).await.is_err() {
                return;
            }
            if self.drain.is_started() {
                return;
            }
            tokio::select! {
                // The book outlives this task, so the channel cannot close.
                _ = readiness.changed() => {}
                () = self.drain.started() => {}
                () = items.closed() => return,
            }
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Liveness,
    Readiness,
}

impl Name {
    fn from_text(text: &str) -> Option<Self> {
        match text {
            "liveness" => Some(Self::Liveness),
            "" | "readiness" => Some(Self::Readiness),
            _ => None,
        }
    }
}

type Item = Result<HealthCheckResponse, Status>;

fn answer(status: ServingStatus) -> Item {
    Ok(HealthCheckResponse { status: status.into() })
}

/// The service of a [`HealthBook`].
#[derive(Clone, Debug)]
pub struct HealthService {
    book: HealthBook,
}

#[tonic::async_trait]
impl Health for HealthService {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        match Name::from_text(&request.get_ref().service) {
            Some(name) => answer(self.book.status(name)).map(Response::new),
            None => Err(Status::not_found("known are \"\", \"liveness\" and \"readiness\"")),
        }
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Item> + Send>>;

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let (items, stream) = mpsc::channel(1);
        match Name::from_text(&request.get_ref().service) {
            Some(name) => {
                tokio::spawn(self.book.clone().tell(name, items));
            }
            // The protocol wants the stream to go on; a name that is unknown stays unknown.
            None => {
                let drain = self.book.drain.clone();
                tokio::spawn(async move {
                    if items.send(answer(ServingStatus::ServiceUnknown)).await.is_ok() {
                        tokio::select! {
                            () = drain.started() => {}
                            () = items.closed() => {}
                        }
                    }
                });
            }
        }
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }
}
