//! What people are told seats, teams and books are called.
//!
//! **Invariant:** words only.

use handfoot_rules::{BookCounts, Rules};
use handfoot_view::{Seat, Team};

/// `team 1`, or `seat 1` where nobody has partners.
pub(crate) fn team_name(team: Team, rules: &Rules) -> String {
    match rules.draft().team_size {
        1 => format!("seat {team}"),
        _ => format!("team {team}"),
    }
}

/// The seats of a team.
pub(crate) fn seats_of(team: Team, rules: &Rules) -> impl Iterator<Item = Seat> + '_ {
    Seat::all(rules.seats()).filter(move |seat| seat.team(rules.teams()) == team)
}

/// `2 clean + 1 dirty`, or nothing; clean books of a special rank are told apart.
pub(crate) fn books_text(books: BookCounts) -> Option<String> {
    let kinds = [(books.clean, "clean"), (books.dirty, "dirty"), (books.wild, "wild")];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| match (kind, books.sevens) {
            ("clean", special @ 1..) => format!("{count} clean ({special} special)"),
            _ => format!("{count} {kind}"),
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(" + "))
}

/// `1 turn`, `2 turns`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

/// A number with its thousands apart: `12,345`.
pub(crate) fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    match number < 0 {
        true => format!("-{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        let shown = [0, 7, -950, 1_000, -12_345, 3_000_000].map(thousands);
        assert_eq!(shown, ["0", "7", "-950", "1,000", "-12,345", "3,000,000"]);
        assert_eq!([counted(1, "book"), counted(0, "book")], ["1 book", "0 books"]);
    }
}
