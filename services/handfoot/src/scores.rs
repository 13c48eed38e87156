//! The score sheet of a whole game: as text, as lines for a spreadsheet, as JSON.
//!
//! **Invariant:** every number comes from the sheet that the rounds give; nothing is added up here.

use handfoot_rules::Rules;
use handfoot_view::{MeldRank, RoundEnd, RoundSheet, ScoreSheet, ScoredMeld, Team, TeamSheet};
use serde::Serialize;

use crate::names::{counted, team_name, thousands};

/// The columns of the lines for a spreadsheet.
const COLUMNS: &str = "round,ended,seat,turns,team,line,count,points";

/// Books that fit a line of a narrow terminal.
const BOOKS_A_LINE: usize = 4;

/// Seats that do.
const SEATS_A_LINE: usize = 2;

/// How a sheet is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A table for people
    Text,
    /// A line an entry, for spreadsheets
    Csv,
    /// One JSON object
    Json,
}

/// Writes a sheet.
pub(crate) fn lines(sheet: &ScoreSheet, rules: &Rules, format: Format) -> Vec<String> {
    match format {
        Format::Text => text(sheet, rules),
        Format::Csv => csv(sheet, rules),
        Format::Json => {
            let report = SheetReport::of(sheet, rules);
            serde_json::to_string(&report).into_iter().collect()
        }
    }
}

/// The whole game at a glance, then each round's books and cards held.
fn text(sheet: &ScoreSheet, rules: &Rules) -> Vec<String> {
    let mut lines = summary(sheet, rules);
    for round in &sheet.rounds {
        lines.extend(round_details(round, rules));
    }
    lines
}

/// The whole game at a glance: a row a round, a column a team.
pub(crate) fn summary(sheet: &ScoreSheet, rules: &Rules) -> Vec<String> {
    let teams: Vec<Team> = Team::all(rules.teams()).collect();
    let row = |name: String, cells: Vec<String>, end: String| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>10}")).collect();
        format!("  {name:<12}{cells}  {end}").trim_end().to_owned()
    };
    let number = |points: i32| thousands(i64::from(points));
    let names = teams.iter().map(|team| team_name(*team, rules)).collect();
    let mut lines = vec![row(String::new(), names, String::new())];
    for round in &sheet.rounds {
        let of = |points: fn(&TeamSheet) -> i32| {
            round.teams.iter().map(|team| number(points(team))).collect::<Vec<_>>()
        };
        let title = format!("Round {}", round.round_index + 1);
        let end = format!("{}, {}", ended(round.how), counted(round.turns.into(), "turn"));
        lines.push(row(title, of(|team| team.total), end));
        lines.push(row("  books".to_owned(), of(|team| team.books), String::new()));
        lines.push(row("  cards".to_owned(), of(|team| team.cards), String::new()));
    }
    lines.push(row("Total".to_owned(), sheet.totals.iter().map(|t| number(*t)).collect(), {
        let leaders: Vec<String> =
            sheet.leaders.iter().map(|team| team_name(*team, rules)).collect();
        format!("{} ahead", leaders.join(" and "))
    }));
    let won = sheet.rounds_won.iter().map(u16::to_string).collect();
    let turns = counted(usize::try_from(sheet.turns).unwrap_or(usize::MAX), "turn");
    lines.push(row("Rounds won".to_owned(), won, format!("{turns} in all")));
    lines
}

/// The books of each team, and what each seat was left with.
fn round_details(round: &RoundSheet, rules: &Rules) -> Vec<String> {
    let mut lines = vec![String::new(), format!("  Round {}", round.round_index + 1)];
    for (team, sheet) in Team::all(round.teams.len()).zip(&round.teams) {
        let books: Vec<String> = sheet
            .melds
            .iter()
            .filter(|meld| meld.shape.is_book(rules))
            .map(|meld| format!("{} ({})", meld_name(meld, rules), meld.points + meld.bonus))
            .collect();
        let name = team_name(team, rules);
        match books.is_empty() {
            true => lines.push(format!("    {name}: no books")),
            false => lines.extend(wrapped(&name, &books, BOOKS_A_LINE)),
        }
    }
    let held = round.seats().filter(|(_, held)| held.cards > 0).map(|(seat, held)| {
        let cards = counted(held.cards.into(), "card");
        format!("seat {seat} {cards} ({})", thousands(held.points.into()))
    });
    lines.extend(wrapped("held", &held.collect::<Vec<_>>(), SEATS_A_LINE));
    lines
}

/// A name, and so many of the words beside it on a line.
fn wrapped(name: &str, words: &[String], a_line: usize) -> Vec<String> {
    let names = std::iter::once(format!("{name}:")).chain(std::iter::repeat(String::new()));
    let line = |(name, words): (String, &[String])| format!("    {name:<8} {}", words.join(", "));
    names.zip(words.chunks(a_line)).map(line).collect()
}

