//! Picking from what a caller's generator gives.

use rand_core::Rng;

/// A number below `bound`; 0 if `bound` is 0.
///
/// By multiplication, so that a pick costs no division. For bounds as small as ours the numbers
/// are equally likely to within one in ten million.
pub(crate) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    let bound = u64::try_from(bound).unwrap_or(u64::from(u32::MAX));
    let product = u64::from(rng.next_u32()) * bound;
    usize::try_from(product >> 32).unwrap_or(0)
}

/// Yes or no, equally likely.
pub(crate) fn coin(rng: &mut impl Rng) -> bool {
    rng.next_u32() >> 31 == 0
}
