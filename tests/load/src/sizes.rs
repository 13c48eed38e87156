//! Sizes: of what is stored of a table, and of a stream on which nothing happens.
//!
//! **Invariant:** measured on the running service, never computed from types.

use std::sync::Arc;

use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_store::{Limits, SystemClock, open_with};
use serde::Serialize;

use crate::cli::Setting;
use crate::in_redis::{self, TableBytes};
use crate::running::Running;
use crate::script::Script;
use crate::service;
use crate::subject::Subject;
use crate::trouble::Trouble;

/// Bytes of stored snapshots.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Snapshots {
    /// Of half the tables at most so many.
    pub(crate) median: u64,
    /// Of no table more.
    pub(crate) largest: u64,
}

/// All sizes.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Sizes {
    /// Of what a store keeps of a table.
    pub(crate) snapshots: Snapshots,
    /// Of the server's memory for a stream on which nothing happens.
    pub(crate) idle_watcher: u64,
    /// Of all that Redis has of a table.
    pub(crate) in_redis: TableBytes,
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
        Ok(Sizes {
            snapshots: snapshots(setting, scripts, n_tables).await?,
            idle_watcher: idle_watcher_bytes(setting, n_streams).await?,
            in_redis: in_redis::table_bytes(setting, scripts, n_tables).await?,
        })
    }
}

/// Plays tables to different points of their games, ends the server and reads what it has stored.
///
/// # Errors
///
/// What the server or the store says.
async fn snapshots(
    setting: &Setting,
    scripts: &[Arc<Script>],
    n_tables: usize,
) -> Result<Snapshots, Trouble> {
    let mut running = Running::start(Subject::File, setting).await?;
    let mut ids = Vec::new();
    for (index, script) in scripts.iter().cycle().take(n_tables).enumerate() {
        let part = script.cut(script.acts.len() * (index + 1) / n_tables);
        let mut table = running.open_service(Arc::new(part)).await?;
        while table.act().await? {}
        ids.push(table.id().to_owned());
    }
    running.site.end_servers();
    let store = open_with(&running.site.store(), Arc::new(SystemClock), Limits::STANDARD);
    let store = store.map_err(|error| Trouble::wrong(error.to_string()))?;
    let mut sizes = Vec::new();
    for id in ids {
        let id = id.parse().map_err(|_| Trouble::wrong("a table's id is no name"))?;
        let loaded = store.load(&id).await.map_err(|error| Trouble::wrong(error.to_string()))?;
        let loaded = loaded.ok_or_else(|| Trouble::wrong("a table was lost"))?;
        sizes.push(loaded.snapshot.len() as u64);
    }
    sizes.sort_unstable();
    let at = |index: usize| sizes.get(index).copied().unwrap_or(0);
    Ok(Snapshots { median: at(sizes.len() / 2), largest: at(sizes.len().saturating_sub(1)) })
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
