//! Red and black threes, or the cards that play their part. D.1 #9 to #13.
//!
//! **Invariant:** what a three does on the discard pile is told there too, but in one word.

use handfoot_cards::Role;
use handfoot_rules::{BlackThreeMeld, BookNeeded, FromDiscards, NoStock, RedThreeMode};

use super::Page;
use crate::facts::{Facts, Packets, Sides};
use crate::words::{a, capital, number, points};

pub(super) fn title(facts: Facts<'_>) -> String {
    match (facts.red_mode().is_some(), facts.has_blacks(), facts.is_standard()) {
        (true, true, true) => "Threes".to_owned(),
        (true, true, false) => format!("{} and {}", facts.reds(), facts.blacks()),
        (true, false, _) => capital(&facts.reds()),
        (false, _, _) => capital(&facts.blacks()),
    }
}

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    match facts.red_mode() {
        None => {}
        Some(RedThreeMode::Bonus) => {
            page.say(bonus(facts));
            page.say(bonus_points(facts));
            page.say(unreplaced(facts));
        }
        Some(RedThreeMode::Penalty) => page.say(penalty(facts)),
        Some(RedThreeMode::Blocker) => {
            page.say(blocker(facts));
            page.say(bonus_points(facts));
        }
    }
    if facts.has_blacks() {
        page.say(black(facts));
    }
    page
}

fn bonus(facts: Facts<'_>) -> Vec<String> {
    let (red, reds) = (facts.red(), facts.reds());
    let foot = match (facts.packets, facts.is_first_book()) {
        (Packets::Hand, _) => String::new(),
        (_, true) => " and when you take up a packet that holds one".to_owned(),
        (_, false) => match facts.draft.foot.after_discard {
            handfoot_rules::FootAfterDiscard::EndOfTurn => " and when you take up a packet that \
                holds one, though a packet taken up at the end of a turn keeps its own until your \
                next turn"
                .to_owned(),
            handfoot_rules::FootAfterDiscard::StartOfNextTurn
            | handfoot_rules::FootAfterDiscard::NotAllowed => {
                " and when you take up a packet that holds one".to_owned()
            }
        },
    };
    let comma = if foot.is_empty() { " and" } else { "," };
    vec![
        format!("{} is a bonus card.", capital(&a(&red))),
        format!(
            "It is laid face up as soon as it can be, and replaced by a card from the stock: at \
             the start of your first turn if you were dealt it{comma} when you draw it{foot}."
        ),
        "If the new card is another one, it is laid and replaced in the same way.".to_owned(),
        format!(
            "{} are no melds: they do not open for {}, they do not count towards the first \
             lay-down, and they are never discarded.",
            capital(&reds),
            facts.us()
        ),
    ]
}

/// Points of those laid or added, and of those held.
fn bonus_points(facts: Facts<'_>) -> Vec<String> {
    let red = facts.draft.red_three;
    let laid = red.laid.unwrap_or(0);
    let (word, count) = match facts.red_mode() {
        Some(RedThreeMode::Blocker) => ("added", "added to books"),
        Some(RedThreeMode::Bonus | RedThreeMode::Penalty) | None => ("laid", "laid"),
    };
    let mut text = vec![format!("Each one {word} counts {} for {}.", points(laid), facts.us())];
    if let Some(all) = red.all {
        let number = number(facts.cards.number_of(Role::RedThree));
        text.push(format!(
            "A {} that has all {number} of them {count} scores {} for them together, and not for \
             each.",
            facts.side(),
            points(all)
        ));
    }
    if let Some(needs) = red.needs {
        text.push(format!(
            "If {} {} when the round ends, all these points count against it and not for it.",
            match facts.sides {
                Sides::Alone => "a player has",
                Sides::Pairs | Sides::Teams => "a team has",
            },
            lacking(facts, needs)
        ));
    }
    text.push(held(facts));
    text
}

fn held(facts: Facts<'_>) -> String {
    let held = facts.draft.red_three.held;
    let packets = match facts.packets {
        Packets::Hand => "",
        Packets::HandAndFoot => ", in the hand or in the foot, taken up or not,",
        Packets::More => ", in whatever packet, taken up or not,",
    };
    match held {
        0 => format!("One that is still held{packets} when the round ends counts nothing."),
        held if held < 0 => format!(
            "Each one that is still held{packets} when the round ends counts {} against {}.",
            points(held.saturating_neg()),
            facts.us()
        ),
        held => format!(
            "Each one that is still held{packets} when the round ends counts {} for {}.",
            points(held),
            facts.us()
        ),
    }
}

