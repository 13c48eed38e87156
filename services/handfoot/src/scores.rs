//! The score sheet of a whole game: as text, as lines for a spreadsheet, as JSON.
//!
//! **Invariant:** every number comes from the sheet that the rounds give; nothing is added up here.

use handfoot_rules::Rules;
use handfoot_view::{RoundEnd, RoundSheet, ScoreSheet, Team, TeamSheet};

use crate::exit::Stop;
use crate::names::{counted, meld_name, team_name, thousands};
use crate::out::Out;
use crate::report::SheetReport;
use crate::sheet::blocks;

/// The columns of the lines for a spreadsheet.
const COLUMNS: &str = "round,ended,seat,turns,team,line,count,points";

/// Books that fit a line of a narrow terminal.
const BOOKS_A_LINE: usize = 4;

/// Seats that do.
const SEATS_A_LINE: usize = 2;

/// Columns of teams that do, beside how a round ended.
const COLUMNS_MAX: usize = 3;

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

/// Prints a sheet.
pub(crate) fn print(
    out: &mut Out,
    sheet: &ScoreSheet,
    rules: &Rules,
    format: Format,
) -> Result<(), Stop> {
    let lines = match format {
        Format::Text => text(sheet, rules),
        Format::Csv => csv(sheet, rules),
        Format::Json => return out.json_line(&SheetReport::of(sheet, &[], rules)),
    };
    lines.into_iter().try_for_each(|line| out.line(line))
}

/// The whole game at a glance, then each round's books and cards held.
fn text(sheet: &ScoreSheet, rules: &Rules) -> Vec<String> {
    let mut lines = summary(sheet, rules);
    for round in &sheet.rounds {
        lines.extend(round_details(round, rules));
    }
    lines
}

/// The whole game at a glance: a row a round, a column a team, in as many blocks as it takes.
pub(crate) fn summary(sheet: &ScoreSheet, rules: &Rules) -> Vec<String> {
    let mut lines = Vec::new();
    for teams in blocks(rules, COLUMNS_MAX) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(summary_of(&teams, sheet, rules));
    }
    lines
}

fn summary_of(teams: &[Team], sheet: &ScoreSheet, rules: &Rules) -> Vec<String> {
    let row = |name: &str, cell: &dyn Fn(&Team) -> String, end: String| {
        let cells: String = teams.iter().map(|team| format!("{:>10}", cell(team))).collect();
        format!("  {name:<12}{cells}  {end}").trim_end().to_owned()
    };
    let number = |points: i32| thousands(i64::from(points));
    let mut lines = vec![row("", &|team| team_name(*team, rules), String::new())];
    for round in &sheet.rounds {
        let of = |points: fn(&TeamSheet) -> i32| {
            move |team: &Team| number(points(&round.teams[team.index()]))
        };
        let title = format!("Round {}", round.round_index + 1);
        let end = format!("{}, {}", ended(round.how), counted(round.turns.into(), "turn"));
        lines.push(row(&title, &of(|team| team.total), end));
        lines.push(row("  books", &of(|team| team.books_points), String::new()));
        lines.push(row("  other", &of(|team| team.other_points), String::new()));
    }
    let turns = counted(usize::try_from(sheet.turns).unwrap_or(usize::MAX), "turn");
    let won = |team: &Team| sheet.rounds_won[team.index()].to_string();
    lines.push(row(
        "Total",
        &|team| number(sheet.totals[team.index()]),
        ahead(teams, sheet, rules),
    ));
    lines.push(row("Rounds won", &won, format!("{turns} in all")));
    lines
}

/// Which of these teams lead; nothing if others do.
fn ahead(teams: &[Team], sheet: &ScoreSheet, rules: &Rules) -> String {
    let leaders = teams.iter().filter(|team| sheet.leaders.contains(team));
    let names: Vec<String> = leaders.map(|team| team_name(*team, rules)).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("{} ahead", names.join(" and ")),
    }
}

/// The books of each team, and what each seat was left with.
fn round_details(round: &RoundSheet, rules: &Rules) -> Vec<String> {
    let mut lines = vec![String::new(), format!("  Round {}", round.round_index + 1)];
    for (team, sheet) in Team::all(round.teams.len()).zip(&round.teams) {
        let books: Vec<String> = sheet
            .melds
            .iter()
            .filter(|meld| meld.shape.is_book(rules))
            .map(|meld| format!("{} ({})", meld_name(meld, rules), meld.total()))
            .collect();
        let name = team_name(team, rules);
        match books.is_empty() {
            true => lines.push(format!("    {name}: no books")),
            false => lines.extend(wrapped(&name, &books, BOOKS_A_LINE)),
        }
    }
    let held = round.seats().filter(|(_, held)| held.n_cards > 0).map(|(seat, held)| {
        let cards = counted(held.n_cards.into(), "card");
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
        let (ended, seat) = (round.how.name(), round.how.seat());
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
                add(&line, meld.shape.size().to_string(), meld.total());
            }
            for (seat, held) in round.seats().filter(|(seat, _)| seat.team(rules.teams()) == team) {
                add(&format!("held_by_seat_{seat}"), held.n_cards.to_string(), held.points);
            }
            add("subtotal_books", String::new(), sheet.books_points);
            add("subtotal_other", String::new(), sheet.other_points);
            add("round", String::new(), sheet.total);
            add("total", String::new(), sheet.running_total);
        }
    }
    lines
}

fn ended(how: RoundEnd) -> String {
    match how {
        RoundEnd::WentOut(seat) => format!("seat {seat} went out"),
        RoundEnd::StockRanOut(seat) => format!("no stock for seat {seat}"),
    }
}

#[cfg(test)]
mod tests {
    use handfoot_cards::Cards;
    use handfoot_rules::{Preset, RoundScore, ScoreLine};
    use handfoot_view::{RoundResult, Seat, ShownCards};

    use super::*;

    /// Rounds in which every team has a score of six digits, at this table.
    fn played(rules: &Rules) -> ScoreSheet {
        let mut score = RoundScore::default();
        score.points(ScoreLine::CardsHeld, -123_456);
        let nothing = ShownCards { own: Cards::EMPTY, packets: Vec::new() };
        let round = |round_index: u16| RoundResult {
            round_index,
            how: RoundEnd::StockRanOut(Seat::from_number(rules.seats()).unwrap()),
            turns: 1000,
            scores: vec![score; rules.teams()],
            shown: vec![nothing.clone(); rules.seats()],
            seed: [0; 32],
        };
        ScoreSheet::of(&[round(0), round(99)], &[], rules)
    }

    #[test]
    fn a_summary_of_any_table_fits_a_narrow_terminal_and_names_each_team_once() {
        let mut most = 0;
        for preset in Preset::all() {
            for seating in &preset.seating {
                for team_size in &seating.team_sizes {
                    let draft = preset.draft(Some(seating.players), Some(*team_size)).unwrap();
                    let Ok(checked) = Rules::new(draft) else { continue };
                    let rules = checked.rules;
                    let lines = summary(&played(&rules), &rules);
                    for line in lines.iter().filter(|line| !line.contains(" and ")) {
                        assert!(line.chars().count() <= 80, "{line}");
                    }
                    for team in Team::all(rules.teams()) {
                        let name = team_name(team, &rules);
                        let heads = lines.iter().filter(|line| line.starts_with("     "));
                        let words =
                            heads.filter(|line| format!("{line} ").contains(&format!("{name} ")));
                        assert_eq!(words.count(), 1, "{name}: {lines:?}");
                    }
                    most = most.max(rules.teams());
                }
            }
        }
        assert!(most > COLUMNS_MAX, "{most} teams at most");
    }
}
