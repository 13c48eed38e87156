//! What a store keeps at hand of every table: all but snapshot, log and answers.
//!
//! **Invariant:** a head is never changed, only followed by the next one.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::{
    Commit, DeadlineChange, ListedState, ListingChange, Loaded, Mark, Millis, NewTable, Tenant,
    Trim, TurnWanted, TurnsChange, Version,
};

/// A table without its snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) mark: Mark,
    pub(crate) at: Millis,
    pub(crate) created_at: Millis,
    pub(crate) tenant: Tenant,
    pub(crate) state: ListedState,
    pub(crate) summary: Bytes,
    pub(crate) deadline: Option<Millis>,
    /// By seat, one for each.
    pub(crate) turns: Vec<TurnWanted>,
    /// The oldest version in the log; the next version if the log is empty.
    pub(crate) log_oldest: Version,
    /// Requests remembered so far, those forgotten included.
    pub(crate) n_requests: u64,
}

impl Head {
    /// The head of a new table.
    pub(crate) fn first(new: &NewTable, now: Millis) -> Self {
        Self {
            mark: Mark { version: Version(0), chain: new.chain },
            at: now,
            created_at: now,
            tenant: new.tenant.clone(),
            state: new.state,
            summary: new.summary.clone(),
            deadline: new.deadline,
            turns: by_seat(&new.turns),
            log_oldest: Version(1),
            n_requests: 0,
        }
    }

    /// The head after a commit that was made from this one.
    pub(crate) fn after(&self, commit: &Commit, now: Millis, log_entries_max: usize) -> Self {
        let version = self.mark.version.next();
        let (state, summary) = match &commit.listing {
            ListingChange::Keep => (self.state, self.summary.clone()),
            ListingChange::Set { state, summary } => (*state, summary.clone()),
        };
        let trimmed = match commit.trim {
            Trim::Keep => self.log_oldest,
            Trim::Before(kept) => self.log_oldest.max(kept.min(version)),
        };
        let longest = Version((version.0 + 1).saturating_sub(log_entries_max.max(1) as u64));
        Self {
            mark: Mark { version, chain: commit.new_chain },
            at: self.at.max(now),
            created_at: self.created_at,
            tenant: self.tenant.clone(),
            state,
            summary,
            deadline: match commit.deadline {
                DeadlineChange::Keep => self.deadline,
                DeadlineChange::Clear => None,
                DeadlineChange::Set(deadline) => Some(deadline),
            },
            turns: match &commit.turns {
                TurnsChange::Keep => self.turns.clone(),
                TurnsChange::Replace(turns) => by_seat(turns),
            },
            log_oldest: trimmed.max(longest),
            n_requests: self.n_requests + u64::from(commit.request.is_some()),
        }
    }

    /// The table with its snapshot.
    pub(crate) fn loaded(&self, now: Millis, snapshot: Bytes) -> Loaded {
        Loaded { mark: self.mark, at: self.at, now: self.at.max(now), snapshot }
    }
}

fn by_seat(turns: &[TurnWanted]) -> Vec<TurnWanted> {
    let turns: BTreeMap<u8, TurnWanted> = turns.iter().map(|turn| (turn.seat, *turn)).collect();
    turns.into_values().collect()
}