/// `no book of sevens`, as the object of a sentence.
fn lacking(facts: Facts<'_>, needs: BookNeeded) -> String {
    match needs {
        BookNeeded::Any => "no book".to_owned(),
        BookNeeded::Clean => "no clean book".to_owned(),
        BookNeeded::Dirty => "no dirty book".to_owned(),
        BookNeeded::Wild => "no wild book".to_owned(),
        BookNeeded::Sevens => {
            format!("no clean book of {}", super::melds::special_ranks(facts, "or"))
        }
    }
}

fn unreplaced(facts: Facts<'_>) -> Vec<String> {
    let no_stock = match facts.draft.red_three.no_stock {
        NoStock::EndInDrawStep => {
            "If the stock has no card left to replace one that you drew in the draw, the round \
             ends at once. One that comes to light at another time is laid without being \
             replaced, and play goes on."
        }
        NoStock::EndAlways => {
            "If the stock has no card left to replace one, the round ends at once, whenever that \
             happens."
        }
        NoStock::Skip => {
            "If the stock has no card left to replace one, it is laid all the same, and play goes \
             on."
        }
    };
    let from_discards = match facts.draft.red_three.from_discards {
        _ if !facts.reds_reach_discards() => "",
        FromDiscards::Replaced => {
            "One that comes to you with the discard pile is laid and replaced as any other."
        }
        FromDiscards::NotReplaced => {
            "One that comes to you with the discard pile is laid, but not replaced."
        }
    };
    vec![no_stock.to_owned(), from_discards.to_owned()]
}

fn penalty(facts: Facts<'_>) -> Vec<String> {
    let red = facts.red();
    vec![
        format!("{} is a burden.", capital(&a(&red))),
        "It is never melded, and it stays among your cards until you discard it.".to_owned(),
        "While it is on top of the discard pile, nobody can take the pile.".to_owned(),
        "Whoever takes a discard pile that holds one lower down gets it with the rest.".to_owned(),
        held(facts),
    ]
}

fn blocker(facts: Facts<'_>) -> Vec<String> {
    let red = facts.red();
    vec![
        format!("{} can be discarded like any other card.", capital(&a(&red))),
        "While it is on top of the discard pile, nobody can take the pile.".to_owned(),
        format!(
            "Or you add it to a complete clean book of {}, one to each book. It is no card of \
             that book, and the book takes no wild card afterwards.",
            match facts.sides {
                Sides::Alone => "your own",
                Sides::Pairs | Sides::Teams => "your team",
            }
        ),
    ]
}

fn black(facts: Facts<'_>) -> Vec<String> {
    let (black, blacks) = (facts.black(), facts.blacks());
    let rules = facts.draft.black_three;
    let barred =
        format!("While {} is on top of the discard pile, nobody can take the pile.", a(&black));
    let mut text = Vec::new();
    match rules.meld {
        BlackThreeMeld::Never => {
            text.push(format!(
                "{} is never melded: you get rid of it by discarding it.",
                capital(&a(&black))
            ));
            text.push(barred);
            return text;
        }
        BlackThreeMeld::Set => text.push(format!(
            "{} may be melded among themselves, {} or more, without wild cards.",
            capital(&blacks),
            number(usize::from(facts.draft.meld_min))
        )),
        BlackThreeMeld::SetWhenGoingOut => text.push(format!(
            "{} may be melded among themselves, {} or more, without wild cards, but only in the \
             lay-down with which you go out.",
            capital(&blacks),
            number(usize::from(facts.draft.meld_min))
        )),
    }
    if let Some(value) = rules.melded_value {
        text.push(match value {
            value if value < 0 => format!(
                "Each one melded counts {} against {}, in an opening too.",
                points(value.saturating_neg()),
                facts.us()
            ),
            value => format!("Each one melded counts {} for {}.", points(value), facts.us()),
        });
    }
    let bonus = rules.book_bonus.unwrap_or(facts.draft.book_bonus.clean);
    text.push(format!(
        "{} of them are a book, which counts as a clean one and pays {}.",
        capital(&number(usize::from(facts.draft.book_size))),
        points(bonus)
    ));
    text.push(barred);
    text
}
