//! Reads the configuration of a program: flags, environment, defaults, files with secrets.
//!
//! A program lists its variables in one table, made with [`variables!`]. Flags, help, mistakes and
//! what `--print-config` shows come from that table, so that none of them can forget a variable or
//! name another default.
//!
//! **Invariant:** nothing is opened, bound or written; files with secrets are read. Every mistake
//! is told at once, with the variable, what is wrong and what would be right. A secret is never
//! repeated.

mod mistake;
mod print;
mod program;
mod source;
mod values;
mod variable;

pub use mistake::{Mistake, Mistakes, quoted};
pub use program::{Asked, ConfigError, Program};
pub use source::{Environment, Source, Strings};
pub use values::{address, duration, number, part, server};
pub use variable::{Shown, Variable};
