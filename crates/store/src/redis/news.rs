//! What is heard from other processes: commits of watched tables, and work for bots.
//!
//! **Invariant:** a doorbell may be missed, come twice or late. What is watched is looked at every
//! two seconds, more seldom if it is more than four thousand tables, and whenever a subscription
//! begins, so that nobody waits for ever; what a failover took back is told too.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{join_all, select_all};
use futures_util::{StreamExt, stream};
use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::{PushInfo, PushKind};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

use super::address::Server;
use super::keys::Keys;
use super::limits::{LOOKS_PER_SECOND, PUSHES_MAX, TELLS_AT_ONCE, WATCHED_LOOK_EVERY};
use super::link::Lasting;
use super::reply::{bytes, text};
use super::routes::Map;
use super::tables::read_news;
use super::tags::{of_tag, partitions};
use super::{Inner, lock};
use crate::{Chain, Confirmed, History, Mark, Millis, TableId, Version};

/// What the listener is told, and whom it tells.
#[derive(Debug, Default)]
pub(super) struct News {
    /// There is something new to listen to.
    rings: Notify,
    /// What is to be looked at anew.
    wanted: Mutex<Wanted>,
    /// There may be work.
    work: Notify,
    /// Somebody asks for work here.
    wants_work: AtomicBool,
    is_ended: AtomicBool,
}

/// What a listener has to see to.
#[derive(Debug)]
enum Wanted {
    /// These tables are watched that may not have been before.
    These(Vec<TableId>),
    /// Everything.
    All,
}

impl Default for Wanted {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

impl News {
    /// A table is watched that may not have been before.
    pub(super) fn begins(&self, table: &TableId) {
        match &mut *lock(&self.wanted) {
            Wanted::These(tables) => tables.push(table.clone()),
            Wanted::All => {}
        }
        self.rings.notify_one();
    }

    /// Something may be listened to in the wrong place.
    fn look_around(&self) {
        *lock(&self.wanted) = Wanted::All;
        self.rings.notify_one();
    }

    /// Somebody asks for work here.
    pub(super) fn wants_work(&self) {
        if !self.wants_work.swap(true, Ordering::Relaxed) {
            self.look_around();
        }
    }

    /// Waits until there may be work.
    pub(super) async fn work(&self) {
        self.wants_work();
        // First the ear, then the question: an end in between is heard.
        let mut told = std::pin::pin!(self.work.notified());
        told.as_mut().enable();
        if !self.is_ended.load(Ordering::Relaxed) {
            told.await;
        }
    }

    /// Ends whoever waits.
    pub(super) fn end(&self) {
        self.is_ended.store(true, Ordering::Relaxed);
        self.work.notify_waiters();
    }
}

/// A connection that is listened on.
struct Ear {
    connection: MultiplexedConnection,
    pushes: mpsc::Receiver<PushInfo>,
    channels: BTreeSet<String>,
    /// Channels that nobody needs any more.
    unwanted: BTreeSet<String>,
}

/// Channels by server.
type Channels = BTreeMap<Server, BTreeSet<String>>;

/// Everything that is listened to.
struct Ears {
    inner: Arc<Inner>,
    of: BTreeMap<Server, Ear>,
}

/// Listens and looks, for ever.
pub(super) async fn listen(inner: Arc<Inner>) {
    tokio::join!(hear_for_ever(Arc::clone(&inner)), look_for_ever(&inner));
}

async fn hear_for_ever(inner: Arc<Inner>) {
    let mut ears = Ears { inner: Arc::clone(&inner), of: BTreeMap::new() };
    let mut tick = every(WATCHED_LOOK_EVERY);
    loop {
        tokio::select! {
            _ = tick.tick() => {
                ears.ask_all().await;
                ears.look_around().await;
            }
            () = inner.news.rings.notified() => ears.see_to_it().await,
            () = ears.hear() => {}
        }
    }
}

/// What a bell did not say is found here.
async fn look_for_ever(inner: &Inner) {
    loop {
        let watched = inner.bells.watched();
        inner.look_at(&watched).await;
        sleep(pause_after(watched.len())).await;
    }
}

/// How long to wait after so many tables were looked at.
fn pause_after(watched: usize) -> Duration {
    let watched = u32::try_from(watched).unwrap_or(u32::MAX);
    WATCHED_LOOK_EVERY.max(Duration::from_secs(1) * watched / LOOKS_PER_SECOND)
}

/// Sends pushes on while there is room. One that finds none ends the sending, so that whoever hears
/// them begins anew with a look at everything, and a reader that is too slow costs no memory.
fn while_there_is_room(sender: mpsc::Sender<PushInfo>) -> impl AsyncPushSender {
    let sender = Mutex::new(Some(sender));
    move |push: PushInfo| {
        let mut sender = lock(&sender);
        let is_sent = sender.as_ref().is_some_and(|sender| sender.try_send(push).is_ok());
        if !is_sent {
            *sender = None;
        }
        is_sent.then_some(()).ok_or(())
    }
}

fn every(period: Duration) -> Interval {
    let mut tick = interval(period);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tick
}

impl Ears {
    /// Hears what was pushed, on all connections, until one is lost.
    async fn hear(&mut self) {
        let inner = &self.inner;
        let hears = self.of.iter_mut().map(|(server, ear)| {
            Box::pin(async move {
                loop {
                    match ear.pushes.recv().await {
                        Some(push) if push.kind == PushKind::SUnsubscribe => {
                            if ear.is_deaf_to(push) {
                                inner.news.look_around();
                            }
                        }
                        Some(push) if push.kind != PushKind::Disconnection => inner.heard(push),
                        Some(_) | None => return server.clone(),
                    }
                }
            })
        });
        let hears: Vec<_> = hears.collect();
        if hears.is_empty() {
            return std::future::pending().await;
        }
        let (lost, _, _) = select_all(hears).await;
        self.of.remove(&lost);
        tracing::warn!(server = %lost, "news from Redis are interrupted");
        inner.news.look_around();
    }

