//! Playing many tables at once: as fast as they answer, or at a rate.
//!
//! **Invariant:** a table has one action in flight at a time. At a rate, a call's time begins when
//! it was due, so that a slow server cannot hide behind a client that waits for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::latency::Latencies;
use crate::table::Table;
use crate::trouble::Trouble;

/// What playing gave.
#[derive(Debug)]
pub(crate) struct Driven {
    pub(crate) latencies: Latencies,
    /// Until the last answer, and the last item of a stream.
    pub(crate) elapsed: Duration,
    /// Commits that watchers saw; none if games were broken off, so that they could not see all.
    pub(crate) n_seen: Option<u64>,
}

/// How tables are played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Load {
    /// So many actions in flight, one a table.
    InFlight(usize),
    /// So many actions a second, and so many in all.
    Rate {
        /// A second.
        rate: f64,
        /// In all.
        n_actions: u32,
    },
}

/// How often actions come due at a rate. A thread that wakes for each of them takes a third of a
/// core from those that are measured.
const TICK: Duration = Duration::from_micros(250);

/// Plays tables.
///
/// # Errors
///
/// The first trouble of a table.
pub(crate) async fn drive(tables: Vec<Table>, load: Load) -> Result<Driven, Trouble> {
    let started = Instant::now();
    let (latencies, n_seen) = match load {
        Load::InFlight(slots) => {
            let (latencies, tables) = as_fast_as_it_goes(tables, slots).await?;
            let mut n_seen = 0;
            for mut table in tables {
                n_seen += table.seen().await?;
            }
            (latencies, Some(n_seen))
        }
        Load::Rate { rate, n_actions } => (at_a_rate(tables, rate, n_actions).await?.0, None),
    };
    Ok(Driven { latencies, elapsed: started.elapsed(), n_seen })
}

/// How long calls took, and the tables that were played.
type Played = Result<(Latencies, Vec<Table>), Trouble>;

async fn as_fast_as_it_goes(tables: Vec<Table>, slots: usize) -> Played {
    let waiting = Arc::new(Mutex::new(tables));
    let mut playing = JoinSet::new();
    for _ in 0..slots {
        let waiting = Arc::clone(&waiting);
        playing.spawn(async move {
            let (mut latencies, mut done) = (Latencies::default(), Vec::new());
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let Some(mut table) = next else { return Ok((latencies, done)) };
                let mut began = Instant::now();
                while table.act().await? {
                    let now = Instant::now();
                    latencies.add(now - began);
                    began = now;
                }
                done.push(table);
            }
        });
    }
    joined(playing).await
}

async fn at_a_rate(tables: Vec<Table>, rate: f64, n_actions: u32) -> Played {
    let (due, dues) = mpsc::unbounded_channel();
    let dues = Arc::new(tokio::sync::Mutex::new(dues));
    let mut playing = JoinSet::new();
    for mut table in tables {
        let dues = Arc::clone(&dues);
        playing.spawn(async move {
            let mut latencies = Latencies::default();
            loop {
                // Whoever has waited longest takes what is due next.
                let next: Option<Instant> = dues.lock().await.recv().await;
                let Some(due) = next else { return Ok((latencies, vec![table])) };
                if !table.act().await? {
                    return Err(Trouble::wrong("a table had no action left"));
                }
                latencies.add(due.elapsed());
            }
        });
    }
    // A thread of its own: the timers of the runtime are a millisecond apart.
    thread::spawn(move || pace(rate, n_actions, &due));
    joined(playing).await
}

/// Says when actions are due: at each tick those that the rate has brought since.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut off at the most")]
fn pace(rate: f64, n_actions: u32, due: &mpsc::UnboundedSender<Instant>) {
    let start = Instant::now();
    let mut n_due = 0;
    for tick in 1.. {
        let since = TICK * tick;
        let at = start + since;
        while let Some(left) = at.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()) {
            thread::park_timeout(left);
        }
        let n_brought = (rate * since.as_secs_f64()).min(f64::from(n_actions)) as u32;
        for _ in n_due..n_brought {
            if due.send(at).is_err() {
                // The tables have failed, and say why.
                return;
            }
        }
        n_due = n_brought;
        if n_due == n_actions {
            return;
        }
    }
}

async fn joined(mut playing: JoinSet<Played>) -> Played {
    let (mut all, mut tables) = (Latencies::default(), Vec::new());
    while let Some(played) = playing.join_next().await {
        let (latencies, done) = played.map_err(|_| Trouble::wrong("a table's task panicked"))??;
        all.extend(&latencies);
        tables.extend(done);
    }
    Ok((all, tables))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_comes_due_once_and_at_its_rate() {
        let (due, mut dues) = mpsc::unbounded_channel();
        // A little more than two and a half at each tick.
        pace(10_001.0, 101, &due);
        drop(due);
        let mut at = Vec::new();
        while let Some(due) = dues.blocking_recv() {
            at.push(due);
        }
        assert_eq!(at.len(), 101);
        // Two have come by the first tick, five by the second.
        let ticks = at.iter().map(|due| 1 + (*due - at[0]).as_micros() / TICK.as_micros());
        assert!(ticks.eq((1..=101).map(|number: u128| (number * 2).div_ceil(5))));
    }
}
