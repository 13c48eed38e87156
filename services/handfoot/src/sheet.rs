//! The score sheet of a round, line by line, a column a team.
//!
//! **Invariant:** text only; every number on it was counted by the engine.

use handfoot_rules::{RoundScore, Rules, ScoreLine};
use handfoot_view::{PublicTable, RoundResult, Team};

use crate::names::{team_name, thousands};

const NAME_WIDTH: usize = 18;
const COUNT_WIDTH: usize = 7;
const POINTS_WIDTH: usize = 8;
const COLUMN_WIDTH: usize = COUNT_WIDTH + POINTS_WIDTH;

/// Columns that fit a terminal of 80 characters.
const COLUMNS_MAX: usize = 4;

/// The sheet of a round that has just been scored at this table.
pub(crate) fn sheet(result: &RoundResult, table: &PublicTable, rules: &Rules) -> Vec<String> {
    let mut lines = Vec::new();
    for block in blocks(rules, COLUMNS_MAX) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(block_of(&block, result, table, rules));
    }
    lines
}

/// The teams in as few blocks as hold so many each, all about as large.
pub(crate) fn blocks(rules: &Rules, most: usize) -> Vec<Vec<Team>> {
    let teams: Vec<Team> = Team::all(rules.teams()).collect();
    let blocks = teams.len().div_ceil(most);
    teams.chunks(teams.len().div_ceil(blocks)).map(<[Team]>::to_vec).collect()
}

fn block_of(
    teams: &[Team],
    result: &RoundResult,
    table: &PublicTable,
    rules: &Rules,
) -> Vec<String> {
    let score = |team: &Team| &result.scores[team.index()];
    let points = |number: i32| format!("{:>COLUMN_WIDTH$}", thousands(i64::from(number)));
    let row = |name: &str, cell: &dyn Fn(&Team) -> String| {
        let cells: String = teams.iter().map(cell).collect();
        format!("  {name:<NAME_WIDTH$}{cells}").trim_end().to_owned()
    };
    let mut lines = vec![
        row("", &|team| format!("{:>COLUMN_WIDTH$}", team_name(*team, rules))),
        row("", &|_| format!("{:>COUNT_WIDTH$}{:>POINTS_WIDTH$}", "count", "points")),
    ];
    for line in ScoreLine::ALL.into_iter().filter(|line| line.is_used_by(rules)) {
        lines.push(row(title(line), &|team| cell(score(team), line)));
    }
    lines.extend([
        row("", &|_| format!("{:>COLUMN_WIDTH$}", "-------------")),
        row("Books", &|team| points(score(team).books())),
        row("Cards and bonuses", &|team| points(score(team).total() - score(team).books())),
        row(&format!("Round {}", result.round_index + 1), &|team| points(score(team).total())),
        row("Game so far", &|team| points(table.teams[team.index()].total)),
    ]);
    lines
}

/// How many, and their points; a dash for nothing.
fn cell(score: &RoundScore, line: ScoreLine) -> String {
    let entry = score.line(line);
    match entry.count {
        0 if entry.points == 0 => format!("{:>COLUMN_WIDTH$}", "-"),
        count => {
            let points = thousands(i64::from(entry.points));
            format!("{count:>COUNT_WIDTH$}{points:>POINTS_WIDTH$}")
        }
    }
}

/// A line's name as sheets print it.
const fn title(line: ScoreLine) -> &'static str {
    match line {
        ScoreLine::CardsMelded => "Cards melded",
        ScoreLine::CleanBooks => "Clean books",
        ScoreLine::DirtyBooks => "Dirty books",
        ScoreLine::WildBooks => "Wild books",
        ScoreLine::RedThreesLaid => "Red threes laid",
        ScoreLine::GoingOut => "Going out",
        ScoreLine::ExactPicks => "Exact lifts",
        ScoreLine::CardsHeld => "Cards held",
        ScoreLine::BlackThreesHeld => "Black threes held",
        ScoreLine::RedThreesHeld => "Red threes held",
    }
}
