//! Discarding, and taking the discard pile. D.1 #24 and #25.
//!
//! **Invariant:** whatever keeps the discard pile from being taken is told here.

use handfoot_cards::Role;
use handfoot_rules::{
    FirstUpcard, OpeningViaDiscards, RedThreeMode, TakeCount, TakeMatch, UpcardDeal, WildDiscard,
    WildTop,
};

use super::Page;
use crate::facts::Facts;
use crate::words::{a, capital, counted, listed, number};

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    page.say(taking(facts));
    page.say(cards_taken(facts));
    page.say(["The discard pile cannot be taken:"]);
    page.list(bars(facts));
    if let WildDiscard::Freeze = facts.draft.wild_discard
        && facts.has_wilds()
    {
        page.say(frozen(facts));
    }
    if let WildDiscard::RemoveDiscards = facts.draft.wild_discard
        && facts.has_wilds()
    {
        page.say([
            "A wild card that is discarded takes the whole discard pile out of play, itself \
             included, so that the next player has to draw. The cards come back only if the stock \
             has too few: then they are shuffled and put under it.",
        ]);
    }
    page.say(first(facts));
    page.say(discarding(facts));
    page.say(example(facts));
    page
}

fn taking(facts: Facts<'_>) -> Vec<String> {
    let melds = facts.our();
    let need = match facts.draft.take.matching {
        TakeMatch::NaturalPair => "Its top card must be laid at once, together with two natural \
                                   cards of the same rank from your own cards."
            .to_owned(),
        TakeMatch::PairOrAddToMeld => format!(
            "Its top card must be laid at once: together with two natural cards of the same rank \
             from your own cards, or by itself onto one of {melds} melds."
        ),
        TakeMatch::NaturalPlusWild => "Its top card must be laid at once, together with two \
                                       cards of your own: two natural cards of the same rank, or \
                                       one of them and a wild card."
            .to_owned(),
        TakeMatch::OneNatural => "Its top card must be laid at once, together with at least one \
                                  natural card of the same rank from your own cards."
            .to_owned(),
    };
    let growing = if facts.grows() { " or onto a book that may grow" } else { "" };
    let mut text = vec![
        "Instead of drawing, you may take the discard pile.".to_owned(),
        need,
        format!(
            "These cards become a new meld or go onto {melds} unfinished meld of that \
             rank{growing}; you may lay more cards of your own in the same go."
        ),
    ];
    if !facts.grows() {
        text.push(format!(
            "If they would bring a meld beyond {} cards, what is over must be a proper meld by \
             itself.",
            number(usize::from(facts.draft.book_size))
        ));
    }
    if facts.has_wilds() && facts.rules.wild_meld_allowed() {
        text.push(match facts.draft.take.wild_top {
            WildTop::Barred => String::new(),
            WildTop::MatchingPair => wild_top(facts),
        });
    }
    text
}

fn wild_top(facts: Facts<'_>) -> String {
    let pairs: Vec<String> = facts
        .cards
        .kinds(Role::Wild)
        .into_iter()
        .map(|kind| format!("two {} for {}", facts.cards.many(kind), a(&facts.cards.one(kind))))
        .collect();
    format!(
        "If the top card is wild, you need two wild cards of the very same kind ({}), and the \
         three go into a wild meld.",
        listed(&pairs, "and")
    )
}

fn cards_taken(facts: Facts<'_>) -> Vec<String> {
    let counts = facts.by_round(|round| facts.rules.round(round).take_max);
    let words = |most: usize| match most {
        usize::MAX => "the whole discard pile".to_owned(),
        1 => "only the top card".to_owned(),
        most => format!(
            "{} cards at most, the top card and the {} below it",
            number(most),
            match most {
                2 => "one".to_owned(),
                more => number(more - 1),
            }
        ),
    };
    let phrase = match counts.as_slice() {
        [(_, one)] => words(*one),
        several => {
            let parts: Vec<String> =
                several.iter().map(|(when, most)| format!("{when} {}", words(*most))).collect();
            parts.join("; ")
        }
    };
    let limited = counts.iter().any(|(_, most)| *most != usize::MAX && *most > 1);
    let more = counts.iter().any(|(_, most)| *most > 1);
    let mut text = vec![format!("You get {phrase}.")];
    if limited {
        text.push(
            "If there are fewer cards, you get them all; what lies deeper stays where it is."
                .to_owned(),
        );
    }
    if more {
        text.push(
            "The cards below the top one join your own when the lay-down is complete: you may lay \
             them later in the same turn, but not with it."
                .to_owned(),
        );
    }
    text.push("The top card can never be taken into the hand.".to_owned());
    if facts.draft.take.first_upcard == FirstUpcard::Free
        && facts.draft.upcard.deal == UpcardDeal::Turned
    {
        text.pop();
    }
    text
}

