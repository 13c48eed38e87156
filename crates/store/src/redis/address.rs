//! The address of a Redis store, read into its parts.
//!
//! **Invariant:** nothing is opened here. Neither an address nor a problem with one shows a
//! password.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Where Redis listens if the address names no port.
const PORT: u16 = 6_379;

/// Where Sentinel listens if the address names no port.
const SENTINEL_PORT: u16 = 26_379;

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// The options that an address may have.
const OPTIONS: [&str; 5] = ["durability", "retain", "prefix", "ca", "sentinel-password"];

/// Characters of a prefix, at most.
const PREFIX_MAX: usize = 32;

/// The address of a Redis store.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RedisAddress {
    pub(super) shape: Shape,
    pub(super) is_tls: bool,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    /// The password of the sentinels themselves.
    pub(super) sentinel_password: Option<String>,
    pub(super) durability: Durability,
    /// How long a table is kept after its last commit; for ever, unless the address sets a limit.
    pub(super) retain: Option<Duration>,
    /// What all keys begin with.
    pub(super) prefix: String,
    /// The certificates that are trusted, if not those of the system.
    pub(super) authority: Option<PathBuf>,
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({})", self.shape, self.durability.name())
    }
}

/// How the servers belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One server.
    Alone { server: Server, database: u8 },
    /// A primary that sentinels know by a name.
    Sentinel { sentinels: Vec<Server>, service: String, database: u8 },
    /// A cluster, of which some servers are named.
    Cluster { seeds: Vec<Server> },
}

/// Where a server listens.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Server {
    pub(super) host: String,
    pub(super) port: u16,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What an acknowledged change survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The end of this service. What Redis itself survives depends on its own settings.
    Local,
    /// Also the loss of the primary, if the replica follows that has it: one does.
    Replicated,
    /// Also the loss of the primary and of one replica: two replicas have it. Where there are no more,
    /// any that follows does.
    Strict,
}

impl Durability {
    const ALL: [Self; 3] = [Self::Local, Self::Replicated, Self::Strict];

    /// How many replicas must have a change before it is acknowledged.
    #[must_use]
    pub const fn replicas(self) -> u8 {
        match self {
            Self::Local => 0,
            Self::Replicated => 1,
            Self::Strict => 2,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Replicated => "replicated",
            Self::Strict => "strict",
        }
    }
}

/// What is wrong with the address of a Redis store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressProblem {
    /// It names no server.
    #[error("names no host; write redis://HOST:PORT")]
    NoHost,
    /// A port is no port.
    #[error("has a port that is no number from 1 to 65535; write redis://HOST:6379")]
    Port,
    /// A cluster or several sentinels are meant, and the address is of one server.
    #[error(
        "names several hosts; write redis+cluster://HOST:PORT,HOST:PORT or \
         redis+sentinel://HOST:PORT,HOST:PORT/SERVICE"
    )]
    SeveralHosts,
    /// The database is no number.
    #[error("has a database that is no number from 0 to 255; write redis://HOST:6379/1")]
    Database,
    /// A cluster has no databases.
    #[error("names a database, and a cluster has only one; write redis+cluster://HOST:PORT")]
    ClusterDatabase,
    /// Sentinels know a primary by its name.
    #[error("names no service; write redis+sentinel://HOST:PORT,HOST:PORT/SERVICE")]
    NoService,
    /// A character of user or password is written wrongly.
    #[error("has a % in user or password that no two hexadecimal digits follow; write % as %25")]
    Escape,
    /// A prefix is too long or not plain.
    #[error("has a prefix that is not 1 to 32 characters of a-z, 0-9 and -, as in ?prefix=hf")]
    Prefix,
    /// An option is not known, or its value is not.
    #[error(
        "has the option {option:?}; known are durability=local|replicated|strict, \
         retain=DAYSd|forever, prefix=NAME, ca=FILE with rediss, and sentinel-password=WORD"
    )]
    Option {
        /// Its name. The value may be a secret.
        option: String,
    },
}

impl FromStr for RedisAddress {
    type Err = AddressProblem;

    fn from_str(text: &str) -> Result<Self, AddressProblem> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressProblem::NoHost)?;
        let (who, place, options) = divided(rest);
        let (hosts, path) = place.split_once('/').unwrap_or((place, ""));
        let (user, password) = credentials(who)?;
        let (family, is_tls) = match scheme.strip_prefix("rediss") {
            Some(family) => (family, true),
            None => (scheme.strip_prefix("redis").unwrap_or(scheme), false),
        };
        let shape = match family {
            "+sentinel" => sentinel(hosts, path)?,
            "+cluster" if !path.is_empty() => return Err(AddressProblem::ClusterDatabase),
            "+cluster" => Shape::Cluster { seeds: servers(hosts, PORT)? },
            _ => alone(hosts, path)?,
        };
        let mut address = Self {
            shape,
            is_tls,
            user,
            password,
            sentinel_password: None,
            durability: Durability::Local,
            retain: None,
            prefix: "hf".to_owned(),
            authority: None,
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            address.take(option)?;
        }
        Ok(address)
    }
}

