//! Writing a record.
//!
//! **Invariant:** equal games give equal bytes.

use std::sync::Arc;

use handfoot_view::notation::{end_text, hex_text, write_action};
use handfoot_view::{Lays, RoundResult, Undo};
use sha2::{Digest, Sha256};

use super::{GameRecord, RECORD_VERSION, RecordedResult, RecordedRound, points};
use crate::game::{Game, LoggedRound};
use crate::shuffle::commitment;

pub(super) fn record(game: &Game) -> GameRecord {
    let rules = game.rules();
    let mut text = format!("handfoot record {RECORD_VERSION}\nrules\n");
    text.push_str(rules.draft().to_toml().trim_end());
    text.push_str("\nend rules\n");
    text.push_str(&format!("table \"{}\"\n", escaped(&game.table_name)));
    text.push_str(match game.public().options.undo {
        Undo::Off => "undo off\n",
        Undo::OwnTurn => "undo own_turn\n",
        Undo::ByConsent => "undo by_consent\n",
    });
    match game.public().options.lays {
        // The usual choice is not written, as in records made before there was another.
        Lays::Open => {}
        Lays::Concealed => text.push_str("lays concealed\n"),
    }
    match game.first_dealer {
        Some(seat) => text.push_str(&format!("first_dealer {seat}\n")),
        None => text.push_str("first_dealer drawn\n"),
    }
    let mut rounds = Vec::with_capacity(game.log.len());
    for (index, logged) in game.log.iter().enumerate() {
        rounds.push(round(&mut text, game, index, logged));
    }
    text.push_str(&end_line(&text));
    GameRecord {
        text,
        rules: Arc::clone(rules),
        options: game.public().options,
        table_name: game.table_name.clone(),
        first_dealer: game.first_dealer,
        rounds,
    }
}

fn round(text: &mut String, game: &Game, index: usize, logged: &LoggedRound) -> RecordedRound {
    let pack = game.rules().pack();
    let mut line = text.matches('\n').count() + 1;
    let first_line = line;
    let round_index = u16::try_from(index).unwrap_or(u16::MAX);
    let bound = commitment(&logged.seed, &game.table_name, round_index);
    let (seed, hash) = (hex_text(&logged.seed.reveal()), hex_text(&bound));
    text.push_str(&format!("round {} seed {seed} commitment {hash}\n", index + 1));
    for contribution in &logged.contributions {
        line += 1;
        let bytes = hex_text(&contribution.bytes);
        text.push_str(&format!("contribution {} {bytes}\n", contribution.seat));
    }
    let mut lifts = Vec::with_capacity(logged.lifts.len());
    for (seat, cards) in &logged.lifts {
        line += 1;
        text.push_str(&format!("lift {seat} {cards}\n"));
        lifts.push((line, *seat, *cards));
    }
    let mut actions = Vec::new();
    for (seat, action) in logged.actions.iter() {
        line += 1;
        text.push_str(&format!("{seat} {}\n", write_action(&action, pack)));
        actions.push((line, seat, action));
    }
    let result = game.history.get(index).map(|found| {
        let points = points(found, game);
        text.push_str(&result(found, &points));
        RecordedResult { line: line + 1, how: found.how, turns: found.turns, points }
    });
    RecordedRound {
        line: first_line,
        seed: logged.seed,
        commitment: bound,
        contributions: logged.contributions.clone(),
        lifts,
        actions,
        result,
    }
}

/// The lines of a result.
pub(super) fn result(result: &RoundResult, points: &[(i32, i32)]) -> String {
    let mut text = format!("result {} turns {}\n", end_text(result.how), result.turns);
    for (team, (score, total)) in (1..).zip(points) {
        text.push_str(&format!("points {team} {score} {total}\n"));
    }
    text
}

/// The last line of a record, for the text before it.
pub(super) fn end_line(text: &str) -> String {
    format!("end {}\n", hex_text(&Sha256::digest(text.as_bytes()).into()))
}

/// A name that stands in quotes on one line.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => text.push(c),
        }
    }
    text
}
