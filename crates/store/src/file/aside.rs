//! Work that the engine would do under a lock that every commit takes, done beside it and before it.
//!
//! The engine syncs its journal under such a lock: before it writes a part of its memory to a file,
//! and when it begins the next journal. By itself it would then write out 64 MiB and more while all
//! calls wait. This thread writes them out in time, so that calls wait only for what came since.
//! (fjall's pull request 282 would begin the next journal without a sync under the lock; the other
//! sync would stay.)
//!
//! It also frees the memory that the engine has written to files. The engine does so under such a
//! lock, entry by entry, and calls were seen to wait 80 ms for it, twice in a row. (The engine shows
//! its parts but does not document them; a release that hides them does not compile.)
//!
//! **Invariant:** a courtesy. Nothing is promised by it, and an error of it is only logged: the
//! engine meets the same error where it counts.

use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use fjall::{AbstractTree, Keyspace};

use super::{SyncTo, manifest};

/// How often: what is written meanwhile is what calls may have to wait for. Syncs slow down whoever
/// writes, the longer ones more than in proportion: at ten times this, each was seen in the calls.
const EVERY: Duration = Duration::from_millis(20);

/// The thread, until it is dropped. It has a share in the engine until then.
#[derive(Debug)]
pub(super) struct Aside {
    /// Never used: the thread ends when it is dropped.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Aside {
    /// Starts the thread for the engine in a folder, and for key spaces that are written.
    pub(super) fn start(
        engine: PathBuf,
        sync: SyncTo,
        spaces: Vec<Keyspace>,
    ) -> Result<Self, Error> {
        let (alive, ended) = channel();
        let thread = std::thread::Builder::new().name("handfoot-aside".to_owned());
        let thread = thread.spawn(move || run(&engine, sync, &spaces, &ended))?;
        Ok(Self { alive: Some(alive), thread: Some(thread) })
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed when it happened.
            drop(thread.join());
        }
    }
}

fn run(engine: &Path, sync: SyncTo, spaces: &[Keyspace], ended: &Receiver<()>) {
    let mut synced = None;
    let mut kept: Vec<_> = spaces.iter().map(|_| Kept(Vec::new())).collect();
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(EVERY) {
        for (kept, space) in kept.iter_mut().zip(spaces) {
            kept.renew(space.tree.active_memtable());
        }
        match sync {
            // Every commit brings the journal to the disk.
            SyncTo::Disk => {}
            SyncTo::Os => match written_out(engine, synced.as_ref()) {
                Ok(newest) => synced = newest,
                Err(cause) => tracing::debug!(%cause, "the journal is not on the disk ahead"),
            },
        }
    }
}

/// What the engine has in memory, until this is the last to have it.
struct Kept<T>(Vec<Arc<T>>);

impl<T> Kept<T> {
    /// Keeps what is written now; frees what the engine has let go of.
    fn renew(&mut self, active: Arc<T>) {
        if self.0.last().is_none_or(|last| !Arc::ptr_eq(last, &active)) {
            self.0.push(active);
        }
        self.0.retain(|kept| Arc::strong_count(kept) > 1);
    }
}

/// Which journal was written, and when.
type Written = (PathBuf, SystemTime);

/// Brings the journal to the disk that was written since; says which it was.
fn written_out(engine: &Path, synced: Option<&Written>) -> Result<Option<Written>, Error> {
    let newest = newest(engine)?;
    if newest.as_ref() != synced
        && let Some((journal, _)) = &newest
    {
        File::options().write(true).open(journal)?.sync_data()?;
    }
    Ok(newest)
}

/// The journal that is written, and when it last was; those before it were synced by the engine.
fn newest(engine: &Path) -> Result<Option<Written>, Error> {
    let Some(journal) = manifest::journals(engine)?.pop() else { return Ok(None) };
    let written_at = journal.metadata()?.modified()?;
    Ok(Some((journal, written_at)))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
        drop(Aside::start(folder.path().to_owned(), SyncTo::Os, Vec::new()).unwrap());
        assert_eq!(std::fs::read(journal).unwrap(), b"x", "nothing is changed");
    }

    #[test]
    fn what_the_engine_writes_to_is_kept_until_the_thread_ends() {
        let folder = tempfile::tempdir().unwrap();
        let database = fjall::Database::builder(folder.path()).open().unwrap();
        let space = database.keyspace("states", fjall::KeyspaceCreateOptions::default).unwrap();
        let written = space.tree.active_memtable();
        let others = Arc::strong_count(&written);
        let engine = folder.path().to_owned();
        let aside = Aside::start(engine, SyncTo::Disk, vec![space.clone()]).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while Arc::strong_count(&written) == others {
            assert!(Instant::now() < until, "it is not kept");
            std::thread::yield_now();
        }
        drop(aside);
        assert_eq!(Arc::strong_count(&written), others);
    }

    #[test]
    fn what_only_this_keeps_is_freed() {
        let (first, second, third) = (Arc::new(1), Arc::new(2), Arc::new(3));
        let alive = [&first, &second, &third].map(Arc::downgrade);
        let n_alive = || alive.iter().filter(|one| one.strong_count() > 0).count();
        let mut kept = Kept(Vec::new());
        kept.renew(first.clone());
        kept.renew(first.clone());
        assert_eq!(Arc::strong_count(&first), 2, "kept once");
        // What is written next is kept too, and what the engine lets go of stays until then.
        kept.renew(second.clone());
        drop(first);
        assert_eq!(n_alive(), 3);
        kept.renew(second.clone());
        assert_eq!(n_alive(), 2);
        drop(second);
        kept.renew(third.clone());
        assert_eq!((n_alive(), kept.0.len()), (1, 1));
        assert_eq!(Arc::strong_count(&third), 2, "what is written is kept");
    }
}
