//! Streams of one table that are read beside the play.
//!
//! **Invariant:** a stream is read as fast as it comes, by a task of its own, as by a client of its
//! own.

use std::future::Future;

use tokio::task::JoinSet;

use crate::trouble::Trouble;

/// The streams of a table.
#[derive(Debug, Default)]
pub(crate) struct Watching(JoinSet<Result<u64, Trouble>>);

impl Watching {
    /// Reads a stream until it has brought all that it will; gives how many commits that were.
    pub(crate) fn add(
        &mut self,
        read: impl Future<Output = Result<u64, Trouble>> + Send + 'static,
    ) {
        self.0.spawn(read);
    }

    /// Whether nobody watches.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until every stream has brought all, and adds up how many commits they saw.
    ///
    /// # Errors
    ///
    /// The first trouble of a stream.
    pub(crate) async fn finish(&mut self) -> Result<u64, Trouble> {
        let mut commits = 0;
        while let Some(read) = self.0.join_next().await {
            commits += read.map_err(|_| Trouble::wrong("a reader of a stream panicked"))??;
        }
        Ok(commits)
    }
}
