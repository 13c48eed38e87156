//! Everything that is tested across packages, as one binary.
//!
//! **Invariant:** nothing here writes to the tree, needs the network or depends on the clock.

mod bench_results;
mod checks;
mod conformance_suite;
mod fuzz;
#[path = "benches/work/mod.rs"]
mod work;
