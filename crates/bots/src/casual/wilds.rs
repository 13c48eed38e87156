//! What wild cards are spent on.
//!
//! **Invariant:** what a plan rests on is the contract, the table and the own cards.

use handfoot_cards::{Card, Kind};
use handfoot_rules::{Need, Permission, RankSort, Ratio, WildLimit};
use handfoot_view::{Lay, MeldId, MeldRank, MeldShape, Target, ViewRef};

use super::outlook::Outlook;
use super::team::{Team, all_of};

/// The books of the contract that the baseline is frozen on.
const FROZEN_NEED: Need = Need { clean: 2, dirty: 2, wild: 1, sevens: 0, total: 0 };

/// The wild limit that it is frozen on: two naturals for each wild card.
const FROZEN_LIMIT: WildLimit =
    WildLimit { a: Ratio { numerator: 2, denominator: 1 }, b: 0, max: None, min_natural: 2 };

/// Wild cards more than can be expected, for which a team still hopes.
const LUCK_WITH_WILDS: usize = 2;

/// The same for cards of one rank.
const LUCK_WITH_NATURALS: usize = 1;

/// How wild cards are spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spending {
    /// As soon as they fit. Weaker by far than a plan; it stays where it was frozen, because
    /// stronger levels are measured against it.
    AtOnce,
    /// On what the contract lacks first, then on whatever gets rid of most cards.
    Planned,
}

impl Spending {
    pub(super) fn of(view: ViewRef<'_>) -> Spending {
        let draft = view.rules.draft();
        let need = view.table.round(view.rules).need;
        // Nobody can be asked in a team of one.
        let asks = draft.permission == Permission::Ask || draft.team_size == 1;
        match asks && need == FROZEN_NEED && draft.wild_limit == FROZEN_LIMIT {
            true => Spending::AtOnce,
            false => Spending::Planned,
        }
    }

    /// The next lay of wild cards.
    pub(super) fn next_lay(self, team: &Team<'_>) -> Option<Lay> {
        if team.wilds.is_empty() {
            return None;
        }
        match self {
            Spending::AtOnce => at_once(team),
            Spending::Planned => Plan::of(team).next_lay(),
        }
    }
}

fn at_once(team: &Team<'_>) -> Option<Lay> {
    let legal = |lay| team.legal(lay);
    (team.finish_dirty(|_| true).and_then(legal))
        .or_else(|| team.wild_meld().and_then(legal))
        .or_else(|| spare_wild(team).and_then(legal))
        .or_else(|| pair_to_foot(team).and_then(legal))
}

/// A wild card that no wild meld waits for, onto the largest meld that may be dirty.
fn spare_wild(team: &Team<'_>) -> Option<Lay> {
    let is_waited_for = team.missing.wild > 0 || team.missing.clean > 0;
    let fits = |shape: &MeldShape| shape.wilds > 0 || !is_waited_for;
    let largest = team.may_be_dirty(fits).max_by_key(|(_, shape)| shape.size());
    team.one_wild_onto(largest)
}

/// With few cards left in the hand, a pair and a wild card, to reach the foot.
fn pair_to_foot(team: &Team<'_>) -> Option<Lay> {
    match team.view.in_foot() || team.view.own.len() > 6 {
        true => None,
        false => team.pair_with_wild(|_| true),
    }
}

impl Team<'_> {
    /// Wild cards that complete a dirty book which the team lacks, of a meld that fits.
    fn finish_dirty(&self, fits: impl Fn(&MeldShape) -> bool) -> Option<Lay> {
        if self.missing.dirty == 0 {
            return None;
        }
        let fitting = |(_, shape): &&(MeldId, MeldShape)| {
            let room = self.room(*shape);
            let allowed = usize::from(self.view.rules.wilds_max(shape.naturals));
            shape.rank != MeldRank::Wild
                && room <= self.wilds.len()
                && usize::from(shape.wilds) + room <= allowed
                && fits(shape)
        };
        // A meld that is dirty already costs nothing.
        let (id, shape) = self
            .unfinished
            .iter()
            .filter(fitting)
            .max_by_key(|(_, shape)| (shape.wilds > 0, shape.size()))?;
        Lay::of(Target::Meld(*id), &self.wilds[..self.room(*shape)]).ok()
    }

    /// Unfinished melds that fit and take another wild card beside naturals.
    fn may_be_dirty(
        &self,
        fits: impl Fn(&MeldShape) -> bool,
    ) -> impl Iterator<Item = &(MeldId, MeldShape)> {
        self.unfinished.iter().filter(move |(_, shape)| {
            shape.rank != MeldRank::Wild
                && shape.wilds < self.view.rules.wilds_max(shape.naturals)
                && fits(shape)
        })
    }

    fn one_wild_onto(&self, meld: Option<&(MeldId, MeldShape)>) -> Option<Lay> {
        let (id, _) = meld?;
        Lay::of(Target::Meld(*id), self.wilds.get(..1)?).ok()
    }

    /// A new meld of a pair of a kind that fits and a wild card.
    fn pair_with_wild(&self, fits: impl Fn(Kind) -> bool) -> Option<Lay> {
        let wild = *self.wilds.first()?;
        self.view.rules.naturals().filter(|kind| fits(*kind)).find_map(|kind| {
            let pair: Vec<Card> = all_of(self.view, kind).take(2).collect();
            if pair.len() < 2 || self.of_rank(MeldRank::Natural(kind)).is_some() {
                return None;
            }
            self.legal(Lay::of(Target::New, &[pair[0], pair[1], wild]).ok()?)
        })
    }
}

