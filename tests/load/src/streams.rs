//! Many streams on one server: what each costs, how soon all are told, and how they end.
//!
//! **Invariant:** every stream is read by a task of its own until the server has ended it. Tables
//! are played while the server ends, so that it ends under load.

mod end;
mod report;

use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use handfoot_processes::raise_open_files;
use handfoot_protocol::v1;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout};
use v1::watch_table_response::Item;

use self::end::{Drained, drain};
use self::report::Report;
use crate::cli::{Setting, StreamsArgs, Telemetry};
use crate::latency::Latencies;
use crate::out::progress;
use crate::plan;
use crate::running::Running;
use crate::script::{SEATS, Script};
use crate::service::{Items, ServiceTable};
use crate::sizes::load;
use crate::subject::Subject;
use crate::trouble::Trouble;

/// Tables whose streams are opened at once.
const WATCHED_AT_ONCE: usize = 16;

/// How long it may take until every stream has brought what was played.
const DELIVERED_MAX: Duration = Duration::from_secs(60);

/// How many streams there are, and how they are used.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Crowd {
    /// Connections that they share.
    pub(crate) connections: u16,
    /// Tables of a connection, with a stream for each seat.
    pub(crate) tables_per_connection: u16,
    /// Actions a second.
    pub(crate) rate: u32,
}

/// What streams of a server cost, and how they ended.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) subject: &'static str,
    pub(crate) streams: usize,
    pub(crate) memory: Memory,
    pub(crate) delivery: Delivery,
    pub(crate) drain: Drained,
}

/// Bytes of the server's memory.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Memory {
    /// Before it was called.
    pub(crate) idle_server: u64,
    /// With all tables, and no stream.
    pub(crate) with_tables: u64,
    /// With all streams.
    pub(crate) with_streams: u64,
    /// After each had brought two commits.
    pub(crate) after_delivery: u64,
    /// What a stream on which nothing has happened takes.
    pub(crate) per_stream: u64,
}

/// How long a commit took from the call that made it to each stream of its table.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Delivery {
    /// Streams that brought it.
    pub(crate) streams: usize,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) slowest_us: f64,
}

/// A commit that a stream has brought.
#[derive(Clone, Copy, Debug)]
struct Heard {
    table: usize,
    version: u64,
    at: Instant,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// It said that the server ends and when to open it again, and then ended.
    Told {
        /// When it had ended.
        at: Instant,
    },
    /// It ended and had not said so.
    Untold,
    /// It was cut off.
    Cut,
}

impl Crowd {
    /// Streams in all.
    pub(crate) fn streams(&self) -> usize {
        SEATS * self.tables()
    }

    fn tables(&self) -> usize {
        usize::from(self.connections) * usize::from(self.tables_per_connection)
    }
}

/// Measures every subject and prints what came of it.
///
/// # Errors
///
/// What went wrong first; `Wrong` if streams did not end as they should.
pub(crate) async fn streams(args: &StreamsArgs) -> Result<(), Trouble> {
    let StreamsArgs { workers, seed, connections, tables_per_connection, rate, .. } = *args;
    let crowd = Crowd { connections, tables_per_connection, rate };
    let mut all = Vec::new();
    for &subject in &args.subjects {
        let measured = measure(subject, workers, seed, crowd).await?;
        progress(&format!("{subject}: {} streams have ended", measured.streams));
        all.push(measured);
    }
    let report = Report { crowd, all: &all };
    match args.json {
        true => report.json()?,
        false => report.text()?,
    }
    all.iter().try_for_each(Measured::check)
}

/// Opens streams on a new server, plays at all their tables, and ends the server.
///
/// # Errors
///
/// What went wrong first.
pub(crate) async fn measure(
    subject: Subject,
    workers: u16,
    seed: u64,
    crowd: Crowd,
) -> Result<Measured, Trouble> {
    raise_open_files()?;
    let Crowd { connections, .. } = crowd;
    let telemetry = Telemetry::Off;
    let setting =
        Setting { workers, connections, seed, actions: 16, without_credential: false, telemetry };
    let scripts = plan::scripts(&setting)?;
    let mut running = Running::start(subject, &setting).await?;
    let idle_server = memory(&running)?;
    let mut tables = running.open_services(&scripts, crowd.tables()).await?;
    progress(&format!("{subject}: {} tables are open", tables.len()));
    let with_tables = memory(&running)?;
    let (heard, mut told) = mpsc::unbounded_channel();
    let mut readers = open_streams(&mut tables, &heard).await?;
    progress(&format!("{subject}: {} streams are open", readers.len()));
    let with_streams = memory(&running)?;
    // Who came is told to all who are there. When each has brought one commit, all that is over.
    let first = Script::first_version() + 1;
    let (tables, _) = deliver(tables, crowd, first, &mut told).await?;
    let (tables, delivery) = deliver(tables, crowd, first + 1, &mut told).await?;
    let after_delivery = memory(&running)?;
    let per_stream = with_streams.saturating_sub(with_tables) / readers.len().max(1) as u64;
    let memory = Memory { idle_server, with_tables, with_streams, after_delivery, per_stream };
    progress(&format!("{subject}: ending the server"));
    let server = running.site.servers.pop().ok_or_else(|| Trouble::wrong("there is no server"))?;
    let ids: Vec<String> = tables.iter().map(|table| table.id().to_owned()).collect();
    let mut drain = drain(server.process, tables, crowd.rate, &mut readers).await?;
    if running.site.primary().is_ok() {
        let before = ids.len() as u64 * (first + 1);
        let commits = versions(&running, &ids).await?.saturating_sub(before);
        drain.commits_unanswered = Some(commits.saturating_sub(drain.calls_answered as u64));
    }
    let (subject, streams) = (subject.name(), crowd.streams());
    Ok(Measured { subject, streams, memory, delivery, drain })
}

