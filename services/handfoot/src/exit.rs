//! How a command ends: the exit codes, and failures that say what to do next.
//!
//! **Invariant:** every way to end is one of these codes; nothing else in the program names a
//! number.

use std::process::ExitCode;

/// The exit codes, as `handfoot --help` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well.
    Ok,
    /// Something that was checked does not hold.
    CheckFailed,
    /// The command line asks for something that does not exist.
    Usage,
    /// A file was read and makes no sense.
    BadInput,
    /// A file is missing or cannot be read.
    NoInput,
    /// A service cannot be had: a port or a store is in use, or no server can be reached.
    Unavailable,
    /// A law of the engine is broken: a fault of this program.
    Internal,
    /// A file cannot be written.
    CannotWrite,
    /// The store failed: a full disk, damaged files.
    StoreFailed,
    /// A token is not accepted.
    NotAllowed,
    /// A signal came before the end.
    Interrupted,
}

impl Exit {
    /// The number, after sysexits.h where it has one.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::CheckFailed => 1,
            Exit::Usage => 64,
            Exit::BadInput => 65,
            Exit::NoInput => 66,
            Exit::Unavailable => 69,
            Exit::Internal => 70,
            Exit::CannotWrite => 73,
            Exit::StoreFailed => 74,
            Exit::NotAllowed => 77,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.number())
    }
}

/// Why a command stopped before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something is wrong, and it is said in two lines.
    Failed(Failure),
    /// Nobody reads any more what it prints: it ends without a word.
    Closed,
}

/// What is wrong, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The code to end with.
    pub(crate) exit: Exit,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do next.
    pub(crate) next: String,
}

/// A failure, ready to be returned.
pub(crate) fn failed(exit: Exit, what: impl Into<String>, next: impl Into<String>) -> Stop {
    Stop::Failed(Failure { exit, what: what.into(), next: next.into() })
}

impl From<std::io::Error> for Stop {
    /// Writing to the output has failed.
    fn from(error: std::io::Error) -> Stop {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Stop::Closed;
        }
        failed(
            Exit::CannotWrite,
            format!("the output cannot be written: {error}"),
            "free some space, or send the output somewhere else",
        )
    }
}
