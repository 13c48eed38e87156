//! What differs with the number of players.
//!
//! **Invariant:** the numbers of each table are asked of its own rules.

use handfoot_rules::{PackChoice, Rules};

use super::{Page, row};
use crate::facts::{Facts, Sides};
use crate::subject::Subject;
use crate::words::{capital, listed, number};

pub(super) fn page(subject: &Subject) -> Page {
    let mut page = Page::default();
    if subject.tables.is_empty() {
        return page;
    }
    page.say(["The same rules can be played at these tables:"]);
    let standard = Facts::of(&subject.rules).is_standard();
    let mut head = row(["Players", "Played", "Cards", "Stock", "a player"]);
    if standard {
        head.insert(2, "Decks".to_owned());
    }
    let mut rows = vec![head];
    rows.extend(subject.tables.iter().map(table));
    page.table(rows);
    page.say([
        "The stock is what is left after the deal of the first round.".to_owned(),
        alone(subject),
    ]);
    page
}

fn table(rules: &Rules) -> Vec<String> {
    let facts = Facts::of(rules);
    let played = match facts.sides {
        Sides::Alone => "alone".to_owned(),
        Sides::Pairs => "in pairs".to_owned(),
        Sides::Teams => format!("in teams of {}", number(usize::from(facts.draft.team_size))),
    };
    let cards = rules.pack().cards().len();
    let stock = facts.stock(0);
    let mut cells = vec![rules.seats().to_string(), played];
    if facts.draft.pack == PackChoice::Standard {
        let deck = 52 + usize::from(facts.draft.jokers_per_deck);
        cells.push((cards / deck).to_string());
    }
    cells.extend([cards.to_string(), stock.to_string(), (stock / rules.seats()).to_string()]);
    cells
}

/// What falls away where everybody plays alone.
fn alone(subject: &Subject) -> String {
    let facts = || subject.tables.iter().map(Facts::of);
    let teams = |facts: &Facts<'_>| facts.sides != Sides::Alone;
    let Some(team) = facts().find(teams) else { return String::new() };
    if !facts().any(|facts| !teams(&facts)) || !(team.asks() || team.waits()) {
        return String::new();
    }
    let mut gone = Vec::new();
    if team.asks() {
        gone.push("nobody is asked before going out");
    }
    if team.waits() {
        gone.push("nobody has to wait for anybody else's foot");
    }
    format!("{}.", capital(&format!("where everybody plays alone, {}", listed(&gone, "and"))))
}
