//! How the process ends, for whoever started it.
//!
//! **Invariant:** the numbers are a promise to operators; they are those of `sysexits.h`.

use std::process::ExitCode;

use crate::work::Ended;

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It worked and ended when it was told to.
    Ok,
    /// The configuration is wrong; nothing was connected to.
    Config,
    /// The port for metrics cannot be had.
    Unavailable,
    /// A fault of the program or of the system.
    Internal,
    /// Time was up with decisions under way: other workers get them when their leases run out.
    Cut,
    /// The server does not accept the credential.
    NotAllowed,
}

impl Exit {
    /// All there are.
    pub const ALL: [Exit; 6] =
        [Exit::Ok, Exit::Config, Exit::Unavailable, Exit::Internal, Exit::Cut, Exit::NotAllowed];

    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Config => 64,
            Exit::Unavailable => 69,
            Exit::Internal => 70,
            Exit::Cut => 75,
            Exit::NotAllowed => 77,
        }
    }

    /// What it means, for `--help`.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Exit::Ok => "worked, and ended when told to",
            Exit::Config => "the configuration is wrong; nothing was connected to",
            Exit::Unavailable => "the port for metrics is in use, or cannot be had",
            Exit::Internal => "a fault of the program or of the system",
            Exit::Cut => "ended with decisions under way; their leases run out by themselves",
            Exit::NotAllowed => "the server does not accept the credential",
        }
    }
}

impl From<Ended> for Exit {
    fn from(ended: Ended) -> Exit {
        match ended {
            Ended::Drained => Exit::Ok,
            Ended::Cut => Exit::Cut,
            Ended::NotAllowed => Exit::NotAllowed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