fn bars(facts: Facts<'_>) -> Vec<String> {
    let mut bars = Vec::new();
    match facts.draft.take.min_size {
        0 | 1 => bars.push("while it is empty;".to_owned()),
        least => {
            bars.push(format!("while it has fewer than {};", counted(usize::from(least), "card")));
        }
    }
    let mut blocking = Vec::new();
    if facts.has_blacks() {
        blocking.push(a(&facts.black()));
    }
    if facts.reds_reach_discards() {
        blocking.push(a(&facts.red()));
    }
    if !blocking.is_empty() {
        bars.push(format!("while {} is on top;", listed(&blocking, "or")));
    }
    let removed = facts.draft.wild_discard == WildDiscard::RemoveDiscards;
    if facts.has_wilds() && facts.draft.take.wild_top == WildTop::Barred && !removed {
        bars.push("while a wild card is on top;".to_owned());
    }
    match facts.draft.opening.via_discards {
        OpeningViaDiscards::Allowed => bars.push(format!(
            "if {} not opened, unless what you lay with the top card is enough to open;",
            facts.we_have()
        )),
        OpeningViaDiscards::Barred => {
            bars.push(format!("before {} opened;", facts.we_have()));
        }
    }
    bars.push(
        "if you would be left with too few cards, as the chapter on going out tells, counting the \
         cards you get."
            .to_owned(),
    );
    bars
}

fn frozen(facts: Facts<'_>) -> Vec<String> {
    let red = facts.draft.upcard.deal == UpcardDeal::Turned
        && facts.red_mode() == Some(RedThreeMode::Bonus)
        && facts.reds_reach_discards();
    let also = match red {
        true => format!(", and so does {} that was turned up", a(&facts.red())),
        false => String::new(),
    };
    let pair = match facts.draft.take.matching {
        TakeMatch::NaturalPair => {
            "A frozen discard pile is taken only with two natural cards of the top card's rank, \
             which is what these rules ask for in any case."
        }
        TakeMatch::PairOrAddToMeld | TakeMatch::NaturalPlusWild | TakeMatch::OneNatural => {
            "A frozen discard pile is taken only with two natural cards of the top card's rank \
             from your own cards."
        }
    };
    vec![
        format!("A wild card anywhere in the discard pile freezes it{also}."),
        pair.to_owned(),
        "It thaws when somebody takes that card.".to_owned(),
    ]
}

fn first(facts: Facts<'_>) -> Vec<String> {
    let free = facts.draft.take.first_upcard == FirstUpcard::Free
        && facts.draft.upcard.deal == UpcardDeal::Turned;
    if !free {
        return Vec::new();
    }
    vec![
        "Whoever begins the round may take the card that was turned up, whatever it is, into the \
         hand instead of drawing, without laying anything."
            .to_owned(),
        "Otherwise the top card is never taken into the hand.".to_owned(),
    ]
}

fn discarding(facts: Facts<'_>) -> Vec<String> {
    let mut text = vec!["You may discard any card you hold".to_owned()];
    let mut but = Vec::new();
    if facts.red_mode() == Some(RedThreeMode::Bonus) {
        but.push(facts.reds());
    }
    let locked = facts
        .draft
        .special
        .iter()
        .any(|special| special.discard_lock != handfoot_rules::DiscardLock::None);
    if locked {
        but.push(format!(
            "{} as long as the chapter on melds forbids it",
            super::melds::special_ranks(facts, "and")
        ));
    }
    let but = match but.is_empty() {
        true => ".".to_owned(),
        false => format!(", except {}.", listed(&but, "and")),
    };
    if let Some(first) = text.first_mut() {
        first.push_str(&but);
    }
    if facts.has_wilds() && facts.draft.wild_discard == WildDiscard::Plain {
        text.push("A wild card may be discarded too.".to_owned());
    }
    text.push("The discard pile may be looked through by everybody.".to_owned());
    text
}

/// What it takes to complete a meld with the top card.
fn example(facts: Facts<'_>) -> Vec<String> {
    let Some(kind) = facts.dearest().get(1).copied() else { return Vec::new() };
    let (one, many) = (facts.cards.one(kind), facts.cards.many(kind));
    let size = usize::from(facts.draft.book_size);
    if facts.draft.take.matching != TakeMatch::NaturalPair || size < 5 {
        return Vec::new();
    }
    let start = format!("For example, {} is on top and you hold two {many}.", a(&one));
    let laid = number(size - 3);
    let then = format!(
        "With no meld of {many}, the three become one; with a meld of {laid}, they complete it."
    );
    let third = match (facts.grows(), facts.draft.per_rank.total) {
        (true, _) | (_, Some(1)) => String::new(),
        (false, _) => format!(
            "With a meld of {} you need more: one card completes it, so you must have enough \
             for a new meld with the others.",
            number(size - 1)
        ),
    };
    let bars = matches!(facts.draft.take.count.get(0), Some(TakeCount::Top(_) | TakeCount::All));
    match bars {
        true => vec![start, capital(&then), third],
        false => Vec::new(),
    }
}
