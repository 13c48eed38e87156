//! A team that has opened: what it has on the table, what its contract lacks, and what can be laid
//! next.
//!
//! **Invariant:** proposes; `judge` has the last word on each lay.

use handfoot_cards::{Card, Kind, Role};
use handfoot_rules::{BlackThreeMeld, HandRule, Need, RedThreeMode};
use handfoot_view::{Action, Lay, MeldId, MeldRank, MeldShape, Target, ViewRef, judge};

use super::wilds::Spending;

/// The own team's melds, once it has opened, and what it lacks.
pub(super) struct Team<'a> {
    pub(super) view: ViewRef<'a>,
    pub(super) unfinished: Vec<(MeldId, MeldShape)>,
    /// Books that the contract still asks for.
    pub(super) missing: Need,
    /// Wild cards held, in the order of the pack.
    pub(super) wilds: Vec<Card>,
}

impl<'a> Team<'a> {
    pub(super) fn of(view: ViewRef<'a>) -> Option<Team<'a>> {
        let team = &view.table.teams[view.team().index()];
        if !team.has_opened() {
            return None;
        }
        let need = view.table.round(view.rules).need;
        let wilds = view.rules.wilds().flat_map(|kind| all_of(view, kind)).collect();
        Some(Team {
            view,
            unfinished: team.shapes().filter(|(_, shape)| !shape.is_book(view.rules)).collect(),
            missing: team.books(view.rules).missing(need),
            wilds,
        })
    }

    /// One thing to lay, the most natural first; each legal.
    pub(super) fn next_lay(&self) -> Option<Lay> {
        self.add_naturals()
            .or_else(|| self.new_naturals())
            .or_else(|| Spending::of(self.view).next_lay(self))
            .or_else(|| self.red_three_on_book())
            .or_else(|| self.black_threes())
            .or_else(|| self.onto_book())
    }

    /// The lay as far as it is legal: in the foot some cards must be kept.
    pub(super) fn legal(&self, lay: Lay) -> Option<Lay> {
        judge(self.view, &Action::Lay(lay.clone())).is_ok().then_some(lay)
    }

    pub(super) fn of_rank(&self, rank: MeldRank) -> Option<(MeldId, MeldShape)> {
        self.unfinished.iter().copied().find(|(_, shape)| shape.rank == rank)
    }

    pub(super) fn room(&self, shape: MeldShape) -> usize {
        usize::from(self.view.rules.draft().book_size - shape.size())
    }

    /// Naturals onto one of the team's melds.
    fn add_naturals(&self) -> Option<Lay> {
        self.unfinished.iter().find_map(|(id, shape)| {
            let MeldRank::Natural(kind) = shape.rank else { return None };
            let held: Vec<Card> = all_of(self.view, kind).collect();
            // In the foot, as many as may go.
            let most = held.len().min(self.room(*shape)).min(self.spendable());
            if most == 0 {
                return None;
            }
            self.legal(Lay::of(Target::Meld(*id), &held[..most]).ok()?)
        })
    }

    /// A new meld of naturals alone.
    fn new_naturals(&self) -> Option<Lay> {
        let draft = self.view.rules.draft();
        self.view.rules.naturals().find_map(|kind| {
            let held: Vec<Card> = all_of(self.view, kind).collect();
            let most = held.len().min(usize::from(draft.book_size)).min(self.spendable());
            if most < usize::from(draft.meld_min) || self.of_rank(MeldRank::Natural(kind)).is_some()
            {
                return None;
            }
            self.legal(Lay::of(Target::New, &held[..most]).ok()?)
        })
    }

    /// Wild cards onto the wild meld, or a new one.
    pub(super) fn wild_meld(&self) -> Option<Lay> {
        if !self.view.rules.wild_meld_allowed() {
            return None;
        }
        let spendable = self.spendable().min(self.wilds.len());
        match self.of_rank(MeldRank::Wild) {
            Some((id, shape)) => {
                let most = spendable.min(self.room(shape));
                Lay::of(Target::Meld(id), &self.wilds[..most]).ok().filter(|lay| !lay.is_empty())
            }
            None => {
                let most = spendable.min(usize::from(self.view.rules.draft().book_size));
                let least = usize::from(self.view.rules.draft().meld_min);
                (most >= least).then(|| Lay::of(Target::New, &self.wilds[..most]).ok())?
            }
        }
    }

    /// A red three onto a clean book that takes it. Rule: HF-3.8
    fn red_three_on_book(&self) -> Option<Lay> {
        if self.view.rules.draft().red_three.mode != RedThreeMode::Blocker {
            return None;
        }
        let faces = self.view.rules.pack().red_three_faces().iter();
        let red_three = faces.copied().find(|card| self.view.own.count(*card) > 0)?;
        self.view.table.teams[self.view.team().index()]
            .shapes()
            .find_map(|(id, _)| self.legal(Lay::of(Target::Meld(id), &[red_three]).ok()?))
    }

    /// A set of black threes, where they meld at any time. Rule: HF-4.13
    fn black_threes(&self) -> Option<Lay> {
        if self.view.rules.draft().black_three.meld != BlackThreeMeld::Set {
            return None;
        }
        let kinds = self.view.rules.melding();
        let mut kinds = kinds.filter(|kind| self.view.rules.role(*kind) == Role::BlackThree);
        kinds.find_map(|kind| {
            let held: Vec<Card> = all_of(self.view, kind).collect();
            let target = match self.of_rank(MeldRank::Natural(kind)) {
                Some((id, _)) => Target::Meld(id),
                None => Target::New,
            };
            self.legal(Lay::of(target, &held[..held.len().min(self.spendable())]).ok()?)
        })
    }

    /// Naturals onto a book that grows, where no new meld can be made of them. Rule: HF-4.12
    fn onto_book(&self) -> Option<Lay> {
        if self.view.rules.has_closed_books() {
            return None;
        }
        let team = &self.view.table.teams[self.view.team().index()];
        team.shapes().filter(|(_, shape)| shape.is_book(self.view.rules)).find_map(|(id, shape)| {
            let kinds: Vec<Kind> = match shape.rank {
                MeldRank::Natural(kind) => vec![kind],
                MeldRank::Wild => self.view.rules.wilds().collect(),
            };
            let held: Vec<Card> = kinds.iter().flat_map(|kind| all_of(self.view, *kind)).collect();
            let most = held.len().min(self.spendable());
            self.legal(Lay::of(Target::Meld(id), &held[..most]).ok()?)
        })
    }

    /// Cards that may be laid before too few are left.
    fn spendable(&self) -> usize {
        let keeps = self.view.rules.hand_rule() == HandRule::KeepUntilFirstBook;
        match self.view.in_foot() || keeps {
            true => self.view.own.len().saturating_sub(2),
            false => self.view.own.len(),
        }
    }
}

pub(super) fn all_of(view: ViewRef<'_>, kind: Kind) -> impl Iterator<Item = Card> + '_ {
    kind.cards().flat_map(move |card| std::iter::repeat_n(card, usize::from(view.own.count(card))))
}
