//! What comes of a commit: decided in one place for all stores of this crate.
//!
//! **Invariant:** nothing changes here. The order of the questions is part of the contract.

use std::time::Duration;

use crate::head::Head;
use crate::index::Index;
use crate::limits::{
    ANSWER_BYTES_MAX, ENTRY_BYTES_MAX, LEASE_MAX, OUTBOX_BYTES_MAX, OUTBOX_PER_COMMIT_MAX,
    SNAPSHOT_BYTES_MAX, SUMMARY_BYTES_MAX, TURNS_MAX,
};
use crate::requests::{Known, Remembered, Requests};
use crate::{Commit, LeaseUse, Limited, ListingChange, Millis, NewTable, StoreError, TurnsChange};

/// What comes of a commit to a table that is there.
pub(crate) enum Decision<'a, A> {
    /// It stands.
    Accept,
    /// Its request was answered before.
    Duplicate {
        /// The slot of the answer.
        slot: u8,
        /// The answer, where it is at hand.
        remembered: &'a Remembered<A>,
    },
    /// Its request id was used for something else.
    Reused {
        /// The slot of that answer.
        slot: u8,
        /// That answer, where it is at hand.
        remembered: &'a Remembered<A>,
    },
    /// Its lease is not held.
    LeaseLost,
    /// Another was first.
    Conflict,
}

/// Decides a commit.
pub(crate) fn decide<'a, A>(
    commit: &Commit,
    head: &Head,
    requests: &'a Requests<A>,
    index: &Index,
    now: Millis,
) -> Decision<'a, A> {
    match commit.request.as_ref().map_or(Known::No, |request| requests.find(request)) {
        Known::No => {}
        Known::Answered { slot, remembered } => return Decision::Duplicate { slot, remembered },
        Known::Reused { slot, remembered } => return Decision::Reused { slot, remembered },
    }
    let is_held = match &commit.lease {
        LeaseUse::None => true,
        LeaseUse::Held { lease, .. } => {
            lease.table == commit.table && index.queues.is_held(lease, now)
        }
    };
    if !is_held {
        return Decision::LeaseLost;
    }
    match head.mark == commit.expected {
        true => Decision::Accept,
        false => Decision::Conflict,
    }
}

/// Refuses a new table that is too large.
pub(crate) fn check_new(new: &NewTable) -> Result<(), StoreError> {
    at_most(new.snapshot.len(), SNAPSHOT_BYTES_MAX, Limited::SnapshotBytes)?;
    at_most(new.summary.len(), SUMMARY_BYTES_MAX, Limited::SummaryBytes)?;
    at_most(new.request.answer.len(), ANSWER_BYTES_MAX, Limited::AnswerBytes)?;
    at_most(new.turns.len(), TURNS_MAX, Limited::Turns)?;
    check_outbox(&new.outbox)
}

/// Refuses a commit that is too large.
pub(crate) fn check_commit(commit: &Commit) -> Result<(), StoreError> {
    at_most(commit.snapshot.len(), SNAPSHOT_BYTES_MAX, Limited::SnapshotBytes)?;
    at_most(commit.entry.len(), ENTRY_BYTES_MAX, Limited::EntryBytes)?;
    if let Some(request) = &commit.request {
        at_most(request.answer.len(), ANSWER_BYTES_MAX, Limited::AnswerBytes)?;
    }
    match &commit.lease {
        LeaseUse::None => {}
        LeaseUse::Held { length, .. } => check_lease(*length)?,
    }
    match &commit.turns {
        TurnsChange::Keep => {}
        TurnsChange::Replace(turns) => at_most(turns.len(), TURNS_MAX, Limited::Turns)?,
    }
    match &commit.listing {
        ListingChange::Keep => {}
        ListingChange::Set { summary, .. } => {
            at_most(summary.len(), SUMMARY_BYTES_MAX, Limited::SummaryBytes)?;
        }
    }
    check_outbox(&commit.outbox)
}

/// Refuses a lease that is too long.
pub(crate) fn check_lease(length: Duration) -> Result<(), StoreError> {
    let millis = |length: Duration| usize::try_from(length.as_millis()).unwrap_or(usize::MAX);
    at_most(millis(length), millis(LEASE_MAX), Limited::Lease)
}

/// Refuses one table too many.
pub(crate) fn check_room(n_tables: usize, max: usize) -> Result<(), StoreError> {
    at_most(n_tables + 1, max, Limited::Tables)
}

fn check_outbox(outbox: &[bytes::Bytes]) -> Result<(), StoreError> {
    at_most(outbox.len(), OUTBOX_PER_COMMIT_MAX, Limited::OutboxEntries)?;
    let longest = outbox.iter().map(bytes::Bytes::len).max().unwrap_or(0);
    at_most(longest, OUTBOX_BYTES_MAX, Limited::OutboxBytes)
}

const fn at_most(found: usize, max: usize, what: Limited) -> Result<(), StoreError> {
    match found <= max {
        true => Ok(()),
        false => Err(StoreError::Limit { what, max }),
    }
}
