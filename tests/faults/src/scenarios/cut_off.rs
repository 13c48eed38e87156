//! Game-services lose Redis: one of them or all, by cut connections, by slow ones, or by
//! connections on which nothing arrives any more.
//!
//! **Invariant:** Redis itself is well throughout.

use std::time::Duration;

use tokio::time::sleep;

use crate::house::Order;
use crate::proxy::Mode;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// How long it is out of reach: longer than a call may take.
const AWAY: Duration = Duration::from_millis(2_500);

/// By how much each answer and each question is late.
const LATE: Duration = Duration::from_millis(40);

/// Fault list: R54, R62, R104.
pub(crate) async fn redis_out_of_reach_is_come_back_to(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::proxied(), Play::FAST).await?;
    scene.under_way().await?;
    let apart = scene.set_apart().await?;
    let harms = [
        (Mode::Cut, 3),
        (Mode::HalfOpen, 3),
        (Mode::Delay(LATE), 3),
        (Mode::HalfOpen, 1),
        (Mode::Cut, 1),
    ];
    for (mode, n_replicas) in harms {
        let struck = scene.strike();
        let backs = scene.house.backs.iter().take(n_replicas);
        backs.for_each(|back| back.set(mode));
        sleep(AWAY).await;
        // With the others well, the client finds them: no call has to fail then.
        if n_replicas == 3 && !matches!(mode, Mode::Delay(_)) {
            scene.noticed(&apart).await?;
        }
        scene.house.backs.iter().for_each(|back| back.set(Mode::Pass));
        scene.crowd.moved_on(struck).await?;
    }
    scene.end(&Expect::default()).await
}
