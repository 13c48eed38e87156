//! Pauses of slightly different length, so that many clients do not come back at one instant.
//!
//! **Invariant:** what comes depends on the seed alone: a test that gives one sees the same pauses
//! again.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[derive(Debug)]
pub(crate) struct Jitter(Mutex<Xoshiro256PlusPlus>);

impl Jitter {
    pub(crate) fn new(seed: u64) -> Jitter {
        Jitter(Mutex::new(Xoshiro256PlusPlus::seed_from_u64(seed)))
    }

    /// A number from 0 up to 1.
    fn fraction(&self) -> f64 {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f64::from(rng.next_u32()) / (f64::from(u32::MAX) + 1.0)
    }

    /// From half of the longest pause to all of it.
    pub(crate) fn within(&self, most: Duration) -> Duration {
        most.mul_f64(0.5 + self.fraction() / 2.0)
    }

    /// The pause and at most a fifth more: for pauses that others asked for.
    pub(crate) fn beyond(&self, least: Duration) -> Duration {
        least.mul_f64(1.0 + self.fraction() / 5.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_within_their_limits_and_fixed_by_the_seed() {
        let (a, b) = (Jitter::new(7), Jitter::new(7));
        let second = Duration::from_secs(1);
        for _ in 0..100 {
            let (within, beyond) = (a.within(second), a.beyond(second));
            assert_eq!((within, beyond), (b.within(second), b.beyond(second)));
            assert!(within >= second / 2 && within <= second);
            assert!(beyond >= second && beyond <= second * 6 / 5);
        }
    }
}
