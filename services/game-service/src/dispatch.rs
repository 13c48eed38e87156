//! Work for bots: seats that are offered and decisions that are owed.
//!
//! **Invariant:** a worker is given a decision together with a lease of the store, and what the
//! seat may know; it learns of no other seat's cards, whichever seats it plays.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use handfoot_engine::Viewer;
use handfoot_protocol::v1;
use handfoot_store::{ClaimTurns, Lease, LeaseOutcome, Millis, Queue, Tenants, TurnDue, Version};
use handfoot_view::Seat;
use tokio::time::{Instant, sleep_until};

use crate::caller::HeldLease;
use crate::error::{Answer, ApiError};
use crate::limits::{DISPATCH_POLL, TASK_COMMITS_MAX};
use crate::table::{Line, Step, Table, number_of, queue_of};
use crate::tables::{Part, Reading, Tables};

/// What a worker can do.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    /// Whose tables it may play at.
    pub(crate) tenants: Tenants,
    /// Levels that it plays.
    pub(crate) levels: Vec<String>,
}

/// One decision that a bot seat owes.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) seat: Seat,
    pub(crate) held: HeldLease,
    /// When the lease runs out.
    pub(crate) until: Millis,
    pub(crate) generation: u32,
    pub(crate) level: String,
    /// The table as the seat reads it.
    pub(crate) reading: Reading,
    /// Commits since the seat's last turn, as it may know them.
    pub(crate) commits: Vec<v1::Commit>,
    /// The trace of the commit that made it due.
    pub(crate) trace: Option<v1::TraceOrigin>,
}

impl Task {
    /// The only source of the bot's chance.
    pub(crate) fn bot_seed(&self) -> Vec<u8> {
        self.reading.table.fixed.secrets.bot_seed.to_vec()
    }

    pub(crate) fn pace_ms(&self) -> u32 {
        u32::try_from(self.reading.table.fixed.bot_pace.as_millis()).unwrap_or(u32::MAX)
    }
}

impl Tables {
    /// Takes an offered seat for a bot; waits for one.
    pub(crate) async fn acquire_seat(
        &self,
        worker: &Worker,
        wait: Duration,
    ) -> Answer<Option<(Arc<Table>, Seat, String)>> {
        let look = || self.take_offered_seat(&worker.tenants, &worker.levels);
        self.wait_for(wait, look).await
    }

    /// Claims decisions; waits for the first.
    pub(crate) async fn acquire_turns(
        &self,
        worker: &Worker,
        tasks_max: usize,
        wait: Duration,
        lease: Duration,
    ) -> Answer<Vec<Task>> {
        let look = || async {
            let tasks = self.claim(worker, tasks_max, lease).await?;
            Ok((!tasks.is_empty()).then_some(tasks))
        };
        self.wait_for(wait, look).await.map(Option::unwrap_or_default)
    }

    /// Gives a lease back.
    pub(crate) async fn release(&self, tenants: &Tenants, lease: &Lease) -> Answer<()> {
        let (table, _) = self.confirmed(&lease.table).await?;
        let is_its = match tenants {
            Tenants::All => true,
            Tenants::One(tenant) => *tenant == table.fixed.tenant,
        };
        if !is_its {
            return Err(ApiError::TableNotFound);
        }
        match self.store().release_turn(lease).await? {
            LeaseOutcome::Held { .. } => self.work().notify_waiters(),
            LeaseOutcome::Lost => {}
        }
        Ok(())
    }

    /// Looks until there is something, the time is up or the process is about to end.
    async fn wait_for<T, F>(&self, wait: Duration, look: impl Fn() -> F) -> Answer<Option<T>>
    where
        F: Future<Output = Answer<Option<T>>>,
    {
        let give_up_at = Instant::now() + wait;
        loop {
            // Before looking, so that what comes meanwhile is not missed.
            let mut news = std::pin::pin!(self.work().notified());
            news.as_mut().enable();
            if self.drain().is_started() {
                return Ok(None);
            }
            let found = tokio::select! {
                biased;
                found = look() => found?,
                // A store that hangs is not waited for. What was claimed meanwhile runs out.
                () = self.drain().started() => return Ok(None),
            };
            if found.is_some() || Instant::now() >= give_up_at {
                return Ok(found);
            }
            let look_again_at = give_up_at.min(Instant::now() + DISPATCH_POLL);
            let of_others = async {
                // A store that is away wakes nobody: it is looked at again all the same.
                if self.store().work_wanted().await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                () = news => {}
                () = of_others => {}
                () = self.drain().started() => {}
                () = sleep_until(look_again_at) => {}
            }
        }
    }

