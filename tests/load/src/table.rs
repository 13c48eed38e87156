//! A table of any side, played in the same way.
//!
//! **Invariant:** tells the sides apart for the one line that calls; all counting is outside.

use crate::bare::player::BareTable;
use crate::bare::script::ScriptTable;
use crate::service::ServiceTable;
use crate::trouble::Trouble;

/// A table that plays a script.
#[derive(Debug)]
pub(crate) enum Table {
    /// At the game-service.
    Service(Box<ServiceTable>),
    /// At the baseline of tonic.
    Bare(Box<BareTable>),
    /// At the baseline of Redis, which has no streams.
    Script(Box<ScriptTable>),
}

impl Table {
    /// Opens a stream for each seat.
    ///
    /// # Errors
    ///
    /// What the side says.
    pub(crate) async fn watch(&mut self) -> Result<(), Trouble> {
        match self {
            Table::Service(table) => table.watch().await,
            Table::Bare(table) => table.watch().await,
            Table::Script(_) => Err(Trouble::wrong("a script has no streams")),
        }
    }

    /// Has every server see every seat, so that it has read the table and verified the tokens.
    ///
    /// # Errors
    ///
    /// What the side says.
    pub(crate) async fn meet(&mut self) -> Result<(), Trouble> {
        match self {
            Table::Service(table) => table.meet().await,
            Table::Bare(_) | Table::Script(_) => Ok(()),
        }
    }

    /// Plays the next action. Gives false when there is none.
    ///
    /// # Errors
    ///
    /// What the side says.
    pub(crate) async fn act(&mut self) -> Result<bool, Trouble> {
        match self {
            Table::Service(table) => table.act().await,
            Table::Bare(table) => table.act().await,
            Table::Script(table) => table.act().await,
        }
    }

    /// How many commits its watchers have seen, when they have seen all.
    ///
    /// # Errors
    ///
    /// What the side says.
    pub(crate) async fn seen(&mut self) -> Result<u64, Trouble> {
        match self {
            Table::Service(table) => table.seen().await,
            Table::Bare(table) => table.seen().await,
            Table::Script(_) => Ok(0),
        }
    }
}
