//! Tests of the engine through its public face.
//!
//! **Invariant:** one binary; nothing here sleeps, waits or asks the machine for chance.

mod compile_fail;
mod games;
mod laws;
mod notation;
mod speed;
