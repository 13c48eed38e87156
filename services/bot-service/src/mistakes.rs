//! Mistakes of a configuration, collected.
//!
//! **Invariant:** a mistake names the flag and the variable and says what would be right; it never
//! repeats a value that may be a secret.

use std::fmt;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The flag, without dashes.
    pub flag: &'static str,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// Every mistake of a configuration, at least one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes(pub Vec<Mistake>);

/// The environment variable that stands for a flag.
pub(crate) fn variable(flag: &str) -> String {
    format!("HANDFOOT_BOT_{}", flag.replace('-', "_").to_ascii_uppercase())
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{} ({}): {}", self.flag, variable(self.flag), self.problem)
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration is wrong:")?;
        for mistake in &self.0 {
            write!(f, "\n  {mistake}")?;
        }
        Ok(())
    }
}
