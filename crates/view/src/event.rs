//! What happened, as one viewer may know it, and how a view follows from it.
//!
//! The engine changes its public table by these same events, so that a client that applies them
//! has the server's table by construction.

use std::num::NonZero;

use handfoot_cards::{Card, Cards, KindCounts, Role};
use handfoot_rules::{HandRule, RedThreeMode, RoundScore, Rules};

use crate::{
    Answer, Asked, Cap, Drew, FootStage, LaidCard, Lay, Meld, MeldId, MeldRank, Phase, PublicTable,
    Refill, RoundEnd, Seat, Seen, Target, Undo,
};

/// Cards that some see and others only count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concealed {
    /// Their faces.
    Faces(Cards),
    /// Only how many there are.
    Backs(u16),
}

impl Concealed {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u16 {
        match self {
            Concealed::Faces(cards) => u16::try_from(cards.len()).unwrap_or(u16::MAX),
            Concealed::Backs(count) => *count,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their backs.
    #[must_use]
    pub fn backs(&self) -> Concealed {
        Concealed::Backs(self.len())
    }
}

/// One thing that happened. Consequences are events of their own, after what caused them.
///
/// # Visibility
///
/// Its viewer; [`Concealed`] cards are faces for their owner and backs for all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A round was dealt; each seat's hand follows. Rule: HF-1.3
    RoundBegan {
        /// Rounds begun before.
        round_index: u16,
        /// Who dealt.
        dealer: Seat,
        /// The first card of the discard pile, if any.
        upcard: Option<Card>,
        /// Faces of the cards turned and buried. Rule: HF-1.4
        buried: Cards,
        /// Cards in the stock.
        stock: u16,
        /// SHA-256 that binds the shuffle.
        commitment: [u8; 32],
    },
    /// A seat was dealt its hand.
    HandDealt {
        /// The seat.
        seat: Seat,
        /// Its hand.
        cards: Concealed,
    },
    /// It is told how many cards a seat lifted for its packets. Rule: HF-1.7
    Lifted {
        /// The seat.
        seat: Seat,
        /// The cards.
        cards: NonZero<u16>,
    },
    /// A seat's turn began.
    TurnBegan {
        /// The seat.
        seat: Seat,
    },
    /// A seat drew cards from the stock. Rule: HF-2.3
    Drew {
        /// The seat.
        seat: Seat,
        /// What it drew, red threes included.
        cards: Concealed,
        /// What for.
        cause: DrawCause,
    },
    /// A seat laid red threes. Rule: HF-3.1
    RedThreesLaid {
        /// The seat.
        seat: Seat,
        /// The red threes.
        cards: Cards,
    },
    /// A seat took the discard pile and laid the upcard with own cards. Rule: HF-5.1
    DiscardsTaken {
        /// The seat.
        seat: Seat,
        /// What it laid, the upcard included.
        lay: Lay,
    },
    /// A seat laid cards. Rule: HF-4.1
    Laid {
        /// The seat.
        seat: Seat,
        /// What and where.
        lay: Lay,
    },
    /// A seat laid cards that others do not see yet. Rule: HF-13.3
    LaidConcealed {
        /// The seat.
        seat: Seat,
        /// What and where; none for others.
        lay: Option<Lay>,
    },
    /// What a seat laid and others did not see is shown to them, all together. Rule: HF-13.4
    LaysShown {
        /// The seat.
        seat: Seat,
        /// What and where, act by act; none for the seat, at whose table they lie already.
        lays: Vec<Lay>,
    },
    /// A seat took back its newest lays. Rule: HF-2.6
    LaysUndone {
        /// The seat.
        seat: Seat,
        /// How many acts.
        acts: u8,
    },
    /// A seat asked whether it may take back lays. Rule: HF-13.1
    UndoAsked {
        /// The seat.
        seat: Seat,
        /// How many acts.
        acts: u8,
        /// Who answers first.
        answering: Seat,
    },
    /// Another seat said whether lays may be taken back. Rule: HF-13.1
    UndoAnswered {
        /// The other seat.
        seat: Seat,
        /// Its answer.
        answer: Answer,
        /// Who answers next, if that is still open.
        next: Option<Seat>,
    },
    /// A seat took up its next packet. Rule: HF-7.1, HF-7.2
    FootTakenUp {
        /// The seat.
        seat: Seat,
        /// The packet's cards.
        cards: Concealed,
        /// How it came to it.
        how: ToFoot,
    },
    /// A seat asked whether it may go out. Rule: HF-8.4
    AskedToGoOut {
        /// The seat.
        seat: Seat,
        /// Who answers first.
        answering: Seat,
    },
    /// A team-mate answered. Rule: HF-8.4
    Answered {
        /// The team-mate.
        seat: Seat,
        /// Its answer.
        answer: Answer,
        /// Who answers next, if that is still open.
        next: Option<Seat>,
    },
    /// A seat discarded a card. Rule: HF-2.4
    Discarded {
        /// The seat.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// The discard pile left play with the wild card on it. Rule: HF-9.4
    DiscardsRemoved {
        /// Its cards.
        count: u16,
    },
    /// Shuffled cards were put under the stock. Rule: HF-9.4 to HF-9.6
    StockRefilled {
        /// Where they came from.
        from: Refill,
        /// How many.
        count: u16,
    },
    /// A seat's turn ended without a discard. Rule: HF-7.5, HF-8.10, HF-9.7
    TurnPassed {
        /// The seat.
        seat: Seat,
    },
    /// The round ended and was scored. Rule: HF-9.1, HF-9.2
    RoundEnded {
        /// Scores, and all cards shown.
        result: Box<RoundResult>,
    },
}

/// What cards were drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawCause {
    /// The draw step.
    DrawStep,
    /// To replace red threes.
    Replacement,
}

/// How a seat came to its next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToFoot {
    /// It laid its last card and plays on. Rule: HF-7.1
    Ran,
    /// It had discarded its last card; its turn begins. Rule: HF-7.2
    Walked,
    /// Its turn ended; it plays from the packet in its next. Rule: HF-7.5
    AtTurnEnd,
}

