//! Brings the engine's journal to the disk before the engine does.
//!
//! The engine syncs its journal under the lock that every commit takes: whenever it writes a part
//! of its memory to a file, and when it begins the next journal. Alone that is up to 64 MiB at once
//! and all calls wait; after this thread has brought most of it to the disk, with no lock, it is
//! what was written since.
//!
//! **Invariant:** a courtesy. Nothing is promised by it, and an error of it is only logged: the
//! engine meets the same error where it counts.

use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

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
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(EVERY) {
        if let Err(cause) = sync_newest(engine) {
            tracing::debug!(%cause, "the journal is not brought to the disk ahead");
        }
    }
}

/// Brings the journal that is written to the disk; those before were when it was begun.
fn sync_newest(engine: &Path) -> Result<(), Error> {
    match manifest::journals(engine)?.pop() {
        Some(newest) => File::open(newest)?.sync_data(),
        None => Ok(()),
    }
}
