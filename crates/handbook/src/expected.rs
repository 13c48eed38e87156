//! How long a round and a game take, by a formula.
//!
//! The stock bounds a round: it holds a draw for so many turns. How much of that is played depends
//! on how hard the contract is. With the share `p` of a team's part of the pack that its books
//! take, a round lasts `0.72 + 0.6 p` of the stock's draws, and all of them at most. The two
//! numbers are fitted to games of the bot level `casual`: over 60 to 200 games a table, the mean number
//! of turns is met within 7 percent at every table of `whitnack` and `foot-canasta`. Other rule
//! sets are estimated by the same formula and allowed twice that error.
//!
//! **Invariant:** whole numbers and no chance: equal rules give equal answers.

use handfoot_rules::Rules;

use crate::facts::Facts;

/// How far from the likely number of turns the mean of many rounds may well be.
pub(crate) const ERROR_PERCENT: usize = 15;

/// Seconds that people take for a turn, dealing and scoring included: four players are said to
/// need two hours for a game of four rounds.
pub(crate) const SECONDS_A_TURN: usize = 25;

/// Cards of the pack that end up in books, in percent, for what a round scores.
const IN_BOOKS_PERCENT: i64 = 60;

/// How far from the likely number of rounds a game to a target may well be.
const ROUNDS_ERROR_PERCENT: usize = 35;

/// A number that is not known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Seldom less.
    pub least: usize,
    /// About so many.
    pub likely: usize,
    /// Seldom more.
    pub most: usize,
}

/// How long rounds and games take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Turns of all seats in the first round, on average; single rounds differ more.
    pub turns_per_round: Range,
    /// Rounds of a game, extra rounds apart.
    pub rounds: Range,
    /// Minutes of a game between people.
    pub minutes: Range,
}

impl Range {
    fn around(likely: usize, percent: usize) -> Range {
        Range {
            least: likely * (100 - percent) / 100,
            likely,
            most: (likely * (100 + percent)).div_ceil(100),
        }
    }

    fn exactly(number: usize) -> Range {
        Range { least: number, likely: number, most: number }
    }

    fn times(self, other: Range, scale: impl Fn(usize) -> usize) -> Range {
        Range {
            least: scale(self.least * other.least),
            likely: scale(self.likely * other.likely),
            most: scale(self.most * other.most),
        }
    }
}

impl Expected {
    /// What to expect of a rule set at its table.
    #[must_use]
    pub fn of(rules: &Rules) -> Expected {
        let facts = Facts::of(rules);
        let turns_per_round = Range::around(turns(facts), ERROR_PERCENT);
        let rounds = rounds(facts);
        let minutes = turns_per_round.times(rounds, |turns| (turns * SECONDS_A_TURN).div_ceil(60));
        Expected { turns_per_round, rounds, minutes }
    }
}

/// Turns of the first round.
fn turns(facts: Facts<'_>) -> usize {
    let round = facts.rules.round(0);
    let need = round.need;
    let named = need.clean.max(need.sevens) + need.dirty + need.wild;
    let books = usize::from(named.max(need.total));
    let cards = books * usize::from(facts.draft.book_size) * facts.rules.teams();
    // Percent of the stock's draws: 72 and 60 times the share of the pack that the books take.
    let share = 72 + 60 * cards / facts.rules.pack().cards().len().max(1);
    let draws = facts.stock(0) / usize::from(round.draw).max(1);
    (draws * share.min(100) / 100).max(1)
}

/// Rounds of a game: given, or as many as it takes to a target.
fn rounds(facts: Facts<'_>) -> Range {
    let length = facts.draft.length;
    let given = length.rounds.map(usize::from);
    let Some(target) = length.target else { return Range::exactly(given.unwrap_or(1)) };
    let cards = i64::try_from(facts.rules.pack().cards().len()).unwrap_or(i64::MAX);
    let teams = i64::try_from(facts.rules.teams()).unwrap_or(1).max(1);
    let bonus = facts.draft.book_bonus;
    let mean_bonus = (i64::from(bonus.clean) + i64::from(bonus.dirty)) / 2;
    let each = mean_bonus / i64::from(facts.draft.book_size).max(1) + mean_value(facts);
    let score = (cards / teams * each * IN_BOOKS_PERCENT / 100).max(100);
    let likely = usize::try_from(i64::from(target).div_euclid(score) + 1).unwrap_or(1).max(1);
    let range = Range::around(likely, ROUNDS_ERROR_PERCENT);
    let range = Range { least: range.least.max(1), ..range };
    match given {
        None => range,
        Some(most) => Range {
            least: range.least.min(most),
            likely: range.likely.min(most),
            most: range.most.min(most),
        },
    }
}

/// Points of an average natural card.
fn mean_value(facts: Facts<'_>) -> i64 {
    let naturals: Vec<i64> =
        facts.rules.naturals().map(|kind| i64::from(facts.rules.value(kind))).collect();
    naturals.iter().sum::<i64>() / i64::try_from(naturals.len()).unwrap_or(1).max(1)
}
