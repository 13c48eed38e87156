//! The configuration for people to read.
//!
//! **Invariant:** of a secret it shows that it is given, and where, and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::source::{Origin, Source, Strings};
use crate::variable::{Shown, Variable};

/// What holds and where it comes from, a line for each variable, as for a shell.
pub(crate) fn effective(source: &mut Source<'_>, variables: &[&Variable]) -> String {
    let mut text = String::new();
    for variable in variables {
        let (value, origin) = match source.given(variable) {
            None => (String::new(), "not given"),
            Some(given) => {
                let value = match variable.shown {
                    Shown::Open => given.text,
                    Shown::Secret | Shown::Private => "(hidden)".to_owned(),
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
pub(crate) fn unread(
    environment: &dyn Strings,
    prefix: &str,
    variables: &[&Variable],
) -> Vec<String> {
    let mut known = BTreeSet::new();
    for variable in variables {
        known.insert(variable.name.to_owned());
        if variable.has_file() {
            known.insert(variable.file_name.to_owned());
        }
    }
    let mut unknown: Vec<String> = environment.names();
    unknown.retain(|name| name.starts_with(prefix) && !known.contains(name));
    // An orchestrator sets these for a service with such a name.
    unknown.retain(|name| !name.contains("_SERVICE_") && !name.contains("_PORT"));
    unknown.sort();
    unknown.iter().map(|name| format!("{name} is set, but nothing reads it")).collect()
}
