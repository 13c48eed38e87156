//! Logs.
//!
//! **Invariant:** set up once, by the program; a library only emits. Nothing secret is filtered
//! here, because nothing secret is emitted.

use std::io;
use std::str::FromStr;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line, for programs.
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

/// A text does not say what to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not LEVEL, or MODULE=LEVEL with commas between; levels are off, error, warn, info, debug, trace"
)]
pub struct UnknownFilter;

/// Reads what is to be logged: a level, or levels of modules, with commas between.
///
/// # Errors
///
/// Says what it would have to be. A word alone must be a level: taken as the name of a module, a
/// misspelt level would end all logs.
pub fn filter(text: &str) -> Result<Targets, UnknownFilter> {
    // Nothing at all would be read as a level.
    let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
    let is_clear = |part: &str| part.contains('=') || is_level(part);
    match text.split(',').all(is_clear) {
        true => text.parse().map_err(|_| UnknownFilter),
        false => Err(UnknownFilter),
    }
}

/// Sends logs to the error output, from now on. A second call changes nothing.
///
/// Of a panic only its place is logged: what it says could be cards.
pub fn start(format: LogFormat, filter: Targets) {
    let lines = fmt::layer().with_writer(io::stderr);
    let layer = match format {
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
        LogFormat::Pretty => lines.with_ansi(false).boxed(),
    };
    // Another subscriber is there already, as in tests: its lines are as good.
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_level_is_no_module() {
        for good in ["info", "OFF", "warn,handfoot_game_service=debug", "h2=off"] {
            assert!(filter(good).is_ok(), "{good}");
        }
        for bad in ["", "inof", "info,", "info,h2", "h2=loud", "a=b=c"] {
            assert!(filter(bad).is_err(), "{bad}");
        }
    }
}