/// A line an entry: scores line by line, subtotals, melds, cards held, and the total so far.
fn csv(sheet: &ScoreSheet, rules: &Rules) -> Vec<String> {
    let mut lines = vec![COLUMNS.to_owned()];
    for round in &sheet.rounds {
        let (ended, seat) = match round.how {
            RoundEnd::WentOut(seat) => ("went_out", seat),
            RoundEnd::StockRanOut(seat) => ("stock_ran_out", seat),
        };
        let head = format!("{},{ended},{seat},{}", round.round_index + 1, round.turns);
        for (team, sheet) in Team::all(round.teams.len()).zip(&round.teams) {
            let mut add = |line: &str, count: String, points: i32| {
                lines.push(format!("{head},{team},{line},{count},{points}"));
            };
            for (line, entry) in sheet.score.lines() {
                if (entry.count, entry.points) != (0, 0) {
                    add(line.name(), entry.count.to_string(), entry.points);
                }
            }
            for (number, meld) in (1..).zip(&sheet.melds) {
                let name = meld_name(meld, rules).replace(' ', "_");
                let line = format!("meld_{number}_{name}");
                add(&line, meld.shape.size().to_string(), meld.points + meld.bonus);
            }
            for (seat, held) in round.seats().filter(|(seat, _)| seat.team(rules.teams()) == team) {
                add(&format!("held_by_seat_{seat}"), held.cards.to_string(), held.points);
            }
            add("subtotal_books", String::new(), sheet.books);
            add("subtotal_cards", String::new(), sheet.cards);
            add("round", String::new(), sheet.total);
            add("total", String::new(), sheet.running_total);
        }
    }
    lines
}

/// `clean 9`, `unfinished dirty K`, `wild`.
fn meld_name(meld: &ScoredMeld, rules: &Rules) -> String {
    let kind = meld.shape.kind().name();
    let unfinished = if meld.shape.is_book(rules) { "" } else { "unfinished " };
    match meld.shape.rank {
        MeldRank::Natural(rank) => {
            format!("{unfinished}{kind} {}", rules.pack().kind_name(rank))
        }
        MeldRank::Wild => format!("{unfinished}{kind}"),
    }
}

fn ended(how: RoundEnd) -> String {
    match how {
        RoundEnd::WentOut(seat) => format!("seat {seat} went out"),
        RoundEnd::StockRanOut(seat) => format!("no stock for seat {seat}"),
    }
}

/// The sheet as data.
#[derive(Debug, Serialize)]
pub(crate) struct SheetReport {
    rounds: Vec<RoundData>,
    totals: Vec<i32>,
    leaders: Vec<usize>,
    rounds_won: Vec<u16>,
    turns: u32,
}

#[derive(Debug, Serialize)]
struct RoundData {
    round: u32,
    ended: &'static str,
    seat: usize,
    turns: u16,
    teams: Vec<TeamData>,
    held: Vec<HeldData>,
    winners: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct TeamData {
    team: usize,
    lines: Vec<LineData>,
    melds: Vec<MeldData>,
    books: i32,
    cards: i32,
    total: i32,
    running_total: i32,
}

#[derive(Debug, Serialize)]
struct LineData {
    line: &'static str,
    count: u16,
    points: i32,
}

#[derive(Debug, Serialize)]
struct MeldData {
    meld: String,
    cards: u8,
    points: i32,
    bonus: i32,
}

#[derive(Debug, Serialize)]
struct HeldData {
    seat: usize,
    cards: u16,
    points: i32,
}

impl SheetReport {
    /// The sheet as data.
    pub(crate) fn of(sheet: &ScoreSheet, rules: &Rules) -> SheetReport {
        SheetReport {
            rounds: sheet.rounds.iter().map(|round| RoundData::of(round, rules)).collect(),
            totals: sheet.totals.clone(),
            leaders: sheet.leaders.iter().map(|team| team.number()).collect(),
            rounds_won: sheet.rounds_won.clone(),
            turns: sheet.turns,
        }
    }
}

impl RoundData {
    fn of(round: &RoundSheet, rules: &Rules) -> RoundData {
        let (ended, seat) = match round.how {
            RoundEnd::WentOut(seat) => ("went_out", seat),
            RoundEnd::StockRanOut(seat) => ("stock_ran_out", seat),
        };
        let teams = Team::all(round.teams.len()).zip(&round.teams);
        let held = round.seats().map(|(seat, held)| HeldData {
            seat: seat.number(),
            cards: held.cards,
            points: held.points,
        });
        RoundData {
            round: u32::from(round.round_index) + 1,
            ended,
            seat: seat.number(),
            turns: round.turns,
            teams: teams.map(|(team, sheet)| TeamData::of(team, sheet, rules)).collect(),
            held: held.collect(),
            winners: round.winners.iter().map(|team| team.number()).collect(),
        }
    }
}

impl TeamData {
    fn of(team: Team, sheet: &TeamSheet, rules: &Rules) -> TeamData {
        let lines = sheet.score.lines().map(|(line, entry)| LineData {
            line: line.name(),
            count: entry.count,
            points: entry.points,
        });
        let melds = sheet.melds.iter().map(|meld| MeldData {
            meld: meld_name(meld, rules),
            cards: meld.shape.size(),
            points: meld.points,
            bonus: meld.bonus,
        });
        TeamData {
            team: team.number(),
            lines: lines.collect(),
            melds: melds.collect(),
            books: sheet.books,
            cards: sheet.cards,
            total: sheet.total,
            running_total: sheet.running_total,
        }
    }
}
