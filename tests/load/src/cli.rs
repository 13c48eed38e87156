//! The command line: what can be asked for.
//!
//! **Invariant:** words and numbers only; nothing is started or printed here.

use clap::{Args, Parser, Subcommand};

use crate::subject::Subject;

const EXAMPLES: &str = "\
Exit codes:
  0  all went well
  1  an answer was wrong, or with --assert a goal is missed
  2  the command line asks for something that does not exist
  3  nothing could be measured: a server did not start, a call failed

Examples:
  handfoot-load run                          the whole measurement, about three minutes
  handfoot-load run --rounds 9 --assert      more rounds; exit code 1 if a goal is missed
  handfoot-load run --json                   the same as one JSON object
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
    /// Measure one thing over and over, for a profiler
    Cell(CellArgs),
    /// The server of the baselines, which the others start
    #[command(hide = true)]
    BareServer(WorkersArgs),
    /// The game-service, which the others start
    #[command(hide = true)]
    Serve(ServeArgs),
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
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) setting: Setting,
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
pub(crate) struct CellArgs {
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// What is measured: bare, memory or file
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
    /// Flags of game-service
    #[arg(last = true)]
    pub(crate) flags: Vec<String>,
}
