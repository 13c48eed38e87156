//! Actions and lays, both ways.
//!
//! **Invariant:** a lay is cut off at its limits before anything is kept of it.

use handfoot_view::{
    Action, Answer, LAY_CARDS_MAX, LAY_PLACEMENTS_MAX, Lay, Placement, Target, WayOut,
};

use crate::codec::{Codec, meld, read_meld};
use crate::decode::{At, DecodeError, DecodeProblem, pairs};
use crate::v1;

/// The most actions of one SubmitActions.
pub const BATCH_ACTIONS_MAX: usize = 32;

pairs! {
    answer / read_answer: Answer = Answer { Yes = Yes, No = No }
}

impl Codec<'_> {
    /// An action as it is sent.
    #[must_use]
    pub fn encode_action(&self, action: &Action) -> v1::Action {
        let action = match action {
            Action::Draw => v1::action::Action::Draw(v1::DrawAction {}),
            Action::TakeDiscards(lay) => v1::action::Action::TakeDiscards(self.lay(lay)),
            Action::Lay(lay) => v1::action::Action::Lay(self.lay(lay)),
            Action::AskToGoOut(way) => v1::action::Action::AskToGoOut(v1::WayOut {
                take_discards: way.take.as_ref().map(|lay| self.lay(lay)),
                lay: way.lay.as_ref().map(|lay| self.lay(lay)),
                discard: way.discard.map_or(v1::Card::Unspecified as i32, |card| self.card(card)),
            }),
            Action::AnswerGoOut(yes_or_no) => v1::action::Action::AnswerGoOut(answer(*yes_or_no)),
            Action::Discard(card) => v1::action::Action::Discard(self.card(*card)),
            Action::UndoLays(acts) => v1::action::Action::UndoLays(u32::from(*acts)),
            Action::AnswerUndo(yes_or_no) => v1::action::Action::AnswerUndo(answer(*yes_or_no)),
        };
        v1::Action { action: Some(action) }
    }

    /// A received action.
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`], with its field from the action on.
    pub fn decode_action(&self, action: &v1::Action) -> Result<Action, DecodeError> {
        self.read_action(Some(action), At::Root)
    }

    /// The actions of a SubmitActions: 1 to [`BATCH_ACTIONS_MAX`].
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`], with its field from the request on: `actions[2].discard`.
    pub fn decode_batch(&self, actions: &[v1::Action]) -> Result<Vec<Action>, DecodeError> {
        let root = At::Root;
        let at = root.field("actions");
        if actions.is_empty() {
            return Err(at.error(DecodeProblem::Empty));
        }
        self.read_actions(actions, BATCH_ACTIONS_MAX, at)
    }

    pub(crate) fn read_actions(
        self,
        actions: &[v1::Action],
        most: usize,
        at: At<'_>,
    ) -> Result<Vec<Action>, DecodeError> {
        at.at_most(actions.len(), most)?;
        let read =
            |(index, action): (usize, &v1::Action)| self.read_action(Some(action), at.entry(index));
        actions.iter().enumerate().map(read).collect()
    }

    pub(crate) fn read_action(
        self,
        action: Option<&v1::Action>,
        at: At<'_>,
    ) -> Result<Action, DecodeError> {
        match at.set(at.set(action)?.action.as_ref())? {
            v1::action::Action::Draw(v1::DrawAction {}) => Ok(Action::Draw),
            v1::action::Action::TakeDiscards(lay) => {
                Ok(Action::TakeDiscards(self.read_lay(lay, at.field("take_discards"))?))
            }
            v1::action::Action::Lay(lay) => Ok(Action::Lay(self.read_lay(lay, at.field("lay"))?)),
            v1::action::Action::AskToGoOut(way) => {
                Ok(Action::AskToGoOut(Box::new(self.read_way(way, at.field("ask_to_go_out"))?)))
            }
            v1::action::Action::AnswerGoOut(number) => {
                Ok(Action::AnswerGoOut(read_answer(*number, at.field("answer_go_out"))?))
            }
            v1::action::Action::Discard(card) => {
                Ok(Action::Discard(self.read_card(*card, at.field("discard"))?))
            }
            v1::action::Action::AnswerUndo(number) => {
                Ok(Action::AnswerUndo(read_answer(*number, at.field("answer_undo"))?))
            }
            v1::action::Action::UndoLays(acts) => {
                Ok(Action::UndoLays(at.field("undo_lays").number(*acts, u8::MAX)?))
            }
        }
    }

    fn read_way(self, way: &v1::WayOut, at: At<'_>) -> Result<WayOut, DecodeError> {
        let lay = |lay: &Option<v1::Lay>, name| {
            lay.as_ref().map(|lay| self.read_lay(lay, at.field(name))).transpose()
        };
        Ok(WayOut {
            take: lay(&way.take_discards, "take_discards")?,
            lay: lay(&way.lay, "lay")?,
            discard: self.read_card_or_none(way.discard, at.field("discard"))?,
        })
    }

    pub(crate) fn lay(self, lay: &Lay) -> v1::Lay {
        let placement = |Placement { target, cards }: Placement<'_>| v1::Placement {
            meld: match target {
                Target::New => 0,
                Target::Meld(id) => meld(id),
            },
            cards: self.card_list(cards.iter().copied()),
        };
        v1::Lay { placements: lay.placements().map(placement).collect() }
    }

    pub(crate) fn read_lay(self, lay: &v1::Lay, at: At<'_>) -> Result<Lay, DecodeError> {
        let at = at.field("placements");
        at.at_most(lay.placements.len(), LAY_PLACEMENTS_MAX)?;
        let cards = lay.placements.iter().map(|placement| placement.cards.len()).sum();
        at.at_most(cards, LAY_CARDS_MAX)?;
        let mut read = Lay::new();
        for (index, placement) in lay.placements.iter().enumerate() {
            let at = at.entry(index);
            let target = match placement.meld {
                0 => Target::New,
                number => Target::Meld(read_meld(number, at.field("meld"))?),
            };
            let at_cards = at.field("cards");
            if placement.cards.is_empty() {
                return Err(at_cards.error(DecodeProblem::Empty));
            }
            let cards = self.read_card_list(&placement.cards, LAY_CARDS_MAX, at_cards)?;
            let too_many = DecodeProblem::TooMany { actual: cards.len(), most: LAY_CARDS_MAX };
            read.push(target, &cards).map_err(|_| at_cards.error(too_many))?;
        }
        Ok(read)
    }
}
