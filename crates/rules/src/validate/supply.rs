//! How many cards of each sort a draft's pack has, computed without building it.
//!
//! **Invariant:** any numbers are accepted and none overflows.

use handfoot_cards::Role;

use crate::{BlackThreeMeld, Decks, PackChoice, RulesDraft};

/// Ranks of the standard pack that meld, in canonical order.
const STANDARD_RANKS: [&str; 11] = ["4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

/// Numbers of cards by sort.
#[derive(Debug)]
pub(super) struct Supply {
    /// Cards of each natural kind, in canonical order.
    pub(super) ranks: Vec<i64>,
    /// Wild cards.
    pub(super) wilds: i64,
    /// Red threes.
    pub(super) red_threes: i64,
    /// Black threes.
    pub(super) black_threes: i64,
    /// Cards of one deck.
    pub(super) deck: i64,
    /// Cards of the largest kind of a pack of named kinds; 0 for the standard pack.
    pub(super) kind_max: i64,
}

impl Supply {
    pub(super) fn of(draft: &RulesDraft) -> Supply {
        match &draft.pack {
            PackChoice::Standard => {
                let decks = decks(draft);
                Supply {
                    ranks: vec![4 * decks; STANDARD_RANKS.len()],
                    wilds: decks * (4 + i64::from(draft.jokers_per_deck)),
                    red_threes: 2 * decks,
                    black_threes: 2 * decks,
                    deck: 52 + i64::from(draft.jokers_per_deck),
                    kind_max: 0,
                }
            }
            PackChoice::Kinds(kinds) => {
                let numbers = |role: Role| {
                    kinds.iter().filter(move |kind| kind.role == role).map(|k| i64::from(k.number))
                };
                Supply {
                    ranks: numbers(Role::Natural).collect(),
                    wilds: numbers(Role::Wild).sum(),
                    red_threes: numbers(Role::RedThree).sum(),
                    black_threes: numbers(Role::BlackThree).sum(),
                    deck: kinds.iter().map(|kind| i64::from(kind.number)).sum(),
                    kind_max: kinds.iter().map(|k| i64::from(k.number)).max().unwrap_or(0),
                }
            }
        }
    }

    /// All cards.
    pub(super) fn cards(&self) -> i64 {
        self.ranks.iter().sum::<i64>() + self.wilds + self.red_threes + self.black_threes
    }

    /// Cards of each kind that can be a clean book: the ranks, and black threes where they meld.
    pub(super) fn clean_ranks(&self, draft: &RulesDraft) -> impl Iterator<Item = i64> + '_ {
        let black_threes = match draft.black_three.meld {
            BlackThreeMeld::Never => None,
            BlackThreeMeld::Set | BlackThreeMeld::SetWhenGoingOut => Some(self.black_threes),
        };
        self.ranks.iter().copied().chain(black_threes)
    }

    /// Cards of the natural kind with this name, if the pack has it.
    pub(super) fn rank_named(&self, draft: &RulesDraft, name: &str) -> Option<i64> {
        match &draft.pack {
            PackChoice::Standard => {
                let at = STANDARD_RANKS.iter().position(|rank| *rank == name)?;
                self.ranks.get(at).copied()
            }
            PackChoice::Kinds(kinds) => kinds
                .iter()
                .find(|kind| kind.role == Role::Natural && kind.name == name)
                .map(|kind| i64::from(kind.number)),
        }
    }
}

/// Decks in the pack.
pub(super) fn decks(draft: &RulesDraft) -> i64 {
    match draft.decks {
        Decks::PerPlayer(extra) => i64::from(draft.players) + i64::from(extra),
        Decks::Fixed(decks) => i64::from(decks),
    }
}
