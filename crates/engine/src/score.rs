//! The end of a round: every card is shown and counted.

use handfoot_cards::{Cards, Role};
use handfoot_rules::{MeldKind, RoundScore, ScoreLine, UnfinishedSecond};
use handfoot_view::{Event, MeldRank, RoundEnd, RoundResult, Seat, ShownCards, Team};

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
        for (id, meld) in table.melds.iter().enumerate() {
            let shape = meld.shape();
            let is_second = || table.melds[..id].iter().any(|other| other.rank() == shape.rank);
            let points = match rules.draft().unfinished_second {
                UnfinishedSecond::Minus if !shape.is_book(rules) && is_second() => {
                    -meld.points(rules)
                }
                UnfinishedSecond::Minus | UnfinishedSecond::Plus => meld.points(rules),
            };
            score.count(ScoreLine::CardsMelded, u16::from(shape.size()), 0);
            score.points(ScoreLine::CardsMelded, points);
            if shape.is_book(rules) {
                let rank = match shape.rank {
                    MeldRank::Natural(kind) => Some(kind),
                    MeldRank::Wild => None,
                };
                let line = match shape.kind() {
                    MeldKind::Clean => ScoreLine::CleanBooks,
                    MeldKind::Dirty => ScoreLine::DirtyBooks,
                    MeldKind::Wild => ScoreLine::WildBooks,
                };
                score.count(line, 1, rules.book_bonus(rank, shape.kind()));
            }
        }
        let laid = rules.draft().red_three.laid.unwrap_or_default();
        score.count(ScoreLine::RedThreesLaid, u16::from(table.red_threes_laid()), laid);
        if let RoundEnd::WentOut(seat) = how
            && self.table.team_of(seat) == team
        {
            score.count(ScoreLine::GoingOut, 1, rules.draft().out_bonus);
        }
        for seat in Seat::all(rules.seats()).filter(|seat| self.table.team_of(*seat) == team) {
            let left = &shown[seat.index()];
            for cards in std::iter::once(&left.own).chain(&left.packets) {
                self.count_held(&mut score, cards);
            }
        }
        score
    }

    /// Counts cards held against a team. Rule: HF-10.1, HF-10.4
    fn count_held(&self, score: &mut RoundScore, cards: &Cards) {
        let rules = &self.rules;
        for (card, count) in cards.faces() {
            let kind = card.kind();
            let (line, each) = match rules.role(kind) {
                Role::Natural | Role::Wild => (ScoreLine::CardsHeld, -rules.value(kind)),
                Role::BlackThree => (ScoreLine::BlackThreesHeld, -rules.value(kind)),
                Role::RedThree => (ScoreLine::RedThreesHeld, rules.draft().red_three.held),
            };
            score.count(line, u16::from(count), each);
        }
    }
}
