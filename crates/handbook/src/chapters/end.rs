//! When the stock runs out, when the game ends, and how long both take. D.1 #31 and #35.
//!
//! **Invariant:** who wins is told here and nowhere else.

use handfoot_rules::{StockShort, StockThen, StockTrigger, Tie, WildDiscard};

use super::Page;
use crate::expected::{Expected, Range, SECONDS_A_TURN};
use crate::facts::Facts;
use crate::words::{counted, digits, number};

/// What a stock does that runs out.
pub(super) fn stock(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let rules = facts.draft.stock_out;
    let removed = match facts.draft.wild_discard {
        WildDiscard::RemoveDiscards if facts.has_wilds() => {
            "First, all cards that were taken out of play are shuffled and put under the stock."
        }
        WildDiscard::RemoveDiscards | WildDiscard::Plain | WildDiscard::Freeze => "",
    };
    let several = facts.by_round(|round| facts.rules.round(round).draw).iter().any(|(_, n)| *n > 1);
    let short = match (rules.short, several) {
        (_, false) => "",
        (StockShort::End, true) => {
            "Too few cards are the same as none: they are not drawn, and the stock has run out."
        }
        (StockShort::DrawRest, true) => {
            "If there are some cards but too few, you draw what is left and play on."
        }
    };
    page.say([removed, short]);
    page.say(then(facts));
    page.say([trigger(facts)]);
    page.say([
        "Nobody has gone out then, so nobody gets the bonus for it; everything else is scored as \
         always.",
    ]);
    page
}

fn then(facts: Facts<'_>) -> Vec<String> {
    let rules = facts.draft.stock_out;
    let taking = "As long as everybody can take the discard pile and wants to, play goes on \
                  without a stock.";
    match rules.then {
        StockThen::EndRound => vec![
            "The round ends when somebody wants to draw and cannot.".to_owned(),
            taking.to_owned(),
        ],
        StockThen::ReshuffleDiscards => vec![
            "When somebody wants to draw and cannot, the discard pile without its top card is \
             shuffled and becomes the stock."
                .to_owned(),
            "If there is nothing to shuffle, the round ends.".to_owned(),
        ],
        StockThen::AddDeck => {
            let most = usize::from(rules.max_added.unwrap_or(0));
            vec![
                "When somebody wants to draw and cannot, another deck is shuffled and put under \
                 what is left of the stock."
                    .to_owned(),
                format!(
                    "That happens {} in a round at most; after that, the round ends.",
                    match most {
                        1 => "once".to_owned(),
                        2 => "twice".to_owned(),
                        more => format!("{} times", number(more)),
                    }
                ),
            ]
        }
        StockThen::PlayOn => vec![
            "When the stock has run out, whoever cannot or will not take the discard pile passes, \
             and play goes on."
                .to_owned(),
            "The round ends when everybody in turn has passed.".to_owned(),
        ],
    }
}

fn trigger(facts: Facts<'_>) -> String {
    match facts.draft.stock_out.trigger {
        StockTrigger::CannotDraw => String::new(),
        StockTrigger::Empty => "The round also ends with the turn in which the last card leaves \
                                the stock; whoever goes out in that very turn still does."
            .to_owned(),
    }
}

/// When the game ends, and who has won.
pub(super) fn game(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let length = facts.draft.length;
    let side = facts.side();
    let rounds = length.rounds.map(|rounds| counted(usize::from(rounds), "round"));
    let target = length.target.map(|points| digits(i64::from(points)));
    let ends = match (rounds, target) {
        (Some(rounds), None) => format!("The game has {rounds}."),
        (None, Some(target)) => {
            format!("The game ends after the round in which a {side} has reached {target} points.")
        }
        (Some(rounds), Some(target)) => format!(
            "The game has {rounds}, but it ends earlier if a {side} has reached {target} points \
             after a round."
        ),
        (None, None) => String::new(),
    };
    let tie = match length.tie {
        Tie::ExtraRound => {
            "If the highest total is shared, all play another round with the numbers of the last \
             one, and again if need be."
        }
        Tie::Shared => "If the highest total is shared, so is the win.",
    };
    page.say([
        ends,
        format!("The {side} with the highest total wins; totals may be below zero."),
        tie.to_owned(),
    ]);
    page
}

/// How many turns and minutes to expect.
pub(super) fn length(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let expected = Expected::of(facts.rules);
    let turns = expected.turns_per_round;
    let each = turns.likely / facts.rules.seats();
    let rounds = match expected.rounds {
        Range { least, most, .. } if least == most => format!("With {}", counted(least, "round")),
        Range { least, likely, most } => {
            format!("With {} to {} rounds, likely {}", number(least), number(most), number(likely))
        }
    };
    page.say([
        format!(
            "A round takes about {} turns on average, {} for each player; groups differ, so expect \
             {} to {}.",
            turns.likely, each, turns.least, turns.most
        ),
        format!(
            "{rounds}, a game takes about {} at {SECONDS_A_TURN} seconds a turn, or {} to {}.",
            time(expected.minutes.likely),
            time(expected.minutes.least),
            time(expected.minutes.most)
        ),
        "These numbers are an estimate from the size of the stock and the books that are needed."
            .to_owned(),
    ]);
    page
}

/// Minutes as hours and quarters: `2 hours`, `1 hour 15 minutes`.
fn time(minutes: usize) -> String {
    let quarters = (minutes + 7) / 15 * 15;
    let (hours, rest) = (quarters / 60, quarters % 60);
    let hours = match hours {
        0 => String::new(),
        1 => "1 hour".to_owned(),
        more => format!("{more} hours"),
    };
    match (hours.is_empty(), rest) {
        (true, 0) => format!("{minutes} minutes"),
        (true, rest) => format!("{rest} minutes"),
        (false, 0) => hours,
        (false, rest) => format!("{hours} {rest} minutes"),
    }
}
