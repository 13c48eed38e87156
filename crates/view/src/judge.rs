//! Whether an action is legal: the one truth about it.
//!
//! Refusals are found in the promised order: turn and step, then what is held, then melds, then
//! the discard pile, then the opening, then what must be kept to go on or to go out.
//!
//! **Invariant:** decides from a [`ViewRef`] alone and changes nothing. Whatever depends on a
//! hidden card is not a question of legality.

use arrayvec::ArrayVec;
use handfoot_cards::{Card, Cards, Kind, Role};
use handfoot_rules::{
    BlackThreeMeld, BookCounts, DiscardLock, FirstUpcard, HandRule, LastDiscard, OpeningBook,
    OpeningStep, OpeningViaDiscards, PartnerCondition, Permission, Rules, SpecialLastDiscard,
    TakeMatch, WildTop,
};

use crate::growth::{grows, is_blocker, only_going_out, three_in};
use crate::limits::{LAY_PLACEMENTS_MAX, MELDS_MAX};
use crate::undo::{can_undo, judge_undo};
use crate::{
    Action, Asked, Cap, Drew, FootStage, Lay, Meld, MeldId, MeldRank, MeldShape, Phase, Placement,
    Rejection, Seat, Target, ViewRef, WayOut, is_laid_at_once, rank_of,
};

/// Naturals, or wild cards, that go with the upcard. Rule: HF-5.1, HF-5.2
pub(crate) const PAIR: u8 = 2;

/// What the rules see of a team's melds, to try a lay on.
pub(crate) type Shapes = ArrayVec<MeldShape, { MELDS_MAX + LAY_PLACEMENTS_MAX }>;

/// Says whether the seat may do this now.
///
/// # Errors
///
/// The first [`Rejection`] in order of precedence.
pub fn judge(view: ViewRef<'_>, action: &Action) -> Result<(), Rejection> {
    judge_step(view, action)?;
    match action {
        Action::Draw | Action::AnswerGoOut(_) | Action::AnswerUndo(_) => Ok(()),
        Action::TakeDiscards(lay) => judge_take(view, lay),
        Action::Lay(lay) => judge_lay(view, lay),
        Action::Discard(card) => judge_discard(view, *card),
        Action::AskToGoOut(way) => judge_way_out(view, way),
        Action::UndoLays(acts) => judge_undo(view, *acts),
    }
}

/// Turn and step: whether this sort of action is open to the seat at all. Rule: HF-2.1, HF-2.2
pub(crate) fn judge_step(view: ViewRef<'_>, action: &Action) -> Result<(), Rejection> {
    match (view.table.phase, action) {
        (Phase::GameOver { .. }, _) => Err(Rejection::GameOver),
        (Phase::RoundOver { .. }, _) => Err(Rejection::RoundOver),
        (Phase::AwaitAnswer { answering, asker, .. }, action) => {
            match (answering == view.seat, action) {
                (true, Action::AnswerGoOut(_)) => Ok(()),
                (true, _) => Err(Rejection::MustAnswer { asker }),
                (false, _) => Err(Rejection::NotYourTurn { turn: answering }),
            }
        }
        (Phase::AwaitUndo { answering, asker, .. }, action) => {
            match (answering == view.seat, action) {
                (true, Action::AnswerUndo(_)) => Ok(()),
                (true, _) => Err(Rejection::MustAnswerUndo { asker }),
                (false, _) => Err(Rejection::NotYourTurn { turn: answering }),
            }
        }
        (Phase::Draw { seat, .. } | Phase::Play { seat, .. }, _) if seat != view.seat => {
            Err(Rejection::NotYourTurn { turn: seat })
        }
        (
            Phase::Draw { .. } | Phase::Play { .. },
            Action::AnswerGoOut(_) | Action::AnswerUndo(_),
        ) => Err(Rejection::NothingAsked),
        (Phase::Draw { .. } | Phase::Play { .. }, Action::UndoLays(_)) => can_undo(view),
        (Phase::Draw { asked, .. }, action) => judge_draw_step(view, asked, action),
        (Phase::Play { asked, .. }, action) => judge_play_step(view, asked, action),
    }
}

