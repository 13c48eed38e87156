//! `handfoot`: Hand and Foot on one machine, for whoever tries it.
//!
//! **Invariant:** this file only chooses a command and ends the process. What a command prints goes
//! through `out`, how it ends through `exit`.

mod calls;
mod cli;
mod conform_cmd;
mod demo;
mod exit;
mod gallery;
mod local;
mod mirror;
mod names;
mod narrate;
mod options;
mod out;
mod play;
mod record_cmd;
mod report;
mod rules_cmd;
mod scores;
mod secure;
mod serve_cmd;
mod session;
mod setup;
mod sheet;
mod simulate;
mod tally;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

use cli::{Cli, Command};
use exit::{Exit, Stop};
use out::Out;

/// One thread allocates what another frees, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let ended = match Cli::try_parse_from(&arguments) {
        Ok(Cli { command: Some(command) }) => run(command),
        Ok(Cli { command: None }) => match Cli::try_parse_from(["handfoot", "demo"]) {
            Ok(Cli { command }) => command.map_or(Ok(Exit::Ok), run),
            Err(error) => explain(&error),
        },
        Err(error) => explain(&error),
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(Stop::Closed) => Exit::Ok.into(),
        Err(Stop::Failed(failure)) => {
            let mut out = Out::stderr();
            // If nobody can be told, the exit code still says it.
            let _ = out.line(format!("error: {}", failure.what));
            let _ = out.line(format!("  try: {}", failure.next));
            failure.exit.into()
        }
    }
}

fn run(command: Command) -> Result<Exit, Stop> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Serve(args) => serve_cmd::run(&args),
        Command::Rules(command) => rules_cmd::run(&command),
        Command::Simulate(args) => simulate::run(&args),
        Command::Conform(args) => conform_cmd::run(&args),
        Command::Record(command) => record_cmd::run(&command),
    }
}

/// Prints help, the version, or why the command line makes no sense.
fn explain(error: &clap::Error) -> Result<Exit, Stop> {
    let text = error.render().to_string();
    if error.use_stderr() {
        Out::stderr().text(&text)?;
        return Ok(Exit::Usage);
    }
    Out::stdout().text(&text)?;
    Ok(Exit::Ok)
}