impl RedisAddress {
    /// Whether an address is meant to be one of Redis.
    pub(crate) fn is_meant(text: &str) -> bool {
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
        let family = scheme.strip_prefix("rediss").or_else(|| scheme.strip_prefix("redis"));
        matches!(family, Some("" | "+sentinel" | "+cluster"))
    }

    /// Takes one option; of several alike the last counts.
    fn take(&mut self, option: &str) -> Result<(), AddressProblem> {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        // What is not written like a name may be the rest of a password.
        let is_name = name.len() <= 32 && name.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
        let shown = if is_name { name } else { "..." };
        let unknown = || AddressProblem::Option { option: shown.to_owned() };
        match (name, &self.shape) {
            ("durability", _) => {
                let known = Durability::ALL.into_iter().find(|known| known.name() == value);
                self.durability = known.ok_or_else(unknown)?;
            }
            ("retain", _) => self.retain = retain(value).ok_or_else(unknown)?,
            ("prefix", _) => {
                let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
                let is_short = !value.is_empty() && value.len() <= PREFIX_MAX;
                if !is_short || !value.bytes().all(is_plain) {
                    return Err(AddressProblem::Prefix);
                }
                self.prefix = value.to_owned();
            }
            ("ca", _) if self.is_tls && !value.is_empty() => {
                self.authority = Some(PathBuf::from(unescaped(value)?));
            }
            ("sentinel-password", Shape::Sentinel { .. }) if !value.is_empty() => {
                self.sentinel_password = Some(unescaped(value)?);
            }
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// The servers that the address names.
    pub(super) fn named(&self) -> Vec<Server> {
        match &self.shape {
            Shape::Alone { server, .. } => vec![server.clone()],
            Shape::Sentinel { sentinels: servers, .. } | Shape::Cluster { seeds: servers } => {
                servers.clone()
            }
        }
    }

    /// The database that is selected.
    pub(super) const fn database(&self) -> u8 {
        match &self.shape {
            Shape::Alone { database, .. } | Shape::Sentinel { database, .. } => *database,
            Shape::Cluster { .. } => 0,
        }
    }
}

/// Divides user and password, place, and options. A password may hold characters that nobody
/// escaped, so the last `@` counts, but for one within the value of an option.
fn divided(rest: &str) -> (&str, &str, &str) {
    let are_options = |text: &str| {
        let name = text.split_once('=').map_or("", |(name, _)| name);
        !text.contains('@') || OPTIONS.contains(&name)
    };
    let options = rest.rsplit_once('?').filter(|(_, options)| are_options(options));
    let (front, options) = options.unwrap_or((rest, ""));
    let (who, place) = front.rsplit_once('@').unwrap_or(("", front));
    (who, place, options)
}

fn credentials(who: &str) -> Result<(Option<String>, Option<String>), AddressProblem> {
    let (user, password) = who.split_once(':').unwrap_or((who, ""));
    let given = |text: String| (!text.is_empty()).then_some(text);
    Ok((given(unescaped(user)?), given(unescaped(password)?)))
}

fn alone(hosts: &str, path: &str) -> Result<Shape, AddressProblem> {
    let mut servers = servers(hosts, PORT)?;
    match (servers.pop(), servers.is_empty()) {
        (Some(server), true) => Ok(Shape::Alone { server, database: database(path)? }),
        (_, _) => Err(AddressProblem::SeveralHosts),
    }
}

fn sentinel(hosts: &str, path: &str) -> Result<Shape, AddressProblem> {
    let (service, rest) = path.split_once('/').unwrap_or((path, ""));
    if service.is_empty() {
        return Err(AddressProblem::NoService);
    }
    let sentinels = servers(hosts, SENTINEL_PORT)?;
    let (service, database) = (unescaped(service)?, database(rest)?);
    Ok(Shape::Sentinel { sentinels, service, database })
}

fn database(path: &str) -> Result<u8, AddressProblem> {
    if path.is_empty() { Ok(0) } else { path.parse().map_err(|_| AddressProblem::Database) }
}

fn servers(hosts: &str, port: u16) -> Result<Vec<Server>, AddressProblem> {
    hosts.split(',').map(|text| server(text, port)).collect()
}

/// Reads where a server listens: a name or number with or without a port, `[::1]:6379` for IPv6.
pub(super) fn server(text: &str, port: u16) -> Result<Server, AddressProblem> {
    let (host, port_text) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, after)) => (host, after.strip_prefix(':').unwrap_or("")),
        None => text.rsplit_once(':').unwrap_or((text, "")),
    };
    if host.is_empty() {
        return Err(AddressProblem::NoHost);
    }
    let port = match port_text {
        "" => port,
        _ => port_text.parse().ok().filter(|port| *port > 0).ok_or(AddressProblem::Port)?,
    };
    Ok(Server { host: host.to_owned(), port })
}