/// What is open before the draw step is done. Rule: HF-2.2, HF-8.6
fn judge_draw_step(view: ViewRef<'_>, asked: Asked, action: &Action) -> Result<(), Rejection> {
    match action {
        Action::TakeDiscards(lay) if lay.is_empty() && is_upcard_free(view) => Ok(()),
        Action::TakeDiscards(_) => can_take(view),
        Action::AskToGoOut(way) if way.take.is_some() => {
            can_ask(view, asked).and_then(|()| can_take(view))
        }
        Action::AskToGoOut(_) | Action::Lay(_) | Action::Discard(_) => {
            Err(Rejection::MustDrawFirst)
        }
        Action::Draw | Action::AnswerGoOut(_) | Action::AnswerUndo(_) | Action::UndoLays(_) => {
            Ok(())
        }
    }
}

/// What is open after the draw step. Rule: HF-2.2, HF-8.7
fn judge_play_step(view: ViewRef<'_>, asked: Asked, action: &Action) -> Result<(), Rejection> {
    match action {
        Action::Draw | Action::TakeDiscards(_) => Err(Rejection::AlreadyDrew),
        Action::AskToGoOut(way) if way.take.is_some() => Err(Rejection::AlreadyDrew),
        Action::AskToGoOut(_) => {
            can_ask(view, asked)?;
            // A refusal must leave a legal discard.
            match u16::try_from(view.own.len()).unwrap_or(u16::MAX) {
                held @ 0..2 => Err(Rejection::TooFewToAsk { held, required: 2 }),
                2.. => Ok(()),
            }
        }
        Action::Lay(_) => can_open(view),
        Action::Discard(_)
        | Action::AnswerGoOut(_)
        | Action::AnswerUndo(_)
        | Action::UndoLays(_) => Ok(()),
    }
}

/// Whether the team, if it has not opened, may do so in this turn: an opening by a book from the
/// hand needs a turn that drew from the stock. Rule: HF-6.6, HF-6.4
fn can_open(view: ViewRef<'_>) -> Result<(), Rejection> {
    let from_hand = OpeningStep::Book(OpeningBook::BookFromHand);
    match view.table.phase {
        Phase::Play { drew: Drew::Discards, .. }
            if view.opening() == from_hand && !view.has_opened() =>
        {
            Err(Rejection::OpeningWithoutDiscards)
        }
        Phase::Draw { .. }
        | Phase::Play { .. }
        | Phase::AwaitAnswer { .. }
        | Phase::AwaitUndo { .. }
        | Phase::RoundOver { .. }
        | Phase::GameOver { .. } => Ok(()),
    }
}

/// Whether the round's first player may take the first upcard into its hand, whatever it is.
/// Rule: HF-5.9
pub(crate) fn is_upcard_free(view: ViewRef<'_>) -> bool {
    view.rules.draft().take.first_upcard == FirstUpcard::Free
        && view.table.turns == 1
        && view.table.upcard().is_some()
}

/// Whether the seat may put the question of this turn. Rule: HF-8.4, HF-8.9, HF-8.11
fn can_ask(view: ViewRef<'_>, asked: Asked) -> Result<(), Rejection> {
    match asked {
        _ if !question_needed(view) => Err(Rejection::QuestionNotNeeded),
        Asked::Granted | Asked::Refused => Err(Rejection::AlreadyAsked),
        Asked::NotYet if !view.in_foot() => Err(Rejection::NotInFoot),
        Asked::NotYet => Ok(()),
    }
}

/// Whether going out needs the team-mates' word. Rule: HF-8.9
pub(crate) fn question_needed(view: ViewRef<'_>) -> bool {
    match view.rules.draft().permission {
        Permission::None => false,
        Permission::Ask => view.table.partners(view.seat).next().is_some(),
    }
}

