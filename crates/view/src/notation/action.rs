//! Actions as text: `draw`, `discard KS`, `lay KC KD KH / m2 9C 2D`, `take 9x3`,
//! `ask take KC KD KH ; lay 4x3 ; discard 3S`, `answer yes`, `undo 1`, `answer_undo yes`.
//!
//! **Invariant:** a card that is not held is read all the same, so that [`crate::judge`] can say
//! what is wrong with it.

use handfoot_cards::{Card, CardProblem, CardWord, Cards, Kind, Pack};

use super::{Word, clipped, push_cards, words};
use crate::{Action, Answer, Lay, MeldId, Target, ViewRef, WayOut};

/// Why an action could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: found {found:?}, expected {expected}")]
pub struct ActionError {
    /// Where, in characters from 1; one past the end if something is missing there.
    pub column: usize,
    /// The word that stands there, cut short; empty at the end.
    pub found: String,
    /// What should stand there.
    pub expected: ActionExpected,
}

/// What should have stood at a place of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionExpected {
    /// The first word of an action.
    #[error("draw, discard, lay, take, ask, answer, undo or answer_undo")]
    Verb,
    /// The next part of a way out.
    #[error("take, lay or discard, each once and in this order")]
    WayOutPart,
    /// A card.
    #[error("a card: {0}")]
    Card(CardProblem),
    /// Exactly one card.
    #[error("one card")]
    OneCard,
    /// Cards of a new meld, or for a meld that was named.
    #[error("cards")]
    Cards,
    /// A meld's number.
    #[error("a meld's number, m1 to m256")]
    MeldNumber,
    /// An answer.
    #[error("yes or no")]
    Answer,
    /// How many lays to undo.
    #[error("a number from 0 to 255")]
    Number,
    /// Nothing more.
    #[error("nothing more")]
    End,
    /// Fewer cards or melds than there are.
    #[error("a lay of at most {cards} cards at {places} places", cards = crate::LAY_CARDS_MAX, places = crate::LAY_PLACEMENTS_MAX)]
    ShorterLay,
}

/// Reads an action of the seat that looks. A card without its suit is the upcard if that is taken
/// and fits, else the lowest that the seat would hold.
///
/// # Errors
///
/// The first [`ActionError`] in the text.
pub fn read_action(text: &str, view: ViewRef<'_>) -> Result<Action, ActionError> {
    let count = view.table.take_count(view.rules);
    let taken = view.table.discards.iter().rev().take(count).copied();
    Reader::new(text, view.rules.pack(), view.own.clone(), taken.collect()).action()
}

/// Reads an action whose cards have their suits, as [`write_action`] writes it. A card without is
/// the lowest of the pack.
///
/// # Errors
///
/// The first [`ActionError`] in the text.
pub fn parse_action(text: &str, pack: &Pack) -> Result<Action, ActionError> {
    Reader::new(text, pack, Cards::EMPTY, Vec::new()).action()
}

/// Reads a way out, which is what follows `ask`, of a seat that holds these cards.
pub(super) fn read_way_out(
    text: &str,
    pack: &Pack,
    held: Cards,
    taken: Vec<Card>,
) -> Result<Box<WayOut>, ActionError> {
    let mut reader = Reader::new(text, pack, held, taken);
    reader.way_out().map(Box::new)
}

/// Writes an action; [`parse_action`] reads the same one back.
///
/// # Visibility
///
/// Whoever may see the action: the seat that acts.
#[must_use]
pub fn write_action(action: &Action, pack: &Pack) -> String {
    match action {
        Action::Draw => "draw".to_owned(),
        Action::TakeDiscards(lay) => lay_text("take", lay, pack),
        Action::Lay(lay) => lay_text("lay", lay, pack),
        Action::AskToGoOut(way) => match way_out_text(way, pack) {
            way if way.is_empty() => "ask".to_owned(),
            way => format!("ask {way}"),
        },
        Action::AnswerGoOut(Answer::Yes) => "answer yes".to_owned(),
        Action::AnswerGoOut(Answer::No) => "answer no".to_owned(),
        Action::Discard(card) => format!("discard {}", pack.card_name(*card)),
        Action::UndoLays(acts) => format!("undo {acts}"),
        Action::AnswerUndo(Answer::Yes) => "answer_undo yes".to_owned(),
        Action::AnswerUndo(Answer::No) => "answer_undo no".to_owned(),
    }
}

