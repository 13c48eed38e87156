//! The rules of any rule set in plain language, for players: made from its parameters, complete
//! enough to settle an argument with.
//!
//! **Invariant:** says what the rule set says and nothing of its own; every parameter that matters
//! at the table is told, and none that does not. No file is opened and nothing is played.

mod book;
mod chapters;
mod expected;
mod facts;
mod figures;
mod subject;
mod words;

pub use book::{Block, Handbook, Section};
pub use expected::{Expected, Range};
pub use figures::{Figures, KindFigures, RoundFigures};
pub use subject::Subject;
