//! Watchers go from one replica to another at random, and resume each time where they were.
//!
//! **Invariant:** a stream that a replica had to begin anew, or that brought anything but the next
//! commit, is noticed: nothing is made up for by the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use handfoot_client::{Connection, PlayClient, SeatToken};

use crate::crowd::watcher::{self, Stream};
use crate::house::{Order, REPLICAS};
use crate::ledger::{Ledger, Viewer};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::{Chance, Setting, pick};
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// Who wanders at each table.
const WANDERERS: u32 = 2;

/// Items that are read from one replica, at most.
const ITEMS_MAX: usize = 12;

/// Fault list: R60, R101.
pub(crate) async fn watchers_that_wander_see_one_history(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    let connections = (0..REPLICAS).map(|replica| scene.house.connection_to(replica));
    let connections = connections.collect::<Result<Vec<_>, _>>()?;
    let (visits, begun_anew) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    for table in 0..scene.crowd.n_tables() {
        for number in 1..=WANDERERS {
            let wanderer = Wanderer {
                ledger: Arc::clone(&scene.crowd.ledger),
                table,
                viewer: Viewer { seat: 0, number },
                token: scene.crowd.tables[table].spectator.clone(),
                connections: connections.clone(),
                chance: setting.chance(1_000 + 10 * table as u64 + u64::from(number)),
                visits: Arc::clone(&visits),
                begun_anew: Arc::clone(&begun_anew),
            };
            scene.crowd.add(wanderer.wander());
        }
    }
    let look = |scene: &mut Scene, _: &crate::evidence::Evidence| {
        scene.count("streams resumed", visits.load(Ordering::Relaxed));
        let n = begun_anew.load(Ordering::Relaxed);
        scene.must("a stream had to be opened again by itself", n == 0);
    };
    scene.end_with(&Expect::default(), look).await
}

struct Wanderer {
    ledger: Arc<Ledger>,
    table: usize,
    viewer: Viewer,
    token: SeatToken,
    connections: Vec<Connection>,
    chance: Chance,
    visits: Arc<AtomicU64>,
    begun_anew: Arc<AtomicU64>,
}

impl Wanderer {
    async fn wander(mut self) {
        let mut known = None;
        loop {
            let replica = pick(&mut self.chance, REPLICAS);
            let client = PlayClient::new(self.connections[replica].clone(), self.token.clone());
            let mut watch = match known.take() {
                None => client.watch(),
                Some(known) => client.watch_from(known),
            };
            self.visits.fetch_add(1, Ordering::Relaxed);
            for _ in 0..=pick(&mut self.chance, ITEMS_MAX) {
                let next = watcher::next(&self.ledger, self.table, self.viewer, &mut watch).await;
                if watch.opened() > 1 {
                    self.begun_anew.fetch_add(1, Ordering::Relaxed);
                }
                if next == Stream::Over {
                    return;
                }
            }
            known = watch.known().cloned();
        }
    }
}
