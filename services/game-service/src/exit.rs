//! How the process ends, for whoever started it.
//!
//! **Invariant:** the numbers are a promise to operators; they are those of `sysexits.h`.

use std::process::ExitCode;

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It served and ended when it was told to.
    Ok,
    /// The configuration is wrong; nothing was opened.
    Config,
    /// Something that it needs cannot be had: the port is in use, or the store is away, in use or
    /// not readable.
    Unavailable,
    /// A fault of the program.
    Internal,
    /// Reading or writing failed: the disk is full, or what is stored is damaged.
    Io,
}

impl Exit {
    /// All there are.
    pub const ALL: [Self; 5] =
        [Self::Ok, Self::Config, Self::Unavailable, Self::Internal, Self::Io];

    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Config => 64,
            Self::Unavailable => 69,
            Self::Internal => 70,
            Self::Io => 74,
        }
    }

    /// What it means, for `--help`.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "served, and ended when told to",
            Self::Config => "the configuration is wrong; nothing was opened",
            Self::Unavailable => "the port is in use, or the store is away, in use or not readable",
            Self::Internal => "a fault of the program: please report it with what was printed",
            Self::Io => "reading or writing failed: a full disk, a damaged store",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
