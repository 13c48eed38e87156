//! What the command line is made of and other programs may use too.
//!
//! **Invariant:** nothing here prints or ends the process; that is for the program alone.

pub mod conform;
