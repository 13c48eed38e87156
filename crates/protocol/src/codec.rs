//! Conversions at one table: cards, kinds, seats and melds.
//!
//! A card's number on the wire is one more than its number in a standard pack, and `CARD_NAMED_1`
//! and up in a pack of named kinds.
//!
//! **Invariant:** the table's rules decide which cards there are; nothing here decides legality.

use handfoot_cards::{Card, Cards, FACES_MAX, KINDS_MAX, Kind};
use handfoot_rules::{PackChoice, Rules};
use handfoot_view::{Concealed, MeldId, MeldRank, Seat, Team};

use crate::decode::{At, DecodeError, DecodeProblem};
use crate::v1;

/// `CARD_NAMED_1` and `KIND_NAMED_1`, less one.
const NAMED: usize = 100;

/// What stands for a card of no pack, which no table has.
const NO_NUMBER: i32 = 0;

/// Converts messages of one table, both ways.
///
/// Encoding cannot fail. Decoding answers with the first [`DecodeError`] found; what it gives fits
/// the table's rules in numbers and cards, so that [`handfoot_view::judge`] and menus can be asked
/// about it.
#[derive(Clone, Copy, Debug)]
pub struct Codec<'a> {
    pub(crate) rules: &'a Rules,
    numbering: Numbering,
}

/// How cards and kinds are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    /// As the standard pack has them.
    Standard,
    /// By the place of a named kind.
    Named,
}

impl<'a> Codec<'a> {
    /// Conversions at a table with these rules.
    #[must_use]
    pub fn new(rules: &'a Rules) -> Codec<'a> {
        let numbering = match rules.draft().pack {
            PackChoice::Standard => Numbering::Standard,
            PackChoice::Kinds(_) => Numbering::Named,
        };
        Codec { rules, numbering }
    }

    /// The rules of the table.
    #[must_use]
    pub const fn rules(&self) -> &'a Rules {
        self.rules
    }

    pub(crate) fn card(self, card: Card) -> i32 {
        self.numbering.card(card)
    }

    pub(crate) fn cards(self, cards: &Cards) -> Vec<i32> {
        cards.iter().map(|card| self.card(card)).collect()
    }

    pub(crate) fn card_list(self, cards: impl IntoIterator<Item = Card>) -> Vec<i32> {
        cards.into_iter().map(|card| self.card(card)).collect()
    }

    pub(crate) fn read_card(self, number: i32, at: At<'_>) -> Result<Card, DecodeError> {
        self.read_card_or_none(number, at)?.ok_or_else(|| at.error(DecodeProblem::Unspecified))
    }

    pub(crate) fn read_card_or_none(
        self,
        number: i32,
        at: At<'_>,
    ) -> Result<Option<Card>, DecodeError> {
        if at.known::<v1::Card>(number)? == v1::Card::Unspecified {
            return Ok(None);
        }
        let card = self.numbering.read_card(number);
        let in_pack = card.filter(|card| self.rules.cards_max(*card) > 0);
        in_pack.map(Some).ok_or_else(|| at.error(DecodeProblem::NotInPack { number }))
    }

    /// Cards in their order, each in the pack.
    pub(crate) fn read_card_list(
        self,
        numbers: &[i32],
        most: usize,
        at: At<'_>,
    ) -> Result<Vec<Card>, DecodeError> {
        at.at_most(numbers.len(), most)?;
        let read = |(index, number): (usize, &i32)| self.read_card(*number, at.entry(index));
        numbers.iter().enumerate().map(read).collect()
    }

    /// Cards as a collection, no more of any than the pack has.
    pub(crate) fn read_cards(self, numbers: &[i32], at: At<'_>) -> Result<Cards, DecodeError> {
        at.at_most(numbers.len(), self.rules.round_cards_max())?;
        let mut cards = Cards::EMPTY;
        for (index, number) in numbers.iter().enumerate() {
            let card = self.read_card(*number, at.entry(index))?;
            if cards.count(card) >= self.rules.cards_max(card) {
                let number = *number;
                return Err(at.entry(index).error(DecodeProblem::MoreThanPack { number }));
            }
            cards.insert(card);
        }
        Ok(cards)
    }

