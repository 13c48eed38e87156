//! Which melds can be, and how a meld may grow in one act.
//!
//! The cards of one act go onto a meld in whatever order is legal. Below the size of a book that
//! is naturals first, so that only the end counts. Beyond it, the act passes through a complete
//! book first, and what may follow depends on that book's kind.
//!
//! **Invariant:** counts only; whose cards they are is decided elsewhere.

use handfoot_cards::{Card, Role};
use handfoot_rules::{BlackThreeMeld, ExtendBook, ExtendWild, MeldKind, RedThreeMode, Rules};

use crate::limits::MELD_CARDS_MAX;
use crate::{Cap, MeldId, MeldRank, MeldShape, Rejection};

/// Whether a new meld may be of this shape. Rule: HF-4.1, HF-4.2, HF-4.3
pub(crate) fn shape_fits(rules: &Rules, shape: MeldShape) -> Result<(), Rejection> {
    grows(rules, None, shape)
}

/// Whether a meld, or nothing, may become `new` in one act. Rule: HF-4.5, HF-4.9, HF-4.12
pub(crate) fn grows(
    rules: &Rules,
    old: Option<(MeldId, MeldShape)>,
    new: MeldShape,
) -> Result<(), Rejection> {
    let draft = rules.draft();
    let (book_size, cards) = (draft.book_size, new.size());
    // The usual case by itself, because every lay asks.
    if (draft.meld_min..=book_size).contains(&cards)
        && new.wilds <= new.wilds_max(rules)
        && (new.rank != MeldRank::Wild || rules.wild_meld_allowed())
        && old.is_none_or(|(_, shape)| !shape.is_book(rules))
    {
        return Ok(());
    }
    let from = old.map_or(MeldShape::empty(new.rank), |(_, shape)| shape);
    if let Some((meld, book)) = old
        && book.is_book(rules)
        && !may_extend(rules, book.kind())
    {
        return Err(Rejection::BookClosed { meld });
    }
    if new.rank == MeldRank::Wild && !rules.wild_meld_allowed() {
        return Err(Rejection::WildMeldBarred);
    }
    if cards < draft.meld_min {
        return Err(Rejection::MeldTooSmall { cards, required: draft.meld_min });
    }
    let (wilds, allowed) = (new.wilds, new.wilds_max(rules));
    let stays_small = cards <= book_size && !from.is_book(rules);
    let reached = |wilds| stays_small || reaches(rules, from, MeldShape { wilds, ..new });
    if wilds <= allowed && cards <= MELD_CARDS_MAX && reached(wilds) {
        return Ok(());
    }
    if cards > book_size && !from.is_book(rules) && !may_extend(rules, new.kind()) {
        return Err(Rejection::MeldTooLarge { cards, allowed: book_size });
    }
    if cards > MELD_CARDS_MAX {
        return Err(Rejection::MeldTooLarge { cards, allowed: MELD_CARDS_MAX });
    }
    if wilds > allowed {
        return Err(Rejection::TooManyWilds { wilds, allowed });
    }
    let allowed = (from.wilds..wilds).rev().find(|wilds| reached(*wilds)).unwrap_or(from.wilds);
    Err(Rejection::WildsOnBook { wilds, allowed })
}

/// Whether anything may be added to a book of a kind. Rule: HF-4.5
pub(crate) fn may_extend(rules: &Rules, kind: MeldKind) -> bool {
    let extend = rules.draft().extend;
    match kind {
        MeldKind::Clean => extend.clean != ExtendBook::None,
        MeldKind::Dirty => extend.dirty != ExtendBook::None,
        MeldKind::Wild => extend.wild != ExtendWild::None,
    }
}

/// The most cards that any meld of this rank may hold. Rule: HF-4.5
pub(crate) fn size_max(rules: &Rules, rank: MeldRank) -> u8 {
    let may_grow = match rank {
        MeldRank::Natural(_) => {
            may_extend(rules, MeldKind::Clean) || may_extend(rules, MeldKind::Dirty)
        }
        MeldRank::Wild => may_extend(rules, MeldKind::Wild),
    };
    match may_grow {
        true => MELD_CARDS_MAX,
        false => rules.draft().book_size,
    }
}

/// Whether some order of adding cards leads from one shape to a book of another. Rule: HF-4.9
fn reaches(rules: &Rules, from: MeldShape, to: MeldShape) -> bool {
    let book_size = rules.draft().book_size;
    if from.is_book(rules) {
        return extends(rules, from, to);
    }
    (from.wilds..=to.wilds.min(book_size)).any(|wilds| {
        let naturals = book_size - wilds;
        let book = MeldShape { naturals, wilds, ..from };
        (from.naturals..=to.naturals).contains(&naturals)
            && wilds <= book.wilds_max(rules)
            && extends(rules, book, to)
    })
}

/// Whether a book may become another by what is added to it. Rule: HF-4.12
fn extends(rules: &Rules, book: MeldShape, to: MeldShape) -> bool {
    let extend = rules.draft().extend;
    let (naturals, wilds) = (to.naturals > book.naturals, to.wilds - book.wilds);
    match (book.kind(), wilds) {
        (MeldKind::Wild, added) => added == 0 || extend.wild == ExtendWild::Wild,
        (MeldKind::Clean, 0) => !naturals || extend.clean != ExtendBook::None,
        // The naturals first; then one wild card makes it dirty, and further ones join a dirty book.
        (MeldKind::Clean, added) => {
            book.cap == Cap::Bare
                && extend.clean == ExtendBook::Any
                && (added == 1 || extend.dirty == ExtendBook::Any)
        }
        (MeldKind::Dirty, added) => {
            (!naturals || extend.dirty != ExtendBook::None)
                && (added == 0 || extend.dirty == ExtendBook::Any)
        }
    }
}

/// The first card that belongs into no meld under these rules. Rule: HF-3.6, HF-4.4, HF-4.13
pub(crate) fn three_in(rules: &Rules, cards: &[Card]) -> Result<(), Rejection> {
    for card in cards {
        match rules.role(card.kind()) {
            Role::RedThree if is_blocker(rules) => {}
            Role::BlackThree if melds_black_threes(rules) => {}
            Role::RedThree | Role::BlackThree => {
                return Err(Rejection::ThreesNotMelded { card: *card });
            }
            Role::Natural | Role::Wild => {}
        }
    }
    Ok(())
}

/// Whether red threes are put onto clean books. Rule: HF-3.8
pub(crate) fn is_blocker(rules: &Rules) -> bool {
    rules.draft().red_three.mode == RedThreeMode::Blocker
}

/// Whether black threes ever meld. Rule: HF-4.13
pub(crate) fn melds_black_threes(rules: &Rules) -> bool {
    match rules.draft().black_three.meld {
        BlackThreeMeld::Never => false,
        BlackThreeMeld::Set | BlackThreeMeld::SetWhenGoingOut => true,
    }
}

/// Whether a kind is laid in an act that goes out only. Rule: HF-4.13
pub(crate) fn only_going_out(rules: &Rules, card: Card) -> bool {
    rules.draft().black_three.meld == BlackThreeMeld::SetWhenGoingOut
        && rules.role(card.kind()) == Role::BlackThree
}
