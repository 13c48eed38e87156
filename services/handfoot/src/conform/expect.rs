//! Facts of a position, one a line: `seat 1 held 7`, `stock 118`, `score 1 total 4080`.
//!
//! **Invariant:** a fact that is not understood is a failure, never a pass.

use handfoot_cards::{Card, CardWord, Cards};
use handfoot_engine::{Game, Viewer};
use handfoot_rules::ScoreLine;
use handfoot_view::notation::write_view;
use handfoot_view::{FootStage, Seat, Team, TeamTable};

use super::parse::{short, split};
use super::run::{begins_with, seat};

/// Keys whose line of a position is compared as it is written there.
const AS_WRITTEN: [&str; 12] = [
    "turn",
    "round_over",
    "game_over",
    "round",
    "dealer",
    "turns",
    "buried",
    "undo",
    "removed",
    "refills",
    "added",
    "passes",
];

const FACTS: &str = "seat, team, meld, stock, aside, discards, upcard, undoable, score, leads, \
                     turn, round_over, game_over, round, dealer, turns, buried, removed, \
                     refills, added or passes";

/// Whether a fact holds.
pub(super) fn fact(game: &Game, fact: &str) -> Result<(), String> {
    let (key, rest) = split(fact);
    let table = game.public();
    match key {
        "seat" => of_seat(game, rest),
        "team" => of_team(game, rest),
        "meld" => meld(game, rest),
        "stock" => number(rest, i64::from(table.stock)),
        "aside" => number(rest, i64::from(table.aside)),
        "undoable" => number(rest, i64::from(table.undoable())),
        "discards" => {
            let cards: Vec<Card> = table.discards.iter().rev().copied().collect();
            in_order(game, rest, &cards)
        }
        "upcard" => {
            let cards: Vec<Card> = table.upcard().into_iter().collect();
            in_order(game, rest, &cards)
        }
        "score" => score(game, rest),
        "leads" => {
            let leaders: Vec<String> = table.leaders().map(|team| team.to_string()).collect();
            same(rest, &leaders.join(" "))
        }
        _ if AS_WRITTEN.contains(&key) => as_written(game, key, fact),
        _ => Err(format!("expected {FACTS}, found {}", short(key))),
    }
}

fn as_written(game: &Game, key: &str, fact: &str) -> Result<(), String> {
    let text = write_view(&game.table_view(Viewer::Spectator), game.rules());
    // Where the game stands is one fact under three names.
    let keys: &[&str] = match key {
        "turn" | "round_over" | "game_over" => &["turn", "round_over", "game_over"],
        _ => &[key],
    };
    let found = text.lines().find(|line| keys.contains(&split(line).0));
    // A position has no line for what is not there.
    let none = format!("{key} -");
    let line = found.unwrap_or(&none);
    match begins_with(line, fact) {
        true => Ok(()),
        false => Err(format!("found {line}")),
    }
}

fn of_seat(game: &Game, text: &str) -> Result<(), String> {
    const WHAT: &str = "held, plays, holds, has, known, lifted or stage";
    let (number_text, rest) = split(text);
    let seat = seat(number_text, game.rules())?;
    let public = &game.public().seats[seat.index()];
    let view = game.view(seat).as_ref();
    let own: Vec<Card> = view.own.iter().collect();
    let (what, rest) = split(rest);
    match what {
        "held" => number(rest, i64::from(public.held)),
        "plays" => same(rest, packet(game, seat)),
        "holds" => among(game, rest, &own, Others::None),
        "has" => among(game, rest, &own, Others::Any),
        "known" => {
            let known = handfoot_cards::Kind::all()
                .zip(public.known)
                .flat_map(|(kind, count)| std::iter::repeat_n(kind.card(0), usize::from(count)));
            among(game, rest, &known.collect::<Vec<Card>>(), Others::None)
        }
        "lifted" => number(rest, public.lifted.map_or(0, |cards| i64::from(cards.get()))),
        "stage" => same(rest, stage(public.foot)),
        _ => Err(format!("expected {WHAT}, found {}", short(what))),
    }
}

fn packet(game: &Game, seat: Seat) -> &'static str {
    let table = game.public();
    match (table.seats[seat.index()].packet, table.in_foot(seat, game.rules())) {
        (0, _) => "hand",
        (_, true) => "foot",
        (_, false) => "packet",
    }
}

const fn stage(foot: FootStage) -> &'static str {
    match foot {
        FootStage::Waiting => "waiting",
        FootStage::Pending => "pending",
        FootStage::Fresh => "fresh",
        FootStage::TakenUp => "taken_up",
        FootStage::Begun => "begun",
        FootStage::Played => "played",
        FootStage::FullTurn => "full_turn",
    }
}

fn team_of<'a>(game: &'a Game, number: &str) -> Result<(Team, &'a TeamTable), String> {
    let teams = &game.public().teams;
    let team = number.parse().ok().and_then(Team::from_number);
    team.and_then(|team| Some((team, teams.get(team.index())?)))
        .ok_or_else(|| format!("expected a team, 1 to {}, found {}", teams.len(), short(number)))
}

fn of_team(game: &Game, text: &str) -> Result<(), String> {
    const WHAT: &str = "opened, not opened, total, red, melds or books";
    let (number_text, rest) = split(text);
    let (_, team) = team_of(game, number_text)?;
    let (what, rest) = split(rest);
    match (what, rest) {
        ("opened", "") => opened(team, true),
        ("not", "opened") => opened(team, false),
        ("total", _) => number(rest, i64::from(team.total)),
        ("melds", _) => number(rest, i64::try_from(team.melds.len()).unwrap_or(i64::MAX)),
        ("red", _) => {
            let faces = game.rules().pack().red_three_faces();
            let red = faces.iter().zip(team.red_threes);
            let red = red.flat_map(|(card, count)| std::iter::repeat_n(*card, usize::from(count)));
            among(game, rest, &red.collect::<Vec<Card>>(), Others::None)
        }
        ("books", _) => {
            let books = team.books(game.rules());
            same(rest, &format!("clean {} dirty {} wild {}", books.clean, books.dirty, books.wild))
        }
        _ => Err(format!("expected {WHAT}, found {}", short(what))),
    }
}

