//! From the address of a store to the store.
//!
//! **Invariant:** the only place that knows which kinds of store there are.

use std::path::Path;
use std::sync::Arc;

use crate::{Clock, FileStore, Limits, MemoryStore, OpenError, SyncTo, SystemClock, TableStore};

/// The addresses that [`open`] understands.
pub const SCHEMES: &[&str] = &["memory:", "file:PATH[?sync=disk|os]"];

/// Opens the store with an address: `memory:`, or `file:PATH` with `?sync=disk` (the default) or
/// `?sync=os`.
///
/// # Errors
///
/// Says what is wrong with the address, or with what is there.
pub fn open(url: &str) -> Result<Arc<dyn TableStore>, OpenError> {
    open_with(url, Arc::new(SystemClock), Limits::STANDARD)
}

/// Opens the store with an address, with another clock and other limits.
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
            let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
            if path.is_empty() {
                return Err(OpenError::NoPath);
            }
            Ok(Arc::new(FileStore::open(Path::new(path), sync_of(options)?, clock, limits)?))
        }
        Some(_) | None => Err(OpenError::UnknownScheme { url: url.to_owned() }),
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
        for bad in ["", "memory", "memory:x", "redis://host", "FILE:x", "/data"] {
            let message = open(bad).unwrap_err().to_string();
            assert!(message.contains("memory: or file:PATH"), "{message}");
        }
        assert!(matches!(open("file:"), Err(OpenError::NoPath)));
        assert!(matches!(open("file:?sync=os"), Err(OpenError::NoPath)));
        for bad in ["file:x?sync", "file:x?sync=none", "file:x?a=b&sync=os"] {
            assert!(matches!(open(bad), Err(OpenError::UnknownOption { .. })), "{bad}");
        }
    }

    #[test]
    fn options_are_read() {
        assert_eq!(sync_of("").unwrap(), SyncTo::Disk);
        assert_eq!(sync_of("sync=os").unwrap(), SyncTo::Os);
        assert_eq!(sync_of("sync=disk").unwrap(), SyncTo::Disk);
    }
}
