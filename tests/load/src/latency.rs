//! How long calls took.
//!
//! **Invariant:** every call is kept; a percentile is a call that was really made.

use std::time::Duration;

/// Calls that it takes to say how long the slowest thousandth took: a hundred of them.
const CALLS_FOR_A_THOUSANDTH: usize = 100_000;

/// How long calls took, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<u64>);

impl Latencies {
    /// Adds a call.
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds the calls of others.
    pub(crate) fn extend(&mut self, others: &Latencies) {
        self.0.extend_from_slice(&others.0);
    }

    /// How many calls there were.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Microseconds within which so many of a thousand calls were answered; 0 without any.
    #[expect(clippy::cast_precision_loss, reason = "a time of centuries is not exact")]
    pub(crate) fn within_us(&mut self, per_mille: usize) -> f64 {
        self.0.sort_unstable();
        let rank = (self.0.len() * per_mille).div_ceil(1000).max(1) - 1;
        self.0.get(rank).map_or(0.0, |nanos| *nanos as f64 / 1000.0)
    }

    /// Microseconds within which all but one of a thousand were; none if there are too few of them
    /// to say so.
    pub(crate) fn all_but_a_thousandth_us(&mut self) -> Option<f64> {
        (self.len() >= CALLS_FOR_A_THOUSANDTH).then(|| self.within_us(999))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_call_of_that_rank() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.within_us(990), 0.0);
        for micros in (1..=200).rev() {
            latencies.add(Duration::from_micros(micros));
        }
        assert_eq!(latencies.within_us(500), 100.0);
        assert_eq!(latencies.within_us(990), 198.0);
        assert_eq!(latencies.within_us(1000), 200.0);
    }

    #[test]
    fn the_slowest_thousandth_needs_a_hundred_calls() {
        let mut latencies = Latencies::default();
        for micros in 1..100_000 {
            latencies.add(Duration::from_micros(micros));
        }
        assert_eq!(latencies.all_but_a_thousandth_us(), None);
        latencies.add(Duration::from_micros(100_000));
        assert_eq!(latencies.all_but_a_thousandth_us(), Some(99_900.0));
    }
}
