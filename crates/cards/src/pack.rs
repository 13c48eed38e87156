//! All the cards of one deal, and how they are written.
//!
//! Notation: a card is its name and, where it has suits, a suit letter: `4C`, `10H`, `KS`, `2D`,
//! `*` for the joker. Without its suit (`K`, `2`, `R3`, `B3`) it means any card of that kind.
//! `x` and a number repeat it: `KCx3`. A pack of named kinds writes the names: `Lordx2`.

use std::fmt;

use crate::{Card, Cards, FACES_MAX, KINDS_MAX, Kind, Role, SLOTS, Suit};

/// The most cards a pack may have: fourteen decks of 52 with eight jokers each.
pub const PACK_CARDS_MAX: usize = 840;

/// The most cards of one kind.
pub const KIND_CARDS_MAX: usize = 250;

/// One kind of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackKind {
    /// How the kind is written: `K`, `2`, `*`, `R3`, `Lord`.
    pub name: String,
    /// What sort of card it is.
    pub role: Role,
    faces: [Option<Suit>; SLOTS],
    copies: [u8; SLOTS],
}

/// A kind of a pack that is given by name, as in D.1 parameter 36 of the rules.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedKind {
    /// Letters and digits, beginning with a letter or digit, not ending in `x` and digits.
    pub name: String,
    /// How many cards of it there are, 1 to 250.
    pub number: u8,
    /// What sort of card it is.
    pub role: Role,
}

/// All cards in play in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    kinds: Vec<PackKind>,
    cards: Cards,
    wild_faces: Vec<Card>,
    red_three_faces: Vec<Card>,
    /// For a wild face or a red three its place among those faces.
    places: [u8; FACES_MAX],
}

/// Why a pack cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackProblem {
    /// More kinds than [`KINDS_MAX`].
    #[error("{0} kinds, at most {KINDS_MAX}")]
    TooManyKinds(usize),
    /// More cards than [`PACK_CARDS_MAX`], or than 250 of one kind.
    #[error("{0} cards, at most {PACK_CARDS_MAX}, and at most 250 of one kind")]
    TooManyCards(usize),
    /// A kind without cards.
    #[error("no cards of {0}")]
    NoCards(String),
    /// Two kinds with one name.
    #[error("the name {0} is given twice")]
    RepeatedName(String),
    /// A name that could not be read back.
    #[error("the name {0:?} must be 1 to 12 letters and digits and not end in x and digits")]
    UnreadableName(String),
    /// No kind that melds.
    #[error("no natural kind")]
    NoNaturals,
    /// More wild faces than a meld can count.
    #[error("{0} wild faces, at most {max}", max = Pack::WILD_FACES_MAX)]
    TooManyWildFaces(usize),
    /// More faces of red threes than a team can count.
    #[error("{0} kinds of red threes, at most {max}", max = Pack::RED_THREE_FACES_MAX)]
    TooManyRedThreeFaces(usize),
}

/// Why a list of cards could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{token:?}: {problem}")]
pub struct CardsError {
    /// The word that could not be read.
    pub token: String,
    /// What is wrong with it.
    pub problem: CardProblem,
}

/// What is wrong with one word of a list of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardProblem {
    /// No card of this pack is written so.
    #[error("no card of this pack; a card is written like 4C, 10H, KS, 2D, * (joker), R3 or B3")]
    Unknown,
    /// The number after `x` is not 1 to 250.
    #[error("the number after x must be 1 to 250")]
    BadNumber,
    /// There are not so many of it here.
    #[error("not so many of it are left here")]
    NotAvailable,
}

/// What one word of a list of cards names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardWord {
    /// This card.
    Face(Card),
    /// Any card of this kind.
    Kind(Kind),
}

impl PackKind {
    /// What stands before the suit on a card of this kind.
    fn printed_rank(&self) -> &str {
        match self.role {
            Role::RedThree | Role::BlackThree => "3",
            Role::Natural | Role::Wild => &self.name,
        }
    }
}

impl Pack {
    /// The most wild faces a pack may have: four twos and the joker.
    pub const WILD_FACES_MAX: usize = 5;

    /// The most faces of red threes a pack may have.
    pub const RED_THREE_FACES_MAX: usize = 4;

