//! Actions, events and views as text that people can write and programs can read back.
//!
//! Cards are written as in [`handfoot_cards::Pack`]. Words are separated by spaces; `/` and `;`
//! are words of their own wherever they stand.
//!
//! **Invariant:** text in, plain data out. Whether an action is legal is not asked here, and no
//! text makes anything here panic.

mod action;
mod event;
mod position;
mod result;

pub use action::{ActionError, ActionExpected, parse_action, read_action, write_action};
pub use event::write_event;
pub use position::{
    Looker, POSITION_BYTES_MAX, PositionError, PositionProblem, Sketch, SketchSeat, parse_view,
    write_view,
};
pub use result::{end_text, hex_text, parse_end, parse_hex};

use handfoot_cards::{Card, Pack};

/// The longest word that an error repeats, in characters.
const FOUND_MAX: usize = 24;

/// One word of a line and where it stands.
#[derive(Clone, Copy)]
struct Word<'a> {
    /// Its first character's place in the line, from 1.
    column: usize,
    text: &'a str,
}

/// The words of a line, in order.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (column, (at, c)) in (1..).zip(line.char_indices()) {
        let is_mark = matches!(c, '/' | ';');
        if (is_mark || c.is_whitespace())
            && let Some((column, start)) = open.take()
        {
            words.push(Word { column, text: &line[start..at] });
        }
        if is_mark {
            words.push(Word { column, text: &line[at..=at] });
        } else if !c.is_whitespace() && open.is_none() {
            open = Some((column, at));
        }
    }
    if let Some((column, start)) = open {
        words.push(Word { column, text: &line[start..] });
    }
    words
}

/// A word as an error repeats it.
fn clipped(text: &str) -> String {
    text.chars().take(FOUND_MAX).collect()
}

/// Writes cards in the order given, each after a space; equal neighbours are counted.
fn push_cards(text: &mut String, cards: impl IntoIterator<Item = Option<Card>>, pack: &Pack) {
    let mut cards = cards.into_iter().peekable();
    while let Some(card) = cards.next() {
        let mut count = 1;
        // The reader takes at most 250 of a word.
        while count < 250 && cards.next_if_eq(&card).is_some() {
            count += 1;
        }
        text.push(' ');
        match card {
            Some(card) => text.push_str(&pack.card_name(card).to_string()),
            None => text.push('?'),
        }
        if count > 1 {
            text.push_str(&format!("x{count}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_columns() {
        let found: Vec<_> = words(" lay KC/m2 9C;").iter().map(|w| (w.column, w.text)).collect();
        assert_eq!(found, [(2, "lay"), (6, "KC"), (8, "/"), (9, "m2"), (12, "9C"), (14, ";")]);
        assert_eq!(words("é ü")[1].column, 3);
        assert!(words("  ").is_empty());
    }
}
