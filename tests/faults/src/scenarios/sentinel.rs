//! The primary that sentinels watch is killed under load; later it comes back as a replica.
//!
//! **Invariant:** whoever is told of a commit is told after a replica has it.

use crate::house::Order;
use crate::house::place::{Kind, Place};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// Fault list: R96, R101.
pub(crate) async fn a_failover_by_sentinels_loses_nothing(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let order = Order {
        kind: Kind::Watched,
        redis: vec!["--appendfsync", "everysec"],
        options: "?durability=replicated",
        ..Order::alone()
    };
    let mut scene = Scene::open(setting, order, Play::FAST).await?;
    scene.under_way().await?;
    let struck = scene.strike();
    let Place::Watched(group) = &mut scene.house.place else {
        return Err(Trouble::Own("a watched group was ordered".to_owned()));
    };
    group.primary.kill();
    scene.crowd.moved_on(struck).await?;
    let Place::Watched(group) = &mut scene.house.place else {
        return Err(Trouble::Own("a watched group was ordered".to_owned()));
    };
    tokio::task::block_in_place(|| group.primary.start_again())?;
    scene.end(&Expect::default()).await
}
