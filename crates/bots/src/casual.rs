//! The greedy baseline: takes the discard pile whenever it can, lays all it can, goes out at once,
//! always says yes. Frozen on `whitnack` by golden hashes, because stronger levels are measured
//! against it: change nothing that those hashes see.

use handfoot_cards::{Card, Kind, Role};
use handfoot_rules::{BlackThreeMeld, HandRule, Need, RedThreeMode};
use handfoot_view::{
    Action, Answer, Lay, MeldId, MeldRank, MeldShape, Phase, Target, ViewRef, judge, list,
    openings, takes, way_out,
};

use crate::{Chance, Policy};

/// Plays like somebody who enjoys laying cards and does not count them.
#[derive(Clone, Copy, Debug)]
pub struct Casual;

impl Policy for Casual {
    fn choose(&self, view: ViewRef<'_>, _: &mut Chance) -> Option<Action> {
        if view.table.to_act() != Some(view.seat) {
            return None;
        }
        match view.table.phase {
            Phase::AwaitAnswer { .. } => Some(Action::AnswerGoOut(Answer::Yes)),
            Phase::AwaitUndo { .. } => Some(Action::AnswerUndo(Answer::Yes)),
            Phase::Draw { .. } => Some(draw_step(view)),
            Phase::Play { .. } => play_step(view),
            Phase::RoundOver { .. } | Phase::GameOver { .. } => None,
        }
    }
}

fn draw_step(view: ViewRef<'_>) -> Action {
    if let Some(action) = way_out(view) {
        return action;
    }
    let mut takes = takes(view);
    // One card that is merely kept is less than a draw.
    takes.retain(|lay| !lay.is_empty());
    match best(view, takes) {
        Some(lay) => Action::TakeDiscards(lay),
        None => Action::Draw,
    }
}

fn play_step(view: ViewRef<'_>) -> Option<Action> {
    if let Some(action) = way_out(view) {
        return Some(action);
    }
    let lay = match Team::of(view) {
        Some(team) => team.next_lay(),
        None => best(view, openings(view)),
    };
    match lay {
        Some(lay) => Some(Action::Lay(lay)),
        None => discard(view).map(Action::Discard).or_else(|| first_listed(view)),
    }
}

/// Whatever can be done where nothing may be discarded.
fn first_listed(view: ViewRef<'_>) -> Option<Action> {
    let mut actions = Vec::new();
    list(view, &mut actions);
    actions.into_iter().next()
}

/// The lay with the most naturals, and the fewest wild cards among those.
fn best(view: ViewRef<'_>, lays: Vec<Lay>) -> Option<Lay> {
    let score = |lay: &Lay| {
        let is_wild = |card: &&Card| view.rules.role(card.kind()) == Role::Wild;
        let wilds = lay.cards().iter().filter(is_wild).count();
        let naturals = lay.cards().len() - wilds;
        (naturals, std::cmp::Reverse(wilds))
    };
    // The first of the best, so that the canonical order decides.
    lays.into_iter().rev().max_by_key(score)
}

/// The own team's melds, once it has opened, and what it lacks.
struct Team<'a> {
    view: ViewRef<'a>,
    unfinished: Vec<(MeldId, MeldShape)>,
    missing: Need,
    wilds: Vec<Card>,
}

