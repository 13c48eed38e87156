//! Reading a record.
//!
//! **Invariant:** the text is taken apart and believed nowhere; every error names its line.

use std::iter::Peekable;
use std::num::NonZero;
use std::str::FromStr;
use std::sync::Arc;

use handfoot_cards::Pack;
use handfoot_rules::{RuleFile, Rules};
use handfoot_view::notation::{parse_action, parse_end, parse_hex};
use handfoot_view::{Lays, Seat, TableOptions, Undo};

use super::write::end_line;
use super::{
    GameRecord, RECORD_BYTES_MAX, RECORD_VERSION, RecordError, RecordProblem, RecordedResult,
    RecordedRound,
};
use crate::shuffle::{Contribution, Seed};

/// The longest part of a line that an error repeats, in characters.
const FOUND_MAX: usize = 40;

const TABLE: &str = "table and its name in quotes";
const UNDO: &str = "undo off, undo own_turn or undo by_consent";
const FIRST_DEALER: &str = "first_dealer and a seat, or first_dealer drawn";
const ROUND: &str = "round, its number, seed and 64 digits, commitment and 64 digits";
const CONTRIBUTION: &str = "contribution, a seat and 64 digits";
const LIFT: &str = "lift, a seat and a number of cards";
const ACTION: &str = "a seat and an action, result, round or end";
const RESULT: &str = "result, went_out or stock_ran_out, a seat, turns and their number";
const POINTS: &str = "points, a team, its points of the round and of all rounds";

pub(super) fn record(text: &str) -> Result<GameRecord, RecordError> {
    if text.len() > RECORD_BYTES_MAX {
        return Err(error(0, RecordProblem::TooLong { bytes: text.len() }));
    }
    version(text.lines().next().unwrap_or_default()).map_err(|problem| error(1, problem))?;
    let end = text.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1);
    let is_bound = text[end..].starts_with("end ") && text[end..] == end_line(&text[..end]);
    if !is_bound {
        return Err(error(text.lines().count(), RecordProblem::Checksum));
    }
    let mut lines = Lines { lines: (1..).zip(text[..end].lines()).peekable(), last: 0 };
    let _ = lines.next_line();
    let rules = Arc::new(rules(&mut lines)?);
    let table_name = table_name(&mut lines)?;
    let options = options(&mut lines)?;
    let first_dealer = first_dealer(&mut lines, &rules)?;
    let mut rounds = vec![round(&mut lines, 1, &rules)?];
    while lines.peek().is_some() {
        rounds.push(round(&mut lines, rounds.len() + 1, &rules)?);
    }
    Ok(GameRecord { text: text.to_owned(), rules, options, table_name, first_dealer, rounds })
}

/// The lines that are left, with their numbers.
struct Lines<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: Peekable<I>,
    /// The number of the line read last.
    last: usize,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Lines<'a, I> {
    fn next_line(&mut self) -> Option<&'a str> {
        let (number, text) = self.lines.next()?;
        self.last = number;
        Some(text)
    }

    fn peek(&mut self) -> Option<&'a str> {
        self.lines.peek().map(|(_, text)| *text)
    }

    /// The next line, or an error if there is none.
    fn must(&mut self, expected: &'static str) -> Result<&'a str, RecordError> {
        let line = self.last + 1;
        let found = String::new();
        self.next_line().ok_or(error(line, RecordProblem::Expected { found, expected }))
    }

    /// An error in the line read last.
    fn expected(&self, text: &str, expected: &'static str) -> RecordError {
        let found = text.chars().take(FOUND_MAX).collect();
        error(self.last, RecordProblem::Expected { found, expected })
    }
}

const fn error(line: usize, problem: RecordProblem) -> RecordError {
    RecordError { line, problem }
}

fn version(first: &str) -> Result<(), RecordProblem> {
    let number = first.strip_prefix("handfoot record ").and_then(|number| number.parse().ok());
    match number.ok_or(RecordProblem::NotARecord)? {
        RECORD_VERSION => Ok(()),
        found => Err(RecordProblem::Version { found }),
    }
}

fn rules<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
) -> Result<Rules, RecordError> {
    let first = lines.must("rules")?;
    if first != "rules" {
        return Err(lines.expected(first, "rules"));
    }
    let start = lines.last;
    let mut toml = String::new();
    loop {
        match lines.must("end rules")? {
            "end rules" => break,
            line => {
                toml.push_str(line);
                toml.push('\n');
            }
        }
    }
    let file = RuleFile::parse(&toml).map_err(|problems| {
        let first = problems.into_iter().next();
        let unknown = RecordProblem::Expected { found: String::new(), expected: "rules" };
        error(start, first.map_or(unknown, RecordProblem::RuleFile))
    })?;
    Rules::new(file.rules).map(|validated| validated.rules).map_err(|problems| {
        let first = problems.into_iter().next();
        let unknown = RecordProblem::Expected { found: String::new(), expected: "rules" };
        error(start, first.map_or(unknown, RecordProblem::Rules))
    })
}

fn table_name<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
) -> Result<String, RecordError> {
    let line = lines.must(TABLE)?;
    let quoted = line.strip_prefix("table \"").and_then(|rest| rest.strip_suffix('"'));
    quoted.and_then(unescaped).ok_or_else(|| lines.expected(line, TABLE))
}

