//! Decks, cards, deals and stocks of a rule set in numbers, for programs.
//!
//! **Invariant:** the same numbers that the chapters tell.

use handfoot_cards::Role;
use handfoot_rules::{PackChoice, Rules};

use crate::expected::{Expected, SECONDS_A_TURN};
use crate::facts::Facts;

/// The numbers of a rule set at its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Decks in the pack; nothing for a pack of its own.
    pub decks: Option<usize>,
    /// Cards in the pack.
    pub pack_cards: usize,
    /// Every kind of card that the pack has, in canonical order.
    pub kinds: Vec<KindFigures>,
    /// Every round whose numbers differ from those of the round before, the first one first.
    pub rounds: Vec<RoundFigures>,
    /// How long it takes.
    pub expected: Expected,
    /// The pace that minutes are reckoned at.
    pub seconds_per_turn: usize,
}

/// One kind of card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindFigures {
    /// Its name in notation.
    pub name: String,
    /// Its name in a sentence: `king`.
    pub word: String,
    /// What sort of card it is.
    pub role: Role,
    /// Cards of it in the pack.
    pub number: usize,
    /// Card points, which may be negative; nothing for red threes, which score by themselves.
    pub points: Option<i32>,
}

/// The numbers of a round, and of those after it until the next that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundFigures {
    /// The first round they are for, counted from 1.
    pub round_number: usize,
    /// Sizes of each seat's packets, the hand first.
    pub packets: Vec<u8>,
    /// Cards of a draw.
    pub draw: u8,
    /// Cards dealt, the upcard included.
    pub dealt: usize,
    /// Cards left in the stock after the deal.
    pub stock: usize,
    /// The stock by seat, rounded down.
    pub stock_per_seat: usize,
}

impl Figures {
    /// The numbers of a rule set.
    #[must_use]
    pub fn of(rules: &Rules) -> Figures {
        let facts = Facts::of(rules);
        let cards = rules.pack().cards().len();
        let deck = 52 + usize::from(facts.draft.jokers_per_deck);
        let decks = match facts.draft.pack {
            PackChoice::Standard => Some(cards / deck),
            PackChoice::Kinds(_) => None,
        };
        let kinds = rules.kinds().filter(|kind| facts.cards.number(*kind) > 0);
        let kind = |kind| KindFigures {
            name: rules.pack().kind_name(kind).to_owned(),
            word: facts.cards.one(kind),
            role: rules.role(kind),
            number: facts.cards.number(kind),
            points: (rules.role(kind) != Role::RedThree).then(|| rules.value(kind)),
        };
        Figures {
            decks,
            pack_cards: cards,
            kinds: kinds.map(kind).collect(),
            rounds: rounds(facts),
            expected: Expected::of(rules),
            seconds_per_turn: SECONDS_A_TURN,
        }
    }
}

fn rounds(facts: Facts<'_>) -> Vec<RoundFigures> {
    let figures = |index: usize| {
        let round = facts.rules.round(index);
        let stock = facts.stock(index);
        RoundFigures {
            round_number: index + 1,
            packets: round.packets.clone(),
            draw: round.draw,
            dealt: facts.rules.pack().cards().len() - stock,
            stock,
            stock_per_seat: stock / facts.rules.seats(),
        }
    };
    let mut rounds = vec![figures(0)];
    for index in 1..facts.rounds() {
        let new = figures(index);
        let is_same = rounds.last().is_some_and(|last| {
            RoundFigures { round_number: last.round_number, ..new.clone() } == *last
        });
        if !is_same {
            rounds.push(new);
        }
    }
    rounds
}