    /// Asks all servers whether they are there still: of a line that died without a word nobody is
    /// told.
    async fn ask_all(&mut self) {
        let asks = self.of.iter().map(|(server, ear)| {
            let mut connection = ear.connection.clone();
            async move { (server.clone(), redis::cmd("PING").exec_async(&mut connection).await) }
        });
        for (server, answered) in join_all(asks.collect::<Vec<_>>()).await {
            if let Err(error) = answered {
                super::node::log_unreached(&server, &error);
                self.of.remove(&server);
            }
        }
    }

    /// Does what was asked for since.
    async fn see_to_it(&mut self) {
        let wanted = mem::take(&mut *lock(&self.inner.news.wanted));
        match wanted {
            Wanted::These(tables) => self.listen_also(tables).await,
            Wanted::All => self.look_around().await,
        }
    }

    /// Listens to what is watched now, and to nothing else.
    async fn look_around(&mut self) {
        let Ok(map) = self.inner.link.routes().some_map().await else { return };
        let mut wanted = self.channels_of(&map, self.inner.bells.watched());
        if self.inner.news.wants_work.load(Ordering::Relaxed) {
            self.add_work(&map, &mut wanted);
        }
        self.of.retain(|server, ear| {
            let wanted = wanted.get(server);
            ear.unwanted = wanted.map_or_else(BTreeSet::new, |wanted| &ear.channels - wanted);
            wanted.is_some()
        });
        self.listen_to(&map, wanted).await;
    }

    /// Listens to these tables as well.
    async fn listen_also(&mut self, tables: Vec<TableId>) {
        let Ok(map) = self.inner.link.routes().some_map().await else { return };
        let wanted = self.channels_of(&map, tables);
        self.listen_to(&map, wanted).await;
    }

    /// Listens to channels, and looks at what was not listened to before.
    async fn listen_to(&mut self, map: &Arc<Map>, wanted: Channels) {
        let link = Arc::clone(&self.inner.link);
        let (mut begun, mut is_map_old) = (Vec::new(), false);
        for (server, channels) in wanted {
            if !self.of.contains_key(&server) {
                let (sender, pushes) = mpsc::channel(PUSHES_MAX);
                match link.routes().listen(&server, while_there_is_room(sender)).await {
                    Ok(connection) => {
                        let ear = Ear::new(connection, pushes);
                        self.of.insert(server.clone(), ear);
                    }
                    // The next tick tries again; until then the looks do.
                    Err(error) => {
                        super::node::log_unreached(&server, &error);
                        continue;
                    }
                }
            }
            let Some(ear) = self.of.get_mut(&server) else { continue };
            match ear.tune(channels).await {
                Ok(new) => begun.extend(new),
                Err(error) => {
                    super::node::log_unreached(&server, &error);
                    self.of.remove(&server);
                    is_map_old = true;
                }
            }
        }
        if is_map_old {
            // Where it fails, the next tick tries again.
            let _ = link.routes().renew(map).await;
        }
        let tables: Vec<TableId> =
            begun.iter().filter_map(|channel| Keys::table_of_channel(channel)).collect();
        self.inner.look_at(&tables).await;
    }

    /// The channels of tables.
    fn channels_of(&self, map: &Map, tables: Vec<TableId>) -> Channels {
        let mut channels = Channels::new();
        for table in tables {
            let keys = Keys::of_table(self.inner.link.prefix(), &table);
            if let Some(node) = map.node(keys.partition) {
                channels.entry(node.server.clone()).or_default().insert(keys.news(&table));
            }
        }
        channels
    }

    /// Adds those of work.
    fn add_work(&self, map: &Map, channels: &mut Channels) {
        for partition in partitions() {
            let keys = Keys::of(self.inner.link.prefix(), partition);
            if let (Some(node), Some(keys)) = (map.node(partition), keys) {
                channels.entry(node.server.clone()).or_default().insert(keys.work());
            }
        }
    }
}

impl Ear {
    const fn new(connection: MultiplexedConnection, pushes: mpsc::Receiver<PushInfo>) -> Self {
        Self { connection, pushes, channels: BTreeSet::new(), unwanted: BTreeSet::new() }
    }

