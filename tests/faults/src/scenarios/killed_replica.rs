//! A game-service is killed under load.
//!
//! **Invariant:** nobody is told before or after; callers find out by themselves.

use crate::house::{Order, REPLICAS};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::{Setting, pick};
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// Fault list: R65, R96.
pub(crate) async fn a_killed_replica_loses_nothing(setting: &Setting) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let mut chance = setting.chance(1);
    for _ in 0..1 + scene.times(3) {
        let struck = scene.strike();
        let one = pick(&mut chance, REPLICAS);
        scene.house.replicas[one].kill();
        scene.crowd.moved_on(struck).await?;
        scene.house.replicas[one].start_again()?;
    }
    scene.end(&Expect::default()).await
}
