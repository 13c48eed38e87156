//! What is to hold, and whether it does.
//!
//! **Invariant:** times are compared with the baseline's of the same run, never with a number of
//! seconds.

use serde::Serialize;

use crate::measure::Measured;
use crate::plan::{Key, Kind, Results};
use crate::sizes::Sizes;
use crate::subject::{Subject, Watchers};

/// Bytes of a stored table, at most.
const SNAPSHOT_BYTES_MAX: u64 = 2_560;

/// Bytes of the server's memory for an idle stream, at most.
const IDLE_WATCHER_BYTES_MAX: u64 = 16 * 1024;

/// Bytes of a table in Redis without its log, at most: its state, 128 request ids and answers.
const REDIS_TABLE_BYTES_MAX: u64 = 44 * 1024;

/// Bytes of an entry of a log in Redis, at most.
const REDIS_LOG_ENTRY_BYTES_MAX: u64 = 280;

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

/// All goals of what was measured.
pub(crate) fn goals(results: &Results, sizes: &Sizes) -> Vec<Goal> {
    let mut goals = of_speed(results);
    goals.extend(of_sizes(sizes));
    goals
}

fn of_speed(results: &Results) -> Vec<Goal> {
    use Subject::{Bare, File, Memory, Redis, Replicated, Script};
    use Watchers::{EverySeat, Nobody};
    let key = |subject, watchers, kind| Key { watchers, kind, subject };
    let ratio = |of: Subject, watchers, kind, value: fn(&Measured) -> f64| {
        let median = |subject| results.median(key(subject, watchers, kind), value);
        median(of) / median(Bare)
    };
    let rate = |of, watchers| ratio(of, watchers, Kind::InFlight(64), |m| m.actions_per_s);
    let p99 = |of, watchers| ratio(of, watchers, Kind::HalfLoad, |m| m.p99_us);
    let alone = |of| results.median(key(of, Nobody, Kind::InFlight(1)), |m| m.p50_us);
    let (least, most) = (Bound::AtLeast, Bound::AtMost);
    let of_redis = alone(Redis) / (alone(Bare) + alone(Script));
    let goals = [
        (Memory, "memory, 64 in flight: rate / echo", rate(Memory, Nobody), least(0.5)),
        (File, "file, 64 in flight: rate / echo", rate(File, Nobody), least(0.4)),
        (Memory, "memory, watched: rate / fan-out", rate(Memory, EverySeat), least(0.6)),
        (Redis, "redis, watched: rate / fan-out", rate(Redis, EverySeat), least(0.5)),
        (
            Replicated,
            "replicated, watched: rate / fan-out",
            rate(Replicated, EverySeat),
            least(0.3),
        ),
        (Memory, "memory, half load: p99 / echo", p99(Memory, Nobody), most(2.0)),
        (File, "file, half load: p99 / echo", p99(File, Nobody), most(2.0)),
        (Memory, "memory, watched, half load: p99 / fan-out", p99(Memory, EverySeat), most(2.0)),
        (Memory, "memory, a lone action: p50 / echo", alone(Memory) / alone(Bare), most(2.0)),
        (Redis, "redis, a lone action: p50 / (echo + script)", of_redis, most(1.5)),
    ];
    let measured = goals.into_iter().filter(|(of, ..)| results.has(*of));
    measured.map(|(_, name, value, bound)| Goal { name, value, bound }).collect()
}

/// What is to hold of sizes.
#[expect(clippy::cast_precision_loss, reason = "sizes are a few kilobytes")]
pub(crate) fn of_sizes(sizes: &Sizes) -> Vec<Goal> {
    let Sizes { snapshots, idle_watcher, in_redis } = sizes;
    let most = |name, value: u64, most: u64| Goal {
        name,
        value: value as f64,
        bound: Bound::AtMost(most as f64),
    };
    vec![
        most("stored snapshot, the largest: bytes", snapshots.largest, SNAPSHOT_BYTES_MAX),
        most("idle watcher: bytes", *idle_watcher, IDLE_WATCHER_BYTES_MAX),
        most(
            "table in Redis without its log, the largest: bytes",
            in_redis.largest_without_log,
            REDIS_TABLE_BYTES_MAX,
        ),
        most("log entry in Redis: bytes", in_redis.log_entry, REDIS_LOG_ENTRY_BYTES_MAX),
    ]
}
