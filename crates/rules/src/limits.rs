//! Every numeric limit of a rule set, in one place.
//!
//! **Invariant:** numbers only; which values go together is decided in [`crate::Rules::check`].

use std::ops::RangeInclusive;

use crate::rules::{ROUNDS_MAX, SEATS_MAX};

/// Seats at a table. D.1 #1.
pub const PLAYERS: RangeInclusive<i64> = 2..=SEATS_MAX as i64;

/// Seats in a team. D.1 #2.
pub const TEAM_SIZE: RangeInclusive<i64> = 1..=6;

/// Decks more than there are players. D.1 #3.
pub const DECKS_EXTRA: RangeInclusive<i64> = 0..=2;

/// Decks, whoever plays. D.1 #3.
pub const DECKS_FIXED: RangeInclusive<i64> = 1..=15;

/// Jokers in a deck. D.1 #4.
pub const JOKERS: RangeInclusive<i64> = 0..=8;

/// Cards in a packet, at most. D.1 #5; the least is a rejection of its own, D.2 #14.
pub const PACKET_CARDS_MAX: i64 = 60;

/// Packets of a seat, at most. D.1 #5.
pub const PACKETS_MAX: usize = 4;

/// Names of kinds that are never left as the upcard, at most. D.1 #6.
pub const BURY_MAX: usize = 3;

/// Points of any sort, either way.
pub const POINTS: RangeInclusive<i64> = -100_000..=100_000;

/// Card values that may be named, at most. D.1 #8.
pub const CARD_VALUES_MAX: usize = handfoot_cards::KINDS_MAX;

/// Fewest cards in a meld, at most. D.1 #14.
pub const MELD_MIN_MAX: i64 = 59;

/// Cards in a book, at most. D.1 #14.
pub const BOOK_SIZE_MAX: i64 = 60;

/// Above and below the line of the wild limit's fraction, at most. D.1 #16.
pub const RATIO_MAX: i64 = 100;

/// Unfinished melds of a rank at once. D.1 #18.
pub const OPEN_MELDS: RangeInclusive<i64> = 1..=60;

/// Melds of a rank in a round. D.1 #18.
pub const TOTAL_MELDS: RangeInclusive<i64> = 1..=250;

/// Ranks with rules of their own, at most. D.1 #19.
pub const SPECIAL_MAX: usize = handfoot_cards::KINDS_MAX;

/// Opening steps, and score thresholds, at most. D.1 #20, #21.
pub const STEPS_MAX: usize = ROUNDS_MAX;

/// Cards drawn at the start of a turn. D.1 #23.
pub const DRAW: RangeInclusive<i64> = 1..=5;

/// Cards that come with the discard pile. D.1 #24.
pub const TAKE_COUNT: RangeInclusive<i64> = 1..=250;

/// Fewest cards the discard pile must hold to be taken. D.1 #24.
pub const TAKE_MIN_SIZE: RangeInclusive<i64> = 1..=60;

/// Decks added in a round. D.1 #31.
pub const DECKS_ADDED: RangeInclusive<i64> = 1..=15;

/// Points for going out. D.1 #32.
pub const OUT_BONUS: RangeInclusive<i64> = 0..=1000;

/// Rounds of a game. D.1 #35.
pub const ROUNDS: RangeInclusive<i64> = 1..=ROUNDS_MAX as i64;

/// Target score, at most. D.1 #35; the least is a rejection of its own, D.2 #15.
pub const TARGET_MAX: i64 = 100_000;

/// Values in a list by round, at most.
pub const ROUND_LIST_MAX: usize = ROUNDS_MAX;

/// Draws a player should find in the stock after the deal; fewer are a warning. D.2 #2.
pub const STOCK_DRAWS_LOW: i64 = 10;

/// Opening points that naturals alone may hardly reach. D.2 #21.
pub const OPENING_NATURALS_HIGH: i32 = 150;

/// Bytes of a rule file, at most.
pub const FILE_BYTES_MAX: usize = 64 * 1024;
