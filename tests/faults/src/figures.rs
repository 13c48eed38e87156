//! Figures of a scenario: how fast games went on, and how long they did not.
//!
//! **Invariant:** printed and never judged: they are of the machine as much as of the service.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::ledger::Notes;

/// For how long before and after a fault commits are counted.
const WINDOW: Duration = Duration::from_secs(3);

/// What was measured. Times in milliseconds, rates in commits a second.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Figures {
    pub(crate) tables: usize,
    pub(crate) commits: usize,
    /// In the three seconds before the first fault.
    pub(crate) before_per_s: f64,
    /// In the three seconds after every table had moved on.
    pub(crate) after_per_s: f64,
    /// From the first fault to the next commit of any table.
    pub(crate) first_commit_ms: u64,
    /// From the first fault to the next commit of the last table.
    pub(crate) every_table_ms: u64,
    /// The longest time without a commit of a table, after the first fault.
    pub(crate) longest_pause_ms: u64,
    /// Calls that failed after all that the client does about it.
    pub(crate) failed_calls: usize,
    /// From when the first of them began to when the last of them ended.
    pub(crate) failing_ms: u64,
    /// The longest call that was answered.
    pub(crate) slowest_call_ms: u64,
    /// Calls that the client has sent again by itself.
    pub(crate) repeated_calls: u64,
    /// Decisions that were answered as played before.
    pub(crate) replayed: u64,
    /// Decisions that came too late.
    pub(crate) stale: u64,
    /// Commits that were acknowledged and are not there.
    pub(crate) lost: usize,
    /// What else a scenario counts.
    pub(crate) counts: BTreeMap<&'static str, u64>,
}

/// Computes figures from notes of all tables and the moment of the first fault.
pub(crate) fn figures<'a>(
    notes: &(impl Iterator<Item = &'a Notes> + Clone),
    began: Instant,
    struck: Instant,
) -> Figures {
    let mut figures = Figures::default();
    let mut moved_on: Vec<Instant> = Vec::new();
    let (mut failing, mut pause) = (None::<(Instant, Instant)>, Duration::ZERO);
    for notes in notes.clone() {
        figures.tables += 1;
        figures.commits += notes.heard.len();
        figures.failed_calls += notes.failures.len();
        figures.replayed += notes.n_replayed;
        figures.stale += notes.n_stale;
        figures.slowest_call_ms = figures.slowest_call_ms.max(millis(notes.slowest));
        for failure in &notes.failures {
            let (from, to) = failing.unwrap_or((failure.began, failure.ended));
            failing = Some((from.min(failure.began), to.max(failure.ended)));
        }
        let mut heard: Vec<Instant> = notes.heard.values().copied().collect();
        heard.sort_unstable();
        moved_on.extend(heard.iter().find(|&&at| at > struck));
        let pauses = heard.windows(2).filter(|pair| pair[1] > struck);
        pause = pauses.map(|pair| pair[1] - pair[0]).max().unwrap_or_default().max(pause);
    }
    let since = |moment: Option<&Instant>| moment.map_or(0, |&at| millis(at - struck));
    figures.first_commit_ms = since(moved_on.iter().min());
    figures.every_table_ms = since(moved_on.iter().max());
    figures.longest_pause_ms = millis(pause);
    figures.failing_ms = failing.map_or(0, |(from, to)| millis(to - from));
    let rate = |from: Instant, to: Instant| {
        let heard = notes.clone().flat_map(|notes| notes.heard.values());
        let n = heard.filter(|&&at| from <= at && at < to).count();
        #[expect(clippy::cast_precision_loss, reason = "there are thousands")]
        let rate = n as f64 / (to - from).as_secs_f64().max(0.001);
        rate
    };
    let before = struck.checked_sub(WINDOW).map_or(began, |from| from.max(began));
    figures.before_per_s = rate(before, struck);
    let ended = notes.clone().flat_map(|notes| notes.heard.values()).max().copied();
    let recovered = moved_on.iter().max().copied().unwrap_or(struck);
    let until = ended.map_or(recovered, |ended| ended.min(recovered + WINDOW));
    figures.after_per_s = rate(recovered, until.max(recovered));
    figures
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
