//! Taking back lays, asking whether one may, and the table as it is without what was laid and can
//! still be taken back, which is what others see where lays are concealed.
//!
//! **Invariant:** there is one list of what can be undone. Where lays are concealed it is what others
//! have not seen.

use handfoot_cards::Role;
use handfoot_rules::Rules;

use crate::limits::{UNDO_QUESTIONS_MAX, UNDOS_MAX};
use crate::{
    Answer, Cap, LaidCard, Lay, Lays, Meld, Phase, PublicTable, Rejection, Seat, Target, Undo,
    ViewRef,
};

/// Whether the table undoes, the seat may still, and there is anything to undo.
/// Rule: HF-2.6, HF-13.2
pub(crate) fn can_undo(view: ViewRef<'_>) -> Result<(), Rejection> {
    let table = view.table;
    let allowed = match table.options.undo {
        Undo::Off => return Err(Rejection::UndoOff),
        Undo::OwnTurn => UNDOS_MAX,
        Undo::ByConsent => UNDO_QUESTIONS_MAX,
    };
    match (table.undos < allowed, table.undoable()) {
        (false, _) => Err(Rejection::TooManyUndos { undos: table.undos, allowed }),
        (true, 0) => Err(Rejection::NothingToUndo { undoable: 0 }),
        (true, _) => Ok(()),
    }
}

pub(crate) fn judge_undo(view: ViewRef<'_>, acts: u8) -> Result<(), Rejection> {
    let undoable = view.table.undoable();
    match (1..=undoable).contains(&acts) {
        true => Ok(()),
        false => Err(Rejection::NothingToUndo { undoable }),
    }
}

/// Takes the newest card that was laid from its team's melds. False if it does not lie there, or if
/// a meld that was started later would stay without it; some of it may be done then.
pub(crate) fn taken_back(melds: &mut Vec<Meld>, laid: &LaidCard, rules: &Rules) -> bool {
    let is_newest = laid.meld.index() + 1 == melds.len();
    let Some(meld) = melds.get_mut(laid.meld.index()) else { return false };
    match (rules.role(laid.card.kind()), meld.shape().cap) {
        (Role::RedThree, Cap::Bare) => return false,
        (Role::RedThree, Cap::Capped) => meld.set_cap(Cap::Bare),
        (Role::Natural | Role::Wild | Role::BlackThree, _) => {
            if meld.cards(rules).count(laid.card) == 0 {
                return false;
            }
            meld.remove(laid.card, rules);
        }
    }
    // A meld started in an act is the newest when it is taken back.
    match (meld.is_empty(), is_newest) {
        (false, _) => true,
        (true, true) => melds.pop().is_some(),
        (true, false) => false,
    }
}

impl PublicTable {
    /// The seat whose turn it is, while a question is open too; none when the round is over.
    #[must_use]
    pub const fn turn(&self) -> Option<Seat> {
        match self.phase {
            Phase::Draw { seat, .. }
            | Phase::Play { seat, .. }
            | Phase::AwaitAnswer { asker: seat, .. }
            | Phase::AwaitUndo { asker: seat, .. } => Some(seat),
            Phase::RoundOver { .. } | Phase::GameOver { .. } => None,
        }
    }

    /// The other seats, in turn order after one: those that are asked whether it may undo.
    /// Rule: HF-13.1
    pub fn others(&self, seat: Seat) -> impl Iterator<Item = Seat> + '_ {
        let seats = self.seats.len();
        std::iter::successors(Some(seat), move |seat| Some(seat.next(seats))).take(seats).skip(1)
    }

    /// The table as all but the seat whose turn it is see it, where lays are concealed: without
    /// what can be undone. None where lays are open, which all see alike. Rule: HF-13.3
    #[must_use]
    pub fn without_concealed(&self, rules: &Rules) -> Option<PublicTable> {
        match self.options.lays {
            Lays::Open => return None,
            Lays::Concealed => {}
        }
        let mut table = self.clone();
        if let Some(seat) = self.turn() {
            table.undo(seat, self.undoable(), rules);
        }
        Some(table)
    }

    /// The acts of this turn that can be undone, as the lays that they were upon the table as it is
    /// without them. Rule: HF-13.4
    #[must_use]
    pub fn undoable_lays(&self, before: &PublicTable) -> Vec<Lay> {
        let Some(team) = self.turn().map(|seat| self.team_of(seat)) else { return Vec::new() };
        let mut started = before.teams[team.index()].melds.len();
        let mut lays = Vec::new();
        for act in self.laid.chunk_by(|a, b| a.act == b.act) {
            let mut lay = Lay::new();
            for placement in act.chunk_by(|a, b| a.meld == b.meld) {
                let cards: Vec<_> = placement.iter().map(|laid| laid.card).collect();
                let target = match placement.first() {
                    Some(LaidCard { meld, .. }) if meld.index() < started => Target::Meld(*meld),
                    Some(_) | None => Target::New,
                };
                started += usize::from(target == Target::New);
                // A lay read back from what a lay left is no longer than that.
                let _ = lay.push(target, &cards);
            }
            lays.push(lay);
        }
        lays
    }

    /// Counts an undo at a table that undoes in this way.
    pub(crate) fn count_undo(&mut self, way: Undo) {
        self.undos = self.undos.saturating_add(u8::from(self.options.undo == way));
    }

    pub(crate) fn undo_asked(&mut self, seat: Seat, acts: u8, answering: Seat) {
        let Phase::Play { drew, asked, .. } = self.phase else { return };
        self.phase = Phase::AwaitUndo { asker: seat, answering, acts, drew, asked };
    }

    /// The first no settles it, the last yes too. Rule: HF-13.1
    pub(crate) fn undo_answered(&mut self, answer: Answer, next: Option<Seat>) {
        let Phase::AwaitUndo { asker, acts, drew, asked, .. } = self.phase else { return };
        self.phase = match (answer, next) {
            (Answer::Yes, Some(answering)) => {
                Phase::AwaitUndo { asker, answering, acts, drew, asked }
            }
            (Answer::Yes | Answer::No, _) => Phase::Play { seat: asker, drew, asked },
        };
    }
}
