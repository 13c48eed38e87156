//! Requests with an id: each is carried out once, whoever repeats it and wherever.
//!
//! **Invariant:** a refusal rests on what the store has just said, and a request that was answered
//! before is answered before it is refused. Whoever has no right to a table is told nothing of it.

use std::sync::Arc;

use bytes::Bytes;
use handfoot_engine::Viewer;
use handfoot_protocol::v1;
use handfoot_store::{BodyHash, LeaseUse, Millis, TableId, Version};
use prost::Message;
use sha2::{Digest, Sha256};

use super::Tables;
use super::commit::{Asked, Change, Probe, Taken};
use crate::error::{Answer, ApiError};
use crate::limits::{DECISIONS_MAX, REOPEN_AFTER};
use crate::table::{Table, timestamp};

/// Whether a request was carried out now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It was.
    Played,
    /// It had been before.
    Replayed,
}

/// What came of a request.
pub(super) enum Carried {
    /// It was carried out; this is the table now, and the commit that it made.
    Out { table: Arc<Table>, commit: v1::Commit },
    /// It had been before.
    Before { version: Version, answer: Bytes },
}

/// The first answer to a request.
pub(super) struct FirstAnswer {
    pub(super) commit: v1::Commit,
    /// The table as it stands now.
    pub(super) table: Arc<Table>,
    /// The store's time.
    pub(super) now: Millis,
}

impl Verdict {
    pub(crate) const fn is_replayed(self) -> bool {
        match self {
            Verdict::Played => false,
            Verdict::Replayed => true,
        }
    }
}

impl Tables {
    /// Decides a request on a version of its table, and anew while others are first.
    pub(super) async fn carry_out(
        &self,
        mut table: Arc<Table>,
        asked: Asked,
        lease: LeaseUse,
        admit: impl Fn(&Table) -> Answer<()>,
        decide: impl Fn(&Table) -> Answer<Change>,
    ) -> Answer<Carried> {
        let id = table.fixed.id.clone();
        for _ in 0..DECISIONS_MAX {
            if let Err(refusal) = admit(&table) {
                let (now, _) = self.confirmed(&id).await?;
                if now.mark == table.mark {
                    return Err(refusal);
                }
                table = now;
                continue;
            }
            let taken = match decide(&table) {
                Ok(change) => self.take(&table, change).await?,
                Err(refusal) => match self.probe(&id, Some(asked), lease.clone()).await? {
                    Probe::Answered { version, answer } => Taken::Replay { version, answer },
                    Probe::Stands(loaded) if loaded.mark == table.mark => return Err(refusal),
                    Probe::Stands(loaded) => {
                        Taken::Conflict(self.adopt(&id, &loaded, Some(&table))?)
                    }
                },
            };
            match taken {
                Taken::Done { table, commit } => return Ok(Carried::Out { table, commit }),
                Taken::Replay { version, answer } => {
                    return Ok(Carried::Before { version, answer });
                }
                Taken::Conflict(now) => table = now,
            }
        }
        Err(ApiError::Unavailable { retry_after: REOPEN_AFTER })
    }

    /// What was answered when a request was carried out, and the table of now.
    pub(super) async fn first_answer(
        &self,
        id: &TableId,
        viewer: Viewer,
        version: Version,
        answer: Bytes,
    ) -> Answer<FirstAnswer> {
        let (table, now) = self.confirmed(id).await?;
        let logged = self.logged(&table, version).await?;
        let commit = match (logged, answer.is_empty()) {
            (Some(step), true) => step.seen_by(&table.fixed, viewer),
            (logged, _) => {
                let mut commit =
                    v1::Commit::decode(&*answer).map_err(|_| ApiError::StateCorrupt)?;
                commit.commit_time = logged.map(|step| timestamp(step.at));
                commit
            }
        };
        Ok(FirstAnswer { commit, table, now })
    }
}

impl Table {
    /// Refuses a request that rests on a version to come, or on one before the game changed.
    pub(super) fn check_version(&self, expected: u64) -> Answer<()> {
        self.check_reached(expected)?;
        self.check_fresh(expected)
    }

    /// Refuses a request that rests on a version to come.
    pub(super) fn check_reached(&self, expected: u64) -> Answer<()> {
        let version = self.mark.version;
        match expected > version.0 {
            true => Err(ApiError::HistoryDiverged { expected, version }),
            false => Ok(()),
        }
    }

    /// Refuses a request that rests on a version before the game changed.
    pub(super) fn check_fresh(&self, expected: u64) -> Answer<()> {
        match expected < self.game_version.0 {
            true => Err(ApiError::StaleVersion { expected, version: self.mark.version }),
            false => Ok(()),
        }
    }
}

/// What a request stands for, as short as the store has it.
pub(super) fn short(hash: Sha256) -> BodyHash {
    let full: [u8; 32] = hash.finalize().into();
    let mut body = [0; 16];
    body.copy_from_slice(&full[..16]);
    BodyHash(body)
}
