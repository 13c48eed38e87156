//! Numbers, lists and names of cards in English.
//!
//! **Invariant:** words only; no rule is looked at but for the names of cards.

use handfoot_cards::{Kind, Role};
use handfoot_rules::{PackChoice, Rules};

const SMALL: [&str; 13] = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// A number in words up to twelve, in digits above.
pub(crate) fn number(number: usize) -> String {
    match SMALL.get(number) {
        Some(word) => (*word).to_owned(),
        None => digits(i64::try_from(number).unwrap_or(i64::MAX)),
    }
}

/// A number in digits, thousands apart.
pub(crate) fn digits(number: i64) -> String {
    let plain = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && (plain.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0 { format!("\u{2212}{text}") } else { text }
}

/// `one card`, `two cards`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one.to_owned() } else { plural(one) })
}

/// `1 point`, `100 points`.
pub(crate) fn points(points: i32) -> String {
    let unit = if points.unsigned_abs() == 1 { "point" } else { "points" };
    format!("{} {unit}", digits(i64::from(points)))
}

/// `first`, `second`, and so on; counted from 1.
pub(crate) fn ordinal(number: usize) -> String {
    match number.checked_sub(1).and_then(|index| ORDINALS.get(index)) {
        Some(word) => (*word).to_owned(),
        None => format!("{number}th"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed<T: AsRef<str>>(items: &[T], and: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} {and} {}", first.join(", "), last.as_ref())
        }
    }
}

/// The text with a capital first letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The plural of a noun of ours or of a card.
pub(crate) fn plural(one: &str) -> String {
    let ends_in = |end: &str| one.ends_with(end);
    if one == "foot" {
        "feet".to_owned()
    } else if ends_in("s") || ends_in("x") || ends_in("ch") || ends_in("sh") {
        format!("{one}es")
    } else if ends_in("y") && !["ay", "ey", "oy", "uy"].into_iter().any(ends_in) {
        format!("{}ies", one.strip_suffix('y').unwrap_or(one))
    } else {
        format!("{one}s")
    }
}

/// What the cards of a rule set are called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CardWords<'a>(pub(crate) &'a Rules);

impl CardWords<'_> {
    /// One card of a kind: `king`.
    pub(crate) fn one(self, kind: Kind) -> String {
        let name = self.0.pack().kind_name(kind);
        let word = match (&self.0.draft().pack, name) {
            (PackChoice::Kinds(_), _) => name,
            (PackChoice::Standard, "2") => "two",
            (PackChoice::Standard, "4") => "four",
            (PackChoice::Standard, "5") => "five",
            (PackChoice::Standard, "6") => "six",
            (PackChoice::Standard, "7") => "seven",
            (PackChoice::Standard, "8") => "eight",
            (PackChoice::Standard, "9") => "nine",
            (PackChoice::Standard, "10") => "ten",
            (PackChoice::Standard, "J") => "jack",
            (PackChoice::Standard, "Q") => "queen",
            (PackChoice::Standard, "K") => "king",
            (PackChoice::Standard, "A") => "ace",
            (PackChoice::Standard, "*") => "joker",
            (PackChoice::Standard, "R3") => "red three",
            (PackChoice::Standard, "B3") => "black three",
            (PackChoice::Standard, other) => other,
        };
        word.to_owned()
    }

    /// Cards of a kind: `kings`.
    pub(crate) fn many(self, kind: Kind) -> String {
        plural(&self.one(kind))
    }

    /// So many cards of a kind: `three kings`.
    pub(crate) fn some(self, count: usize, kind: Kind) -> String {
        counted(count, &self.one(kind))
    }

    /// The kinds of a role that the pack has cards of.
    pub(crate) fn kinds(self, role: Role) -> Vec<Kind> {
        let here = |kind: &Kind| self.0.role(*kind) == role && self.number(*kind) > 0;
        self.0.kinds().filter(here).collect()
    }

    /// Cards of a kind in the pack.
    pub(crate) fn number(self, kind: Kind) -> usize {
        usize::from(self.0.pack().cards().of_kind(kind))
    }

    /// Cards of a role in the pack.
    pub(crate) fn number_of(self, role: Role) -> usize {
        self.kinds(role).into_iter().map(|kind| self.number(kind)).sum()
    }

    /// `twos and jokers`; nothing if there are none.
    pub(crate) fn many_of(self, role: Role) -> Option<String> {
        let names: Vec<String> = self.kinds(role).into_iter().map(|kind| self.many(kind)).collect();
        (!names.is_empty()).then(|| listed(&names, "and"))
    }

    /// `two or joker`; nothing if there are none.
    pub(crate) fn one_of(self, role: Role) -> Option<String> {
        let names: Vec<String> = self.kinds(role).into_iter().map(|kind| self.one(kind)).collect();
        (!names.is_empty()).then(|| listed(&names, "or"))
    }
}

/// `a` or `an`, with the word.
pub(crate) fn a(word: &str) -> String {
    let vowel = word.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    let sounded = vowel && !word.starts_with("one") && !word.starts_with("un");
    if sounded || word.starts_with("un") || word.starts_with('8') || word.starts_with("11") {
        format!("an {word}")
    } else {
        format!("a {word}")
    }
}
