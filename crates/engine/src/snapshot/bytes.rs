//! The bytes themselves: numbers of variable length, cards, lists with their lengths.
//!
//! **Invariant:** reading never panics and never makes room for more than the bytes hold.

use std::sync::Arc;

use handfoot_cards::{Card, Cards};
use handfoot_rules::Rules;
use handfoot_view::Seat;

use super::SnapshotError;

/// The byte of no seat, no card, no meld.
const NONE: u8 = u8::MAX;

/// Bytes in the making.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(version: u8) -> Writer {
        let mut bytes = Vec::with_capacity(2048);
        bytes.push(version);
        Writer(bytes)
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Seven bits a byte, the lowest first.
    pub(super) fn number(&mut self, mut number: u64) {
        while number > 0x7F {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    /// Small numbers of either sign take few bytes: the sign is the lowest bit.
    pub(super) fn points(&mut self, points: i32) {
        let points = i64::from(points);
        self.number(u64::try_from(points << 1 ^ points >> 63).unwrap_or_default());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(u64::try_from(text.len()).unwrap_or_default());
        self.bytes(text.as_bytes());
    }

    pub(super) fn seat(&mut self, seat: Seat) {
        self.0.push(u8::try_from(seat.index()).unwrap_or(NONE));
    }

    pub(super) fn optional_seat(&mut self, seat: Option<Seat>) {
        match seat {
            Some(seat) => self.seat(seat),
            None => self.0.push(NONE),
        }
    }

    pub(super) fn card(&mut self, card: Card) {
        self.0.push(u8::try_from(card.index()).unwrap_or(NONE));
    }

    pub(super) fn cards_in_order(&mut self, cards: &[Card]) {
        self.list(cards, |writer, card| writer.card(*card));
    }

    /// Faces and how often each is there.
    pub(super) fn cards(&mut self, cards: &Cards) {
        self.number(u64::try_from(cards.faces().count()).unwrap_or_default());
        for (card, count) in cards.faces() {
            self.card(card);
            self.0.push(count);
        }
    }

    pub(super) fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Writer, &T)) {
        self.number(u64::try_from(list.len()).unwrap_or_default());
        for item in list {
            each(self, item);
        }
    }
}

/// Bytes being read.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    pub(super) rules: &'a Arc<Rules>,
}

type Read<T> = Result<T, SnapshotError>;

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], rules: &'a Arc<Rules>) -> Reader<'a> {
        Reader { bytes, at: 0, rules }
    }

    /// What is wrong with the byte before.
    pub(super) fn wrong(&self, expected: &'static str) -> SnapshotError {
        SnapshotError::Malformed { at: self.at.saturating_sub(1), expected }
    }

    pub(super) fn end(&self) -> Read<()> {
        match self.at == self.bytes.len() {
            true => Ok(()),
            false => Err(SnapshotError::Malformed { at: self.at, expected: "the end" }),
        }
    }

    pub(super) fn byte(&mut self, expected: &'static str) -> Read<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.ok_or(SnapshotError::Malformed { at: self.bytes.len(), expected })
    }

    pub(super) fn array<const N: usize>(&mut self, expected: &'static str) -> Read<[u8; N]> {
        let short = SnapshotError::Malformed { at: self.bytes.len(), expected };
        let bytes = self.bytes.get(self.at..self.at + N).ok_or(short)?;
        self.at += N;
        bytes.try_into().map_err(|_| short)
    }

    pub(super) fn number(&mut self, expected: &'static str) -> Read<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte(expected)?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.wrong(expected))
    }

    pub(super) fn small<T: TryFrom<u64>>(&mut self, expected: &'static str) -> Read<T> {
        let number = self.number(expected)?;
        T::try_from(number).map_err(|_| self.wrong(expected))
    }

    pub(super) fn points(&mut self) -> Read<i32> {
        let number = self.number("points")?;
        let half = i64::try_from(number >> 1).map_err(|_| self.wrong("points"))?;
        let sign = i64::from(u8::from(number & 1 == 1));
        i32::try_from(half ^ -sign).map_err(|_| self.wrong("points"))
    }

    pub(super) fn text(&mut self, expected: &'static str) -> Read<String> {
        let bytes = self.list(expected, |reader| reader.byte("a letter"))?;
        String::from_utf8(bytes).map_err(|_| self.wrong(expected))
    }

    pub(super) fn seat(&mut self) -> Read<Seat> {
        self.optional_seat()?.ok_or_else(|| self.wrong("a seat"))
    }

    pub(super) fn optional_seat(&mut self) -> Read<Option<Seat>> {
        let seats = self.rules.seats();
        match self.byte("a seat")? {
            NONE => Ok(None),
            index => Seat::from_index(usize::from(index))
                .filter(|seat| seat.index() < seats)
                .map(Some)
                .ok_or_else(|| self.wrong("a seat of this table")),
        }
    }

    pub(super) fn card(&mut self) -> Read<Card> {
        let index = self.byte("a card")?;
        Card::from_index(usize::from(index))
            .filter(|card| self.rules.cards_max(*card) > 0)
            .ok_or_else(|| self.wrong("a card of this pack"))
    }

    pub(super) fn cards_in_order(&mut self, expected: &'static str) -> Read<Vec<Card>> {
        self.list(expected, Reader::card)
    }

    /// Cards in order, into a list that has room for them.
    pub(super) fn cards_into(&mut self, cards: &mut Vec<Card>, expected: &'static str) -> Read<()> {
        for _ in 0..self.length(expected)? {
            cards.push(self.card()?);
        }
        Ok(())
    }

    pub(super) fn cards(&mut self) -> Read<Cards> {
        let mut cards = Cards::EMPTY;
        for _ in 0..self.length("cards")? {
            let (card, count) = (self.card()?, self.count()?);
            let most = self.rules.cards_max(card);
            if u16::from(cards.count(card)) + u16::from(count) > u16::from(most) {
                return Err(self.wrong("no more of a card than the pack has"));
            }
            cards.extend(std::iter::repeat_n(card, usize::from(count)));
        }
        Ok(cards)
    }

    fn count(&mut self) -> Read<u8> {
        self.byte("a number of cards")
    }

    /// A list whose length stands before it; each item takes a byte at least.
    pub(super) fn list<T>(
        &mut self,
        expected: &'static str,
        mut each: impl FnMut(&mut Reader<'a>) -> Read<T>,
    ) -> Read<Vec<T>> {
        let length = self.length(expected)?;
        let room = (self.bytes.len() - self.at) / size_of::<T>().max(1);
        let mut list = Vec::with_capacity(length.min(room));
        for _ in 0..length {
            list.push(each(self)?);
        }
        Ok(list)
    }

    /// The length of a list, no longer than what is left.
    fn length(&mut self, expected: &'static str) -> Read<usize> {
        let length: usize = self.small(expected)?;
        match length <= self.bytes.len().saturating_sub(self.at) {
            true => Ok(length),
            false => Err(self.wrong(expected)),
        }
    }
}