fn retain(value: &str) -> Option<Option<Duration>> {
    if value == "forever" {
        return Some(None);
    }
    let days: u64 = value.strip_suffix('d')?.parse().ok()?;
    (1..=36_500).contains(&days).then(|| Some(Duration::from_secs(days * DAY)))
}

/// Undoes `%41` and the like.
fn unescaped(text: &str) -> Result<String, AddressProblem> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err(AddressProblem::Escape);
        };
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| AddressProblem::Escape)?);
    }
    String::from_utf8(bytes).map_err(|_| AddressProblem::Escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> RedisAddress {
        text.parse().unwrap_or_else(|problem| panic!("{text}: {problem}"))
    }

    fn at(host: &str, port: u16) -> Server {
        Server { host: host.to_owned(), port }
    }

    #[test]
    fn every_kind_of_address_is_read() {
        let plain = read("redis://db");
        assert_eq!(plain.shape, Shape::Alone { server: at("db", 6_379), database: 0 });
        assert_eq!((plain.durability, plain.is_tls), (Durability::Local, false));
        assert_eq!((plain.prefix.as_str(), plain.retain), ("hf", None));
        let full = read("rediss://me:p%40s%3A@[::1]:7000/3?durability=strict&retain=forever&ca=/a");
        assert_eq!(full.shape, Shape::Alone { server: at("::1", 7_000), database: 3 });
        assert_eq!((full.user.as_deref(), full.password.as_deref()), (Some("me"), Some("p@s:")));
        assert_eq!((full.durability, full.retain, full.is_tls), (Durability::Strict, None, true));
        assert_eq!(full.authority, Some(PathBuf::from("/a")));
        let watched = read("redis+sentinel://:pw@a,b:5/main/2?prefix=x-1&sentinel-password=q@r");
        let sentinels = vec![at("a", 26_379), at("b", 5)];
        let service = "main".to_owned();
        assert_eq!(watched.shape, Shape::Sentinel { sentinels, service, database: 2 });
        assert_eq!(watched.sentinel_password.as_deref(), Some("q@r"));
        assert_eq!((watched.user, watched.password.as_deref()), (None, Some("pw")));
        let many = read("redis+cluster://a:1,b:2?retain=7d&durability=replicated");
        assert_eq!(many.shape, Shape::Cluster { seeds: vec![at("a", 1), at("b", 2)] });
        assert_eq!(many.retain, Some(Duration::from_secs(7 * DAY)));
        assert_eq!(read("rediss+cluster://a").named(), [at("a", 6_379)]);
    }

    #[test]
    fn every_problem_says_how_to_write_it() {
        let rows = [
            ("redis:", "redis://HOST:PORT"),
            ("redis://", "redis://HOST:PORT"),
            ("redis://:6379", "redis://HOST:PORT"),
            ("redis://a:0", "1 to 65535"),
            ("redis://a:b", "1 to 65535"),
            ("redis://a,b", "redis+cluster://"),
            ("redis://a/x", "0 to 255"),
            ("redis+cluster://a/1", "redis+cluster://HOST:PORT"),
            ("redis+sentinel://a", "/SERVICE"),
            ("redis://u:%zz@a", "%25"),
            ("redis://a?prefix=A", "?prefix=hf"),
            ("redis://a?prefix=", "?prefix=hf"),
            ("redis://a?durability=none", "local|replicated|strict"),
            ("redis://a?retain=0d", "retain=DAYSd|forever"),
            ("redis://a?sync=disk", "\"sync\""),
            ("redis://a?ca=/x", "with rediss"),
        ];
        for (text, says) in rows {
            let problem = text.parse::<RedisAddress>().expect_err(text);
            assert!(problem.to_string().contains(says), "{text}: {problem}");
        }
    }

    #[test]
    fn no_password_is_shown() {
        let secret = "redis+sentinel://user:hidden@a/b?sentinel-password=hidden";
        assert!(!format!("{:?}", read(secret)).contains("hidden"));
        for bad in [
            "redis://u:hidden@",
            "redis://u:hidden@a/x?y=1",
            "redis://u:hidden",
            "redis://u:/hidden?hidden@a?x=1",
            "redis://u:hidden@a?sentinel-password=hidden",
            "redis://u:hidden@a?hidden-is-not-here=hidden",
        ] {
            let problem = bad.parse::<RedisAddress>().expect_err(bad).to_string();
            assert!(!problem.replace("hidden-is-not-here", "").contains("hidden"), "{problem}");
        }
    }

    #[test]
    fn what_is_meant_for_redis_is_seen() {
        for text in ["redis:", "redis://a", "rediss://a", "redis+cluster:x", "rediss+sentinel://"] {
            assert!(RedisAddress::is_meant(text), "{text}");
        }
        for text in ["", "redis", "memory:", "redisx://a", "redis+x://a", "file:redis://"] {
            assert!(!RedisAddress::is_meant(text), "{text}");
        }
    }
}