    pub(crate) fn concealed(self, cards: &Concealed) -> v1::ConcealedCards {
        let cards = match cards {
            Concealed::Faces(cards) => {
                v1::concealed_cards::Cards::Faces(v1::CardList { cards: self.cards(cards) })
            }
            Concealed::Backs(count) => v1::concealed_cards::Cards::Backs(u32::from(*count)),
        };
        v1::ConcealedCards { cards: Some(cards) }
    }

    pub(crate) fn read_concealed(
        self,
        cards: Option<&v1::ConcealedCards>,
        at: At<'_>,
    ) -> Result<Concealed, DecodeError> {
        match at.set(at.set(cards)?.cards.as_ref())? {
            v1::concealed_cards::Cards::Faces(faces) => {
                let (at, cards) = (at.field("faces"), &faces.cards);
                Ok(Concealed::Faces(self.read_cards(cards, at.field("cards"))?))
            }
            v1::concealed_cards::Cards::Backs(count) => {
                Ok(Concealed::Backs(self.read_count(*count, at.field("backs"))?))
            }
        }
    }

    /// A number of cards, no more than the pack has.
    pub(crate) fn read_count(self, count: u32, at: At<'_>) -> Result<u16, DecodeError> {
        let most = u16::try_from(self.rules.round_cards_max()).unwrap_or(u16::MAX);
        at.number(count, most)
    }

    pub(crate) fn kind(self, kind: Kind) -> i32 {
        self.numbering.kind(kind)
    }

    pub(crate) fn rank(self, rank: MeldRank) -> i32 {
        match rank {
            MeldRank::Natural(kind) => self.kind(kind),
            MeldRank::Wild => v1::Kind::Wild as i32,
        }
    }

    pub(crate) fn read_kind(self, number: i32, at: At<'_>) -> Result<Kind, DecodeError> {
        if at.known::<v1::Kind>(number)? == v1::Kind::Unspecified {
            return at.unspecified();
        }
        let kind = self.numbering.read_kind(number);
        let in_pack = kind.filter(|kind| kind.index() < self.rules.pack().kinds().len());
        in_pack.ok_or_else(|| at.error(DecodeProblem::NotInPack { number }))
    }

    pub(crate) fn read_rank(self, number: i32, at: At<'_>) -> Result<MeldRank, DecodeError> {
        if number == v1::Kind::Wild as i32 {
            return Ok(MeldRank::Wild);
        }
        self.read_kind(number, at).map(MeldRank::Natural)
    }

    /// A seat of this table.
    pub(crate) fn read_seat(self, number: u32, at: At<'_>) -> Result<Seat, DecodeError> {
        self.read_seat_or_none(number, at)?.ok_or_else(|| {
            let most = i64::try_from(self.rules.seats()).unwrap_or(i64::MAX);
            at.error(DecodeProblem::OutOfRange { actual: 0, least: 1, most })
        })
    }

    /// A seat of this table, or none for 0.
    pub(crate) fn read_seat_or_none(
        self,
        number: u32,
        at: At<'_>,
    ) -> Result<Option<Seat>, DecodeError> {
        let most = u8::try_from(self.rules.seats()).unwrap_or(u8::MAX);
        let number: u8 = at.number(number, most)?;
        Ok(Seat::from_number(usize::from(number)))
    }
}

/// A seat's number.
pub(crate) fn seat(seat: Seat) -> u32 {
    number(seat.number())
}

/// A seat's number, or 0.
pub(crate) fn seat_or_none(of: Option<Seat>) -> u32 {
    of.map_or(0, seat)
}

/// A team's number.
pub(crate) fn team(team: Team) -> u32 {
    number(team.number())
}

/// A meld's number.
pub(crate) fn meld(meld: MeldId) -> u32 {
    number(meld.number())
}