/// Whether the discard pile can be taken at all, whatever is held. Rule: HF-5.2, HF-5.3, HF-5.6
pub(crate) fn can_take(view: ViewRef<'_>) -> Result<(), Rejection> {
    let upcard = view.table.upcard().ok_or(Rejection::DiscardsEmpty)?;
    let take = &view.rules.draft().take;
    let size = view.table.discards.len();
    if size < usize::from(take.min_size) {
        return Err(Rejection::DiscardsTooFew { size, required: take.min_size });
    }
    match (view.rules.role(upcard.kind()), take.wild_top) {
        (Role::RedThree | Role::BlackThree, _) => Err(Rejection::UpcardIsThree { upcard }),
        (Role::Wild, WildTop::Barred) => Err(Rejection::WildUpcardBarred { upcard }),
        (Role::Wild, WildTop::MatchingPair) | (Role::Natural, _) => match view.has_opened() {
            true => Ok(()),
            false => can_open_with_discards(view),
        },
    }
}

/// Whether the discard pile may be taken for the opening. Rule: HF-6.4
fn can_open_with_discards(view: ViewRef<'_>) -> Result<(), Rejection> {
    let opening = &view.rules.draft().opening;
    match (opening.via_discards, view.opening()) {
        (OpeningViaDiscards::Barred, _) | (_, OpeningStep::Book(OpeningBook::BookFromHand)) => {
            Err(Rejection::OpeningWithoutDiscards)
        }
        (
            OpeningViaDiscards::Allowed,
            OpeningStep::Points(_) | OpeningStep::Book(OpeningBook::CleanBook),
        ) => Ok(()),
    }
}

/// The cards that come with the upcard and stay: red threes that are laid leave at once.
/// Rule: HF-3.5, HF-5.4
pub(crate) fn received(view: ViewRef<'_>) -> impl Iterator<Item = Card> {
    let count = view.table.take_count(view.rules);
    let cards = view.table.discards.iter().rev().take(count).skip(1).copied();
    cards.filter(move |card| !is_laid_at_once(*card, view.rules))
}

pub(crate) fn judge_lay(view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
    let mut trial = Trial::of(view);
    trial.lay(view, lay, Source::Own)?;
    trial.keeps(view, Ending::Lay)?;
    trial.black_threes_go_out(view, lay)
}

pub(crate) fn judge_take(view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
    if lay.is_empty() && is_upcard_free(view) {
        return Ok(());
    }
    let mut trial = Trial::of(view);
    trial.take(view, lay)?;
    trial.keeps(view, Ending::Lay)?;
    trial.black_threes_go_out(view, lay)
}

fn judge_discard(view: ViewRef<'_>, card: Card) -> Result<(), Rejection> {
    if view.own.count(card) == 0 {
        return Err(Rejection::CardNotHeld { card });
    }
    discardable(view.rules, card)?;
    if view.rules.discard_lock(card.kind()) != DiscardLock::None {
        Trial::of(view).unlocked(view, card)?;
    }
    if view.own.len() > KEPT_AFTER_DISCARD || Keeping::of(view) == Keeping::Nothing {
        return Ok(());
    }
    let mut trial = Trial::of(view);
    let _ = trial.own.remove(card);
    trial.keeps(view, Ending::Discard(card))
}

/// Whether a card may ever be discarded, what is kept apart. Rule: HF-3.6
pub(crate) fn discardable(rules: &Rules, card: Card) -> Result<(), Rejection> {
    match is_laid_at_once(card, rules) {
        true => Err(Rejection::RedThreeNotDiscarded { card }),
        false => Ok(()),
    }
}

/// Whether a card may be the last discard. Rule: HF-8.14
pub(crate) fn may_be_last(rules: &Rules, card: Card) -> Result<(), Rejection> {
    match rules.last_discard_of(card.kind()) {
        SpecialLastDiscard::Allowed => Ok(()),
        SpecialLastDiscard::Banned => Err(Rejection::LastDiscardBanned { card }),
    }
}