impl<'a> Team<'a> {
    fn of(view: ViewRef<'a>) -> Option<Team<'a>> {
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
    fn next_lay(&self) -> Option<Lay> {
        let tries: [fn(&Team<'a>) -> Option<Lay>; 9] = [
            Team::add_naturals,
            Team::new_naturals,
            Team::finish_dirty,
            Team::wild_meld,
            Team::spare_wild,
            Team::pair_to_foot,
            Team::red_three_on_book,
            Team::black_threes,
            Team::onto_book,
        ];
        tries.into_iter().find_map(|attempt| attempt(self).and_then(|lay| self.legal(lay)))
    }

    /// The lay as far as it is legal: in the foot some cards must be kept.
    fn legal(&self, lay: Lay) -> Option<Lay> {
        judge(self.view, &Action::Lay(lay.clone())).is_ok().then_some(lay)
    }

    fn of_rank(&self, rank: MeldRank) -> Option<(MeldId, MeldShape)> {
        self.unfinished.iter().copied().find(|(_, shape)| shape.rank == rank)
    }

    fn room(&self, shape: MeldShape) -> usize {
        usize::from(self.view.rules.draft().book_size - shape.size())
    }

    /// Naturals onto one of the team's melds.
    fn add_naturals(&self) -> Option<Lay> {
        self.unfinished.iter().find_map(|(id, shape)| {
            let MeldRank::Natural(kind) = shape.rank else { return None };
            let held: Vec<Card> = all_of(self.view, kind).collect();
            // In the foot, as many as may go.
            let most = held.len().min(self.room(*shape)).min(self.spendable());
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

    /// Wild cards that complete a dirty book which the team lacks.
    fn finish_dirty(&self) -> Option<Lay> {
        if self.missing.dirty == 0 {
            return None;
        }
        let fitting = |(_, shape): &&(MeldId, MeldShape)| {
            let room = self.room(*shape);
            let allowed = usize::from(self.view.rules.wilds_max(shape.naturals));
            shape.rank != MeldRank::Wild
                && room <= self.wilds.len()
                && usize::from(shape.wilds) + room <= allowed
        };
        // A meld that is dirty already costs nothing.
        let (id, shape) = self
            .unfinished
            .iter()
            .filter(fitting)
            .max_by_key(|(_, shape)| (shape.wilds > 0, shape.size()))?;
        Lay::of(Target::Meld(*id), &self.wilds[..self.room(*shape)]).ok()
    }

    /// Wild cards onto the wild meld, or a new one.
    fn wild_meld(&self) -> Option<Lay> {
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

    /// A wild card that no wild meld waits for, onto the largest meld that may be dirty.
    fn spare_wild(&self) -> Option<Lay> {
        let wild = *self.wilds.first()?;
        let is_waited_for = self.missing.wild > 0 || self.missing.clean > 0;
        let fits = |(_, shape): &&(MeldId, MeldShape)| {
            shape.rank != MeldRank::Wild
                && shape.wilds < self.view.rules.wilds_max(shape.naturals)
                && (shape.wilds > 0 || !is_waited_for)
        };
        let (id, _) = self.unfinished.iter().filter(fits).max_by_key(|(_, shape)| shape.size())?;
        Lay::of(Target::Meld(*id), &[wild]).ok()
    }

    /// With few cards left in the hand, a pair and a wild card, to reach the foot.
    fn pair_to_foot(&self) -> Option<Lay> {
        if self.view.in_foot() || self.view.own.len() > 6 {
            return None;
        }
        let wild = *self.wilds.first()?;
        self.view.rules.naturals().find_map(|kind| {
            let pair: Vec<Card> = all_of(self.view, kind).take(2).collect();
            if pair.len() < 2 || self.of_rank(MeldRank::Natural(kind)).is_some() {
                return None;
            }
            self.legal(Lay::of(Target::New, &[pair[0], pair[1], wild]).ok()?)
        })
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

fn all_of(view: ViewRef<'_>, kind: Kind) -> impl Iterator<Item = Card> + '_ {
    kind.cards().flat_map(move |card| std::iter::repeat_n(card, usize::from(view.own.count(card))))
}

/// The least useful card: black threes first, then lonely low cards that nobody collects.
fn discard(view: ViewRef<'_>) -> Option<Card> {
    let legal = |card: &Card| judge(view, &Action::Discard(*card)).is_ok();
    let cards = view.rules.kinds().filter_map(|kind| view.own.lowest(kind));
    cards.filter(legal).min_by_key(|card| usefulness(view, *card))
}

fn usefulness(view: ViewRef<'_>, card: Card) -> i32 {
    let kind = card.kind();
    match view.rules.role(kind) {
        Role::BlackThree | Role::RedThree => return 0,
        Role::Wild => return 10_000 + view.rules.value(kind),
        Role::Natural => {}
    }
    let own_team = view.team().index();
    let mut usefulness = 100 * i32::from(view.own.of_kind(kind)) + view.rules.value(kind);
    for (index, team) in view.table.teams.iter().enumerate() {
        let unfinished = team.unfinished(MeldRank::Natural(kind), view.rules);
        usefulness += match (unfinished, index == own_team) {
            (Some(_), true) => 500,
            (Some(_), false) => 60,
            (None, _) => 0,
        };
    }
    usefulness
}
