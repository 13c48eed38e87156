//! Which server has a partition.
//!
//! **Invariant:** a map that led astray is replaced, by one task at a time, and never by an older
//! one. Servers that stay keep their connections.

use std::sync::{Arc, Mutex as Lock, MutexGuard, PoisonError};

use futures_util::StreamExt;
use futures_util::future::ready;
use futures_util::stream::FuturesUnordered;
use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::{RedisResult, Value};
use tokio::sync::Mutex;

use super::address::{Server, Shape, server};
use super::dial::Dial;
use super::fault::Fault;
use super::node::{Node, log_unreached};
use super::reply::{list, number, text};
use super::tags::{PARTITIONS, partitions, slot_of};
use crate::Partition;

/// The servers of a store.
#[derive(Debug)]
pub(super) struct Routes {
    dial: Arc<Dial>,
    map: Lock<Arc<Map>>,
    /// Held by whoever makes a new map: how many were made.
    making: Mutex<usize>,
}

/// Which server has which partition.
#[derive(Debug)]
pub(super) struct Map {
    pub(super) nodes: Vec<Arc<Node>>,
    /// By partition: the place of its server, if it has one.
    of: Vec<Option<usize>>,
}

impl Map {
    const fn empty() -> Self {
        Self { nodes: Vec::new(), of: Vec::new() }
    }

    fn of_one(node: Arc<Node>) -> Self {
        Self { nodes: vec![node], of: vec![Some(0); usize::from(PARTITIONS)] }
    }

    /// The server of a partition.
    pub(super) fn node(&self, partition: Partition) -> Option<&Arc<Node>> {
        let index = (*self.of.get(usize::from(partition.0))?)?;
        self.nodes.get(index)
    }

    /// One partition of each server that has any.
    pub(super) fn samples(&self) -> Vec<Partition> {
        let first = |index: usize| self.of.iter().position(|of| *of == Some(index));
        let firsts = (0..self.nodes.len()).filter_map(first);
        firsts.filter_map(|at| u16::try_from(at).ok().map(Partition)).collect()
    }
}

impl Routes {
    pub(super) fn new(dial: Arc<Dial>) -> Self {
        let map = match &dial.address().shape {
            Shape::Alone { server, .. } => {
                Map::of_one(Arc::new(Node::new(server.clone(), Arc::clone(&dial))))
            }
            Shape::Sentinel { .. } | Shape::Cluster { .. } => Map::empty(),
        };
        Self { dial, map: Lock::new(Arc::new(map)), making: Mutex::new(0) }
    }

    pub(super) const fn dial(&self) -> &Arc<Dial> {
        &self.dial
    }

    /// The map in use; it may be empty.
    pub(super) fn map(&self) -> Arc<Map> {
        Arc::clone(&self.locked())
    }

    /// The map in use, made if there is none.
    pub(super) async fn some_map(&self) -> Result<Arc<Map>, Fault> {
        let map = self.map();
        match map.nodes.is_empty() {
            true => self.renew(&map).await,
            false => Ok(map),
        }
    }

    /// A newer map than the one that led astray.
    pub(super) async fn renew(&self, astray: &Arc<Map>) -> Result<Arc<Map>, Fault> {
        let mut n_made = self.making.lock().await;
        let map = self.map();
        if !Arc::ptr_eq(&map, astray) {
            return Ok(map);
        }
        let new = match &self.dial.address().shape {
            Shape::Alone { .. } => return Ok(map),
            Shape::Sentinel { sentinels, service, .. } => {
                self.by_sentinels(&map, sentinels, service).await?
            }
            Shape::Cluster { seeds } => {
                *n_made = n_made.wrapping_add(1);
                self.by_cluster(&map, seeds, *n_made).await?
            }
        };
        let new = Arc::new(new);
        *self.locked() = Arc::clone(&new);
        Ok(new)
    }

    /// Asks all sentinels at once: some may be gone without a word, as their machine went together
    /// with the primary.
    async fn by_sentinels(
        &self,
        map: &Map,
        sentinels: &[Server],
        service: &str,
    ) -> Result<Map, Fault> {
        let asks = sentinels.iter().map(|sentinel| self.node_by(map, sentinel, service));
        let mut named = std::pin::pin!(asks.collect::<FuturesUnordered<_>>().filter_map(ready));
        named.next().await.map(Map::of_one).ok_or(Fault::Unreached)
    }

    /// The primary, as one sentinel knows it.
    async fn node_by(&self, map: &Map, sentinel: &Server, service: &str) -> Option<Arc<Node>> {
        let primary = match self.primary_by(sentinel, service).await {
            Ok(primary) => primary?,
            Err(error) => {
                log_unreached(sentinel, &error);
                return None;
            }
        };
        let node = self.node(map, primary);
        // A sentinel may not know yet that what it names is no primary any more.
        is_primary(&node).await.then_some(node)
    }

