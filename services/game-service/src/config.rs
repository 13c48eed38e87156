//! The configuration: flags, environment, defaults, and all mistakes at once.
//!
//! **Invariant:** nothing is opened, bound or written here; files with secrets are read. A value
//! that exists is valid.

mod keys;
mod variables;

use std::fmt;
use std::fmt::Write;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use handfoot_config::{Program, Source};
use handfoot_store::{Limits, OpenError};
use handfoot_telemetry::{LogFilter, LogFormat, Logs, Traces};

use crate::auth::KeySet;
use crate::exit::Exit;
use crate::server::Settings;

pub use handfoot_config::{ConfigError, Environment, Mistake, Mistakes, Strings};
pub use variables::ALL as VARIABLES;

/// A whole configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the API listens.
    pub listen: SocketAddr,
    /// Where health listens as well.
    pub health_listen: Option<SocketAddr>,
    /// Where metrics are read.
    pub metrics_listen: Option<SocketAddr>,
    /// The address of the store.
    pub store: StoreUrl,
    /// Limits of the store.
    pub store_limits: Limits,
    /// Where keys come from.
    pub keys: KeySource,
    /// What the server is told.
    pub settings: Settings,
    /// Threads that serve; none: one for each core.
    pub worker_threads: Option<NonZeroUsize>,
    /// What is logged, and how it looks.
    pub logs: Logs,
    /// Where traces are sent.
    pub traces: Option<Traces>,
    /// What is odd, to be logged.
    pub warnings: Vec<String>,
}

/// The address of a store. It may hold a password, so that it is printed only up to its scheme.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreUrl(String);

impl StoreUrl {
    /// The address.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:(hidden)", self.0.split_once(':').map_or("", |(scheme, _)| scheme))
    }
}

/// Where keys come from.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// The service makes its own.
    Local {
        /// Where they are kept; none: nowhere.
        file: Option<PathBuf>,
    },
    /// They are given.
    Given(Box<KeySet>),
}

/// What a command line asks for.
pub type Asked = handfoot_config::Asked<Box<Config>>;

/// Reads a command line, which begins with the name of the program, and an environment.
///
/// # Errors
///
/// Every mistake at once.
pub fn read(
    arguments: impl IntoIterator<Item = String>,
    environment: &dyn Strings,
) -> Result<Asked, ConfigError> {
    let program = Program {
        name: "game-service",
        version: env!("CARGO_PKG_VERSION"),
        about: "The gRPC service of Hand and Foot: tables, play, watching, work for bots.",
        prefix: "HANDFOOT_",
        variables: variables::ALL,
        after_help: after_help(),
    };
    let warnings = program.unread(environment);
    program.read(arguments, environment, |source| resolve(source, warnings).map(Box::new))
}

fn after_help() -> String {
    let mut text = String::from(
        "A flag counts before an environment variable. Lengths of time have a unit: 25s.\n\n\
         Exit codes:\n",
    );
    for exit in Exit::ALL {
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {:>2}  {}", exit.code(), exit.meaning());
    }
    text.push_str(EXAMPLES);
    text
}

const EXAMPLES: &str = "
An API key is hfp_ID.SECRET for a platform and hfb_ID.SECRET for bots; make SECRET and HMAC with
  openssl rand -hex 32
  printf %s \"$API_KEY\" | openssl dgst -sha256 -hmac \"$(cat credential-key)\"

Examples:
  game-service --keys local --store memory:
      try it on this machine; prints a credential and a first call
  game-service --keys local --store file:tables --local-keys-file local-keys
      the same, and a restart goes on where it was
  game-service --listen 0.0.0.0:50051 --store file:/var/lib/handfoot/tables \\
      --token-key-file token.pem --credential-key-file credential-key \\
      --platform-credentials-file platforms --bot-credentials-file bots
  game-service --store-file store-url ...
      one of many replicas on one Redis, whose address with its password is in a file, such as
      redis+sentinel://:PASSWORD@redis-0,redis-1,redis-2/tables?durability=replicated
  game-service --print-config
      what holds, without starting";

/// The configuration; none if the source has mistakes.
fn resolve(source: &mut Source<'_>, warnings: Vec<String>) -> Option<Config> {
    use handfoot_config::{address, duration, number};
    use variables as v;
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let listen = source.value(&v::LISTEN, address);
    let health_listen = source.value(&v::HEALTH_LISTEN, address);
    let metrics_listen = source.value(&v::METRICS_LISTEN, address);
    let listeners = [
        (&v::LISTEN, listen),
        (&v::HEALTH_LISTEN, health_listen),
        (&v::METRICS_LISTEN, metrics_listen),
    ];
    source.distinct(&listeners);
    let store = store_url(source);
    let keys = keys::read(source, listeners);
    let drain = source.value(&v::DRAIN, |text| duration(text, Duration::ZERO..=minutes(10)));
    let streams = source.value(&v::STREAMS_PER_CONNECTION_MAX, |text| number(text, 1..=65_536));
    let ages = Duration::from_secs(10)..=minutes(24 * 60);
    let age = source.value(&v::CONNECTION_AGE, |text| duration(text, ages));
    let tables = source.value(&v::TABLES_MAX, |text| number(text, 1..=10_000_000));
    let entries = source.value(&v::LOG_ENTRIES_MAX, |text| number(text, 256..=1_000_000));
    let threads = source.value(&v::WORKER_THREADS, |text| number(text, 1..=512_usize));
    let filter: Option<LogFilter> = source.value(&v::LOG, str::parse);
    let format: Option<LogFormat> = source.value(&v::LOG_FORMAT, str::parse);
    let endpoint = source.value(&v::TRACES_ENDPOINT, handfoot_config::server);
    let sample = source.value(&v::TRACES_SAMPLE, handfoot_config::part);
    Some(Config {
        listen: listen?,
        health_listen,
        metrics_listen,
        store: store?,
        store_limits: Limits { tables: tables?, log_entries: entries?, ..Limits::STANDARD },
        keys: keys?,
        settings: Settings {
            drain: drain?,
            streams_per_connection_max: streams?,
            connection_age: age?,
        },
        worker_threads: threads.and_then(NonZeroUsize::new),
        logs: Logs { format: format?, filter: filter? },
        traces: endpoint.zip(sample).map(|(endpoint, sample)| Traces { endpoint, sample }),
        warnings,
    })
}

/// The address of the store, as far as it can be checked without opening it.
fn store_url(source: &mut Source<'_>) -> Option<StoreUrl> {
    let text = source.required(&variables::STORE)?;
    let problem = match handfoot_store::check_url(&text) {
        Ok(()) => None,
        Err(OpenError::NoPath) => Some("names no path".to_owned()),
        Err(OpenError::UnknownOption { .. }) => {
            Some("has an option other than sync=disk and sync=os".to_owned())
        }
        Err(OpenError::Address(problem)) => Some(problem.to_string()),
        // What was given may hold a password, so it is not repeated.
        Err(
            OpenError::UnknownScheme { .. }
            | OpenError::Redis(_)
            | OpenError::InUse { .. }
            | OpenError::NotUsable { .. }
            | OpenError::Full { .. }
            | OpenError::Corrupt { .. }
            | OpenError::NewerFormat { .. },
        ) => Some(format!("is none of {}", handfoot_store::SCHEMES.join(", "))),
    };
    match problem {
        None => Some(StoreUrl(text)),
        Some(problem) => {
            source.wrong(&variables::STORE, format_args!("the value {problem}"));
            None
        }
    }
}
