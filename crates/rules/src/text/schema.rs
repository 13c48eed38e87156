//! Every field of a rule file by name, and the few values that are written in a way of their own.
//!
//! **Invariant:** the names are those of serde; a field of the draft that is not read and written
//! here does not compile.

use std::collections::BTreeMap;

use handfoot_cards::{NamedKind, Role};
use serde::Deserialize;
use toml::Value;

use super::choices::{self, Choice, Choices, Taken};
use super::merged;
use super::node::{
    Node, Problems, Shape, Written, WrittenFields, choice, choose, clipped, field, join, one_of,
    table_of, words, wrong,
};
use super::problem::FileProblem;
use crate::overrides::Override;
use crate::preset::Seating;
use crate::{
    BlackThree, BlackThreeMeld, BookBonus, BookNeeded, Buried, CardValues, Decks, DiscardLock,
    ExactPick, ExactPickModel, Extend, ExtendBook, ExtendWild, FirstUpcard, Foot, FootAfterDiscard,
    FootAfterMeld, FootTrigger, FromDiscards, LastDiscard, Length, Need, NoStock, Opening,
    OpeningBook, OpeningBy, OpeningStep, OpeningViaDiscards, OpeningWilds, PackChoice,
    PartnerCondition, PerRank, Permission, Ratio, RedThree, RedThreeMode, RulesDraft,
    SpecialLastDiscard, SpecialRank, StockOut, StockShort, StockThen, StockTrigger, Take,
    TakeCount, TakeMatch, Tie, UnfinishedSecond, Upcard, UpcardDeal, WildDiscard, WildLimit,
    WildMeld, WildTop,
};

/// Words that are one of a choice.
macro_rules! words {
    ($($type:ty),+ $(,)?) => { $(
        impl Node for $type {
            fn expected() -> String {
                one_of::<$type>()
            }

            fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
                choice(value, at, problems)
            }
        }

        impl Written for $type {
            fn write(&self) -> String {
                written(self)
            }
        }

        impl Choices for $type {
            fn offered(at: &str, found: &mut Vec<Choice>) {
                found.extend(words::<$type>().iter().map(|word| choices::choice(at, word)));
            }

            fn taken(&self, at: &str, found: &mut Vec<Taken>) {
                found.push(choices::word(at, &written(self)));
            }
        }
    )+ };
}

words!(
    UpcardDeal,
    Buried,
    RedThreeMode,
    BookNeeded,
    NoStock,
    FromDiscards,
    BlackThreeMeld,
    ExtendBook,
    ExtendWild,
    WildMeld,
    DiscardLock,
    SpecialLastDiscard,
    OpeningWilds,
    OpeningViaDiscards,
    TakeMatch,
    WildTop,
    FirstUpcard,
    WildDiscard,
    FootTrigger,
    FootAfterMeld,
    FootAfterDiscard,
    PartnerCondition,
    Permission,
    LastDiscard,
    StockTrigger,
    StockShort,
    StockThen,
    UnfinishedSecond,
    Tie,
    Role,
);

/// Tables of fields that are read; `or` gives the value of a field that may be left out.
macro_rules! read_tables {
    ($($type:ident { $($field:ident $(or $fallback:literal)?),+ $(,)? })+) => { $(
        impl Node for $type {
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),+];

            fn expected() -> String {
                format!("a table of {}", Self::FIELDS.join(", "))
            }

            fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
                let table = table_of::<Self>(value, at, problems)?;
                $(
                    let fallback = None $(.or(Some($fallback)))?;
                    let $field = field(table, at, stringify!($field), fallback, problems);
                )+
                Some($type { $($field: $field?),+ })
            }

            fn merge(&mut self, value: &Value, at: &str, problems: &mut Problems) {
                let Some(table) = table_of::<Self>(value, at, problems) else { return };
                $(
                    if let Some(value) = table.get(stringify!($field)) {
                        self.$field.merge(value, &join(at, stringify!($field)), problems);
                    }
                )+
            }
        }
    )+ };
}

/// Tables of fields that are read and written.
macro_rules! tables {
    ($($type:ident { $($field:ident $(or $fallback:literal)?),+ $(,)? })+) => { $(
        read_tables! { $type { $($field $(or $fallback)?),+ } }

        impl WrittenFields for $type {
            fn write_fields(&self) -> Vec<(&'static str, String)> {
                let $type { $($field),+ } = self;
                vec![$((stringify!($field), $field.write())),+]
            }
        }
    )+ };
}

/// Tables whose fields are parameters.
macro_rules! parameters {
    ($($type:ident { $($field:ident $(or $fallback:literal)?),+ $(,)? })+) => {
        tables! { $($type { $($field $(or $fallback)?),+ })+ }
        $(
            impl Choices for $type {
                fn offered(at: &str, found: &mut Vec<Choice>) {
                    // A field gives its type to a function that is never called.
                    $(choices::of_field(|table: &$type| &table.$field, &join(at, stringify!($field)), found);)+
                }

                fn taken(&self, at: &str, found: &mut Vec<Taken>) {
                    $(self.$field.taken(&join(at, stringify!($field)), found);)+
                }
            }
        )+
    };
}

