//! The laws that a single position can break, by name.
//!
//! **Invariant:** names only; how each is checked stands in `invariant.rs`.

/// A law that a position breaks: a fault of the engine, never of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// All zones together are not the pack.
    Conservation,
    /// The public table counts other numbers than the zones hold.
    Counts,
    /// A team has melds that no lay could have left.
    Melds,
    /// Nobody can act and the round is not over.
    NoProgress,
    /// A round has more turns than its cards allow.
    Endless,
}

impl Fault {
    /// The law, said of a position that breaks it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Fault::Conservation => "all zones together are not the pack",
            Fault::Counts => "the public counts differ from what the zones hold",
            Fault::Melds => "a meld on the table breaks a rule",
            Fault::NoProgress => "nobody can act and the round is not over",
            Fault::Endless => "the round has more turns than its cards allow",
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Fault {}
