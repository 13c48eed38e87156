//! Where the source is silent or says two things, and what was chosen.
//!
//! **Invariant:** the notes of the rule set as they are.

use super::Page;
use crate::subject::Subject;

pub(super) fn page(subject: &Subject) -> Page {
    let mut page = Page::default();
    if !subject.notes.is_empty() {
        page.say(["Not everything is said by the source. These points were chosen:"]);
        let note = |(field, note): (&String, &String)| format!("{}: {note}", about(field));
        page.list(subject.notes.iter().map(note).collect());
    }
    page
}

/// What a field of the rules is about, in words.
fn about(field: &str) -> String {
    let words = match field.split('.').next().unwrap_or_default() {
        "players" => "players",
        "team_size" => "teams",
        "decks" => "decks",
        "jokers_per_deck" => "jokers",
        "packets" => "the deal",
        "upcard" => "the first card of the discard pile",
        "exact_pick" => "lifting",
        "card_value" => "card values",
        "red_three" => "red threes",
        "black_three" => "black threes",
        "meld_min" | "book_size" => "the size of melds",
        "extend" => "adding to books",
        "wild_limit" => "wild cards in melds",
        "wild_meld" => "melds of wild cards",
        "per_rank" => "melds of one rank",
        "special" => "special ranks",
        "opening" => "the first lay-down",
        "draw" => "drawing",
        "take" => "taking the discard pile",
        "wild_discard" => "discarded wild cards",
        "foot" => "the foot",
        "need" => "books to go out",
        "partner" => "the partner's foot",
        "permission" => "the question",
        "last_discard" => "the last discard",
        "stock_out" => "the end of the stock",
        "out_bonus" => "going out",
        "book_bonus" => "bonuses for books",
        "unfinished_second" => "unfinished melds",
        "length" => "the end of the game",
        "pack" => "the pack",
        other => other,
    };
    crate::words::capital(words)
}