parameters! {
    RulesDraft {
        players, team_size, decks, jokers_per_deck, packets, upcard, exact_pick, card_value,
        red_three, black_three, meld_min, book_size, extend, wild_limit, wild_meld, per_rank,
        special, opening, draw, take, wild_discard, foot, need, partner, permission, last_discard,
        stock_out, out_bonus, book_bonus, unfinished_second, length, pack,
    }
    Upcard { deal, bury }
    ExactPick { bonus, model }
    RedThree { mode, laid, held, all, needs, no_stock, from_discards }
    BlackThree { meld, melded_value, book_bonus }
    Extend { clean, dirty, wild }
    WildLimit { a, b, max, min_natural }
    PerRank { open, total }
    SpecialRank { rank, book_bonus, discard_lock, last_discard }
    Opening { by, steps, wilds, via_discards }
    Take { count, min_size, matching, wild_top, first_upcard }
    Foot { trigger, after_meld, after_discard }
    Need { clean, dirty, wild, sevens or 0, total or 0 }
    StockOut { trigger, short, then, max_added }
    BookBonus { clean, dirty, wild }
    Length { rounds, target, tie }
}

tables! {
    NamedKind { name, number, role }
}

read_tables! {
    Seating { players, team_sizes }
    FileText { base, id, title, source, summary, notes, seating, overrides, rules }
    OverrideText { title, summary, notes, rules }
}

/// A rule file as it is laid out.
#[derive(Debug)]
pub(super) struct FileText {
    pub(super) base: Option<String>,
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) source: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) notes: Notes,
    pub(super) seating: Option<Vec<Seating>>,
    pub(super) overrides: Overrides,
    pub(super) rules: RulesTable,
}

/// A named change as it is laid out.
#[derive(Debug)]
struct OverrideText {
    title: String,
    summary: String,
    notes: Notes,
    rules: RulesTable,
}

/// Named changes, by their ids.
#[derive(Debug, Default)]
pub(super) struct Overrides(pub(super) Vec<Override>);

impl Overrides {
    /// Notes what is wrong with the parameters of each, on top of the file's own.
    pub(super) fn check(&self, rules: &RulesDraft, problems: &mut Problems) {
        for change in &self.0 {
            let at = format!("overrides.{}.rules", clipped(&change.id));
            merged(&mut rules.clone(), &change.changes, &at, problems);
            // Seats are chosen by whoever opens a table, among those that the file allows.
            for name in ["players", "team_size"] {
                if change.changes.contains_key(name) {
                    let path = join(&at, name);
                    problems.push(FileProblem::UnknownField { path, nearest: None });
                }
            }
        }
    }
}

impl Node for Overrides {
    fn expected() -> String {
        format!("a table of named changes, each {}", OverrideText::expected())
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        let found = named_values::<OverrideText>(value, at, problems);
        let found = found.or_else(|| wrong::<Self, _>(value, at, problems))?;
        for id in found.keys().filter(|id| !is_id(id)) {
            let path = join(at, &clipped(id));
            let expected = "a name of small letters, digits and hyphens".to_owned();
            problems.push(FileProblem::WrongValue {
                path,
                found: format!("{:?}", clipped(id)),
                expected,
            });
        }
        let change = |(id, text): (String, OverrideText)| {
            let OverrideText { title, summary, notes, rules } = text;
            Override { id, title, summary, notes: notes.0, changes: rules.0 }
        };
        Some(Overrides(found.into_iter().map(change).collect()))
    }

    fn absent() -> Option<Self> {
        Some(Overrides::default())
    }
}

/// Whether a text can be part of a rule set's name.
fn is_id(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=40).contains(&text.len()) && text.chars().all(fits)
}

/// The parameters of a file, not yet looked at.
#[derive(Debug)]
pub(super) struct RulesTable(pub(super) toml::Table);

impl Node for RulesTable {
    fn expected() -> String {
        "a table of rule parameters".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match value.as_table() {
            Some(table) => Some(RulesTable(table.clone())),
            None => wrong::<Self, _>(value, at, problems),
        }
    }

    fn absent() -> Option<Self> {
        Some(RulesTable(toml::Table::new()))
    }
}

/// Notes by the path of the field they are about.
#[derive(Debug, Default)]
pub(super) struct Notes(pub(super) BTreeMap<String, String>);

impl Node for Notes {
    fn expected() -> String {
        "a table of texts in quotes".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        named_values(value, at, problems)
            .or_else(|| wrong::<Self, _>(value, at, problems))
            .map(Notes)
    }

    fn absent() -> Option<Self> {
        Some(Notes::default())
    }
}

impl Node for CardValues {
    fn expected() -> String {
        "a table of card points by the name of the kind".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        named_values(value, at, problems)
            .or_else(|| wrong::<Self, _>(value, at, problems))
            .map(CardValues)
    }

