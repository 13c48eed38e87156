//! Score sheets and the melds on them.
//!
//! **Invariant:** a sheet is sent and never read: whoever has the results makes it anew.

use handfoot_rules::RoundScore;
use handfoot_view::{
    MELDS_MAX, MeldShape, RoundSheet, ScoreSheet, ScoredMeld, SeatHeld, Team, TeamSheet,
};

use crate::codec::{Codec, number, seat, team};
use crate::decode::{At, DecodeError};
use crate::score::{LINE_MAX, encode_score, round_end};
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
            cards: u32::from(held.cards),
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
            score: Some(self.team_score(of, &sheet.score, &sheet.melds)),
            cards: sheet.cards,
            running_total: sheet.running_total,
        }
    }

    /// A team's score of one round, its melds included.
    pub(crate) fn team_score(
        self,
        of: Team,
        score: &RoundScore,
        melds: &[ScoredMeld],
    ) -> v1::TeamScore {
        let melds = melds.iter().map(|meld| self.scored_meld(meld)).collect();
        v1::TeamScore { melds, ..encode_score(of, score) }
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

    /// The melds of all teams; none if none were kept.
    pub(crate) fn read_scored(
        self,
        scores: &[v1::TeamScore],
        at: At<'_>,
    ) -> Result<Vec<Vec<ScoredMeld>>, DecodeError> {
        if scores.iter().all(|score| score.melds.is_empty()) {
            return Ok(Vec::new());
        }
        let of_team = |(index, score): (usize, &v1::TeamScore)| {
            let at = at.entry(index);
            let at = at.field("melds");
            at.at_most(score.melds.len(), MELDS_MAX)?;
            let melds = score.melds.iter().enumerate();
            melds.map(|(index, meld)| self.read_scored_meld(meld, at.entry(index))).collect()
        };
        scores.iter().enumerate().map(of_team).collect()
    }

    fn read_scored_meld(
        self,
        meld: &v1::ScoredMeld,
        at: At<'_>,
    ) -> Result<ScoredMeld, DecodeError> {
        let rank = self.read_rank(meld.rank, at.field("rank"))?;
        let naturals: u8 = at.field("naturals").number(meld.naturals, u8::MAX)?;
        let wilds = at.field("wilds").number(meld.wilds, u8::MAX - naturals)?;
        let shape = MeldShape { rank, naturals, wilds };
        let most = i64::from(LINE_MAX);
        Ok(ScoredMeld {
            shape,
            points: at.field("points").number_from(meld.points, -most, LINE_MAX)?,
            bonus: at.field("bonus").number_from(meld.bonus, -most, LINE_MAX)?,
        })
    }
}