fn options<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
) -> Result<TableOptions, RecordError> {
    let undo = match lines.must(UNDO)? {
        "undo off" => Undo::Off,
        "undo own_turn" => Undo::OwnTurn,
        "undo by_consent" => Undo::ByConsent,
        line => return Err(lines.expected(line, UNDO)),
    };
    let lays = match lines.peek() {
        Some("lays concealed") => {
            let _ = lines.next_line();
            Lays::Concealed
        }
        Some(_) | None => Lays::Open,
    };
    Ok(TableOptions { undo, lays })
}

fn first_dealer<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
    rules: &Rules,
) -> Result<Option<Seat>, RecordError> {
    let line = lines.must(FIRST_DEALER)?;
    match line.strip_prefix("first_dealer ") {
        Some("drawn") => Ok(None),
        Some(number) => match seat(number, rules) {
            Some(seat) => Ok(Some(seat)),
            None => Err(lines.expected(line, FIRST_DEALER)),
        },
        None => Err(lines.expected(line, FIRST_DEALER)),
    }
}

fn seat(number: &str, rules: &Rules) -> Option<Seat> {
    let number = number.parse().ok()?;
    Seat::from_number(number).filter(|seat| seat.index() < rules.seats())
}

fn round<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
    number: usize,
    rules: &Rules,
) -> Result<RecordedRound, RecordError> {
    let line = lines.must(ROUND)?;
    let head = words(line);
    let (seed, commitment) = match head.as_slice() {
        ["round", found, "seed", seed, "commitment", bound] if *found == number.to_string() => {
            parse_hex(seed).zip(parse_hex(bound)).ok_or_else(|| lines.expected(line, ROUND))?
        }
        _ => return Err(lines.expected(line, ROUND)),
    };
    let mut round = RecordedRound {
        line: lines.last,
        seed: Seed::from_bytes(seed),
        commitment,
        contributions: Vec::new(),
        lifts: Vec::new(),
        actions: Vec::new(),
        result: None,
    };
    while let Some(line) = lines.peek() {
        match line.split(' ').next() {
            Some("round") => break,
            Some("contribution") if round.actions.is_empty() && round.result.is_none() => {
                round.contributions.push(contribution(lines, rules)?);
            }
            Some("lift") if round.actions.is_empty() && round.result.is_none() => {
                round.lifts.push(lift(lines, rules)?);
            }
            Some("result") if round.result.is_none() => {
                round.result = Some(result(lines, rules)?);
            }
            Some(_) | None if round.result.is_none() => {
                round.actions.push(action(lines, rules.pack(), rules)?);
            }
            Some(_) | None => {
                let _ = lines.next_line();
                return Err(lines.expected(line, "round or end"));
            }
        }
    }
    Ok(round)
}

fn contribution<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
    rules: &Rules,
) -> Result<Contribution, RecordError> {
    let line = lines.must(CONTRIBUTION)?;
    let found = match words(line).as_slice() {
        ["contribution", number, bytes] => seat(number, rules).zip(parse_hex(bytes)),
        _ => None,
    };
    let contribution = found.map(|(seat, bytes)| Contribution { seat, bytes });
    contribution.ok_or_else(|| lines.expected(line, CONTRIBUTION))
}

fn lift<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
    rules: &Rules,
) -> Result<(usize, Seat, NonZero<u16>), RecordError> {
    let line = lines.must(LIFT)?;
    let found = match words(line).as_slice() {
        ["lift", who, cards] => seat(who, rules).zip(number(cards)),
        _ => None,
    };
    let (seat, cards) = found.ok_or_else(|| lines.expected(line, LIFT))?;
    Ok((lines.last, seat, cards))
}

fn action<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
    pack: &Pack,
    rules: &Rules,
) -> Result<(usize, Seat, handfoot_view::Action), RecordError> {
    let line = lines.must(ACTION)?;
    let parts = line.split_once(' ').and_then(|(number, rest)| Some((seat(number, rules)?, rest)));
    let (seat, rest) = parts.ok_or_else(|| lines.expected(line, ACTION))?;
    let action = parse_action(rest, pack)
        .map_err(|problem| error(lines.last, RecordProblem::Action(problem)))?;
    Ok((lines.last, seat, action))
}

fn result<'a>(
    lines: &mut Lines<'a, impl Iterator<Item = (usize, &'a str)>>,
    rules: &Rules,
) -> Result<RecordedResult, RecordError> {
    let line = lines.must(RESULT)?;
    let found = match words(line).as_slice() {
        ["result", how, seat, "turns", turns] => parse_end(how, seat).zip(number(turns)),
        _ => None,
    };
    let (how, turns) = found.ok_or_else(|| lines.expected(line, RESULT))?;
    let result_line = lines.last;
    let mut points = Vec::with_capacity(rules.teams());
    for team in 1..=rules.teams() {
        let line = lines.must(POINTS)?;
        let found = match words(line).as_slice() {
            ["points", found, score, total] if *found == team.to_string() => {
                number(score).zip(number(total))
            }
            _ => None,
        };
        points.push(found.ok_or_else(|| lines.expected(line, POINTS))?);
    }
    Ok(RecordedResult { line: result_line, how, turns, points })
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// A name as it was before it was put in quotes.
fn unescaped(text: &str) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '"' {
            return None;
        }
        if c != '\\' {
            name.push(c);
            continue;
        }
        match rest.next()? {
            c @ ('"' | '\\') => name.push(c),
            'u' => {
                let code = rest.as_str().strip_prefix('{')?.split_once('}')?;
                rest = code.1.chars();
                name.push(u32::from_str_radix(code.0, 16).ok().and_then(char::from_u32)?);
            }
            _ => return None,
        }
    }
    Some(name)
}