/// What a team's wild cards are for, given what its contract lacks.
struct Plan<'t, 'a> {
    team: &'t Team<'a>,
    outlook: Outlook<'a>,
    wild_book: WildBook,
}

/// Whether wild cards are saved for a wild book.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WildBook {
    /// The contract lacks one, and the team may hope to complete it.
    SavedFor,
    /// It lacks none, or there will be too few wild cards for one.
    NotSavedFor,
}

impl<'t, 'a> Plan<'t, 'a> {
    fn of(team: &'t Team<'a>) -> Plan<'t, 'a> {
        let outlook = Outlook::of(team.view);
        let laid = team.of_rank(MeldRank::Wild).map_or(MeldShape::empty(MeldRank::Wild), |m| m.1);
        let lacks = team.room(laid).saturating_sub(team.wilds.len());
        let is_saved_for =
            team.missing.wild > 0 && outlook.may_get(MeldRank::Wild, lacks, LUCK_WITH_WILDS);
        let wild_book = match is_saved_for {
            true => WildBook::SavedFor,
            false => WildBook::NotSavedFor,
        };
        Plan { team, outlook, wild_book }
    }

    fn next_lay(&self) -> Option<Lay> {
        let legal = |lay| self.team.legal(lay);
        (self.finish_dirty().and_then(legal))
            .or_else(|| self.team.wild_meld().and_then(legal))
            .or_else(|| self.pair_with_wild())
            .or_else(|| self.spare_wild().and_then(legal))
    }

    /// A dirty book that the team lacks; while wild cards are saved, only with the last card of it.
    fn finish_dirty(&self) -> Option<Lay> {
        let is_cheap = |shape| match self.wild_book {
            WildBook::SavedFor => self.team.room(shape) == 1,
            WildBook::NotSavedFor => true,
        };
        self.team.finish_dirty(|shape| is_cheap(*shape) && !self.is_kept_clean(*shape))
    }

    /// A pair and a wild card: no other lay gets rid of so many cards that fit nowhere.
    fn pair_with_wild(&self) -> Option<Lay> {
        if !self.may_spend(3) {
            return None;
        }
        let pair = |kind| MeldShape { naturals: 2, ..MeldShape::empty(MeldRank::Natural(kind)) };
        self.team.pair_with_wild(|kind| !self.is_kept_clean(pair(kind)))
    }

    /// A wild card onto a meld. When the contract is met, onto the smallest, because a meld that
    /// stays unfinished takes more cards; and in the foot one is kept, which fits on any way out.
    fn spare_wild(&self) -> Option<Lay> {
        let team = self.team;
        let is_met = team.missing.is_met();
        let is_last = team.wilds.len() == 1;
        if !self.may_spend(1) || (is_met && is_last && team.view.in_foot()) {
            return None;
        }
        let melds = team.may_be_dirty(|shape| !self.is_kept_clean(*shape));
        team.one_wild_onto(match is_met {
            true => melds.min_by_key(|(_, shape)| shape.size()),
            false => melds.max_by_key(|(_, shape)| shape.size()),
        })
    }

    /// Whether a wild card may go into a lay of so many cards. One that is saved may where it leads
    /// to the next packet, whose cards are worth more than it.
    fn may_spend(&self, cards: usize) -> bool {
        let view = self.team.view;
        match self.wild_book {
            WildBook::NotSavedFor => true,
            WildBook::SavedFor => !view.in_foot() && view.own.len() <= cards + 1,
        }
    }

    /// Whether a meld is one of those from which the clean books must come that the team lacks.
    fn is_kept_clean(&self, shape: MeldShape) -> bool {
        let (team, rules) = (self.team, self.team.view.rules);
        if shape.wilds > 0 {
            return false;
        }
        let is_ahead = |other: &MeldShape| {
            other.wilds == 0
                && other.rank != MeldRank::Wild
                && (other.naturals, other.rank) > (shape.naturals, shape.rank)
        };
        let ahead = || team.unfinished.iter().filter(|(_, other)| is_ahead(other)).count();
        let is_wanted = (team.missing.sevens > 0 && shape.sort(rules) == RankSort::Special)
            || (team.missing.clean > 0 && ahead() < usize::from(team.missing.clean));
        is_wanted && self.outlook.may_get(shape.rank, team.room(shape), LUCK_WITH_NATURALS)
    }
}
