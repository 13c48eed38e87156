//! Names and numbers of a store: small values that are compared, kept and printed.
//!
//! **Invariant:** a value that exists is valid; text is checked once, where it comes in.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::limits::TEXT_MAX;

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It is empty.
    #[error("is empty")]
    Empty,
    /// It is too long.
    #[error("has more than {TEXT_MAX} characters")]
    TooLong,
    /// It has a character that is not allowed.
    #[error("has a character other than a-z, 0-9 and -")]
    Character,
}

fn checked(text: &str) -> Result<Arc<str>, TextError> {
    if text.is_empty() {
        return Err(TextError::Empty);
    }
    if text.len() > TEXT_MAX {
        return Err(TextError::TooLong);
    }
    let is_allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    match text.bytes().all(is_allowed) {
        true => Ok(Arc::from(text)),
        false => Err(TextError::Character),
    }
}

macro_rules! texts {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => { $(
        $(#[doc = $doc])+
        ///
        /// 1 to 64 characters of `a-z`, `0-9` and `-`. Cloning copies no text.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = TextError;

            fn from_str(text: &str) -> Result<Self, TextError> {
                checked(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    )+ };
}

texts! {
    /// The name of a table, chosen by the caller.
    TableId;
    /// Whose table it is.
    Tenant;
}

macro_rules! sixteen_bytes {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 16]);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    )+ };
}

sixteen_bytes! {
    /// The keyed hash that links a commit to all before it. The caller computes it.
    Chain;
    /// The name that a caller gives to one request, so that it is played once.
    RequestId;
    /// What a request asked for, as a hash that the caller computes.
    BodyHash;
}

/// Number of commits of a table; 0 is the table as it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u64);

impl Version {
    /// The version after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Where the history of a table stands: its version, and the chain that proves which history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Commits so far.
    pub version: Version,
    /// The chain after the last of them.
    pub chain: Chain,
}

/// A point in time: milliseconds since 1970, by the store's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// The time a while later.
    #[must_use]
    pub fn after(self, length: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(length.as_millis()).unwrap_or(u64::MAX)))
    }
}

/// Which claim of a turn it was: a later claim has another token, also after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u64);

/// Where a reader of an outbox stands: after the entry with this number; 0 is before all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutboxCursor(pub u64);

/// A part of a store that has its own outbox and its own deadlines; numbered from 0.
///
/// A store on one machine has one. A store on several keeps in one partition what must change
/// in one step, and replicas share the partitions among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition(pub u16);

/// Which workers a turn waits for: a number with a meaning to the caller only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Queue(pub u16);

/// The state under which a table is listed: a number with a meaning to the caller only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListedState(pub u8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_plain() {
        for good in ["a", "table-1", &"x".repeat(TEXT_MAX)] {
            assert_eq!(good.parse::<TableId>().unwrap().as_str(), good);
        }
        let refused = |text: &str| text.parse::<TableId>().unwrap_err();
        assert_eq!(refused(""), TextError::Empty);
        assert_eq!(refused(&"x".repeat(TEXT_MAX + 1)), TextError::TooLong);
        for bad in ["A", "a b", "a/b", "ä", "a\0", "a_b", "{a}"] {
            assert_eq!(refused(bad), TextError::Character, "{bad:?}");
        }
    }

    #[test]
    fn time_far_ahead_does_not_overflow() {
        assert_eq!(Millis(5).after(Duration::from_secs(1)), Millis(1005));
        assert_eq!(Millis(5).after(Duration::MAX), Millis(u64::MAX));
    }
}
