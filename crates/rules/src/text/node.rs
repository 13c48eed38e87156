//! Reading and writing one value of a rule file: numbers, words, lists, lists by round.
//!
//! **Invariant:** every problem is noted and reading goes on; no value of any sort panics.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use toml::{Table, Value};

use super::problem::FileProblem;
use crate::PerRound;
use crate::nearest::nearest;

/// The problems found so far.
pub(super) type Problems = Vec<FileProblem>;

/// How a value is written, where a list by round must be told from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// As anything but a list.
    Single,
    /// As a list.
    List,
}

/// A value of a rule file.
pub(super) trait Node: Sized {
    /// How it is written.
    const SHAPE: Shape = Shape::Single;

    /// The names of its fields, if it is a table of them.
    const FIELDS: &'static [&'static str] = &[];

    /// What a reader should write, for messages.
    fn expected() -> String;

    /// Reads a whole value; nothing if there were problems.
    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self>;

    /// Reads what is given and keeps the rest.
    fn merge(&mut self, value: &Value, at: &str, problems: &mut Problems) {
        if let Some(new) = Self::read(value, at, problems) {
            *self = new;
        }
    }

    /// What it is when it is not given; nothing if it must be.
    fn absent() -> Option<Self> {
        None
    }
}

/// A value that is written back, on one line.
pub(super) trait Written {
    /// The value as TOML.
    fn write(&self) -> String;
}

