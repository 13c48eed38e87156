//! The command line: what can be asked for.
//!
//! **Invariant:** words and numbers only; nothing is started or printed here.

use std::collections::BTreeSet;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::subject::{Side, Subject};

const EXAMPLES: &str = "\
Exit codes:
  0  all went well
  1  an answer was wrong, or with --assert a goal is missed
  2  the command line asks for something that does not exist
  3  nothing could be measured: a server did not start, a call failed

Examples:
  handfoot-load run                          the whole measurement, about seven minutes
  handfoot-load run --subjects redis         tables in Redis, beside the baselines
  handfoot-load run --rounds 9 --assert      more rounds; exit code 1 if a goal is missed
  handfoot-load run --json                   the same as one JSON object
  handfoot-load scale                        1, 2 and 3 servers on one Redis, up to 10,000 tables
  handfoot-load streams                      10,000 streams on one server, and its end under them
  handfoot-load streams --connections 10000 --tables-per-connection 1 --subjects memory
                                             a connection for every four streams
  handfoot-load people                       people's tables beside bots that are short of CPU
  handfoot-load telemetry                    what metrics and traces cost, and counting 10,000 tables
  handfoot-load check                        results and sizes in seconds, without any time
  handfoot-load cell --subject memory --in-flight 64 --watched
                                             one measurement over and over, for a profiler
  handfoot-load cell --subject file --half-load --times 20
                                             the same at half load, to look for stalls";

/// Measures the service against bare gRPC servers with messages of the same size.
#[derive(Debug, Parser)]
#[command(name = "handfoot-load", version, about, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure everything and compare with the goals
    Run(RunArgs),
    /// Check that few actions give the right results and sizes; no time is judged
    Check(CheckArgs),
    /// Measure what an action costs with more servers and more tables
    Scale(ScaleArgs),
    /// Measure many streams on one server, and end it under them
    Streams(StreamsArgs),
    /// Measure people's tables beside bots that are short of CPU
    People(PeopleArgs),
    /// Measure what metrics, traces and the counting of tables cost
    Telemetry(TelemetryArgs),
    /// Measure one thing over and over, for a profiler
    Cell(CellArgs),
    /// The server of the baselines, which the others start
    #[command(hide = true)]
    BareServer(WorkersArgs),
    /// The game-service, which the others start
    #[command(hide = true)]
    Serve(ServeArgs),
    /// The bot-service, which the others start
    #[command(hide = true)]
    Bots(ServeArgs),
}

/// How everything is measured.
#[derive(Args, Clone, Debug)]
pub(crate) struct Setting {
    /// Threads that serve, and threads that call
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) workers: u16,
    /// Connections that tables share
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) connections: u16,
    /// Fixes every game
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Actions of a table in one measurement, at most
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(16..=100_000))]
    pub(crate) actions: u32,
    /// Send the baseline no credential: its calls are then smaller than the service's
    #[arg(long)]
    pub(crate) without_credential: bool,
    /// What servers tell meanwhile
    #[arg(long, value_name = "WHAT", default_value = "off")]
    pub(crate) telemetry: Telemetry,
}

/// What servers tell of themselves while they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Telemetry {
    /// Nothing.
    Off,
    /// Metrics.
    Metrics,
    /// Metrics, and a trace of one call in twenty.
    Sampled,
    /// Metrics, and a trace of every call.
    Traces,
}

impl Telemetry {
    /// All, from the cheapest.
    pub(crate) const ALL: [Telemetry; 4] =
        [Telemetry::Off, Telemetry::Metrics, Telemetry::Sampled, Telemetry::Traces];

