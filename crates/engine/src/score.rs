//! The end of a round: every card is shown and counted.

use handfoot_cards::Cards;
use handfoot_rules::{MeldKind, RoundScore, ScoreLine};
use handfoot_view::{
    Event, Meld, RoundEnd, RoundMelds, RoundResult, ScoredMeld, Seat, ShownCards, Team, held_value,
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

    fn score(&self, team: Team, how: RoundEnd, shown: &[ShownCards]) -> RoundScore {
        let rules = &self.rules;
        let table = &self.table.teams[team.index()];
        let mut score = RoundScore::default();
        for meld in &table.melds {
            let shape = meld.shape();
            score.count(ScoreLine::CardsMelded, u16::from(shape.size()), 0);
            score.points(ScoreLine::CardsMelded, meld.points(rules));
            if shape.is_book(rules) {
                let line = match shape.kind() {
                    MeldKind::Clean => ScoreLine::CleanBooks,
                    MeldKind::Dirty => ScoreLine::DirtyBooks,
                    MeldKind::Wild => ScoreLine::WildBooks,
                };
                score.count(line, 1, rules.book_bonus(shape.kind()));
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

    /// The melds of every team, as they lie when the round has ended. Rule: HF-10.20
    pub(crate) fn scored_melds(&self) -> RoundMelds {
        Team::all(self.rules.teams()).map(|team| self.melds(team)).collect()
    }

    /// Each meld and book of a team, and what it pays. Rule: HF-10.1, HF-10.2
    fn melds(&self, team: Team) -> Vec<ScoredMeld> {
        let rules = &self.rules;
        let scored = |meld: &Meld| {
            let shape = meld.shape();
            let bonus = match shape.is_book(rules) {
                true => rules.book_bonus(shape.kind()),
                false => 0,
            };
            ScoredMeld { shape, points: meld.points(rules), bonus }
        };
        self.table.teams[team.index()].melds.iter().map(scored).collect()
    }

    /// Counts cards held against a team. Rule: HF-10.1, HF-10.4
    fn count_held(&self, score: &mut RoundScore, cards: &Cards) {
        for (card, count) in cards.faces() {
            let (line, each) = held_value(card, &self.rules);
            score.count(line, u16::from(count), each);
        }
    }
}
