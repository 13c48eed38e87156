//! How much a bot may think, and who thinks.
//!
//! **Invariant:** thinking is bounded in rollouts, never in time: equal seeds give equal games on
//! fast and slow machines.

use handfoot_bots::{Chance, Level};
use handfoot_view::{Action, ViewRef};

/// How much thinking a decision may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Games played out in thought, at most.
    pub rollouts_max: u32,
}

impl Budget {
    /// What is usual.
    pub const USUAL: Budget = Budget { rollouts_max: 2_000 };
}

/// What thinking came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// What the seat is to do; none if nothing was found.
    pub action: Option<Action>,
    /// Games played out in thought.
    pub rollouts: u32,
}

/// Decides for seats.
pub trait Thinker: Send + Sync {
    /// What a seat of this level does. Equal views and equal chance give equal answers.
    fn think(
        &self,
        level: Level,
        view: ViewRef<'_>,
        chance: &mut Chance,
        budget: Budget,
    ) -> Thought;
}

/// The levels' own policies.
#[derive(Clone, Copy, Debug)]
pub struct Policies;

impl Thinker for Policies {
    fn think(&self, level: Level, view: ViewRef<'_>, chance: &mut Chance, _: Budget) -> Thought {
        // Neither level plays games out in thought.
        let rollouts = match level {
            Level::Random | Level::Casual => 0,
        };
        Thought { action: level.policy().choose(view, chance), rollouts }
    }
}
