//! A program as its command line shows it.
//!
//! **Invariant:** what is printed and what is read come from the same table.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};

use crate::mistake::Mistakes;
use crate::print;
use crate::source::{Source, Strings};
use crate::variable::Variable;

/// The flag that every program has.
const PRINT_CONFIG: &str = "print-config";

/// What a program says of itself, and what it can be told.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// What its environment variables begin with: one that does and that nothing reads is odd.
    pub prefix: &'static str,
    /// Everything that can be set.
    pub variables: &'static [&'static Variable],
    /// What help ends with: exit codes and examples.
    pub after_help: String,
}

/// What a command line asks for.
#[derive(Debug)]
pub enum Asked<T> {
    /// To do what the program is for.
    Serve(T),
    /// To print this and end.
    Print(String),
}

/// Why there is no configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The command line has a flag that does not exist, or lacks a value.
    #[error("{0}")]
    CommandLine(String),
    /// Values are wrong.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
}

impl Program {
    /// Reads a command line, which begins with the name of the program, and an environment.
    /// `resolve` makes the configuration; it leaves its mistakes with the source.
    ///
    /// # Errors
    ///
    /// Every mistake at once.
    pub fn read<T>(
        &self,
        arguments: impl IntoIterator<Item = String>,
        environment: &dyn Strings,
        resolve: impl FnOnce(&mut Source<'_>) -> Option<T>,
    ) -> Result<Asked<T>, ConfigError> {
        let flags = match self.command().try_get_matches_from(arguments) {
            Ok(flags) => flags,
            Err(error) => {
                let text = error.render().to_string();
                #[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of another crate")]
                return match error.kind() {
                    ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Asked::Print(text)),
                    _ => Err(ConfigError::CommandLine(text)),
                };
            }
        };
        let mut source = Source::new(&flags, environment);
        let resolved = resolve(&mut source);
        let Some(config) = resolved.filter(|_| source.mistakes().is_empty()) else {
            return Err(Mistakes(source.into_mistakes()).into());
        };
        match flags.get_flag(PRINT_CONFIG) {
            true => Ok(Asked::Print(print::effective(&mut source, self.variables))),
            false => Ok(Asked::Serve(config)),
        }
    }

    /// Says which variables are set that nothing reads: often a misspelt one.
    #[must_use]
    pub fn unread(&self, environment: &dyn Strings) -> Vec<String> {
        print::unread(environment, self.prefix, self.variables)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.name)
            .version(self.version)
            .about(self.about)
            .after_help(self.after_help.clone());
        for variable in self.variables {
            if variable.has_flag() {
                let default =
                    variable.default.map_or(String::new(), |text| format!(" [default: {text}]"));
                let help = format!("{}{default} [env: {}]", variable.help, variable.name);
                let argument = Arg::new(variable.flag).long(variable.flag);
                command = command.arg(argument.value_name(variable.value).help(help));
            }
            if variable.has_file() {
                let help = match variable.has_flag() {
                    true => format!("The same from a file [env: {}]", variable.file_name),
                    false => format!(
                        "A file with it: {} [env: {}; the text itself: {}]",
                        variable.help, variable.file_name, variable.name
                    ),
                };
                let argument = Arg::new(variable.file_flag).long(variable.file_flag);
                command = command.arg(argument.value_name("PATH").help(help));
            }
        }
        let print = Arg::new(PRINT_CONFIG).long(PRINT_CONFIG).action(ArgAction::SetTrue);
        command.arg(print.help("Print what holds, secrets hidden, and end"))
    }
}