    /// So many decks of 52 cards, with so many jokers in each.
    ///
    /// # Errors
    ///
    /// [`PackProblem::TooManyCards`].
    pub fn standard(decks: u8, jokers_per_deck: u8) -> Result<Pack, PackProblem> {
        let total = usize::from(decks) * (52 + usize::from(jokers_per_deck));
        let jokers = decks.checked_mul(jokers_per_deck).filter(|_| total <= PACK_CARDS_MAX);
        let Some(jokers) = jokers else { return Err(PackProblem::TooManyCards(total)) };
        let suited = |name: &str, role| PackKind {
            name: name.to_owned(),
            role,
            faces: Suit::ALL.map(Some),
            copies: [decks; SLOTS],
        };
        let three = |name: &str, role, [low, high]: [Suit; 2]| PackKind {
            name: name.to_owned(),
            role,
            faces: [Some(low), Some(high), None, None],
            copies: [decks, decks, 0, 0],
        };
        let ranks = ["4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
        let mut kinds: Vec<PackKind> =
            ranks.iter().map(|name| suited(name, Role::Natural)).collect();
        kinds.push(suited("2", Role::Wild));
        kinds.push(PackKind {
            name: "*".to_owned(),
            role: Role::Wild,
            faces: [None; SLOTS],
            copies: [jokers, 0, 0, 0],
        });
        kinds.push(three("R3", Role::RedThree, [Suit::Diamonds, Suit::Hearts]));
        kinds.push(three("B3", Role::BlackThree, [Suit::Clubs, Suit::Spades]));
        Ok(Pack::of(kinds))
    }

    /// A pack given kind by kind.
    ///
    /// # Errors
    ///
    /// The first [`PackProblem`] found.
    pub fn named(list: &[NamedKind]) -> Result<Pack, PackProblem> {
        if list.len() > KINDS_MAX {
            return Err(PackProblem::TooManyKinds(list.len()));
        }
        for (index, kind) in list.iter().enumerate() {
            if !is_readable(&kind.name) {
                return Err(PackProblem::UnreadableName(kind.name.clone()));
            }
            if list[..index].iter().any(|other| other.name.eq_ignore_ascii_case(&kind.name)) {
                return Err(PackProblem::RepeatedName(kind.name.clone()));
            }
            if kind.number == 0 {
                return Err(PackProblem::NoCards(kind.name.clone()));
            }
        }
        let total: usize = list.iter().map(|kind| usize::from(kind.number)).sum();
        if total > PACK_CARDS_MAX || list.iter().any(|k| usize::from(k.number) > KIND_CARDS_MAX) {
            return Err(PackProblem::TooManyCards(total));
        }
        if !list.iter().any(|kind| kind.role == Role::Natural) {
            return Err(PackProblem::NoNaturals);
        }
        let wild_faces = list.iter().filter(|kind| kind.role == Role::Wild).count();
        if wild_faces > Pack::WILD_FACES_MAX {
            return Err(PackProblem::TooManyWildFaces(wild_faces));
        }
        let red_three_faces = list.iter().filter(|kind| kind.role == Role::RedThree).count();
        if red_three_faces > Pack::RED_THREE_FACES_MAX {
            return Err(PackProblem::TooManyRedThreeFaces(red_three_faces));
        }
        let kinds = list
            .iter()
            .map(|kind| PackKind {
                name: kind.name.clone(),
                role: kind.role,
                faces: [None; SLOTS],
                copies: [kind.number, 0, 0, 0],
            })
            .collect();
        Ok(Pack::of(kinds))
    }

    fn of(kinds: Vec<PackKind>) -> Pack {
        let mut cards = Cards::EMPTY;
        for (kind, spec) in Kind::all().zip(&kinds) {
            for (card, copies) in kind.cards().zip(spec.copies) {
                cards.extend(std::iter::repeat_n(card, usize::from(copies)));
            }
        }
        let mut pack = Pack {
            kinds,
            cards,
            wild_faces: Vec::new(),
            red_three_faces: Vec::new(),
            places: [0; FACES_MAX],
        };
        pack.wild_faces = pack.faces_of(Role::Wild);
        pack.red_three_faces = pack.faces_of(Role::RedThree);
        for faces in [&pack.wild_faces, &pack.red_three_faces] {
            for (place, card) in (0u8..).zip(faces) {
                pack.places[card.index()] = place;
            }
        }
        pack
    }

    fn faces_of(&self, role: Role) -> Vec<Card> {
        self.faces().filter(|card| self.kinds[card.kind().index()].role == role).collect()
    }

    /// The wild faces in canonical order, at most [`Pack::WILD_FACES_MAX`].
    #[must_use]
    pub fn wild_faces(&self) -> &[Card] {
        &self.wild_faces
    }

    /// The faces of red threes in canonical order, at most [`Pack::RED_THREE_FACES_MAX`].
    #[must_use]
    pub fn red_three_faces(&self) -> &[Card] {
        &self.red_three_faces
    }

    /// The place of a wild face among the wild faces, or of a red three among the red threes; 0
    /// for any other card.
    #[must_use]
    pub fn place(&self, card: Card) -> usize {
        usize::from(self.places[card.index()])
    }

    /// The pack's kinds, in canonical order; a kind's number is its place.
    #[must_use]
    pub fn kinds(&self) -> &[PackKind] {
        &self.kinds
    }

    /// Every card of the pack.
    #[must_use]
    pub fn cards(&self) -> &Cards {
        &self.cards
    }

    /// Every number a kind of this pack has, with what sort of card it is.
    pub fn roles(&self) -> impl Iterator<Item = (Kind, Role)> + '_ {
        Kind::all().zip(&self.kinds).map(|(kind, spec)| (kind, spec.role))
    }

