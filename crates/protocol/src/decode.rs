//! What can be wrong with a message, and where.
//!
//! **Invariant:** decoding is total: whatever the bytes, the answer is a value or one of these
//! problems, never a panic. A problem names the field and numbers, never a card that the sender
//! did not name itself.

use std::fmt;

/// A field that cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct DecodeError {
    /// The path of the field as the proto file has it: `actions[2].lay.placements[0].cards[3]`.
    pub field: String,
    /// What is wrong with it.
    pub problem: DecodeProblem,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the values that each message names")]
pub enum DecodeProblem {
    /// A message, or a choice of one, that must be set.
    #[error("must be set")]
    Missing,
    /// An enum that says nothing.
    #[error("must not be unspecified")]
    Unspecified,
    /// An enum value of a later contract, or of none.
    #[error("{number} is no value of this enum")]
    UnknownNumber { number: i32 },
    /// A number outside its limits.
    #[error("{actual}, must be {least} to {most}")]
    OutOfRange { actual: i64, least: i64, most: i64 },
    /// A list that is too long.
    #[error("{actual} entries, at most {most}")]
    TooMany { actual: usize, most: usize },
    /// A list that must have a certain length.
    #[error("{actual} entries, must be {required}")]
    WrongNumber { actual: usize, required: usize },
    /// Bytes that must be of a certain length.
    #[error("{actual} bytes, must be {required}")]
    WrongLength { actual: usize, required: usize },
    /// A list that must hold something.
    #[error("must not be empty")]
    Empty,
    /// A card or kind that the table's pack does not have.
    #[error("{number} is not in the pack of this table")]
    NotInPack { number: i32 },
    /// More of a card than the pack has.
    #[error("more of card {number} than the pack has")]
    MoreThanPack { number: i32 },
    /// A card or number that is wrong where it stands, such as a king in a meld of nines.
    #[error("does not belong here")]
    Misplaced,
    /// An entry that is there already.
    #[error("is there twice")]
    Repeated,
    /// A value that cannot be read as what it must be.
    #[error("cannot be read")]
    Unreadable,
}

/// Where in a message decoding stands. It is written out only if something is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    /// The message itself.
    Root,
    /// A field of it.
    Field(&'a At<'a>, &'static str),
    /// An entry of a list.
    Entry(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    pub(crate) const fn field(&'a self, name: &'static str) -> At<'a> {
        At::Field(self, name)
    }

    pub(crate) const fn entry(&'a self, index: usize) -> At<'a> {
        At::Entry(self, index)
    }

    pub(crate) fn error(self, problem: DecodeProblem) -> DecodeError {
        DecodeError { field: self.to_string(), problem }
    }

    /// The message of a field that must be set.
    pub(crate) fn set<T>(self, field: Option<T>) -> Result<T, DecodeError> {
        field.ok_or_else(|| self.error(DecodeProblem::Missing))
    }

    /// A number within limits, as the type that keeps it.
    pub(crate) fn number<T>(self, actual: impl Into<i64>, most: T) -> Result<T, DecodeError>
    where
        T: TryFrom<i64> + Into<i64> + Copy,
    {
        self.number_from(actual, 0, most)
    }

    pub(crate) fn number_from<T>(
        self,
        actual: impl Into<i64>,
        least: i64,
        most: T,
    ) -> Result<T, DecodeError>
    where
        T: TryFrom<i64> + Into<i64> + Copy,
    {
        let (actual, limit): (i64, i64) = (actual.into(), most.into());
        let out_of_range = DecodeProblem::OutOfRange { actual, least, most: limit };
        match T::try_from(actual) {
            Ok(number) if (least..=limit).contains(&actual) => Ok(number),
            Ok(_) | Err(_) => Err(self.error(out_of_range)),
        }
    }

    pub(crate) fn at_most(self, actual: usize, most: usize) -> Result<(), DecodeError> {
        match actual <= most {
            true => Ok(()),
            false => Err(self.error(DecodeProblem::TooMany { actual, most })),
        }
    }

    pub(crate) fn exactly(self, actual: usize, required: usize) -> Result<(), DecodeError> {
        match actual == required {
            true => Ok(()),
            false => Err(self.error(DecodeProblem::WrongNumber { actual, required })),
        }
    }

    /// The bytes of a hash or a seed.
    pub(crate) fn bytes<const N: usize>(self, bytes: &[u8]) -> Result<[u8; N], DecodeError> {
        let wrong = DecodeProblem::WrongLength { actual: bytes.len(), required: N };
        <[u8; N]>::try_from(bytes).map_err(|_| self.error(wrong))
    }

    /// A value of an enum, known but perhaps unspecified.
    pub(crate) fn known<E: TryFrom<i32>>(self, number: i32) -> Result<E, DecodeError> {
        E::try_from(number).map_err(|_| self.error(DecodeProblem::UnknownNumber { number }))
    }

    pub(crate) fn unspecified<T>(self) -> Result<T, DecodeError> {
        Err(self.error(DecodeProblem::Unspecified))
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Root => Ok(()),
            At::Field(At::Root, name) => f.write_str(name),
            At::Field(parent, name) => write!(f, "{parent}.{name}"),
            At::Entry(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// Conversions of an enum both ways, from one table: `pairs! { fn encode, decode: Ours = Wire { A
/// = X, .. } }`. Both matches are exhaustive, so that a new value must be decided here.
macro_rules! pairs {
    ($(
        $encode:ident / $decode:ident: $ours:ty = $wire:ident { $($our:ident = $their:ident),+ $(,)? }
    )+) => { $(
        pub(crate) const fn $encode(ours: $ours) -> i32 {
            (match ours {
                $(<$ours>::$our => $crate::v1::$wire::$their),+
            }) as i32
        }

        pub(crate) fn $decode(
            number: i32,
            at: $crate::decode::At<'_>,
        ) -> Result<$ours, $crate::decode::DecodeError> {
            match at.known::<$crate::v1::$wire>(number)? {
                $crate::v1::$wire::Unspecified => at.unspecified(),
                $($crate::v1::$wire::$their => Ok(<$ours>::$our)),+
            }
        }
    )+ };
}
pub(crate) use pairs;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_the_proto_file_has_it() {
        let root = At::Root;
        let actions = root.field("actions");
        let second = actions.entry(2);
        assert_eq!(second.field("lay").to_string(), "actions[2].lay");
        assert_eq!(root.to_string(), "");
    }

    #[test]
    fn numbers_are_held_to_their_limits() {
        let at = At::Root.field("n");
        assert_eq!(at.number(255u32, u8::MAX), Ok(255));
        let problem = DecodeProblem::OutOfRange { actual: 256, least: 0, most: 255 };
        assert_eq!(at.number(256u32, u8::MAX).unwrap_err().problem, problem);
        assert!(at.number_from(0u32, 1, 12u8).is_err());
        assert_eq!(at.number_from(-128, -128, 127i8), Ok(-128));
    }
}
