//! Whether an action is legal: the one truth about it.
//!
//! Refusals are found in the promised order: turn and step, then what is held, then melds, then
//! the discard pile, then the opening, then what must be kept to go on or to go out.
//!
//! **Invariant:** decides from a [`ViewRef`] alone and changes nothing. Whatever depends on a
//! hidden card is not a question of legality.

use arrayvec::ArrayVec;
use handfoot_cards::{Card, Cards, Role};
use handfoot_rules::{BookCounts, PartnerCondition, Permission, Rules, WildTop};

use crate::limits::{LAY_PLACEMENTS_MAX, MELDS_MAX};
use crate::undo::{can_undo, judge_undo};
use crate::{
    Action, Asked, FootStage, Lay, MeldId, MeldRank, MeldShape, Phase, Placement, Rejection, Seat,
    Target, ViewRef, WayOut, is_laid_at_once, rank_of,
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
        Action::Lay(_)
        | Action::Discard(_)
        | Action::AnswerGoOut(_)
        | Action::AnswerUndo(_)
        | Action::UndoLays(_) => Ok(()),
    }
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
        (Role::Wild, WildTop::MatchingPair) | (Role::Natural, _) => Ok(()),
    }
}

/// The cards that come with the upcard and stay: red threes that are laid leave at once.
/// Rule: HF-3.5, HF-5.4
pub(crate) fn received(view: ViewRef<'_>) -> impl Iterator<Item = Card> {
    let count = view.table.take_count(view.rules);
    let cards = view.table.discards.iter().rev().take(count).skip(1).copied();
    cards.filter(move |card| !is_laid_at_once(*card, view.rules))
}

fn judge_lay(view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
    let mut trial = Trial::of(view);
    trial.lay(view, lay, Source::Own)?;
    trial.keeps(view, KEPT_AFTER_LAY)
}

fn judge_take(view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
    let mut trial = Trial::of(view);
    trial.take(view, lay)?;
    trial.keeps(view, KEPT_AFTER_LAY)
}

fn judge_discard(view: ViewRef<'_>, card: Card) -> Result<(), Rejection> {
    if view.own.count(card) == 0 {
        return Err(Rejection::CardNotHeld { card });
    }
    discardable(view.rules, card)?;
    if view.own.len() > KEPT_AFTER_DISCARD || !view.in_foot() {
        return Ok(());
    }
    let mut trial = Trial::of(view);
    let _ = trial.own.remove(card);
    trial.keeps(view, KEPT_AFTER_DISCARD)
}

/// Whether a card may be discarded, the number kept apart. Rule: HF-3.6
pub(crate) fn discardable(rules: &Rules, card: Card) -> Result<(), Rejection> {
    match is_laid_at_once(card, rules) {
        true => Err(Rejection::RedThreeNotDiscarded { card }),
        false => Ok(()),
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
        let held = trial.own.remove(card);
        keep_first(&mut first, held.then_some(()).ok_or(Rejection::CardNotHeld { card }));
        keep_first(&mut first, discardable(view.rules, card));
    }
    first?;
    match trial.own.len() {
        0 => contract_met(view, trial.books(view.rules)),
        left => Err(Rejection::NotAWayOut { left }),
    }
}

