//! Small values that a token carries.
//!
//! **Invariant:** a value that exists is valid; it says nothing of who may use it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Which tokens of a seat are good: those of the seat's generation at its table and later ones.
///
/// A pass gives it; whoever has the table compares it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

/// The claim on a bot's decision that a token was made for.
///
/// 1 to 128 characters of `a-z`, `A-Z`, `0-9`, `-`, `_`, `.` and `:`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(Arc<str>);

/// A text is no lease id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not 1 to {LEASE_ID_MAX} characters of a-z, A-Z, 0-9, -, _, . and :")]
pub struct LeaseIdError;

const LEASE_ID_MAX: usize = 128;

impl LeaseId {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LeaseId {
    type Err = LeaseIdError;

    fn from_str(text: &str) -> Result<Self, LeaseIdError> {
        let is_allowed = |c: u8| c.is_ascii_alphanumeric() || b"-_.:".contains(&c);
        match (1..=LEASE_ID_MAX).contains(&text.len()) && text.bytes().all(is_allowed) {
            true => Ok(Self(Arc::from(text))),
            false => Err(LeaseIdError),
        }
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}
