//! Metrics: what there is, said once in a table, and the numbers themselves.
//!
//! **Invariant:** every metric has a [`Definition`], from which its document is written. A label
//! has few values, all known beforehand: never a table, a seat, a person, or what a caller sent.

use std::fmt::Write;
use std::sync::Arc;

use prometheus::core::{Collector, Desc, Describer};
use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts, TextEncoder};

use crate::process;
use crate::start::Program;

/// One metric.
#[derive(Debug)]
pub struct Definition {
    /// Its name, with its unit.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// What it is, in one sentence.
    pub help: &'static str,
    /// What it is told apart by.
    pub labels: &'static [Label],
}

/// What sort of number it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// It only rises.
    Counter,
    /// It rises and falls.
    Gauge,
    /// How many were at most so large, for these bounds.
    Histogram(&'static [f64]),
}

impl Kind {
    /// Its name, as Prometheus writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        }
    }
}

/// What a metric is told apart by.
#[derive(Debug)]
pub struct Label {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub values: Values,
}

/// What a label may be.
#[derive(Debug)]
pub enum Values {
    /// One of these.
    Of(&'static [&'static str]),
    /// One of few, which are described.
    Described(&'static str),
}

/// Why there are no metrics.
#[derive(Debug, thiserror::Error)]
#[error("the program was built with metrics that do not fit together ({0}); please report it")]
pub struct MetricsProblem(#[from] prometheus::Error);

/// A number that is read when somebody asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Values of the labels, in the order of the definition.
    pub labels: Vec<&'static str>,
    /// The number.
    pub value: f64,
}

/// Which program it is.
const BUILD: Definition = Definition {
    name: "handfoot_build_info",
    kind: Kind::Gauge,
    help: "Always 1; its labels say which program this is.",
    labels: &[
        Label { name: "program", values: Values::Of(&["game-service", "bot-service"]) },
        Label { name: "version", values: Values::Described("the version of the program") },
    ],
};

/// What every program has.
pub const STANDARD: &[&Definition] =
    &[&BUILD, &process::CPU, &process::MEMORY, &process::FILES, &process::STARTED];

/// The metrics of a program. All clones are one.
#[derive(Clone, Debug)]
pub struct Registry(Arc<prometheus::Registry>);

impl Registry {
    /// With what every program has.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn new(program: &Program) -> Result<Registry, MetricsProblem> {
        let registry = Registry(Arc::new(prometheus::Registry::new()));
        registry.gauges(&BUILD)?.with_label_values(&[program.name, program.version]).set(1);
        process::add(&registry)?;
        Ok(registry)
    }

    /// Adds a counter for each set of labels.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn counters(&self, definition: &Definition) -> Result<IntCounterVec, MetricsProblem> {
        let made = IntCounterVec::new(options(definition), &names(definition))?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }

    /// Adds a gauge for each set of labels.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn gauges(&self, definition: &Definition) -> Result<IntGaugeVec, MetricsProblem> {
        let made = IntGaugeVec::new(options(definition), &names(definition))?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }

    /// Adds a histogram for each set of labels.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn histograms(&self, definition: &Definition) -> Result<HistogramVec, MetricsProblem> {
        let bounds = match definition.kind {
            Kind::Histogram(bounds) => bounds,
            Kind::Counter | Kind::Gauge => &[],
        };
        let options = HistogramOpts::from(options(definition)).buckets(bounds.to_vec());
        let made = HistogramVec::new(options, &names(definition))?;
        self.0.register(Box::new(made.clone()))?;
        Ok(made)
    }

    /// Adds numbers that are read when somebody asks: counters or gauges.
    ///
    /// # Errors
    ///
    /// [`MetricsProblem`].
    pub fn read(
        &self,
        definition: &'static Definition,
        read: impl Fn() -> Vec<Reading> + Send + Sync + 'static,
    ) -> Result<(), MetricsProblem> {
        let names = names(definition).into_iter().map(str::to_owned).collect();
        let description = options(definition).variable_labels(names).describe()?;
        self.0.register(Box::new(Read { definition, description, read: Box::new(read) }))?;
        Ok(())
    }

    /// All of them as Prometheus reads them.
    #[must_use]
    pub fn text(&self) -> String {
        // What was registered has names and labels that can be written.
        TextEncoder::new().encode_to_string(&self.0.gather()).unwrap_or_default()
    }
}

fn options(definition: &Definition) -> Opts {
    Opts::new(definition.name, definition.help)
}

fn names(definition: &Definition) -> Vec<&'static str> {
    definition.labels.iter().map(|label| label.name).collect()
}

/// Numbers that are read when somebody asks.
struct Read {
    definition: &'static Definition,
    description: Desc,
    read: Box<dyn Fn() -> Vec<Reading> + Send + Sync>,
}

impl Collector for Read {
    fn desc(&self) -> Vec<&Desc> {
        vec![&self.description]
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let mut family = MetricFamily::default();
        family.set_name(self.definition.name.to_owned());
        family.set_help(self.definition.help.to_owned());
        family.set_field_type(match self.definition.kind {
            Kind::Counter => MetricType::COUNTER,
            Kind::Gauge | Kind::Histogram(_) => MetricType::GAUGE,
        });
        let metrics = (self.read)().into_iter().map(|reading| self.metric(&reading)).collect();
        family.set_metric(metrics);
        vec![family]
    }
}

impl Read {
    fn metric(&self, reading: &Reading) -> Metric {
        let labels = self.definition.labels.iter().zip(&reading.labels).map(|(label, value)| {
            let mut pair = LabelPair::default();
            pair.set_name(label.name.to_owned());
            pair.set_value((*value).to_owned());
            pair
        });
        let mut metric = Metric::from_label(labels.collect());
        match self.definition.kind {
            Kind::Counter => {
                let mut counter = Counter::default();
                counter.set_value(reading.value);
                metric.set_counter(counter);
            }
            Kind::Gauge | Kind::Histogram(_) => {
                let mut gauge = Gauge::default();
                gauge.set_value(reading.value);
                metric.set_gauge(gauge);
            }
        }
        metric
    }
}

/// What metrics there are, as a part of a document in Markdown.
#[must_use]
pub fn reference(definitions: &[&Definition]) -> String {
    let mut text = String::new();
    for Definition { name, kind, help, labels } in definitions {
        // Writing to a text does not fail.
        let _ = writeln!(text, "### `{name}`\n\n{help}\nIt is a {}.", kind.as_str());
        if let Kind::Histogram(bounds) = kind {
            let bounds: Vec<String> = bounds.iter().map(|bound| format!("{bound}")).collect();
            let _ = writeln!(text, "Bounds: {}.", bounds.join(", "));
        }
        let _ = writeln!(text);
        for Label { name, values } in *labels {
            let values = match values {
                Values::Of(values) => {
                    let quoted = values.iter().map(|value| match value.is_empty() {
                        true => "none".to_owned(),
                        false => format!("`{value}`"),
                    });
                    quoted.collect::<Vec<_>>().join(", ")
                }
                Values::Described(text) => (*text).to_owned(),
            };
            let _ = writeln!(text, "- `{name}`: {values}");
        }
        if !labels.is_empty() {
            let _ = writeln!(text);
        }
    }
    text
}
