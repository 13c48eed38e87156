//! What is to hold, and whether it does.
//!
//! **Invariant:** times are compared with the baseline's of the same run, never with a number of
//! seconds.

use serde::Serialize;

use crate::plan::{Key, Kind, Results};
use crate::sizes::Snapshots;
use crate::subject::{Subject, Watchers};

/// Bytes of a stored table, at most.
pub(crate) const SNAPSHOT_BYTES_MAX: usize = 2_560;

/// Bytes of the server's memory for an idle stream, at most.
pub(crate) const IDLE_WATCHER_BYTES_MAX: u64 = 16 * 1024;

/// One goal.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Goal {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) bound: Bound,
}

/// On which side of what the value is to be.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Goal {
    /// Whether it is met.
    pub(crate) fn is_met(&self) -> bool {
        match self.bound {
            Bound::AtLeast(least) => self.value >= least,
            Bound::AtMost(most) => self.value <= most,
        }
    }
}

/// All goals.
#[expect(clippy::cast_precision_loss, reason = "sizes are a few kilobytes")]
pub(crate) fn goals(results: &Results, snapshots: Snapshots, idle_watcher_bytes: u64) -> Vec<Goal> {
    use Subject::{Bare, File, Memory};
    use Watchers::{EverySeat, Nobody};
    let key = |subject, watchers, kind| Key { watchers, kind, subject };
    let ratio = |of: Subject, watchers, kind, value: fn(&crate::measure::Measured) -> f64| {
        let median = |subject| results.median(key(subject, watchers, kind), value);
        median(of) / median(Bare)
    };
    let rate = |of, watchers| ratio(of, watchers, Kind::InFlight(64), |m| m.actions_per_s);
    let p99 = |of, watchers| ratio(of, watchers, Kind::HalfLoad, |m| m.p99_us);
    let goal = |name, value, bound| Goal { name, value, bound };
    let (least, most) = (Bound::AtLeast, Bound::AtMost);
    let lone = ratio(Memory, Nobody, Kind::InFlight(1), |m| m.p50_us);
    vec![
        goal("memory, 64 in flight: rate / echo", rate(Memory, Nobody), least(0.5)),
        goal("file, 64 in flight: rate / echo", rate(File, Nobody), least(0.4)),
        goal("memory, watched: rate / fan-out", rate(Memory, EverySeat), least(0.6)),
        goal("memory, half load: p99 / echo", p99(Memory, Nobody), most(2.0)),
        goal("file, half load: p99 / echo", p99(File, Nobody), most(2.0)),
        goal("memory, watched, half load: p99 / fan-out", p99(Memory, EverySeat), most(2.0)),
        goal("memory, a lone action: p50 / echo", lone, most(2.0)),
        goal(
            "stored snapshot, the largest: bytes",
            snapshots.largest as f64,
            most(SNAPSHOT_BYTES_MAX as f64),
        ),
        goal("idle watcher: bytes", idle_watcher_bytes as f64, most(IDLE_WATCHER_BYTES_MAX as f64)),
    ]
}