    async fn claim(&self, worker: &Worker, most: usize, length: Duration) -> Answer<Vec<Task>> {
        let queues_of = |level: &String| Line::ALL.map(|line| queue_of(level, line));
        let queues: Vec<Queue> = worker.levels.iter().flat_map(queues_of).collect();
        let claim = ClaimTurns { tenants: worker.tenants.clone(), queues, length, limit: most };
        let mut tasks = Vec::new();
        for due in self.store().claim_turns(claim).await? {
            match self.task(worker, &due, length).await {
                Ok(Some(task)) => tasks.push(task),
                Ok(None) => {
                    self.store().release_turn(&due.lease).await?;
                }
                // A table that cannot be read keeps no worker from the others; its lease runs out.
                Err(error) => {
                    tracing::warn!(table = %due.lease.table, ?error, "a decision cannot be given");
                }
            }
        }
        Ok(tasks)
    }

    /// The decision behind a claim; none if it is not this worker's or not owed any more.
    async fn task(&self, worker: &Worker, due: &TurnDue, length: Duration) -> Answer<Option<Task>> {
        let (table, now) = self.confirmed(&due.lease.table).await?;
        let owed = table.to_act().filter(|seat| number_of(*seat) == u32::from(due.lease.seat));
        let Some(seat) = owed else { return Ok(None) };
        let Some(state) = table.seat(seat) else { return Ok(None) };
        let level = state.bot_level().filter(|level| worker.levels.iter().any(|l| l == level));
        let Some(level) = level.map(str::to_owned) else { return Ok(None) };
        let generation = state.holder.token_generation;
        let steps = self.steps_since(&table, state.turn_ended).await?;
        let trace = steps.iter().find_map(|step| origin_of(step, &table));
        let commits = steps.iter().map(|step| step.seen_by(&table.fixed, Viewer::Seat(seat)));
        let commits = commits.collect();
        let wait = table.bot_turn().map_or(Duration::ZERO, |turn| table.wait_before(turn.takeable));
        let lag = now.0.saturating_sub(table.at.after(wait).0);
        self.metrics().turn_given(Duration::from_millis(lag));
        let held = HeldLease { token: due.lease.token, length };
        let reading = Reading { table, now, viewer: Viewer::Seat(seat) };
        let until = due.until;
        Ok(Some(Task { seat, held, until, generation, level, reading, commits, trace }))
    }

    async fn steps_since(&self, table: &Table, turn_ended: Version) -> Answer<Vec<Step>> {
        let newest = table.mark.version.0;
        let oldest = newest.saturating_sub(TASK_COMMITS_MAX as u64);
        let from = Version(turn_ended.0.max(oldest) + 1);
        Ok(match self.steps(table, from, TASK_COMMITS_MAX).await? {
            Part::Steps(mut steps) => {
                // Others may have gone on since the table was read.
                steps.retain(|step| step.mark.version.0 <= newest);
                steps
            }
            Part::Gone { .. } => Vec::new(),
        })
    }
}

/// The trace that a step gives to the decision that it made due; none if another did, or if it was
/// not traced.
fn origin_of(step: &Step, table: &Table) -> Option<v1::TraceOrigin> {
    let trace = step.trace.as_ref().filter(|_| step.mark.version == table.game_version)?;
    let relation = match step.controller {
        v1::Controller::Bot => v1::TraceRelation::Link,
        v1::Controller::Unspecified | v1::Controller::Nobody | v1::Controller::Person => {
            v1::TraceRelation::Continue
        }
    };
    Some(v1::TraceOrigin { traceparent: trace.to_string(), relation: relation as i32 })
}
