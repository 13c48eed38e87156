//! Where a command prints: standard output, standard error, or nowhere.
//!
//! **Invariant:** the only code that writes to them; colour only for terminals.

use std::io::{IsTerminal, Write};

use crate::exit::Stop;

/// A place to print to.
pub(crate) struct Out {
    stream: Option<Box<dyn Write>>,
    style: Style,
}

/// Whether headlines stand out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Terminal,
}

impl Style {
    fn of(stream: &impl IsTerminal) -> Style {
        let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match stream.is_terminal() && !is_unwanted {
            true => Style::Terminal,
            false => Style::Plain,
        }
    }
}

impl Out {
    /// Standard output.
    pub(crate) fn stdout() -> Out {
        let stream = std::io::stdout();
        Out { style: Style::of(&stream), stream: Some(Box::new(stream.lock())) }
    }

    /// Standard error.
    pub(crate) fn stderr() -> Out {
        let stream = std::io::stderr();
        Out { style: Style::of(&stream), stream: Some(Box::new(stream.lock())) }
    }

    /// Standard error if somebody looks at it, else nowhere.
    pub(crate) fn watched_stderr() -> Out {
        match std::io::stderr().is_terminal() {
            true => Out::stderr(),
            false => Out { stream: None, style: Style::Plain },
        }
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<(), Stop> {
        match &mut self.stream {
            Some(stream) => Ok(writeln!(stream, "{}", harmless(text.as_ref().trim_end()))?),
            None => Ok(()),
        }
    }

    /// Prints text as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Stop> {
        match &mut self.stream {
            Some(stream) => {
                stream.write_all(text.as_bytes())?;
                Ok(stream.flush()?)
            }
            None => Ok(()),
        }
    }

    /// Prints a line that stands out.
    pub(crate) fn headline(&mut self, text: &str) -> Result<(), Stop> {
        match self.style {
            Style::Plain => self.line(text),
            Style::Terminal => self.text(&format!("\u{1b}[1m{}\u{1b}[0m\n", harmless(text))),
        }
    }

    /// Prints one JSON value, indented.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> Result<(), Stop> {
        let text = serde_json::to_string_pretty(value).map_err(std::io::Error::from)?;
        self.line(text)
    }

    /// Prints one JSON value in one line, at once.
    pub(crate) fn json_line(&mut self, value: &impl serde::Serialize) -> Result<(), Stop> {
        let text = serde_json::to_string(value).map_err(std::io::Error::from)?;
        self.text(&format!("{text}\n"))
    }

    /// Makes sure that what was printed can be seen.
    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        self.text("")
    }

    /// Writes over the line last written so.
    pub(crate) fn progress(&mut self, text: &str) -> Result<(), Stop> {
        self.text(&format!("\r\u{1b}[K{text}"))
    }
}

/// The text with what would steer a terminal written out: names and titles come from files.
fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    let steers = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    match text.contains(steers) {
        false => text.into(),
        true => text
            .chars()
            .map(|c| match steers(c) {
                true => c.escape_unicode().to_string(),
                false => c.to_string(),
            })
            .collect::<String>()
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(harmless("plain\ntwo lines"), "plain\ntwo lines");
        assert_eq!(harmless("a\u{1b}[31mb\u{202e}c\r"), "a\\u{1b}[31mb\\u{202e}c\\u{d}");
    }
}
