//! The services in this process: the real game-service on a port, the real bot-service as its
//! client over gRPC.
//!
//! **Invariant:** bots reach tables through the port and through nothing else. What cannot be
//! started says why and what to do. Ending takes a bounded time.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use handfoot_bot_service::{Counters, Policies, Report, Tally, Work, Worker};
use handfoot_bots::Level;
use handfoot_client::{
    BotCredential, Connection, Endpoint, NotACredential, PlatformClient, PlatformCredential,
    Settings as ClientSettings,
};
use handfoot_game_service::Metrics;
use handfoot_game_service::auth::{LocalCredentials, local_keys};
use handfoot_game_service::drain::{Drain, Signals};
use handfoot_game_service::health::{HealthBook, Readiness};
use handfoot_game_service::pages::keep_pages_small;
use handfoot_game_service::rpc::api;
use handfoot_game_service::server::{
    Ended, Listeners, Parts, ServeError, Settings, StartError, bind, run, standard_routes,
};
use handfoot_store::{Clock, Home, Limits, SystemClock, home, open_with};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, Stop, failed};

/// How long decisions of bots may take to end.
const BOTS_END_MAX: Duration = Duration::from_secs(5);

/// How often it is looked whether the store is still there.
const STORE_LOOK: Duration = Duration::from_secs(1);

/// What the services are started with.
pub(crate) struct Wanted<'a> {
    /// Where to listen; port 0 takes a free one.
    pub(crate) listen: SocketAddr,
    /// Address of the store.
    pub(crate) store: &'a str,
    /// The file in which the keys are kept, if one was named.
    pub(crate) keys_file: Option<&'a Path>,
    /// How long ending may take.
    pub(crate) drain: Duration,
}

impl Wanted<'static> {
    /// On a free port of this machine, with tables that end with the process.
    pub(crate) const PRIVATE: Wanted<'static> = Wanted {
        listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
        store: "memory:",
        keys_file: None,
        drain: Duration::from_secs(2),
    };
}

/// A game-service that serves in this process, and what belongs to it.
pub(crate) struct Local {
    address: SocketAddr,
    credentials: LocalCredentials,
    keys_last: KeysLast,
    health: HealthBook,
    drain: Drain,
    serving: JoinHandle<Result<Ended, ServeError>>,
    bots: Option<Bots>,
    when_lost: WhenLost,
}

/// How long the keys are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeysLast {
    /// As long as the tables are kept.
    AsTables,
    /// To the end of this process, which its tables outlive.
    Shorter,
}

impl KeysLast {
    const fn of(file: Option<&Path>, home: Home<'_>) -> Self {
        match (file, home) {
            (Some(_), _) | (None, Home::Process) => Self::AsTables,
            (None, Home::Folder(_) | Home::Server) => Self::Shorter,
        }
    }
}

/// What becomes of the service when its store is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WhenLost {
    /// It ends: the store is of this process, and does not come back.
    End,
    /// It waits: the store is a server, and comes back.
    Wait,
}

impl WhenLost {
    const fn of(home: Home<'_>) -> Self {
        match home {
            Home::Server => Self::Wait,
            Home::Process | Home::Folder(_) => Self::End,
        }
    }
}

/// A worker that plays bots.
struct Bots {
    counters: Arc<Counters>,
    drain: CancellationToken,
    working: JoinHandle<Report>,
}

/// Threads for services.
pub(crate) fn runtime() -> Result<Runtime, Stop> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| start_failed(&StartError::System { what: "threads", kind: error.kind() }))
}

/// Listens for ctrl-c and SIGTERM from now on.
pub(crate) fn signals() -> Result<Signals, Stop> {
    let listening = Signals::listen();
    listening
        .map_err(|error| start_failed(&StartError::System { what: "signals", kind: error.kind() }))
}

