//! What is measured.
//!
//! **Invariant:** names only; what a subject consists of is in `site`, and how it is played in
//! `running`.

use std::fmt;
use std::str::FromStr;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// tonic with nothing behind it.
    Bare,
    /// A script in Redis with nothing before it: called by the load itself.
    Script,
    /// The game-service with tables in memory.
    Memory,
    /// The game-service with tables in files, as safe as the system's cache.
    File,
    /// The game-service with tables in Redis, acknowledged when the primary has them.
    Redis,
    /// The same, acknowledged when a replica has them too.
    Replicated,
}

/// What stands behind a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A server of ours with nothing behind it.
    Bare,
    /// Redis alone.
    Script,
    /// The game-service.
    Service,
}

/// Whether anybody watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Watchers {
    /// Nobody.
    Nobody,
    /// A stream for each seat of each table.
    EverySeat,
}

/// Where the calls of a table go, if there is more than one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moves {
    /// All to one server, to see what the number of servers costs by itself.
    Never,
    /// Each seat to a server of its own, as players' connections do.
    BySeat,
    /// Each action to the next server, as behind a mesh.
    ByAction,
}

impl Subject {
    /// All of them.
    pub(crate) const ALL: [Subject; 6] = [
        Subject::Bare,
        Subject::Script,
        Subject::Memory,
        Subject::File,
        Subject::Redis,
        Subject::Replicated,
    ];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Subject::Bare => "bare",
            Subject::Script => "script",
            Subject::Memory => "memory",
            Subject::File => "file",
            Subject::Redis => "redis",
            Subject::Replicated => "replicated",
        }
    }

    /// What stands behind its tables.
    pub(crate) const fn side(self) -> Side {
        match self {
            Subject::Bare => Side::Bare,
            Subject::Script => Side::Script,
            Subject::Memory | Subject::File | Subject::Redis | Subject::Replicated => Side::Service,
        }
    }

    /// What it is compared with.
    pub(crate) const fn baselines(self) -> &'static [Subject] {
        match self {
            Subject::Bare | Subject::Script => &[],
            Subject::Memory | Subject::File => &[Subject::Bare],
            Subject::Redis | Subject::Replicated => &[Subject::Bare, Subject::Script],
        }
    }

    /// Whether its tables can be watched.
    pub(crate) const fn may_be(self, watchers: Watchers) -> bool {
        match (self.side(), watchers) {
            (Side::Script, Watchers::EverySeat) => false,
            (Side::Bare | Side::Script | Side::Service, _) => true,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Subject, String> {
        let found = Subject::ALL.into_iter().find(|subject| subject.name() == text);
        found.ok_or_else(|| format!("is none of {}", Subject::ALL.map(Subject::name).join(", ")))
    }
}

impl Moves {
    /// All of them.
    pub(crate) const ALL: [Moves; 3] = [Moves::Never, Moves::BySeat, Moves::ByAction];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Moves::Never => "never",
            Moves::BySeat => "by seat",
            Moves::ByAction => "by action",
        }
    }
}