fn way_out_text(way: &WayOut, pack: &Pack) -> String {
    let take = way.take.as_ref().map(|lay| lay_text("take", lay, pack));
    let lay = way.lay.as_ref().map(|lay| lay_text("lay", lay, pack));
    let discard = way.discard.map(|card| format!("discard {}", pack.card_name(card)));
    take.into_iter().chain(lay).chain(discard).collect::<Vec<_>>().join(" ; ")
}

/// Writes a verb and the placements of a lay.
pub(super) fn lay_text(verb: &str, lay: &Lay, pack: &Pack) -> String {
    let mut text = verb.to_owned();
    for (index, placement) in lay.placements().enumerate() {
        if index > 0 {
            text.push_str(" /");
        }
        match placement.target {
            Target::Meld(meld) => text.push_str(&format!(" m{}", meld.number())),
            // A kind may be called m2 too: in capitals it is no meld's number.
            Target::New => {
                let mut cards = String::new();
                push_cards(&mut cards, placement.cards.iter().copied().map(Some), pack);
                let first = cards.split_whitespace().next().unwrap_or_default();
                if meld_number(first).is_some() {
                    cards = cards.to_ascii_uppercase();
                }
                text.push_str(&cards);
                continue;
            }
        }
        push_cards(&mut text, placement.cards.iter().copied().map(Some), pack);
    }
    text
}

