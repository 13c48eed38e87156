//! Every number of the service, in one place.
//!
//! **Invariant:** numbers only. What is over a limit is refused with a reason before anything
//! changes, except where a comment says that it is cut.

use std::time::Duration;

/// Bytes of a request.
pub const REQUEST_BYTES_MAX: usize = 64 * 1024;

/// Bytes of a response, or of an item of a stream.
pub const RESPONSE_BYTES_MAX: usize = 1024 * 1024;

/// Decoded tables that a process keeps, at most; of the last half of them used all are there, less
/// what is uneven among the parts of the cache. So 10,000 tables that are played all at once are
/// decoded once.
pub const CACHED_TABLES_MAX: usize = 24_000;

/// Verified seat tokens that a process keeps, at most, some 250 bytes each; of the last half of them
/// used all are there: four for each table of the cache.
pub const VERIFIED_TOKENS_MAX: usize = 96_000;

/// Parts of the cache that are locked one by one.
pub const CACHE_SHARDS: usize = 16;

/// How often a request is decided anew because another commit was first.
pub const DECISIONS_MAX: usize = 16;

/// Decoded commits that a watched table keeps for its watchers.
pub const RING_STEPS: usize = 256;

/// Commits that a watcher who fell behind reads at once.
pub const CATCH_UP_STEPS: usize = 64;

/// Open streams of one seat.
pub const STREAMS_PER_SEAT_MAX: u32 = 16;

/// Open streams of spectators of one table. Seats have their own allowance, so that a full gallery
/// keeps no player out.
pub const SPECTATOR_STREAMS_MAX: u32 = 256;

/// Time between heartbeats of a stream.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// Age at which a stream ends, before it is spread.
pub const STREAM_AGE: Duration = Duration::from_secs(600);

/// By how many percent of its age a stream may end earlier or later.
pub const STREAM_AGE_SPREAD_PERCENT: u32 = 20;

/// How long a caller may leave an item unread before its stream is cut.
pub const STALL_MAX: Duration = Duration::from_secs(30);

/// The pause, before it is spread, after which an ended stream is to be opened again.
pub const REOPEN_AFTER: Duration = Duration::from_millis(200);

/// How long AcquireSeat and AcquireTurn wait, at most.
pub const ACQUIRE_WAIT_MAX: Duration = Duration::from_secs(30);

/// How often a waiting worker looks for what other replicas have put there.
pub const DISPATCH_POLL: Duration = Duration::from_millis(250);

/// Decisions in one answer of AcquireTurn.
pub const TASKS_MAX: u32 = 16;

/// Commits that a bot's task brings; older ones are cut.
pub const TASK_COMMITS_MAX: usize = 128;

/// Length of a lease if the worker does not say.
pub const LEASE_USUAL: Duration = Duration::from_secs(10);

/// The shortest lease.
pub const LEASE_MIN: Duration = Duration::from_secs(1);

/// The longest lease.
pub const LEASE_MAX: Duration = Duration::from_secs(60);

/// Levels that a worker, or an open seat, can name.
pub const LEVELS_MAX: usize = 16;

/// Characters of a level, a worker's name or a preset's id.
pub const NAME_CHARS_MAX: usize = 64;

/// Characters of a table's name.
pub const TABLE_NAME_CHARS_MAX: usize = 80;

/// Characters of a person's id.
pub const PLAYER_ID_CHARS_MAX: usize = 128;

/// Characters of a person's name.
pub const PLAYER_NAME_CHARS_MAX: usize = 40;

/// Milliseconds that a bot's visible action takes at least, at most.
pub const BOT_PACE_MS_MAX: u32 = 10_000;

/// How long bots leave a round's first act to numbers lifted, if the platform does not say.
pub const LIFT_WAIT_USUAL: Duration = Duration::from_secs(30);

/// Milliseconds for which bots leave a round's first act to numbers lifted, at most.
pub const LIFT_WAIT_MS_MAX: u32 = 600_000;

/// Entries of a page, if the caller does not say.
pub const PAGE_SIZE_USUAL: u32 = 50;

/// Entries of a page.
pub const PAGE_SIZE_MAX: u32 = 200;

/// Tables with offered seats that AcquireSeat looks at in one call.
pub const OFFERS_LOOKED_AT: usize = 64;

/// Seconds for which a seat token holds, if the platform does not say.
pub const TOKEN_LIFETIME_S_USUAL: u32 = 86_400;

/// Seconds for which a seat token holds, at least.
pub const TOKEN_LIFETIME_S_MIN: u32 = 60;

/// Seconds for which a seat token holds, at most.
pub const TOKEN_LIFETIME_S_MAX: u32 = 604_800;

/// For how long a lease token is signed. The lease itself ends much sooner by the store's clock,
/// and with it all that the token is good for; this is so long that the clocks of two replicas may
/// be hours apart.
pub const LEASE_TOKEN_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// How often tables are counted, if metrics are read, and counting is quick.
pub const CENSUS_EVERY: Duration = Duration::from_secs(60);

/// Tables that are counted at once.
pub const CENSUS_PAGE: usize = 200;

/// How many times as long as counting them took nobody counts again: with very many tables it is
/// done more seldom, so that all replicas together take little of the store's time.
pub const CENSUS_REST: u32 = 200;
