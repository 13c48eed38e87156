//! A person at a seat: watches the table, decides by what its view shows, sends each decision until
//! it is answered.
//!
//! **Invariant:** a decision is sent under one id until there is an answer to it, whatever becomes
//! of calls, streams and servers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handfoot_bots::{BotSeed, Level};
use handfoot_client::{ClientError, Decision, Known, PlayClient, Played, Submitted};
use handfoot_protocol::Advice;
use tokio::time::sleep;

use super::watcher::{self, Stream};
use crate::ledger::{Answer, Failure, Ledger, Stamp, Viewer};

/// Before the same decision is sent again. The client has waited already, and longer each time.
const PAUSE: Duration = Duration::from_millis(20);

/// Somebody who plays a seat.
pub(crate) struct Person {
    pub(crate) ledger: Arc<Ledger>,
    /// The table's place in the ledger.
    pub(crate) table: usize,
    pub(crate) seat: u32,
    pub(crate) seed: u64,
    pub(crate) client: PlayClient,
    /// Where each decision is sent at the same time, if it is sent twice.
    pub(crate) twice: Option<[PlayClient; 2]>,
}

/// What came of a decision.
enum Outcome {
    /// It is played, and the table stands there.
    Played(u64),
    /// The table is not as it was thought to be.
    Stale,
    /// Nothing more can be done at this table.
    Over,
}

impl Person {
    /// Plays until the table closes.
    pub(crate) async fn play(self) {
        let mut watch = self.client.watch();
        let viewer = Viewer { seat: self.seat, number: 0 };
        let mut played = 0;
        let mut n_diverged = 0;
        while watcher::next(&self.ledger, self.table, viewer, &mut watch).await == Stream::Open {
            let Some(known) = watch.known() else { continue };
            // Where the table went back, what was played there is to be decided anew.
            let n_snapshots = self.n_snapshots(viewer);
            if n_snapshots != n_diverged {
                n_diverged = n_snapshots;
                played = 0;
            }
            if known.is_to_act() && known.stamp.version >= played {
                match self.act(known.clone()).await {
                    Outcome::Played(version) => played = version,
                    Outcome::Stale => {}
                    Outcome::Over => return,
                }
            }
        }
    }

    fn n_snapshots(&self, viewer: Viewer) -> usize {
        use crate::ledger::Item;
        let notes = self.ledger.table(self.table);
        let items = notes.streams.get(&viewer).into_iter().flatten();
        items.filter(|item| matches!(item, Item::Snapshot { .. })).count()
    }

    /// Decides and plays once; reads the table anew where it is not as it seemed.
    async fn act(&self, mut known: Known) -> Outcome {
        loop {
            let view = known.view.lend(&known.rules).filter(|_| known.is_to_act());
            let Some(view) = view else { return Outcome::Stale };
            let chance = &mut BotSeed::chosen(self.seed).chance(view);
            let Some(action) = Level::Casual.policy().choose(view, chance) else {
                self.complain("a seat that is to act has no action");
                return Outcome::Over;
            };
            let decision = Decision::new(known.stamp.version, vec![action]);
            match self.send(&decision).await {
                Outcome::Stale => self.ledger.table(self.table).n_stale += 1,
                outcome @ (Outcome::Played(_) | Outcome::Over) => return outcome,
            }
            known = match self.read().await {
                Some(known) => known,
                None => return Outcome::Over,
            };
        }
    }

    /// Sends a decision until it is answered.
    async fn send(&self, decision: &Decision) -> Outcome {
        loop {
            let began = Instant::now();
            let sent = match &self.twice {
                None => self.client.submit(decision).await,
                Some([one, two]) => {
                    let (one, two) = tokio::join!(one.submit(decision), two.submit(decision));
                    self.compare(one, two)
                }
            };
            match sent {
                Ok(submitted) => return self.note(decision, &submitted, began),
                Err(error) => match error.advice() {
                    Advice::Retry => self.failed(&error, began),
                    Advice::Reread => return Outcome::Stale,
                    Advice::Wait
                    | Advice::FixRequest
                    | Advice::Decide
                    | Advice::Authorise
                    | Advice::GiveUp => {
                        self.complain(error.label());
                        return Outcome::Over;
                    }
                },
            }
            sleep(PAUSE).await;
        }
    }

    /// Of two answers to one request, played once: the same, and not both the first.
    fn compare(
        &self,
        one: Result<Submitted, ClientError>,
        two: Result<Submitted, ClientError>,
    ) -> Result<Submitted, ClientError> {
        let (one, two) = (one?, two?);
        if one.commit != two.commit {
            self.complain("two answers to one request differ");
        }
        if one.played == Played::Now && two.played == Played::Now {
            self.complain("one request was played twice");
        }
        // The repetition is what is counted.
        Ok(if one.played == Played::Before { one } else { two })
    }

    fn note(&self, decision: &Decision, submitted: &Submitted, began: Instant) -> Outcome {
        let stamp = submitted.commit.as_ref().and_then(|commit| commit.stamp.as_ref());
        let Some(stamp) = stamp.map(Stamp::of) else {
            self.complain("an answer names no version");
            return Outcome::Over;
        };
        let mut notes = self.ledger.table(self.table);
        notes.slowest = notes.slowest.max(began.elapsed());
        notes.n_replayed += u64::from(submitted.played == Played::Before);
        drop(notes);
        let version = stamp.version;
        let request_id = decision.request_id().to_owned();
        self.ledger.answered(self.table, Answer { seat: self.seat, request_id, stamp });
        Outcome::Played(version)
    }

    /// Reads the table until that is answered; none if it cannot be.
    async fn read(&self) -> Option<Known> {
        loop {
            let began = Instant::now();
            match self.client.view().await {
                Ok(known) => return Some(known),
                Err(error) if error.advice() == Advice::Retry => self.failed(&error, began),
                Err(error) => {
                    self.complain(error.label());
                    return None;
                }
            }
            sleep(PAUSE).await;
        }
    }

    fn failed(&self, error: &ClientError, began: Instant) {
        let what = error.label().to_owned();
        let failure = Failure { began, ended: Instant::now(), what };
        self.ledger.table(self.table).failures.push(failure);
    }

    fn complain(&self, what: &str) {
        self.ledger.table(self.table).refused.push(format!("seat {}: {what}", self.seat));
    }
}
