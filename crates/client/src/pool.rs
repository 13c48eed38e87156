//! The servers behind one or several names, in turn, with failover.
//!
//! The transport's own balancer keeps a fixed list and goes on choosing dead servers, so that this
//! is done here: names are looked up again and again, requests go round, and a server that could
//! not be reached rests for a while.
//!
//! **Invariant:** a request is sent to at most one server; whether it may be sent again is not
//! decided here. A look-up that fails or finds nothing leaves the servers as they were.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, OnceCell};
use tokio::time::Instant;
use tonic::body::Body;
use tonic::transport::Channel;
use tower_service::Service;

use crate::endpoint::Endpoint;
use crate::jitter::Jitter;
use crate::line::{Dial, Note};
use crate::link::{Link, Lost, Reply};
use crate::tls::Tls;

/// How long a server rests that could not be reached.
const REST: Duration = Duration::from_secs(1);

/// How often a silent connection is tried.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(30);

/// How long the answer to that may take.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// The shortest time between two look-ups.
const RESOLVE_PAUSE: Duration = Duration::from_secs(1);

/// Looks up host names.
pub trait Resolve: Send + Sync {
    /// The addresses of a host.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>>;
}

/// Asks the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

/// Servers in turn.
pub(crate) struct Pool {
    endpoints: Vec<Endpoint>,
    resolver: Arc<dyn Resolve>,
    tls: Arc<Tls>,
    members: Mutex<Vec<Arc<Member>>>,
    /// Filled by the first look-up.
    first_look: OnceCell<()>,
    next: AtomicUsize,
    look_again: Notify,
}

/// One server.
struct Member {
    /// Where it is, and what is known of the newest connection to it.
    dial: Dial,
    /// The name it was found by, which it is told.
    endpoint: Endpoint,
    channel: tokio::sync::Mutex<Option<Channel>>,
    rests_until: Mutex<Option<Instant>>,
}

impl Pool {
    /// Looks names up again every so often for as long as the pool is held.
    pub(crate) fn start(
        endpoints: Vec<Endpoint>,
        resolver: Arc<dyn Resolve>,
        tls: Arc<Tls>,
        every: Duration,
        jitter: Jitter,
    ) -> Arc<Pool> {
        let pool = Arc::new(Pool {
            endpoints,
            resolver,
            tls,
            members: Mutex::new(Vec::new()),
            first_look: OnceCell::new(),
            next: AtomicUsize::new(0),
            look_again: Notify::new(),
        });
        tokio::spawn(look_up(Arc::downgrade(&pool), every, jitter));
        pool
    }

    /// Looks all names up.
    async fn look(&self) {
        let mut found: BTreeMap<SocketAddr, Endpoint> = BTreeMap::new();
        let mut has_failed = false;
        for endpoint in &self.endpoints {
            match self.resolver.resolve(endpoint.host(), endpoint.port()).await {
                Ok(addresses) => {
                    let of_name = addresses.into_iter().map(|at| (at, endpoint.clone()));
                    found.extend(of_name);
                }
                Err(_) => has_failed = true,
            }
        }
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        if found.is_empty() {
            return;
        }
        // What a name that cannot be looked up now stood for is kept.
        members.retain(|member| found.remove(&member.dial.address).is_some() || has_failed);
        members.extend(found.into_iter().map(|(at, endpoint)| Arc::new(self.member(at, endpoint))));
    }

    fn member(&self, address: SocketAddr, endpoint: Endpoint) -> Member {
        let secure = || (Arc::clone(&self.tls), endpoint.host().to_owned());
        let secure = endpoint.is_secure().then(secure);
        Member {
            dial: Dial { address, secure, note: Note::default() },
            endpoint,
            channel: tokio::sync::Mutex::new(None),
            rests_until: Mutex::new(None),
        }
    }