    /// Listens to these channels as well, and no more to what is not wanted; gives those that are
    /// new.
    async fn tune(&mut self, channels: BTreeSet<String>) -> redis::RedisResult<Vec<String>> {
        let new: Vec<String> = channels.difference(&self.channels).cloned().collect();
        let old: Vec<String> = mem::take(&mut self.unwanted).into_iter().collect();
        self.send("SSUBSCRIBE", &new).await?;
        self.send("SUNSUBSCRIBE", &old).await?;
        self.channels.extend(new.iter().cloned());
        self.channels.retain(|channel| old.binary_search(channel).is_err());
        Ok(new)
    }

    async fn send(&self, name: &str, channels: &[String]) -> redis::RedisResult<()> {
        // A cluster takes channels of one slot at a time.
        let mut by_tag: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for channel in channels {
            by_tag.entry(Keys::tag_of_channel(channel)).or_default().push(channel);
        }
        let sends = by_tag.into_values().map(|channels| {
            let mut command = redis::cmd(name);
            command.arg(channels);
            let mut connection = self.connection.clone();
            async move { command.exec_async(&mut connection).await }
        });
        join_all(sends).await.into_iter().collect()
    }

    /// Whether a channel is not heard any more that should be: its slot has left the server.
    fn is_deaf_to(&mut self, push: PushInfo) -> bool {
        let channel = push.data.into_iter().next().and_then(text);
        channel.is_some_and(|channel| self.channels.remove(&channel))
    }
}

impl Inner {
    /// Something was pushed.
    fn heard(&self, push: PushInfo) {
        if push.kind != PushKind::SMessage {
            return;
        }
        let mut parts = push.data.into_iter();
        let (channel, message) = (parts.next().and_then(text), parts.next().and_then(bytes));
        let (Some(channel), Some(message)) = (channel, message) else { return };
        if Keys::is_work_channel(&channel) {
            let at = std::str::from_utf8(&message).ok().and_then(|text| text.parse().ok());
            if let (Some(at), Some(partition)) = (at, of_tag(Keys::tag_of_channel(&channel))) {
                self.board.may_be_due(partition, Millis(at));
            }
            self.news.work.notify_waiters();
            return;
        }
        let Some(table) = Keys::table_of_channel(&channel) else { return };
        match read_news(&table, &message) {
            Some(entry) => self.bells.tell(&table, entry.version, Some(&entry)),
            // Nothing is said of a table that is deleted.
            None if message.is_empty() => self.bells.end(&table),
            None => self.news.look_around(),
        }
    }

    /// Tells the watchers of a table of its newest commit, with what the log has of it.
    async fn tell_of(&self, table: &TableId, stands: Mark) {
        let newest = self.history(table, stands.version, 1).await;
        let entry = match newest {
            Ok(History::Entries(entries)) => entries.into_iter().next(),
            // A damaged log is found by whoever reads it.
            Ok(History::Gone { .. } | History::NotFound) | Err(_) => None,
        };
        self.bells.tell(table, stands.version, entry.as_ref());
    }

    /// Looks where watched tables stand, and tells their watchers.
    async fn look_at(&self, tables: &[TableId]) {
        if tables.is_empty() {
            return;
        }
        let known: Vec<Option<Version>> =
            tables.iter().map(|table| self.bells.known(table)).collect();
        // A store that is away is looked at again.
        let Ok(heads) = self.heads(tables, &["v", "c"], Lasting::AsPromised).await else { return };
        let mut newer = Vec::new();
        for ((table, known), head) in tables.iter().zip(known).zip(heads) {
            let stands = head.and_then(|mut head| {
                let version = Version(head.number()?);
                Some(Mark { version, chain: Chain(head.sixteen()?) })
            });
            match stands {
                Some(stands) if Some(stands.version) > known => newer.push((table.clone(), stands)),
                Some(stands) => self.bells.correct(table, known, stands),
                None => {
                    if self.look(table, None).await == Ok(Confirmed::NotFound) {
                        self.bells.end(table);
                    }
                }
            }
        }
        let tells = newer.into_iter().map(|(table, stands): (TableId, Mark)| async move {
            self.tell_of(&table, stands).await;
        });
        stream::iter(tells).buffer_unordered(TELLS_AT_ONCE).collect::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn too_many_pushes_end_a_subscription_and_are_not_kept() {
        let push = || PushInfo { kind: PushKind::SMessage, data: Vec::new() };
        let (sender, mut pushes) = mpsc::channel(2);
        let told = while_there_is_room(sender);
        assert!(told.send(push()).is_ok() && told.send(push()).is_ok());
        assert!(told.send(push()).is_err());
        assert!(pushes.recv().await.is_some() && pushes.recv().await.is_some());
        assert!(told.send(push()).is_err(), "there is room, and something was missed");
        assert!(pushes.recv().await.is_none(), "whoever hears this begins anew");
    }

    #[test]
    fn very_many_tables_are_looked_at_more_seldom() {
        assert_eq!(pause_after(0), WATCHED_LOOK_EVERY);
        assert_eq!(pause_after(4_000), WATCHED_LOOK_EVERY);
        assert_eq!(pause_after(40_000), Duration::from_secs(20));
    }
}
