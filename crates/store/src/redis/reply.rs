//! Answers of Redis, read into plain values.
//!
//! **Invariant:** an answer of another form gives nothing, and no panic.

#![expect(clippy::wildcard_enum_match_arm, reason = "the values of another crate, which grow")]

use redis::Value;

use crate::{Chain, Mark, Millis, Version};

/// The parts of a list.
pub(super) fn list(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(values) | Value::Set(values) => Some(values),
        _ => None,
    }
}

/// Bytes.
pub(super) fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        Value::SimpleString(text) => Some(text.into_bytes()),
        Value::Int(number) => Some(number.to_string().into_bytes()),
        _ => None,
    }
}

/// Text.
pub(super) fn text(value: Value) -> Option<String> {
    String::from_utf8(bytes(value)?).ok()
}

/// A whole number, as such or as text.
pub(super) fn number(value: Value) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(number).ok(),
        other => text(other)?.parse().ok(),
    }
}

/// A number of a sorted set.
pub(super) fn score(value: Value) -> Option<f64> {
    match value {
        Value::Double(number) => Some(number),
        other => text(other)?.parse().ok().filter(|number: &f64| !number.is_nan()),
    }
}

/// The parts of an answer, one after the other.
#[derive(Debug)]
pub(super) struct Parts(std::vec::IntoIter<Value>);

impl Parts {
    /// The parts of a list.
    pub(super) fn of(value: Value) -> Option<Self> {
        list(value).map(Self::of_list)
    }

    /// These parts.
    pub(super) fn of_list(values: Vec<Value>) -> Self {
        Self(values.into_iter())
    }

    pub(super) fn value(&mut self) -> Option<Value> {
        self.0.next()
    }

    /// How many there are still.
    pub(super) fn n_left(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        number(self.0.next()?)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        text(self.0.next()?)
    }

    pub(super) fn bytes(&mut self) -> Option<Vec<u8>> {
        bytes(self.0.next()?)
    }

    pub(super) fn sixteen(&mut self) -> Option<[u8; 16]> {
        self.bytes()?.try_into().ok()
    }

    pub(super) fn millis(&mut self) -> Option<Millis> {
        self.number().map(Millis)
    }

    /// A version, then a chain.
    pub(super) fn mark(&mut self) -> Option<Mark> {
        let version = Version(self.number()?);
        Some(Mark { version, chain: Chain(self.sixteen()?) })
    }
}

/// Names and values of a stream's entry: its number, then the values in their order.
pub(super) fn entry(value: Value) -> Option<(u64, Parts)> {
    let mut parts = Parts::of(value)?;
    let id = parts.text()?;
    let number = id.split_once('-').map_or(id.as_str(), |(number, _)| number).parse().ok()?;
    let fields = list(parts.value()?)?;
    let values: Vec<Value> = fields.into_iter().skip(1).step_by(2).collect();
    Some((number, Parts(values.into_iter())))
}

/// The number in the name of a stream's entry.
pub(super) fn entry_number(name: &str) -> Option<u64> {
    name.split_once('-').map_or(name, |(number, _)| number).parse().ok()
}