    /// How a kind is written, or nothing if the pack has no such kind.
    #[must_use]
    pub fn kind_name(&self, kind: Kind) -> &str {
        self.kinds.get(kind.index()).map_or("", |spec| spec.name.as_str())
    }

    /// The kind that is written so.
    #[must_use]
    pub fn kind_named(&self, name: &str) -> Option<Kind> {
        let named = |(_, spec): &(Kind, &PackKind)| spec.name.eq_ignore_ascii_case(name);
        Kind::all().zip(&self.kinds).find(named).map(|(kind, _)| kind)
    }

    /// How a card is written.
    #[must_use]
    pub fn card_name(&self, card: Card) -> CardName<'_> {
        CardName { pack: self, card }
    }

    /// How cards are written, in canonical order, `-` if there are none.
    #[must_use]
    pub fn write<'a>(&'a self, cards: &'a Cards) -> CardsName<'a> {
        CardsName { pack: self, cards }
    }

    /// Reads a list of cards and takes them out of `supply`. A card without its suit becomes the
    /// lowest one of its kind that is left there. `-` is the empty list.
    ///
    /// # Errors
    ///
    /// The first word that cannot be read or supplied; `supply` is then partly used.
    pub fn read(&self, text: &str, supply: &mut Cards) -> Result<Vec<Card>, CardsError> {
        let mut cards = Vec::new();
        for token in text.split_whitespace().filter(|token| *token != "-") {
            self.read_token(token, supply, &mut cards)
                .map_err(|problem| CardsError { token: clipped(token), problem })?;
        }
        Ok(cards)
    }

    fn read_token(
        &self,
        token: &str,
        supply: &mut Cards,
        cards: &mut Vec<Card>,
    ) -> Result<(), CardProblem> {
        let (named, number) = self.read_word(token)?;
        for _ in 0..number {
            let card = match named {
                CardWord::Face(card) => card,
                CardWord::Kind(kind) => supply.lowest(kind).ok_or(CardProblem::NotAvailable)?,
            };
            if !supply.remove(card) {
                return Err(CardProblem::NotAvailable);
            }
            cards.push(card);
        }
        Ok(())
    }

    /// What one word of a list of cards says: a face or a kind, and how many of it, 1 to 250.
    ///
    /// # Errors
    ///
    /// [`CardProblem::Unknown`], [`CardProblem::BadNumber`].
    pub fn read_word(&self, word: &str) -> Result<(CardWord, u8), CardProblem> {
        let (name, number) = split_number(word)?;
        let face = self.faces().find(|card| self.is_named(*card, name)).map(CardWord::Face);
        let named = face.or_else(|| self.kind_named(name).map(CardWord::Kind));
        named.map(|named| (named, number)).ok_or(CardProblem::Unknown)
    }

    /// Whether this is the card's name, in whatever case.
    fn is_named(&self, card: Card, name: &str) -> bool {
        let spec = &self.kinds[card.kind().index()];
        let Some(suit) = spec.faces[card.slot()] else {
            return spec.name.eq_ignore_ascii_case(name);
        };
        let is_rank = |rank: &[u8]| rank.eq_ignore_ascii_case(spec.printed_rank().as_bytes());
        let is_suit = |letter: u8| char::from(letter).eq_ignore_ascii_case(&suit.letter());
        name.as_bytes().split_last().is_some_and(|(letter, rank)| is_suit(*letter) && is_rank(rank))
    }

    /// Every face of the pack, in canonical order.
    pub fn faces(&self) -> impl Iterator<Item = Card> + '_ {
        let faces_end = (self.kinds.len() * SLOTS).min(FACES_MAX);
        Card::all()
            .take(faces_end)
            .filter(|card| self.kinds[card.kind().index()].copies[card.slot()] > 0)
    }
}

/// A card as it is written. See [`Pack::card_name`].
#[derive(Clone, Copy, Debug)]
pub struct CardName<'a> {
    pack: &'a Pack,
    card: Card,
}

impl fmt::Display for CardName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(spec) = self.pack.kinds.get(self.card.kind().index()) else {
            return f.write_str("?");
        };
        match spec.faces[self.card.slot()] {
            Some(suit) => {
                write!(f, "{}{}", spec.printed_rank(), suit.letter())
            }
            None => f.write_str(&spec.name),
        }
    }
}

/// Cards as they are written. See [`Pack::write`].
#[derive(Clone, Copy, Debug)]
pub struct CardsName<'a> {
    pack: &'a Pack,
    cards: &'a Cards,
}

