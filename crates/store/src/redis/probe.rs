//! Looks at the servers once, when a store is opened, so that what is wrong is said at the start.
//!
//! **Invariant:** it reads and changes nothing. It needs no runtime, and takes a bounded time.
//! Later calls do not rely on what was seen here: servers change.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use redis::{Client, Connection, ErrorKind, RedisError, Value};

use super::address::{Server, Shape};
use super::dial::Dial;
use super::limits::{ANSWER_MAX, CONNECT_MAX};
use super::reply::{Parts, list, text};
use super::routes::read_primary;

/// The oldest Redis that has all that is used: sharded publication came with it.
pub(super) const REDIS_LEAST: Release = Release(7, 0);

/// The oldest Valkey that has it.
pub(super) const VALKEY_LEAST: Release = Release(7, 2);

/// A release of a server: its major and minor number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u32, pub u32);

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// Why a Redis store cannot be used. Each says what to do, and none shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedisProblem {
    /// Nobody answers.
    #[error(
        "no Redis answers at {server}; start it, or correct the address (rediss:// where it wants TLS)"
    )]
    Away {
        /// Who was asked; several are divided by commas.
        server: String,
    },
    /// It wants another user or password.
    #[error(
        "the Redis at {server} refuses this user or password; write redis://USER:PASSWORD@HOST:PORT"
    )]
    Password {
        /// Who was asked.
        server: String,
    },
    /// The user lacks a right.
    #[error(
        "the Redis at {server} does not let this user run {command}; grant +@all on its keys and channels"
    )]
    Right {
        /// Who was asked.
        server: String,
        /// What was refused.
        command: &'static str,
    },
    /// It is older than this store needs.
    #[error(
        "the server at {server} is version {found}; use Redis {REDIS_LEAST} or Valkey {VALKEY_LEAST}, or later"
    )]
    TooOld {
        /// Who was asked.
        server: String,
        /// What it is.
        found: Release,
    },
    /// It is a replica.
    #[error(
        "the Redis at {server} is a replica; name its primary, or use redis+sentinel://HOST:PORT/SERVICE"
    )]
    Replica {
        /// Who was asked.
        server: String,
    },
    /// It is part of a cluster.
    #[error("the Redis at {server} is part of a cluster; write redis+cluster://{server}")]
    IsCluster {
        /// Who was asked.
        server: String,
    },
    /// It is no part of a cluster.
    #[error("the Redis at {server} is no part of a cluster; write redis://{server}")]
    NoCluster {
        /// Who was asked.
        server: String,
    },
    /// Slots of the cluster have no server.
    #[error(
        "the cluster at {server} has slots without a server; repair it with redis-cli --cluster fix"
    )]
    Slots {
        /// Who was asked.
        server: String,
    },
    /// No sentinel knows the service.
    #[error(
        "no sentinel at {server} knows the service {service:?}; correct its name, as in sentinel monitor"
    )]
    Service {
        /// Who was asked.
        server: String,
        /// What for.
        service: String,
    },
    /// It throws tables away when it is full.
    #[error(
        "the Redis at {server} has maxmemory-policy {policy}, which throws tables away; set noeviction"
    )]
    Evicts {
        /// Who was asked.
        server: String,
        /// Its policy.
        policy: String,
    },
    /// It is loading, or answers in another language.
    #[error(
        "the Redis at {server} is not ready; wait until it has read its data, or look at its log"
    )]
    NotReady {
        /// Who was asked.
        server: String,
    },
    /// The certificates cannot be read.
    #[error("{path} holds no certificates that can be read; name a PEM file in ?ca=FILE")]
    Authority {
        /// The file.
        path: PathBuf,
    },
}

/// Looks whether tables can be kept there.
pub(super) fn probe(dial: &Dial) -> Result<(), RedisProblem> {
    let named = dial.address().named();
    match &dial.address().shape {
        Shape::Alone { server, .. } => probe_primary(dial, server),
        Shape::Sentinel { sentinels, service, .. } => {
            let primary = primary_of(dial, sentinels, service)?;
            probe_primary(dial, &primary)
        }
        Shape::Cluster { seeds } => {
            let mut problem = RedisProblem::Away { server: together(&named) };
            for seed in seeds {
                match probe_cluster(dial, seed) {
                    Err(RedisProblem::Away { .. }) => {}
                    Err(other) => problem = other,
                    Ok(()) => return Ok(()),
                }
            }
            Err(problem)
        }
    }
}