/// The file in which keys are kept: the one that was named, or one beside the store's folder. With
/// none there are new keys at every start, and what was signed before is refused.
fn keys_file(named: Option<&Path>, home: Home<'_>) -> Option<PathBuf> {
    match (named, home) {
        (Some(named), _) => Some(named.to_owned()),
        (None, Home::Folder(folder)) => {
            let folder = folder.display().to_string();
            let folder = folder.trim_end_matches('/');
            (!folder.is_empty()).then(|| PathBuf::from(format!("{folder}.keys")))
        }
        (None, Home::Process | Home::Server) => None,
    }
}

impl Local {
    /// Starts the game-service.
    pub(crate) async fn start(wanted: &Wanted<'_>) -> Result<Local, Stop> {
        // The port first: where it is taken, nothing is made on the disk.
        let api_listener = bind(wanted.listen, "--listen").await.map_err(|e| start_failed(&e))?;
        let address = api_listener.local_addr().unwrap_or(wanted.listen);
        keep_pages_small();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let home = home(wanted.store).map_err(|error| start_failed(&error.into()))?;
        let store = open_with(wanted.store, Arc::clone(&clock), Limits::STANDARD)
            .map_err(|error| start_failed(&error.into()))?;
        let file = keys_file(wanted.keys_file, home);
        let (keys, credentials) = local_keys(file.as_deref().map(Path::new), Arc::clone(&clock))
            .map_err(|error| start_failed(&error.into()))?;
        let drain = Drain::new();
        let health = HealthBook::new(drain.clone());
        let (keys, metrics) = (Arc::new(keys), Metrics::default());
        let parts = Parts { store, keys, clock, drain: drain.clone(), metrics };
        let standard = standard_routes(&health).map_err(|error| start_failed(&error.into()))?;
        let routes = api(standard, &parts);
        let settings = Settings { drain: wanted.drain, ..Settings::USUAL };
        let listeners = Listeners { api: api_listener, health: None, metrics: None };
        let (book, ending) = (health.clone(), drain.clone());
        let serving = tokio::spawn(async move {
            run(listeners, routes, &settings, parts.store, book, ending).await
        });
        let (keys_last, when_lost) = (KeysLast::of(file.as_deref(), home), WhenLost::of(home));
        let bots = None;
        Ok(Local { address, credentials, keys_last, health, drain, serving, bots, when_lost })
    }

