//! The API from outside: generated clients against the services over the memory store.

mod bad_requests;
mod dispatch;
mod game;
mod hidden;
mod idempotency;
mod kit;
mod lobby;
mod options;
mod replicas;
mod watch;
