//! Policies: code that decides what a seat does, from that seat's view alone.
//!
//! **Invariant:** a policy gets a [`handfoot_view::ViewRef`] and chance that was given, nothing
//! else; it keeps nothing between decisions. **Boundary:** whoever seats a bot calls [`Policy`];
//! a bot never names a real game.

mod casual;
mod chance;
mod level;
mod random;

pub use casual::Casual;
pub use chance::{BotSeed, Chance};
pub use level::{Level, UnknownLevel};
pub use random::Random;

use handfoot_view::{Action, ViewRef};

/// Decides for a seat.
pub trait Policy {
    /// What the seat does now; none if it may not act. Equal views and equal chance give equal
    /// answers.
    fn choose(&self, view: ViewRef<'_>, chance: &mut Chance) -> Option<Action>;
}
