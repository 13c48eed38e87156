//! What a seat may ask for. An action is plain data; [`crate::judge`] says whether it is legal.

use arrayvec::ArrayVec;
use handfoot_cards::Card;

use crate::MeldId;
use crate::limits::{LAY_CARDS_MAX, LAY_PLACEMENTS_MAX};

/// What a seat asks for.
///
/// # Visibility
///
/// The acting seat. What others learn of it is an [`crate::Event`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Draw from the stock. Rule: HF-2.3
    Draw,
    /// Take the discard pile. The lay names the upcard among its cards. Rule: HF-5.1
    TakeDiscards(Lay),
    /// Lay new melds and add to melds, all or nothing. Rule: HF-4.1
    Lay(Lay),
    /// Ask the team-mates whether one may go out in this way. Rule: HF-8.4
    AskToGoOut(Box<WayOut>),
    /// Answer a team-mate's question. Rule: HF-8.4
    AnswerGoOut(Answer),
    /// Discard a card, which ends the turn. Rule: HF-2.4
    Discard(Card),
    /// Take back so many of the own newest lays of this turn, or ask whether one may.
    /// Rule: HF-2.6, HF-13.1
    UndoLays(u8),
    /// Answer a seat that wants to take back lays. Rule: HF-13.1
    AnswerUndo(Answer),
}

/// An answer to the question whether a team-mate may go out, or another seat may take back lays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// Yes: once all have said so, the asker does what it asked about.
    Yes,
    /// No: the asker may not. Going out is then barred for the turn.
    No,
}

/// A whole way out, in the order in which it is played. Rule: HF-8.5
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WayOut {
    /// Taking the discard pile, if it begins with that.
    pub take: Option<Lay>,
    /// Laying, received cards included.
    pub lay: Option<Lay>,
    /// The last discard, if any.
    pub discard: Option<Card>,
}

/// Where cards are laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A new meld.
    New,
    /// A meld of the own team.
    Meld(MeldId),
}

/// Cards laid at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement<'a> {
    /// The place.
    pub target: Target,
    /// The cards, at least one.
    pub cards: &'a [Card],
}

/// One or several new melds and additions, laid together. No meld is added to twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lay {
    cards: ArrayVec<Card, LAY_CARDS_MAX>,
    parts: ArrayVec<Part, LAY_PLACEMENTS_MAX>,
}

/// A placement that ends before this index of the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Part {
    target: Target,
    end: u8,
}

/// More cards or places than a lay can hold: [`LAY_CARDS_MAX`], [`LAY_PLACEMENTS_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a lay names at most {LAY_CARDS_MAX} cards at {LAY_PLACEMENTS_MAX} places")]
pub struct LayTooLong;

impl Lay {
    /// A lay of nothing.
    #[must_use]
    pub fn new() -> Lay {
        Lay::default()
    }

    /// A lay of one placement.
    ///
    /// # Errors
    ///
    /// [`LayTooLong`].
    pub fn of(target: Target, cards: &[Card]) -> Result<Lay, LayTooLong> {
        let mut lay = Lay::new();
        lay.push(target, cards)?;
        Ok(lay)
    }

    /// Lays more cards. Cards for a meld that is already named join those; no cards change
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`LayTooLong`]; the lay is then unchanged.
    pub fn push(&mut self, target: Target, cards: &[Card]) -> Result<(), LayTooLong> {
        if cards.is_empty() {
            return Ok(());
        }
        let named = match target {
            Target::New => None,
            Target::Meld(_) => self.parts.iter().position(|part| part.target == target),
        };
        let Some(at) = named.filter(|at| at + 1 < self.parts.len()) else {
            return self.append(target, cards, named);
        };
        // Not the last placement: write the lay anew with the cards in their place.
        let mut joined = Lay::new();
        for (index, placement) in self.placements().enumerate() {
            joined.append(placement.target, placement.cards, None)?;
            if index == at {
                joined.append(target, cards, Some(at))?;
            }
        }
        *self = joined;
        Ok(())
    }

    /// Appends a placement, or lengthens the last one if `joins` names it.
    fn append(
        &mut self,
        target: Target,
        cards: &[Card],
        joins: Option<usize>,
    ) -> Result<(), LayTooLong> {
        let places = self.parts.len() + usize::from(joins.is_none());
        if self.cards.len() + cards.len() > LAY_CARDS_MAX || places > LAY_PLACEMENTS_MAX {
            return Err(LayTooLong);
        }
        self.cards.extend(cards.iter().copied());
        let end = u8::try_from(self.cards.len()).map_err(|_| LayTooLong)?;
        match joins.and_then(|at| self.parts.get_mut(at)) {
            Some(part) => part.end = end,
            None => self.parts.push(Part { target, end }),
        }
        Ok(())
    }

    /// All cards named, placement by placement.
    #[must_use]
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// Whether no card is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// The placements, in the order in which they are laid.
    pub fn placements(&self) -> impl Iterator<Item = Placement<'_>> {
        let mut start = 0;
        self.parts.iter().map(move |part| {
            let end = usize::from(part.end);
            let cards = &self.cards[start..end];
            start = end;
            Placement { target: part.target, cards }
        })
    }
}

#[cfg(test)]
mod tests {
    use handfoot_cards::Kind;

    use super::*;

    #[test]
    fn cards_for_one_meld_stand_together() {
        let (king, nine) = (Kind::KING.card(0), Kind::NINE.card(1));
        let first = Target::Meld(MeldId::from_number(1).unwrap());
        let mut lay = Lay::of(first, &[king]).unwrap();
        lay.push(Target::New, &[nine; 3]).unwrap();
        lay.push(first, &[king; 2]).unwrap();
        lay.push(Target::New, &[]).unwrap();
        let read: Vec<_> = lay.placements().map(|p| (p.target, p.cards.len())).collect();
        assert_eq!(read, [(first, 3), (Target::New, 3)]);
    }

    #[test]
    fn a_lay_that_is_too_long_stays_as_it_was() {
        let king = Kind::KING.card(0);
        let mut lay = Lay::of(Target::New, &[king; LAY_CARDS_MAX]).unwrap();
        let before = lay.clone();
        assert_eq!(lay.push(Target::New, &[king]), Err(LayTooLong));
        assert_eq!(lay, before);
    }
}
