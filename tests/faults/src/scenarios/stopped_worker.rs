//! A bot-service stands still until its leases have run out, and then goes on where it was.
//!
//! **Invariant:** the worker does not know that time has passed: what it sends is late.

use std::time::{Duration, Instant};

use handfoot_processes::Signal;

use crate::house::{Order, WORKERS};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// How long a worker may take to end.
const END_MAX: Duration = Duration::from_secs(30);

/// How often workers are stopped, at most.
const STOPS_MAX: usize = 10;

/// Fault list: R36, R102.
pub(crate) async fn a_worker_stopped_past_its_lease_plays_nothing_late(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let order = Order { lease: Duration::from_secs(1), ..Order::alone() };
    let mut scene = Scene::open(setting, order, Play::SLOW).await?;
    scene.under_way().await?;
    let mut n_late = 0;
    for number in 0..STOPS_MAX {
        // Whether it stops with a decision in its hands is chance.
        if n_late > 0 && number > scene.times(5) {
            break;
        }
        let struck = scene.strike();
        let worker = &scene.house.workers[number % WORKERS];
        worker.process.signal(Signal::Stop)?;
        // Every table moves on, so that the other has taken over whatever this one held.
        scene.crowd.moved_on(struck).await?;
        worker.process.signal(Signal::Continue)?;
        scene.crowd.moved_on(Instant::now()).await?;
        let worker = &mut scene.house.workers[number % WORKERS];
        let counts = tokio::task::block_in_place(|| worker.end(END_MAX))?;
        let count = |name: &str| counts.get(name).copied().unwrap_or(0);
        // Two workers decide alike, so that what is late may be what was played already.
        n_late += count("lease_lost") + count("stale") + count("replayed");
        worker.start_again()?;
    }
    scene.count("late decisions of workers that changed nothing", n_late);
    scene.must("no worker was stopped with a decision in its hands", n_late > 0);
    scene.end(&Expect::default()).await
}
