//! Redis is killed and started again, with a file that has every write.
//!
//! **Invariant:** it is away for as long as callers need to notice it.

use crate::house::Order;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// Fault list: R104.
pub(crate) async fn redis_killed_and_started_again_loses_nothing(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let apart = scene.set_apart().await?;
    for _ in 0..scene.times(4) {
        let struck = scene.strike();
        scene.redis()?.kill();
        scene.noticed(&apart).await?;
        let server = scene.redis()?;
        tokio::task::block_in_place(|| server.start_again())?;
        scene.crowd.moved_on(struck).await?;
    }
    scene.end(&Expect::default()).await
}
