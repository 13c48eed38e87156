//! `handfoot record`: what a record says, and whether it is true.
//!
//! **Invariant:** whatever is printed was replayed by the engine first.

use handfoot_engine::{
    Events, Game, GameRecord, RECORD_BYTES_MAX, RecordError, Viewer, replay, replay_watched, verify,
};
use handfoot_view::notation::{end_text, hex_text, write_event};
use handfoot_view::{Event, Seat, Team};
use sha2::{Digest, Sha256};

use crate::cli::{RecordCommand, RecordFile};
use crate::exit::{Exit, Stop, failed};
use crate::names::{counted, team_name, thousands};
use crate::out::Out;
use crate::scores::{self, Format};
use crate::setup::read_text;
use crate::sheet::sheet;

/// Shows, verifies or replays.
pub(crate) fn run(command: &RecordCommand) -> Result<Exit, Stop> {
    match command {
        RecordCommand::Show(shown) => match shown.scores {
            None => show(&shown.record),
            Some(format) => scores(&shown.record, format),
        },
        RecordCommand::Verify(file) => verified(file),
        RecordCommand::Replay(file) => replayed(file),
    }
}

fn read(file: &RecordFile) -> Result<GameRecord, Stop> {
    let text = read_text(&file.file, RECORD_BYTES_MAX)?;
    GameRecord::parse(&text).map_err(|error| {
        let what = format!("{} is no record that can be read: {error}", file.file.display());
        let next = "a file that was written by handfoot demo --record FILE and not changed since";
        failed(Exit::BadInput, what, next)
    })
}

/// A record that can be read and is not true.
fn untrue(file: &RecordFile, error: &RecordError) -> Stop {
    let what = format!("{} does not hold: {error}", file.file.display());
    failed(Exit::CheckFailed, what, "the line that is named: what it says cannot have happened")
}

fn show(file: &RecordFile) -> Result<Exit, Stop> {
    let record = read(file)?;
    let mut out = Out::stdout();
    let mut stopped = None;
    let watched = replay_watched(&record, |game, events| {
        if stopped.is_none() {
            stopped = tell(&mut out, game, events).err();
        }
    });
    watched.map_err(|error| untrue(file, &error))?;
    match stopped {
        Some(stop) => Err(stop),
        None => Ok(Exit::Ok),
    }
}

/// Prints the score sheet of the whole game.
fn scores(file: &RecordFile, format: Format) -> Result<Exit, Stop> {
    let game = replay(&read(file)?).map_err(|error| untrue(file, &error))?;
    let sheet = game.score_sheet();
    scores::print(&mut Out::stdout(), &sheet, game.rules(), format)?;
    Ok(Exit::Ok)
}

/// Prints what happened as its actor saw it, and a sheet when a round has ended.
fn tell(out: &mut Out, game: &Game, events: &Events) -> Result<(), Stop> {
    let rules = game.rules();
    for (index, public) in events.seen_by(Viewer::Spectator).enumerate() {
        // A record is open to all: every event is told as the seat that it concerns saw it.
        let viewer = concerned(public.event()).map_or(Viewer::Spectator, Viewer::Seat);
        let Some(seen) = events.seen_by(viewer).nth(index) else { continue };
        let event = seen.event();
        out.line(write_event(event, rules.pack()))?;
        if let Event::RoundEnded { result } = event {
            out.line("")?;
            for line in sheet(result, game.public(), rules) {
                out.line(line)?;
            }
            out.line("")?;
        }
    }
    Ok(())
}

/// The seat that alone sees all of an event; none if everybody does.
const fn concerned(event: &Event) -> Option<Seat> {
    match event {
        Event::HandDealt { seat, .. }
        | Event::Drew { seat, .. }
        | Event::LaidConcealed { seat, .. }
        | Event::FootTakenUp { seat, .. } => Some(*seat),
        Event::RoundBegan { .. }
        | Event::Lifted { .. }
        | Event::DiscardsRemoved { .. }
        | Event::StockRefilled { .. }
        | Event::TurnBegan { .. }
        | Event::RedThreesLaid { .. }
        | Event::DiscardsTaken { .. }
        | Event::Laid { .. }
        | Event::LaysUndone { .. }
        | Event::LaysShown { .. }
        | Event::UndoAsked { .. }
        | Event::UndoAnswered { .. }
        | Event::AskedToGoOut { .. }
        | Event::Answered { .. }
        | Event::Discarded { .. }
        | Event::TurnPassed { .. }
        | Event::RoundEnded { .. } => None,
    }
}

fn verified(file: &RecordFile) -> Result<Exit, Stop> {
    let record = read(file)?;
    let found = verify(&record).map_err(|error| untrue(file, &error))?;
    let mut out = Out::stdout();
    for (number, round) in (1..).zip(&found.rounds) {
        let how = round.how.map_or("not over".to_owned(), end_text);
        let actions = counted(round.n_actions, "action");
        out.line(format!("  round {number}: deal fits its commitment, {actions} legal, {how}"))?;
    }
    let totals: Vec<String> =
        found.totals.iter().map(|points| thousands(i64::from(*points))).collect();
    let over = match found.is_over {
        true => "the game is over",
        false => "the game is not over",
    };
    out.line(format!("{} holds: {over}, totals {}", file.file.display(), totals.join(" / ")))?;
    Ok(Exit::Ok)
}

fn replayed(file: &RecordFile) -> Result<Exit, Stop> {
    let record = read(file)?;
    let game = replay(&record).map_err(|error| untrue(file, &error))?;
    let mut out = Out::stdout();
    let rules = game.rules();
    for result in game.history() {
        let scores: Vec<String> =
            result.scores.iter().map(|score| thousands(i64::from(score.total()))).collect();
        out.line(format!(
            "  round {}: {}, {} turns, {}",
            result.round_index + 1,
            end_text(result.how),
            result.turns,
            scores.join(" / "),
        ))?;
    }
    for team in Team::all(rules.teams()) {
        let total = thousands(i64::from(game.public().teams[team.index()].total));
        out.line(format!("  {:<8}{total:>10}", team_name(team, rules)))?;
    }
    let hash = Sha256::digest(game.position().reveal().as_bytes());
    out.line(format!("  position {}", hex_text(&hash.into())))?;
    Ok(Exit::Ok)
}
