//! Every process of the services is replaced, one after the other, while games are played.
//!
//! **Invariant:** each is asked to end, and the next is asked when the one before serves again.

use std::time::{Duration, Instant};

use handfoot_processes::ProcessError;

use crate::figures::millis;
use crate::house::{Order, REPLICAS, WORKERS};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// What is promised for the end of a process, with streams open.
const END_MAX: Duration = Duration::from_secs(25);

/// Fault list: R65, R96, R99.
pub(crate) async fn a_rolling_restart_fails_no_call(setting: &Setting) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::SLOW).await?;
    scene.under_way().await?;
    let mut longest = Duration::ZERO;
    for number in 0..REPLICAS {
        let struck = scene.strike();
        let replica = &mut scene.house.replicas[number];
        let ended = tokio::task::block_in_place(|| replica.terminate(END_MAX));
        longest = longest.max(struck.elapsed());
        match ended {
            Ok(status) => scene.must("a game-service did not end well", status.success()),
            Err(ProcessError::Late { .. }) => scene.must("a game-service did not end", false),
            Err(error) => return Err(error.into()),
        }
        tokio::task::block_in_place(|| scene.house.replicas[number].start_again())?;
        scene.crowd.moved_on(Instant::now()).await?;
    }
    for number in 0..WORKERS {
        let worker = &mut scene.house.workers[number];
        let counts = tokio::task::block_in_place(|| worker.end(END_MAX))?;
        let failed = counts.get("failed").copied().unwrap_or(0);
        scene.must("a worker gave decisions up", failed == 0);
        scene.house.workers[number].start_again()?;
        scene.crowd.moved_on(Instant::now()).await?;
    }
    scene.count("longest end of a game-service, ms", millis(longest));
    scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await
}
