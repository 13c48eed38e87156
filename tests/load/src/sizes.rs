//! Sizes: of what is stored of a table, and of a stream on which nothing happens.
//!
//! **Invariant:** measured on the running service, never computed from types.

use std::sync::Arc;

use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_store::{Loaded, TableStore};
use serde::Serialize;

use crate::cli::Setting;
use crate::running::Running;
use crate::script::Script;
use crate::service;
use crate::subject::Subject;
use crate::trouble::Trouble;

/// All sizes.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Sizes {
    /// Of what is stored of a table as its state.
    pub(crate) snapshots: Snapshots,
    /// Of all that Redis has of a table.
    pub(crate) in_redis: TableBytes,
    /// Of the server's memory for a stream on which nothing happens.
    pub(crate) idle_watcher: u64,
}

/// Bytes of stored snapshots.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Snapshots {
    /// Of half the tables at most so many.
    pub(crate) median: u64,
    /// Of no table more.
    pub(crate) largest: u64,
}

/// Bytes of tables in Redis.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct TableBytes {
    /// Of half the tables at most so many, log and all.
    pub(crate) median: u64,
    /// Of no table more, log and all.
    pub(crate) largest: u64,
    /// Of no table more, without its log.
    pub(crate) largest_without_log: u64,
    /// Of an entry of the logs, on the average.
    pub(crate) log_entry: u64,
}

impl Sizes {
    /// Measures them with so many tables, and so many streams.
    ///
    /// # Errors
    ///
    /// What a server or a store says.
    pub(crate) async fn measure(
        setting: &Setting,
        scripts: &[Arc<Script>],
        n_tables: usize,
        n_streams: usize,
    ) -> Result<Sizes, Trouble> {
        let played = Played::play(setting, scripts, n_tables).await?;
        Ok(Sizes {
            snapshots: played.snapshots().await?,
            in_redis: played.in_redis()?,
            idle_watcher: idle_watcher_bytes(setting, n_streams).await?,
        })
    }
}

/// Tables in Redis that were played to different points of their games.
struct Played {
    running: Running,
    ids: Vec<String>,
    n_entries: u64,
}

impl Played {
    async fn play(
        setting: &Setting,
        scripts: &[Arc<Script>],
        n_tables: usize,
    ) -> Result<Played, Trouble> {
        let mut running = Running::start(Subject::Redis, setting).await?;
        let (mut ids, mut n_entries) = (Vec::new(), 0);
        for (index, script) in scripts.iter().cycle().take(n_tables).enumerate() {
            let part = script.cut(script.acts.len() * (index + 1) / n_tables);
            n_entries += Script::first_version() + part.acts.len() as u64;
            let mut table = running.open_service(Arc::new(part)).await?;
            while table.act().await? {}
            ids.push(table.id().to_owned());
        }
        Ok(Played { running, ids, n_entries })
    }

    async fn snapshots(&self) -> Result<Snapshots, Trouble> {
        let store = self.running.site.open_store()?;
        let mut sizes = Vec::new();
        for id in &self.ids {
            sizes.push(load(store.as_ref(), id).await?.snapshot.len() as u64);
        }
        let (median, largest) = median_and_largest(sizes);
        Ok(Snapshots { median, largest })
    }

    fn in_redis(&self) -> Result<TableBytes, Trouble> {
        let primary = self.running.site.primary()?;
        let keys: Vec<String> = primary.ask("KEYS *")?;
        let (mut whole, mut log, mut largest_without_log) = (Vec::new(), 0, 0);
        for id in &self.ids {
            let (mut of_log, mut of_rest) = (0, 0);
            for key in keys.iter().filter(|key| key.ends_with(id)) {
                let bytes: u64 = primary.ask(&format!("MEMORY USAGE {key} SAMPLES 0"))?;
                match key.contains(":l:") {
                    true => of_log += bytes,
                    false => of_rest += bytes,
                }
            }
            whole.push(of_log + of_rest);
            log += of_log;
            largest_without_log = of_rest.max(largest_without_log);
        }
        let (median, largest) = median_and_largest(whole);
        let log_entry = log / self.n_entries.max(1);
        Ok(TableBytes { median, largest, largest_without_log, log_entry })
    }
}

/// A table as it is stored.
///
/// # Errors
///
/// `Wrong` if it is not there.
pub(crate) async fn load(store: &dyn TableStore, id: &str) -> Result<Loaded, Trouble> {
    let id = id.parse().map_err(|_| Trouble::wrong("a table's id is no name"))?;
    let loaded = store.load(&id).await;
    let loaded = loaded.map_err(|error| Trouble::wrong(error.to_string()))?;
    loaded.ok_or_else(|| Trouble::wrong("a table was lost"))
}

fn median_and_largest(mut sizes: Vec<u64>) -> (u64, u64) {
    sizes.sort_unstable();
    let at = |index: usize| sizes.get(index).copied().unwrap_or(0);
    (at(sizes.len() / 2), at(sizes.len().saturating_sub(1)))
}

/// Bytes of the server's memory for each stream on which nothing happens, with a stream for each
/// seat of a table.
///
/// # Errors
///
/// What the server says.
async fn idle_watcher_bytes(setting: &Setting, n_streams: usize) -> Result<u64, Trouble> {
    let mut running = Running::start(Subject::Memory, setting).await?;
    let mut seats = Vec::new();
    while seats.len() < n_streams {
        let place = running.place();
        let opened = running.seat_all(&place, setting.seed).await?;
        let channel = place.channel()?;
        seats.extend(opened.tokens.into_iter().map(|token| (channel.clone(), token)));
    }
    let server = running.site.servers.first();
    let server = &server.ok_or_else(|| Trouble::wrong("there is no server"))?.process;
    let before = server.memory_bytes()?;
    let mut streams = Vec::new();
    for (channel, token) in seats {
        streams.push(service::watch(&mut PlayServiceClient::new(channel), &token).await?);
    }
    let after = server.memory_bytes()?;
    Ok(after.saturating_sub(before) / streams.len().max(1) as u64)
}
