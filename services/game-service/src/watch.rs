//! Watching: what is sent to whoever follows a table.
//!
//! **Invariant:** a stream is a cursor over the log. What is kept in memory only saves reading it,
//! and nothing is sent that the store does not have.

mod channel;
mod cursor;
mod hub;

pub(crate) use cursor::{Cursor, WatchRequest};
pub(crate) use hub::Hub;
