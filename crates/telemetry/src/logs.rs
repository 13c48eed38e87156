//! Logs: what is written, and how a line looks.
//!
//! **Invariant:** nothing secret is filtered here, because nothing secret is emitted. Of a panic
//! only its place is logged: what it says could be cards.

use std::fmt;
use std::io;
use std::str::FromStr;

use tracing::{Event, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::{Format, Json, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use crate::context::TraceParent;

/// What is logged, and how it looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Logs {
    /// How a line looks.
    pub format: LogFormat,
    /// What is logged.
    pub filter: LogFilter,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line, for programs; with the ids of trace and span if there are any.
    Json,
    /// For people.
    Pretty,
}

impl LogFormat {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Pretty => "pretty",
        }
    }
}

/// A text does not name a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is neither json nor pretty")]
pub struct UnknownFormat;

impl FromStr for LogFormat {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        match text {
            "json" => Ok(Self::Json),
            "pretty" => Ok(Self::Pretty),
            _ => Err(UnknownFormat),
        }
    }
}

/// What is logged: a level, or levels of modules.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFilter(Targets);

/// A text does not say what to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not LEVEL, or MODULE=LEVEL with commas between; levels are off, error, warn, info, debug, trace"
)]
pub struct UnknownFilter;

impl FromStr for LogFilter {
    type Err = UnknownFilter;

    /// Reads a level, or levels of modules, with commas between. A word alone must be a level:
    /// taken as the name of a module, a misspelt level would end all logs.
    fn from_str(text: &str) -> Result<LogFilter, UnknownFilter> {
        // Nothing at all would be read as a level.
        let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
        let is_clear = |part: &str| part.contains('=') || is_level(part);
        match text.split(',').all(is_clear) {
            true => text.parse().map(LogFilter).map_err(|_| UnknownFilter),
            false => Err(UnknownFilter),
        }
    }
}

/// Writes lines to the error output.
pub(crate) fn layer(logs: &Logs) -> Box<dyn Layer<Registry> + Send + Sync> {
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let layer = match logs.format {
        LogFormat::Json => {
            let json = Format::default().json().flatten_event(true).with_span_list(false);
            lines.fmt_fields(JsonFields::new()).event_format(WithTrace(json)).boxed()
        }
        LogFormat::Pretty => lines.with_ansi(false).boxed(),
    };
    layer.with_filter(logs.filter.0.clone()).boxed()
}

/// Has panics logged, by their place alone.
pub(crate) fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}

/// A JSON line with the ids of trace and span before the rest, as collectors of logs look for them.
struct WithTrace(Format<Json>);

impl<S> FormatEvent<S, JsonFields> for WithTrace
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(parent) = TraceParent::current() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        match line.strip_prefix('{') {
            Some(rest) => {
                let (trace, span) = (parent.trace_id(), parent.span_id());
                write!(writer, "{{\"trace_id\":\"{trace}\",\"span_id\":\"{span}\",{rest}")
            }
            None => writer.write_str(&line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_level_is_no_module() {
        for good in ["info", "OFF", "warn,handfoot_game_service=debug", "h2=off"] {
            assert!(good.parse::<LogFilter>().is_ok(), "{good}");
        }
        for bad in ["", "inof", "info,", "info,h2", "h2=loud", "a=b=c"] {
            assert!(bad.parse::<LogFilter>().is_err(), "{bad}");
        }
    }

    #[test]
    fn formats_are_read_by_their_names() {
        for format in [LogFormat::Json, LogFormat::Pretty] {
            assert_eq!(format.as_str().parse(), Ok(format));
        }
        assert_eq!("xml".parse::<LogFormat>(), Err(UnknownFormat));
    }
}
