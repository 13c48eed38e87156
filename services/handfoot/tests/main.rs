//! The program as its users meet it: what it prints, and how it ends.
//!
//! **Invariant:** only the built program is run; nothing of its insides is called. A program that
//! serves is called through the API.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod conform;
mod crash;
mod demo;
mod errors;
mod help;
mod kit;
mod many;
#[cfg(unix)]
mod play;
mod records;
mod rules;
mod secure;
mod serve;
mod served;
mod simulate;
