//! A primary is killed under load and another server follows it; later it comes back as a replica.
//!
//! **Invariant:** whoever is told of a commit is told after as many replicas have it as the address
//! says. Where there are fewer, nothing is acknowledged until there are enough again.

use crate::house::Order;
use crate::house::place::Kind;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// What callers notice while the one that was killed is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    /// Nothing: there are replicas enough.
    GamesGoOn,
    /// One part of the tables waits.
    OnePartWaits,
    /// Every request is answered with COMMIT_UNCONFIRMED, and later under the same id.
    AllWait,
}

/// Fault list: R96, R101.
pub(crate) async fn a_failover_by_sentinels_loses_nothing(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    fail_over(setting, Kind::Watched, "?durability=replicated", Meanwhile::GamesGoOn).await
}

/// Fault list: R96, R101.
pub(crate) async fn a_strict_failover_waits_for_two_replicas_and_loses_nothing(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    fail_over(setting, Kind::Watched, "?durability=strict", Meanwhile::AllWait).await
}

/// Fault list: R96, R101.
pub(crate) async fn a_failover_in_a_cluster_loses_nothing(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    fail_over(setting, Kind::Cluster, "?durability=replicated", Meanwhile::OnePartWaits).await
}

async fn fail_over(
    setting: &Setting,
    kind: Kind,
    options: &'static str,
    meanwhile: Meanwhile,
) -> Result<Tried, Trouble> {
    let redis = vec!["--appendfsync", "everysec"];
    let order = Order { kind, redis, options, ..Order::alone() };
    let mut scene = Scene::open(setting, order, Play::FAST).await?;
    scene.under_way().await?;
    let apart = scene.set_apart().await?;
    let struck = scene.strike();
    scene.house.place.primary().kill();
    match meanwhile {
        Meanwhile::GamesGoOn => scene.crowd.moved_on(struck).await?,
        Meanwhile::OnePartWaits => {
            tokio::task::block_in_place(|| scene.house.place.wait_for_another())?;
        }
        Meanwhile::AllWait => scene.unconfirmed(&apart).await?,
    }
    tokio::task::block_in_place(|| scene.house.place.primary().start_again())?;
    scene.crowd.moved_on(struck).await?;
    if meanwhile == Meanwhile::AllWait {
        let replayed = scene.sum(|notes| notes.n_replayed);
        scene.must("no request was answered later under its id", replayed > 0);
    }
    scene.end(&Expect::default()).await
}
