//! The service from outside.
//!
//! **Invariant:** one binary; nothing here waits for time to pass, but for processes to answer.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod api;
mod edge_auth;
mod edge_config;
mod edge_process;
mod edge_server;
mod rolling;
