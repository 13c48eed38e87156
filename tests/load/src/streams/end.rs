//! The end of a server with many streams on it.
//!
//! **Invariant:** tables are played at the same rate until the server has ended. A call that it has
//! taken is answered; one that it has not taken says so.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use handfoot_processes::{Process, Signal};
use handfoot_protocol::REASON_TRAILER;
use serde::Serialize;
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{interval, timeout};
use tonic::Code;

use super::Ending;
use crate::latency::Latencies;
use crate::service::ServiceTable;
use crate::trouble::Trouble;

/// How long a server may take to end: its drain, unless it is set otherwise.
const END_MAX: Duration = Duration::from_secs(25);

/// How long streams may take to end after it, whose last words may still be on their way.
const READ_MAX: Duration = Duration::from_secs(10);

/// How long tables are played before the server is told to end.
const BEFORE: Duration = Duration::from_millis(500);

/// How a server ended, and everything that was open on it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Drained {
    /// From SIGTERM to the end of the process.
    pub(crate) seconds: f64,
    /// None if it was killed.
    pub(crate) exit_code: Option<i32>,
    /// Streams that said when to open them again, and then ended.
    pub(crate) told: usize,
    /// Streams that just ended.
    pub(crate) untold: usize,
    /// Streams that were cut off.
    pub(crate) cut: usize,
    /// From SIGTERM until half, and until all of the streams had ended.
    pub(crate) half_told_ms: f64,
    pub(crate) all_told_ms: f64,
    /// Calls that were answered, before and after SIGTERM.
    pub(crate) calls_answered: usize,
    /// Calls that the server had not taken: it had ended its connections, or was gone.
    pub(crate) calls_not_taken: usize,
    /// Calls that were on their way when their connection ended; they can be sent again.
    pub(crate) calls_on_their_way: usize,
    /// Commits whose calls got no answer, if the store outlives the server.
    pub(crate) commits_unanswered: Option<u64>,
}

/// What came of calls.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    answered: usize,
    not_taken: usize,
    on_their_way: usize,
}

/// Ends a server while tables are played, and reads its streams to their ends.
///
/// # Errors
///
/// What the system says, or `Late` if it does not end; `Call` if a call fails as it should not.
pub(super) async fn drain(
    process: Process,
    tables: Vec<ServiceTable>,
    rate: u32,
    readers: &mut JoinSet<Ending>,
) -> Result<Drained, Trouble> {
    let playing = tokio::spawn(play(tables, rate));
    tokio::time::sleep(BEFORE).await;
    let ending = spawn_blocking(move || end(process));
    let ending = ending.await.map_err(|_| Trouble::wrong("a task panicked"))?;
    let (told_at, took, exit_code) = ending?;
    let calls = playing.await.map_err(|_| Trouble::wrong("a task panicked"))??;
    let mut latencies = Latencies::default();
    let (mut untold, mut cut) = (0, 0);
    let reading = async {
        while let Some(ending) = readers.join_next().await {
            match ending {
                Ok(Ending::Told { at }) => latencies.add(at.saturating_duration_since(told_at)),
                Ok(Ending::Untold) => untold += 1,
                Ok(Ending::Cut) | Err(_) => cut += 1,
            }
        }
    };
    // What does not even end is counted as cut.
    let _ = timeout(READ_MAX, reading).await;
    cut += readers.len();
    let [half_told_ms, all_told_ms] = [500, 1000].map(|part| latencies.within_us(part) / 1000.0);
    let seconds = took.as_secs_f64();
    let told = latencies.len();
    Ok(Drained {
        seconds,
        exit_code,
        told,
        untold,
        cut,
        half_told_ms,
        all_told_ms,
        calls_answered: calls.answered,
        calls_not_taken: calls.not_taken,
        calls_on_their_way: calls.on_their_way,
        commits_unanswered: None,
    })
}

/// Tells a process to end and waits for it: when it was told, how long it took, its code.
fn end(mut process: Process) -> Result<(Instant, Duration, Option<i32>), Trouble> {
    let told_at = Instant::now();
    process.signal(Signal::Terminate)?;
    let status = process.wait(END_MAX)?;
    Ok((told_at, told_at.elapsed(), status.code()))
}

/// Plays at tables in turn, at a rate, until the server takes no more calls.
async fn play(tables: Vec<ServiceTable>, rate: u32) -> Result<Calls, Trouble> {
    let mut pace = interval(Duration::from_secs(1) / rate.max(1));
    let (mut tables, mut under_way) = (VecDeque::from(tables), JoinSet::new());
    let mut calls = Calls::default();
    while calls.not_taken + calls.on_their_way == 0 {
        pace.tick().await;
        if let Some(mut table) = tables.pop_front() {
            under_way.spawn(async move { (table.act().await, table) });
        }
        while let Some(acted) = under_way.try_join_next() {
            tables.extend(calls.note(acted)?);
        }
    }
    while let Some(acted) = under_way.join_next().await {
        calls.note(acted)?;
    }
    Ok(calls)
}

/// What came of a call, and its table.
type Acted = Result<(Result<bool, Trouble>, ServiceTable), JoinError>;

impl Calls {
    /// Counts a call, and gives its table if there is more to play there.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the server says why, or does not")]
    fn note(&mut self, acted: Acted) -> Result<Option<ServiceTable>, Trouble> {
        match acted.map_err(|_| Trouble::wrong("a table's task panicked"))? {
            (Ok(is_played), table) => {
                self.answered += usize::from(is_played);
                Ok(is_played.then_some(table))
            }
            (Err(Trouble::Call { status, .. }), _) => {
                match status.code() {
                    // Cancelled is what the transport says of a call whose connection ended before
                    // it was sent.
                    Code::Unavailable | Code::Cancelled => self.not_taken += 1,
                    // What it says where it was sent differs with how far it came.
                    _ if !status.metadata().contains_key(REASON_TRAILER) => self.on_their_way += 1,
                    _ => return Err(Trouble::call("playing an action")(*status)),
                }
                Ok(None)
            }
            (Err(trouble), _) => Err(trouble),
        }
    }
}
