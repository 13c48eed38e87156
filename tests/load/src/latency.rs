//! How long calls took.
//!
//! **Invariant:** every call is kept; a percentile is a call that was really made.

use std::time::Duration;

/// How long calls took, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<u64>);

impl Latencies {
    /// Adds a call.
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds the calls of others.
    pub(crate) fn extend(&mut self, others: Latencies) {
        self.0.extend(others.0);
    }

    /// How many calls there were.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Microseconds within which so many percent of the calls were answered; 0 without any.
    #[expect(clippy::cast_precision_loss, reason = "a time of centuries is not exact")]
    pub(crate) fn within_us(&mut self, percent: usize) -> f64 {
        self.0.sort_unstable();
        let rank = (self.0.len() * percent).div_ceil(100).max(1) - 1;
        self.0.get(rank).map_or(0.0, |nanos| *nanos as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_call_of_that_rank() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.within_us(99), 0.0);
        for micros in (1..=200).rev() {
            latencies.add(Duration::from_micros(micros));
        }
        assert_eq!(latencies.within_us(50), 100.0);
        assert_eq!(latencies.within_us(99), 198.0);
        assert_eq!(latencies.within_us(100), 200.0);
    }
}
