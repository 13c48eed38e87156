//! One line of a position, word by word, and the cards that its words may name.
//!
//! **Invariant:** every error names the line and the column.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use handfoot_cards::{Card, CardProblem, CardWord, Cards, PACK_CARDS_MAX, Pack};
use handfoot_rules::Rules;

use super::{PositionError, PositionProblem};
use crate::Seat;
use crate::notation::{Word, clipped, parse_hex, words};

/// Which of the two passes over the text this is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Cards named with their suits are set aside.
    Faces,
    /// The others are given what is left.
    Kinds,
}

/// The cards of the pack that no line has named yet.
pub(super) struct Pool<'a> {
    pack: &'a Pack,
    pub(super) left: Cards,
    pass: Pass,
}

impl<'a> Pool<'a> {
    pub(super) fn new(pack: &'a Pack, pass: Pass) -> Pool<'a> {
        Pool { pack, left: pack.cards().clone(), pass }
    }

    pub(super) fn second_pass(self) -> Pool<'a> {
        Pool { pass: Pass::Kinds, ..self }
    }

    fn supply(&mut self, named: CardWord) -> Option<Card> {
        match (named, self.pass) {
            (CardWord::Face(card), Pass::Faces) => self.left.remove(card).then_some(card),
            (CardWord::Face(card), Pass::Kinds) => Some(card),
            // A stand-in: the second pass finds the card.
            (CardWord::Kind(kind), Pass::Faces) => self.pack.cards().lowest(kind),
            (CardWord::Kind(kind), Pass::Kinds) => {
                self.left.lowest(kind).filter(|card| self.left.remove(*card))
            }
        }
    }
}

/// One line, read from the left.
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    text: &'a str,
    words: Vec<Word<'a>>,
    at: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(number: usize, text: &'a str) -> Line<'a> {
        Line { number, text, words: words(text), at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|word| word.text)
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    /// Steps over the next word if it is this one.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.peek() == Some(text);
        self.at += usize::from(is_next);
        is_next
    }

    /// All words that are left.
    pub(super) fn rest(&mut self) -> String {
        let rest: Vec<&str> =
            self.words[self.at.min(self.words.len())..].iter().map(|w| w.text).collect();
        self.at = self.words.len();
        rest.join(" ")
    }

    pub(super) fn problem(&self, problem: PositionProblem) -> PositionError {
        PositionError { line: self.number, problem }
    }

    /// An error at the next word.
    pub(super) fn expected(&self, expected: &'static str) -> PositionError {
        let (column, found) = match self.words.get(self.at) {
            Some(word) => (word.column, clipped(word.text)),
            None => (self.text.chars().count() + 1, String::new()),
        };
        self.problem(PositionProblem::Expected { column, found, expected })
    }

    /// An error at the word just read.
    pub(super) fn expected_before(&mut self, expected: &'static str) -> PositionError {
        self.at = self.at.saturating_sub(1);
        self.expected(expected)
    }

    pub(super) fn next(&mut self, expected: &'static str) -> Result<&'a str, PositionError> {
        let text = self.peek().ok_or_else(|| self.expected(expected))?;
        self.at += 1;
        Ok(text)
    }

    /// Steps over a word that must stand here.
    pub(super) fn word(&mut self, text: &'static str) -> Result<(), PositionError> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.expected(text)),
        }
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        choices: &[(&str, T)],
        expected: &'static str,
    ) -> Result<T, PositionError> {
        let text = self.next(expected)?;
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, choice)) => Ok(*choice),
            None => Err(self.expected_before(expected)),
        }
    }

    pub(super) fn number<T: FromStr + PartialOrd + Display>(
        &mut self,
        range: RangeInclusive<T>,
        expected: &'static str,
    ) -> Result<T, PositionError> {
        let text = self.next(expected)?;
        match text.parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            Ok(_) | Err(_) => Err(self.expected_before(expected)),
        }
    }

    pub(super) fn seat(&mut self, rules: &Rules) -> Result<Seat, PositionError> {
        const SEAT: &str = "a seat of this table";
        let number = self.number(1..=rules.seats(), SEAT)?;
        Seat::from_number(number).ok_or_else(|| self.expected_before(SEAT))
    }

    pub(super) fn hex(&mut self) -> Result<[u8; 32], PositionError> {
        const HEX: &str = "64 hexadecimal digits";
        let text = self.next(HEX)?;
        parse_hex(text).ok_or_else(|| self.expected_before(HEX))
    }

    /// A word that names cards, and how many.
    pub(super) fn card_word(&mut self, pack: &Pack) -> Result<(CardWord, u8), PositionError> {
        let found = pack.read_word(self.peek().unwrap_or_default());
        let word = found.map_err(|problem| self.card_problem(problem))?;
        self.at += 1;
        Ok(word)
    }

    /// Cards up to the next `/`, `;` or the end; `?` is one that is not named, `-` none.
    pub(super) fn cards(
        &mut self,
        pool: &mut Pool<'_>,
    ) -> Result<Vec<Option<Card>>, PositionError> {
        let mut cards = Vec::new();
        while let Some(text) = self.peek().filter(|text| !matches!(*text, "/" | ";")) {
            if text == "-" {
                self.at += 1;
            } else if text.starts_with('?') {
                cards.extend(std::iter::repeat_n(None, self.unnamed(text)?));
            } else {
                let (named, number) = self.card_word(pool.pack)?;
                for _ in 0..number {
                    let card = pool.supply(named);
                    if card.is_none() {
                        self.at -= 1;
                        return Err(self.card_problem(CardProblem::NotAvailable));
                    }
                    cards.push(card);
                }
            }
            if cards.len() > PACK_CARDS_MAX {
                return Err(self.expected_before("no more cards than a pack can have"));
            }
        }
        Ok(cards)
    }

    /// How many cards `?` or `?x13` stands for.
    fn unnamed(&mut self, text: &str) -> Result<usize, PositionError> {
        let number = match text.strip_prefix("?x") {
            None if text == "?" => Some(1),
            Some(digits) => digits.parse().ok().filter(|n| (1..=PACK_CARDS_MAX).contains(n)),
            None => None,
        };
        let number = number.ok_or_else(|| self.expected("a card, ? or ?x and a number"))?;
        self.at += 1;
        Ok(number)
    }

    /// Cards that must all be named.
    pub(super) fn named_cards(&mut self, pool: &mut Pool<'_>) -> Result<Vec<Card>, PositionError> {
        let cards = self.cards(pool)?;
        let named: Option<Vec<Card>> = cards.into_iter().collect();
        named.ok_or_else(|| self.expected_before("cards that everybody sees, each of them named"))
    }

    /// Cards that lie elsewhere too, so that the pool does not supply them.
    pub(super) fn shown(&mut self, rules: &Rules) -> Result<Vec<Card>, PositionError> {
        let mut pool = Pool::new(rules.pack(), Pass::Faces);
        for _ in 0..rules.draft().stock_out.max_added.unwrap_or_default() {
            pool.left.add(rules.deck());
        }
        self.named_cards(&mut pool)
    }

    pub(super) fn end(&self) -> Result<(), PositionError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("nothing more")),
        }
    }

    fn card_problem(&self, problem: CardProblem) -> PositionError {
        let word = self.words.get(self.at);
        let (column, found) =
            word.map_or((0, String::new()), |word| (word.column, clipped(word.text)));
        self.problem(PositionProblem::Card { column, found, problem })
    }
}
