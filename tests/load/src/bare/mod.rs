//! The baselines: tonic with nothing behind it, and Redis with nothing before it.
//!
//! **Invariant:** knows no card and no table but a number.

mod message;
pub(crate) mod player;
pub(crate) mod script;
pub(crate) mod server;
