//! Somebody who watches a table until it closes.
//!
//! **Invariant:** writes down what the client gives, in the order in which it gives it.

use std::sync::Arc;

use handfoot_client::{Known, PlayClient, TableWatch, Update};

use crate::ledger::{Item, Ledger, Stamp, Viewer};

/// Whether a stream goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Open,
    /// The table is closed, or the stream cannot be opened again.
    Over,
}

/// Watches a table until it closes.
pub(crate) async fn watch(ledger: Arc<Ledger>, table: usize, viewer: Viewer, client: PlayClient) {
    let mut watch = client.watch();
    while next(&ledger, table, viewer, &mut watch).await == Stream::Open {}
}

/// Waits for the next thing that a stream brings, and writes it down.
pub(crate) async fn next(
    ledger: &Ledger,
    table: usize,
    viewer: Viewer,
    watch: &mut TableWatch,
) -> Stream {
    match watch.next().await {
        Ok(Update::Snapshot { cause, .. }) => {
            if let Some(Known { stamp, .. }) = watch.known() {
                let item = Item::Snapshot { cause, stamp: Stamp::of(stamp) };
                ledger.streamed(table, viewer, item);
            }
            Stream::Open
        }
        Ok(Update::Commit(step)) => {
            if let Some(stamp) = &step.commit.stamp {
                ledger.played(table, viewer, step.commit.seat, Stamp::of(stamp));
            }
            Stream::Open
        }
        Ok(Update::Presence(_) | Update::Heartbeat) => Stream::Open,
        Ok(Update::Closed) => {
            ledger.closed(table, viewer, watch.known());
            Stream::Over
        }
        Err(error) => {
            ledger.table(table).broken.insert(viewer, error.label().to_owned());
            Stream::Over
        }
    }
}
