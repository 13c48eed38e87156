//! Every choice that a parameter offers, and those that a draft has taken.
//!
//! Parameters are named by the dotted path of their field; entries of a list and of a list by round
//! share the path of the list.
//!
//! **Invariant:** derived from the fields of the draft alone, so that a new field, or a new word of
//! a choice, is listed without anybody's doing.

use super::node::Written;
use crate::{
    Buried, CardValues, Decks, ExactPickModel, OpeningBy, OpeningStep, PackChoice, PerRound, Ratio,
    RulesDraft, SpecialRank, TakeCount,
};

/// One choice of one parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// The path of the field: `take.wild_top`.
    pub path: String,
    /// The word of a rule file, or what sort of value it is: `barred`, `a number`, `by round`.
    pub name: String,
}

/// A choice that a draft has taken, with the value that goes with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taken {
    /// The choice.
    pub choice: Choice,
    /// The value as TOML; empty where the choice says everything.
    pub value: String,
}

impl RulesDraft {
    /// Every choice of every parameter, in the order of D.1.
    #[must_use]
    pub fn choices_offered() -> Vec<Choice> {
        let mut found = Vec::new();
        <RulesDraft as Choices>::offered("", &mut found);
        found
    }

    /// The choices that this draft has taken, in the order of D.1.
    #[must_use]
    pub fn choices_taken(&self) -> Vec<Taken> {
        let mut found = Vec::new();
        Choices::taken(self, "", &mut found);
        found
    }
}

/// A value that is one choice among several.
pub(super) trait Choices {
    /// Every choice at this path and below it.
    fn offered(at: &str, found: &mut Vec<Choice>);

    /// The choices taken at this path and below it.
    fn taken(&self, at: &str, found: &mut Vec<Taken>);
}

/// A choice by its path and its name.
pub(super) fn choice(at: &str, name: &str) -> Choice {
    Choice { path: at.to_owned(), name: name.to_owned() }
}

fn taken(at: &str, name: &str, value: String) -> Taken {
    Taken { choice: choice(at, name), value }
}

/// Values that differ by their value only, and what they are called.
macro_rules! plain {
    ($($type:ty => $name:literal),+ $(,)?) => { $(
        impl Choices for $type {
            fn offered(at: &str, found: &mut Vec<Choice>) {
                found.push(choice(at, $name));
            }

            fn taken(&self, at: &str, found: &mut Vec<Taken>) {
                found.push(taken(at, $name, self.write()));
            }
        }
    )+ };
}

plain! {
    u8 => "a number",
    i8 => "a number",
    i32 => "a number",
    String => "a name",
    Ratio => "a fraction",
    CardValues => "a table",
}

/// Values written in several ways, each with its name and the pattern that it fits.
macro_rules! ways {
    ($($type:ty { $($pattern:pat => $name:literal),+ $(,)? })+) => { $(
        impl Choices for $type {
            fn offered(at: &str, found: &mut Vec<Choice>) {
                found.extend([$($name),+].map(|name| choice(at, name)));
            }

            fn taken(&self, at: &str, found: &mut Vec<Taken>) {
                let name = match self { $($pattern => $name),+ };
                found.push(taken(at, name, self.write()));
            }
        }
    )+ };
}

ways! {
    Decks { Decks::PerPlayer(_) => "per_player", Decks::Fixed(_) => "fixed" }
    ExactPickModel {
        ExactPickModel::Off => "off",
        ExactPickModel::Chance(_) => "chance",
        ExactPickModel::Entered => "entered",
    }
    OpeningBy { OpeningBy::Round => "round", OpeningBy::TeamScore(_) => "team_score" }
    OpeningStep {
        OpeningStep::Points(_) => "a number",
        OpeningStep::Book(crate::OpeningBook::BookFromHand) => "book_from_hand",
        OpeningStep::Book(crate::OpeningBook::CleanBook) => "clean_book",
    }
    TakeCount { TakeCount::Top(_) => "a number", TakeCount::All => "all" }
    PackChoice { PackChoice::Standard => "standard", PackChoice::Kinds(_) => "kinds" }
}

/// The choice of no value where there may be one.
const NONE: &str = "none";

impl<T: Choices> Choices for Option<T> {
    fn offered(at: &str, found: &mut Vec<Choice>) {
        found.push(choice(at, NONE));
        T::offered(at, found);
    }

    fn taken(&self, at: &str, found: &mut Vec<Taken>) {
        match self {
            None => found.push(taken(at, NONE, String::new())),
            Some(value) => value.taken(at, found),
        }
    }
}

const FOR_ALL_ROUNDS: &str = "for all rounds";
const BY_ROUND: &str = "by round";

impl<T: Choices> Choices for PerRound<T> {
    fn offered(at: &str, found: &mut Vec<Choice>) {
        found.extend([FOR_ALL_ROUNDS, BY_ROUND].map(|name| choice(at, name)));
        T::offered(at, found);
    }

    fn taken(&self, at: &str, found: &mut Vec<Taken>) {
        let form = match self {
            PerRound::Same(_) => FOR_ALL_ROUNDS,
            PerRound::Each(_) => BY_ROUND,
        };
        found.push(taken(at, form, String::new()));
        for value in self.values() {
            value.taken(at, found);
        }
    }
}

/// How many packets a seat has.
const SIZES: [&str; crate::limits::PACKETS_MAX] = ["one", "two", "three", "four"];

/// The sizes of a seat's packets: what matters most is how many there are.
impl Choices for Vec<u8> {
    fn offered(at: &str, found: &mut Vec<Choice>) {
        found.extend(SIZES.map(|name| choice(at, name)));
    }

    fn taken(&self, at: &str, found: &mut Vec<Taken>) {
        let name = self.len().checked_sub(1).and_then(|index| SIZES.get(index));
        found.push(taken(at, name.unwrap_or(&"of no use"), self.write()));
    }
}

/// Steps of which there is at least one.
impl Choices for Vec<OpeningStep> {
    fn offered(at: &str, found: &mut Vec<Choice>) {
        OpeningStep::offered(at, found);
    }

    fn taken(&self, at: &str, found: &mut Vec<Taken>) {
        for step in self {
            step.taken(at, found);
        }
    }
}

const EMPTY: &str = "an empty list";

/// Lists that may be empty.
macro_rules! lists {
    ($($type:ty $(=> $name:literal)?),+ $(,)?) => { $(
        impl Choices for Vec<$type> {
            fn offered(at: &str, found: &mut Vec<Choice>) {
                found.push(choice(at, EMPTY));
                $(found.push(choice(at, $name));)?
                <$type as Choices>::offered(at, found);
            }

            fn taken(&self, at: &str, found: &mut Vec<Taken>) {
                if self.is_empty() {
                    found.push(taken(at, EMPTY, String::new()));
                }
                for entry in self {
                    $(found.push(taken(at, $name, entry.write()));)?
                    entry.taken(at, found);
                }
            }
        }
    )+ };
}

lists!(Buried, SpecialRank => "an entry");

/// The choices of a field of a table; the field itself only says of what type it is.
pub(super) fn of_field<Table, T: Choices>(
    _field: fn(&Table) -> &T,
    at: &str,
    found: &mut Vec<Choice>,
) {
    T::offered(at, found);
}

/// The choice taken by a word.
pub(super) fn word(at: &str, written: &str) -> Taken {
    taken(at, written.trim_matches('"'), String::new())
}
