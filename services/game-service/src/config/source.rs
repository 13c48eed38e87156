//! Where values come from: a flag before the environment before the default.
//!
//! **Invariant:** every mistake is kept and reading goes on, so that one run shows them all.

use std::fmt;
use std::fs;
use std::path::Path;

use super::mistake::Mistake;
use super::variables::{Shown, Variable};

/// The most that a file with a secret may hold, in bytes.
const SECRET_BYTES_MAX: u64 = 1024 * 1024;

/// Texts by name: the environment, or a map in tests.
pub trait Strings {
    /// The text with a name.
    fn get(&self, name: &str) -> Option<String>;

    /// The names there are.
    fn names(&self) -> Vec<String>;
}

/// The environment of the process.
#[derive(Clone, Copy, Debug)]
pub struct Environment;

impl Strings for Environment {
    fn get(&self, name: &str) -> Option<String> {
        // What is not UTF-8 comes with a mark that no value has, and so is a mistake.
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn names(&self) -> Vec<String> {
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }
}

impl Strings for std::collections::BTreeMap<String, String> {
    fn get(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Flag,
    Environment,
    Default,
}

/// What was given for a variable.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) text: String,
    pub(super) origin: Origin,
}

/// Reads variables and keeps the mistakes.
pub(super) struct Source<'a> {
    flags: &'a clap::ArgMatches,
    environment: &'a dyn Strings,
    pub(super) mistakes: Vec<Mistake>,
}

impl<'a> Source<'a> {
    pub(super) const fn new(flags: &'a clap::ArgMatches, environment: &'a dyn Strings) -> Self {
        Self { flags, environment, mistakes: Vec::new() }
    }

    /// Keeps a mistake.
    pub(super) fn wrong(&mut self, variable: &Variable, problem: impl fmt::Display) {
        self.mistakes.push(Mistake::new(variable, problem));
    }

    /// The text of a variable; none if it is not given and has no default, or cannot be read.
    pub(super) fn given(&mut self, variable: &Variable) -> Option<Given> {
        let flag = self.flag(variable.flag);
        let named = self.set(variable.name);
        let (file_flag, file_named) = match variable.shown {
            Shown::Open => (None, None),
            Shown::Secret => (self.flag(variable.file_flag), self.set(variable.file_name)),
        };
        let given = match (flag, file_flag, named, file_named) {
            (Some(_), Some(_), _, _) => {
                let file = variable.file_flag;
                self.wrong(variable, format_args!("is given twice, also by --{file}"));
                return None;
            }
            (Some(text), None, _, _) => Some((text, Origin::Flag)),
            (None, Some(path), _, _) => Some((self.read(variable, &path)?, Origin::Flag)),
            (None, None, Some(_), Some(_)) => {
                let file = variable.file_name;
                self.wrong(variable, format_args!("is given twice, also by {file}"));
                return None;
            }
            (None, None, Some(text), None) => Some((text, Origin::Environment)),
            (None, None, None, Some(path)) => {
                Some((self.read(variable, &path)?, Origin::Environment))
            }
            (None, None, None, None) => variable.default.map(|t| (t.to_owned(), Origin::Default)),
        };
        given.map(|(text, origin)| Given { text, origin })
    }

    /// The text of a variable that must be given.
    pub(super) fn required(&mut self, variable: &Variable) -> Option<String> {
        let mistakes = self.mistakes.len();
        let given = self.given(variable);
        if given.is_none() && self.mistakes.len() == mistakes {
            self.wrong(variable, "is not set, and there is no default");
        }
        given.map(|given| given.text)
    }

    /// The value of a variable that must be given.
    pub(super) fn required_value<T, E: fmt::Display>(
        &mut self,
        variable: &Variable,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.required(variable)?;
        self.read_from(variable, &text, read)
    }

    /// The value of a variable, read from its text.
    pub(super) fn value<T, E: fmt::Display>(
        &mut self,
        variable: &Variable,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.given(variable)?.text;
        self.read_from(variable, &text, read)
    }

    fn read_from<T, E: fmt::Display>(
        &mut self,
        variable: &Variable,
        text: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        match read(text) {
            Ok(value) => Some(value),
            Err(problem) => {
                self.mistakes.push(Mistake::in_value(variable, text, problem));
                None
            }
        }
    }

    fn flag(&self, id: &str) -> Option<String> {
        self.flags.get_one::<String>(id).cloned()
    }

    /// An environment variable. An empty one is as good as none: that is how templates leave out.
    fn set(&self, name: &str) -> Option<String> {
        self.environment.get(name).filter(|text| !text.is_empty())
    }

    fn read(&mut self, variable: &Variable, path: &str) -> Option<String> {
        match read_secret(Path::new(path)) {
            Ok(text) => Some(text.trim_end().to_owned()),
            Err(problem) => {
                self.wrong(variable, format_args!("the file {path:?} {problem}"));
                None
            }
        }
    }
}

fn read_secret(path: &Path) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("cannot be read ({})", error.kind());
    let size = fs::metadata(path).map_err(cannot)?;
    if !size.is_file() {
        return Err("is not a file".to_owned());
    }
    if size.len() > SECRET_BYTES_MAX {
        return Err("is too large".to_owned());
    }
    let bytes = fs::read(path).map_err(cannot)?;
    let text = String::from_utf8(bytes).map_err(|_| "is not text".to_owned())?;
    match text.trim().is_empty() {
        true => Err("is empty".to_owned()),
        false => Ok(text),
    }
}
