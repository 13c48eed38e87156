//! Processes that tests and measurements start: programs of ours, and Redis servers.
//!
//! **Invariant:** knows no game and no service. What was started ends with the value that stands
//! for it, and with the program that started it, however that ends.

mod error;
mod guard;
mod limit;
mod port;
mod process;
pub mod redis;
mod usage;

pub use error::ProcessError;
pub use limit::{CpuLimit, raise_open_files};
pub use port::free_port;
pub use process::{Plan, Process, Signal};
pub use usage::own_cpu_seconds;