/// A table of fields that is written back.
pub(super) trait WrittenFields {
    /// Each field with its value as TOML.
    fn write_fields(&self) -> Vec<(&'static str, String)>;
}

impl<T: WrittenFields> Written for T {
    fn write(&self) -> String {
        let fields = self.write_fields();
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("{{ {} }}", fields.join(", "))
    }
}

/// The word for an optional value that is not there.
const NONE: &str = "none";

impl<T: Node> Node for Option<T> {
    fn expected() -> String {
        format!("none, or {}", T::expected())
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        if value.as_str() == Some(NONE) {
            return Some(None);
        }
        read_inner::<Self, T>(value, at, problems).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Written> Written for Option<T> {
    fn write(&self) -> String {
        self.as_ref().map_or_else(|| format!("{NONE:?}"), Written::write)
    }
}

impl<T: Node> Node for Vec<T> {
    const SHAPE: Shape = Shape::List;

    fn expected() -> String {
        format!("a list, each entry {}", T::expected())
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        let Some(list) = value.as_array() else {
            return wrong::<Self, _>(value, at, problems);
        };
        let read: Vec<Option<T>> = list
            .iter()
            .enumerate()
            .map(|(index, entry)| T::read(entry, &format!("{at}[{index}]"), problems))
            .collect();
        read.into_iter().collect()
    }
}

impl<T: Written> Written for Vec<T> {
    fn write(&self) -> String {
        let entries: Vec<String> = self.iter().map(Written::write).collect();
        format!("[{}]", entries.join(", "))
    }
}

impl<T: Node> Node for PerRound<T> {
    const SHAPE: Shape = Shape::List;

    fn expected() -> String {
        format!("{}; or a list of such values by round", T::expected())
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        let by_round = match (value, T::SHAPE) {
            (Value::Array(_), Shape::Single) => true,
            // A list of lists is by round; a plain or empty list is one value for all rounds.
            (Value::Array(list), Shape::List) => list.iter().any(Value::is_array),
            (
                Value::String(_)
                | Value::Integer(_)
                | Value::Float(_)
                | Value::Boolean(_)
                | Value::Datetime(_)
                | Value::Table(_),
                _,
            ) => false,
        };
        if by_round {
            Vec::<T>::read(value, at, problems).map(PerRound::Each)
        } else {
            read_inner::<Self, T>(value, at, problems).map(PerRound::Same)
        }
    }

    /// A table joins the one value of all rounds; anything else takes its place.
    fn merge(&mut self, value: &Value, at: &str, problems: &mut Problems) {
        match self {
            PerRound::Same(same) if value.is_table() => same.merge(value, at, problems),
            PerRound::Same(_) | PerRound::Each(_) => {
                if let Some(new) = Self::read(value, at, problems) {
                    *self = new;
                }
            }
        }
    }
}

impl<T: Written> Written for PerRound<T> {
    fn write(&self) -> String {
        match self {
            PerRound::Same(value) => value.write(),
            PerRound::Each(values) => values.write(),
        }
    }
}

/// Whole numbers of several sizes.
macro_rules! numbers {
    ($($type:ty),+) => { $(
        impl Node for $type {
            fn expected() -> String {
                format!("a whole number from {} to {}", <$type>::MIN, <$type>::MAX)
            }

            fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
                match value.as_integer().and_then(|number| number.try_into().ok()) {
                    Some(number) => Some(number),
                    None => wrong::<Self, _>(value, at, problems),
                }
            }
        }

        impl Written for $type {
            fn write(&self) -> String {
                self.to_string()
            }
        }
    )+ };
}

numbers!(u8, i8, i32);

impl Node for String {
    fn expected() -> String {
        "text in quotes".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match value.as_str() {
            Some(text) => Some(text.to_owned()),
            None => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for String {
    fn write(&self) -> String {
        Value::String(self.clone()).to_string()
    }
}

/// Reads a word that must be one of a choice; the choices are those that serde knows.
pub(super) fn choice<T: DeserializeOwned>(
    value: &Value,
    at: &str,
    problems: &mut Problems,
) -> Option<T> {
    match value.as_str().map(choose::<T>) {
        Some(Ok(chosen)) => Some(chosen),
        Some(Err(_)) | None => {
            let found = found(value);
            problems.push(FileProblem::WrongValue {
                path: at.to_owned(),
                found,
                expected: one_of::<T>(),
            });
            None
        }
    }
}

/// What a choice may be, for messages.
pub(super) fn one_of<T: DeserializeOwned>() -> String {
    format!("one of {}", words::<T>().join(", "))
}

/// The words that a choice may be.
pub(super) fn words<T: DeserializeOwned>() -> &'static [&'static str] {
    match choose::<T>("") {
        Err(Words(words)) => words,
        Ok(_) => &[],
    }
}

pub(super) fn choose<T: DeserializeOwned>(word: &str) -> Result<T, Words> {
    let word: StrDeserializer<'_, Words> = word.into_deserializer();
    T::deserialize(word)
}

/// The words that serde would have taken.
#[derive(Debug)]
pub(super) struct Words(&'static [&'static str]);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl std::error::Error for Words {}

impl serde::de::Error for Words {
    fn custom<T: std::fmt::Display>(_message: T) -> Words {
        Words(&[])
    }

    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Words {
        Words(expected)
    }
}

/// The table that a value is, names that no field has noted.
pub(super) fn table_of<'a, T: Node>(
    value: &'a Value,
    at: &str,
    problems: &mut Problems,
) -> Option<&'a Table> {
    let Some(table) = value.as_table() else {
        return wrong::<T, _>(value, at, problems);
    };
    for name in table.keys().filter(|name| !T::FIELDS.contains(&name.as_str())) {
        problems.push(FileProblem::UnknownField {
            path: join(at, &clipped(name)),
            nearest: nearest(name, T::FIELDS.iter().copied()).map(|near| join(at, near)),
        });
    }
    Some(table)
}

/// Reads a value that may also be written otherwise: a problem at this very place then says so.
fn read_inner<Outer: Node, T: Node>(value: &Value, at: &str, problems: &mut Problems) -> Option<T> {
    let before = problems.len();
    let read = T::read(value, at, problems);
    for problem in problems.iter_mut().skip(before) {
        if let FileProblem::WrongValue { path, expected, .. } = problem
            && path == at
        {
            *expected = Outer::expected();
        }
    }
    read
}

/// Reads one field of a table.
pub(super) fn field<T: Node>(
    table: &Table,
    at: &str,
    name: &str,
    fallback: Option<T>,
    problems: &mut Problems,
) -> Option<T> {
    let path = join(at, name);
    match table.get(name) {
        Some(value) => T::read(value, &path, problems),
        None => fallback.or_else(T::absent).or_else(|| {
            problems.push(FileProblem::Missing { path, expected: T::expected() });
            None
        }),
    }
}

/// Notes a value of the wrong sort.
pub(super) fn wrong<T: Node, R>(value: &Value, at: &str, problems: &mut Problems) -> Option<R> {
    let (path, found) = (at.to_owned(), found(value));
    problems.push(FileProblem::WrongValue { path, found, expected: T::expected() });
    None
}

/// A value as messages show it.
fn found(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{:?}", clipped(text)),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Datetime(_) => "a date or time".to_owned(),
        Value::Array(list) if list.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

/// The path of a field of a table.
pub(super) fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// The beginning of a text, as much as a message shows.
pub(super) fn clipped(text: &str) -> String {
    text.chars().take(40).collect()
}
