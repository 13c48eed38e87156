//! `game-service`: the gRPC server of Hand and Foot.
//!
//! **Invariant:** this file only puts together what the library has, and ends the process. Nothing
//! is opened before the configuration is known to be right.

use std::io::Write;
use std::process::ExitCode;

use handfoot_game_service::config::{self, Asked};
use handfoot_game_service::exit::Exit;
use handfoot_game_service::rpc::api;
use handfoot_game_service::server::start;
use mimalloc::MiMalloc;

/// One thread allocates what another frees, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let arguments = std::env::args_os().map(|text| text.to_string_lossy().into_owned());
    let config = match config::read(arguments, &config::Environment) {
        Ok(Asked::Serve(config)) => config,
        Ok(Asked::Print(text)) => {
            return match std::io::stdout().write_all(text.as_bytes()) {
                Ok(()) => Exit::Ok.into(),
                Err(_) => Exit::Io.into(),
            };
        }
        Err(error) => return failed(&error, Exit::Config),
    };
    match start(&config, api) {
        Ok(_) => Exit::Ok.into(),
        Err(error) => failed(&error, error.exit()),
    }
}

fn failed(error: &dyn std::error::Error, exit: Exit) -> ExitCode {
    // If nobody can be told, the exit code still says it.
    let _ = writeln!(std::io::stderr(), "game-service: {error}");
    exit.into()
}