/// The whole way out, as if all had said yes. Rule: HF-8.5
fn judge_way_out(view: ViewRef<'_>, way: &WayOut) -> Result<(), Rejection> {
    if way.take.is_none() && way.lay.is_none() && way.discard.is_none() {
        return Err(Rejection::NothingLaid);
    }
    let mut trial = Trial::of(view);
    let mut first = Ok(());
    if let Some(lay) = &way.take {
        keep_first(&mut first, trial.take(view, lay));
    }
    if let Some(lay) = &way.lay {
        keep_first(&mut first, trial.lay(view, lay, Source::Own));
    }
    if let Some(card) = way.discard {
        keep_first(&mut first, trial.unlocked(view, card));
        let held = trial.own.remove(card);
        keep_first(&mut first, held.then_some(()).ok_or(Rejection::CardNotHeld { card }));
        keep_first(&mut first, discardable(view.rules, card));
    }
    first?;
    match trial.own.len() {
        0 => contract_met(view, trial.books(view.rules))?,
        left => return Err(Rejection::NotAWayOut { left }),
    }
    ends_well(view.rules, way.discard)
}

/// Whether a seat may go out with this last discard, or without one. Rule: HF-8.13, HF-8.14
fn ends_well(rules: &Rules, discard: Option<Card>) -> Result<(), Rejection> {
    match (rules.draft().last_discard, discard) {
        (LastDiscard::Required, None) => {
            Err(Rejection::LastDiscardRequired { left: 0, required: KEPT_AFTER_DISCARD })
        }
        (LastDiscard::Forbidden, Some(card)) => Err(Rejection::LastDiscardForbidden { card }),
        (LastDiscard::Optional | LastDiscard::Required, Some(card)) => may_be_last(rules, card),
        (LastDiscard::Optional | LastDiscard::Forbidden, None) => Ok(()),
    }
}

/// Of two refusals of one act, keeps the one that comes first in the promised order.
#[inline]
fn keep_first(first: &mut Result<(), Rejection>, next: Result<(), Rejection>) {
    if let Err(after) = next
        && first.err().is_none_or(|before| after.order() < before.order())
    {
        *first = next;
    }
}

/// Cards kept in the foot after a lay or a take. Rule: HF-8.1
pub(crate) const KEPT_AFTER_LAY: usize = 2;

/// Cards kept in the foot after the discard. Rule: HF-8.1
pub(crate) const KEPT_AFTER_DISCARD: usize = 1;

/// What an act ends with, for what must be kept after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A lay or a take.
    Lay,
    /// The discard of this card.
    Discard(Card),
}

/// What a seat's cards are held to after an act.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// All may go: that leads to the next packet.
    Nothing,
    /// A lay may use them all; otherwise some are kept. Rule: HF-7.6
    UnlessEmptied,
    /// The lay that completes the first book may use them all. Rule: HF-7.7
    UnlessFirstBook,
    /// Who has the right to go out need keep none. Rule: HF-8.1
    UnlessOut,
}

impl Keeping {
    pub(crate) fn of(view: ViewRef<'_>) -> Keeping {
        match (view.in_foot(), view.rules.hand_rule()) {
            (true, _) => Keeping::UnlessOut,
            (false, HandRule::Free) => Keeping::Nothing,
            (false, HandRule::EmptyByLayOnly) => Keeping::UnlessEmptied,
            (false, HandRule::KeepUntilFirstBook) => Keeping::UnlessFirstBook,
        }
    }
}

/// Where the cards of a lay come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The own cards alone.
    Own,
    /// The own cards and the upcard.
    OwnAndUpcard,
}

/// What a seat and its team would have after an act.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The own cards left.
    pub(crate) own: Cards,
    /// The team's melds.
    pub(crate) shapes: Shapes,
}

impl Trial {
    /// What they have now.
    pub(crate) fn of(view: ViewRef<'_>) -> Trial {
        let team = &view.table.teams[view.team().index()];
        // Filled in its place: a list with so much room is slow to move.
        let mut trial = Trial { own: view.own.clone(), shapes: Shapes::new() };
        trial.shapes.extend(team.melds.iter().take(MELDS_MAX).map(Meld::shape));
        trial
    }

    /// Takes the discard pile and lays, opening included; what is kept is not judged here.
    pub(crate) fn take(&mut self, view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
        let laid = self.lay(view, lay, Source::OwnAndUpcard);
        // The further cards come only now. Rule: HF-5.4
        self.own.extend(received(view));
        laid
    }

