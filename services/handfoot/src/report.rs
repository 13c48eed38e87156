//! Score sheets and games as data: what `demo --json` and `record show --scores=json` print.
//!
//! **Invariant:** fields keep their order and names, which programs read; equal games give equal
//! reports, but for `seconds`.

use handfoot_bots::Level;
use handfoot_rules::{Line, Rules, ScoreLine};
use handfoot_view::{
    PublicTable, RoundEnd, RoundResult, RoundSheet, ScoreSheet, ScoredMeld, Seat, SeatHeld, Team,
    TeamSheet,
};
use serde::Serialize;

use crate::names::{meld_name, seats_of};
use crate::setup::NamedRules;

/// A whole game.
#[derive(Debug, Serialize)]
pub(crate) struct GameReport {
    pub(crate) rules: RulesReport,
    pub(crate) seed: u64,
    /// The level of each seat, in order.
    pub(crate) bots: Vec<&'static str>,
    /// Its score sheet; who leads it has won.
    #[serde(flatten)]
    pub(crate) sheet: SheetReport,
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

/// A score sheet.
#[derive(Debug, Serialize)]
pub(crate) struct SheetReport {
    pub(crate) rounds: Vec<RoundReport>,
    /// Points of each team, in order.
    pub(crate) totals: Vec<i32>,
    /// Numbers of the teams with the highest total; several if they are equal.
    pub(crate) winners: Vec<usize>,
    /// Rounds in which each team had the highest score, shared ones too.
    pub(crate) rounds_won: Vec<u16>,
    pub(crate) turns: u32,
}

/// One round.
#[derive(Debug, Serialize)]
pub(crate) struct RoundReport {
    pub(crate) round: u32,
    /// What is known of a round that was watched.
    #[serde(flatten)]
    pub(crate) watched: Option<WatchedReport>,
    /// `went_out` or `stock_ran_out`.
    pub(crate) ended: &'static str,
    /// The seat with which it ended.
    pub(crate) seat: usize,
    /// That seat if it went out.
    pub(crate) went_out: Option<usize>,
    pub(crate) turns: u16,
    /// Each team's score, in order.
    pub(crate) scores: Vec<TeamReport>,
    /// What each seat was left with, in order.
    pub(crate) held: Vec<HeldReport>,
    /// Numbers of the teams with the highest score of the round.
    pub(crate) winners: Vec<usize>,
}

/// What a score sheet does not say of a round.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct WatchedReport {
    pub(crate) opening_minimum: i32,
    pub(crate) dealer: usize,
    pub(crate) actions: u32,
}

/// A team's score of one round.
#[derive(Debug, Serialize)]
pub(crate) struct TeamReport {
    pub(crate) team: usize,
    /// The lines that the rules use.
    pub(crate) lines: Vec<LineReport>,
    /// Melds and books as they lay; empty if they were not kept.
    pub(crate) melds: Vec<MeldReport>,
    /// Points of books.
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

/// A meld or book.
#[derive(Debug, Serialize)]
pub(crate) struct MeldReport {
    pub(crate) meld: String,
    pub(crate) n_cards: u8,
    pub(crate) points: i32,
    pub(crate) bonus: i32,
}

/// What a seat was left with.
#[derive(Debug, Serialize)]
pub(crate) struct HeldReport {
    pub(crate) seat: usize,
    pub(crate) n_cards: u16,
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

impl SheetReport {
    /// A sheet, with what was watched of its rounds, from the first on.
    pub(crate) fn of(sheet: &ScoreSheet, watched: &[WatchedReport], rules: &Rules) -> SheetReport {
        let watched = watched.iter().copied().map(Some).chain(std::iter::repeat(None));
        let rounds = sheet.rounds.iter().zip(watched);
        SheetReport {
            rounds: rounds.map(|(round, watched)| RoundReport::of(round, watched, rules)).collect(),
            totals: sheet.totals.clone(),
            winners: numbers(&sheet.leaders),
            rounds_won: sheet.rounds_won.clone(),
            turns: sheet.turns,
        }
    }
}

impl RoundReport {
    fn of(round: &RoundSheet, watched: Option<WatchedReport>, rules: &Rules) -> RoundReport {
        let teams = Team::all(round.teams.len()).zip(&round.teams);
        let held = |(seat, held): (Seat, SeatHeld)| HeldReport {
            seat: seat.number(),
            n_cards: held.n_cards,
            points: held.points,
        };
        RoundReport {
            round: u32::from(round.round_index) + 1,
            watched,
            ended: round.how.name(),
            seat: round.how.seat().number(),
            went_out: match round.how {
                RoundEnd::WentOut(seat) => Some(seat.number()),
                RoundEnd::StockRanOut(_) => None,
            },
            turns: round.turns,
            scores: teams.map(|(team, sheet)| TeamReport::of(team, sheet, rules)).collect(),
            held: round.seats().map(held).collect(),
            winners: numbers(&round.winners),
        }
    }
}

impl WatchedReport {
    /// The round that has just been scored at this table.
    pub(crate) fn of(
        result: &RoundResult,
        table: &PublicTable,
        rules: &Rules,
        actions: u32,
    ) -> WatchedReport {
        let opening_minimum = opening_minimum(result, table, rules);
        WatchedReport { opening_minimum, dealer: table.dealer.number(), actions }
    }
}

/// The highest minimum of any team; a team's score picks it by what it was before the round.
fn opening_minimum(result: &RoundResult, table: &PublicTable, rules: &Rules) -> i32 {
    let round_index = usize::from(result.round_index);
    let before =
        table.teams.iter().zip(&result.scores).map(|(team, score)| team.total - score.total());
    before.map(|total| rules.opening_minimum(round_index, total)).max().unwrap_or_default()
}

impl TeamReport {
    fn of(team: Team, sheet: &TeamSheet, rules: &Rules) -> TeamReport {
        let line = |(line, entry): (ScoreLine, Line)| LineReport {
            line: line.name(),
            count: entry.count,
            points: entry.points,
        };
        let meld = |meld: &ScoredMeld| MeldReport {
            meld: meld_name(meld, rules),
            n_cards: meld.shape.size(),
            points: meld.points,
            bonus: meld.bonus,
        };
        let lines = sheet.score.lines().filter(|(line, _)| line.is_used_by(rules));
        TeamReport {
            team: team.number(),
            lines: lines.map(line).collect(),
            melds: sheet.melds.iter().map(meld).collect(),
            books: sheet.books_points,
            cards: sheet.other_points,
            total: sheet.total,
            running_total: sheet.running_total,
        }
    }
}

fn numbers(teams: &[Team]) -> Vec<usize> {
    teams.iter().map(|team| team.number()).collect()
}

/// The levels by name.
pub(crate) fn level_names(levels: &[Level]) -> Vec<&'static str> {
    levels.iter().map(|level| level.name()).collect()
}
