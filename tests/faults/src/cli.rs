//! The command line: what can be asked for.
//!
//! **Invariant:** words and numbers only; nothing is started or printed here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Needs redis-server (7.0 or later) on the search path, or named by HANDFOOT_REDIS_SERVER. Run by
cargo, it builds the services first.

Exit codes:
  0  everything held
  1  a promise was broken: see the findings
  2  the command line asks for something that does not exist
  3  something could not be tried: a program is missing or does not start

Examples:
  handfoot-faults check                        a selection at few tables, in less than three minutes
  handfoot-faults check --seed 7               another selection, and other choices in it
  handfoot-faults run                          every scenario at 200 tables
  handfoot-faults run a_killed_replica_loses_nothing --tables 20
                                               one scenario at 20 tables
  handfoot-faults run --json                   the same as JSON, an object a line
  handfoot-faults list                         every scenario and what it does";

/// Kills, stops and cuts off the real processes of the service while games are played, and holds
/// what is left against what was acknowledged.
#[derive(Debug, Parser)]
#[command(name = "handfoot-faults", version, about, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Try a selection of scenarios at few tables
    Check(CheckArgs),
    /// Try every scenario, or those that are named
    Run(RunArgs),
    /// Say which scenarios there are
    List,
}

/// What both forms are told.
#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// Fixes every deal and every choice of a scenario
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub(crate) seed: u64,
    /// One JSON object a line instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Leave logs and files of the services in the temporary folder
    #[arg(long)]
    pub(crate) keep: bool,
    /// Where game-service and bot-service are, if not beside this program
    #[arg(long, value_name = "FOLDER")]
    pub(crate) programs: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Names of scenarios, tried in their short form; none: a selection
    #[arg(value_name = "SCENARIO")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) common: Common,
    /// Tables that are played at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(4..=2_000))]
    pub(crate) tables: u16,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Names of scenarios; none: all
    #[arg(value_name = "SCENARIO")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) common: Common,
    /// Tables that are played at once
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(4..=2_000))]
    pub(crate) tables: u16,
}