    fn merge(&mut self, value: &Value, at: &str, problems: &mut Problems) {
        if let Some(CardValues(new)) = CardValues::read(value, at, problems) {
            self.0.extend(new);
        }
    }
}

impl Written for CardValues {
    fn write(&self) -> String {
        written(&self.0)
    }
}

/// Values by names that are free; what cannot be read is noted and left out. Nothing if the value
/// is no table.
fn named_values<T: Node>(
    value: &Value,
    at: &str,
    problems: &mut Problems,
) -> Option<BTreeMap<String, T>> {
    let mut values = BTreeMap::new();
    for (name, value) in value.as_table()? {
        if let Some(value) = T::read(value, &join(at, &clipped(name)), problems) {
            values.insert(name.clone(), value);
        }
    }
    Some(values)
}

/// Reads a table of one name, as in `{ fixed = 4 }`.
fn single(value: &Value) -> Option<(&str, &Value)> {
    let mut entries = value.as_table()?.iter();
    match (entries.next(), entries.next()) {
        (Some((name, value)), None) => Some((name, value)),
        (Some(_) | None, _) => None,
    }
}

impl Node for Decks {
    fn expected() -> String {
        "{ per_player = 0 to 2 } or { fixed = 1 to 15 }".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match single(value) {
            Some(("per_player", extra)) => {
                u8::read(extra, &join(at, "per_player"), problems).map(Decks::PerPlayer)
            }
            Some(("fixed", decks)) => {
                u8::read(decks, &join(at, "fixed"), problems).map(Decks::Fixed)
            }
            Some(_) | None => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for Decks {
    fn write(&self) -> String {
        written(self)
    }
}

impl Node for ExactPickModel {
    fn expected() -> String {
        "off, entered, or { chance = a number above 0 and at most 1 }".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match (value.as_str(), single(value)) {
            (Some("off"), _) => Some(ExactPickModel::Off),
            (Some("entered"), _) => Some(ExactPickModel::Entered),
            (None, Some(("chance", Value::Float(chance)))) if chance.is_finite() => {
                Some(ExactPickModel::Chance(*chance))
            }
            (None, Some(("chance", Value::Integer(1)))) => Some(ExactPickModel::Chance(1.0)),
            (Some(_) | None, _) => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for ExactPickModel {
    fn write(&self) -> String {
        written(self)
    }
}

impl Node for Ratio {
    fn expected() -> String {
        "a whole number or a fraction like \"3/2\"".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match Ratio::deserialize(value.clone()) {
            Ok(ratio) => Some(ratio),
            Err(_) => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for Ratio {
    fn write(&self) -> String {
        written(self)
    }
}

impl Node for OpeningBy {
    fn expected() -> String {
        "round, or { team_score = a list of rising scores, one a step }".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match (value.as_str(), single(value)) {
            (Some("round"), _) => Some(OpeningBy::Round),
            (None, Some(("team_score", scores))) => {
                Vec::read(scores, &join(at, "team_score"), problems).map(OpeningBy::TeamScore)
            }
            (Some(_) | None, _) => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for OpeningBy {
    fn write(&self) -> String {
        written(self)
    }
}

impl Node for OpeningStep {
    fn expected() -> String {
        "a number of points, book_from_hand or clean_book".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        let points = value.as_integer().and_then(|points| i32::try_from(points).ok());
        let book = value.as_str().and_then(|word| choose::<OpeningBook>(word).ok());
        match points.map(OpeningStep::Points).or(book.map(OpeningStep::Book)) {
            Some(step) => Some(step),
            None => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for OpeningStep {
    fn write(&self) -> String {
        written(self)
    }
}

impl Node for TakeCount {
    fn expected() -> String {
        "a whole number from 0 to 255 or all".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match (value.as_str(), value.as_integer().map(u8::try_from)) {
            (Some("all"), _) => Some(TakeCount::All),
            (_, Some(Ok(count))) => Some(TakeCount::Top(count)),
            (_, Some(Err(_)) | None) => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for TakeCount {
    fn write(&self) -> String {
        written(self)
    }
}

impl Node for PackChoice {
    const SHAPE: Shape = Shape::List;

    fn expected() -> String {
        "standard, or a list of kinds, each a table of name, number, role".to_owned()
    }

    fn read(value: &Value, at: &str, problems: &mut Problems) -> Option<Self> {
        match (value.as_str(), value.as_array()) {
            (Some("standard"), _) => Some(PackChoice::Standard),
            (None, Some(_)) => Vec::read(value, at, problems).map(PackChoice::Kinds),
            (Some(_) | None, _) => wrong::<Self, _>(value, at, problems),
        }
    }
}

impl Written for PackChoice {
    fn write(&self) -> String {
        match self {
            PackChoice::Standard => "\"standard\"".to_owned(),
            PackChoice::Kinds(kinds) => kinds.write(),
        }
    }
}

/// A value as TOML, in the words of serde.
fn written<T: serde::Serialize>(value: &T) -> String {
    Value::try_from(value).expect("numbers, words and texts can be written").to_string()
}
