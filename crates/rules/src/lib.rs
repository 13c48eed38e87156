//! One rule set of Hand and Foot as data: parameters, presets, validation, and the arithmetic of
//! values, melds, openings, contracts and scores.
//!
//! **Invariant:** no seat acts here and no turn passes. **Boundary:** every other crate asks
//! [`Rules`]; none reads a preset file or compares rule set names.

mod draft;
mod meld;
mod rules;
mod score;

pub use draft::*;
pub use meld::{BookCounts, MeldKind};
pub use rules::{ROUNDS_MAX, RoundRules, Rules, SEATS_MAX};
pub use score::{Line, RoundScore, ScoreLine};
