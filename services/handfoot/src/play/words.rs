//! What a person types.
//!
//! **Invariant:** what is no word of the table is left for the notation of actions to read.

use handfoot_view::Answer;

/// What is shown for `help`.
pub(super) const HELP: &str = "  Type the number of an offered action, or an action in words:
    draw                       draw from the stock
    take 9 9                   take the discard pile, laying two nines with the upcard
    lay K K K                  lay a new meld
    lay K K K / m2 9           several places at once: a new meld, and a nine to meld 2
    discard 3S                 discard, which ends the turn
    ask lay K K K ; discard 5  ask your team-mates whether you may go out so
    yes, no                    answer a team-mate who asks to go out, or a seat that asks to
                               take back lays
  An opening is one act: name all its melds, with / between them.
  Cards: a rank as in 10 or K, with a suit as in 10H if it matters; 2 and * (the joker)
  are wild. Kx3 is three kings.
  Other words:
    undo, undo 2               take back the last lays of this turn
    list                       every action offered
    table, hand                the table, your cards
    sheet                      the score sheet of the last round
    help, quit";

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// An empty line.
    Nothing,
    /// How to type.
    Help,
    /// The last score sheet.
    Sheet,
    /// The own cards.
    Hand,
    /// The table.
    Table,
    /// Every offered action.
    List,
    /// To leave.
    Quit,
    /// An offered action by its number.
    Number(usize),
    /// To take back so many lays.
    Undo(u8),
    /// An answer to the question that is open, whichever it is.
    Answer(Answer),
    /// An action in notation.
    Action(String),
}

impl Entry {
    /// Reads a line.
    pub(super) fn read(line: &str) -> Entry {
        let line = line.trim();
        let (first, rest) = match line.split_once(char::is_whitespace) {
            Some((first, rest)) => (first.to_ascii_lowercase(), rest.trim()),
            None => (line.to_ascii_lowercase(), ""),
        };
        if let (Ok(number), true) = (first.parse(), rest.is_empty()) {
            return Entry::Number(number);
        }
        match (first.as_str(), rest) {
            ("", _) => Entry::Nothing,
            ("help" | "h" | "?", "") => Entry::Help,
            ("sheet" | "score" | "scores", "") => Entry::Sheet,
            ("hand" | "cards", "") => Entry::Hand,
            ("table", "") => Entry::Table,
            ("list" | "all", "") => Entry::List,
            ("quit" | "exit" | "q", "") => Entry::Quit,
            ("undo", "") => Entry::Undo(1),
            ("undo", acts) if acts.parse::<u8>().is_ok() => Entry::Undo(acts.parse().unwrap_or(1)),
            ("yes", "") => Entry::Answer(Answer::Yes),
            ("no", "") => Entry::Answer(Answer::No),
            (_, "") => Entry::Action(first),
            (_, rest) => Entry::Action(format!("{first} {rest}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_table_and_actions_are_told_apart() {
        let rows = [
            ("", Entry::Nothing),
            ("  12 \n", Entry::Number(12)),
            ("Help", Entry::Help),
            ("undo", Entry::Undo(1)),
            ("undo 2", Entry::Undo(2)),
            ("undo all", Entry::Action("undo all".to_owned())),
            ("YES", Entry::Answer(Answer::Yes)),
            ("no ", Entry::Answer(Answer::No)),
            ("answer no", Entry::Action("answer no".to_owned())),
            ("answer_undo yes", Entry::Action("answer_undo yes".to_owned())),
            ("Lay K K K / m2 9", Entry::Action("lay K K K / m2 9".to_owned())),
            ("draw\r\n", Entry::Action("draw".to_owned())),
            ("q", Entry::Quit),
        ];
        for (line, entry) in rows {
            assert_eq!(Entry::read(line), entry, "{line:?}");
        }
    }
}
