//! Taking seats that are offered to bots.
//!
//! **Invariant:** a seat that was taken needs no keeping: its decisions come as tasks, to any
//! worker of its level.

use tokio::time::Instant;
use tracing::{info, warn};

use crate::backoff::{Backoff, rest};
use crate::counters::count;
use crate::work::{Ended, SeatTaking, Shared, is_final, told};

/// Takes seats until a drain.
pub(crate) async fn take(shared: &Shared) -> Ended {
    match shared.work.seats {
        SeatTaking::Offered => {}
        SeatTaking::Never => return Ended::Drained,
    }
    let mut backoff = Backoff::default();
    while !shared.drain.is_cancelled() {
        let asked = Instant::now();
        let answer = tokio::select! {
            answer = shared.client.acquire_seat(shared.work.wait) => answer,
            () = shared.drain.cancelled() => break,
        };
        match answer {
            Ok(Some(seat)) => {
                count(&shared.counters.seats);
                info!(table_id = seat.table_id, seat = seat.seat, "took a seat");
                backoff.reset();
            }
            // It waited in vain: it may ask again at once.
            Ok(None) if asked.elapsed() >= shared.work.wait / 2 && !asked.elapsed().is_zero() => {
                backoff.reset();
            }
            Ok(None) => rest(backoff.next(), &shared.drain).await,
            Err(error) => {
                count(&shared.counters.call_errors);
                warn!(error = %told(&error), "could not ask for seats");
                if is_final(&error) {
                    shared.drain.cancel();
                    return Ended::NotAllowed;
                }
                rest(backoff.next(), &shared.drain).await;
            }
        }
    }
    Ended::Drained
}
