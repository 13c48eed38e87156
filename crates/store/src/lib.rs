//! Where tables are kept: the contract [`TableStore`], in memory, in an embedded store on disk, and
//! in Redis.
//!
//! **Invariant:** what is kept is opaque bytes. This crate knows no card, no seat's rights and no
//! message of the API; it knows versions, chains, request ids, times and who waits for what.
//!
//! A table is a snapshot and a log of commits. A commit names the version and the chain it was
//! made from; the store takes it or answers with what stands now. Nothing is locked between two
//! calls, so any number of replicas may serve one table.

mod clock;
mod decide;
mod error;
mod file;
mod head;
mod ids;
mod index;
pub mod limits;
mod memory;
mod open;
mod queues;
mod redis;
mod requests;
mod store;
mod types;
mod wakeups;

pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{Advice, DamagedPart, Limited, OpenError, StoreError};
pub use file::{FileStore, SyncTo};
pub use ids::{
    BodyHash, Chain, ListedState, Mark, Millis, OutboxCursor, Partition, Queue, RequestId, TableId,
    Tenant, TextError, Token, Version,
};
pub use limits::Limits;
pub use memory::MemoryStore;
pub use open::{Home, SCHEMES, check_url, home, open, open_with, shown};
pub use redis::{AddressProblem, Durability, RedisProblem, RedisStore, Release, StoreTime};
pub use store::{StoreFuture, TableStore};
pub use types::{
    ClaimTurns, Commit, CommitOutcome, Confirmed, CreateOutcome, CreateRequest, DeadlineChange,
    DeadlineDue, Deleted, History, Lease, LeaseOutcome, LeaseUse, ListCursor, ListFilter, ListPage,
    ListedTable, ListingChange, Loaded, LogEntry, NewTable, OutboxEntry, OutboxPage, Request,
    Tenants, Trim, TurnDue, TurnWanted, TurnsChange,
};
pub use wakeups::{Wakeup, Wakeups, Woken};
