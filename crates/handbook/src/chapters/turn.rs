//! What a turn consists of, step by step.
//!
//! **Invariant:** an outline; what each step needs is told in its own chapter.

use handfoot_rules::{FootAfterDiscard, FootAfterMeld, LastDiscard, RedThreeMode};

use super::Page;
use crate::facts::{Facts, Packets};
use crate::words::{counted, listed};

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    page.say(["The turn passes clockwise. A turn goes like this:"]);
    let mut steps = Vec::new();
    let waits = facts.packets != Packets::Hand
        && !facts.is_first_book()
        && facts.draft.foot.after_discard == FootAfterDiscard::StartOfNextTurn;
    if waits {
        steps.push(format!(
            "If you have no card left from the turn before, take up your {}.",
            facts.next_packet()
        ));
    }
    if facts.red_mode() == Some(RedThreeMode::Bonus) {
        steps.push(format!("Lay every {} you hold, and draw another card for each.", facts.red()));
    }
    let draw = facts.phrase(|round| counted(usize::from(facts.rules.round(round).draw), "card"));
    steps.push(format!(
        "Draw from the stock ({draw}), or take the discard pile instead. You must do one of the \
         two, you cannot do both, and you lay nothing before it."
    ));
    steps.push(format!(
        "Lay new melds and add to {} melds, as often as you like, or not at all.",
        facts.our()
    ));
    steps.push("Discard one card, face up. That ends your turn.".to_owned());
    page.steps(steps);
    page.say([
        without_discard(facts),
        format!(
            "Cards on the table stay where they are, and nobody adds to the melds of another {}.",
            facts.side()
        ),
        "All that is laid in one go is judged together: it must be right when it is complete, and \
         it may use only cards you hold at that moment and, when you take the discard pile, its \
         top card."
            .to_owned(),
    ]);
    page
}

/// When a turn ends otherwise.
fn without_discard(facts: Facts<'_>) -> String {
    let mut ways = Vec::new();
    if facts.draft.last_discard != LastDiscard::Required {
        ways.push("by going out without one");
    }
    let ends = facts.packets != Packets::Hand
        && !facts.is_first_book()
        && facts.draft.foot.after_meld == FootAfterMeld::EndTurn;
    if ends {
        ways.push("by taking up a packet");
    }
    ways.push("if you have too few cards left to be allowed to discard");
    format!("You cannot end a turn without a discard, except {}.", listed(&ways, "or"))
}
