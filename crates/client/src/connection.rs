//! A connection to the service, and how it behaves.
//!
//! **Invariant:** one connection serves any number of callers with any credentials; it keeps none.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tonic::Code;
use tonic::body::Body;
use tower_service::Service;

use crate::endpoint::Endpoint;
use crate::jitter::Jitter;
use crate::link::{InProcess, Link, Wire};
use crate::pool::{Pool, PoolLink, Resolve, SystemResolver};
use crate::tls::{Tls, TlsSettings};

/// How a connection behaves, where the contract's service config leaves it open.
#[derive(Clone)]
pub struct Settings {
    /// How often names are looked up again, 1 s at least.
    pub resolve_every: Duration,
    /// What fixes the pauses between attempts; none: drawn.
    pub jitter_seed: Option<u64>,
    /// Who looks names up; none: the system.
    pub resolver: Option<Arc<dyn Resolve>>,
    /// Who is told of calls; none: nobody.
    pub observer: Option<Arc<dyn ObserveCalls>>,
    /// How servers behind `https://` are known.
    pub tls: TlsSettings,
}

/// Is told of calls that have one answer, to count them. Methods come by their full names.
pub trait ObserveCalls: Send + Sync {
    /// A request is sent again. Its caller sees no other sign of that but the time it takes.
    fn repeated(&self, method: &'static str);

    /// A call has ended after all its attempts; as cancelled if its caller gave it up.
    fn ended(&self, method: &'static str, code: Code, took: Duration);
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            resolve_every: Duration::from_secs(5),
            jitter_seed: None,
            resolver: None,
            observer: None,
            tls: TlsSettings::default(),
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("resolve_every", &self.resolve_every)
            .field("jitter_seed", &self.jitter_seed)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

/// A connection to one or many servers. Copies share it.
#[derive(Clone)]
pub struct Connection {
    link: Arc<dyn Link>,
    jitter: Arc<Jitter>,
    observer: Option<Arc<dyn ObserveCalls>>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    /// Reaches the servers behind these names, each in turn. Connects when the first request is
    /// sent, so that a server may start later than its callers.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[must_use]
    pub fn to(endpoints: Vec<Endpoint>, settings: &Settings) -> Connection {
        let jitter = |nth| Jitter::new(settings.seed().wrapping_add(nth));
        let resolver = settings.resolver.clone().unwrap_or_else(|| Arc::new(SystemResolver));
        let every = settings.resolve_every.max(Duration::from_secs(1));
        let tls = Arc::new(Tls::new(settings.tls.clone()));
        let pool = Pool::start(endpoints, resolver, tls, every, jitter(1));
        Connection::over(Arc::new(PoolLink(pool)), jitter(0), settings)
    }

    /// Reaches a server in this process, without a network: `tonic`'s routes, or one of the
    /// generated servers.
    #[must_use]
    pub fn in_process<S>(server: S, settings: &Settings) -> Connection
    where
        S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send,
    {
        Connection::over(Arc::new(InProcess(server)), Jitter::new(settings.seed()), settings)
    }

    fn over(link: Arc<dyn Link>, jitter: Jitter, settings: &Settings) -> Connection {
        let observer = settings.observer.clone();
        Connection { link, jitter: Arc::new(jitter), observer }
    }

    pub(crate) fn wire(&self) -> Wire {
        Wire::new(&self.link)
    }

    pub(crate) fn jitter(&self) -> &Jitter {
        &self.jitter
    }

    pub(crate) fn observer(&self) -> Option<&dyn ObserveCalls> {
        self.observer.as_deref()
    }
}

impl Settings {
    fn seed(&self) -> u64 {
        // Without chance from the system all clients pause alike, which still works.
        self.jitter_seed.unwrap_or_else(|| getrandom::u64().unwrap_or_default())
    }
}
