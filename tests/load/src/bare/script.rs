//! A table at the other baseline: a script in Redis that does the least that keeping a table takes.
//!
//! It compares a version, keeps a state and appends to a log, with about 1 KB of both.
//!
//! **Invariant:** one script call for an action, through one connection that all tables share, as
//! the store has one.

use std::time::Duration;

use handfoot_processes::redis::Server as RedisServer;
use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;

use crate::script::Script;
use crate::trouble::Trouble;

const TEXT: &str = "\
if (redis.call('HGET', KEYS[1], 'v') or '0') ~= ARGV[1] then return 0 end
redis.call('XADD', KEYS[2], ARGV[2] .. '-0', 'e', ARGV[4])
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'S', ARGV[3])
return 1";

/// Bytes of the state.
const STATE_BYTES: usize = 864;

/// Bytes of what is appended.
const ENTRY_BYTES: usize = 160;

/// How long Redis may take.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// A table at the baseline.
#[derive(Debug)]
pub(crate) struct ScriptTable {
    script: redis::Script,
    keys: [String; 2],
    n_actions: u64,
    next: u64,
    connection: MultiplexedConnection,
}

/// Connects to Redis.
///
/// # Errors
///
/// `Redis`.
pub(crate) async fn connect(server: &RedisServer) -> Result<MultiplexedConnection, Trouble> {
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(ANSWER_MAX));
    let client = redis::Client::open(server.url())?;
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
    redis::Script::new(TEXT).load_async(&mut connection).await?;
    Ok(connection)
}

impl ScriptTable {
    pub(crate) fn new(
        number: u32,
        script: &Script,
        connection: MultiplexedConnection,
    ) -> ScriptTable {
        let keys = ["t", "l"].map(|kind| format!("bare:{{{number}}}:{kind}"));
        let n_actions = script.acts.len() as u64;
        ScriptTable { script: redis::Script::new(TEXT), keys, n_actions, next: 0, connection }
    }

    /// Calls the script for the next action. Gives false when there is none.
    ///
    /// # Errors
    ///
    /// `Redis`, or `Wrong` if it is refused.
    pub(crate) async fn act(&mut self) -> Result<bool, Trouble> {
        if self.next == self.n_actions {
            return Ok(false);
        }
        let (before, after) = (self.next, self.next + 1);
        self.next = after;
        let mut call = redis::cmd("EVALSHA");
        call.arg(self.script.get_hash()).arg(self.keys.len()).arg(&self.keys);
        call.arg(before).arg(after).arg(&[0_u8; STATE_BYTES][..]).arg(&[0_u8; ENTRY_BYTES][..]);
        let taken: i64 = call.query_async(&mut self.connection).await?;
        match taken {
            1 => Ok(true),
            _ => Err(Trouble::wrong(format!("Redis refuses version {after}"))),
        }
    }
}
