//! A team's score of one round, by named lines.
//!
//! **Invariant:** adds up what it is given; what counts, and how much, is decided elsewhere.

use crate::Rules;

/// One line of a score sheet, in the order in which sheets print them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScoreLine {
    /// Card values in melds and books. Rule: HF-10.1
    CardsMelded,
    /// Clean books. Rule: HF-10.2
    CleanBooks,
    /// Dirty books. Rule: HF-10.2
    DirtyBooks,
    /// Wild books. Rule: HF-10.2
    WildBooks,
    /// Red threes laid. Rule: HF-10.4
    RedThreesLaid,
    /// Going out. Rule: HF-10.3
    GoingOut,
    /// Lifting exactly the right number of cards. Rule: HF-1.7
    ExactPicks,
    /// Cards in hands and packets, threes apart. Rule: HF-10.1
    CardsHeld,
    /// Black threes in hands and packets. Rule: HF-10.1
    BlackThreesHeld,
    /// Red threes in hands and packets. Rule: HF-10.4
    RedThreesHeld,
}

impl ScoreLine {
    /// Every line, in order.
    pub const ALL: [ScoreLine; 10] = [
        ScoreLine::CardsMelded,
        ScoreLine::CleanBooks,
        ScoreLine::DirtyBooks,
        ScoreLine::WildBooks,
        ScoreLine::RedThreesLaid,
        ScoreLine::GoingOut,
        ScoreLine::ExactPicks,
        ScoreLine::CardsHeld,
        ScoreLine::BlackThreesHeld,
        ScoreLine::RedThreesHeld,
    ];

    /// Its name in data: lower case with underscores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ScoreLine::CardsMelded => "cards_melded",
            ScoreLine::CleanBooks => "clean_books",
            ScoreLine::DirtyBooks => "dirty_books",
            ScoreLine::WildBooks => "wild_books",
            ScoreLine::RedThreesLaid => "red_threes_laid",
            ScoreLine::GoingOut => "going_out",
            ScoreLine::ExactPicks => "exact_picks",
            ScoreLine::CardsHeld => "cards_held",
            ScoreLine::BlackThreesHeld => "black_threes_held",
            ScoreLine::RedThreesHeld => "red_threes_held",
        }
    }

    /// Whether rules can put anything on this line. What is kept of a score under rules that never
    /// use a line leaves it out.
    #[must_use]
    pub fn is_used_by(self, rules: &Rules) -> bool {
        match self {
            ScoreLine::CardsMelded
            | ScoreLine::CleanBooks
            | ScoreLine::DirtyBooks
            | ScoreLine::WildBooks
            | ScoreLine::RedThreesLaid
            | ScoreLine::GoingOut
            | ScoreLine::CardsHeld
            | ScoreLine::BlackThreesHeld
            | ScoreLine::RedThreesHeld => true,
            ScoreLine::ExactPicks => rules.has_exact_pick(),
        }
    }

    const fn index(self) -> usize {
        self as usize
    }
}

/// How many there were, and the points they brought; points may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Line {
    /// Cards, books or times.
    pub count: u16,
    /// Points, negative if they count against.
    pub points: i32,
}

/// A team's score of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RoundScore([Line; ScoreLine::ALL.len()]);

impl RoundScore {
    /// One line.
    #[must_use]
    pub const fn line(&self, line: ScoreLine) -> Line {
        self.0[line.index()]
    }

    /// Counts `count` more on a line, at `each` points.
    pub fn count(&mut self, line: ScoreLine, count: u16, each: i32) {
        let entry = &mut self.0[line.index()];
        entry.count += count;
        entry.points += i32::from(count) * each;
    }

    /// Adds points to a line without counting.
    pub fn points(&mut self, line: ScoreLine, points: i32) {
        self.0[line.index()].points += points;
    }

    /// Every line with its name, in order.
    pub fn lines(&self) -> impl Iterator<Item = (ScoreLine, Line)> + '_ {
        ScoreLine::ALL.into_iter().map(|line| (line, self.line(line)))
    }

    /// Points of the books alone, one of the two scores that tables keep.
    #[must_use]
    pub fn books(&self) -> i32 {
        [ScoreLine::CleanBooks, ScoreLine::DirtyBooks, ScoreLine::WildBooks]
            .into_iter()
            .map(|line| self.line(line).points)
            .sum()
    }

    /// All lines together.
    #[must_use]
    pub fn total(&self) -> i32 {
        self.0.iter().map(|line| line.points).sum()
    }
}
