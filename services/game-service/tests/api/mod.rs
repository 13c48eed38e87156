//! The API from outside: generated clients against the services over the memory store, and over Redis
//! where several processes matter.

mod bad_requests;
mod dispatch;
mod game;
mod hidden;
mod idempotency;
mod kit;
mod lobby;
mod redis;
mod replicas;
mod watch;
