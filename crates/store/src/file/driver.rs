//! Who runs the writer.
//!
//! **Invariant:** one at a time, in the order of asking. To the disk a thread of its own runs it,
//! because a sync blocks for milliseconds, and what comes meanwhile is made durable by the next
//! one. To the operating system whoever asks runs it, for himself and for those who wait: handing
//! over to a thread costs more than the write. He lets everybody ask first who is ready to, so that
//! one write serves all.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::thread::JoinHandle;

use tokio::sync::oneshot;
use tokio::task::yield_now;

use super::lock;
use super::writer::{Asked, Writer};
use crate::StoreError;

/// Changes that are made at once, at most.
const BATCH_MAX: usize = 256;

/// What the thread is told.
#[derive(Debug)]
pub(super) enum Told {
    /// Make a change.
    Make(Asked),
    /// Finish, and say so when everything is let go.
    End(oneshot::Sender<()>),
}

/// Runs the writer.
#[derive(Debug)]
pub(super) enum Driver {
    /// A thread of its own.
    Thread(Worker),
    /// Whoever asks.
    Asker(Box<Asker>),
}

/// The thread that runs a writer.
#[derive(Debug)]
pub(super) struct Worker {
    /// Both are there until it is dropped.
    sender: Option<Sender<Told>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn tell(&self, told: Told) -> Result<(), SendError<Told>> {
        match &self.sender {
            Some(sender) => sender.send(told),
            None => Err(SendError(told)),
        }
    }
}

impl Drop for Worker {
    /// Waits until all is let go, so that the store can be opened again.
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed when it happened.
            drop(thread.join());
        }
    }
}

/// A writer that is run by whoever asks.
#[derive(Debug)]
pub(super) struct Asker {
    /// None when it has ended.
    writer: Mutex<Option<Writer>>,
    waiting: Mutex<Vec<Asked>>,
}

impl Driver {
    /// A thread that runs the writer.
    pub(super) fn thread(writer: Writer) -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("handfoot-store".to_owned());
        // It ends when it is told so, or when nobody is left who could ask.
        let thread = thread.spawn(move || run(writer, &receiver))?;
        Ok(Self::Thread(Worker { sender: Some(sender), thread: Some(thread) }))
    }

    /// A writer for whoever asks.
    pub(super) fn asker(writer: Writer) -> Self {
        let (writer, waiting) = (Mutex::new(Some(writer)), Mutex::new(Vec::new()));
        Self::Asker(Box::new(Asker { writer, waiting }))
    }

    /// Has a change made; its answer comes on its own way. Dropping the future takes nothing back.
    pub(super) async fn make(&self, asked: Asked) {
        match self {
            Self::Thread(worker) => {
                if let Err(unsent) = worker.tell(Told::Make(asked)) {
                    match unsent.0 {
                        Told::Make(asked) => asked.refuse(&StoreError::Closed),
                        Told::End(_) => {}
                    }
                }
            }
            Self::Asker(asker) => {
                lock(&asker.waiting).push(asked);
                let run = RunAtLast(asker);
                yield_now().await;
                drop(run);
            }
        }
    }

    /// Finishes what waits and lets the writer go.
    pub(super) async fn end(&self) {
        match self {
            Self::Thread(worker) => {
                let (reply, ended) = oneshot::channel();
                // Either way it has ended: it says so, or it is not there.
                if worker.tell(Told::End(reply)).is_ok() {
                    drop(ended.await);
                }
            }
            Self::Asker(asker) => {
                asker.run();
                drop(lock(&asker.writer).take());
                asker.run();
            }
        }
    }
}

/// Makes what waits when it is dropped: also if whoever asked no longer waits.
struct RunAtLast<'a>(&'a Asker);

impl Drop for RunAtLast<'_> {
    fn drop(&mut self) {
        self.0.run();
    }
}

impl Asker {
    /// Makes what waits. Whoever was first has made it already, or is about to.
    fn run(&self) {
        if lock(&self.waiting).is_empty() {
            return;
        }
        let mut writer = lock(&self.writer);
        let asked = std::mem::take(&mut *lock(&self.waiting));
        match writer.as_mut() {
            Some(writer) => writer.make(asked),
            None => asked.into_iter().for_each(|one| one.refuse(&StoreError::Closed)),
        }
    }
}

fn run(mut writer: Writer, receiver: &Receiver<Told>) {
    while let Ok(first) = receiver.recv() {
        let mut asked = Vec::new();
        let mut end = None;
        for told in std::iter::once(first).chain(receiver.try_iter().take(BATCH_MAX - 1)) {
            match told {
                Told::Make(one) => asked.push(one),
                Told::End(reply) => {
                    end = Some(reply);
                    break;
                }
            }
        }
        writer.make(asked);
        if let Some(reply) = end {
            drop(writer);
            // Who no longer waits need not know.
            let _ = reply.send(());
            return;
        }
    }
}
