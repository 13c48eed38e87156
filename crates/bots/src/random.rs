//! Any legal action.

use handfoot_view::{Action, ViewRef, sample};

use crate::{Chance, Policy};

/// Plays [`sample`].
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Policy for Random {
    fn choose(&self, view: ViewRef<'_>, chance: &mut Chance) -> Option<Action> {
        sample(view, chance)
    }
}
