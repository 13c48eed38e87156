//! What the service counts and measures.
//!
//! **Invariant:** labels are words of this file or methods of the contract: no table, seat, person
//! or level, which callers can make up. Without metrics every call here does nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handfoot_store::{Clock, CommitOutcome, Millis, StoreError, SystemClock};
use handfoot_telemetry::{
    CALLS_OF_SERVER, Definition, Histogram, HistogramVec, IntCounterVec, IntGaugeVec, Kind, Label,
    MetricsProblem, Program, Reading, Ready, Registry, Running, STREAMS_OPEN, ServerCalls, Values,
};

/// The program, as it is told apart from others.
pub const PROGRAM: Program = Program { name: "game-service", version: env!("CARGO_PKG_VERSION") };

/// The method whose streams players hold open.
const WATCH: &str = "handfoot.v1.PlayService/WatchTable";

/// Bounds for what takes a store, in seconds.
const STORE_DURATIONS: &[f64] = &[
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0,
    2.5,
];

/// Bounds for how late something comes, in seconds.
const LAGS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

const COMMITS: Definition = Definition {
    name: "handfoot_commits_total",
    kind: Kind::Counter,
    help: "Steps of tables that were sent to the store, by what came of them.",
    labels: &[Label { name: "outcome", values: Values::Of(&OUTCOMES) }],
};

const OUTCOMES: [&str; 7] =
    ["committed", "duplicate", "conflict", "reused", "lease_lost", "not_found", "failed"];

const DIVERGED: Definition = Definition {
    name: "handfoot_diverged_total",
    kind: Kind::Counter,
    help: "How often the store was found to have lost what was shown before, by where it was found.",
    labels: &[Label { name: "found_by", values: Values::Of(&DIVERGENCES) }],
};

const DIVERGENCES: [&str; 3] = ["replica", "watcher", "request"];

const TURN_LAG: Definition = Definition {
    name: "handfoot_bot_turn_lag_seconds",
    kind: Kind::Histogram(LAGS),
    help: "How long a bot's decision waited for a worker, from when it could be taken, in seconds.",
    labels: &[],
};

const DELIVERY_LAG: Definition = Definition {
    name: "handfoot_delivery_lag_seconds",
    kind: Kind::Histogram(LAGS),
    help: "How long a commit took from the store to the stream of a watcher, in seconds.",
    labels: &[],
};

const STORE: Definition = Definition {
    name: "handfoot_store_operation_duration_seconds",
    kind: Kind::Histogram(STORE_DURATIONS),
    help: "How long the store took, in seconds, by operation and result.",
    labels: &[
        Label { name: "operation", values: Values::Of(&Operation::NAMES) },
        Label { name: "result", values: Values::Of(&RESULTS) },
    ],
};

const RESULTS: [&str; 7] =
    ["ok", "unavailable", "unconfirmed", "limit", "corrupt", "full", "closed"];

const TABLES: Definition = Definition {
    name: "handfoot_tables",
    kind: Kind::Gauge,
    help: "Tables in the store, by state and by the revision of the rules they are pinned to.",
    labels: &[
        Label { name: "state", values: Values::Of(&TABLE_STATES) },
        Label {
            name: "rules_revision",
            values: Values::Described("a revision that this program plays, or `newer`"),
        },
    ],
};

const TABLE_STATES: [&str; 5] = ["waiting", "offered", "playing", "finished", "cancelled"];

const READY: Definition = Definition {
    name: "handfoot_ready",
    kind: Kind::Gauge,
    help: "Whether calls should be sent here: 1 or 0.",
    labels: &[],
};

/// Everything that the service tells, beside what every program does.
pub const DEFINITIONS: &[&Definition] = &[
    &CALLS_OF_SERVER,
    &STREAMS_OPEN,
    &COMMITS,
    &DIVERGED,
    &TURN_LAG,
    &DELIVERY_LAG,
    &STORE,
    &TABLES,
    &READY,
];

/// Where it was found that the store has lost what was shown before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divergence {
    /// By this process, at a table that it shows to watchers.
    Replica,
    /// By a watcher who goes on from what the table never was. A caller can make that up.
    Watcher,
    /// By a request that rests on a version that is not there. A caller can make that up.
    Request,
}

/// What a store is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Load,
    Glance,
    Confirm,
    Commit,
    History,
    Watch,
    DeadlinesDue,
    ClaimTurns,
    RenewTurn,
    ReleaseTurn,
    Outbox,
    List,
    Delete,
    Healthy,
}

impl Operation {
    /// Their names, in the order of the variants.
    const NAMES: [&str; 15] = [
        "create",
        "load",
        "glance",
        "confirm",
        "commit",
        "history",
        "watch",
        "deadlines_due",
        "claim_turns",
        "renew_turn",
        "release_turn",
        "outbox",
        "list",
        "delete",
        "healthy",
    ];

    pub(crate) const fn name(self) -> &'static str {
        Operation::NAMES[self as usize]
    }
}

/// How an operation of the store ended, as a label.
pub(crate) const fn result_of<T>(result: &Result<T, StoreError>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(StoreError::Unavailable { .. }) => "unavailable",
        Err(StoreError::Unconfirmed { .. }) => "unconfirmed",
        Err(StoreError::Limit { .. }) => "limit",
        Err(StoreError::Corrupt { .. }) => "corrupt",
        Err(StoreError::Full) => "full",
        Err(StoreError::Closed) => "closed",
    }
}

/// What the service counts and measures; nothing unless it is asked for. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    calls: ServerCalls,
    commits: IntCounterVec,
    diverged: IntCounterVec,
    turn_lag: Histogram,
    delivery_lag: Histogram,
    store: HistogramVec,
    tables: IntGaugeVec,
}

