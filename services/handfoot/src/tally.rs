//! What many games come to.
//!
//! **Invariant:** counting only.

use handfoot_rules::{Rules, ScoreLine};
use handfoot_view::{RoundEnd, RoundResult};
use serde::Serialize;

use crate::cli::LawsChoice;
use crate::report::RulesReport;

/// What was counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) games: u64,
    pub(crate) rounds: u64,
    pub(crate) turns: u64,
    pub(crate) decisions: u64,
    went_out: u64,
    /// Points of all teams in all rounds.
    points: i64,
    /// Books of all teams in all rounds: clean, dirty, wild.
    books: [u64; 3],
}

/// What `simulate --json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct TallyReport {
    pub(crate) rules: RulesReport,
    pub(crate) policy: &'static str,
    pub(crate) seed: u64,
    /// `off`, or `every N`.
    pub(crate) laws: String,
    pub(crate) games: u64,
    pub(crate) rounds: u64,
    pub(crate) turns: u64,
    pub(crate) decisions: u64,
    /// Rounds that a seat ended by going out, of all rounds, 0 to 1.
    pub(crate) went_out_share: f64,
    pub(crate) turns_per_round: f64,
    /// Points of a team in a round.
    pub(crate) mean_score: f64,
    /// Books of all teams together in a round.
    pub(crate) books_per_round: BooksReport,
    pub(crate) seconds: f64,
    pub(crate) decisions_per_second: f64,
}

/// Books by kind.
#[derive(Debug, Serialize)]
pub(crate) struct BooksReport {
    pub(crate) clean: f64,
    pub(crate) dirty: f64,
    pub(crate) wild: f64,
}

/// What was asked for.
pub(crate) struct Asked {
    pub(crate) rules: RulesReport,
    pub(crate) policy: &'static str,
    pub(crate) seed: u64,
    pub(crate) laws: LawsChoice,
}

impl Tally {
    /// Counts a finished round.
    pub(crate) fn count(&mut self, result: &RoundResult) {
        self.rounds += 1;
        self.turns += u64::from(result.turns);
        self.went_out += match result.how {
            RoundEnd::WentOut(_) => 1,
            RoundEnd::StockRanOut(_) => 0,
        };
        let kinds = [ScoreLine::CleanBooks, ScoreLine::DirtyBooks, ScoreLine::WildBooks];
        for score in &result.scores {
            self.points += i64::from(score.total());
            for (books, line) in self.books.iter_mut().zip(kinds) {
                *books += u64::from(score.line(line).count);
            }
        }
    }

    /// What it comes to.
    pub(crate) fn report(&self, asked: Asked, rules: &Rules, seconds: f64) -> TallyReport {
        let rounds = real(self.rounds).max(1.0);
        let [clean, dirty, wild] = self.books.map(|books| real(books) / rounds);
        let scores = rounds * real(u64::try_from(rules.teams()).unwrap_or(1));
        #[expect(clippy::cast_precision_loss, reason = "a mean is not exact anyway")]
        let points = self.points as f64;
        TallyReport {
            rules: asked.rules,
            policy: asked.policy,
            seed: asked.seed,
            laws: asked.laws.to_string(),
            games: self.games,
            rounds: self.rounds,
            turns: self.turns,
            decisions: self.decisions,
            went_out_share: real(self.went_out) / rounds,
            turns_per_round: real(self.turns) / rounds,
            mean_score: points / scores,
            books_per_round: BooksReport { clean, dirty, wild },
            seconds,
            decisions_per_second: real(self.decisions) / seconds.max(1e-9),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share or a rate is not exact anyway")]
const fn real(count: u64) -> f64 {
    count as f64
}
