//! Melds, wild cards in them, books and ranks with rules of their own. D.1 #14 to #19.
//!
//! **Invariant:** numbers in tables are asked of the rules, not worked out again.

use handfoot_rules::{
    DiscardLock, ExtendBook, ExtendWild, LastDiscard, MeldKind, Ratio, SpecialLastDiscard,
};

use super::Page;
use crate::facts::{Facts, Sides};
use crate::words::{capital, counted, listed, number, points};

/// Sizes beyond a book that a table of wild cards shows where melds may grow.
const SIZES_BEYOND: u8 = 3;

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let least = capital(&number(usize::from(facts.draft.meld_min)));
    let book = number(usize::from(facts.draft.book_size));
    page.say([
        format!("{least} cards of a rank make a meld, and {book} make a book."),
        match facts.sides {
            Sides::Alone => "Your melds are yours alone.".to_owned(),
            Sides::Pairs | Sides::Teams => {
                "Melds belong to the team: each of you lays and adds for all.".to_owned()
            }
        },
    ]);
    if facts.has_wilds() {
        page.say(wild_limit(facts));
        if facts.takes_wilds() {
            page.table(wild_table(facts));
            if facts.grows() {
                page.say(["Larger melds follow the same rule."]);
            }
        }
        page.say([wild_meld(facts)]);
    }
    page.say(books(facts));
    page.say(per_rank(facts));
    for special in special(facts) {
        page.say(special);
    }
    page
}

fn wild_limit(facts: Facts<'_>) -> Vec<String> {
    if !facts.takes_wilds() {
        return vec!["Natural cards and wild cards are never melded together.".to_owned()];
    }
    let limit = facts.draft.wild_limit;
    let mut text = Vec::new();
    let ratio = ratio(limit.a, limit.b);
    if let Some(ratio) = ratio {
        text.push(format!("A meld with wild cards must hold {ratio} at any time."));
    }
    let least = usize::from(limit.min_natural);
    let least = match least {
        1 => "one natural card at least".to_owned(),
        least => format!("{} natural cards at least", number(least)),
    };
    let it = if text.is_empty() { "A meld with wild cards" } else { "It" };
    text.push(match limit.max {
        Some(max) => {
            format!("{it} holds {least} and {} at most.", counted(usize::from(max), "wild card"))
        }
        None => format!("{it} holds {least}."),
    });
    text.push("So this many wild cards may be in it:".to_owned());
    text
}

/// `at least twice as many natural cards as wild ones`, if the fraction asks for anything.
fn ratio(a: Ratio, b: i8) -> Option<String> {
    let more = usize::from(b.unsigned_abs());
    let more = match b {
        0 => String::new(),
        b if b > 0 => format!(", and {} more", number(more)),
        _ => format!(", less {}", number(more)),
    };
    match (a.numerator, a.denominator, b) {
        (0, _, b) if b <= 0 => None,
        (0, _, _) => {
            Some(format!("at least {}", counted(usize::from(b.unsigned_abs()), "natural card")))
        }
        (1, 1, 0) => Some("at least as many natural cards as wild ones".to_owned()),
        (1, 1, 1) => Some("more natural cards than wild ones".to_owned()),
        (2, 1, _) => Some(format!("at least twice as many natural cards as wild ones{more}")),
        (numerator, 1, _) => Some(format!(
            "at least {} for each wild one{more}",
            counted(usize::from(numerator.unsigned_abs()), "natural card")
        )),
        (numerator, denominator, _) => Some(format!(
            "at least {} for every {} wild ones{more}",
            counted(usize::from(numerator.unsigned_abs()), "natural card"),
            number(usize::from(denominator.unsigned_abs()))
        )),
    }
}

fn wild_table(facts: Facts<'_>) -> Vec<Vec<String>> {
    let size = facts.draft.book_size;
    let more = if facts.grows() { SIZES_BEYOND } else { 0 };
    let mut sizes = vec!["Cards in the meld".to_owned()];
    let mut most = vec!["Wild cards at most".to_owned()];
    let from = facts.draft.meld_min.max(size.saturating_sub(8));
    for cards in from..=size.saturating_add(more) {
        sizes.push(cards.to_string());
        most.push(facts.wilds_in(cards).to_string());
    }
    vec![sizes, most]
}

fn wild_meld(facts: Facts<'_>) -> String {
    match facts.rules.wild_meld_allowed() {
        true => "Wild cards may also be melded alone, in any mixture.".to_owned(),
        false => "Wild cards alone are no meld.".to_owned(),
    }
}

