//! The configuration: flags, environment, defaults, and all mistakes at once.
//!
//! **Invariant:** nothing is opened, bound or written here; files with secrets are read. A value
//! that exists is valid.

mod keys;
mod mistake;
mod print;
mod source;
mod values;
mod variables;

use std::fmt;
use std::fmt::Write;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use handfoot_store::{Limits, OpenError};
use tracing_subscriber::filter::Targets;

use crate::auth::KeySet;
use crate::exit::Exit;
use crate::server::Settings;
use crate::telemetry::{self, LogFormat};

pub use mistake::{Mistake, Mistakes};
use source::Source;
pub use source::{Environment, Strings};
use variables::Shown;

/// A whole configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the API listens.
    pub listen: SocketAddr,
    /// Where health listens as well.
    pub health_listen: Option<SocketAddr>,
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
    /// What is logged.
    pub log: Targets,
    /// How it looks.
    pub log_format: LogFormat,
    /// What is odd, to be logged.
    pub warnings: Vec<String>,
    /// What `--print-config` prints.
    printed: String,
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
#[derive(Debug)]
pub enum Asked {
    /// To serve.
    Serve(Box<Config>),
    /// To print this and end.
    Print(String),
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The command line has a flag that does not exist, or lacks a value.
    #[error("{0}")]
    CommandLine(String),
    /// Values are wrong.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
}

impl ConfigError {
    /// The exit code for it.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        Exit::Config
    }
}

/// Reads a command line, which begins with the name of the program, and an environment.
///
/// # Errors
///
/// Every mistake at once.
pub fn read(
    arguments: impl IntoIterator<Item = String>,
    environment: &dyn Strings,
) -> Result<Asked, ConfigError> {
    let flags = match command().try_get_matches_from(arguments) {
        Ok(flags) => flags,
        Err(error) => {
            let text = error.render().to_string();
            #[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of another crate")]
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Asked::Print(text)),
                _ => Err(ConfigError::CommandLine(text)),
            };
        }
    };
    let config = resolve(Source::new(&flags, environment), environment)?;
    match flags.get_flag(PRINT_CONFIG) {
        true => Ok(Asked::Print(config.printed)),
        false => Ok(Asked::Serve(Box::new(config))),
    }
}

const PRINT_CONFIG: &str = "print-config";

fn command() -> Command {
    let mut command = Command::new("game-service")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The gRPC service of Hand and Foot: tables, play, watching, work for bots.")
        .after_help(after_help());
    for variable in variables::ALL {
        let default = variable.default.map_or(String::new(), |text| format!(" [default: {text}]"));
        let help = format!("{}{default} [env: {}]", variable.help, variable.name);
        let argument = Arg::new(variable.flag).long(variable.flag).value_name(variable.value);
        command = command.arg(argument.help(help));
        if variable.shown == Shown::Secret {
            let argument = Arg::new(variable.file_flag).long(variable.file_flag);
            let help = format!("The same from a file [env: {}]", variable.file_name);
            command = command.arg(argument.value_name("PATH").help(help));
        }
    }
    let print = Arg::new(PRINT_CONFIG).long(PRINT_CONFIG).action(ArgAction::SetTrue);
    command.arg(print.help("Print what holds, secrets hidden, and end"))
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

fn resolve(mut source: Source<'_>, environment: &dyn Strings) -> Result<Config, Mistakes> {
    use variables as v;
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let listen = source.value(&v::LISTEN, values::address);
    let health_listen = source.value(&v::HEALTH_LISTEN, values::address);
    let store = store_url(&mut source);
    let keys = keys::read(&mut source, [(&v::LISTEN, listen), (&v::HEALTH_LISTEN, health_listen)]);
    let drain =
        source.value(&v::DRAIN, |text| values::duration(text, Duration::ZERO..=minutes(10)));
    let streams =
        source.value(&v::STREAMS_PER_CONNECTION_MAX, |text| values::number(text, 1..=65_536));
    let ages = Duration::from_secs(10)..=minutes(24 * 60);
    let age = source.value(&v::CONNECTION_AGE, |text| values::duration(text, ages));
    let tables = source.value(&v::TABLES_MAX, |text| values::number(text, 1..=10_000_000));
    let entries = source.value(&v::LOG_ENTRIES_MAX, |text| values::number(text, 256..=1_000_000));
    let threads = source.value(&v::WORKER_THREADS, |text| values::number(text, 1..=512_usize));
    let log = source.value(&v::LOG, telemetry::filter);
    let log_format = source.value(&v::LOG_FORMAT, str::parse);
    let (Some(listen), Some(store), Some(keys), Some(drain), Some(streams), Some(age)) =
        (listen, store, keys, drain, streams, age)
    else {
        return Err(Mistakes(source.mistakes));
    };
    let (Some(tables), Some(entries), Some(log), Some(log_format)) =
        (tables, entries, log, log_format)
    else {
        return Err(Mistakes(source.mistakes));
    };
    let printed = print::effective(&mut source);
    if !source.mistakes.is_empty() {
        return Err(Mistakes(source.mistakes));
    }
    Ok(Config {
        listen,
        health_listen,
        store,
        store_limits: Limits { tables, log_entries: entries, ..Limits::STANDARD },
        keys,
        settings: Settings { drain, streams_per_connection_max: streams, connection_age: age },
        worker_threads: threads.and_then(NonZeroUsize::new),
        log,
        log_format,
        warnings: print::unknown(environment),
        printed,
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
