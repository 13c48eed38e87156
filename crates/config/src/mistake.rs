//! What is wrong with a configuration.
//!
//! **Invariant:** a mistake in a secret is described, never repeated.

use std::fmt;

use crate::variable::{Shown, Variable};

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The environment variable.
    pub variable: String,
    /// The flag, with its dashes.
    pub flag: String,
    /// What is wrong, as the end of a sentence that begins with the value.
    pub problem: String,
    /// What would be right.
    pub example: &'static str,
}

impl Mistake {
    pub(crate) fn new(variable: &Variable, problem: impl fmt::Display) -> Self {
        Self {
            variable: variable.name.to_owned(),
            flag: variable.shown_flag(),
            problem: problem.to_string(),
            example: variable.example,
        }
    }

    /// A mistake in a value, which is repeated unless it is secret.
    pub(crate) fn in_value(variable: &Variable, value: &str, problem: impl fmt::Display) -> Self {
        let value = match variable.shown {
            Shown::Open => quoted(value),
            Shown::Secret | Shown::Private => None,
        };
        let value = value.as_deref().unwrap_or("the value");
        Self::new(variable, format_args!("{value} {problem}"))
    }
}

/// A text in quotes, as a message may repeat it; none if it looks like an address with a user in
/// it, and so perhaps with a password, wherever it was given.
#[must_use]
pub fn quoted(text: &str) -> Option<String> {
    (!text.contains('@')).then(|| format!("{text:?}"))
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, flag, problem, example } = self;
        write!(f, "{variable} ({flag}): {problem}\n    for example: {example}")
    }
}

/// All mistakes of a configuration; at least one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes(pub Vec<Mistake>);

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("the configuration has a mistake:")?,
            number => write!(f, "the configuration has {number} mistakes:")?,
        }
        self.0.iter().try_for_each(|mistake| write!(f, "\n  {mistake}"))
    }
}