/// A finished round.
///
/// # Visibility
///
/// All. Rule: HF-11.3
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundResult {
    /// Rounds before it.
    pub round_index: u16,
    /// How it ended.
    pub how: RoundEnd,
    /// Turns begun.
    pub turns: u16,
    /// By [`crate::Team::index`].
    pub scores: Vec<RoundScore>,
    /// What each seat was left with, by [`Seat::index`].
    pub shown: Vec<ShownCards>,
    /// The seed of the round's shuffle, against its commitment.
    pub seed: [u8; 32],
}

/// What a seat was left with when the round ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownCards {
    /// The cards it held.
    pub own: Cards,
    /// Packets not taken up, in order.
    pub packets: Vec<Cards>,
}

impl PublicTable {
    /// Follows an event. Events are facts: one that does not fit is a fault of its maker. Whoever is
    /// sent events asks [`PublicTable::fits`] first.
    ///
    /// # Panics
    ///
    /// Only if the event does not fit.
    pub fn apply(&mut self, event: &Event, rules: &Rules) {
        self.event_index += 1;
        match event {
            Event::RoundBegan { round_index, dealer, upcard, buried, stock, commitment } => {
                self.begin_round();
                self.round_index = *round_index;
                self.dealer = *dealer;
                self.discards.extend(*upcard);
                self.buried.clone_from(buried);
                self.stock = *stock;
                self.commitment = *commitment;
            }
            Event::HandDealt { seat, cards } => self.seats[seat.index()].held = cards.len(),
            Event::TurnBegan { seat } => {
                self.turns += 1;
                self.undos = 0;
                self.laid.clear();
                self.play_fresh(*seat, rules);
                self.phase = Phase::Draw { seat: *seat, asked: Asked::NotYet };
            }
            Event::Lifted { seat, cards } => self.seats[seat.index()].lifted = Some(*cards),
            Event::DiscardsRemoved { .. } => self.removed.append(&mut self.discards),
            Event::StockRefilled { from, count } => {
                self.refill(*from);
                self.stock += count;
            }
            Event::Drew { seat, cards, cause } => self.drew(*seat, cards.len(), *cause),
            Event::RedThreesLaid { seat, cards } => self.red_threes_laid(*seat, cards, rules),
            Event::DiscardsTaken { seat, lay } => self.discards_taken(*seat, lay, rules),
            Event::Laid { seat, lay } | Event::LaidConcealed { seat, lay: Some(lay) } => {
                self.place(*seat, lay, rules);
            }
            Event::LaidConcealed { lay: None, .. } => {}
            Event::LaysShown { seat, lays } => {
                lays.iter().for_each(|lay| self.place(*seat, lay, rules));
            }
            Event::LaysUndone { seat, acts } => {
                self.count_undo(Undo::OwnTurn);
                self.undo(*seat, *acts, rules);
            }
            Event::UndoAsked { seat, acts, answering } => {
                self.count_undo(Undo::ByConsent);
                self.undo_asked(*seat, *acts, *answering);
            }
            Event::UndoAnswered { answer, next, .. } => self.undo_answered(*answer, *next),
            Event::FootTakenUp { seat, cards, how } => {
                self.foot_taken_up(*seat, cards.len(), *how, rules);
            }
            Event::AskedToGoOut { seat, answering } => self.asked_to_go_out(*seat, *answering),
            Event::Answered { answer, next, .. } => self.answered(*answer, *next),
            Event::Discarded { seat, card } => {
                self.discards.push(*card);
                self.seats[seat.index()].held -= 1;
                let _ = self.seats[seat.index()].show(*card);
                self.end_turn(*seat, rules);
            }
            Event::TurnPassed { seat } => self.turn_passed(*seat, rules),
            Event::RoundEnded { result } => self.round_ended(result, rules),
        }
    }

