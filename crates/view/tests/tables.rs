//! Tables written by hand: what a test needs, in the notation that people read.
//!
//! **Invariant:** only states what it is told; whether a table could come about is for its test.

use handfoot_cards::{Card, Cards};
use handfoot_rules::{Preset, Rules, RulesDraft};
use handfoot_view::notation::read_action;
use handfoot_view::{
    Action, Asked, Drew, FootStage, Lays, Meld, Phase, PublicTable, Rejection, Seat, TableOptions,
    Undo, ViewRef, judge, rank_of,
};

/// Everybody at these tables may undo unless a test says otherwise.
const OPTIONS: TableOptions = TableOptions { undo: Undo::OwnTurn, lays: Lays::Open };

/// The default rules for so many players, with one change.
pub(crate) fn rules(players: u8, change: impl FnOnce(&mut RulesDraft)) -> Rules {
    let mut draft = Preset::find("whitnack").unwrap().draft(Some(players), None).unwrap();
    change(&mut draft);
    Rules::new(draft).unwrap().rules
}

/// The default rules for four.
pub(crate) fn whitnack() -> Rules {
    rules(4, |_| {})
}

/// The seat with this number.
pub(crate) fn seat(number: usize) -> Seat {
    Seat::from_number(number).unwrap()
}

/// One seat's view of a table, and the rules there.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) rules: Rules,
    pub(crate) viewer: Seat,
    pub(crate) own: Cards,
    pub(crate) public: PublicTable,
}

impl Table {
    /// Seat 1 has drawn and plays from its hand; nothing lies on the table.
    pub(crate) fn new(rules: Rules) -> Table {
        let last = seat(rules.seats());
        let mut public = PublicTable::new(&rules, OPTIONS, last);
        public.turns = u16::try_from(rules.seats()).unwrap() + 1;
        public.stock = 50;
        let table = Table { rules, viewer: seat(1), own: Cards::EMPTY, public };
        table.play(Drew::Stock)
    }

    pub(crate) fn phase(mut self, phase: Phase) -> Table {
        self.public.phase = phase;
        self
    }

    /// The viewer's draw step.
    pub(crate) fn draw(self) -> Table {
        let seat = self.viewer;
        self.phase(Phase::Draw { seat, asked: Asked::NotYet })
    }

    /// The viewer's turn after the draw step.
    pub(crate) fn play(self, drew: Drew) -> Table {
        let seat = self.viewer;
        self.phase(Phase::Play { seat, drew, asked: Asked::NotYet })
    }

    /// The viewer has asked to go out in this turn.
    pub(crate) fn asked(mut self, answer: Asked) -> Table {
        self.public.phase = match self.public.phase {
            Phase::Draw { seat, .. } => Phase::Draw { seat, asked: answer },
            Phase::Play { seat, drew, .. } => Phase::Play { seat, drew, asked: answer },
            other @ (Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. }) => other,
        };
        self
    }

    /// Another seat looks, with no cards yet.
    pub(crate) fn seen_by(mut self, number: usize) -> Table {
        self.viewer = seat(number);
        self.own = Cards::EMPTY;
        self
    }

    /// More own cards.
    pub(crate) fn own(mut self, text: &str) -> Table {
        let cards = self.read(text);
        self.own.extend(cards);
        let held = u16::try_from(self.own.len()).unwrap();
        self.public.seats[self.viewer.index()].held = held;
        self
    }

    /// One more meld of the viewer's team.
    pub(crate) fn meld(mut self, text: &str) -> Table {
        let cards = self.read(text);
        let mut meld = Meld::new(rank_of(&cards, &self.rules));
        for card in cards {
            meld.insert(card, &self.rules);
        }
        let team = self.public.team_of(self.viewer);
        self.public.teams[team.index()].melds.push(meld);
        self
    }

    /// The discard pile, the upcard last.
    pub(crate) fn discards(mut self, text: &str) -> Table {
        let cards = self.read(text);
        self.public.discards.extend(cards);
        self
    }

    /// A seat plays from its foot and has come so far with it.
    pub(crate) fn foot(mut self, number: usize, stage: FootStage) -> Table {
        let seat = &mut self.public.seats[number - 1];
        seat.packet = match stage {
            FootStage::Waiting | FootStage::Pending => 0,
            FootStage::Fresh
            | FootStage::TakenUp
            | FootStage::Begun
            | FootStage::Played
            | FootStage::FullTurn => 1,
        };
        seat.foot = stage;
        self
    }

    /// The viewer plays from its foot, and so do its team-mates since a while ago.
    pub(crate) fn all_in_foot(mut self) -> Table {
        for number in 1..=self.rules.seats() {
            self = self.foot(number, FootStage::FullTurn);
        }
        self
    }

    /// The books of the default contract: two clean, two dirty, one wild.
    pub(crate) fn contract(self) -> Table {
        self.meld("4x7").meld("5x7").meld("6x5 2x2").meld("7x5 2x2").meld("*x7")
    }

    pub(crate) fn view(&self) -> ViewRef<'_> {
        ViewRef { seat: self.viewer, own: &self.own, table: &self.public, rules: &self.rules }
    }

    /// Reads an action of the viewer.
    pub(crate) fn action(&self, text: &str) -> Action {
        read_action(text, self.view()).unwrap()
    }

    pub(crate) fn judge(&self, text: &str) -> Result<(), Rejection> {
        judge(self.view(), &self.action(text))
    }

    /// The reason of a refusal.
    #[track_caller]
    pub(crate) fn refusal(&self, text: &str) -> &'static str {
        self.judge(text).unwrap_err().reason()
    }

    /// Reads cards; those without a suit are the lowest of the pack, wherever others lie.
    fn read(&self, text: &str) -> Vec<Card> {
        self.rules.pack().read(text, &mut self.rules.pack().cards().clone()).unwrap()
    }
}
