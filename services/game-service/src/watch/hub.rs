//! All watched tables of a process, and what wakes their watchers.
//!
//! **Invariant:** a channel lives as long as somebody watches. The store's wake-up is a doorbell:
//! what it announces is taken if it follows, and read from the log if it does not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use handfoot_engine::Viewer;
use handfoot_store::{History, LogEntry, Mark, TableId, Wakeup, Wakeups, Woken};
use tokio::time::sleep;

use super::channel::Channel;
use crate::error::{Answer, ApiError};
use crate::limits::CATCH_UP_STEPS;
use crate::table::{Fixed, Step, Table, is_linked};
use crate::tables::Tables;

/// All watched tables of a process.
#[derive(Debug, Default)]
pub(crate) struct Hub(Mutex<BTreeMap<TableId, Weak<Channel>>>);

/// A stream's place at a table.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) channel: Arc<Channel>,
    viewer: Viewer,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.channel.leave(self.viewer);
    }
}

impl Hub {
    /// Shows a step to whoever watches.
    pub(crate) fn publish(&self, fixed: &Arc<Fixed>, before: Mark, step: Step) {
        let channel = self.lock().get(&fixed.id).and_then(Weak::upgrade);
        if let Some(channel) = channel {
            channel.push(before, step);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TableId, Weak<Channel>>> {
        // No code under this lock leaves the map half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    /// A place at a table. What is committed from now on reaches its channel.
    pub(super) async fn enter(&self, table: &Table, viewer: Viewer) -> Answer<Place> {
        let channel = match self.watched(&table.fixed.id) {
            Some(channel) => channel,
            None => self.open_channel(table).await?,
        };
        channel.enter(viewer)?;
        Ok(Place { channel, viewer })
    }

    fn watched(&self, id: &TableId) -> Option<Arc<Channel>> {
        self.hub().lock().get(id).and_then(Weak::upgrade)
    }

    async fn open_channel(&self, table: &Table) -> Answer<Arc<Channel>> {
        let id = &table.fixed.id;
        let wakeups = self.store().watch(id).await?.ok_or(ApiError::TableNotFound)?;
        let mut channels = self.hub().lock();
        // Two may have begun at once: the first one stays.
        if let Some(channel) = channels.get(id).and_then(Weak::upgrade) {
            return Ok(channel);
        }
        channels.retain(|_, channel| channel.strong_count() > 0);
        let channel = Arc::new(Channel::new(Arc::clone(&table.fixed), table.mark));
        channels.insert(id.clone(), Arc::downgrade(&channel));
        drop(channels);
        let pump = tokio::spawn(pump(self.clone(), Arc::downgrade(&channel), wakeups));
        // Nobody else has the channel yet that could have set it.
        let _ = channel.pump.set(pump.abort_handle());
        Ok(channel)
    }

    /// Brings a channel to where the store says that its table stands. `shown` is the channel's
    /// head from before the store was asked, so that a store that is behind it has gone back.
    pub(super) async fn reconcile(&self, channel: &Channel, shown: Mark, now: Mark) -> Answer<()> {
        if has_gone_back(shown, now) {
            channel.restart(now);
        } else if now.version > shown.version {
            self.catch_up(channel, &Wakeup { version: now.version, entry: None }).await?;
        }
        Ok(())
    }

    /// Brings a channel up to date.
    async fn catch_up(&self, channel: &Channel, news: &Wakeup) -> Answer<()> {
        loop {
            let head = channel.head();
            let newest = news.entry.as_ref().filter(|entry| entry.version == news.version);
            if news.version <= head.version {
                return match newest {
                    Some(entry) => self.check_shown(channel, head, entry).await,
                    None => self.check_stands(channel, head).await,
                };
            }
            let entries = match newest.filter(|entry| entry.version == head.version.next()) {
                Some(entry) => vec![entry.clone()],
                None => match self.read_log(channel, head).await? {
                    Some(entries) => entries,
                    None => {
                        channel.skip_to(self.stands(channel).await?);
                        return Ok(());
                    }
                },
            };
            if entries.is_empty() || !self.push_all(channel, head, &entries).await? {
                return Ok(());
            }
        }
    }

    /// Begins a channel anew if what was shown, `head`, was lost with a server of the store. Mostly
    /// the bell is only late.
    async fn check_stands(&self, channel: &Channel, head: Mark) -> Answer<()> {
        let now = self.stands(channel).await?;
        // What was shown meanwhile is checked by whoever shows it.
        if has_gone_back(head, now) && channel.head() == head {
            channel.restart(now);
        }
        Ok(())
    }

    /// Begins a channel anew if an entry that is not new was not shown either. Mostly this process
    /// has made the commit itself.
    async fn check_shown(&self, channel: &Channel, head: Mark, entry: &LogEntry) -> Answer<()> {
        let shown = channel.chain_of(entry.version);
        if shown == Some(entry.chain) {
            return Ok(());
        }
        let now = self.stands(channel).await?;
        // What is too old to be kept may have been shown.
        if shown.is_some() || has_gone_back(head, now) {
            channel.restart(now);
        }
        Ok(())
    }

    /// Adds entries as far as each follows the one before; says whether all did.
    async fn push_all(&self, channel: &Channel, head: Mark, entries: &[LogEntry]) -> Answer<bool> {
        let mut before = head;
        for entry in entries {
            if !is_linked(&channel.fixed, before.chain, entry) {
                // Unless this process was quicker, what was shown was lost.
                if channel.head() == before {
                    channel.restart(self.stands(channel).await?);
                }
                return Ok(false);
            }
            let step = Step::of_entry(&channel.fixed, entry)?;
            let after = step.mark;
            channel.push(before, step);
            before = after;
        }
        Ok(true)
    }

    async fn read_log(&self, channel: &Channel, head: Mark) -> Answer<Option<Vec<LogEntry>>> {
        let (id, from) = (&channel.fixed.id, head.version.next());
        match self.store().history(id, from, CATCH_UP_STEPS).await? {
            History::Entries(entries) => Ok(Some(entries)),
            History::Gone { .. } => Ok(None),
            History::NotFound => Err(ApiError::TableNotFound),
        }
    }

    async fn stands(&self, channel: &Channel) -> Answer<Mark> {
        self.confirmed(&channel.fixed.id).await.map(|(table, _)| table.mark)
    }
}

/// Whether a table that stands here now is not the one that was shown before.
fn has_gone_back(shown: Mark, now: Mark) -> bool {
    now.version < shown.version || (now.version == shown.version && now.chain != shown.chain)
}

/// Brings a channel up to date whenever the store says that there is news.
async fn pump(tables: Tables, channel: Weak<Channel>, mut wakeups: Wakeups) {
    loop {
        let woken = wakeups.next().await;
        let Some(channel) = channel.upgrade() else { return };
        match woken {
            Woken::News(news) => {
                while let Err(error) = tables.catch_up(&channel, &news).await {
                    let table = &channel.fixed.id;
                    tracing::warn!(%table, ?error, "a watched table cannot be followed");
                    // What is damaged stays so: the cursors find it when they read.
                    let (ApiError::Unavailable { retry_after }
                    | ApiError::Unconfirmed { retry_after }) = error
                    else {
                        break;
                    };
                    sleep(retry_after).await;
                }
            }
            Woken::Ended => {
                channel.end();
                return;
            }
        }
    }
}