fn together(servers: &[Server]) -> String {
    servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn primary_of(dial: &Dial, sentinels: &[Server], service: &str) -> Result<Server, RedisProblem> {
    let mut problem = RedisProblem::Away { server: together(sentinels) };
    for sentinel in sentinels {
        let client = dial.sentinel_client(sentinel);
        let asked = open(client, sentinel).and_then(|mut connection| {
            let mut command = redis::cmd("SENTINEL");
            command.arg("get-master-addr-by-name").arg(service);
            command
                .query::<Value>(&mut connection)
                .map_err(|e| problem_of(&e, sentinel, "SENTINEL"))
        });
        match asked.map(read_primary) {
            Ok(Some(primary)) => return Ok(primary),
            Ok(None) => {
                let (server, service) = (together(sentinels), service.to_owned());
                problem = RedisProblem::Service { server, service };
            }
            Err(RedisProblem::Away { .. }) => {}
            Err(other) => problem = other,
        }
    }
    Err(problem)
}

fn probe_primary(dial: &Dial, server: &Server) -> Result<(), RedisProblem> {
    let mut connection = open(dial.server_client(server), server)?;
    let info = inform(&mut connection, server)?;
    if info.is_of_cluster() {
        return Err(RedisProblem::IsCluster { server: server.to_string() });
    }
    if info.field("role") != Some("master") {
        return Err(RedisProblem::Replica { server: server.to_string() });
    }
    let n_replicas = info.field("connected_slaves").and_then(|text| text.parse().ok());
    check_replicas(dial, server, n_replicas.unwrap_or(0));
    Ok(())
}

/// Says so if changes will not be confirmed. The replicas may only be late.
fn check_replicas(dial: &Dial, server: &Server, n_replicas: u64) {
    let n_wanted = dial.address().durability.replicas();
    if n_replicas < u64::from(n_wanted) {
        tracing::warn!(
            %server,
            n_replicas,
            n_wanted,
            "this Redis has fewer replicas than ?durability= asks for: until they are there, no \
             change is confirmed"
        );
    }
}

fn probe_cluster(dial: &Dial, server: &Server) -> Result<(), RedisProblem> {
    let mut connection = open(dial.server_client(server), server)?;
    let info = inform(&mut connection, server)?;
    if !info.is_of_cluster() {
        return Err(RedisProblem::NoCluster { server: server.to_string() });
    }
    let mut command = redis::cmd("CLUSTER");
    command.arg("SLOTS");
    let slots = command.query::<Value>(&mut connection);
    let slots = slots.map_err(|error| problem_of(&error, server, "CLUSTER SLOTS"))?;
    // Slots and replicas of each share.
    let share = |value: Value| {
        let mut parts = Parts::of(value)?;
        let n_slots = parts.number()?.abs_diff(parts.number()?) + 1;
        parts.value()?;
        Some((n_slots, parts.n_left()))
    };
    let shares: Vec<(u64, u64)> =
        list(slots).unwrap_or_default().into_iter().filter_map(share).collect();
    if shares.iter().map(|(n_slots, _)| n_slots).sum::<u64>() != u64::from(super::tags::SLOTS) {
        return Err(RedisProblem::Slots { server: server.to_string() });
    }
    let fewest = shares.iter().map(|(_, n_replicas)| *n_replicas).min();
    check_replicas(dial, server, fewest.unwrap_or(0));
    Ok(())
}

/// What a server says of itself.
struct Info(String);

impl Info {
    fn field(&self, name: &str) -> Option<&str> {
        let value = |line: &'_ str| line.split_once(':').is_some_and(|(field, _)| field == name);
        self.0
            .lines()
            .find(|line| value(line))
            .and_then(|line| Some(line.split_once(':')?.1.trim()))
    }

    fn is_of_cluster(&self) -> bool {
        // Valkey has a name of its own for it.
        self.field("server_mode").or(self.field("redis_mode")) == Some("cluster")
    }

    /// Its release, and the least that would do.
    fn release(&self) -> Option<(Release, Release)> {
        let (text, least) = match self.field("valkey_version") {
            Some(text) => (text, VALKEY_LEAST),
            None => (self.field("redis_version")?, REDIS_LEAST),
        };
        let mut numbers = text.split('.').map_while(|part| part.parse().ok());
        Some((Release(numbers.next()?, numbers.next()?), least))
    }
}

/// Asks a server about itself, and refuses one that tables cannot be entrusted to.
fn inform(connection: &mut Connection, server: &Server) -> Result<Info, RedisProblem> {
    let info = redis::cmd("INFO").query::<Value>(connection);
    let info = info.map_err(|error| problem_of(&error, server, "INFO"))?;
    let info = Info(text(info).unwrap_or_default());
    let server = server.to_string();
    let Some((found, least)) = info.release() else {
        return Err(RedisProblem::NotReady { server });
    };
    if found < least {
        return Err(RedisProblem::TooOld { server, found });
    }
    if info.field("loading").is_some_and(|loading| loading != "0") {
        return Err(RedisProblem::NotReady { server });
    }
    // Only what has an end of its own may be thrown away, and no table has.
    if let Some(policy) = info.field("maxmemory_policy").filter(|text| text.starts_with("allkeys"))
    {
        return Err(RedisProblem::Evicts { server, policy: policy.to_owned() });
    }
    if info.field("aof_enabled") == Some("0") {
        tracing::warn!(
            %server,
            "this Redis writes no append-only file: what it holds ends with it, or goes back to \
             its last snapshot; set appendonly yes"
        );
    }
    Ok(info)
}

fn open(client: Result<Client, RedisError>, server: &Server) -> Result<Connection, RedisProblem> {
    let opened = client.and_then(|client| client.get_connection_with_timeout(CONNECT_MAX));
    let connection = opened.map_err(|error| problem_of(&error, server, "AUTH"))?;
    let limited = |length: Duration| {
        connection.set_read_timeout(Some(length))?;
        connection.set_write_timeout(Some(length))
    };
    limited(ANSWER_MAX).map_err(|error| problem_of(&error, server, "AUTH"))?;
    Ok(connection)
}

fn problem_of(error: &RedisError, server: &Server, command: &'static str) -> RedisProblem {
    let server = server.to_string();
    let code = error.code().unwrap_or_default();
    if error.kind() == ErrorKind::AuthenticationFailed || matches!(code, "NOAUTH" | "WRONGPASS") {
        return RedisProblem::Password { server };
    }
    match code {
        "NOPERM" => RedisProblem::Right { server, command },
        "" if error.is_io_error() => RedisProblem::Away { server },
        "ERR" if command == "CLUSTER SLOTS" => RedisProblem::NoCluster { server },
        _ => RedisProblem::NotReady { server },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read() {
        let release = |text: &str| Info(text.to_owned()).release();
        let redis = release("# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n");
        assert_eq!(redis, Some((Release(7, 0), REDIS_LEAST)));
        let old = release("redis_version:6.2.14\r\n").unwrap();
        assert!(old.0 < old.1);
        let valkey =
            release("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\n");
        assert_eq!(valkey, Some((Release(8, 1), VALKEY_LEAST)));
        assert_eq!(release("redis_version:unknown\r\n"), None);
        assert_eq!(release(""), None);
    }

    #[test]
    fn a_cluster_is_known_by_either_name() {
        let is_cluster = |text: &str| Info(text.to_owned()).is_of_cluster();
        assert!(is_cluster("redis_version:7.0.15\r\nredis_mode:cluster\r\n"));
        assert!(is_cluster("valkey_version:8.0.1\r\nserver_mode:cluster\r\n"));
        assert!(!is_cluster("valkey_version:8.0.1\r\nserver_mode:standalone\r\n"));
        assert!(!is_cluster("redis_version:7.0.15\r\nredis_mode:standalone\r\n"));
    }
}
