//! The end of a round: every card is shown and counted.

use std::num::NonZero;

use handfoot_cards::Cards;
use handfoot_rules::{BookNeeded, MeldKind, RoundScore, ScoreLine, UnfinishedSecond};
use handfoot_view::{
    Event, Meld, MeldRank, RoundEnd, RoundMelds, RoundResult, ScoredMeld, Seat, ShownCards, Team,
    TeamTable, held_value,
};

use crate::event::Events;
use crate::state::State;

impl State {
    /// Scores the round and ends it. Rule: HF-9.1, HF-9.2, HF-10.1 to HF-10.4, HF-11.3
    pub(crate) fn end_round(&mut self, how: RoundEnd, events: &mut Events) {
        self.way_out = None;
        let seats = Seat::all(self.rules.seats());
        let shown: Vec<ShownCards> = seats
            .map(|seat| ShownCards {
                own: self.hidden.own[seat.index()].clone(),
                packets: self
                    .packets_left(seat)
                    .map(|packet| packet.iter().copied().collect())
                    .collect(),
            })
            .collect();
        let scores =
            Team::all(self.rules.teams()).map(|team| self.score(team, how, &shown)).collect();
        let result = RoundResult {
            round_index: self.table.round_index,
            how,
            turns: self.table.turns,
            scores,
            shown,
            seed: self.round_seed,
        };
        self.emit(Event::RoundEnded { result: Box::new(result) }, events);
    }

    /// A team's score. Rule: HF-10.1 to HF-10.4, HF-10.9, HF-10.10
    fn score(&self, team: Team, how: RoundEnd, shown: &[ShownCards]) -> RoundScore {
        let rules = &self.rules;
        let table = &self.table.teams[team.index()];
        let mut score = RoundScore::default();
        for ScoredMeld { shape, points, bonus } in self.melds(team) {
            score.count(ScoreLine::CardsMelded, u16::from(shape.size()), 0);
            score.points(ScoreLine::CardsMelded, points);
            if shape.is_book(rules) {
                let line = match shape.kind() {
                    MeldKind::Clean => ScoreLine::CleanBooks,
                    MeldKind::Dirty => ScoreLine::DirtyBooks,
                    MeldKind::Wild => ScoreLine::WildBooks,
                };
                score.count(line, 1, bonus);
            }
        }
        self.count_red_threes(&mut score, table);
        if let RoundEnd::WentOut(seat) = how
            && self.table.team_of(seat) == team
        {
            score.count(ScoreLine::GoingOut, 1, rules.draft().out_bonus);
        }
        let of_team = |seat: &Seat| self.table.team_of(*seat) == team;
        let exact = NonZero::new(self.table.round(rules).lifted());
        let exact =
            |seat: &Seat| rules.has_exact_pick() && self.table.seats[seat.index()].lifted == exact;
        for _ in Seat::all(rules.seats()).filter(of_team).filter(exact) {
            score.count(ScoreLine::ExactPicks, 1, rules.draft().exact_pick.bonus);
        }
        for seat in Seat::all(rules.seats()).filter(|seat| self.table.team_of(*seat) == team) {
            let left = &shown[seat.index()];
            for cards in std::iter::once(&left.own).chain(&left.packets) {
                self.count_held(&mut score, cards);
            }
        }
        score
    }

    /// Red threes laid: each by itself or all at their own price, against the team if it lacks the
    /// book that they need. Rule: HF-10.4, HF-10.8
    fn count_red_threes(&self, score: &mut RoundScore, table: &TeamTable) {
        let red = self.rules.draft().red_three;
        let laid = u16::from(table.red_threes_laid());
        let each = red.laid.unwrap_or_default();
        let in_round = self.table.cards_in_round(&self.rules);
        let faces = self.rules.pack().red_three_faces();
        let all: u16 = faces.iter().map(|face| u16::from(in_round.count(*face))).sum();
        let points = match red.all {
            Some(points) if laid == all && laid > 0 => points,
            Some(_) | None => i32::from(laid) * each,
        };
        let sign = match red.needs {
            Some(needed) if !self.has_book(table, needed) => -1,
            Some(_) | None => 1,
        };
        score.count(ScoreLine::RedThreesLaid, laid, 0);
        score.points(ScoreLine::RedThreesLaid, sign * points);
    }

    fn has_book(&self, table: &TeamTable, needed: BookNeeded) -> bool {
        let rules = &self.rules;
        let mut books = table.shapes().map(|(_, shape)| shape).filter(|s| s.is_book(rules));
        books.any(|shape| match (needed, shape.kind()) {
            (BookNeeded::Any, _)
            | (BookNeeded::Clean, MeldKind::Clean)
            | (BookNeeded::Dirty, MeldKind::Dirty)
            | (BookNeeded::Wild, MeldKind::Wild) => true,
            (BookNeeded::Sevens, MeldKind::Clean) => match shape.rank {
                MeldRank::Natural(kind) => {
                    let name = rules.pack().kind_name(kind);
                    rules.draft().special.iter().any(|special| special.rank == name)
                }
                MeldRank::Wild => false,
            },
            (
                BookNeeded::Clean | BookNeeded::Dirty | BookNeeded::Wild | BookNeeded::Sevens,
                MeldKind::Clean | MeldKind::Dirty | MeldKind::Wild,
            ) => false,
        })
    }

    /// The melds of every team, as they lie when the round has ended. Rule: HF-10.20
    pub(crate) fn scored_melds(&self) -> RoundMelds {
        Team::all(self.rules.teams()).map(|team| self.melds(team)).collect()
    }

    /// Each meld and book of a team, and what it pays. Rule: HF-10.1, HF-10.2
    fn melds(&self, team: Team) -> Vec<ScoredMeld> {
        let rules = &self.rules;
        let melds = &self.table.teams[team.index()].melds;
        let scored = |(id, meld): (usize, &Meld)| {
            let shape = meld.shape();
            let is_second = || melds[..id].iter().any(|other| other.rank() == shape.rank);
            let points = match rules.draft().unfinished_second {
                UnfinishedSecond::Minus if !shape.is_book(rules) && is_second() => {
                    -meld.points(rules)
                }
                UnfinishedSecond::Minus | UnfinishedSecond::Plus => meld.points(rules),
            };
            ScoredMeld { shape, points, bonus: shape.book_bonus(rules) }
        };
        melds.iter().enumerate().map(scored).collect()
    }

    /// Counts cards held against a team. Rule: HF-10.1, HF-10.4
    fn count_held(&self, score: &mut RoundScore, cards: &Cards) {
        for (card, count) in cards.faces() {
            let (line, each) = held_value(card, &self.rules);
            score.count(line, u16::from(count), each);
        }
    }
}
