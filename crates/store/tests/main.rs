//! Tests of the stores: one suite for all, and what is particular to each.
//!
//! **Invariant:** one binary; nothing here waits for time to pass. Clocks are set by hand.

mod contract;
mod damage;
mod kill;
mod kit;
mod load;
mod places;
mod redis;
