//! One stream: what its caller has, and what comes next.
//!
//! **Invariant:** a commit is sent only if it follows what was sent before. Whatever goes wrong, the
//! caller gets a snapshot that says why, or an end that says when to come back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use handfoot_protocol::v1;
use handfoot_protocol::v1::watch_table_response::Item;
use handfoot_store::{Chain, History, Mark, Millis, Version};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::channel::{Found, Shown};
use super::hub::Place;
use crate::caller::SeatCaller;
use crate::error::{Answer, ApiError};
use crate::limits::{
    CATCH_UP_STEPS, HEARTBEAT, REOPEN_AFTER, STALL_MAX, STREAM_AGE, STREAM_AGE_SPREAD_PERCENT,
};
use crate::metrics::Divergence;
use crate::table::{Step, is_linked, timestamp};
use crate::tables::{Reading, Tables};

/// What a caller asks for when it begins to watch.
#[derive(Clone, Debug)]
pub(crate) struct WatchRequest {
    /// The version that it has, and its chain.
    pub(crate) after: Option<(Version, Chain)>,
    pub(crate) rules: v1::RulesDelivery,
    /// When its token runs out.
    pub(crate) expires: Millis,
}

/// A stream of one caller.
#[derive(Debug)]
pub(crate) struct Cursor {
    tables: Tables,
    caller: SeatCaller,
    rules: v1::RulesDelivery,
    place: Place,
    changed: watch::Receiver<()>,
    epoch: u64,
    /// The last that was sent.
    sent: Mark,
    arrivals: u64,
    /// Items that wait to be sent.
    queue: VecDeque<Item>,
    /// When it began by the store's clock: what is older was not late.
    since: Millis,
    last_sent: Instant,
    ends_at: Instant,
    is_over: bool,
}

impl Tables {
    /// Begins a stream.
    pub(crate) async fn watch(&self, caller: SeatCaller, request: WatchRequest) -> Answer<Cursor> {
        let first = self.read(&caller).await?;
        let place = self.enter(&first.table, caller.viewer()).await?;
        let (changed, epoch) = (place.channel.follow(), place.channel.epoch());
        // Read again: what came meanwhile is in the channel or in here.
        let reading = self.read(&caller).await?;
        let now = Instant::now();
        let token_left = Duration::from_millis(request.expires.0.saturating_sub(reading.now.0));
        let mut cursor = Cursor {
            tables: self.clone(),
            caller,
            rules: request.rules,
            arrivals: place.channel.arrivals(),
            place,
            changed,
            epoch,
            sent: reading.table.mark,
            queue: VecDeque::new(),
            since: reading.now,
            last_sent: now,
            ends_at: now + spread(STREAM_AGE, STREAM_AGE_SPREAD_PERCENT).min(token_left),
            is_over: false,
        };
        match request.after {
            None => cursor.queue_snapshot(&reading, v1::SnapshotCause::Start)?,
            Some((version, chain)) => match self.resumes(&reading, version, chain).await? {
                Ok(()) => cursor.resume(&reading, Mark { version, chain }),
                Err(cause) => {
                    if cause == v1::SnapshotCause::HistoryDiverged {
                        self.metrics().diverged(Divergence::Watcher);
                    }
                    cursor.queue_snapshot(&reading, cause)?;
                }
            },
        }
        Ok(cursor)
    }

    /// Whether a caller who has a version can go on from there, or why it gets a snapshot.
    async fn resumes(
        &self,
        reading: &Reading,
        version: Version,
        chain: Chain,
    ) -> Answer<Result<(), v1::SnapshotCause>> {
        let diverged = Ok(Err(v1::SnapshotCause::HistoryDiverged));
        let table = &reading.table;
        if version >= table.mark.version {
            let is_same = version == table.mark.version && chain == table.mark.chain;
            return if is_same { Ok(Ok(())) } else { diverged };
        }
        // The next commit proves the chain before it.
        match self.store().history(&table.fixed.id, version.next(), 1).await? {
            History::Gone { .. } => Ok(Err(v1::SnapshotCause::TooOld)),
            History::NotFound => Err(ApiError::TableNotFound),
            History::Entries(entries) => match entries.first() {
                Some(next) if is_linked(&table.fixed, chain, next) => Ok(Ok(())),
                Some(_) | None => diverged,
            },
        }
    }
}