impl Metrics {
    /// Counts from now on.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn new() -> Result<Metrics, MetricsProblem> {
        let registry = Registry::new(&PROGRAM)?;
        let calls = ServerCalls::new(&registry)?;
        calls.expect_streams_of(WATCH);
        let commits = registry.counters(&COMMITS)?;
        for outcome in OUTCOMES {
            commits.with_label_values(&[outcome]);
        }
        let diverged = registry.counters(&DIVERGED)?;
        for found_by in DIVERGENCES {
            diverged.with_label_values(&[found_by]);
        }
        let single = |definition| {
            registry.histograms(definition).map(|lags| lags.with_label_values::<&str>(&[]))
        };
        let inner = Inner {
            calls,
            commits,
            diverged,
            turn_lag: single(&TURN_LAG)?,
            delivery_lag: single(&DELIVERY_LAG)?,
            store: registry.histograms(&STORE)?,
            tables: registry.gauges(&TABLES)?,
            registry,
        };
        Ok(Metrics(Some(Arc::new(inner))))
    }

    /// Whether anything is counted.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// What is shown of them, with whether calls should be sent here; none if nothing is counted.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn registry(&self, ready: Ready) -> Result<Option<Registry>, MetricsProblem> {
        let Some(inner) = &self.0 else { return Ok(None) };
        let value = move || f64::from(u8::from(ready()));
        let read = move || vec![Reading { labels: Vec::new(), value: value() }];
        inner.registry.read(&READY, read)?;
        Ok(Some(inner.registry.clone()))
    }

    /// A call of a method begins.
    pub(crate) fn begin(&self, method: Option<&Arc<str>>) -> Option<Running> {
        self.0.as_ref().map(|inner| inner.calls.begin(method))
    }

    /// A call is a stream.
    pub(crate) fn open(&self, call: &mut Running) {
        if let Some(inner) = &self.0 {
            inner.calls.open(call);
        }
    }

    /// A step was sent to the store, or a request that may have been one was looked up.
    pub(crate) fn committed(&self, outcome: &Result<CommitOutcome, StoreError>) {
        let Some(inner) = &self.0 else { return };
        let outcome = match outcome {
            Ok(CommitOutcome::Committed { .. }) => "committed",
            Ok(CommitOutcome::Duplicate { .. }) => "duplicate",
            Ok(CommitOutcome::Conflict(_)) => "conflict",
            Ok(CommitOutcome::Reused { .. }) => "reused",
            Ok(CommitOutcome::LeaseLost) => "lease_lost",
            Ok(CommitOutcome::NotFound) => "not_found",
            Err(_) => "failed",
        };
        inner.commits.with_label_values(&[outcome]).inc();
    }

    /// The store was found to have lost what was shown before.
    pub(crate) fn diverged(&self, found_by: Divergence) {
        let Some(inner) = &self.0 else { return };
        let found_by = match found_by {
            Divergence::Replica => "replica",
            Divergence::Watcher => "watcher",
            Divergence::Request => "request",
        };
        inner.diverged.with_label_values(&[found_by]).inc();
    }

    /// A bot's decision was given to a worker so long after it could be taken.
    pub(crate) fn turn_given(&self, lag: Duration) {
        if let Some(inner) = &self.0 {
            inner.turn_lag.observe(lag.as_secs_f64());
        }
    }

    /// A commit of this time goes out on a stream. The times are of two clocks, which may differ
    /// by what the machines' clocks do.
    pub(crate) fn delivered(&self, committed_at: Millis) {
        let Some(inner) = &self.0 else { return };
        let lag = SystemClock.now().0.saturating_sub(committed_at.0);
        inner.delivery_lag.observe(Duration::from_millis(lag).as_secs_f64());
    }

    /// The store has done something that began then.
    pub(crate) fn stored(&self, operation: Operation, result: &'static str, begun: Instant) {
        if let Some(inner) = &self.0 {
            let durations = inner.store.with_label_values(&[operation.name(), result]);
            durations.observe(begun.elapsed().as_secs_f64());
        }
    }

    /// So many tables there are, by state and revision of rules.
    pub(crate) fn tables(&self, counts: &[(&'static str, String, i64)]) {
        let Some(inner) = &self.0 else { return };
        for (state, revision, count) in counts {
            inner.tables.with_label_values(&[state, revision.as_str()]).set(*count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_their_names() {
        assert_eq!(Operation::Create.name(), "create");
        assert_eq!(Operation::Commit.name(), "commit");
        assert_eq!(Operation::ClaimTurns.name(), "claim_turns");
        assert_eq!(Operation::Healthy.name(), "healthy");
    }

    #[test]
    fn what_is_off_counts_nothing_and_what_is_on_does() {
        let (off, on) = (Metrics::default(), Metrics::new().unwrap());
        for metrics in [&off, &on] {
            metrics.committed(&Ok(CommitOutcome::LeaseLost));
            metrics.diverged(Divergence::Watcher);
            metrics.turn_given(Duration::from_millis(20));
            metrics.stored(Operation::Load, "ok", Instant::now());
        }
        let ready: Ready = Arc::new(|| true);
        assert!(off.registry(Arc::clone(&ready)).unwrap().is_none());
        let text = on.registry(ready).unwrap().unwrap().text();
        for line in [
            "handfoot_commits_total{outcome=\"lease_lost\"} 1",
            "handfoot_commits_total{outcome=\"committed\"} 0",
            "handfoot_diverged_total{found_by=\"watcher\"} 1",
            "handfoot_bot_turn_lag_seconds_bucket{le=\"0.025\"} 1",
            "handfoot_ready 1",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }
}
