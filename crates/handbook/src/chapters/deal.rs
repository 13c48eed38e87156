//! Who deals what, and how the discard pile starts. D.1 #5 to #7, B88 to B90.
//!
//! **Invariant:** ends where the first turn begins.

use handfoot_rules::{Buried, ExactPickModel, FirstUpcard, UpcardDeal, WildDiscard, WildTop};

use super::Page;
use crate::facts::{Facts, Packets, Sides};
use crate::words::{capital, counted, digits, listed, number, points};

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    page.say([
        "One player deals. Who deals first is agreed, or left to chance; with each round the deal \
         moves on to the next seat clockwise. The player after the dealer begins.",
    ]);
    page.say(packets(facts));
    page.say([upcard(facts)]);
    page.say([stock(facts)]);
    page.say(lift(facts));
    page
}

fn packets(facts: Facts<'_>) -> Vec<String> {
    let sizes = |round: usize| facts.rules.round(round).packets.clone();
    let phrase = facts.phrase(|round| packet_words(&sizes(round)));
    let dealt = format!("Everybody is dealt {phrase}, all face down.");
    let unseen = match facts.packets {
        Packets::Hand => "Look at your hand; nobody else may.".to_owned(),
        Packets::HandAndFoot => {
            "Look at your hand; nobody else may. Nobody looks at a foot before it is taken up, \
             not even its owner."
                .to_owned()
        }
        Packets::More => "Look at your hand; nobody else may. Nobody looks at a later packet \
                          before it is taken up, not even its owner."
            .to_owned(),
    };
    vec![dealt, unseen]
}

/// `a hand of 13 cards and a foot of 11`.
fn packet_words(sizes: &[u8]) -> String {
    let last = sizes.len().saturating_sub(1);
    let word = |(index, size): (usize, &u8)| match index {
        0 => format!("a hand of {}", counted(usize::from(*size), "card")),
        index if index == last => format!("a foot of {}", number(usize::from(*size))),
        _ => format!("a packet of {}", number(usize::from(*size))),
    };
    let words: Vec<String> = sizes.iter().enumerate().map(word).collect();
    listed(&words, "and")
}

fn upcard(facts: Facts<'_>) -> String {
    if facts.draft.upcard.deal == UpcardDeal::None {
        return "No card is turned up: the discard pile starts empty, so that whoever begins has \
                to draw."
            .to_owned();
    }
    let bury = &facts.draft.upcard.bury;
    let sorts = [
        (Buried::Wild, facts.has_wilds(), "a wild card".to_owned()),
        (Buried::RedThree, facts.red_mode().is_some(), crate::words::a(&facts.red())),
        (Buried::BlackThree, facts.has_blacks(), crate::words::a(&facts.black())),
    ];
    let here = sorts.into_iter().filter(|(_, is_there, _)| *is_there);
    let (buried, left): (Vec<_>, Vec<_>) = here.partition(|(sort, _, _)| bury.contains(sort));
    let mut text = "The next card is turned up and starts the discard pile.".to_owned();
    if !buried.is_empty() {
        let names: Vec<&str> = buried.iter().map(|(_, _, name)| name.as_str()).collect();
        text.push_str(&format!(
            " If it is {}, it goes back into the stock at a place left to chance, and another is \
             turned.",
            listed(&names, "or")
        ));
    }
    for (sort, _, name) in &left {
        text.push(' ');
        text.push_str(&stays(facts, *sort, name));
    }
    text
}

/// What it means that a special card is left on top.
fn stays(facts: Facts<'_>, sort: Buried, name: &str) -> String {
    let name = capital(name);
    let is_wild = sort == Buried::Wild;
    let may_be_taken = match facts.draft.take.wild_top {
        WildTop::MatchingPair => is_wild && facts.rules.wild_meld_allowed(),
        WildTop::Barred => false,
    };
    let is_free = facts.draft.take.first_upcard == FirstUpcard::Free;
    let freezes = match facts.draft.wild_discard {
        WildDiscard::Freeze => sort != Buried::BlackThree,
        WildDiscard::RemoveDiscards if is_wild => {
            return format!("{name} counts as discarded: it is taken out of play.");
        }
        WildDiscard::RemoveDiscards | WildDiscard::Plain => false,
    };
    match (freezes, may_be_taken, is_free) {
        (true, true, _) => format!("{name} stays, and freezes the discard pile."),
        (true, false, _) => {
            format!("{name} stays: it bars the discard pile, and freezes it as well.")
        }
        (false, true, _) => {
            format!("{name} stays, and only two of its own kind can take it.")
        }
        (false, false, true) => format!("{name} stays."),
        (false, false, false) => format!("{name} stays, and whoever begins cannot take it."),
    }
}

fn stock(facts: Facts<'_>) -> String {
    let seats = facts.rules.seats();
    let phrase = facts.phrase(|round| {
        let stock = facts.stock(round);
        let cards = digits(i64::try_from(stock).unwrap_or(i64::MAX));
        format!("{cards} cards, which is {} for each player,", stock / seats)
    });
    format!("All other cards are the stock: {}.", phrase.trim_end_matches(','))
}

fn lift(facts: Facts<'_>) -> Vec<String> {
    let bonus = facts.draft.exact_pick.bonus;
    if bonus == 0 {
        return Vec::new();
    }
    let cards = facts.phrase(|round| {
        let sizes = &facts.rules.round(round).packets;
        sizes.iter().map(|size| usize::from(*size)).sum::<usize>().to_string()
    });
    let team = match facts.sides {
        Sides::Alone => "",
        Sides::Pairs | Sides::Teams => " for the team",
    };
    let prize = points(bonus);
    match facts.draft.exact_pick.model {
        ExactPickModel::Off => Vec::new(),
        ExactPickModel::Entered => vec![format!(
            "Before the deal everybody lifts cards from the pack in one go. Whoever lifts exactly \
             {cards} earns {prize}{team}."
        )],
        ExactPickModel::Chance(chance) => vec![format!(
            "There is a prize for lifting exactly {cards} cards in one go, {prize}{team}. Nobody \
             lifts cards here: in every round each player is given the prize with a chance of {} \
             percent.",
            percent(chance)
        )],
    }
}

/// A chance as a number of percent, with as many places as it needs.
fn percent(chance: f64) -> String {
    let text = format!("{:.4}", chance * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
