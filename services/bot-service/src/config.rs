//! The configuration: flags, environment, defaults, and all mistakes at once.
//!
//! **Invariant:** nothing is connected to here; the files of a credential and for TLS are
//! read.

mod tls;
mod variables;

use std::fmt::{Display, Write};
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use handfoot_bots::Level;
use handfoot_client::{BotCredential, Endpoint, TlsSettings};
use handfoot_config::{Program, Source, Variable, quoted};
use handfoot_telemetry::{LogFilter, LogFormat, Logs, Traces};

use crate::budget::Budget;
use crate::exit::Exit;
use crate::work::{SeatTaking, Work};

pub use handfoot_config::{ConfigError, Environment, Mistake, Mistakes, Strings};
pub use variables::ALL as VARIABLES;

/// Characters of a worker's name, at most.
const WORKER_CHARACTERS_MAX: usize = 64;

/// A whole configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where servers are.
    pub endpoints: Vec<Endpoint>,
    /// How those behind `https://` are known.
    pub tls: TlsSettings,
    /// The credential of the worker.
    pub credential: BotCredential,
    /// How it works.
    pub work: Work,
    /// What is logged, and how it looks.
    pub logs: Logs,
    /// Where metrics are read.
    pub metrics_listen: Option<SocketAddr>,
    /// Where traces are sent.
    pub traces: Option<Traces>,
    /// What is odd, to be logged.
    pub warnings: Vec<String>,
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
        name: "bot-service",
        version: env!("CARGO_PKG_VERSION"),
        about: "Plays the seats of bots through the API of game-service.",
        prefix: "HANDFOOT_BOT_",
        variables: variables::ALL,
        after_help: after_help(),
    };
    let warnings = program.unread(environment);
    program.read(arguments, environment, |source| resolve(source, warnings).map(Box::new))
}

fn after_help() -> String {
    let mut text = String::from(
        "A flag counts before an environment variable. Lengths of time have a unit: 200ms, 25s, \
         5m.\n\nExit codes:\n",
    );
    for exit in Exit::ALL {
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {:>2}  {}", exit.code(), exit.meaning());
    }
    text
}

/// The configuration; none if the source has mistakes.
fn resolve(source: &mut Source<'_>, warnings: Vec<String>) -> Option<Config> {
    use handfoot_config::{address, duration, number, part, server};
    use variables as v;
    let within = |least: u64, most: u64| Duration::from_secs(least)..=Duration::from_secs(most);
    let endpoints: Option<Vec<Endpoint>> = entries(source, &v::SERVERS);
    let tls = tls::read(source, endpoints.as_deref());
    let credential = source.required_value(&v::CREDENTIAL, |text| BotCredential::new(text.trim()));
    let worker = source.value(&v::WORKER, worker);
    let levels = entries(source, &v::LEVELS).map(|mut levels: Vec<Level>| {
        levels.sort_unstable();
        levels.dedup();
        levels
    });
    let concurrency = source.value(&v::CONCURRENCY, |text| number(text, 1..=4096_usize));
    let rollouts_max = source.value(&v::ROLLOUTS_MAX, |text| number(text, 1..=1_000_000));
    let wait = source.value(&v::WAIT, |text| duration(text, within(0, 30)));
    let lease = source.value(&v::LEASE, |text| duration(text, within(1, 60)));
    let drain = source.value(&v::DRAIN, |text| duration(text, within(1, 300)));
    let seats = source.value(&v::SEATS, seats);
    let report_every = source.value(&v::REPORT_EVERY, |text| duration(text, within(0, 3600)));
    let filter: Option<LogFilter> = source.value(&v::LOG, str::parse);
    let format: Option<LogFormat> = source.value(&v::LOG_FORMAT, str::parse);
    let metrics_listen = source.value(&v::METRICS_LISTEN, address);
    let endpoint = source.value(&v::TRACES_ENDPOINT, server);
    let sample = source.value(&v::TRACES_SAMPLE, part);
    let work = Work {
        worker: worker?,
        levels: levels?,
        concurrency: concurrency?,
        budget: Budget { rollouts_max: rollouts_max? },
        wait: wait?,
        lease: lease?,
        drain: drain?,
        seats: seats?,
        report_every: report_every?,
    };
    Some(Config {
        endpoints: endpoints?,
        tls,
        credential: credential?,
        work,
        logs: Logs { format: format?, filter: filter? },
        metrics_listen,
        traces: endpoint.zip(sample).map(|(endpoint, sample)| Traces { endpoint, sample }),
        warnings,
    })
}

/// Entries with commas between, at least one; none if any is wrong.
fn entries<T: FromStr<Err: Display>>(
    source: &mut Source<'_>,
    variable: &Variable,
) -> Option<Vec<T>> {
    source.value(variable, |text| {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let (mut read, mut problems) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry.parse() {
                Ok(value) => read.push(value),
                Err(problem) => {
                    let entry = quoted(entry);
                    let entry = entry.as_deref().unwrap_or("an entry");
                    problems.push(format!("{entry} {problem}"));
                }
            }
        }
        match (read.is_empty(), problems.is_empty()) {
            (_, false) => Err(format!("is wrong: {}", problems.join("; "))),
            (true, true) => Err("has no entry".to_owned()),
            (false, true) => Ok(read),
        }
    })
}

fn worker(text: &str) -> Result<String, String> {
    match (1..=WORKER_CHARACTERS_MAX).contains(&text.chars().count()) {
        true => Ok(text.to_owned()),
        false => Err(format!("does not have 1 to {WORKER_CHARACTERS_MAX} characters")),
    }
}

fn seats(text: &str) -> Result<SeatTaking, &'static str> {
    match text {
        "offered" => Ok(SeatTaking::Offered),
        "never" => Ok(SeatTaking::Never),
        _ => Err("is neither offered nor never"),
    }
}
