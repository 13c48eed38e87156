//! The beginning and the end of what a program tells of itself.
//!
//! **Invariant:** begun once, by the program; a library only emits. The end takes a bounded time.

use std::time::Duration;

use opentelemetry_otlp::ExporterBuildError;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::logs::{self, Logs};
use crate::traces::{self, Traces};

/// The program that tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Why nothing can be told.
#[derive(Debug, thiserror::Error)]
pub enum StartProblem {
    /// The collector's address cannot be used.
    #[error("traces cannot be sent: {0}")]
    Traces(#[from] ExporterBuildError),
}

/// Logs and traces of this process.
#[derive(Debug)]
#[must_use = "spans that wait to be sent are lost without an end"]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Sends logs to the error output and traces to their collector, from now on. If the process
    /// does so already, nothing changes.
    ///
    /// With traces, it must be called within a runtime.
    ///
    /// # Errors
    ///
    /// `Traces`.
    pub fn start(
        program: &Program,
        logs: &Logs,
        traces: Option<&Traces>,
    ) -> Result<Telemetry, StartProblem> {
        let traces = traces.map(|traces| traces::provider(program, traces)).transpose()?;
        let sent = traces.as_ref().map(traces::layer);
        // Another subscriber may be there already, as in tests: its lines are as good.
        let _ = tracing_subscriber::registry().with(logs::layer(logs)).with(sent).try_init();
        logs::log_panics();
        Ok(Telemetry { traces })
    }

    /// Sends what waits to be sent, for at most so long. The runtime must still be there, and this
    /// must not be called on one of its threads.
    pub fn end(self, within: Duration) {
        let Some(traces) = self.traces else { return };
        if let Err(problem) = traces.shutdown_with_timeout(within) {
            tracing::warn!(%problem, "the last spans were not sent");
        }
    }
}