    /// Lays cards, opening included; what is kept is not judged here. What is refused is laid all
    /// the same, so that the rest of the act is judged for what it is. Rule: HF-2.5
    fn lay(&mut self, view: ViewRef<'_>, lay: &Lay, source: Source) -> Result<(), Rejection> {
        let rules = view.rules;
        if lay.is_empty() {
            return Err(Rejection::NothingLaid);
        }
        let has_opened = !self.shapes.is_empty();
        let mut first = self.names_known_melds(lay);
        let upcard = view.table.upcard().filter(|_| source == Source::OwnAndUpcard);
        self.own.extend(upcard);
        for card in lay.cards() {
            if !self.own.remove(*card) {
                keep_first(&mut first, Err(Rejection::CardNotHeld { card: *card }));
            }
        }
        let melds_before = self.shapes.len();
        for placement in lay.placements() {
            keep_first(&mut first, self.place(rules, placement));
        }
        keep_first(&mut first, self.rank_limits(rules, melds_before));
        if self.shapes.len() > MELDS_MAX {
            keep_first(&mut first, Err(Rejection::TooManyMelds { allowed: MELDS_MAX }));
        }
        if let Some(upcard) = upcard {
            keep_first(&mut first, self.upcard_matched(view, lay, upcard));
        }
        if !has_opened {
            keep_first(&mut first, self.opens(view, lay));
        }
        first
    }

    fn names_known_melds(&self, lay: &Lay) -> Result<(), Rejection> {
        for placement in lay.placements() {
            if let Target::Meld(meld) = placement.target
                && meld.index() >= self.shapes.len()
            {
                return Err(Rejection::UnknownMeld { meld });
            }
        }
        Ok(())
    }

    /// Sizes and wild limits of one meld, judged at the end of the act. Rule: HF-4.9
    fn place(&mut self, rules: &Rules, placement: Placement<'_>) -> Result<(), Rejection> {
        let old = match placement.target {
            Target::Meld(meld) => match self.shapes.get(meld.index()) {
                Some(shape) => Some((meld, *shape)),
                // Refused for that already.
                None => return Ok(()),
            },
            Target::New => None,
        };
        let mut shape = old
            .map_or_else(|| MeldShape::empty(rank_of(placement.cards, rules)), |(_, shape)| shape);
        let mut first = three_in(rules, placement.cards);
        let mut caps = 0u8;
        for card in placement.cards {
            match (rules.role(card.kind()), shape.rank) {
                (Role::Wild, _) => shape.wilds = shape.wilds.saturating_add(1),
                (Role::RedThree, _) if is_blocker(rules) => caps = caps.saturating_add(1),
                (_, MeldRank::Natural(kind)) if kind == card.kind() => {
                    shape.naturals = shape.naturals.saturating_add(1);
                }
                (_, MeldRank::Natural(_) | MeldRank::Wild) => {
                    keep_first(&mut first, Err(Rejection::MixedRanks { card: *card }));
                }
            }
        }
        let fits = match caps {
            0 => grows(rules, old, shape),
            _ => {
                let is_unchanged = old.is_some_and(|(_, old)| old == shape);
                keep_first(&mut first, capped(rules, &mut shape, caps, placement.cards));
                if is_unchanged { Ok(()) } else { grows(rules, old, shape) }
            }
        };
        match old {
            Some((_, book)) if book.is_book(rules) && fits.is_err() => {}
            Some((meld, _)) => self.shapes[meld.index()] = shape,
            // Full only beyond what is refused anyway.
            None => drop(self.shapes.try_push(shape)),
        }
        keep_first(&mut first, fits);
        first
    }

