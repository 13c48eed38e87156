//! `handfoot rules explain`: a rule set in plain language.
//!
//! **Invariant:** not a word is written here; the handbook says it.

use handfoot_handbook::{Expected, Figures, Handbook, Range, Section, Subject};
use serde::Serialize;

use crate::exit::{Exit, Stop, failed};
use crate::out::Out;
use crate::setup::{self, Found};

#[derive(Serialize)]
struct Report<'a> {
    title: &'a str,
    players: u8,
    team_size: u8,
    figures: FiguresReport,
    sections: Vec<SectionReport>,
}

#[derive(Serialize)]
struct SectionReport {
    id: &'static str,
    title: String,
    text: String,
}

#[derive(Serialize)]
struct FiguresReport {
    /// None for a pack of its own.
    decks: Option<usize>,
    pack_cards: usize,
    kinds: Vec<KindReport>,
    /// Every round whose deal differs from that of the round before.
    rounds: Vec<RoundReport>,
    turns_per_round: RangeReport,
    rounds_per_game: RangeReport,
    minutes: RangeReport,
    seconds_per_turn: usize,
}

#[derive(Serialize)]
struct KindReport {
    name: String,
    word: String,
    number: usize,
    /// None for red threes, which score by themselves.
    points: Option<i32>,
}

#[derive(Serialize)]
struct RoundReport {
    round_number: usize,
    packets: Vec<u8>,
    draw: u8,
    dealt: usize,
    stock: usize,
    stock_per_seat: usize,
}

#[derive(Serialize)]
struct RangeReport {
    least: usize,
    likely: usize,
    most: usize,
}

/// Prints the rules for a table, or one section of them.
pub(super) fn run(
    name: &str,
    players: Option<u8>,
    section: Option<&str>,
    json: bool,
) -> Result<Exit, Stop> {
    let found = Found::by_name(name)?;
    let draft = found.draft(players, None).map_err(|error| setup::seating(name, &error))?;
    let (players, team_size) = (draft.players, draft.team_size);
    let subject = match &found {
        Found::Preset(preset) => Subject::preset(preset, draft),
        Found::File(file) => Subject::file(file, draft),
    };
    let subject = subject.map_err(|problems| setup::refused(name, &problems))?;
    let mut book = Handbook::of(&subject);
    if let Some(id) = section {
        only(&mut book, id)?;
    }
    let mut out = Out::stdout();
    if json {
        out.json(&Report {
            title: &book.title,
            players,
            team_size,
            figures: FiguresReport::of(&Figures::of(&subject.rules)),
            sections: book.sections.iter().map(SectionReport::of).collect(),
        })?;
    } else {
        for line in book.to_text().lines() {
            out.line(line)?;
        }
    }
    Ok(Exit::Ok)
}

/// Leaves out all other sections.
fn only(book: &mut Handbook, id: &str) -> Result<(), Stop> {
    let ids: Vec<&str> = book.sections.iter().map(|section| section.id).collect();
    if !ids.contains(&id) {
        let what = format!("there is no section {id:?} of these rules");
        return Err(failed(Exit::Usage, what, format!("one of {}", ids.join(", "))));
    }
    book.sections.retain(|section| section.id == id);
    Ok(())
}

impl SectionReport {
    fn of(section: &Section) -> SectionReport {
        SectionReport { id: section.id, title: section.title.clone(), text: section.to_text() }
    }
}

impl FiguresReport {
    fn of(figures: &Figures) -> FiguresReport {
        let Expected { turns_per_round, rounds, minutes } = figures.expected;
        let kinds = figures.kinds.iter().map(|kind| KindReport {
            name: kind.name.clone(),
            word: kind.word.clone(),
            number: kind.number,
            points: kind.points,
        });
        let deals = figures.rounds.iter().map(|round| RoundReport {
            round_number: round.round_number,
            packets: round.packets.clone(),
            draw: round.draw,
            dealt: round.dealt,
            stock: round.stock,
            stock_per_seat: round.stock_per_seat,
        });
        FiguresReport {
            decks: figures.decks,
            pack_cards: figures.pack_cards,
            kinds: kinds.collect(),
            rounds: deals.collect(),
            turns_per_round: RangeReport::of(turns_per_round),
            rounds_per_game: RangeReport::of(rounds),
            minutes: RangeReport::of(minutes),
            seconds_per_turn: figures.seconds_per_turn,
        }
    }
}

impl RangeReport {
    fn of(range: Range) -> RangeReport {
        let Range { least, likely, most } = range;
        RangeReport { least, likely, most }
    }
}
