//! The strengths that bots are offered in. Levels differ in thinking, never in information.

use crate::{Casual, Policy, Random};

/// A bot's strength as shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Any legal action.
    Random,
    /// The frozen greedy baseline.
    Casual,
}

/// A level that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLevel {
    /// The name given, at most 40 characters of it.
    pub name: String,
}

impl std::fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
        write!(f, "no level {:?}; there are: {}", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownLevel {}

impl Level {
    /// Every level, weakest first.
    pub const ALL: [Level; 2] = [Level::Random, Level::Casual];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Random => "random",
            Level::Casual => "casual",
        }
    }

    /// The code that plays it.
    #[must_use]
    pub const fn policy(self) -> &'static dyn Policy {
        match self {
            Level::Random => &Random,
            Level::Casual => &Casual,
        }
    }
}

impl std::str::FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Level, UnknownLevel> {
        let found = Level::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownLevel { name: name.chars().take(40).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_level_says_which_exist() {
        assert_eq!("Casual".parse(), Ok(Level::Casual));
        let error = "master".parse::<Level>().unwrap_err();
        assert_eq!(error.to_string(), "no level \"master\"; there are: random, casual");
    }
}