    /// The part of calls whose traces are sent, if any are.
    pub(crate) const fn sampled(self) -> Option<&'static str> {
        match self {
            Telemetry::Off | Telemetry::Metrics => None,
            Telemetry::Sampled => Some("0.05"),
            Telemetry::Traces => Some("1"),
        }
    }

    /// In words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Telemetry::Off => "nothing",
            Telemetry::Metrics => "metrics",
            Telemetry::Sampled => "metrics, traces of 5 %",
            Telemetry::Traces => "metrics, traces of all",
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// What is measured beside its baselines, separated by commas; without it everything
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) subjects: Vec<Subject>,
    /// How often everything is measured, with new servers each time; medians are reported
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) rounds: u16,
    /// Exit code 1 if a goal is missed
    #[arg(long)]
    pub(crate) assert: bool,
    /// One JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunArgs {
    /// What is measured, in order.
    pub(crate) fn subjects_and_baselines(&self) -> BTreeSet<Subject> {
        if self.subjects.is_empty() {
            return BTreeSet::from(Subject::ALL);
        }
        let baselines = self.subjects.iter().flat_map(|subject| subject.baselines());
        baselines.chain(&self.subjects).copied().collect()
    }
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Fixes every game
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// One JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ScaleArgs {
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// Processes of the game-service on one Redis, separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2, 3])]
    pub(crate) servers: Vec<usize>,
    /// Tables, separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 1_000, 10_000])]
    pub(crate) tables: Vec<usize>,
    /// Actions a second, of each server or in all
    #[arg(long, value_name = "N", default_value_t = 1_500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rate: u32,
    /// Whose rate that is
    #[arg(long, value_name = "WHOSE", default_value = "each")]
    pub(crate) rate_of: RateOf,
    /// Seconds for which that is held, at most
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub(crate) seconds: u32,
    /// How often everything is measured, with new servers each time; medians are reported
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) rounds: u16,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose a rate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RateOf {
    /// Each server's: a server is added for more actions
    Each,
    /// All servers' together: one is added to the same actions
    All,
}

impl ScaleArgs {
    /// Actions a second of so many servers.
    pub(crate) fn rate_in_all(&self, n_servers: usize) -> u32 {
        match self.rate_of {
            RateOf::Each => self.rate.saturating_mul(u32::try_from(n_servers).unwrap_or(u32::MAX)),
            RateOf::All => self.rate,
        }
    }

    /// The rate, in words.
    pub(crate) fn rate_in_words(&self) -> String {
        let whose = match self.rate_of {
            RateOf::Each => "for each server",
            RateOf::All => "in all",
        };
        format!("{} actions a second {whose}", self.rate)
    }
}

#[derive(Args, Debug)]
pub(crate) struct StreamsArgs {
    /// What is measured, separated by commas: memory, file, redis or replicated
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values = ["memory", "redis"], value_parser = service)]
    pub(crate) subjects: Vec<Subject>,
    /// Connections
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=20_000))]
    pub(crate) connections: u16,
    /// Tables of a connection; each has four streams
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) tables_per_connection: u16,
    /// Actions a second
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rate: u32,
    /// Threads that serve, and threads that call
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) workers: u16,
    /// Fixes every game
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// One JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// A subject that has tables of the service.
fn service(text: &str) -> Result<Subject, String> {
    let subject: Subject = text.parse()?;
    match subject.side() {
        Side::Service => Ok(subject),
        Side::Bare | Side::Script => Err("has no tables of the service".to_owned()),
    }
}

#[derive(Args, Debug)]
pub(crate) struct PeopleArgs {
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// Where tables are: memory, file, redis or replicated
    #[arg(long, value_name = "NAME", default_value = "redis", value_parser = service)]
    pub(crate) subject: Subject,
    /// Tables of people, each with four streams
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) tables: u16,
    /// Actions of people a second, in all
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rate: u32,
    /// Seconds for which that is held
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub(crate) seconds: u32,
    /// Tables of four bots that never pause
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) bot_tables: u16,
    /// Processes that play them
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) bot_processes: u16,
    /// Cores that all of these have together, one measurement each, separated by commas
    #[arg(long, value_name = "CORES", value_delimiter = ',', default_values_t = [0.1, 0.25, 0.5])]
    pub(crate) bot_cores: Vec<f64>,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TelemetryArgs {
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// Where tables are, separated by commas: memory, file, redis or replicated
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values = ["memory", "redis"], value_parser = service)]
    pub(crate) subjects: Vec<Subject>,
    /// Actions a second: so many that no cell is better for working in larger batches
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rate: u32,
    /// How often everything is measured, with new servers each time; medians are reported
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) rounds: u16,
    /// Tables in Redis that are counted
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) tables: u32,
    /// One JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CellArgs {
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// What is measured: bare, script, memory, file, redis or replicated
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Subject,
    /// Actions in flight
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) in_flight: u16,
    /// At half the rate that it reached with so many in flight, which is measured each time before
    #[arg(long)]
    pub(crate) half_load: bool,
    /// A watcher for each seat
    #[arg(long)]
    pub(crate) watched: bool,
    /// How often it is measured
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) times: u16,
}

#[derive(Args, Debug)]
pub(crate) struct WorkersArgs {
    /// Threads that serve
    #[arg(long, default_value_t = 1)]
    pub(crate) workers: u16,
}

#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// Flags of the service
    #[arg(last = true)]
    pub(crate) flags: Vec<String>,
}