fn opened(team: &TeamTable, wanted: bool) -> Result<(), String> {
    match team.has_opened() == wanted {
        true => Ok(()),
        false if wanted => Err("found that the team has not opened".to_owned()),
        false => Err("found that the team has opened".to_owned()),
    }
}

fn meld(game: &Game, text: &str) -> Result<(), String> {
    let (team_text, rest) = split(text);
    let (_, team) = team_of(game, team_text)?;
    let (number_text, cards) = split(rest);
    let index = number_text.strip_prefix('m').and_then(|number| number.parse::<usize>().ok());
    let meld = index.and_then(|number| team.melds.get(number.checked_sub(1)?));
    let Some(meld) = meld else {
        let n_melds = team.melds.len();
        return Err(format!("expected a meld, m1 to m{n_melds}, found {}", short(number_text)));
    };
    let found: Vec<Card> = meld.cards(game.rules()).iter().collect();
    among(game, cards, &found, Others::None)
}

fn score(game: &Game, text: &str) -> Result<(), String> {
    let (team_text, rest) = split(text);
    let (team, _) = team_of(game, team_text)?;
    let Some(result) = game.history().last() else {
        return Err("found no round that is over".to_owned());
    };
    let score = result.scores[team.index()];
    let (name, rest) = split(rest);
    if name == "total" {
        return number(rest, i64::from(score.total()));
    }
    let line = ScoreLine::ALL.into_iter().find(|line| line.name() == name);
    let Some(line) = line else {
        let names: Vec<&str> = ScoreLine::ALL.into_iter().map(ScoreLine::name).collect();
        return Err(format!("expected total or {}, found {}", names.join(", "), short(name)));
    };
    let found = score.line(line);
    same(rest, &format!("{} {}", found.count, found.points))
}

fn number(text: &str, found: i64) -> Result<(), String> {
    match text.parse::<i64>() {
        Ok(expected) if expected == found => Ok(()),
        Ok(_) => Err(format!("found {found}")),
        Err(_) => Err(format!("expected a number, found {}", short(text))),
    }
}

fn same(expected: &str, found: &str) -> Result<(), String> {
    let is_same = expected.split_whitespace().eq(found.split_whitespace());
    if is_same { Ok(()) } else { Err(format!("found {found}")) }
}

/// Whether other cards than those named may be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Any,
    None,
}

/// What one word of an expected list asks for.
#[derive(Clone, Copy)]
enum Asked {
    Card(CardWord),
    Any,
}

fn asked(game: &Game, text: &str) -> Result<Vec<Asked>, String> {
    let mut list = Vec::new();
    for word in text.split_whitespace().filter(|word| *word != "-") {
        let (asked, count) = match word.strip_prefix('?') {
            Some("") => (Asked::Any, 1),
            Some(count) => match count.strip_prefix('x').and_then(|count| count.parse().ok()) {
                Some(count) => (Asked::Any, count),
                None => return Err(format!("expected ?x and a number, found {}", short(word))),
            },
            None => match game.rules().pack().read_word(word) {
                Ok((card, count)) => (Asked::Card(card), count),
                Err(problem) => return Err(format!("{}: {problem}", short(word))),
            },
        };
        list.extend(std::iter::repeat_n(asked, usize::from(count)));
    }
    Ok(list)
}

/// Whether these cards are the ones named, in whatever order.
fn among(game: &Game, text: &str, found: &[Card], others: Others) -> Result<(), String> {
    let pack = game.rules().pack();
    let all: Cards = found.iter().copied().collect();
    let mut left = all.clone();
    let list = asked(game, text)?;
    let mut is_there = true;
    // Cards with their suits first: a kind may be met by any that is left.
    for asked in &list {
        if let Asked::Card(CardWord::Face(card)) = asked {
            is_there &= left.remove(*card);
        }
    }
    let mut any = 0;
    for asked in &list {
        match asked {
            Asked::Card(CardWord::Kind(kind)) => {
                is_there &= left.lowest(*kind).is_some_and(|card| left.remove(card));
            }
            Asked::Any => any += 1,
            Asked::Card(CardWord::Face(_)) => {}
        }
    }
    let counts = match others {
        Others::Any => left.len() >= any,
        Others::None => left.len() == any,
    };
    match is_there && counts {
        true => Ok(()),
        false => Err(format!("found {}", pack.write(&all))),
    }
}

/// Whether these cards are the ones named, in this order.
fn in_order(game: &Game, text: &str, found: &[Card]) -> Result<(), String> {
    let list = asked(game, text)?;
    let fits = |(asked, card): (&Asked, &Card)| match asked {
        Asked::Card(CardWord::Face(face)) => face == card,
        Asked::Card(CardWord::Kind(kind)) => *kind == card.kind(),
        Asked::Any => true,
    };
    if list.len() == found.len() && list.iter().zip(found).all(fits) {
        return Ok(());
    }
    let pack = game.rules().pack();
    let names: Vec<String> = found.iter().map(|card| pack.card_name(*card).to_string()).collect();
    Err(format!("found {}", if names.is_empty() { "-".to_owned() } else { names.join(" ") }))
}
