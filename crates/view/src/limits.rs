//! Every numeric limit of views and actions, in one place.
//!
//! **Invariant:** numbers only.

/// The most cards that one lay may name.
pub const LAY_CARDS_MAX: usize = 64;

/// The most melds that one lay may start or add to.
pub const LAY_PLACEMENTS_MAX: usize = 24;

/// The most melds of a team. Rule: HF-4.11
pub const MELDS_MAX: usize = 100;

/// The most undos that a seat makes in one turn. Rule: HF-13.2
pub const UNDOS_MAX: u8 = 100;

/// The most times that a seat asks in one turn whether it may undo. Rule: HF-13.2
pub const UNDO_QUESTIONS_MAX: u8 = 5;

/// The most cards of one meld. Rule: HF-4.11
pub const MELD_CARDS_MAX: u8 = 250;

/// The most rounds that a game plays: whoever leads then has won. Rule: HF-10.6
pub const ROUNDS_PLAYED_MAX: usize = 100;

/// More cards than anybody lifts for its packets. Rule: HF-1.7
pub const LIFTED_MAX: u16 = 1000;

/// How often the stock is given cards in a round at most. Rule: HF-9.8
pub const REFILLS_MAX: u8 = 12;

/// The most actions that a list holds.
pub const LIST_MAX: usize = 512;

/// The most openings, or takes, that a list holds.
pub const OPENINGS_MAX: usize = 64;

/// Least takes that are tried as the beginning of a way out.
pub(crate) const TAKES_TRIED: usize = 16;

/// Wild cards that the search for an opening tells apart; a hand never holds so many.
pub(crate) const OPENING_WILDS_MAX: usize = 40;

/// The most ways to lay one rank that are looked at.
pub(crate) const RANK_OPTIONS_MAX: usize = 1000;

/// The most places that one rank is laid at: books of three from thirty cards of a rank, and
/// melds that are there already.
pub(crate) const RANK_PLACES_MAX: usize = 12;

/// Steps that a search for openings takes at most. Only hands from which no lay that is short
/// enough reaches a high minimum need so many.
pub(crate) const OPENING_STEPS_MAX: u32 = 50_000;

/// The most melds that a sample looks at; one unfinished a rank is twelve.
pub(crate) const SAMPLED_MELDS_MAX: usize = 24;

/// Lays among which a sample picks where it cannot make one by itself.
pub(crate) const SAMPLED_LAYS: usize = 8;
