//! When the foot, or the next packet, is taken up. D.1 #26.
//!
//! **Invariant:** says nothing about the books that are needed later.

use handfoot_rules::{FootAfterDiscard, FootAfterMeld, RedThreeMode};

use super::Page;
use crate::facts::{Facts, Packets, Sides};

pub(super) fn title(facts: Facts<'_>) -> String {
    match facts.packets {
        Packets::Hand | Packets::HandAndFoot => "The foot".to_owned(),
        Packets::More => "The packets after the hand".to_owned(),
    }
}

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    if facts.packets == Packets::Hand {
        return page;
    }
    if facts.is_first_book() {
        page.say(first_book(facts));
        return page;
    }
    let (next, early) = (facts.next_packet(), facts.early_packet());
    page.say([
        format!("You take up your {next} when no card of your {early} is left."),
        match facts.packets {
            Packets::More => "The packets are taken up one after another, each in the same way, \
                              several in one turn if it comes to that."
                .to_owned(),
            Packets::Hand | Packets::HandAndFoot => String::new(),
        },
    ]);
    page.say([after_meld(facts), after_discard(facts)]);
    page.say([
        "Cards that you get by taking the discard pile count: if there are any, your hand was not \
         empty."
            .to_owned(),
        match facts.red_mode() {
            Some(RedThreeMode::Bonus) => format!(
                "If your last card is {} that cannot be replaced, laying it empties the hand too.",
                crate::words::a(&facts.red())
            ),
            Some(RedThreeMode::Penalty | RedThreeMode::Blocker) | None => String::new(),
        },
        format!("As long as a {next} lies there, all of it counts against {}.", facts.us()),
    ]);
    page
}

fn after_meld(facts: Facts<'_>) -> String {
    let (next, early) = (facts.next_packet(), facts.early_packet());
    match facts.draft.foot.after_meld {
        FootAfterMeld::Continue => format!(
            "If you lay the last card of your {early}, take up your {next} at once and go on with \
             it in the same turn. You do not draw again, and the turn ends with a discard from it."
        ),
        FootAfterMeld::EndTurn => format!(
            "If you lay the last card of your {early}, take up your {next}; your turn is over \
             without a discard, and you play from it in your next turn."
        ),
    }
}

fn after_discard(facts: Facts<'_>) -> String {
    let (next, early) = (facts.next_packet(), facts.early_packet());
    match facts.draft.foot.after_discard {
        FootAfterDiscard::StartOfNextTurn => format!(
            "If you discard the last card of your {early}, your turn is over, and you take up \
             your {next} when your next turn begins, before you draw."
        ),
        FootAfterDiscard::EndOfTurn => format!(
            "If you discard the last card of your {early}, take up your {next} at once; you play \
             from it in your next turn."
        ),
        FootAfterDiscard::NotAllowed => format!(
            "You may not discard the last card of your {early}: keep one after the discard, and \
             two before it, until you can lay them all."
        ),
    }
}

fn first_book(facts: Facts<'_>) -> Vec<String> {
    let own = match facts.sides {
        Sides::Alone => "your first book",
        Sides::Pairs | Sides::Teams => {
            "the first book that you complete yourself, whoever of your team began it"
        }
    };
    vec![
        format!(
            "You take up your foot with {own}: its cards join those of your hand, and your \
                 turn goes on."
        ),
        match facts.sides {
            Sides::Alone => String::new(),
            Sides::Pairs | Sides::Teams => {
                "A book that a team-mate completes does nothing for you.".to_owned()
            }
        },
        "Before that you may not let your hand run out: keep two cards when you have laid and one \
         when you have discarded. Only the lay-down that completes your first book may use your \
         last card."
            .to_owned(),
        format!("As long as a foot lies there, all of it counts against {}.", facts.us()),
    ]
}