impl Cursor {
    /// Goes on from what the caller has. Whoever has the last step that there can be is told so.
    fn resume(&mut self, reading: &Reading, has: Mark) {
        self.sent = has;
        if has == reading.table.mark && reading.table.stage.is_closed() {
            self.queue.push_back(rotate(v1::RotateCause::TableClosed));
        }
    }

    /// The next item; none if the stream is over. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Answer<v1::WatchTableResponse>> {
        if self.is_over {
            return None;
        }
        let item = self.next_item().await;
        self.last_sent = Instant::now();
        Some(match item {
            Ok(item) => Ok(v1::WatchTableResponse { item: Some(item) }),
            Err(error) => {
                self.is_over = true;
                Err(error)
            }
        })
    }

    async fn next_item(&mut self) -> Answer<Item> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                self.is_over = matches!(item, Item::Rotate(_));
                return Ok(item);
            }
            self.changed.borrow_and_update();
            if self.tables.drain().is_started() {
                return Ok(self.end(v1::RotateCause::Draining));
            }
            match self.place.channel.after(self.sent, self.epoch) {
                Found::Step(_) | Found::Behind if self.is_stalled() => {
                    return Ok(self.end(v1::RotateCause::Stalled));
                }
                Found::Step(shown) => return self.follow(&shown).await,
                Found::Behind => self.read_log().await?,
                Found::Anew { why } => self.begin_anew(why).await?,
                Found::Ended => return Ok(self.end(v1::RotateCause::TableClosed)),
                Found::UpToDate => {
                    if let Some(item) = self.idle().await? {
                        return Ok(item);
                    }
                }
            }
        }
    }

    /// Nothing is new in the game: who is there may have changed, or time passes.
    async fn idle(&mut self) -> Answer<Option<Item>> {
        let (presence, arrivals) = self.place.channel.presence();
        if arrivals != self.arrivals {
            self.arrivals = arrivals;
            return Ok(Some(Item::Presence(presence)));
        }
        if Instant::now() >= self.ends_at {
            return Ok(Some(self.end(v1::RotateCause::Age)));
        }
        let heartbeat_at = self.last_sent + HEARTBEAT;
        let until = heartbeat_at.min(self.ends_at);
        let draining = self.tables.drain().started();
        tokio::select! {
            // What happened comes before signs of life.
            biased;
            _ = self.changed.changed() => return Ok(None),
            () = draining => return Ok(None),
            () = sleep_until(until) => {}
        }
        if until < heartbeat_at {
            return Ok(None);
        }
        self.heartbeat().await
    }

    /// A sign of life, with what the store says; none if the store says what was not shown yet: a
    /// doorbell that was lost, and a store that has gone back, are noticed here.
    async fn heartbeat(&mut self) -> Answer<Option<Item>> {
        let channel = Arc::clone(&self.place.channel);
        let shown = channel.head();
        let reading = self.tables.read(&self.caller).await?;
        self.tables.reconcile(&channel, shown, reading.table.mark).await?;
        if !matches!(channel.after(self.sent, self.epoch), Found::UpToDate) {
            return Ok(None);
        }
        Ok(Some(Item::Heartbeat(v1::Heartbeat {
            version: reading.table.mark.version.0,
            server_time: Some(timestamp(reading.now)),
        })))
    }

    /// Sends the next step.
    async fn follow(&mut self, shown: &Arc<Shown>) -> Answer<Item> {
        self.check_admitted(&shown.step).await?;
        self.sent = shown.step.mark;
        self.close_after(&shown.step);
        if shown.step.at >= self.since {
            self.tables.metrics().delivered(shown.step.at);
        }
        Ok(Item::Commit(self.place.channel.seen_by(shown, self.caller.viewer())))
    }

    /// Sends what stands, after the channel does so too.
    async fn begin_anew(&mut self, why: v1::SnapshotCause) -> Answer<()> {
        let shown = self.place.channel.head();
        let stands = self.tables.read(&self.caller).await?.table.mark;
        self.tables.reconcile(&self.place.channel, shown, stands).await?;
        // Before reading, so that what comes meanwhile is not missed.
        self.epoch = self.place.channel.epoch();
        let reading = self.tables.read(&self.caller).await?;
        self.sent = reading.table.mark;
        self.queue_snapshot(&reading, why)
    }

    /// Reads what is not in the channel any more.
    async fn read_log(&mut self) -> Answer<()> {
        let reading = self.tables.read(&self.caller).await?;
        let (fixed, from) = (&reading.table.fixed, self.sent.version.next());
        let entries = match self.tables.store().history(&fixed.id, from, CATCH_UP_STEPS).await? {
            History::Entries(entries) if !entries.is_empty() => entries,
            History::Entries(_) | History::Gone { .. } => {
                self.sent = reading.table.mark;
                return self.queue_snapshot(&reading, v1::SnapshotCause::FellBehind);
            }
            History::NotFound => return Err(ApiError::TableNotFound),
        };
        for entry in &entries {
            if !is_linked(fixed, self.sent.chain, entry) {
                return self.begin_anew(v1::SnapshotCause::HistoryDiverged).await;
            }
            let step = Step::of_entry(fixed, entry)?;
            self.sent = step.mark;
            self.queue.push_back(Item::Commit(step.seen_by(fixed, self.caller.viewer())));
            self.close_after(&step);
        }
        Ok(())
    }

    /// Ends the stream if the step has taken away the right to it.
    async fn check_admitted(&self, step: &Step) -> Answer<()> {
        match step.cause {
            v1::CommitCause::Seat => self.tables.read(&self.caller).await.map(drop),
            v1::CommitCause::Unspecified
            | v1::CommitCause::Actions
            | v1::CommitCause::Undo
            | v1::CommitCause::Start
            | v1::CommitCause::Deal
            | v1::CommitCause::Cancel
            | v1::CommitCause::Create
            | v1::CommitCause::Lift => Ok(()),
        }
    }

    /// Lets the stream end after the last step that there can be.
    fn close_after(&mut self, step: &Step) {
        if step.stage.is_closed() {
            let end = rotate(v1::RotateCause::TableClosed);
            self.queue.push_back(end);
        }
    }

    fn queue_snapshot(&mut self, reading: &Reading, cause: v1::SnapshotCause) -> Answer<()> {
        let (presence, arrivals) = self.place.channel.presence();
        self.arrivals = arrivals;
        let rules = match self.rules {
            v1::RulesDelivery::Unspecified | v1::RulesDelivery::Omit => None,
            v1::RulesDelivery::Include => Some(reading.rules()),
        };
        self.queue.push_back(Item::Snapshot(Box::new(v1::Snapshot {
            cause: cause as i32,
            view: Some(reading.view()?),
            presence: Some(presence),
            rules,
        })));
        if reading.table.stage.is_closed() {
            self.queue.push_back(rotate(v1::RotateCause::TableClosed));
        }
        Ok(())
    }

    /// Whether the caller has taken nothing for too long: a heartbeat would have come in between.
    fn is_stalled(&self) -> bool {
        self.last_sent.elapsed() > STALL_MAX
    }

    fn end(&mut self, cause: v1::RotateCause) -> Item {
        self.is_over = true;
        rotate(cause)
    }
}

fn rotate(cause: v1::RotateCause) -> Item {
    let pause = spread(REOPEN_AFTER, 50);
    Item::Rotate(v1::Rotate {
        cause: cause as i32,
        reopen_after_ms: u32::try_from(pause.as_millis()).unwrap_or(u32::MAX),
    })
}

/// A time that differs by up to so many percent, so that not all callers come at once.
fn spread(time: Duration, percent: u32) -> Duration {
    let mut chance = [0; 2];
    // Without chance the time is the shortest one, which is as good.
    let _ = getrandom::fill(&mut chance);
    let part = f64::from(u16::from_be_bytes(chance)) / f64::from(u16::MAX);
    let percent = f64::from(percent) / 100.0;
    time.mul_f64(1.0 - percent + 2.0 * percent * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spread_within_their_limits() {
        for _ in 0..200 {
            let age = spread(STREAM_AGE, STREAM_AGE_SPREAD_PERCENT);
            assert!((480.0..=720.0).contains(&age.as_secs_f64()), "{age:?}");
        }
    }
}