    /// The servers in the order in which to try them: in turn, those that rest last.
    fn in_turn(&self) -> Vec<Arc<Member>> {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let mut order: Vec<Arc<Member>> = members.iter().map(Arc::clone).collect();
        drop(members);
        if !order.is_empty() {
            let first = self.next.fetch_add(1, Ordering::Relaxed) % order.len();
            order.rotate_left(first);
        }
        let now = Instant::now();
        order.sort_by_cached_key(|member| member.rest(now));
        order
    }

    async fn send(
        &self,
        request: http::Request<Body>,
    ) -> Result<http::Response<Body>, tonic::Status> {
        self.first_look.get_or_init(|| self.look()).await;
        let mut lost = Lost::NotReached;
        for member in self.in_turn() {
            let mut channel = match member.connected().await {
                Ok(channel) => channel,
                Err(why) => {
                    // Of servers that are away and one that is misunderstood, the latter says more.
                    if let Lost::Insecure(_) = why {
                        lost = why;
                    }
                    self.look_again.notify_one();
                    continue;
                }
            };
            let ready = std::future::poll_fn(|context| channel.poll_ready(context)).await;
            let answer = match ready {
                Ok(()) => channel.call(request).await,
                Err(error) => Err(error),
            };
            return match answer {
                Ok(response) => Ok(response),
                Err(error) if is_timeout(&error) => {
                    Err(tonic::Status::deadline_exceeded("no answer in time"))
                }
                Err(_) => {
                    member.drop_channel().await;
                    self.look_again.notify_one();
                    let problem = member.dial.note.read();
                    Err(problem.map_or(Lost::Broken, Lost::Insecure).into_status())
                }
            };
        }
        self.look_again.notify_one();
        Err(lost.into_status())
    }
}

/// The link to a pool.
pub(crate) struct PoolLink(pub(crate) Arc<Pool>);

impl Link for PoolLink {
    fn call(&self, request: http::Request<Body>) -> Reply {
        let pool = Arc::clone(&self.0);
        Box::pin(async move { pool.send(request).await })
    }
}

impl Member {
    /// The channel to it, connected now if there is none.
    async fn connected(&self) -> Result<Channel, Lost> {
        let mut channel = self.channel.lock().await;
        if let Some(channel) = channel.as_ref() {
            return Ok(channel.clone());
        }
        let origin = self.endpoint.to_string().parse().map_err(|_| Lost::NotReached)?;
        // The transport is given a connection that is secure already, and needs no TLS of its own.
        let at = format!("http://{}", self.dial.address);
        let endpoint = tonic::transport::Endpoint::from_shared(at);
        let endpoint = endpoint
            .map_err(|_| Lost::NotReached)?
            .origin(origin)
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        match endpoint.connect_with_connector(self.dial.clone()).await {
            Ok(connected) => {
                self.set_rest(None);
                *channel = Some(connected.clone());
                Ok(connected)
            }
            Err(_) => {
                self.set_rest(Some(Instant::now() + REST));
                Err(self.dial.note.read().map_or(Lost::NotReached, Lost::Insecure))
            }
        }
    }

    async fn drop_channel(&self) {
        *self.channel.lock().await = None;
        self.set_rest(Some(Instant::now() + REST));
    }

