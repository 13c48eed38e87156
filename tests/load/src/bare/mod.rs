//! The baselines: tonic with nothing behind it.
//!
//! **Invariant:** knows no card and no table but a number.

mod message;
pub(crate) mod player;
pub(crate) mod server;
