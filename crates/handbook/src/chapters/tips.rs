//! Advice that the sources give, as far as it fits the rule set. A.12.
//!
//! **Invariant:** none of it is a rule, and none of it speaks of what the rule set does not have.

use handfoot_rules::{
    BlackThreeMeld, MeldKind, PartnerCondition, RedThreeMode, TakeMatch, WildDiscard, WildTop,
};

use super::Page;
use crate::facts::{Facts, Packets, Sides};
use crate::words::{capital, counted};

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let mut tips = Vec::new();
    threes(facts, &mut tips);
    foot(facts, &mut tips);
    wilds(facts, &mut tips);
    discards(facts, &mut tips);
    if facts.sides != Sides::Alone {
        tips.push("Watch what your partner discards and melds, and work together.".to_owned());
    }
    if let Some(dearest) = facts.dearest().first() {
        tips.push(format!(
            "Go for the ranks that count more, such as {}, when the cards run your way.",
            facts.cards.many(*dearest)
        ));
    }
    page.say(["None of this is a rule."]);
    page.list(tips);
    page
}

fn threes(facts: Facts<'_>, tips: &mut Vec<String>) {
    if facts.red_mode() == Some(RedThreeMode::Penalty) && facts.draft.red_three.held < 0 {
        tips.push(format!("Discard {} at once.", facts.reds()));
    }
    if facts.has_blacks() {
        tips.push(format!(
            "Discard {} when the discard pile is large: it keeps the next player from taking it.",
            crate::words::a(&facts.black())
        ));
        if facts.draft.black_three.meld == BlackThreeMeld::Never {
            tips.push(format!(
                "A discard pile full of {} may not be worth taking.",
                facts.blacks()
            ));
        }
    }
}

fn foot(facts: Facts<'_>, tips: &mut Vec<String>) {
    if facts.packets == Packets::Hand {
        return;
    }
    let cards = usize::from(facts.rules.round(0).packets.last().copied().unwrap_or(0));
    let waits = facts.draft.partner != PartnerCondition::None;
    let partner = match (facts.sides, waits) {
        (Sides::Alone, _) | (_, false) => "",
        (Sides::Pairs, true) => ", and your partner cannot go out before you play from it",
        (Sides::Teams, true) => ", and your team-mates cannot go out before you play from it",
    };
    tips.push(format!(
        "Reach your {} soon: it gives you {} more to lay{partner}.",
        facts.last_packet(),
        counted(cards, "card")
    ));
    if facts.sides != Sides::Alone && !facts.is_first_book() {
        tips.push(
            "In the foot before your partner? Then do not be quick to complete melds: that makes \
             it harder for your partner to get there. It is different when the opponents have few \
             cards left, since only complete books pay a bonus when they go out."
                .to_owned(),
        );
    }
}

fn wilds(facts: Facts<'_>, tips: &mut Vec<String>) {
    if !facts.has_wilds() {
        return;
    }
    let bonus = facts.draft.book_bonus;
    let wild = facts.book_kinds().contains(&MeldKind::Wild);
    if wild && bonus.wild > bonus.clean.max(bonus.dirty) {
        tips.push("Complete a wild book as soon as you can, for its high value.".to_owned());
    }
    if facts.takes_wilds() {
        tips.push(
            "Use no more wild cards in dirty melds than you must, but keep one for the meld that \
             takes you to your foot or out."
                .to_owned(),
        );
    }
    if facts.draft.wild_discard == WildDiscard::Plain
        && facts.draft.take.wild_top == WildTop::MatchingPair
    {
        tips.push("Discarding a wild card is allowed, but seldom wise.".to_owned());
    }
}

fn discards(facts: Facts<'_>, tips: &mut Vec<String>) {
    match facts.draft.take.matching {
        TakeMatch::NaturalPair | TakeMatch::PairOrAddToMeld | TakeMatch::NaturalPlusWild => {
            tips.push(format!(
                "{} of ranks that you think the others will discard, so as to take the discard \
                 pile.",
                capital("keep a few pairs")
            ));
        }
        TakeMatch::OneNatural => {}
    }
}
