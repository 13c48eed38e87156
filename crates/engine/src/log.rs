//! What was played in a round, kept small: a game keeps every action it accepted.
//!
//! **Invariant:** bytes written here are read here only; records have a notation of their own.

use handfoot_cards::Card;
use handfoot_view::{Action, Answer, Lay, MeldId, Seat, Target, WayOut};

/// Accepted actions, in order.
#[derive(Clone, Default)]
pub(crate) struct ActionLog {
    bytes: Vec<u8>,
}

const DRAW: u8 = 0;
const TAKE: u8 = 1;
const LAY: u8 = 2;
const ASK: u8 = 3;
const YES: u8 = 4;
const NO: u8 = 5;
const DISCARD: u8 = 6;
const UNDO: u8 = 7;
const UNDO_YES: u8 = 8;
const UNDO_NO: u8 = 9;

/// The target byte of a new meld; a meld's index is below it.
const NEW: u8 = u8::MAX;

impl ActionLog {
    /// Adds an action.
    pub(crate) fn push(&mut self, seat: Seat, action: &Action) {
        let tag = |kind: u8| byte(seat.index()) << 4 | kind;
        match action {
            Action::Draw => self.bytes.push(tag(DRAW)),
            Action::TakeDiscards(lay) => {
                self.bytes.push(tag(TAKE));
                self.push_lay(lay);
            }
            Action::Lay(lay) => {
                self.bytes.push(tag(LAY));
                self.push_lay(lay);
            }
            Action::AskToGoOut(way) => {
                self.bytes.push(tag(ASK));
                for lay in [&way.take, &way.lay] {
                    self.bytes.push(u8::from(lay.is_some()));
                    if let Some(lay) = lay {
                        self.push_lay(lay);
                    }
                }
                self.bytes.push(way.discard.map_or(NEW, |card| byte(card.index())));
            }
            Action::AnswerGoOut(Answer::Yes) => self.bytes.push(tag(YES)),
            Action::AnswerGoOut(Answer::No) => self.bytes.push(tag(NO)),
            Action::Discard(card) => {
                self.bytes.extend([tag(DISCARD), byte(card.index())]);
            }
            Action::UndoLays(acts) => self.bytes.extend([tag(UNDO), *acts]),
            Action::AnswerUndo(Answer::Yes) => self.bytes.push(tag(UNDO_YES)),
            Action::AnswerUndo(Answer::No) => self.bytes.push(tag(UNDO_NO)),
        }
    }

    fn push_lay(&mut self, lay: &Lay) {
        self.bytes.push(byte(lay.placements().count()));
        for placement in lay.placements() {
            self.bytes.push(match placement.target {
                Target::New => NEW,
                Target::Meld(id) => byte(id.index()),
            });
            self.bytes.push(byte(placement.cards.len()));
            self.bytes.extend(placement.cards.iter().map(|card| byte(card.index())));
        }
    }

    /// A log of bytes written by another one; what they do not hold is left out.
    pub(crate) const fn of(bytes: Vec<u8>) -> ActionLog {
        ActionLog { bytes }
    }

    /// The bytes, for whoever keeps them.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The actions with who played them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Seat, Action)> + '_ {
        let mut reader = Reader(self.bytes.iter().copied());
        std::iter::from_fn(move || reader.action())
    }
}

struct Reader<I>(I);

impl<I: Iterator<Item = u8>> Reader<I> {
    fn action(&mut self) -> Option<(Seat, Action)> {
        let tag = self.0.next()?;
        let seat = Seat::from_index(usize::from(tag >> 4))?;
        let action = match tag & 0x0F {
            DRAW => Action::Draw,
            TAKE => Action::TakeDiscards(self.lay()?),
            LAY => Action::Lay(self.lay()?),
            ASK => Action::AskToGoOut(Box::new(WayOut {
                take: self.optional_lay()?,
                lay: self.optional_lay()?,
                discard: self.0.next().and_then(|index| Card::from_index(usize::from(index))),
            })),
            YES => Action::AnswerGoOut(Answer::Yes),
            NO => Action::AnswerGoOut(Answer::No),
            DISCARD => Action::Discard(self.card()?),
            UNDO => Action::UndoLays(self.0.next()?),
            UNDO_YES => Action::AnswerUndo(Answer::Yes),
            UNDO_NO => Action::AnswerUndo(Answer::No),
            _ => return None,
        };
        Some((seat, action))
    }

    #[expect(clippy::option_option, reason = "outer: whether it reads; inner: whether it is there")]
    fn optional_lay(&mut self) -> Option<Option<Lay>> {
        match self.0.next()? {
            0 => Some(None),
            _ => self.lay().map(Some),
        }
    }

    fn lay(&mut self) -> Option<Lay> {
        let mut lay = Lay::new();
        for _ in 0..self.0.next()? {
            let target = match self.0.next()? {
                NEW => Target::New,
                index => Target::Meld(MeldId::from_index(usize::from(index))?),
            };
            let count = self.0.next()?;
            let cards: Vec<Card> = (0..count).map_while(|_| self.card()).collect();
            lay.push(target, &cards).ok()?;
        }
        Some(lay)
    }

    fn card(&mut self) -> Option<Card> {
        Card::from_index(usize::from(self.0.next()?))
    }
}

/// Indices of seats, cards and melds are far below 255.
fn byte(index: usize) -> u8 {
    u8::try_from(index).unwrap_or(NEW)
}

#[cfg(test)]
mod tests {
    use handfoot_cards::Kind;

    use super::*;

    #[test]
    fn what_is_logged_reads_back() {
        let seat = |number| Seat::from_number(number).unwrap();
        let meld = Target::Meld(MeldId::from_number(3).unwrap());
        let mut lay = Lay::of(Target::New, &[Kind::KING.card(0); 3]).unwrap();
        lay.push(meld, &[Kind::JOKER.card(0)]).unwrap();
        let way = WayOut { take: None, lay: Some(lay.clone()), discard: Some(Kind::ACE.card(3)) };
        let actions = [
            (seat(1), Action::Draw),
            (seat(12), Action::TakeDiscards(lay.clone())),
            (seat(2), Action::Lay(lay)),
            (seat(3), Action::UndoLays(2)),
            (seat(3), Action::AskToGoOut(Box::new(way))),
            (seat(4), Action::AskToGoOut(Box::default())),
            (seat(5), Action::AnswerGoOut(Answer::Yes)),
            (seat(6), Action::AnswerGoOut(Answer::No)),
            (seat(6), Action::AnswerUndo(Answer::Yes)),
            (seat(6), Action::AnswerUndo(Answer::No)),
            (seat(7), Action::Discard(Kind::BLACK_THREE.card(1))),
        ];
        let mut log = ActionLog::default();
        for (seat, action) in &actions {
            log.push(*seat, action);
        }
        assert!(log.iter().eq(actions));
    }
}
