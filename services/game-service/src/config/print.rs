//! The configuration for people to read.
//!
//! **Invariant:** of a secret it shows that it is given, and where, and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::source::{Origin, Source, Strings};
use super::variables::{self, Shown};

/// What holds and where it comes from, a line for each variable, as for a shell.
pub(super) fn effective(source: &mut Source<'_>) -> String {
    let mut text = String::new();
    for variable in variables::ALL {
        let (value, origin) = match source.given(variable) {
            None => (String::new(), "not given"),
            Some(given) => {
                let value = match variable.shown {
                    Shown::Open => given.text,
                    Shown::Secret => "(hidden)".to_owned(),
                };
                let origin = match given.origin {
                    Origin::Flag => "flag",
                    Origin::Environment => "environment",
                    Origin::Default => "default",
                };
                (value, origin)
            }
        };
        // Writing to a text does not fail.
        let _ = writeln!(text, "{}={value}  # {origin}", variable.name);
    }
    text
}

/// Says which variables are set that nothing reads: often a misspelt one.
pub(super) fn unknown(environment: &dyn Strings) -> Vec<String> {
    let mut known = BTreeSet::new();
    for variable in variables::ALL {
        known.insert(variable.name.to_owned());
        known.insert(variable.file_name.to_owned());
    }
    let mut unknown: Vec<String> = environment.names();
    unknown.retain(|name| name.starts_with("HANDFOOT_") && !known.contains(name));
    // An orchestrator sets these for a service with such a name.
    unknown.retain(|name| !name.contains("_SERVICE_") && !name.contains("_PORT"));
    unknown.sort();
    unknown.iter().map(|name| format!("{name} is set, but nothing reads it")).collect()
}