fn books(facts: Facts<'_>) -> Vec<String> {
    let size = number(usize::from(facts.draft.book_size));
    let extend = facts.draft.extend;
    if !facts.grows() {
        return vec![format!(
            "A book is closed: it has exactly {size} cards, and nothing is added to it."
        )];
    }
    let mut text = vec![format!("A meld does not have to stop at {size} cards.")];
    for kind in facts.book_kinds() {
        text.push(match (kind, extend.clean, extend.dirty, extend.wild) {
            (MeldKind::Clean, ExtendBook::None, _, _) => "A clean book is closed.".to_owned(),
            (MeldKind::Clean, ExtendBook::Natural, _, _) => {
                "A clean book may take more natural cards of its rank, but no wild cards."
                    .to_owned()
            }
            (MeldKind::Clean, ExtendBook::Any, _, _) if facts.takes_wilds() => {
                "A clean book may take more natural cards of its rank, and wild cards too, which \
                 make it dirty for good."
                    .to_owned()
            }
            (MeldKind::Clean, ExtendBook::Any, _, _) => {
                "A clean book may take more natural cards of its rank.".to_owned()
            }
            (MeldKind::Dirty, _, ExtendBook::None, _) => "A dirty book is closed.".to_owned(),
            (MeldKind::Dirty, _, ExtendBook::Natural, _) => {
                "A dirty book may take more natural cards of its rank, but no more wild cards."
                    .to_owned()
            }
            (MeldKind::Dirty, _, ExtendBook::Any, _) => {
                "A dirty book may take more natural cards of its rank, and more wild cards as far \
                 as the table above allows."
                    .to_owned()
            }
            (MeldKind::Wild, _, _, ExtendWild::None) => "A wild book is closed.".to_owned(),
            (MeldKind::Wild, _, _, ExtendWild::Wild) => {
                "A wild book may take more wild cards.".to_owned()
            }
        });
    }
    text.push("What is added counts its points; the book's bonus is paid once.".to_owned());
    text
}

fn per_rank(facts: Facts<'_>) -> Vec<String> {
    let limits = facts.draft.per_rank;
    let us = capital(facts.us());
    let mut text = Vec::new();
    text.push(match limits.open {
        1 => format!("{us} may have only one unfinished meld of a rank at a time."),
        open => format!(
            "{us} may have up to {} unfinished melds of a rank at a time.",
            number(usize::from(open))
        ),
    });
    if facts.book_kinds().contains(&MeldKind::Wild) {
        text.push("For this, wild melds count as a rank.".to_owned());
    }
    text.push(match (limits.total, facts.grows()) {
        (None, true) => "When a meld has become a book, another of its rank may be started; \
                         whoever has cards for either chooses."
            .to_owned(),
        (None, false) => {
            "When a meld has become a book, another of its rank may be started.".to_owned()
        }
        (Some(1), true) => {
            "There is never a second meld of a rank in the same round, not even after a book."
                .to_owned()
        }
        (Some(1), false) => "There is never a second meld of a rank in the same round: once it is \
                             a book, further cards of that rank can only be discarded."
            .to_owned(),
        (Some(total), _) => format!(
            "There are never more than {} melds of a rank in the same round, books included.",
            number(usize::from(total))
        ),
    });
    text
}

/// The ranks with rules of their own: `sevens`.
pub(super) fn special_ranks(facts: Facts<'_>, and: &str) -> String {
    let name = |rank: &str| match facts.rules.pack().kind_named(rank) {
        Some(kind) => facts.cards.many(kind),
        None => rank.to_owned(),
    };
    let names: Vec<String> = facts.draft.special.iter().map(|rank| name(&rank.rank)).collect();
    listed(&names, and)
}

fn special(facts: Facts<'_>) -> Vec<Vec<String>> {
    let mut paragraphs = Vec::new();
    for special in &facts.draft.special {
        let Some(kind) = facts.rules.pack().kind_named(&special.rank) else { continue };
        let (one, many) = (facts.cards.one(kind), facts.cards.many(kind));
        let side = facts.side();
        let mut text = vec![format!(
            "{} are special: a clean book of {many} pays {} in place of the usual bonus.",
            capital(&many),
            points(special.book_bonus)
        )];
        text.push(match special.discard_lock {
            DiscardLock::None => String::new(),
            DiscardLock::UntilOwnTeam => format!(
                "You may not discard {} before {} such a book, unless every card you hold is one \
                 that may not be discarded.",
                crate::words::a(&one),
                facts.we_have()
            ),
            DiscardLock::UntilEachTeam => format!(
                "Nobody may discard {} before every {side} has such a book, unless every card \
                 they hold is one that may not be discarded.",
                crate::words::a(&one)
            ),
        });
        let banned = special.last_discard == SpecialLastDiscard::Banned
            && facts.draft.last_discard != LastDiscard::Forbidden;
        if banned {
            text.push(format!(
                "{} is never the last card of a round.",
                capital(&crate::words::a(&one))
            ));
        }
        paragraphs.push(text);
    }
    paragraphs
}
