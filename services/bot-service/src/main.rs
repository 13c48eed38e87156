//! `bot-service`: plays the seats of bots.
//!
//! **Invariant:** this file only reads the configuration, starts the worker and ends the process.

use std::io::{self, Write};
use std::process::ExitCode;

use handfoot_bot_service::config::{self, Asked, Environment};
use handfoot_bot_service::{Exit, start};

fn main() -> ExitCode {
    let arguments = std::env::args_os().map(|text| text.to_string_lossy().into_owned());
    let config = match config::read(arguments, &Environment) {
        Ok(Asked::Serve(config)) => *config,
        Ok(Asked::Print(text)) => return print(&text),
        Err(problem) => return failed(&problem, Exit::Config),
    };
    match start(config) {
        Ok(exit) => exit.into(),
        Err(problem) => failed(&problem, problem.exit()),
    }
}

fn print(text: &str) -> ExitCode {
    match writeln!(io::stdout(), "{}", text.trim_end()) {
        Ok(()) => Exit::Ok.into(),
        Err(_) => Exit::Internal.into(),
    }
}

fn failed(problem: &dyn std::error::Error, exit: Exit) -> ExitCode {
    // If nobody can be told, the exit code still says it.
    let _ = writeln!(io::stderr(), "bot-service: {}", problem.to_string().trim_end());
    exit.into()
}
