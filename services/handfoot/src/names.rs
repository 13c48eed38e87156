//! What people are told seats, teams and books are called.
//!
//! **Invariant:** words only.

use handfoot_rules::{BookCounts, OpeningBook, OpeningStep, Rules, StockTrigger};
use handfoot_view::{MeldRank, PublicTable, Refill, ScoredMeld, Seat, Team, TeamTable};

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

/// `an opening takes 50 points`, or a book; where teams need different ones, `50 or 90 points` in
/// their order.
pub(crate) fn opening_words(table: &PublicTable, rules: &Rules) -> String {
    let step = |team: &TeamTable| rules.opening_step(usize::from(table.round_index), team.total);
    let mut steps: Vec<OpeningStep> = table.teams.iter().map(step).collect();
    if steps.iter().all(|step| Some(step) == steps.first()) {
        steps.truncate(1);
    }
    let words = steps.iter().map(|step| match step {
        OpeningStep::Points(points) => points.to_string(),
        OpeningStep::Book(OpeningBook::BookFromHand) => "a book from the hand".to_owned(),
        OpeningStep::Book(OpeningBook::CleanBook) => "a clean book".to_owned(),
    });
    let unit = match steps.last() {
        Some(OpeningStep::Points(_)) => " points",
        Some(OpeningStep::Book(_)) | None => "",
    };
    format!("an opening takes {}{unit}", words.collect::<Vec<_>>().join(" or "))
}

/// `clean 9`, `unfinished dirty K`, `wild`.
pub(crate) fn meld_name(meld: &ScoredMeld, rules: &Rules) -> String {
    let kind = meld.shape.kind().name();
    let unfinished = if meld.shape.is_book(rules) { "" } else { "unfinished " };
    match meld.shape.rank {
        MeldRank::Natural(rank) => {
            format!("{unfinished}{kind} {}", rules.pack().kind_name(rank))
        }
        MeldRank::Wild => format!("{unfinished}{kind}"),
    }
}

/// Why the stock ended the round, said of the seat with which it did.
pub(crate) fn stock_end_words(table: &PublicTable, rules: &Rules) -> &'static str {
    match rules.draft().stock_out.trigger {
        StockTrigger::Empty if table.stock == 0 => "ends the round: the stock is used up",
        StockTrigger::Empty | StockTrigger::CannotDraw => "cannot draw: the stock has run out",
    }
}

/// What a discarded wild card did.
pub(crate) fn removed_words(count: u16) -> String {
    format!("the discard pile leaves play: {}", counted(usize::from(count), "card"))
}

/// What the stock was given.
pub(crate) fn refill_words(from: Refill, count: u16) -> String {
    let cards = counted(usize::from(count), "card");
    match from {
        Refill::Removed => format!("shuffled under the stock: {cards} that had left play"),
        Refill::Discards => format!("shuffled under the stock: {cards} of the discard pile"),
        Refill::Deck => format!("shuffled under the stock: {cards} of another deck"),
    }
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