    async fn primary_by(&self, sentinel: &Server, service: &str) -> RedisResult<Option<Server>> {
        let mut connection = self.dial.ask(sentinel).await?;
        let mut command = redis::cmd("SENTINEL");
        command.arg("get-master-addr-by-name").arg(service);
        Ok(read_primary(command.query_async(&mut connection).await?))
    }

    /// Asks one server after the other, beginning with another one each time: one that is cut off
    /// from the rest does not know that its map is old.
    async fn by_cluster(&self, map: &Map, seeds: &[Server], begin: usize) -> Result<Map, Fault> {
        let known = map.nodes.iter().map(|node| &node.server);
        let mut servers: Vec<&Server> = known.chain(seeds).collect();
        let begin = begin.checked_rem(servers.len()).unwrap_or(0);
        servers.rotate_left(begin);
        let mut fault = Fault::Unreached;
        for server in servers {
            let node = self.node(map, server.clone());
            let mut command = redis::cmd("CLUSTER");
            command.arg("SLOTS");
            match node.run(&command).await {
                Ok(slots) => {
                    let shares = read_slots(slots, server);
                    if !shares.is_empty() {
                        return Ok(self.map_of(map, &shares));
                    }
                }
                Err(other) => fault = other,
            }
        }
        Err(fault)
    }

    fn map_of(&self, old: &Map, shares: &[Share]) -> Map {
        let mut nodes: Vec<Arc<Node>> = Vec::new();
        let mut of = Vec::new();
        for partition in partitions() {
            let slot = slot_of(partition);
            let share = shares.iter().find(|share| (share.first..=share.last).contains(&slot));
            let index = share.map(|share| {
                let known = nodes.iter().position(|node| node.server == share.primary);
                known.unwrap_or_else(|| {
                    nodes.push(self.node(old, share.primary.clone()));
                    nodes.len() - 1
                })
            });
            of.push(index);
        }
        Map { nodes, of }
    }

    /// A server, with its connections if it is known.
    fn node(&self, map: &Map, server: Server) -> Arc<Node> {
        let known = map.nodes.iter().find(|node| node.server == server);
        known.map_or_else(|| Arc::new(Node::new(server, Arc::clone(&self.dial))), Arc::clone)
    }

    /// A server that a redirection names. It may have no slot yet, and its connection is kept.
    pub(super) fn asked(&self, server: Server) -> Arc<Node> {
        let mut map = self.locked();
        let node = self.node(&map, server);
        if !map.nodes.iter().any(|known| Arc::ptr_eq(known, &node)) {
            let mut nodes = map.nodes.clone();
            nodes.push(Arc::clone(&node));
            *map = Arc::new(Map { nodes, of: map.of.clone() });
        }
        node
    }

    fn locked(&self) -> MutexGuard<'_, Arc<Map>> {
        // Nothing under this lock can be left half done.
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection for news from a server.
    pub(super) async fn listen(
        &self,
        server: &Server,
        news: impl AsyncPushSender,
    ) -> RedisResult<MultiplexedConnection> {
        self.dial.listen(server, news).await
    }
}

/// Slots that one server has.
#[derive(Debug, PartialEq, Eq)]
struct Share {
    first: u16,
    last: u16,
    primary: Server,
}

async fn is_primary(node: &Node) -> bool {
    let role = node.run(&redis::cmd("ROLE")).await.ok().and_then(list);
    role.and_then(|parts| parts.into_iter().next()).and_then(text).as_deref() == Some("master")
}

/// Reads what a sentinel says of a primary.
pub(super) fn read_primary(value: Value) -> Option<Server> {
    let mut parts = list(value)?.into_iter();
    let (host, port) = (text(parts.next()?)?, text(parts.next()?)?);
    Some(Server { host, port: port.parse().ok()? })
}

/// Reads `CLUSTER SLOTS`: first and last slot, the primary, its replicas.
fn read_slots(value: Value, asked: &Server) -> Vec<Share> {
    let share = |value: Value| -> Option<Share> {
        let mut parts = list(value)?.into_iter();
        let mut slot = || number(parts.next()?).and_then(|slot| u16::try_from(slot).ok());
        let (first, last) = (slot()?, slot()?);
        let mut primary = list(parts.next()?)?.into_iter();
        // A server that does not know its own name means the one that was asked.
        let host = text(primary.next()?).filter(|host| !host.is_empty() && host != "?");
        let port = number(primary.next()?).and_then(|port| u16::try_from(port).ok())?;
        let place = host.map_or_else(|| Ok(asked.clone()), |host| named(&host, port));
        let primary = Server { port, ..place.ok()? };
        Some(Share { first, last, primary })
    };
    list(value).unwrap_or_default().into_iter().filter_map(share).collect()
}

fn named(host: &str, port: u16) -> Result<Server, super::address::AddressProblem> {
    match host.contains(':') {
        true => server(&format!("[{host}]"), port),
        false => server(host, port),
    }
}