/// The digits of a word like `m2`; such a word in capitals is a card.
fn meld_number(word: &str) -> Option<&str> {
    word.strip_prefix('m')
        .filter(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// Reads one action, word by word.
struct Reader<'a> {
    pack: &'a Pack,
    words: Vec<Word<'a>>,
    at: usize,
    end_column: usize,
    /// What the seat would hold at this point.
    held: Cards,
    /// What taking the discard pile would bring, the upcard first.
    taken: Vec<Card>,
    /// The upcard, while it is being taken and is not named yet.
    upcard: Option<Card>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, pack: &'a Pack, held: Cards, taken: Vec<Card>) -> Reader<'a> {
        let end_column = text.chars().count() + 1;
        Reader { pack, words: words(text), at: 0, end_column, held, taken, upcard: None }
    }

    fn action(mut self) -> Result<Action, ActionError> {
        let action = match self.next_text() {
            "draw" => Action::Draw,
            "discard" => Action::Discard(self.one_card()?),
            "lay" => Action::Lay(self.lay()?),
            "take" => Action::TakeDiscards(self.take()?),
            "ask" => Action::AskToGoOut(Box::new(self.way_out()?)),
            "answer" => Action::AnswerGoOut(self.answer()?),
            "answer_undo" => Action::AnswerUndo(self.answer()?),
            "undo" => match self.next_text().parse() {
                Ok(acts) => Action::UndoLays(acts),
                Err(_) => return Err(self.error_before(ActionExpected::Number)),
            },
            _ => return Err(self.error_before(ActionExpected::Verb)),
        };
        match self.peek() {
            None => Ok(action),
            Some(_) => Err(self.error(ActionExpected::End)),
        }
    }

    fn answer(&mut self) -> Result<Answer, ActionError> {
        match self.next_text() {
            "yes" => Ok(Answer::Yes),
            "no" => Ok(Answer::No),
            _ => Err(self.error_before(ActionExpected::Answer)),
        }
    }

    fn way_out(&mut self) -> Result<WayOut, ActionError> {
        let mut way = WayOut::default();
        let mut done = 0;
        while self.peek().is_some() {
            if done > 0 && self.next_text() != ";" {
                return Err(self.error_before(ActionExpected::End));
            }
            match (self.next_text(), done) {
                ("take", 0) => {
                    way.take = Some(self.take()?);
                    done = 1;
                }
                ("lay", 0 | 1) => {
                    way.lay = Some(self.lay()?);
                    done = 2;
                }
                ("discard", 0..=2) => {
                    way.discard = Some(self.one_card()?);
                    done = 3;
                }
                _ => return Err(self.error_before(ActionExpected::WayOutPart)),
            }
        }
        Ok(way)
    }

    fn take(&mut self) -> Result<Lay, ActionError> {
        self.upcard = self.taken.first().copied();
        self.held.extend(self.upcard);
        if self.names_upcard() {
            self.upcard = None;
        }
        let lay = self.lay()?;
        self.upcard = None;
        self.held.extend(self.taken.iter().skip(1).copied());
        Ok(lay)
    }

    /// Whether the words up to the next `;` name the upcard with its suit.
    fn names_upcard(&self) -> bool {
        let Some(upcard) = self.upcard else { return false };
        self.words[self.at..].iter().take_while(|word| word.text != ";").any(|word| {
            let named = self.pack.read_word(word.text);
            named.is_ok_and(|(named, _)| named == CardWord::Face(upcard))
        })
    }

    fn lay(&mut self) -> Result<Lay, ActionError> {
        let mut lay = Lay::new();
        if self.peek().is_none_or(|text| text == ";") {
            return Ok(lay);
        }
        loop {
            let start = self.at;
            let target = self.target()?;
            let mut cards = Vec::new();
            while self.peek().is_some_and(|text| !matches!(text, "/" | ";")) {
                self.cards(&mut cards)?;
            }
            if cards.is_empty() {
                return Err(self.error(ActionExpected::Cards));
            }
            if lay.push(target, &cards).is_err() {
                self.at = start;
                return Err(self.error(ActionExpected::ShorterLay));
            }
            if self.peek() != Some("/") {
                return Ok(lay);
            }
            self.at += 1;
        }
    }

    fn target(&mut self) -> Result<Target, ActionError> {
        let Some(digits) = self.peek().and_then(meld_number) else { return Ok(Target::New) };
        let meld = digits.parse().ok().and_then(MeldId::from_number);
        let meld = meld.ok_or_else(|| self.error(ActionExpected::MeldNumber))?;
        self.at += 1;
        Ok(Target::Meld(meld))
    }

    fn one_card(&mut self) -> Result<Card, ActionError> {
        let mut cards = Vec::new();
        if self.peek().is_none() {
            return Err(self.error(ActionExpected::OneCard));
        }
        self.cards(&mut cards)?;
        match cards.as_slice() {
            [card] => Ok(*card),
            _ => Err(self.error_before(ActionExpected::OneCard)),
        }
    }

    /// Reads one word that names cards.
    fn cards(&mut self, cards: &mut Vec<Card>) -> Result<(), ActionError> {
        let text = self.peek().unwrap_or_default();
        let (named, number) = self
            .pack
            .read_word(text)
            .map_err(|problem| self.error(ActionExpected::Card(problem)))?;
        for _ in 0..number {
            let card = match named {
                CardWord::Face(card) => card,
                CardWord::Kind(kind) => self.any_of(kind),
            };
            let _ = self.held.remove(card);
            cards.push(card);
        }
        self.at += 1;
        Ok(())
    }

    /// The card meant by its kind alone.
    fn any_of(&mut self, kind: Kind) -> Card {
        let upcard = self.upcard.take_if(|upcard| upcard.kind() == kind);
        let lowest = upcard.or_else(|| self.held.lowest(kind));
        // Not held: the refusal shall name a card that exists.
        lowest.or_else(|| self.pack.cards().lowest(kind)).unwrap_or(kind.card(0))
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|word| word.text)
    }

    /// The next word, or nothing at the end.
    fn next_text(&mut self) -> &'a str {
        let text = self.peek().unwrap_or_default();
        self.at += 1;
        text
    }

    /// An error at the next word.
    fn error(&self, expected: ActionExpected) -> ActionError {
        match self.words.get(self.at) {
            Some(word) => ActionError { column: word.column, found: clipped(word.text), expected },
            None => ActionError { column: self.end_column, found: String::new(), expected },
        }
    }

    /// An error at the word just read.
    fn error_before(&mut self, expected: ActionExpected) -> ActionError {
        self.at -= 1;
        self.error(expected)
    }
}