/// Of two refusals of one act, keeps the one that comes first in the promised order.
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
        let shapes = team.shapes().take(MELDS_MAX).map(|(_, shape)| shape).collect();
        Trial { own: view.own.clone(), shapes }
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
            keep_first(&mut first, self.upcard_matched(rules, lay, upcard));
        }
        if !has_opened {
            keep_first(&mut first, opening_reached(view, lay));
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
        let mut shape = old.map_or_else(
            || MeldShape { rank: rank_of(placement.cards, rules), naturals: 0, wilds: 0 },
            |(_, shape)| shape,
        );
        let mut first = three_in(rules, placement.cards);
        for card in placement.cards {
            match (rules.role(card.kind()), shape.rank) {
                (Role::Wild, _) => shape.wilds = shape.wilds.saturating_add(1),
                (_, MeldRank::Natural(kind)) if kind == card.kind() => {
                    shape.naturals = shape.naturals.saturating_add(1);
                }
                (_, MeldRank::Natural(_) | MeldRank::Wild) => {
                    keep_first(&mut first, Err(Rejection::MixedRanks { card: *card }));
                }
            }
        }
        match old {
            Some((meld, book)) if book.is_book(rules) => {
                keep_first(&mut first, Err(Rejection::BookClosed { meld }));
                return first;
            }
            Some((meld, _)) => self.shapes[meld.index()] = shape,
            // Full only beyond what is refused anyway.
            None => drop(self.shapes.try_push(shape)),
        }
        first.and_then(|()| shape_fits(rules, shape))
    }

    /// A new meld is started only where the old one of its rank is a book, and at most one of a rank
    /// is left unfinished. Rule: HF-4.6
    fn rank_limits(&self, rules: &Rules, melds_before: usize) -> Result<(), Rejection> {
        let open_max = usize::from(rules.draft().per_rank.open);
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
        }
        Ok(())
    }

    /// What goes with the upcard, onto a meld or into a new one. Rule: HF-5.1, HF-5.2, HF-5.5
    fn upcard_matched(&self, rules: &Rules, lay: &Lay, upcard: Card) -> Result<(), Rejection> {
        if !lay.cards().contains(&upcard) {
            return Err(Rejection::UpcardNotLaid { upcard });
        }
        let is_wild = rules.role(upcard.kind()) == Role::Wild;
        // A wild upcard and its pair go into wild melds; they count nowhere else.
        let counts = |placement: &Placement<'_>| {
            let rank = match placement.target {
                Target::Meld(meld) => self.shapes.get(meld.index()).map(|shape| shape.rank),
                Target::New => Some(rank_of(placement.cards, rules)),
            };
            !is_wild || rank == Some(MeldRank::Wild)
        };
        let matching = lay
            .placements()
            .filter(counts)
            .flat_map(|placement| placement.cards)
            .filter(|card| card.kind() == upcard.kind())
            .count();
        let used = u8::try_from(matching.saturating_sub(1)).unwrap_or(u8::MAX);
        match (used >= PAIR, is_wild) {
            (true, _) => Ok(()),
            (false, true) => Err(Rejection::WildsDoNotMatch { used, required: PAIR }),
            (false, false) => Err(Rejection::NoNaturalPair { used, required: PAIR }),
        }
    }

    /// The books there would be.
    pub(crate) fn books(&self, rules: &Rules) -> BookCounts {
        let mut books = BookCounts::default();
        for shape in self.shapes.iter().filter(|shape| shape.is_book(rules)) {
            books.count(shape.kind());
        }
        books
    }

    /// What must be kept in the foot, or the right to go out. Rule: HF-8.1, HF-8.8
    pub(crate) fn keeps(&self, view: ViewRef<'_>, required: usize) -> Result<(), Rejection> {
        let left = self.own.len();
        if left >= required || !view.in_foot() {
            return Ok(());
        }
        match (right_to_go_out(view, self.books(view.rules)), left) {
            (Ok(()), _) => Ok(()),
            (Err(rejection), 0) => Err(rejection),
            (Err(_), _) => Err(Rejection::KeepCards { left, required }),
        }
    }
}

/// Sizes and wild limit of a meld. Rule: HF-4.1, HF-4.2, HF-4.3
pub(crate) fn shape_fits(rules: &Rules, shape: MeldShape) -> Result<(), Rejection> {
    let draft = rules.draft();
    let cards = shape.size();
    if shape.rank == MeldRank::Wild && !rules.wild_meld_allowed() {
        return Err(Rejection::WildMeldBarred);
    }
    if cards < draft.meld_min {
        return Err(Rejection::MeldTooSmall { cards, required: draft.meld_min });
    }
    if cards > draft.book_size {
        return Err(Rejection::MeldTooLarge { cards, allowed: draft.book_size });
    }
    match shape.rank {
        MeldRank::Wild => Ok(()),
        MeldRank::Natural(_) => {
            let allowed = rules.wilds_max(shape.naturals);
            match shape.wilds > allowed {
                true => Err(Rejection::TooManyWilds { wilds: shape.wilds, allowed }),
                false => Ok(()),
            }
        }
    }
}

/// Threes are never melded. Rule: HF-4.4, HF-3.6
pub(crate) fn three_in(rules: &Rules, cards: &[Card]) -> Result<(), Rejection> {
    for card in cards {
        match rules.role(card.kind()) {
            Role::RedThree | Role::BlackThree => {
                return Err(Rejection::ThreesNotMelded { card: *card });
            }
            Role::Natural | Role::Wild => {}
        }
    }
    Ok(())
}

/// Whether a first lay-down is worth enough, by the cards laid alone. Rule: HF-6.1, HF-6.2
fn opening_reached(view: ViewRef<'_>, lay: &Lay) -> Result<(), Rejection> {
    let laid = lay.cards().iter().map(|card| view.rules.value(card.kind())).sum();
    let minimum = view.table.round(view.rules).opening_minimum;
    match laid >= minimum {
        true => Ok(()),
        false => Err(Rejection::OpeningTooLow { laid, minimum }),
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
        PartnerCondition::InFoot => FootStage::TakenUp,
        PartnerCondition::PartOfTurn => FootStage::Played,
        PartnerCondition::FullTurn => FootStage::FullTurn,
    };
    let table = view.table;
    table.partners(view.seat).find(|partner| table.seats[partner.index()].foot < needed)
}
