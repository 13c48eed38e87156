//! What the engine trusts without looking, looked at before it is opened.
//!
//! **Invariant:** nothing that was ever written is changed. Without its journal the engine would
//! begin to count anew and hide what it has; the checksum that it keeps beside the name of each
//! manifest it does not compare, and a damaged manifest makes it end the process.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

/// The folder of the engine's key spaces.
const SPACES: &str = "keyspaces";

/// Says which form the engine's files have; written when the engine is first opened.
const VERSION: &str = "version";

/// How a journal's name ends.
const JOURNAL: &str = "jnl";

/// Names the manifest in use: its number, its checksum, the kind of checksum.
const CURRENT: &str = "current";

/// Looks at the engine's folder, which nobody else has open.
pub(super) fn check(engine: &Path) -> Result<(), Error> {
    if !engine.try_exists()? {
        return Ok(());
    }
    let journals = journals(engine)?;
    let spaces = listed(&engine.join(SPACES))?;
    if spaces.is_empty() && are_unused(&journals)? {
        // A process ended while it made the store; the engine would stumble over the rest.
        return std::fs::remove_dir_all(engine);
    }
    if journals.is_empty() || !engine.join(VERSION).try_exists()? {
        return Err(ErrorKind::InvalidData.into());
    }
    spaces.iter().try_for_each(|space| check_space(space))
}

/// The engine's journals, in the order in which they were begun.
pub(super) fn journals(engine: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut journals = listed(engine)?;
    journals.retain(|path| path.extension().is_some_and(|extension| extension == JOURNAL));
    journals
        .sort_by_key(|path| path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok()));
    Ok(journals)
}

/// What is in a folder; nothing if there is no such folder.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(cause) => Err(cause),
    }
}

/// Whether nothing was written to journals: they are laid out with zeros.
fn are_unused(journals: &[PathBuf]) -> Result<bool, Error> {
    for journal in journals {
        let mut first = [0];
        let n_bytes = File::open(journal)?.read(&mut first)?;
        if n_bytes > 0 && first != [0] {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compares the manifest of a key space with its checksum.
fn check_space(space: &Path) -> Result<(), Error> {
    let current = match std::fs::read(space.join(CURRENT)) {
        Ok(current) => current,
        // It was never finished; the engine removes it.
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(cause),
    };
    let (number, checksum) = parts(&current).ok_or(ErrorKind::InvalidData)?;
    let manifest = std::fs::read(space.join(format!("v{number}")))?;
    match xxh3_128(&manifest) == checksum {
        true => Ok(()),
        false => Err(ErrorKind::InvalidData.into()),
    }
}

fn parts(current: &[u8]) -> Option<(u64, u128)> {
    let (number, rest) = current.split_first_chunk()?;
    let (checksum, kind) = rest.split_first_chunk()?;
    (kind == [0]).then_some((u64::from_le_bytes(*number), u128::from_le_bytes(*checksum)))
}
