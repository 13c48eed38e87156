//! Redis servers: `redis-server` from the search path, or from `HANDFOOT_REDIS_SERVER`.
//!
//! **Invariant:** a server is given out when it can be used, and a group when it is whole: every
//! replica has everything, every sentinel knows the others, and every server of a cluster knows
//! all slots. One that is killed before that would never be replaced.

mod cluster;
mod server;
mod watched;

pub use cluster::Cluster;
pub use server::{READY_MAX, Server, ask_on, program};
pub use watched::{SERVICE, Watched};
