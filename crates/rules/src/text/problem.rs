//! Why a rule file cannot be read: one type, one stable reason a problem.
//!
//! **Invariant:** names and numbers only; nothing here reads.

use crate::limits::FILE_BYTES_MAX;
use crate::overrides::NameError;
use crate::preset::hint;
use crate::problem::reasons;

/// One thing that is wrong with a rule file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the values that each message names")]
pub enum FileProblem {
    /// More text than any rule file needs.
    #[error("{bytes} bytes, at most {max}", max = FILE_BYTES_MAX)]
    TooLong { bytes: usize },
    /// The text is no TOML. Lines and columns count from 1, columns in characters.
    #[error("line {line}, column {column}: {message}")]
    Malformed { line: usize, column: usize, message: String },
    /// A name that no field has.
    #[error("{path}: no such field{}", hint(nearest.as_deref()))]
    UnknownField { path: String, nearest: Option<String> },
    /// A value of the wrong sort, or a word that is no choice.
    #[error("{path}: found {found}, expected {expected}")]
    WrongValue { path: String, found: String, expected: String },
    /// A field that must be given and is not.
    #[error("{path}: missing, expected {expected}")]
    Missing { path: String, expected: String },
    /// The base is no preset.
    #[error("base: {0}")]
    UnknownBase(NameError),
    /// The rules are for a table that the file's own seating does not allow.
    #[error("seating: {0}")]
    Seating(crate::preset::SeatingError),
}

reasons! { FileProblem:
    TooLong => "FILE_TOO_LONG",
    Malformed => "FILE_MALFORMED",
    UnknownField => "UNKNOWN_FIELD",
    WrongValue => "WRONG_VALUE",
    Missing => "FIELD_MISSING",
    UnknownBase => "UNKNOWN_PRESET",
    Seating => "SEATING_NOT_ALLOWED",
}

impl FileProblem {
    /// The dotted path of the field, fields of the rules by their own name: `take.wild_top`.
    /// Nothing if the file as a whole is meant.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            FileProblem::TooLong { .. } | FileProblem::Malformed { .. } => None,
            FileProblem::UnknownField { path, .. }
            | FileProblem::WrongValue { path, .. }
            | FileProblem::Missing { path, .. } => Some(path),
            FileProblem::UnknownBase(_) => Some("base"),
            FileProblem::Seating(_) => Some("seating"),
        }
    }
}
