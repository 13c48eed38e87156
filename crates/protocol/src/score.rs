//! Finished rounds and score sheets, both ways.
//!
//! **Invariant:** totals are sent for convenience and never read.

use handfoot_cards::Cards;
use handfoot_rules::limits::PACKETS_MAX;
use handfoot_rules::{RoundScore, ScoreLine};
use handfoot_view::{RoundEnd, RoundResult, Seat, ShownCards, Team};

use crate::codec::{Codec, seat, team};
use crate::decode::{At, DecodeError, DecodeProblem, pairs};
use crate::v1;

pairs! {
    score_line / read_score_line: ScoreLine = ScoreLine {
        CardsMelded = CardsMelded,
        CleanBooks = CleanBooks,
        DirtyBooks = DirtyBooks,
        WildBooks = WildBooks,
        RedThreesLaid = RedThreesLaid,
        GoingOut = GoingOut,
        ExactPicks = ExactPicks,
        CardsHeld = CardsHeld,
        BlackThreesHeld = BlackThreesHeld,
        RedThreesHeld = RedThreesHeld,
    }
}

/// A team's score of one round as it is sent.
#[must_use]
pub fn encode_score(of: Team, score: &RoundScore) -> v1::TeamScore {
    let lines = score.lines().filter(|(_, line)| line.count != 0 || line.points != 0).map(
        |(name, line)| v1::ScoreEntry {
            line: score_line(name),
            count: u32::from(line.count),
            points: line.points,
        },
    );
    v1::TeamScore {
        team: team(of),
        lines: lines.collect(),
        total: score.total(),
        books: score.books(),
    }
}

fn read_score(score: &v1::TeamScore, of: Team, at: At<'_>) -> Result<RoundScore, DecodeError> {
    if score.team != team(of) {
        return Err(at.field("team").error(DecodeProblem::Misplaced));
    }
    let at = at.field("lines");
    at.at_most(score.lines.len(), ScoreLine::ALL.len())?;
    let mut read = RoundScore::default();
    let mut last = None;
    for (index, entry) in score.lines.iter().enumerate() {
        let at = at.entry(index);
        let line = read_score_line(entry.line, at.field("line"))?;
        if last.is_some_and(|last| last >= line) {
            return Err(at.field("line").error(DecodeProblem::Misplaced));
        }
        last = Some(line);
        read.count(line, at.field("count").number(entry.count, u16::MAX)?, 0);
        read.points(line, at.field("points").number_from(entry.points, -POINTS_MAX, LINE_MAX)?);
    }
    Ok(read)
}

/// Points of one line, either way: the lines of a round can be summed. What rounds come to is
/// bounded where they are summed.
const LINE_MAX: i32 = 100_000_000 / 16;
const POINTS_MAX: i64 = LINE_MAX as i64;

impl Codec<'_> {
    /// A finished round as it is sent.
    #[must_use]
    pub fn encode_result(&self, result: &RoundResult) -> v1::RoundResult {
        let scores = Team::all(result.scores.len()).zip(&result.scores);
        let shown = Seat::all(result.shown.len()).zip(&result.shown);
        v1::RoundResult {
            round_index: u32::from(result.round_index),
            end: Some(round_end(result.how)),
            turns: u32::from(result.turns),
            scores: scores.map(|(team, score)| encode_score(team, score)).collect(),
            shown: shown.map(|(of, shown)| self.shown(of, shown)).collect(),
            seed: result.seed.to_vec(),
        }
    }

    /// A received result.
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`].
    pub fn decode_result(&self, result: &v1::RoundResult) -> Result<RoundResult, DecodeError> {
        self.read_result(result, At::Root)
    }

    fn shown(self, of: Seat, shown: &ShownCards) -> v1::ShownCards {
        let packet = |cards: &Cards| v1::CardList { cards: self.cards(cards) };
        v1::ShownCards {
            seat: seat(of),
            own: self.cards(&shown.own),
            packets: shown.packets.iter().map(packet).collect(),
        }
    }

    pub(crate) fn read_result(
        self,
        result: &v1::RoundResult,
        at: At<'_>,
    ) -> Result<RoundResult, DecodeError> {
        let at_scores = at.field("scores");
        at_scores.exactly(result.scores.len(), self.rules.teams())?;
        let scores = Team::all(result.scores.len()).zip(&result.scores).enumerate();
        let scores =
            scores.map(|(index, (of, score))| read_score(score, of, at_scores.entry(index)));
        let at_shown = at.field("shown");
        at_shown.exactly(result.shown.len(), self.rules.seats())?;
        let shown = Seat::all(result.shown.len()).zip(&result.shown).enumerate();
        let shown =
            shown.map(|(index, (of, cards))| self.read_shown(cards, of, at_shown.entry(index)));
        Ok(RoundResult {
            round_index: at.field("round_index").number(result.round_index, u16::MAX)?,
            how: self.read_round_end(result.end.as_ref(), at.field("end"))?,
            turns: at.field("turns").number(result.turns, u16::MAX)?,
            scores: scores.collect::<Result<_, _>>()?,
            shown: shown.collect::<Result<_, _>>()?,
            seed: at.field("seed").bytes(&result.seed)?,
        })
    }

    fn read_shown(
        self,
        shown: &v1::ShownCards,
        of: Seat,
        at: At<'_>,
    ) -> Result<ShownCards, DecodeError> {
        if shown.seat != seat(of) {
            return Err(at.field("seat").error(DecodeProblem::Misplaced));
        }
        let at_packets = at.field("packets");
        at_packets.at_most(shown.packets.len(), PACKETS_MAX)?;
        let packets = shown.packets.iter().enumerate().map(|(index, packet)| {
            let at = at_packets.entry(index);
            self.read_cards(&packet.cards, at.field("cards"))
        });
        Ok(ShownCards {
            own: self.read_cards(&shown.own, at.field("own"))?,
            packets: packets.collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn read_round_end(
        self,
        end: Option<&v1::RoundEnd>,
        at: At<'_>,
    ) -> Result<RoundEnd, DecodeError> {
        let end = at.set(end)?;
        let seat = self.read_seat(end.seat, at.field("seat"))?;
        let at = at.field("cause");
        match at.known::<v1::RoundEndCause>(end.cause)? {
            v1::RoundEndCause::Unspecified => at.unspecified(),
            v1::RoundEndCause::WentOut => Ok(RoundEnd::WentOut(seat)),
            v1::RoundEndCause::StockRanOut => Ok(RoundEnd::StockRanOut(seat)),
        }
    }
}

/// How a round ended, as it is sent.
pub(crate) fn round_end(how: RoundEnd) -> v1::RoundEnd {
    let (cause, of) = match how {
        RoundEnd::WentOut(seat) => (v1::RoundEndCause::WentOut, seat),
        RoundEnd::StockRanOut(seat) => (v1::RoundEndCause::StockRanOut, seat),
    };
    v1::RoundEnd { cause: cause as i32, seat: seat(of) }
}
