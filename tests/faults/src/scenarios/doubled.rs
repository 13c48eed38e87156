//! Every request of a person is sent to two replicas at the same time.
//!
//! **Invariant:** both are sent before either is answered.

use crate::crowd::Sending;
use crate::house::Order;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// Fault list: R53, R57.
pub(crate) async fn a_request_sent_to_two_replicas_is_played_once(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let play = Play { sending: Sending::Doubled, ..Play::FAST };
    let scene = Scene::open(setting, Order::alone(), play).await?;
    let look = |scene: &mut Scene, evidence: &crate::evidence::Evidence| {
        let notes = || evidence.tables.iter().map(|table| &table.notes);
        let answered: usize = notes().map(|notes| notes.answers.len()).sum();
        let replayed: u64 = notes().map(|notes| notes.n_replayed).sum();
        scene.count("requests sent twice", answered as u64);
        scene.must(
            "a request that was sent twice has no second answer",
            replayed == answered as u64,
        );
        scene.must("nobody sent anything", answered > 0);
    };
    scene.end_with(&Expect::default(), look).await
}
