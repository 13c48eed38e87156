//! What an operator reads in the log when Redis refuses.
//!
//! **Invariant:** each is said once in a while, however many calls meet it. Nothing of what Redis
//! says besides the code is shown: it may quote what was sent.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

use redis::RedisError;

use super::address::Server;
use super::limits::QUIET;
use super::lock;

/// When what was last said.
static SAID: LazyLock<Mutex<BTreeMap<String, Instant>>> = LazyLock::new(Mutex::default);

/// Says what to do about a code, unless it was said a moment ago or nothing need be done.
pub(super) fn advise(code: &str) {
    if let Some(advice) = advice(code)
        && is_time_for(advice, Instant::now())
    {
        tracing::warn!(code, "Redis refuses: {advice}");
    }
}

/// Says that changes wait for replicas, unless that was said a moment ago.
pub(super) fn advise_of_replicas(n_reached: i64, n_wanted: u8) {
    let advice = "too few replicas confirm; bring them back, or ask for less with ?durability=";
    if is_time_for(advice, Instant::now()) {
        tracing::warn!(n_reached, n_wanted, "changes are not confirmed: {advice}");
    }
}

/// Says that a server cannot be reached, unless that was said a moment ago.
pub(super) fn say_unreached(server: &Server, error: &RedisError) {
    let (code, is_timeout) = (error.code().unwrap_or_default(), error.is_timeout());
    if is_time_for(&server.to_string(), Instant::now()) {
        tracing::warn!(%server, code, kind = ?error.kind(), is_timeout, "Redis cannot be reached");
    }
}

/// What to do about a code; none if it needs nobody.
fn advice(code: &str) -> Option<&'static str> {
    Some(match code {
        // They are part of the way things go.
        "NOSCRIPT" | "ASK" | "MOVED" | "TRYAGAIN" => return None,
        "READONLY" | "MASTERDOWN" => {
            "this server is a replica; unless a failover is under way, name the primary, or \
             sentinels that know it"
        }
        "LOADING" => "it is reading its data, and will serve when it has",
        "CLUSTERDOWN" => {
            "slots of the cluster have no server; unless a failover is under way, repair it with \
             redis-cli --cluster fix"
        }
        "BUSY" => "a script of somebody else holds it up; look for it, and end it with SCRIPT KILL",
        "NOREPLICAS" => "it has fewer replicas than min-replicas-to-write wants; bring them back",
        "OOM" => {
            "it is full; raise maxmemory, delete tables, or let old ones be taken away with ?retain="
        }
        "MISCONF" => "it cannot write its files; make room on its disk, and look at its log",
        "NOAUTH" | "WRONGPASS" => "user or password in the address of the store are wrong by now",
        "NOPERM" => "its user lacks a right; grant +@all on the keys and channels of the store",
        "WRONGTYPE" => "another program uses keys of this store; give one of them a ?prefix=",
        _ => "look at its log, its version and the rights of the user",
    })
}

fn is_time_for(what: &str, now: Instant) -> bool {
    let mut said = lock(&SAID);
    let is_time = said.get(what).is_none_or(|at| now.duration_since(*at) >= QUIET);
    if is_time {
        said.retain(|_, at| now.duration_since(*at) < QUIET);
        said.insert(what.to_owned(), now);
    }
    is_time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_said_once_in_a_while() {
        let now = Instant::now();
        let times = |advice, at| (0..5).filter(|_| is_time_for(advice, at)).count();
        assert_eq!((times("first", now), times("second", now), times("first", now)), (1, 1, 0));
        assert_eq!(times("first", now + QUIET), 1);
    }

    #[test]
    fn what_needs_an_operator_says_what_to_do() {
        for code in ["OOM", "NOREPLICAS", "LOADING", "CLUSTERDOWN", "READONLY", "NOPERM", "ERR"] {
            assert!(advice(code).is_some(), "{code}");
        }
        for code in ["MOVED", "ASK", "NOSCRIPT", "TRYAGAIN"] {
            assert!(advice(code).is_none(), "{code}");
        }
    }
}
