//! The score sheet of a game: its finished rounds line by line, with subtotals, running totals and
//! who leads.
//!
//! **Invariant:** follows from finished rounds and the rules alone, so that whoever has seen them
//! has the same sheet.

use handfoot_cards::{Card, Cards, Role};
use handfoot_rules::{RoundScore, Rules, ScoreLine};

use crate::{MeldShape, RoundEnd, RoundResult, Seat, Team};

/// A meld or book as it lay when the round ended, and what it paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScoredMeld {
    /// What was in it.
    pub shape: MeldShape,
    /// Its card points; may be negative. Rule: HF-10.1
    pub points: i32,
    /// What it paid as a book; 0 if it was not complete. Rule: HF-10.2
    pub bonus: i32,
}

impl ScoredMeld {
    /// What it paid in all.
    #[must_use]
    pub const fn total(&self) -> i32 {
        self.points + self.bonus
    }
}

/// The melds that lay when a round ended, by [`Team::index`].
pub type RoundMelds = Vec<Vec<ScoredMeld>>;

/// All finished rounds of a game.
///
/// # Visibility
///
/// All: it holds what was shown when the rounds ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoreSheet {
    /// The rounds, in order.
    pub rounds: Vec<RoundSheet>,
    /// Points of all rounds, by [`Team::index`].
    pub totals: Vec<i32>,
    /// Teams with the highest total; several if they are equal.
    pub leaders: Vec<Team>,
    /// Rounds in which a team had the highest score, shared ones too; by [`Team::index`].
    pub rounds_won: Vec<u16>,
    /// Turns of all rounds.
    pub turns: u32,
}

/// One finished round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundSheet {
    /// Rounds before it.
    pub round_index: u16,
    /// How it ended.
    pub how: RoundEnd,
    /// Turns begun.
    pub turns: u16,
    /// By [`Team::index`].
    pub teams: Vec<TeamSheet>,
    /// What was held when it ended, by [`Seat::index`].
    pub held: Vec<SeatHeld>,
    /// Teams with the highest score of the round.
    pub winners: Vec<Team>,
}

/// A team's part of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamSheet {
    /// Its lines; the points of books, of everything else and of all follow from them.
    pub score: RoundScore,
    /// Points of the books alone, one of the two scores that tables keep.
    pub books_points: i32,
    /// Points of everything else, the other one.
    pub other_points: i32,
    /// Points of the round.
    pub total: i32,
    /// Points of this round and all before it.
    pub running_total: i32,
    /// Each meld and book; none if they were not kept.
    pub melds: Vec<ScoredMeld>,
}

/// What one seat held when the round ended, packets not taken up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatHeld {
    /// Cards.
    pub n_cards: u16,
    /// Their points for the team, most often negative.
    pub points: i32,
}

impl ScoreSheet {
    /// The sheet of finished rounds, with each team's melds by round where they were kept.
    /// Rule: HF-10.20
    #[must_use]
    pub fn of(history: &[RoundResult], melds: &[RoundMelds], rules: &Rules) -> ScoreSheet {
        let mut sheet = ScoreSheet {
            totals: vec![0; rules.teams()],
            rounds_won: vec![0; rules.teams()],
            ..ScoreSheet::default()
        };
        for (index, result) in history.iter().enumerate() {
            let melds = melds.get(index).map_or(&[][..], Vec::as_slice);
            let round = RoundSheet::of(result, melds, &mut sheet.totals, rules);
            for winner in &round.winners {
                sheet.rounds_won[winner.index()] += 1;
            }
            sheet.turns += u32::from(round.turns);
            sheet.rounds.push(round);
        }
        sheet.leaders = leading(sheet.totals.iter().copied()).collect();
        sheet
    }
}

impl RoundSheet {
    fn of(
        result: &RoundResult,
        melds: &[Vec<ScoredMeld>],
        totals: &mut [i32],
        rules: &Rules,
    ) -> RoundSheet {
        let mut teams = Vec::with_capacity(result.scores.len());
        for (index, score) in result.scores.iter().enumerate() {
            // A server can send rounds that no game has: their sum stops at the end of the range.
            totals[index] = totals[index].saturating_add(score.total());
            teams.push(TeamSheet {
                score: *score,
                books_points: score.books(),
                other_points: score.total() - score.books(),
                total: score.total(),
                running_total: totals[index],
                melds: melds.get(index).cloned().unwrap_or_default(),
            });
        }
        let winners = leading(teams.iter().map(|team| team.total)).collect();
        let held = result.shown.iter().map(|shown| {
            let all = std::iter::once(&shown.own).chain(&shown.packets);
            SeatHeld::of(all, rules)
        });
        RoundSheet {
            round_index: result.round_index,
            how: result.how,
            turns: result.turns,
            teams,
            held: held.collect(),
            winners,
        }
    }

    /// The seats with what they held.
    pub fn seats(&self) -> impl Iterator<Item = (Seat, SeatHeld)> + '_ {
        Seat::all(self.held.len()).zip(self.held.iter().copied())
    }
}

impl SeatHeld {
    fn of<'a>(packets: impl Iterator<Item = &'a Cards>, rules: &Rules) -> SeatHeld {
        let mut held = SeatHeld::default();
        for (card, count) in packets.flat_map(Cards::faces) {
            held.n_cards += u16::from(count);
            held.points += i32::from(count) * held_value(card, rules).1;
        }
        held
    }
}

/// On which line a card that is held counts, and its points for the team. Rule: HF-10.1, HF-10.4
#[must_use]
pub fn held_value(card: Card, rules: &Rules) -> (ScoreLine, i32) {
    let kind = card.kind();
    match rules.role(kind) {
        Role::Natural | Role::Wild => (ScoreLine::CardsHeld, -rules.value(kind)),
        Role::BlackThree => (ScoreLine::BlackThreesHeld, -rules.value(kind)),
        Role::RedThree => (ScoreLine::RedThreesHeld, rules.draft().red_three.held),
    }
}

/// The teams with the most points, all of them if they are equal, of points by [`Team::index`].
/// Rule: HF-10.5
pub(crate) fn leading(points: impl Iterator<Item = i32> + Clone) -> impl Iterator<Item = Team> {
    let most = points.clone().max();
    let teams = Team::all(points.clone().count()).zip(points);
    teams.filter(move |(_, points)| Some(*points) == most).map(|(team, _)| team)
}
