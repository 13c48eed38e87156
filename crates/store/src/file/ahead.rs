//! Brings the engine's journal to the disk before the engine does.
//!
//! The engine syncs its journal under the lock that every commit takes: before it writes a part of
//! its memory to a file, and when it begins the next journal. By itself it would then write out 64
//! MiB and more while all calls wait. This thread writes them out in time and holds no lock, so
//! that calls wait only for what came since. (fjall's pull request 282 would begin the next journal
//! without a sync under the lock; the other sync would stay.)
//!
//! **Invariant:** a courtesy. Nothing is promised by it, and an error of it is only logged: the
//! engine meets the same error where it counts.

use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use super::manifest;

/// How often: what is written meanwhile is what calls may have to wait for.
const EVERY: Duration = Duration::from_millis(200);

/// The thread, until it is dropped.
#[derive(Debug)]
pub(super) struct Ahead {
    /// Never used: the thread ends when it is dropped.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Starts the thread for the engine in a folder.
    pub(super) fn start(engine: PathBuf) -> Result<Self, Error> {
        let (alive, ended) = channel();
        let thread = std::thread::Builder::new().name("handfoot-ahead".to_owned());
        let thread = thread.spawn(move || run(&engine, &ended))?;
        Ok(Self { alive: Some(alive), thread: Some(thread) })
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed when it happened.
            drop(thread.join());
        }
    }
}

fn run(engine: &Path, ended: &Receiver<()>) {
    let mut synced = None;
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(EVERY) {
        let written = newest(engine).and_then(|newest| {
            if newest != synced
                && let Some((journal, _)) = &newest
            {
                File::options().write(true).open(journal)?.sync_data()?;
            }
            Ok(newest)
        });
        match written {
            Ok(newest) => synced = newest,
            Err(cause) => tracing::debug!(%cause, "the journal is not on the disk ahead"),
        }
    }
}

/// The journal that is written, and when it last was; those before it were synced by the engine.
fn newest(engine: &Path) -> Result<Option<(PathBuf, SystemTime)>, Error> {
    let Some(journal) = manifest::journals(engine)?.pop() else { return Ok(None) };
    let written_at = journal.metadata()?.modified()?;
    Ok(Some((journal, written_at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_that_was_begun_last_is_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(newest(&folder.path().join("missing")).unwrap(), None);
        assert_eq!(newest(folder.path()).unwrap(), None);
        for name in ["9.jnl", "10.jnl", "8.jnl", "11.other"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let (journal, _) = newest(folder.path()).unwrap().unwrap();
        assert_eq!(journal, folder.path().join("10.jnl"));
    }

    #[test]
    fn it_ends_when_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("0.jnl");
        std::fs::write(&journal, "x").unwrap();
        drop(Ahead::start(folder.path().to_owned()).unwrap());
        assert_eq!(std::fs::read(journal).unwrap(), b"x", "nothing is changed");
    }
}
