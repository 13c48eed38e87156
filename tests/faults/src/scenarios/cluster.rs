//! A primary of a cluster is killed under load; its replica follows it, and it comes back as the
//! replica of that.
//!
//! **Invariant:** until it is back, its part of the tables has no replica and acknowledges nothing.

use crate::house::Order;
use crate::house::place::{Kind, Place};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// Fault list: R96, R101.
pub(crate) async fn a_failover_in_a_cluster_loses_nothing(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let order = Order {
        kind: Kind::Cluster,
        redis: vec!["--appendfsync", "everysec"],
        options: "?durability=replicated",
        ..Order::alone()
    };
    let mut scene = Scene::open(setting, order, Play::FAST).await?;
    scene.under_way().await?;
    let struck = scene.strike();
    let Place::Cluster(cluster) = &mut scene.house.place else {
        return Err(Trouble::Own("a cluster was ordered".to_owned()));
    };
    let [killed, _, _, replica, ..] = cluster.servers.as_mut_slice() else {
        return Err(Trouble::Own("a cluster has six servers".to_owned()));
    };
    killed.kill();
    tokio::task::block_in_place(|| {
        replica.wait_for("INFO replication", "role:master")?;
        killed.start_again()
    })?;
    scene.crowd.moved_on(struck).await?;
    scene.end(&Expect::default()).await
}
