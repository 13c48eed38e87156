//! A game's result as data: what `demo --json` prints.
//!
//! **Invariant:** fields keep their order and names; equal games give equal reports, but for
//! `seconds`.

use handfoot_bots::Level;
use handfoot_rules::{RoundScore, Rules};
use handfoot_view::{PublicTable, RoundEnd, RoundResult, Seat, Team};
use serde::Serialize;

use crate::names::seats_of;
use crate::setup::NamedRules;

/// A whole game.
#[derive(Debug, Serialize)]
pub(crate) struct GameReport {
    pub(crate) rules: RulesReport,
    pub(crate) seed: u64,
    /// The level of each seat, in order.
    pub(crate) bots: Vec<&'static str>,
    pub(crate) rounds: Vec<RoundReport>,
    /// Points of each team, in order.
    pub(crate) totals: Vec<i32>,
    /// Numbers of the teams with the highest total; several if they are equal.
    pub(crate) winners: Vec<usize>,
    pub(crate) turns: u64,
    pub(crate) actions: u64,
    /// Decisions where the bot gave no legal action and the first listed one was played.
    pub(crate) fallbacks: u64,
    pub(crate) seconds: f64,
}

/// Which rules, at which table.
#[derive(Debug, Serialize)]
pub(crate) struct RulesReport {
    /// A preset's id, or a file's path.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) players: usize,
    /// The seats of each team, in order.
    pub(crate) teams: Vec<Vec<usize>>,
}

/// One round.
#[derive(Debug, Serialize)]
pub(crate) struct RoundReport {
    pub(crate) round: u32,
    pub(crate) opening_minimum: i32,
    pub(crate) dealer: usize,
    /// `went_out` or `stock_ran_out`.
    pub(crate) ended: &'static str,
    /// The seat that went out, if one did.
    pub(crate) went_out: Option<usize>,
    pub(crate) turns: u16,
    pub(crate) actions: u32,
    /// Each team's score, in order.
    pub(crate) scores: Vec<ScoreReport>,
}

/// A team's score of one round.
#[derive(Debug, Serialize)]
pub(crate) struct ScoreReport {
    pub(crate) team: usize,
    pub(crate) lines: Vec<LineReport>,
    /// Points of the books alone.
    pub(crate) books: i32,
    /// Points of everything else.
    pub(crate) cards: i32,
    pub(crate) total: i32,
    /// Points of this round and all before it.
    pub(crate) running_total: i32,
}

/// One line of a score sheet.
#[derive(Debug, Serialize)]
pub(crate) struct LineReport {
    pub(crate) line: &'static str,
    pub(crate) count: u16,
    pub(crate) points: i32,
}

impl RulesReport {
    pub(crate) fn of(named: &NamedRules) -> RulesReport {
        let rules = &named.rules;
        let seats = |team| seats_of(team, rules).map(Seat::number).collect();
        RulesReport {
            name: named.name.clone(),
            title: named.title.clone(),
            players: rules.seats(),
            teams: Team::all(rules.teams()).map(seats).collect(),
        }
    }
}

/// The highest minimum of any team; a team's score picks it by what it was before the round.
fn opening_minimum(result: &RoundResult, table: &PublicTable, rules: &Rules) -> i32 {
    let round_index = usize::from(result.round_index);
    let before =
        table.teams.iter().zip(&result.scores).map(|(team, score)| team.total - score.total());
    before.map(|total| rules.opening_minimum(round_index, total)).max().unwrap_or_default()
}

impl RoundReport {
    /// The round that has just been scored at this table.
    pub(crate) fn of(
        result: &RoundResult,
        table: &PublicTable,
        rules: &Rules,
        actions: u32,
    ) -> RoundReport {
        let scores = Team::all(rules.teams()).zip(&result.scores);
        RoundReport {
            round: u32::from(result.round_index) + 1,
            opening_minimum: opening_minimum(result, table, rules),
            dealer: table.dealer.number(),
            ended: match result.how {
                RoundEnd::WentOut(_) => "went_out",
                RoundEnd::StockRanOut(_) => "stock_ran_out",
            },
            went_out: match result.how {
                RoundEnd::WentOut(seat) => Some(seat.number()),
                RoundEnd::StockRanOut(_) => None,
            },
            turns: result.turns,
            actions,
            scores: scores
                .map(|(team, score)| {
                    ScoreReport::of(team, score, table.teams[team.index()].total, rules)
                })
                .collect(),
        }
    }
}

impl ScoreReport {
    fn of(team: Team, score: &RoundScore, running_total: i32, rules: &Rules) -> ScoreReport {
        let line = |(line, entry): (handfoot_rules::ScoreLine, handfoot_rules::Line)| LineReport {
            line: line.name(),
            count: entry.count,
            points: entry.points,
        };
        ScoreReport {
            team: team.number(),
            lines: score.lines().filter(|(line, _)| line.is_used_by(rules)).map(line).collect(),
            books: score.books(),
            cards: score.total() - score.books(),
            total: score.total(),
            running_total,
        }
    }
}

/// The levels by name.
pub(crate) fn level_names(levels: &[Level]) -> Vec<&'static str> {
    levels.iter().map(|level| level.name()).collect()
}