/// The meld of a number, from 1.
pub(crate) fn read_meld(number: u32, at: At<'_>) -> Result<MeldId, DecodeError> {
    let number: u16 = at.number_from(number, 1, 256u16)?;
    let meld = MeldId::from_number(usize::from(number));
    meld.ok_or_else(|| at.error(DecodeProblem::Misplaced))
}

/// A count of things that are few.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Numbering {
    fn card(self, card: Card) -> i32 {
        match self {
            Numbering::Standard => small(card.index() + 1),
            Numbering::Named => small(NAMED + 1 + card.kind().index()),
        }
    }

    fn read_card(self, number: i32) -> Option<Card> {
        let number = usize::try_from(number).ok()?;
        match self {
            Numbering::Standard if number <= FACES_MAX => Card::from_index(number.checked_sub(1)?),
            Numbering::Standard => None,
            Numbering::Named => self.read_kind(small(number)).map(|kind| kind.card(0)),
        }
    }

    fn kind(self, kind: Kind) -> i32 {
        match self {
            Numbering::Standard => small(kind.index() + 1),
            Numbering::Named => small(NAMED + 1 + kind.index()),
        }
    }

    fn read_kind(self, number: i32) -> Option<Kind> {
        let number = usize::try_from(number).ok()?;
        match self {
            Numbering::Standard if number <= KINDS_MAX => Kind::from_index(number.checked_sub(1)?),
            Numbering::Standard => None,
            Numbering::Named => Kind::from_index(number.checked_sub(NAMED + 1)?),
        }
    }
}

/// A number of an enum; all of them are below 128.
fn small(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(NO_NUMBER)
}

#[cfg(test)]
mod tests {
    use handfoot_cards::{NamedKind, Pack, Role};

    use super::*;

    #[test]
    fn every_card_of_the_standard_pack_has_its_name() {
        let pack = Pack::standard(5, 2).unwrap();
        let numbering = Numbering::Standard;
        let mut names = Vec::new();
        for card in pack.faces() {
            let wire = v1::Card::try_from(numbering.card(card)).unwrap();
            assert_eq!(numbering.read_card(wire as i32), Some(card));
            names.push((pack.card_name(card).to_string(), wire.as_str_name()));
        }
        assert_eq!(names.len(), 53);
        for (notation, name) in [
            ("4C", "CARD_FOUR_OF_CLUBS"),
            ("10H", "CARD_TEN_OF_HEARTS"),
            ("AS", "CARD_ACE_OF_SPADES"),
            ("2D", "CARD_TWO_OF_DIAMONDS"),
            ("*", "CARD_JOKER"),
            ("3D", "CARD_THREE_OF_DIAMONDS"),
            ("3S", "CARD_THREE_OF_SPADES"),
        ] {
            assert!(names.contains(&(notation.to_owned(), name)), "{notation}");
        }
    }

    #[test]
    fn every_kind_of_the_standard_pack_has_its_name() {
        let pack = Pack::standard(5, 2).unwrap();
        for (kind, _) in pack.roles() {
            let number = Numbering::Standard.kind(kind);
            assert!(v1::Kind::try_from(number).is_ok());
            assert_eq!(Numbering::Standard.read_kind(number), Some(kind));
        }
        let joker = Numbering::Standard.kind(Kind::JOKER);
        assert_eq!(v1::Kind::try_from(joker), Ok(v1::Kind::Joker));
        assert_eq!(Numbering::Standard.read_kind(v1::Kind::Wild as i32), None);
    }

    #[test]
    fn named_kinds_are_numbered_by_their_place() {
        let lord = NamedKind { name: "Lord".to_owned(), number: 20, role: Role::Natural };
        let pack = Pack::named(&[lord]).unwrap();
        for card in pack.faces() {
            let number = Numbering::Named.card(card);
            assert_eq!(v1::Card::try_from(number), Ok(v1::Card::Named1));
            assert_eq!(Numbering::Named.read_card(number), Some(card));
        }
        assert_eq!(Numbering::Named.read_card(1), None);
        assert_eq!(Numbering::Named.read_card(v1::Card::Named20 as i32).map(Card::index), Some(76));
    }
}
