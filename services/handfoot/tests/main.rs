//! The program as its users meet it: what it prints, and how it ends.
//!
//! **Invariant:** only the built program is run; nothing of its insides is called.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod conform;
mod demo;
mod errors;
mod help;
mod kit;
mod records;
mod rules;
mod simulate;
