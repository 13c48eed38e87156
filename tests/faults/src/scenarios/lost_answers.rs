//! Answers are lost after what they answer was done: those of Redis to game-services, and those of
//! game-services to callers.
//!
//! **Invariant:** no request is lost: whoever sends it again, sends what was done already.

use crate::crowd::PATIENCE;
use crate::house::Order;
use crate::ledger::Ledger;
use crate::proxy::Mode;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// One answer of so many is lost before Redis: an action takes one or two.
const BACK: u32 = 25;

/// One of so many is lost before a game-service, with every stream on its connection.
const FRONT: u32 = 150;

/// Answers that are given again before the harm ends.
const REPLAYED: u64 = 5;

/// Fault list: R42, R53.
pub(crate) async fn a_lost_answer_is_given_again(setting: &Setting) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::proxied(), Play::FAST).await?;
    scene.under_way().await?;
    scene.strike();
    for (back, front) in scene.house.backs.iter().zip(&scene.house.fronts) {
        back.set(Mode::LoseAnswers(BACK));
        front.set(Mode::LoseAnswers(FRONT));
    }
    let enough = |ledger: &Ledger| {
        let replayed: u64 = ledger.tables().map(|notes| notes.n_replayed).sum();
        replayed >= REPLAYED || ledger.tables().all(|notes| notes.is_closed)
    };
    scene.crowd.ledger.until("answers that are given again", PATIENCE, enough).await?;
    let replayed = scene.sum(|notes| notes.n_replayed);
    scene.must("no answer had to be given again", replayed > 0);
    for proxy in scene.house.backs.iter().chain(&scene.house.fronts) {
        proxy.set(Mode::Pass);
    }
    let lost =
        |proxies: &[crate::proxy::Proxy]| proxies.iter().map(crate::proxy::Proxy::lost).sum();
    let (back, front) = (lost(&scene.house.backs), lost(&scene.house.fronts));
    scene.count("answers of Redis lost", back);
    scene.count("answers of game-services lost", front);
    scene.end(&Expect::default()).await
}