#[cfg(test)]
mod tests {
    use handfoot_cards::NamedKind;
    use handfoot_cards::Role;

    use super::*;

    fn pack() -> Pack {
        Pack::standard(5, 2).unwrap()
    }

    fn again(text: &str) -> String {
        write_action(&parse_action(text, &pack()).unwrap(), &pack())
    }

    #[test]
    fn what_is_written_is_what_was_read() {
        let texts = [
            "draw",
            "discard 3S",
            "lay KC KD KHx2",
            "lay KC KD KH / m2 9C 2D / *x3",
            "take 9C 9D 9H / m1 4C",
            "ask",
            "ask take KC KD KH ; lay 4Cx3 / m2 5D ; discard 3S",
            "ask lay KC KD KH",
            "ask discard 3S",
            "answer yes",
            "answer no",
            "undo 2",
            "lay",
            "take",
        ];
        for text in texts {
            assert_eq!(again(text), text);
        }
        assert_eq!(again("  lay kc KD/m1 9c;".trim_end_matches(';')), "lay KC KD / m1 9C");
        assert_eq!(again("lay m1 KC / 9C 9D 9H / m1 KD"), "lay m1 KC KD / 9C 9D 9H");
    }

    #[test]
    fn a_kind_that_is_called_like_a_meld_is_still_a_card() {
        let kind = NamedKind { name: "m2".to_owned(), number: 20, role: Role::Natural };
        let pack = Pack::named(&[kind]).unwrap();
        let one = parse_action("lay M2", &pack).unwrap();
        assert_eq!(write_action(&one, &pack), "lay M2");
        let three = parse_action("lay M2 m2 m2", &pack).unwrap();
        assert_eq!(write_action(&three, &pack), "lay m2x3");
        assert_eq!(parse_action("lay m2x3", &pack), Ok(three));
        let add = parse_action("lay m2 m2", &pack).unwrap();
        assert_eq!(write_action(&add, &pack), "lay m2 m2");
    }

    #[test]
    fn errors_name_the_place_and_what_was_expected() {
        let error = |text: &str| {
            let error = parse_action(text, &pack()).unwrap_err();
            (error.column, error.expected)
        };
        assert_eq!(error(""), (1, ActionExpected::Verb));
        assert_eq!(error("play KC"), (1, ActionExpected::Verb));
        assert_eq!(error("draw 2"), (6, ActionExpected::End));
        assert_eq!(error("discard"), (8, ActionExpected::OneCard));
        assert_eq!(error("discard KCx2"), (9, ActionExpected::OneCard));
        assert_eq!(error("discard XX"), (9, ActionExpected::Card(CardProblem::Unknown)));
        assert_eq!(error("lay KC / / KD"), (10, ActionExpected::Cards));
        assert_eq!(error("lay m1"), (7, ActionExpected::Cards));
        assert_eq!(error("lay m0 KC"), (5, ActionExpected::MeldNumber));
        assert_eq!(error("lay m999 KC"), (5, ActionExpected::MeldNumber));
        assert_eq!(error("lay Kx121"), (5, ActionExpected::ShorterLay));
        assert_eq!(error("ask discard 3S ; lay 4x3"), (18, ActionExpected::WayOutPart));
        assert_eq!(
            error("ask lay 4x3 discard 3S"),
            (13, ActionExpected::Card(CardProblem::Unknown))
        );
        assert_eq!(error("answer maybe"), (8, ActionExpected::Answer));
        assert_eq!(error("undo 256"), (6, ActionExpected::Number));
        let error = parse_action("lay KC 11D", &pack()).unwrap_err();
        assert!(
            error.to_string().starts_with("column 8: found \"11D\", expected a card"),
            "{error}"
        );
    }
}
