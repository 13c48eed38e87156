//! Score sheets and the melds on them.
//!
//! **Invariant:** a sheet is sent and never read: whoever has the results makes it anew.

use handfoot_view::{RoundSheet, ScoreSheet, ScoredMeld, SeatHeld, Team, TeamSheet};

use crate::codec::{Codec, number, seat, team};
use crate::score::{encode_score, round_end};
use crate::v1;

impl Codec<'_> {
    /// A score sheet as it is sent.
    #[must_use]
    pub fn encode_sheet(&self, sheet: &ScoreSheet) -> v1::ScoreSheet {
        v1::ScoreSheet {
            rounds: sheet.rounds.iter().map(|round| self.round_sheet(round)).collect(),
            totals: sheet.totals.clone(),
            leaders: sheet.leaders.iter().copied().map(team).collect(),
            rounds_won: sheet.rounds_won.iter().copied().map(u32::from).collect(),
            turns: sheet.turns,
        }
    }

    fn round_sheet(self, round: &RoundSheet) -> v1::RoundSheet {
        let held = |(of, held): (_, SeatHeld)| v1::SeatHeld {
            seat: seat(of),
            n_cards: u32::from(held.n_cards),
            points: held.points,
        };
        let teams = Team::all(round.teams.len()).zip(&round.teams);
        v1::RoundSheet {
            round_index: u32::from(round.round_index),
            end: Some(round_end(round.how)),
            turns: u32::from(round.turns),
            teams: teams.map(|(of, sheet)| self.team_sheet(of, sheet)).collect(),
            held: round.seats().map(held).collect(),
            winners: round.winners.iter().copied().map(team).collect(),
        }
    }

    fn team_sheet(self, of: Team, sheet: &TeamSheet) -> v1::TeamSheet {
        v1::TeamSheet {
            score: Some(encode_score(of, &sheet.score)),
            other_points: sheet.other_points,
            running_total: sheet.running_total,
            melds: sheet.melds.iter().map(|meld| self.scored_meld(meld)).collect(),
        }
    }

    fn scored_meld(self, meld: &ScoredMeld) -> v1::ScoredMeld {
        let shape = meld.shape;
        v1::ScoredMeld {
            rank: self.rank(shape.rank),
            naturals: number(usize::from(shape.naturals)),
            wilds: number(usize::from(shape.wilds)),
            points: meld.points,
            bonus: meld.bonus,
        }
    }
}
