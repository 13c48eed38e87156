//! Where values come from: a flag before the environment before the default.
//!
//! **Invariant:** every mistake is kept and reading goes on, so that one run shows them all.

use std::fmt;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use crate::mistake::Mistake;
use crate::variable::Variable;

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
pub(crate) enum Origin {
    Flag,
    Environment,
    Default,
}

/// What was given for a variable.
#[derive(Clone)]
pub(crate) struct Given {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

/// Reads variables and keeps the mistakes.
pub struct Source<'a> {
    flags: &'a clap::ArgMatches,
    environment: &'a dyn Strings,
    mistakes: Vec<Mistake>,
}

impl fmt::Debug for Source<'_> {
    // What was given may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("mistakes", &self.mistakes).finish_non_exhaustive()
    }
}

impl<'a> Source<'a> {
    pub(crate) const fn new(flags: &'a clap::ArgMatches, environment: &'a dyn Strings) -> Self {
        Self { flags, environment, mistakes: Vec::new() }
    }

    /// The mistakes so far.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    pub(crate) fn into_mistakes(self) -> Vec<Mistake> {
        self.mistakes
    }

    /// Keeps a mistake.
    pub fn wrong(&mut self, variable: &Variable, problem: impl fmt::Display) {
        self.mistakes.push(Mistake::new(variable, problem));
    }

    /// The text of a variable; none if it is not given and has no default, or cannot be read.
    pub fn text(&mut self, variable: &Variable) -> Option<String> {
        self.given(variable).map(|given| given.text)
    }

    /// What was given for a variable, and where.
    pub(crate) fn given(&mut self, variable: &Variable) -> Option<Given> {
        let flag = variable.has_flag().then(|| self.flag(variable.flag)).flatten();
        let named = self.set(variable.name);
        let (file_flag, file_named) = match variable.has_file() {
            true => (self.flag(variable.file_flag), self.set(variable.file_name)),
            false => (None, None),
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
    pub fn required(&mut self, variable: &Variable) -> Option<String> {
        let mistakes = self.mistakes.len();
        let text = self.text(variable);
        if text.is_none() && self.mistakes.len() == mistakes {
            self.wrong(variable, "is not set, and there is no default");
        }
        text
    }

    /// The value of a variable that must be given.
    pub fn required_value<T, E: fmt::Display>(
        &mut self,
        variable: &Variable,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.required(variable)?;
        self.read_from(variable, &text, read)
    }

    /// The value of a variable, read from its text.
    pub fn value<T, E: fmt::Display>(
        &mut self,
        variable: &Variable,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(variable)?;
        self.read_from(variable, &text, read)
    }

    /// Keeps a mistake for each listener that wants the port of one before it. Port 0 is any free
    /// one.
    pub fn distinct(&mut self, listeners: &[(&Variable, Option<SocketAddr>)]) {
        for (index, (variable, address)) in listeners.iter().enumerate() {
            let taken = listeners[..index].iter().find(|(_, other)| collide(*address, *other));
            if let (Some((other, _)), Some(address)) = (taken, address) {
                let problem = format!("{address} is taken by {}", other.name);
                self.wrong(variable, problem);
            }
        }
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

    /// A flag. An empty text is as good as none: that is how templates leave out.
    fn flag(&self, id: &str) -> Option<String> {
        self.flags.get_one::<String>(id).filter(|text| !text.is_empty()).cloned()
    }

    /// An environment variable; an empty one is none.
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

/// Whether two listeners cannot both have their port.
fn collide(one: Option<SocketAddr>, other: Option<SocketAddr>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return false };
    let is_everywhere = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && one.port() != 0 && (is_everywhere || one.ip() == other.ip())
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