impl fmt::Display for CardsName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cards.is_empty() {
            return f.write_str("-");
        }
        for (index, (card, count)) in self.cards.faces().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{}", self.pack.card_name(card))?;
            if count > 1 {
                write!(f, "x{count}")?;
            }
        }
        Ok(())
    }
}

fn is_readable(name: &str) -> bool {
    (1..=12).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && split_number(name) == Ok((name, 1))
}

/// Splits `KCx3` into `KC` and 3; a word without such an ending counts once.
fn split_number(token: &str) -> Result<(&str, u8), CardProblem> {
    let digits = token.len() - token.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (head, number) = token.split_at(token.len() - digits);
    match head.strip_suffix(['x', 'X']) {
        Some(name) if digits > 0 && !name.is_empty() => match number.parse() {
            Ok(number @ 1..=250) => Ok((name, number)),
            _ => Err(CardProblem::BadNumber),
        },
        _ => Ok((token, 1)),
    }
}

fn clipped(token: &str) -> String {
    token.chars().take(24).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn five_decks() -> Pack {
        Pack::standard(5, 2).unwrap()
    }

    #[test]
    fn five_decks_hold_270_cards_of_fifteen_kinds() {
        let pack = five_decks();
        assert_eq!(pack.cards().len(), 270);
        assert_eq!(pack.kinds().len(), 15);
        assert_eq!(pack.cards().of_kind(Kind::JOKER), 10);
        assert_eq!(pack.cards().of_kind(Kind::RED_THREE), 10);
        assert_eq!(pack.faces().count(), 53);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let pack = five_decks();
        let text = pack.write(pack.cards()).to_string();
        let read = pack.read(&text, &mut pack.cards().clone()).unwrap();
        assert_eq!(read.into_iter().collect::<Cards>(), *pack.cards());
        assert_eq!(pack.write(&Cards::EMPTY).to_string(), "-");
    }

    #[test]
    fn a_card_without_suit_is_the_lowest_left() {
        let pack = Pack::standard(1, 2).unwrap();
        let mut supply = pack.cards().clone();
        let cards: Cards =
            pack.read("KC Kx2 R3 3s *x2", &mut supply).unwrap().into_iter().collect();
        assert_eq!(pack.write(&cards).to_string(), "KC KD KH *x2 3D 3S");
    }

    #[test]
    fn bad_words_are_named() {
        let pack = Pack::standard(1, 2).unwrap();
        let problem = |text: &str| pack.read(text, &mut pack.cards().clone()).unwrap_err();
        assert_eq!(problem("4C 11D").problem, CardProblem::Unknown);
        assert_eq!(problem("4Cx2").problem, CardProblem::NotAvailable);
        assert_eq!(problem("Kx5").problem, CardProblem::NotAvailable);
        assert_eq!(problem("Kx0").problem, CardProblem::BadNumber);
        assert_eq!(problem("Kx9999").problem, CardProblem::BadNumber);
        assert_eq!(problem("3").problem, CardProblem::Unknown);
        assert_eq!(problem("4C 11D").token, "11D");
        assert_eq!(problem("\u{1F0A1}").problem, CardProblem::Unknown);
    }

    #[test]
    fn a_named_pack_is_checked() {
        let kind = |name: &str, number, role| NamedKind { name: name.to_owned(), number, role };
        let lord = kind("Lord", 20, Role::Natural);
        let pack = Pack::named(&[lord.clone(), kind("Jester", 20, Role::Wild)]).unwrap();
        assert_eq!(pack.write(pack.cards()).to_string(), "Lordx20 Jesterx20");
        assert_eq!(pack.kind_named("jester"), Kind::from_index(1));
        let problem = |list: &[NamedKind]| Pack::named(list).unwrap_err();
        assert_eq!(problem(&[kind("J", 4, Role::Wild)]), PackProblem::NoNaturals);
        let twice = [lord.clone(), kind("LORD", 1, Role::Wild)];
        assert_eq!(problem(&twice), PackProblem::RepeatedName("LORD".to_owned()));
        let none = [lord.clone(), kind("Lady", 0, Role::RedThree)];
        assert_eq!(problem(&none), PackProblem::NoCards("Lady".to_owned()));
        for name in ["", "a b", "Kx3", "abcdefghijklm", "-"] {
            let list = [lord.clone(), kind(name, 1, Role::Wild)];
            assert_eq!(problem(&list), PackProblem::UnreadableName(name.to_owned()));
        }
        assert_eq!(Pack::standard(14, 8).map(|pack| pack.cards().len()), Ok(840));
        assert_eq!(Pack::standard(15, 8), Err(PackProblem::TooManyCards(900)));
        assert_eq!(Pack::standard(2, 255), Err(PackProblem::TooManyCards(614)));
    }
}
