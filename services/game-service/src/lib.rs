//! The gRPC service over a store: tables, play, watching, work for bots.
//!
//! **Invariant:** nothing is kept here that the store does not have: any replica serves any table.

pub mod auth;
mod cache;
mod caller;
pub mod config;
mod dispatch;
pub mod drain;
mod error;
pub mod exit;
pub mod health;
pub mod limits;
pub mod metrics;
mod observed_store;
pub mod pages;
mod recent;
pub mod rpc;
pub mod server;
mod status;
mod table;
mod tables;
mod watch;

pub use metrics::Metrics;
pub use observed_store::ObservedStore;
pub use table::{MachineSecrets, SecretSource};
pub use tables::Tables;
