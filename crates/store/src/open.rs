//! From the address of a store to the store.
//!
//! **Invariant:** the only place that knows which kinds of store there are.

use std::path::Path;
use std::sync::Arc;

use crate::redis::{RedisAddress, StoreTime};
use crate::{
    Clock, FileStore, Limits, MemoryStore, OpenError, RedisStore, SyncTo, SystemClock, TableStore,
};

/// The addresses that [`open`] understands.
pub const SCHEMES: &[&str] = &[
    "memory:",
    "file:PATH[?sync=disk|os]",
    "redis://HOST[:PORT][?durability=local|replicated|strict]",
    "redis+sentinel://HOST,HOST/SERVICE",
    "redis+cluster://HOST,HOST",
];

/// Opens the store with an address: `memory:`, or `file:PATH` with `?sync=disk` (the default) or
/// `?sync=os`, or that of a Redis: `redis://HOST:PORT`, `redis+sentinel://HOST,HOST/SERVICE` or
/// `redis+cluster://HOST,HOST`, each as `rediss` for TLS, with user and password before the hosts
/// (`USER:PASSWORD@`) and options behind (`?durability=local|replicated|strict`,
/// `retain=DAYSd|forever`, `prefix=NAME`, `ca=FILE`, `sentinel-password=WORD`).
///
/// A Redis is looked at once before this returns, which takes two seconds at most for each server
/// that is named.
///
/// # Errors
///
/// Says what is wrong with the address, or with what is there.
pub fn open(url: &str) -> Result<Arc<dyn TableStore>, OpenError> {
    open_with(url, Arc::new(SystemClock), Limits::STANDARD)
}

/// Says whether an address can be understood, without opening anything.
///
/// # Errors
///
/// Says what is wrong with it, and shows nothing that may be a password.
pub fn check_url(url: &str) -> Result<(), OpenError> {
    match url.split_once(':') {
        Some(("memory", "")) => Ok(()),
        Some(("file", rest)) => file_address(rest).map(drop),
        Some(_) if RedisAddress::is_meant(url) => {
            url.parse::<RedisAddress>().map(drop).map_err(OpenError::Address)
        }
        Some(_) | None => Err(OpenError::UnknownScheme { url: shown(url) }),
    }
}

/// Where the tables of a store lie, which says what becomes of them when they are away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home<'a> {
    /// In the memory of this process: they end with it.
    Process,
    /// In this folder, which one process uses at a time. A folder that failed does not come back
    /// before the process is started again.
    Folder(&'a Path),
    /// On a server that any number of processes use. One that is away comes back.
    Server,
}

/// Where the tables of an address lie, without opening anything.
///
/// # Errors
///
/// Those of [`check_url`].
pub fn home(url: &str) -> Result<Home<'_>, OpenError> {
    check_url(url)?;
    match url.split_once(':') {
        Some(("memory", _)) => Ok(Home::Process),
        Some(("file", rest)) => Ok(Home::Folder(file_address(rest)?.0)),
        Some(_) | None => Ok(Home::Server),
    }
}

/// Opens the store with an address, with another clock and other limits. In Redis the time is that
/// of Redis, so that it is the same for all processes, and the clock is not asked.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_with(
    url: &str,
    clock: Arc<dyn Clock>,
    limits: Limits,
) -> Result<Arc<dyn TableStore>, OpenError> {
    match url.split_once(':') {
        Some(("memory", "")) => Ok(Arc::new(MemoryStore::new(clock, limits))),
        Some(("file", rest)) => {
            let (path, sync) = file_address(rest)?;
            Ok(Arc::new(FileStore::open(path, sync, clock, limits)?))
        }
        Some(_) if RedisAddress::is_meant(url) => {
            Ok(Arc::new(RedisStore::open(url, StoreTime::OfRedis, limits)?))
        }
        Some(_) | None => Err(OpenError::UnknownScheme { url: shown(url) }),
    }
}

/// A path and when a change is answered.
fn file_address(rest: &str) -> Result<(&Path, SyncTo), OpenError> {
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    match path.is_empty() {
        true => Err(OpenError::NoPath),
        false => Ok((Path::new(path), sync_of(options)?)),
    }
}

/// An address as it may be shown: without what is, or may be, a password.
#[must_use]
pub fn shown(url: &str) -> String {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    if scheme == "file" {
        return url.to_owned();
    }
    let (place, options) = url.split_once('?').map_or((url, ""), |(place, _)| (place, "?..."));
    match url.rsplit_once('@') {
        Some((_, rest)) => {
            let place = rest.split_once('?').map_or(rest, |(place, _)| place);
            format!("{scheme}://...@{place}{options}")
        }
        None => format!("{place}{options}"),
    }
}

/// What the options say; the last of several counts.
fn sync_of(options: &str) -> Result<SyncTo, OpenError> {
    let mut sync = SyncTo::Disk;
    for option in options.split('&').filter(|option| !option.is_empty()) {
        sync = match option {
            "sync=disk" => SyncTo::Disk,
            "sync=os" => SyncTo::Os,
            _ => return Err(OpenError::UnknownOption { option: option.to_owned() }),
        };
    }
    Ok(sync)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_not_understood_says_what_would_be() {
        for bad in ["", "memory", "memory:x", "reddis://host", "FILE:x", "/data"] {
            let message = open(bad).unwrap_err().to_string();
            assert!(message.contains("memory: or file:PATH"), "{message}");
            assert_eq!(check_url(bad).unwrap_err().to_string(), message);
        }
        let message = open("reddis://me:hidden@host/1").unwrap_err().to_string();
        assert!(
            message.contains("reddis://...@host/1") && !message.contains("hidden"),
            "{message}"
        );
        for good in ["memory:", "file:x?sync=os", "redis://a", "rediss+cluster://a,b"] {
            check_url(good).unwrap();
        }
        assert!(matches!(check_url("redis://"), Err(OpenError::Address(_))));
        assert!(matches!(open("file:"), Err(OpenError::NoPath)));
        assert!(matches!(open("file:?sync=os"), Err(OpenError::NoPath)));
        for bad in ["file:x?sync", "file:x?sync=none", "file:x?a=b&sync=os"] {
            assert!(matches!(open(bad), Err(OpenError::UnknownOption { .. })), "{bad}");
        }
    }

    #[test]
    fn an_address_says_where_its_tables_lie() {
        assert_eq!(home("memory:").unwrap(), Home::Process);
        assert_eq!(home("file:a/b?sync=os").unwrap(), Home::Folder(Path::new("a/b")));
        for server in ["redis://a", "rediss://a", "redis+sentinel://a,b/main", "redis+cluster://a"]
        {
            assert_eq!(home(server).unwrap(), Home::Server, "{server}");
        }
        assert!(matches!(home("reddis://a"), Err(OpenError::UnknownScheme { .. })));
    }

    #[test]
    fn options_are_read() {
        assert_eq!(sync_of("").unwrap(), SyncTo::Disk);
        assert_eq!(sync_of("sync=os").unwrap(), SyncTo::Os);
        assert_eq!(sync_of("sync=disk").unwrap(), SyncTo::Disk);
    }
}
