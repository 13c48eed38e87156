//! Going out: books, team-mates, the last discard, and what must be kept until then. D.1 #27 to
//! #30, #32.
//!
//! **Invariant:** says what is asked for, not how it scores, but for the one bonus.

use handfoot_rules::{LastDiscard, Need, PartnerCondition};

use super::Page;
use crate::facts::{Facts, Packets, Sides};
use crate::words::{capital, counted, listed, number, points};

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let last = facts.last_packet();
    page.say([
        format!(
            "The round ends when somebody goes out, which is to get rid of every card of the \
             {last}."
        ),
        match facts.packets {
            Packets::Hand => String::new(),
            Packets::HandAndFoot | Packets::More => {
                format!("Only a player who has taken up the {last} can go out.")
            }
        },
        match facts.draft.out_bonus {
            0 => "There is no bonus for going out.".to_owned(),
            bonus => format!(
                "Going out pays {}{}.",
                points(bonus),
                match facts.sides {
                    Sides::Alone => "",
                    Sides::Pairs | Sides::Teams => " to the team",
                }
            ),
        },
    ]);
    page.say(["For that, all of this must be so:"]);
    page.list(conditions(facts));
    if facts.asks() {
        page.say(question(facts));
    }
    page.say(keep(facts));
    page
}

fn conditions(facts: Facts<'_>) -> Vec<String> {
    let mut points = vec![books(facts)];
    if facts.waits() {
        points.push(partner(facts));
    }
    if facts.asks() {
        points.push(match facts.sides {
            Sides::Alone | Sides::Pairs => "Your partner was asked and has said yes.".to_owned(),
            Sides::Teams => "Your team-mates were asked and have all said yes.".to_owned(),
        });
    }
    points.push(last_discard(facts));
    points
}

fn books(facts: Facts<'_>) -> String {
    let us = capital(facts.us());
    let groups = facts.by_round(|round| facts.rules.round(round).need);
    let phrase = match groups.as_slice() {
        [(_, need)] => need_words(facts, *need),
        several => {
            let parts: Vec<String> = several
                .iter()
                .map(|(when, need)| format!("{when} {}", need_words(facts, *need)))
                .collect();
            parts.join("; ")
        }
    };
    let has = match facts.sides {
        Sides::Alone => "have",
        Sides::Pairs | Sides::Teams => "has",
    };
    if groups.iter().all(|(_, need)| need.is_met()) {
        return "No books are needed.".to_owned();
    }
    format!("{us} {has} these books, counting those just completed: {phrase}.")
}

/// `two clean ones, two dirty ones and a wild one`.
fn need_words(facts: Facts<'_>, need: Need) -> String {
    let mut parts = Vec::new();
    let sevens = super::melds::special_ranks(facts, "or");
    if need.sevens > 0 {
        parts.push(format!(
            "{} of {sevens} without wild cards",
            counted(usize::from(need.sevens), "book")
        ));
    }
    let other = if need.sevens > 0 { "other " } else { "" };
    for (count, kind, more) in
        [(need.clean, "clean", other), (need.dirty, "dirty", ""), (need.wild, "wild", "")]
    {
        if count > 0 {
            parts.push(format!("{} {more}{kind}", number(usize::from(count))));
        }
    }
    let named = listed(&parts, "and");
    let sum = need.clean + need.dirty + need.wild + need.sevens;
    match (parts.is_empty(), need.total > sum) {
        (true, true) => format!("any {}", number(usize::from(need.total))),
        (true, false) => "none".to_owned(),
        (false, true) => format!("{named}, and {} in all", number(usize::from(need.total))),
        (false, false) => named,
    }
}

fn partner(facts: Facts<'_>) -> String {
    let mates = capital(facts.mates());
    let last = facts.last_packet();
    match facts.draft.partner {
        PartnerCondition::None => String::new(),
        PartnerCondition::InFoot => format!("{mates} has taken up the {last}."),
        PartnerCondition::PartOfTurn => format!(
            "{mates} has taken up the {last} and has melded or discarded at least one card from \
             it."
        ),
        PartnerCondition::FullTurn => format!(
            "{mates} has taken up the {last} and has since played a whole turn from it, from the \
             draw to the discard."
        ),
    }
}

fn last_discard(facts: Facts<'_>) -> String {
    match facts.draft.last_discard {
        LastDiscard::Optional => {
            "You meld all your cards, or all but one, which you discard.".to_owned()
        }
        LastDiscard::Required => {
            "You meld all your cards but one, and discard that one.".to_owned()
        }
        LastDiscard::Forbidden => {
            "You meld all your cards: the last one must not be discarded.".to_owned()
        }
    }
}

fn question(facts: Facts<'_>) -> Vec<String> {
    let who = match facts.sides {
        Sides::Alone | Sides::Pairs => "Ask your partner \u{201c}may I go out?\u{201d} in your \
                                        turn, when you could go out at once."
            .to_owned(),
        Sides::Teams => "Ask your team-mates \u{201c}may I go out?\u{201d} in your turn, when you \
                         could go out at once. They answer one after another, in the order of \
                         their turns; the first no settles it."
            .to_owned(),
    };
    vec![
        who,
        "After a yes you must go out in this turn, in the way you had in mind.".to_owned(),
        "After a no you cannot go out in this turn, and you cannot ask again before your next."
            .to_owned(),
        "Before you have drawn you may ask only if you would begin by taking the discard pile, \
         and after that only while you hold two cards or more."
            .to_owned(),
    ]
}

/// The cards that must be kept without the right to go out.
fn keep(facts: Facts<'_>) -> Vec<String> {
    let last = facts.last_packet();
    let mut text = vec![format!(
        "As long as you may not go out, you cannot get rid of all cards of the {last}: keep two \
         when you have laid or taken the discard pile, and one when you have discarded."
    )];
    match facts.draft.last_discard {
        LastDiscard::Optional => {}
        LastDiscard::Required => text.push(
            "When you may go out, keep one card after laying, for the last discard.".to_owned(),
        ),
        LastDiscard::Forbidden => text.push(
            "When you may go out, lay everything or keep two cards, since you may not discard \
             your last one."
                .to_owned(),
        ),
    }
    text.push(
        "Whoever has too few cards left to discard under this rule ends the turn without a \
         discard; that is not going out."
            .to_owned(),
    );
    text
}