    fn turn_passed(&mut self, seat: Seat, rules: &Rules) {
        let stage = self.seats[seat.index()].foot;
        let has_played = !self.laid.is_empty();
        let is_before_draw = self.is_draw_step();
        self.passes += u8::from(is_before_draw);
        self.end_turn(seat, rules);
        let nothing_played = match stage {
            FootStage::TakenUp => !has_played,
            FootStage::Begun => is_before_draw,
            FootStage::Waiting
            | FootStage::Pending
            | FootStage::Fresh
            | FootStage::Played
            | FootStage::FullTurn => false,
        };
        if nothing_played {
            self.seats[seat.index()].foot = FootStage::TakenUp;
        }
    }

    fn asked_to_go_out(&mut self, asker: Seat, answering: Seat) {
        let drew = match self.phase {
            Phase::Play { drew, .. } => Some(drew),
            Phase::Draw { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => None,
        };
        self.laid.clear();
        self.phase = Phase::AwaitAnswer { asker, answering, drew };
    }

    fn round_ended(&mut self, result: &RoundResult, rules: &Rules) {
        for (team, score) in self.teams.iter_mut().zip(&result.scores) {
            team.total += score.total();
        }
        self.laid.clear();
        let how = result.how;
        self.phase = match self.is_last_round(rules) {
            true => Phase::GameOver { how },
            false => Phase::RoundOver { how },
        };
    }

    fn begin_round(&mut self) {
        self.turns = 0;
        self.aside = 0;
        self.removed.clear();
        (self.refills, self.decks_added, self.passes) = (0, 0, 0);
        self.discards.clear();
        self.laid.clear();
        for team in &mut self.teams {
            team.melds.clear();
            team.red_threes.fill(0);
        }
        for seat in &mut self.seats {
            seat.held = 0;
            seat.packet = 0;
            seat.foot = FootStage::Waiting;
            seat.known = KindCounts::default();
            seat.lifted = None;
        }
    }

    fn drew(&mut self, seat: Seat, count: u16, cause: DrawCause) {
        self.stock -= count;
        self.seats[seat.index()].held += count;
        self.laid.clear();
        if let (DrawCause::DrawStep, Phase::Draw { seat, asked }) = (cause, self.phase) {
            self.phase = Phase::Play { seat, drew: Drew::Stock, asked };
            self.passes = 0;
        }
    }

    pub(crate) const fn is_draw_step(&self) -> bool {
        match self.phase {
            Phase::Draw { .. } => true,
            Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => false,
        }
    }

    /// A packet taken up when the last turn ended is played from now on. Rule: HF-7.5
    fn play_fresh(&mut self, seat: Seat, rules: &Rules) {
        let is_last = self.in_foot(seat, rules);
        let foot = &mut self.seats[seat.index()].foot;
        *foot = match *foot {
            FootStage::Fresh if !is_last => FootStage::Waiting,
            FootStage::Fresh => FootStage::Begun,
            stage @ (FootStage::Waiting
            | FootStage::Pending
            | FootStage::TakenUp
            | FootStage::Begun
            | FootStage::Played
            | FootStage::FullTurn) => stage,
        };
    }

    fn red_threes_laid(&mut self, seat: Seat, cards: &Cards, rules: &Rules) {
        let team = self.team_of(seat);
        for card in cards.iter() {
            self.seats[seat.index()].held -= 1;
            let _ = self.seats[seat.index()].show(card);
            self.teams[team.index()].red_threes[rules.pack().place(card)] += 1;
        }
    }

    fn discards_taken(&mut self, seat: Seat, lay: &Lay, rules: &Rules) {
        let count = self.take_count(rules);
        let rest = self.discards.len() - count;
        let Some(upcard) = self.discards.pop() else { return };
        // The upcard passes through the own cards for an instant, seen by all.
        self.receive(seat, upcard);
        self.place(seat, lay, rules);
        while self.discards.len() > rest {
            if let Some(card) = self.discards.pop() {
                self.receive(seat, card);
            }
        }
        self.laid.clear();
        self.passes = 0;
        let asked = match self.phase {
            Phase::Draw { asked, .. } => asked,
            Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => Asked::NotYet,
        };
        self.phase = Phase::Play { seat, drew: Drew::Discards, asked };
    }

    fn receive(&mut self, seat: Seat, card: Card) {
        let seat = &mut self.seats[seat.index()];
        seat.held += 1;
        seat.known[card.kind().index()] += 1;
    }

    /// Moves a seat's cards to its team's melds and remembers how to take them back.
    fn place(&mut self, seat: Seat, lay: &Lay, rules: &Rules) {
        let act = self.undoable();
        let team = self.team_of(seat).index();
        for placement in lay.placements() {
            let melds = &mut self.teams[team].melds;
            let index = match placement.target {
                Target::Meld(id) => id.index(),
                Target::New => {
                    melds.push(Meld::new(rank_of(placement.cards, rules)));
                    melds.len() - 1
                }
            };
            let Some(meld) = MeldId::from_index(index) else { continue };
            for card in placement.cards {
                self.put(team, index, *card, rules);
                self.seats[seat.index()].held -= 1;
                let seen = self.seats[seat.index()].show(*card);
                self.laid.push(LaidCard { act, meld, card: *card, seen });
            }
        }
    }

    /// Puts a card into a meld, or a red three on top of it. Rule: HF-3.8
    fn put(&mut self, team: usize, meld: usize, card: Card, rules: &Rules) {
        let team = &mut self.teams[team];
        match rules.role(card.kind()) {
            Role::RedThree => {
                team.melds[meld].set_cap(Cap::Capped);
                team.red_threes[rules.pack().place(card)] += 1;
            }
            Role::Natural | Role::Wild | Role::BlackThree => team.melds[meld].insert(card, rules),
        }
    }

    fn take_back(&mut self, team: usize, meld: usize, card: Card, rules: &Rules) {
        let team = &mut self.teams[team];
        match rules.role(card.kind()) {
            Role::RedThree => {
                team.melds[meld].set_cap(Cap::Bare);
                team.red_threes[rules.pack().place(card)] -= 1;
            }
            Role::Natural | Role::Wild | Role::BlackThree => team.melds[meld].remove(card, rules),
        }
    }

    pub(crate) fn undo(&mut self, seat: Seat, acts: u8, rules: &Rules) {
        let kept = self.undoable().saturating_sub(acts);
        let team = self.team_of(seat).index();
        while let Some(laid) = self.laid.pop_if(|laid| laid.act >= kept) {
            self.take_back(team, laid.meld.index(), laid.card, rules);
            let melds = &mut self.teams[team].melds;
            if melds[laid.meld.index()].is_empty() {
                melds.truncate(laid.meld.index());
            }
            let seat = &mut self.seats[seat.index()];
            seat.held += 1;
            if laid.seen == Seen::Before {
                seat.known[laid.card.kind().index()] += 1;
            }
        }
    }

    fn foot_taken_up(&mut self, seat: Seat, count: u16, how: ToFoot, rules: &Rules) {
        self.laid.clear();
        let packets = self.round(rules).packets.len();
        let seat = &mut self.seats[seat.index()];
        seat.held += count;
        seat.packet += 1;
        let is_last = usize::from(seat.packet) + 1 == packets;
        seat.foot = match (is_last, how) {
            (_, ToFoot::AtTurnEnd) => FootStage::Fresh,
            (false, _) => FootStage::Waiting,
            (true, ToFoot::Ran) => FootStage::TakenUp,
            (true, ToFoot::Walked) => FootStage::Begun,
        };
    }

    fn answered(&mut self, answer: Answer, next: Option<Seat>) {
        let Phase::AwaitAnswer { asker, drew, .. } = self.phase else { return };
        self.phase = match (answer, next, drew) {
            (Answer::Yes, Some(answering), drew) => Phase::AwaitAnswer { asker, answering, drew },
            (Answer::Yes, None, Some(drew)) => {
                Phase::Play { seat: asker, drew, asked: Asked::Granted }
            }
            (Answer::Yes, None, None) => Phase::Draw { seat: asker, asked: Asked::Granted },
            (Answer::No, _, Some(drew)) => Phase::Play { seat: asker, drew, asked: Asked::Refused },
            (Answer::No, _, None) => Phase::Draw { seat: asker, asked: Asked::Refused },
        };
    }

    fn end_turn(&mut self, seat: Seat, rules: &Rules) {
        self.laid.clear();
        let waits_for_empty_hand = rules.hand_rule() != HandRule::KeepUntilFirstBook;
        let packets = self.round(rules).packets.len();
        let seat = &mut self.seats[seat.index()];
        let is_last = usize::from(seat.packet) + 1 == packets;
        seat.foot = match seat.foot {
            // The next packet waits for the seat's next turn. Rule: HF-7.2
            FootStage::Waiting if seat.held == 0 && !is_last && waits_for_empty_hand => {
                FootStage::Pending
            }
            FootStage::Waiting if is_last => FootStage::FullTurn,
            FootStage::TakenUp => FootStage::Played,
            FootStage::Begun | FootStage::Played => FootStage::FullTurn,
            stage @ (FootStage::Waiting
            | FootStage::Pending
            | FootStage::Fresh
            | FootStage::FullTurn) => stage,
        };
    }
}

/// What a new meld of these cards collects: the kind of the first that is neither wild nor a red
/// three, else wild cards.
#[must_use]
pub fn rank_of(cards: &[Card], rules: &Rules) -> MeldRank {
    cards
        .iter()
        .map(|card| card.kind())
        .find(|kind| match rules.role(*kind) {
            Role::Natural | Role::BlackThree => true,
            Role::Wild | Role::RedThree => false,
        })
        .map_or(MeldRank::Wild, MeldRank::Natural)
}

/// Whether a card is laid at once and replaced, rather than held. Rule: HF-3.1, HF-3.7
#[must_use]
pub fn is_laid_at_once(card: Card, rules: &Rules) -> bool {
    rules.draft().red_three.mode == RedThreeMode::Bonus && rules.role(card.kind()) == Role::RedThree
}
