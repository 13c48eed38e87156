//! The table and the own cards, drawn with letters.
//!
//! **Invariant:** drawn is what the person's seat knows.

use handfoot_cards::{Card, Cards};
use handfoot_client::Known;
use handfoot_rules::MeldKind;
use handfoot_view::{Cap, MeldId, MeldRank, MeldShape, Seat, Team};

use crate::exit::Stop;
use crate::names::{books_text, counted, seats_of, team_name, thousands};
use crate::out::Out;

/// Characters of a line of cards.
const WIDTH: usize = 72;

/// Draws the table.
pub(super) fn table(out: &mut Out, known: &Known) -> Result<(), Stop> {
    let (table, rules) = (&known.view.table, &known.rules);
    out.line("")?;
    let upcard = table.upcard().map(|card| rules.pack().card_name(card).to_string());
    let frozen = match table.is_frozen(rules) {
        true => ", frozen",
        false => "",
    };
    let upcard = upcard.map_or("no discards".to_owned(), |upcard| {
        format!("{}, top {upcard}{frozen}", counted(table.discards.len(), "discard"))
    });
    out.headline(&format!(
        "Round {}, turn {}: stock {}, {upcard}",
        table.round_index + 1,
        table.turns,
        table.stock,
    ))?;
    for team in Team::all(rules.teams()) {
        self::team(out, known, team)?;
    }
    Ok(())
}

fn team(out: &mut Out, known: &Known, team: Team) -> Result<(), Stop> {
    let (table, rules) = (&known.view.table, &known.rules);
    let state = &table.teams[team.index()];
    let seats: Vec<String> = seats_of(team, rules).map(|seat| seat_text(known, seat)).collect();
    let points = thousands(i64::from(state.total));
    let books = books_text(state.books(rules)).map_or(String::new(), |text| format!(", {text}"));
    let threes = match state.red_threes_laid() {
        0 => String::new(),
        count => format!(", {}", counted(usize::from(count), "red three")),
    };
    let name = match rules.draft().team_size {
        1 => String::new(),
        _ => format!("{}: ", team_name(team, rules)),
    };
    let line = format!("  {name}{}; {points} points{books}{threes}", seats.join(" and "));
    match known.view.seat.map(|seat| table.team_of(seat)) == Some(team) {
        true => out.headline(&line)?,
        false => out.line(line)?,
    }
    if !state.has_opened() {
        return out.line("      nothing laid");
    }
    for (meld, (id, shape)) in state.melds.iter().zip(state.shapes()) {
        out.line(meld_line(known, id, shape, &meld.cards(rules)))?;
    }
    Ok(())
}

fn meld_line(known: &Known, id: MeldId, shape: MeldShape, cards: &Cards) -> String {
    let rules = &known.rules;
    let kind = match shape.kind() {
        MeldKind::Clean => "clean",
        MeldKind::Dirty => "dirty",
        MeldKind::Wild => "wild",
    };
    let rank = match shape.rank {
        MeldRank::Natural(rank) => rules.pack().kind_name(rank),
        MeldRank::Wild => "wild",
    };
    let number = format!("m{}", id.number());
    let size = match shape.is_book(rules) {
        true => format!("{kind} book"),
        false => format!("{kind}, {} of {}", shape.size(), rules.draft().book_size),
    };
    let cap = match shape.cap {
        Cap::Bare => "",
        Cap::Capped => ", with a red three on top",
    };
    format!("      {number:<4}{rank:<5}{size:<15}{}{cap}", rules.pack().write(cards))
}

fn seat_text(known: &Known, seat: Seat) -> String {
    let (table, rules) = (&known.view.table, &known.rules);
    let name = match known.view.seat == Some(seat) {
        true => "you".to_owned(),
        false => format!("seat {seat}"),
    };
    let state = &table.seats[seat.index()];
    let packet = match table.in_foot(seat, rules) {
        true => "foot",
        false => "hand",
    };
    let turn = match table.to_act() == Some(seat) {
        true => "*",
        false => "",
    };
    format!("{turn}{name} ({}, {packet})", counted(usize::from(state.held), "card"))
}

/// Draws the own cards, by rank.
pub(super) fn own_cards(out: &mut Out, known: &Known) -> Result<(), Stop> {
    let Some(view) = known.view.lend(&known.rules) else { return Ok(()) };
    let packet = match view.in_foot() {
        true => "foot",
        false => "hand",
    };
    out.headline(&format!("Your {packet}, {}:", counted(view.own.len(), "card")))?;
    for line in by_rank(known, view.own) {
        out.line(format!("  {line}"))?;
    }
    Ok(())
}

/// Cards with ` | ` between ranks, in lines that fit a terminal.
fn by_rank(known: &Known, own: &Cards) -> Vec<String> {
    let pack = known.rules.pack();
    let cards: Vec<Card> = own.iter().collect();
    let mut lines: Vec<String> = Vec::new();
    for rank in cards.chunk_by(|one, other| one.kind() == other.kind()) {
        let rank: Cards = rank.iter().copied().collect();
        let text = pack.write(&rank).to_string();
        match lines.last_mut() {
            Some(line) if line.len() + text.len() + 3 <= WIDTH => {
                line.push_str(" | ");
                line.push_str(&text);
            }
            Some(_) | None => lines.push(text),
        }
    }
    lines
}
