//! One rule set of Hand and Foot as data: parameters, presets, validation, and the arithmetic of
//! values, melds, openings, contracts and scores.
//!
//! **Invariant:** no seat acts here and no turn passes. **Boundary:** every other crate asks
//! [`Rules`]; none reads a preset file or compares rule set names.

mod draft;
pub mod limits;
mod meld;
mod nearest;
mod overrides;
mod preset;
mod problem;
mod rules;
mod score;
mod text;
mod validate;
mod warning;

pub use draft::*;
pub use meld::{BookCounts, MeldKind, RankSort};
pub use overrides::{NameError, Override, UnknownOverride};
pub use preset::{Preset, Seating, SeatingError, UnknownPreset};
pub use problem::{Named, Place, Problem, RulesProblem};
pub use rules::{HandRule, ROUNDS_MAX, RoundRules, Rules, SEATS_MAX};
pub use score::{Line, RoundScore, ScoreLine};
pub use text::{BASE_DEFAULT, Choice, FileProblem, RuleFile, Taken};
pub use validate::{Checked, Validated};
pub use warning::{RulesWarning, Warning};
