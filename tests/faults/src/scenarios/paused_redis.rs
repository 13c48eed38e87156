//! Redis takes commands and does them later, when their callers have given up.
//!
//! **Invariant:** nothing is lost on the way: what was sent is done after all, and nobody is there
//! to hear of it.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::house::Order;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// How long it pauses: three times as long as the call may take that has to fail.
const PAUSE: Duration = Duration::from_secs(6);

/// Fault list: R42, R54.
pub(crate) async fn redis_paused_is_waited_for(setting: &Setting) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let apart = scene.set_apart().await?;
    for what in ["ALL", "WRITE", "ALL", "WRITE"].into_iter().take(1 + scene.times(3)) {
        let struck = scene.strike();
        let command = format!("CLIENT PAUSE {} {what}", PAUSE.as_millis());
        let server = scene.redis()?;
        let _: String = tokio::task::block_in_place(|| server.ask(&command))?;
        if what == "ALL" {
            let noticed = timeout(PAUSE, scene.noticed(&apart)).await;
            scene.must("nobody noticed that Redis was paused", noticed.is_ok());
        }
        sleep(PAUSE.saturating_sub(struck.elapsed())).await;
        scene.crowd.moved_on(struck).await?;
    }
    scene.end(&Expect::default()).await
}