    fn set_rest(&self, until: Option<Instant>) {
        *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// How long it still rests.
    fn rest(&self, now: Instant) -> Duration {
        let until = *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}

/// Whether the time of the call ran out, which says nothing about the connection.
fn is_timeout(error: &tonic::transport::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<tonic::TimeoutExpired>() {
            return true;
        }
        cause = error.source();
    }
    false
}

async fn look_up(pool: Weak<Pool>, every: Duration, jitter: Jitter) {
    loop {
        let Some(held) = pool.upgrade() else { return };
        held.first_look.get_or_init(|| held.look()).await;
        let wait = jitter.beyond(every);
        drop(held);
        tokio::time::sleep(RESOLVE_PAUSE.min(wait)).await;
        let deadline = Instant::now() + wait.saturating_sub(RESOLVE_PAUSE);
        // Waiting must not keep the pool alive, so that it is looked at every second.
        loop {
            let Some(held) = pool.upgrade() else { return };
            let step = deadline.min(Instant::now() + RESOLVE_PAUSE);
            let asked = tokio::time::timeout_at(step, held.look_again.notified()).await;
            if asked.is_ok() || Instant::now() >= deadline {
                held.look().await;
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that move.
    struct Names(Mutex<io::Result<Vec<SocketAddr>>>);

    impl Resolve for Names {
        fn resolve<'a>(
            &'a self,
            _: &'a str,
            _: u16,
        ) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>> {
            let now = match &*self.0.lock().unwrap() {
                Ok(addresses) => Ok(addresses.clone()),
                Err(error) => Err(io::Error::from(error.kind())),
            };
            Box::pin(std::future::ready(now))
        }
    }

    fn at(port: u16) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, 1], port))
    }

    fn addresses(pool: &Pool) -> Vec<SocketAddr> {
        pool.members.lock().unwrap().iter().map(|member| member.dial.address).collect()
    }

    fn pool(names: &Arc<Names>) -> Arc<Pool> {
        let resolver: Arc<dyn Resolve> = Arc::<Names>::clone(names);
        let endpoints = vec!["games".parse().unwrap()];
        let tls = Arc::new(Tls::new(crate::TlsSettings::default()));
        Pool::start(endpoints, resolver, tls, Duration::from_secs(5), Jitter::new(1))
    }

    #[tokio::test(start_paused = true)]
    async fn names_are_looked_up_again() {
        let names = Arc::new(Names(Mutex::new(Ok(vec![at(1), at(2)]))));
        let pool = pool(&names);
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(addresses(&pool), [at(1), at(2)]);
        let kept = Arc::clone(&pool.members.lock().unwrap()[1]);
        *names.0.lock().unwrap() = Ok(vec![at(3), at(2)]);
        tokio::time::sleep(Duration::from_secs(7)).await;
        assert_eq!(addresses(&pool), [at(2), at(3)]);
        assert!(Arc::ptr_eq(&kept, &pool.members.lock().unwrap()[0]), "its connection is kept");
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_up_that_fails_changes_nothing() {
        let names = Arc::new(Names(Mutex::new(Ok(vec![at(1)]))));
        let pool = pool(&names);
        tokio::time::sleep(Duration::from_millis(1)).await;
        for nothing in [Ok(Vec::new()), Err(io::ErrorKind::NotFound.into())] {
            *names.0.lock().unwrap() = nothing;
            tokio::time::sleep(Duration::from_secs(20)).await;
            assert_eq!(addresses(&pool), [at(1)]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_go_round_and_pass_over_what_rests() {
        let names = Arc::new(Names(Mutex::new(Ok(vec![at(1), at(2), at(3)]))));
        let pool = pool(&names);
        tokio::time::sleep(Duration::from_millis(1)).await;
        let firsts = |n: usize| -> Vec<u16> {
            (0..n).map(|_| pool.in_turn()[0].dial.address.port()).collect()
        };
        assert_eq!(firsts(4), [1, 2, 3, 1]);
        pool.members.lock().unwrap()[1].set_rest(Some(Instant::now() + REST));
        assert_eq!(firsts(3), [3, 3, 1]);
        tokio::time::sleep(REST).await;
        assert!(firsts(3).contains(&2));
    }

    #[tokio::test(start_paused = true)]
    async fn the_task_ends_with_the_pool() {
        let names = Arc::new(Names(Mutex::new(Ok(vec![at(1)]))));
        let held = pool(&names);
        tokio::time::sleep(Duration::from_secs(3)).await;
        drop(held);
        tokio::time::sleep(Duration::from_secs(20)).await;
        assert_eq!(Arc::strong_count(&names), 1);
    }
}
