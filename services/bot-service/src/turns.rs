//! Taking decisions, as many as may be under way.
//!
//! **Invariant:** no more decisions are taken than can be started at once: a lease never waits for
//! a place.

use std::sync::Arc;
use std::time::Duration;

use handfoot_client::{BotTask, ClientError, TurnOrder, UnreadableTask};
use handfoot_protocol::v1::ReleaseCause;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{error, warn};

use crate::backoff::{Backoff, rest};
use crate::counters::count;
use crate::turn;
use crate::work::{Ended, Shared, is_final, told};

/// The most decisions of one answer.
const TASKS_MAX: usize = 16;

/// How long an answer that is on its way when a drain begins is waited for, so that its leases can
/// be given back.
const LATE_ANSWER: Duration = Duration::from_millis(100);

type Tasks = Vec<Result<BotTask, UnreadableTask>>;

/// Takes decisions until a drain, and then ends those under way.
pub(crate) async fn take(shared: Arc<Shared>) -> Ended {
    let places = Arc::new(Semaphore::new(shared.work.concurrency.max(1)));
    let mut under_way = JoinSet::new();
    let mut backoff = Backoff::default();
    let mut ended = Ended::Drained;
    loop {
        while let Some(finished) = under_way.try_join_next() {
            settle(&shared, finished);
        }
        let place = tokio::select! {
            biased;
            () = shared.drain.cancelled() => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let Ok(place) = place else { break };
        let asked = Instant::now();
        let Some(answer) = ask(&shared, 1 + places.available_permits()).await else { break };
        match answer {
            Ok(tasks) if tasks.is_empty() => {
                // An answer that is empty too soon comes from a server that is about to end.
                if asked.elapsed() < shared.work.wait / 2 || asked.elapsed().is_zero() {
                    rest(backoff.next(), &shared.drain).await;
                }
            }
            Ok(tasks) => {
                backoff.reset();
                start(&shared, tasks, place, &places, &mut under_way);
            }
            Err(problem) => {
                count(&shared.counters.call_errors);
                warn!(error = %told(&problem), "could not ask for decisions");
                if is_final(&problem) {
                    shared.drain.cancel();
                    ended = Ended::NotAllowed;
                    break;
                }
                rest(backoff.next(), &shared.drain).await;
            }
        }
    }
    match finish(&shared, under_way).await {
        Ended::Cut => Ended::Cut,
        Ended::Drained | Ended::NotAllowed => ended,
    }
}

/// Asks for decisions; none if a drain has begun and no answer is on its way.
async fn ask(shared: &Shared, free: usize) -> Option<Result<Tasks, ClientError>> {
    let order = TurnOrder {
        tasks_max: u32::try_from(free.min(TASKS_MAX)).unwrap_or(1),
        wait: shared.work.wait,
        lease: shared.work.lease,
    };
    tokio::select! {
        answer = shared.client.acquire_turns(order) => Some(answer),
        () = async {
            shared.drain.cancelled().await;
            sleep(LATE_ANSWER).await;
        } => None,
    }
}

fn start(
    shared: &Arc<Shared>,
    tasks: Tasks,
    place: OwnedSemaphorePermit,
    places: &Arc<Semaphore>,
    under_way: &mut JoinSet<()>,
) {
    let mut first = Some(place);
    for task in tasks {
        let shared = Arc::clone(shared);
        let place = first.take().or_else(|| Arc::clone(places).try_acquire_owned().ok());
        match (task, place) {
            (Ok(task), Some(place)) => {
                count(&shared.counters.tasks);
                under_way.spawn(async move {
                    turn::play(&shared, task).await;
                    drop(place);
                });
            }
            // More than was asked for: somebody else may have it.
            (Ok(task), None) => {
                under_way.spawn(async move {
                    release(&shared, &task.lease.id, ReleaseCause::Failed).await;
                });
            }
            (Err(UnreadableTask { lease_id, error }), place) => {
                count(&shared.counters.failed);
                warn!(error = error.label(), "a task cannot be read");
                under_way.spawn(async move {
                    if let Some(lease_id) = lease_id {
                        release(&shared, &lease_id, ReleaseCause::Failed).await;
                    }
                    rest(turn::FAILED_PAUSE, &shared.drain).await;
                    drop(place);
                });
            }
        }
    }
}

/// Gives a lease back. If that fails it runs out by itself.
pub(crate) async fn release(shared: &Shared, lease_id: &str, cause: ReleaseCause) {
    if let Err(error) = shared.client.release_turn(lease_id, cause).await {
        warn!(error = error.label(), "could not give a lease back");
    }
}

/// Waits for what is under way, for as long as ending may take.
async fn finish(shared: &Shared, mut under_way: JoinSet<()>) -> Ended {
    let deadline = Instant::now() + shared.work.drain;
    loop {
        match timeout_at(deadline, under_way.join_next()).await {
            Ok(Some(finished)) => settle(shared, finished),
            Ok(None) => return Ended::Drained,
            Err(_) => {
                warn!(left = under_way.len(), "time is up; leases run out by themselves");
                under_way.shutdown().await;
                return Ended::Cut;
            }
        }
    }
}

fn settle(shared: &Shared, finished: Result<(), tokio::task::JoinError>) {
    if let Err(problem) = finished
        && problem.is_panic()
    {
        count(&shared.counters.failed);
        error!("a fault of this program stopped a decision; its lease runs out by itself");
    }
}