/// The versions at which tables stand in the store, added up.
async fn versions(running: &Running, ids: &[String]) -> Result<u64, Trouble> {
    let store = running.site.open_store()?;
    let mut sum = 0;
    for id in ids {
        sum += load(store.as_ref(), id).await?.mark.version.0;
    }
    Ok(sum)
}

fn memory(running: &Running) -> Result<u64, Trouble> {
    let server = running.site.servers.first();
    Ok(server.ok_or_else(|| Trouble::wrong("there is no server"))?.process.memory_bytes()?)
}

/// Opens a stream for each seat of each table, and reads it from then on.
async fn open_streams(
    tables: &mut [ServiceTable],
    heard: &mpsc::UnboundedSender<Heard>,
) -> Result<JoinSet<Ending>, Trouble> {
    let opening = tables
        .iter_mut()
        .enumerate()
        .map(|(index, table)| async move { Ok::<_, Trouble>((index, table.streams().await?)) });
    let mut opening = stream::iter(opening).buffered(WATCHED_AT_ONCE);
    let mut readers = JoinSet::new();
    while let Some((index, streams)) = opening.try_next().await? {
        for items in streams {
            readers.spawn(read(items, index, heard.clone()));
        }
    }
    Ok(readers)
}

/// Reads a stream to its end; each commit must follow the one before.
async fn read(mut items: Items, table: usize, heard: mpsc::UnboundedSender<Heard>) -> Ending {
    let (mut last, mut is_told) = (Script::first_version(), false);
    loop {
        let item = match items.message().await {
            Ok(Some(item)) => item.item,
            Ok(None) if is_told => return Ending::Told { at: Instant::now() },
            Ok(None) => return Ending::Untold,
            Err(_) => return Ending::Cut,
        };
        match item {
            Some(Item::Commit(commit)) => {
                let version = commit.stamp.map_or(0, |stamp| stamp.version);
                if version != last + 1 {
                    return Ending::Cut;
                }
                last = version;
                // Nobody counts any more when the server ends.
                let _ = heard.send(Heard { table, version, at: Instant::now() });
            }
            Some(Item::Rotate(rotate)) => {
                is_told = rotate.cause() == v1::RotateCause::Draining && rotate.reopen_after_ms > 0;
            }
            Some(Item::Presence(_) | Item::Heartbeat(_) | Item::Snapshot(_)) | None => {}
        }
    }
}

/// Plays an action at every table, which makes its version, and waits until every stream has
/// brought it.
async fn deliver(
    tables: Vec<ServiceTable>,
    crowd: Crowd,
    version: u64,
    told: &mut mpsc::UnboundedReceiver<Heard>,
) -> Result<(Vec<ServiceTable>, Delivery), Trouble> {
    let start = tokio::time::Instant::now();
    let mut playing = JoinSet::new();
    for (index, mut table) in (0_u32..).zip(tables) {
        let due = start + Duration::from_secs(1) * index / crowd.rate.max(1);
        playing.spawn(async move {
            sleep_until(due).await;
            let sent = Instant::now();
            table.act().await.map(|_| (index as usize, sent, table))
        });
    }
    let mut played = Vec::new();
    while let Some(act) = playing.join_next().await {
        played.push(act.map_err(|_| Trouble::wrong("a table's task panicked"))??);
    }
    played.sort_by_key(|(index, ..)| *index);
    let mut latencies = Latencies::default();
    let counting = async {
        while latencies.len() < crowd.streams() {
            let Some(heard) = told.recv().await else { return };
            if heard.version == version {
                latencies.add(heard.at.saturating_duration_since(played[heard.table].1));
            }
        }
    };
    let all = timeout(DELIVERED_MAX, counting).await;
    let streams = latencies.len();
    if all.is_err() || streams < crowd.streams() {
        return Err(Trouble::wrong(format!("{streams} streams brought what was played")));
    }
    let [p50_us, p99_us, slowest_us] = [500, 990, 1000].map(|part| latencies.within_us(part));
    let tables = played.into_iter().map(|(.., table)| table).collect();
    Ok((tables, Delivery { streams, p50_us, p99_us, slowest_us }))
}
