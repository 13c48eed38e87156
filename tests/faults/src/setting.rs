//! What every scenario is told.
//!
//! **Invariant:** equal settings strike in the same order at the same tables. When a strike falls
//! within a game depends on the machine.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::programs::Programs;

/// Makes the choices of a scenario.
pub(crate) type Chance = Xoshiro256PlusPlus;

/// How much is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// A handful of tables.
    Short,
    /// Two hundred.
    Long,
}

/// What every scenario is told.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    /// Tables that are played at once.
    pub(crate) tables: usize,
    pub(crate) size: Size,
    pub(crate) programs: Programs,
    /// Whether logs and files stay.
    pub(crate) keep: bool,
}

impl Setting {
    /// The choices of one part of a scenario.
    pub(crate) fn chance(&self, part: u64) -> Chance {
        Chance::seed_from_u64(self.seed.wrapping_mul(1_000).wrapping_add(part))
    }
}

/// One of so many.
pub(crate) fn pick(chance: &mut Chance, n: usize) -> usize {
    chance.next_u32() as usize % n.max(1)
}