    /// A new meld is started only where the old one of its rank is a book, and only so many of a
    /// rank are left unfinished, or laid at all. Rule: HF-4.6
    fn rank_limits(&self, rules: &Rules, melds_before: usize) -> Result<(), Rejection> {
        let per_rank = rules.draft().per_rank;
        let open_max = usize::from(per_rank.open);
        let mut refused = Ok(());
        for started in &self.shapes[melds_before..] {
            let (mut old, mut all, mut first) = (0, 0, None);
            for (index, shape) in self.shapes.iter().enumerate() {
                if shape.rank == started.rank && !shape.is_book(rules) {
                    old += usize::from(index < melds_before);
                    all += 1;
                    first = first.or(MeldId::from_index(index));
                }
            }
            if let (true, Some(meld)) = (old >= open_max || all > open_max, first) {
                return Err(Rejection::UnfinishedMeldExists { meld });
            }
            if let Some(allowed) = per_rank.total {
                let melds = self.shapes.iter().filter(|shape| shape.rank == started.rank).count();
                let melds = u8::try_from(melds).unwrap_or(u8::MAX);
                if melds > allowed {
                    keep_first(&mut refused, Err(Rejection::RankFull { melds, allowed }));
                }
            }
        }
        refused
    }

    /// What goes with the upcard, onto a meld or into a new one. Rule: HF-5.1, HF-5.2, HF-5.5
    fn upcard_matched(&self, view: ViewRef<'_>, lay: &Lay, upcard: Card) -> Result<(), Rejection> {
        let rules = view.rules;
        if !lay.cards().contains(&upcard) {
            return Err(Rejection::UpcardNotLaid { upcard });
        }
        let is_wild = rules.role(upcard.kind()) == Role::Wild;
        let rank = match is_wild {
            true => MeldRank::Wild,
            false => MeldRank::Natural(upcard.kind()),
        };
        let rank_at = |placement: &Placement<'_>| match placement.target {
            Target::Meld(meld) => self.shapes.get(meld.index()).map(|shape| shape.rank),
            Target::New => Some(rank_of(placement.cards, rules)),
        };
        // A wild upcard and its pair go into wild melds; they count nowhere else.
        let cards = || {
            let counts = |placement: &Placement<'_>| !is_wild || rank_at(placement) == Some(rank);
            lay.placements().filter(counts).flat_map(|placement| placement.cards)
        };
        let matching = cards().filter(|card| card.kind() == upcard.kind()).count();
        let used = u8::try_from(matching.saturating_sub(1)).unwrap_or(u8::MAX);
        if used >= PAIR {
            return Ok(());
        }
        if is_wild {
            return Err(Rejection::WildsDoNotMatch { used, required: PAIR });
        }
        let with_wild = lay.placements().any(|placement| {
            let is_wild = |card: &Card| rules.role(card.kind()) == Role::Wild;
            rank_at(&placement) == Some(rank) && placement.cards.iter().any(is_wild)
        });
        let joins = lay.placements().any(|placement| {
            placement.cards.contains(&upcard) && matches!(placement.target, Target::Meld(_))
        });
        matched(view, Match { used, with_wild, joins })
    }

    /// Whether a first lay-down is worth enough, by the cards laid alone, or holds the book that
    /// the rules ask for. Rule: HF-6.1, HF-6.2, HF-6.6, HF-6.5
    fn opens(&self, view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
        let required = view.rules.draft().book_size;
        let largest = |wilds_max: u8| {
            let counts = |shape: &&MeldShape| shape.wilds <= wilds_max;
            self.shapes.iter().filter(counts).map(|shape| shape.size()).max().unwrap_or(0)
        };
        match view.opening() {
            OpeningStep::Points(minimum) => {
                let values = lay.cards().iter().map(|card| view.rules.opening_value(card.kind()));
                let laid = values.sum();
                match laid >= minimum {
                    true => Ok(()),
                    false => Err(Rejection::OpeningTooLow { laid, minimum }),
                }
            }
            OpeningStep::Book(OpeningBook::BookFromHand) => match largest(u8::MAX) {
                largest if largest >= required => Ok(()),
                largest => Err(Rejection::OpeningNeedsBook { largest, required }),
            },
            OpeningStep::Book(OpeningBook::CleanBook) => match largest(0) {
                largest if largest >= required => Ok(()),
                largest => Err(Rejection::OpeningNeedsCleanBook { largest, required }),
            },
        }
    }

    /// Whether a card's rank may be discarded by now. A lock falls away when every card held is
    /// locked. Rule: HF-2.7
    pub(crate) fn unlocked(&self, view: ViewRef<'_>, card: Card) -> Result<(), Rejection> {
        let is_locked = |kind| self.is_locked(view, kind);
        match is_locked(card.kind()) && !self.own.faces().all(|(held, _)| is_locked(held.kind())) {
            true => Err(Rejection::DiscardLocked { card }),
            false => Ok(()),
        }
    }

    fn is_locked(&self, view: ViewRef<'_>, kind: Kind) -> bool {
        let (own_team, rules) = (view.team().index(), view.rules);
        let own_has = || {
            let of_kind = |shape: &&MeldShape| shape.rank == MeldRank::Natural(kind);
            self.shapes.iter().filter(of_kind).any(|shape| shape.is_clean_book(rules))
        };
        let others_have = || {
            let others = view.table.teams.iter().enumerate().filter(|(at, _)| *at != own_team);
            others.into_iter().all(|(_, team)| team.has_clean_book_of(kind, rules))
        };
        match rules.discard_lock(kind) {
            DiscardLock::None => false,
            DiscardLock::UntilOwnTeam => !own_has(),
            DiscardLock::UntilEachTeam => !(own_has() && others_have()),
        }
    }

    /// Black threes that are melded by who goes out alone: the act leaves nothing, or the last
    /// discard. Rule: HF-4.13
    fn black_threes_go_out(&self, view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
        if view.rules.draft().black_three.meld != BlackThreeMeld::SetWhenGoingOut {
            return Ok(());
        }
        let black_three = lay.cards().iter().find(|card| only_going_out(view.rules, **card));
        match black_three {
            // What is left in the foot has been judged: fewer than must be kept is going out.
            Some(card) if self.own.len() >= KEPT_AFTER_LAY || !view.in_foot() => {
                Err(Rejection::BlackThreesOnlyGoingOut { card: *card })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether there would be more books than there are.
    fn completes_book(&self, view: ViewRef<'_>) -> bool {
        let now = view.table.teams[view.team().index()].books(view.rules);
        self.books(view.rules).total() > now.total()
    }

    /// The books there would be.
    pub(crate) fn books(&self, rules: &Rules) -> BookCounts {
        let mut books = BookCounts::default();
        for shape in &self.shapes {
            shape.count_in(&mut books, rules);
        }
        books
    }

    /// What must be kept, or the right to go out. Rule: HF-7.6, HF-7.7, HF-8.1, HF-8.8, HF-8.13
    pub(crate) fn keeps(&self, view: ViewRef<'_>, ending: Ending) -> Result<(), Rejection> {
        let left = self.own.len();
        let required = match ending {
            Ending::Lay => KEPT_AFTER_LAY,
            Ending::Discard(_) => KEPT_AFTER_DISCARD,
        };
        if left >= required {
            return Ok(());
        }
        let keep = Err(Rejection::KeepCards { left, required });
        match Keeping::of(view) {
            Keeping::Nothing => return Ok(()),
            Keeping::UnlessEmptied if left == 0 && ending == Ending::Lay => return Ok(()),
            Keeping::UnlessFirstBook if self.completes_book(view) => return Ok(()),
            Keeping::UnlessEmptied | Keeping::UnlessFirstBook => return keep,
            Keeping::UnlessOut => {}
        }
        match (right_to_go_out(view, self.books(view.rules)), left, ending) {
            (Err(rejection), 0, _) => Err(rejection),
            (Err(_), _, _) => keep,
            (Ok(()), 0, Ending::Lay) => ends_well(view.rules, None),
            (Ok(()), _, Ending::Discard(card)) => ends_well(view.rules, Some(card)),
            // One card is left, and it must be able to be the last discard.
            (Ok(()), _, Ending::Lay) => match self.own.iter().next() {
                Some(card) if ends_well(view.rules, Some(card)).is_err() => keep,
                Some(_) | None => Ok(()),
            },
        }
    }
}

/// Puts red threes on top of a book, which must be complete and clean. Rule: HF-3.8
fn capped(rules: &Rules, shape: &mut MeldShape, caps: u8, cards: &[Card]) -> Result<(), Rejection> {
    let fits = caps == 1 && shape.cap == Cap::Bare && shape.is_clean_book(rules);
    shape.cap = Cap::Capped;
    let red_three = cards.iter().find(|card| rules.role(card.kind()) == Role::RedThree);
    match red_three {
        Some(card) if !fits => Err(Rejection::RedThreeNeedsBook { card: *card }),
        Some(_) | None => Ok(()),
    }
}

/// What goes with a natural upcard.
#[derive(Clone, Copy)]
struct Match {
    /// Naturals of its rank.
    used: u8,
    /// Whether a wild card is laid with them.
    with_wild: bool,
    /// Whether the upcard joins a meld that was there.
    joins: bool,
}

/// Whether fewer than two naturals are enough for the upcard. Rule: HF-5.7, HF-5.8
fn matched(view: ViewRef<'_>, found: Match) -> Result<(), Rejection> {
    let Match { used, with_wild, joins } = found;
    let matching = view.rules.draft().take.matching;
    if matching == TakeMatch::NaturalPair {
        return Err(Rejection::NoNaturalPair { used, required: PAIR });
    }
    if view.table.is_frozen(view.rules) {
        return Err(Rejection::DiscardsFrozen { used, required: PAIR });
    }
    let (is_matched, used, required) = match matching {
        TakeMatch::NaturalPair => (false, used, PAIR),
        TakeMatch::PairOrAddToMeld => (joins, used, PAIR),
        TakeMatch::NaturalPlusWild => {
            (used > 0 && with_wild, used.saturating_add(u8::from(with_wild)).min(PAIR), PAIR)
        }
        TakeMatch::OneNatural => (used > 0, used, 1),
    };
    match is_matched {
        true => Ok(()),
        false => Err(Rejection::UpcardNotMatched { used, required }),
    }
}

/// Whether the seat may end the round now, given the team's books. Rule: HF-8.2 to HF-8.4
pub(crate) fn right_to_go_out(view: ViewRef<'_>, books: BookCounts) -> Result<(), Rejection> {
    contract_met(view, books)?;
    if !question_needed(view) {
        return Ok(());
    }
    match view.table.phase {
        Phase::Draw { asked: Asked::Refused, .. } | Phase::Play { asked: Asked::Refused, .. } => {
            Err(Rejection::GoingOutRefused)
        }
        Phase::Draw { asked: Asked::Granted, .. } | Phase::Play { asked: Asked::Granted, .. } => {
            Ok(())
        }
        Phase::Draw { asked: Asked::NotYet, .. }
        | Phase::Play { asked: Asked::NotYet, .. }
        | Phase::AwaitAnswer { .. }
        | Phase::AwaitUndo { .. }
        | Phase::RoundOver { .. }
        | Phase::GameOver { .. } => Err(Rejection::MustAskFirst),
    }
}

/// Books and team-mates, the question apart. Rule: HF-8.2, HF-8.3
pub(crate) fn contract_met(view: ViewRef<'_>, books: BookCounts) -> Result<(), Rejection> {
    let missing = books.missing(view.table.round(view.rules).need);
    if !missing.is_met() {
        return Err(Rejection::ContractNotMet {
            clean: missing.clean,
            dirty: missing.dirty,
            wild: missing.wild,
            sevens: missing.sevens,
            total: missing.total,
        });
    }
    match partner_not_ready(view) {
        Some(partner) => Err(Rejection::PartnerNotReady { partner }),
        None => Ok(()),
    }
}

/// The first team-mate in turn order that has not come far enough. Rule: HF-8.3
pub(crate) fn partner_not_ready(view: ViewRef<'_>) -> Option<Seat> {
    let needed = match view.rules.draft().partner {
        PartnerCondition::None => return None,
        PartnerCondition::InFoot => {
            let table = view.table;
            return table.partners(view.seat).find(|seat| !table.in_foot(*seat, view.rules));
        }
        PartnerCondition::PartOfTurn => FootStage::Played,
        PartnerCondition::FullTurn => FootStage::FullTurn,
    };
    let table = view.table;
    table.partners(view.seat).find(|partner| table.seats[partner.index()].foot < needed)
}
