//! What the worker counts and measures.
//!
//! **Invariant:** labels are words of this file, levels that the program plays and methods of the
//! contract: no table, seat or person. Without metrics every call here does nothing.

use std::sync::Arc;
use std::time::Duration;

use handfoot_bots::Level;
use handfoot_client::ObserveCalls;
use handfoot_telemetry::{
    CALLS_OF_CLIENT, ClientCalls, Definition, Histogram, HistogramVec, IntGauge, Kind, Label,
    MetricsProblem, Program, REPEATS_OF_CLIENT, Reading, Registry, Values,
};
use tonic::Code;

use crate::counters::{Counters, Tally};

/// The program, as it is told apart from others.
pub const PROGRAM: Program = Program { name: "bot-service", version: env!("CARGO_PKG_VERSION") };

/// The method that a bot's decisions are sent with.
const SUBMIT: &str = "handfoot.v1.PlayService/SubmitActions";

/// Bounds for how long a bot thinks, in seconds.
const THOUGHTS: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0,
];

const LEVELS: [&str; Level::ALL.len()] = {
    let mut names = [""; Level::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Level::ALL[at].name();
        at += 1;
    }
    names
};

const THINKING: Definition = Definition {
    name: "handfoot_bot_decision_duration_seconds",
    kind: Kind::Histogram(THOUGHTS),
    help: "How long a bot thought about a decision, in seconds, without pauses and calls.",
    labels: &[Label { name: "level", values: Values::Of(&LEVELS) }],
};

const OPEN: Definition = Definition {
    name: "handfoot_bot_tasks_open",
    kind: Kind::Gauge,
    help: "Tasks that are under way now; a task is the decisions that a seat owes under one lease.",
    labels: &[],
};

const MOST: Definition = Definition {
    name: "handfoot_bot_tasks_max",
    kind: Kind::Gauge,
    help: "Tasks that may be under way at once.",
    labels: &[],
};

const TASKS: Definition = Definition {
    name: "handfoot_bot_tasks_taken_total",
    kind: Kind::Counter,
    help: "Tasks that were taken.",
    labels: &[],
};

const EARLY: Definition = Definition {
    name: "handfoot_bot_tasks_ended_early_total",
    kind: Kind::Counter,
    help: "Tasks that ended before their decisions were made, by why.",
    labels: &[Label { name: "cause", values: Values::Of(&["lease_lost", "given_back", "failed"]) }],
};

const DECISIONS: Definition = Definition {
    name: "handfoot_bot_decisions_total",
    kind: Kind::Counter,
    help: "Decisions that were sent, by what came of them.",
    labels: &[Label {
        name: "outcome",
        values: Values::Of(&["played", "replayed", "refused", "stale"]),
    }],
};

const FALLBACKS: Definition = Definition {
    name: "handfoot_bot_fallbacks_total",
    kind: Kind::Counter,
    help: "Decisions for which the first listed action was played in place of the bot's.",
    labels: &[],
};

const SEATS: Definition = Definition {
    name: "handfoot_bot_seats_taken_total",
    kind: Kind::Counter,
    help: "Seats that were offered to bots and taken.",
    labels: &[],
};

/// Everything that the worker tells, beside what every program does.
pub const DEFINITIONS: &[&Definition] = &[
    &CALLS_OF_CLIENT,
    &REPEATS_OF_CLIENT,
    &THINKING,
    &OPEN,
    &MOST,
    &TASKS,
    &EARLY,
    &DECISIONS,
    &FALLBACKS,
    &SEATS,
];

/// What the worker counts and measures; nothing unless it is asked for. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    calls: ClientCalls,
    thinking: HistogramVec,
    open: IntGauge,
    most: IntGauge,
}

/// A task under way.
#[derive(Debug)]
pub(crate) struct OpenTask(IntGauge);

impl Drop for OpenTask {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    /// Counts from now on.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn new() -> Result<Metrics, MetricsProblem> {
        let registry = Registry::new(&PROGRAM)?;
        let thinking = registry.histograms(&THINKING)?;
        for level in LEVELS {
            thinking.with_label_values(&[level]);
        }
        let single = |definition| {
            registry.gauges(definition).map(|gauge| gauge.with_label_values::<&str>(&[]))
        };
        let calls = ClientCalls::new(&registry)?;
        calls.expect_repeats_of(SUBMIT);
        let inner = Inner { calls, thinking, open: single(&OPEN)?, most: single(&MOST)?, registry };
        Ok(Metrics(Some(Arc::new(inner))))
    }

    /// What is shown of them; none if nothing is counted.
    #[must_use]
    pub fn registry(&self) -> Option<Registry> {
        self.0.as_ref().map(|inner| inner.registry.clone())
    }

    /// Who is told of calls; none if nothing is counted.
    #[must_use]
    pub fn observer(&self) -> Option<Arc<dyn ObserveCalls>> {
        self.0.is_some().then(|| Arc::new(self.clone()) as Arc<dyn ObserveCalls>)
    }

    /// Shows the counts of a worker that may have so many tasks under way.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub(crate) fn show(
        &self,
        counters: &Arc<Counters>,
        concurrency: usize,
    ) -> Result<(), MetricsProblem> {
        let Some(inner) = &self.0 else { return Ok(()) };
        inner.most.set(i64::try_from(concurrency).unwrap_or(i64::MAX));
        let read = |definition, numbers: fn(&Tally) -> Vec<(&'static str, u64)>| {
            let counters = Arc::clone(counters);
            inner.registry.read(definition, move || {
                numbers(&counters.tally()).into_iter().map(reading).collect()
            })
        };
        read(&TASKS, |tally| vec![("", tally.tasks)])?;
        read(&EARLY, |tally| {
            vec![
                ("lease_lost", tally.lease_lost),
                ("given_back", tally.given_back),
                ("failed", tally.failed),
            ]
        })?;
        read(&DECISIONS, |tally| {
            vec![
                ("played", tally.decisions.saturating_sub(tally.replayed)),
                ("replayed", tally.replayed),
                ("refused", tally.refused),
                ("stale", tally.stale),
            ]
        })?;
        read(&FALLBACKS, |tally| vec![("", tally.fallbacks)])?;
        read(&SEATS, |tally| vec![("", tally.seats)])
    }

    /// A task is under way until what this gives is dropped.
    pub(crate) fn task(&self) -> Option<OpenTask> {
        let open = self.0.as_ref().map(|inner| inner.open.clone())?;
        open.inc();
        Some(OpenTask(open))
    }

    /// Where to note how long a bot of this level thought.
    pub(crate) fn thinking(&self, level: Level) -> Option<Histogram> {
        self.0.as_ref().map(|inner| inner.thinking.with_label_values(&[level.name()]))
    }
}

fn reading((label, number): (&'static str, u64)) -> Reading {
    #[expect(clippy::cast_precision_loss, reason = "what is counted stays far below 2^53")]
    let value = number as f64;
    let labels = if label.is_empty() { Vec::new() } else { vec![label] };
    Reading { labels, value }
}

impl ObserveCalls for Metrics {
    fn repeated(&self, method: &'static str) {
        if let Some(inner) = &self.0 {
            inner.calls.repeat(method);
        }
    }

    fn ended(&self, method: &'static str, code: Code, took: Duration) {
        if let Some(inner) = &self.0 {
            inner.calls.count(method, code, took);
        }
    }
}
