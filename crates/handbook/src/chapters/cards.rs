//! Who plays, with which cards, and what each card is worth. D.1 #1 to #4, #8, #36.
//!
//! **Invariant:** says nothing about how cards are dealt or played.

use handfoot_cards::{Kind, Role};
use handfoot_rules::{Decks, MeldKind, PackChoice};

use super::{Page, row};
use crate::facts::{Facts, Packets, Sides};
use crate::words::{capital, counted, digits, listed, number};

/// Who plays, and the words that the other chapters use.
pub(super) fn players(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    page.say(seats(facts));
    page.say([pack(facts)]);
    page.say(["These words are used:"]);
    page.list(words(facts));
    page
}

fn seats(facts: Facts<'_>) -> Vec<String> {
    let (players, teams) = (facts.rules.seats(), facts.rules.teams());
    let size = usize::from(facts.draft.team_size);
    let team = |team: usize| {
        let seats: Vec<String> =
            (0..players).filter(|seat| seat % teams == team).map(|s| (s + 1).to_string()).collect();
        format!("seats {}", listed(&seats, "and"))
    };
    let all: Vec<String> = (0..teams).map(team).collect();
    let together = match teams {
        2 => format!("{} play against {}.", capital(&all[0]), all[1]),
        _ => format!("{} play together.", capital(&all.join("; "))),
    };
    let who = capital(&number(players));
    match facts.sides {
        Sides::Alone => vec![format!(
            "{who} play, everybody alone. The seats are numbered clockwise round the table."
        )],
        Sides::Pairs => vec![
            format!("{who} play in {} pairs.", number(teams)),
            "The seats are numbered clockwise, and partners sit opposite each other.".to_owned(),
            together,
        ],
        Sides::Teams => vec![
            format!("{who} play in {} teams of {}.", number(teams), number(size)),
            "The seats are numbered clockwise, and the teams take turns round the table."
                .to_owned(),
            together,
        ],
    }
}

fn pack(facts: Facts<'_>) -> String {
    let cards = digits(i64::try_from(facts.rules.pack().cards().len()).unwrap_or(i64::MAX));
    match &facts.draft.pack {
        PackChoice::Standard => {
            let jokers = match facts.draft.jokers_per_deck {
                0 => "without jokers".to_owned(),
                1 => "with one joker in each".to_owned(),
                more => format!("with {} jokers in each", number(usize::from(more))),
            };
            let (decks, how) = decks(facts);
            let decks = match decks {
                1 => "One deck of 52 cards is used".to_owned(),
                _ => format!("{} decks of 52 cards are used", capital(&number(decks))),
            };
            format!("{decks}, {jokers}: {cards} cards in all. {how}")
        }
        PackChoice::Kinds(_) => format!("A pack of its own is used, with {cards} cards in all."),
    }
}

/// The decks at this table, and how their number follows from the players.
fn decks(facts: Facts<'_>) -> (usize, String) {
    match facts.draft.decks {
        Decks::Fixed(decks) => {
            (usize::from(decks), "That is so for every number of players.".to_owned())
        }
        Decks::PerPlayer(more) => {
            let how = match more {
                0 => "There are as many decks as players.".to_owned(),
                more => format!(
                    "There {} {} more than there are players.",
                    if more == 1 { "is" } else { "are" },
                    counted(usize::from(more), "deck")
                ),
            };
            (facts.rules.seats() + usize::from(more), how)
        }
    }
}

