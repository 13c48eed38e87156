//! Every number by which the store in Redis waits, tries again and holds back.
//!
//! **Invariant:** numbers only. What a table may hold stands in [`crate::limits`]; what Redis itself
//! prescribes, or what is written, stands where it is read.

use std::time::Duration;

// Calls.

/// How long a call may take, with all its tries.
pub(super) const CALL_MAX: Duration = Duration::from_millis(1_500);

/// How much longer than replicas a call may take that waits for them, with all its tries.
pub(super) const CALL_AFTER_REPLICAS: Duration = Duration::from_millis(1_400);

/// The first pause between two tries; the next ones double.
pub(super) const PAUSE: Duration = Duration::from_millis(10);

/// The longest pause between two tries.
pub(super) const PAUSE_MAX: Duration = Duration::from_millis(160);

/// How long a caller should wait before it asks again.
pub(super) const RETRY_AFTER: Duration = Duration::from_millis(250);

/// How long the same advice is not given again.
pub(super) const QUIET: Duration = Duration::from_secs(10);

// Connections.

/// How long a connection may take to be made.
pub(super) const CONNECT_MAX: Duration = Duration::from_millis(500);

/// How long nobody tries again after a connection could not be made.
pub(super) const CONNECT_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// How long an answer may take.
pub(super) const ANSWER_MAX: Duration = Duration::from_millis(700);

/// How much longer than replicas an answer may take that waits for them.
pub(super) const ANSWER_AFTER_REPLICAS: Duration = Duration::from_millis(600);

/// How long nothing is heard on a connection before the system asks whether the other side is there.
pub(super) const KEEPALIVE: Duration = Duration::from_secs(15);

// Changes that replicas must have.

/// Calls that wait for a server's committer, at most. Who finds no place waits for one, as long as
/// its call may take.
pub(super) const JOBS_MAX: usize = 4_096;

/// Calls of one batch, at most.
pub(super) const BATCH_MAX: usize = 64;

/// Milliseconds for which what a batch writes for itself is kept.
pub(super) const MARK_KEPT_MS: u64 = 3_600_000;

// News.

/// How often everything that is watched is looked at.
pub(super) const WATCHED_LOOK_EVERY: Duration = Duration::from_secs(2);

/// Watched tables that a process looks at in a second, at most. More are looked at more seldom: a
/// look costs Redis a quarter of a commit, and bells are seldom lost.
pub(super) const LOOKS_PER_SECOND: u32 = 2_000;

/// Tables whose newest commit is read at once.
pub(super) const TELLS_AT_ONCE: usize = 16;

/// Doorbells of one server that wait to be heard, at most: some 1 KB each. One more ends the
/// subscription, and the next one begins with a look at everything.
pub(super) const PUSHES_MAX: usize = 16_384;

// Turns.

/// How old the last look at all partitions may be.
pub(super) const TURNS_LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long a look at a partition may take: as long as an answer, but not with all tries of a call.
/// Whoever looks for a claim waits for it, and the next look is soon.
pub(super) const TURNS_LOOK_MAX: Duration = ANSWER_MAX;

/// Turns of one partition that are looked at for one claim, at most.
pub(super) const PEEK_MAX: usize = 1_024;

/// Partitions that are looked at at once.
pub(super) const PARTITIONS_AT_ONCE: usize = 64;

/// How often a claim is tried when others were quicker.
pub(super) const CLAIM_TRIES: usize = 3;

// Tables that nobody touches.

/// How often one partition is swept: all of them in three quarters of an hour.
pub(super) const SWEEP_EVERY: Duration = Duration::from_secs(10);

/// Tables that are looked at in one sweep, at most.
pub(super) const SWEEP_MAX: usize = 100;

/// How old a count of all tables may be.
pub(super) const COUNT_AGE_MAX: Duration = Duration::from_secs(2);