    /// Lets the bot-service play these levels here.
    pub(crate) fn start_bots(&mut self, levels: Vec<Level>) -> Result<(), Stop> {
        let credential = BotCredential::new(self.credentials.bot.reveal()).map_err(unusable)?;
        let work =
            Work { levels, drain: BOTS_END_MAX, report_every: Duration::ZERO, ..Work::usual() };
        let drain = CancellationToken::new();
        let worker = Worker::new(work, self.connection()?, credential, Arc::new(Policies), &drain);
        let counters = worker.counters();
        self.bots = Some(Bots { counters, drain, working: tokio::spawn(worker.run()) });
        Ok(())
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The keys that it takes.
    pub(crate) const fn credentials(&self) -> &LocalCredentials {
        &self.credentials
    }

    /// How long they are good.
    pub(crate) const fn keys_last(&self) -> KeysLast {
        self.keys_last
    }

    /// A connection to it, over the network.
    pub(crate) fn connection(&self) -> Result<Connection, Stop> {
        let endpoint: Endpoint = reachable(self.address)
            .to_string()
            .parse()
            .map_err(|problem| broken(&format!("an address that cannot be dialled: {problem}")))?;
        Ok(Connection::to(vec![endpoint], &ClientSettings::default()))
    }

    /// Calls it as its platform.
    pub(crate) fn platform(&self) -> Result<PlatformClient, Stop> {
        let credential = PlatformCredential::new(self.credentials.platform.reveal());
        Ok(PlatformClient::new(self.connection()?, credential.map_err(unusable)?))
    }

    /// Waits until the game-service cannot go on, which it never should: it has stopped by itself,
    /// or its store is lost.
    pub(crate) async fn broken_down(&mut self) -> Stop {
        let store_lost = async {
            let mut tick = tokio::time::interval(STORE_LOOK);
            while self.when_lost == WhenLost::Wait
                || self.health.readiness() != Readiness::StoreAway
            {
                tick.tick().await;
            }
        };
        tokio::select! {
            ended = &mut self.serving => match ended {
                Ok(Err(error)) => start_failed(&error.into()),
                Ok(Ok(Ended::Drained | Ended::Cut)) | Err(_) => broken("the service has stopped"),
            },
            () = store_lost => failed(
                Exit::StoreFailed,
                "the store has failed: the disk is full, or it is gone",
                "to make room and to start it again: what was acknowledged is kept",
            ),
        }
    }

    /// Ends the bots, then the service.
    pub(crate) async fn stop(self) -> Result<Tally, Stop> {
        let Local { health, drain, serving, bots, .. } = self;
        health.set(Readiness::Closed);
        let mut tally = Tally::default();
        if let Some(bots) = bots {
            bots.drain.cancel();
            tally = match bots.working.await {
                Ok(report) => report.tally,
                Err(_) => bots.counters.tally(),
            };
        }
        drain.start();
        match serving.await {
            Ok(Ok(Ended::Drained | Ended::Cut)) => Ok(tally),
            Ok(Err(error)) => Err(start_failed(&error.into())),
            Err(_) => Err(broken("the service has stopped")),
        }
    }
}

/// Where a listener is reached from this machine.
const fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Why a service does not start, in two lines.
fn start_failed(error: &StartError) -> Stop {
    use handfoot_game_service::exit::Exit as Code;
    let exit = match error.exit() {
        Code::Config => Exit::Usage,
        Code::Unavailable => Exit::Unavailable,
        Code::Io => Exit::StoreFailed,
        Code::Ok | Code::Internal => Exit::Internal,
    };
    let text = error.to_string();
    // Services say what is wrong, then what to do.
    match text.split_once("; ") {
        Some((what, next)) => failed(exit, what, next),
        None => failed(exit, text, "to report it, with what was printed"),
    }
}

fn unusable(_: NotACredential) -> Stop {
    broken("a key that cannot be sent")
}

fn broken(what: &str) -> Stop {
    failed(Exit::Internal, format!("this program is at fault: {what}"), "to report it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lie_beside_the_store() {
        let file = |named: Option<&str>, store| {
            keys_file(named.map(Path::new), home(store).unwrap())
                .map(|path| path.display().to_string())
        };
        assert_eq!(file(None, "memory:"), None);
        assert_eq!(file(None, "file:/"), None);
        assert_eq!(file(None, "file:a/tables"), Some("a/tables.keys".to_owned()));
        assert_eq!(file(None, "file:tables/?sync=os"), Some("tables.keys".to_owned()));
        assert_eq!(file(None, "redis://a"), None);
        for store in ["memory:", "file:tables", "redis://a"] {
            assert_eq!(file(Some("k"), store), Some("k".to_owned()), "{store}");
        }
    }

    #[test]
    fn keys_that_tables_outlive_are_told() {
        let last =
            |file: Option<&str>, store| KeysLast::of(file.map(Path::new), home(store).unwrap());
        assert_eq!(last(None, "redis+cluster://a"), KeysLast::Shorter);
        assert_eq!(last(Some("k"), "redis://a"), KeysLast::AsTables);
        assert_eq!(last(None, "memory:"), KeysLast::AsTables);
    }

    #[test]
    fn a_listener_on_every_address_is_reached_on_this_machine() {
        for (listen, dial) in
            [("0.0.0.0:5", "127.0.0.1:5"), ("[::]:5", "[::1]:5"), ("192.0.2.1:5", "192.0.2.1:5")]
        {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), dial);
        }
    }
}