fn words(facts: Facts<'_>) -> Vec<String> {
    let mut words = Vec::new();
    let size = number(usize::from(facts.draft.book_size));
    let naturals = ranks(facts);
    words.push(match facts.is_standard() {
        true => format!("A natural card is one of the ranks {naturals}. Suits do not matter."),
        false => format!("A natural card is one of {naturals}."),
    });
    if let Some(wilds) = facts.cards.many_of(Role::Wild) {
        words.push(match facts.takes_wilds() {
            true => {
                format!("{} are wild cards: they may stand for natural cards.", capital(&wilds))
            }
            false => format!("{} are wild cards.", capital(&wilds)),
        });
    }
    let wild = facts.book_kinds().contains(&MeldKind::Wild);
    words.push(format!(
        "A meld is a set of cards of one rank{}, laid face up on the table.",
        if wild { ", or of wild cards alone" } else { "" }
    ));
    let kinds = match (facts.book_kinds().contains(&MeldKind::Dirty), wild) {
        (false, false) => "It is called clean.",
        (false, true) => "It is clean without wild cards and wild with nothing else.",
        (true, false) => "It is clean without wild cards and dirty with one or more.",
        (true, true) => {
            "It is clean without wild cards, dirty with natural and wild cards, and wild with \
             wild cards alone."
        }
    };
    words.push(format!("A book is a meld that has reached {size} cards. {kinds}"));
    words.push(match facts.packets {
        Packets::Hand => "Your hand is the cards you hold.".to_owned(),
        Packets::HandAndFoot => {
            "Your hand is the packet you play first, your foot the one you play after it."
                .to_owned()
        }
        Packets::More => "You have several packets and play them one after another. The first is \
                          your hand, the last your foot."
            .to_owned(),
    });
    words.push(
        "The stock is the cards that are drawn from. The top card of the discard pile is the one \
         discarded last."
            .to_owned(),
    );
    words
}

/// The natural ranks: `four to ace`.
fn ranks(facts: Facts<'_>) -> String {
    let kinds = facts.cards.kinds(Role::Natural);
    match (facts.is_standard(), kinds.first(), kinds.last()) {
        (true, Some(first), Some(last)) => {
            format!("{} to {}", facts.cards.one(*first), facts.cards.one(*last))
        }
        (_, _, _) => {
            let names: Vec<String> = kinds.iter().map(|kind| facts.cards.one(*kind)).collect();
            listed(&names, "and")
        }
    }
}

/// What each card counts.
pub(super) fn values(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let mut rows = vec![row(["Card", "In the pack", "Points"])];
    let mut kinds: Vec<Kind> = facts.cards.kinds(Role::Wild);
    kinds.reverse();
    let mut naturals = facts.cards.kinds(Role::Natural);
    naturals.reverse();
    kinds.extend(naturals);
    for group in alike(facts, &kinds) {
        rows.push(values_row(facts, &group));
    }
    for kind in facts.cards.kinds(Role::BlackThree) {
        rows.push(values_row(facts, &[kind]));
    }
    for kind in facts.cards.kinds(Role::RedThree) {
        let number = facts.cards.number(kind).to_string();
        rows.push(vec![facts.cards.one(kind), number, "see below".to_owned()]);
    }
    page.table(rows);
    let side = match facts.sides {
        Sides::Alone => "you",
        Sides::Pairs | Sides::Teams => "your team",
    };
    let threes = match facts.red_mode() {
        None => String::new(),
        Some(_) => {
            format!("{} have points of their own: see the chapter on them.", capital(&facts.reds()))
        }
    };
    page.say([
        format!("A card you have melded counts these points for {side}."),
        format!("A card you still hold when the round ends counts as many against {side}."),
        threes,
    ]);
    page
}

/// Neighbours with equal points and numbers.
fn alike(facts: Facts<'_>, kinds: &[Kind]) -> Vec<Vec<Kind>> {
    let mut groups: Vec<Vec<Kind>> = Vec::new();
    let key =
        |kind: Kind| (facts.rules.value(kind), facts.cards.number(kind), facts.rules.role(kind));
    for kind in kinds {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| key(*last) == key(*kind)) => {
                group.push(*kind);
            }
            Some(_) | None => groups.push(vec![*kind]),
        }
    }
    groups
}

fn values_row(facts: Facts<'_>, group: &[Kind]) -> Vec<String> {
    let name = |kind: &Kind| facts.cards.one(*kind);
    let names = match group {
        [one] => name(one),
        [.., one, other] if group.len() == 2 => format!("{}, {}", name(other), name(one)),
        [first, .., last] => format!("{} to {}", name(last), name(first)),
        [] => String::new(),
    };
    let kind = group.first().copied();
    let count = kind.map_or(0, |kind| facts.cards.number(kind));
    let count = match group.len() {
        1 => count.to_string(),
        _ => format!("{count} each"),
    };
    let value = kind.map_or(0, |kind| facts.rules.value(kind));
    vec![names, count, digits(i64::from(value))]
}
