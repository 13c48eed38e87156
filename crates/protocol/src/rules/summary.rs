//! What a rule set means in numbers, as it is sent.
//!
//! **Invariant:** nothing is reckoned here; the handbook gives the figures.

use handfoot_handbook::{Expected, Figures, KindFigures, Range, RoundFigures};
use handfoot_rules::Rules;

use super::words;
use crate::codec::number;
use crate::v1;
use crate::view::count;

/// What a rule set means for cards, deals and time.
#[must_use]
pub fn encode_summary(rules: &Rules) -> v1::RulesSummary {
    let figures = Figures::of(rules);
    let first = figures.rounds.first();
    let of_first = |value: fn(&RoundFigures) -> usize| number(first.map_or(0, value));
    let each = |round: &RoundFigures| round.packets.iter().map(|size| usize::from(*size)).sum();
    v1::RulesSummary {
        decks: number(figures.decks.unwrap_or(0)),
        pack_cards: number(figures.pack_cards),
        dealt_per_seat: of_first(each),
        dealt: of_first(|round| round.dealt),
        stock: of_first(|round| round.stock),
        stock_per_seat: of_first(|round| round.stock_per_seat),
        teams: number(rules.teams()),
        kinds: figures.kinds.iter().map(encode_kind).collect(),
        rounds: figures.rounds.iter().map(encode_round).collect(),
        expected: Some(encode_expected(figures.expected, figures.seconds_per_turn)),
    }
}

fn encode_kind(kind: &KindFigures) -> v1::KindSummary {
    v1::KindSummary {
        name: kind.name.clone(),
        word: kind.word.clone(),
        role: words::role(kind.role),
        number: number(kind.number),
        points: kind.points,
    }
}

fn encode_round(round: &RoundFigures) -> v1::RoundSummary {
    v1::RoundSummary {
        round_number: number(round.round_number),
        packets: round.packets.iter().map(|size| count(*size)).collect(),
        draw: count(round.draw),
        dealt: number(round.dealt),
        stock: number(round.stock),
        stock_per_seat: number(round.stock_per_seat),
    }
}

fn encode_expected(expected: Expected, seconds_per_turn: usize) -> v1::ExpectedLength {
    let estimate = |range: Range| {
        let (least, likely, most) = (number(range.least), number(range.likely), number(range.most));
        Some(v1::Estimate { least, likely, most })
    };
    v1::ExpectedLength {
        turns_per_round: estimate(expected.turns_per_round),
        rounds: estimate(expected.rounds),
        minutes: estimate(expected.minutes),
        seconds_per_turn: number(seconds_per_turn),
    }
}
