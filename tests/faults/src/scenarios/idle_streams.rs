//! Thousands watch tables at which nothing happens, and a game-service that has a third of them is
//! asked to end.
//!
//! **Invariant:** everybody is told to come back, before the process ends.

use std::time::Duration;

use handfoot_protocol::v1;
use handfoot_protocol::v1::watch_table_response::Item;
use tokio::task::JoinSet;

use crate::crowd::open::{TableOrder, open_one};
use crate::figures::millis;
use crate::house::Order;
use crate::raw;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// Watchers of a table: as many as may be.
const WATCHERS: usize = 250;

/// Connections to each replica, each with the watchers of one table on it.
const CONNECTIONS: usize = 8;

/// Who sits at a table at which nothing happens: people who do nothing.
const IDLERS: &[u32] = &[1, 2, 3, 4];

/// What is promised for the end of a process, with streams open.
const END_MAX: Duration = Duration::from_secs(25);

/// Fault list: R98, R105.
pub(crate) async fn thousands_of_idle_streams_are_told_to_come_back(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::SLOW).await?;
    let platform = scene.house.platform()?;
    let idle = TableOrder { rounds: 1, pace: Duration::ZERO };
    let mut streams = [const { Vec::new() }; crate::house::REPLICAS];
    for (replica, streams) in streams.iter_mut().enumerate() {
        let address = scene.house.replicas[replica].address.clone();
        for number in 0..CONNECTIONS {
            let seed = (replica * CONNECTIONS + number) as u64;
            let table_id = open_one(platform.clone(), idle, IDLERS, seed).await?.id;
            let channel = raw::connect(&address, None).await?;
            let request = v1::IssueSeatTokenRequest { table_id, ..Default::default() };
            let credential = &scene.house.credentials.platform;
            let token = raw::token(&channel, credential, request).await?;
            for _ in 0..WATCHERS {
                let watch = raw::with(&token, v1::WatchTableRequest::default());
                let opened = raw::player(&channel).watch_table(watch).await;
                match opened {
                    Ok(opened) => streams.push(opened.into_inner()),
                    Err(status) => {
                        scene.must(&format!("no stream: {}", raw::reason(&status)), false);
                    }
                }
            }
        }
    }
    let n_streams: usize = streams.iter().map(Vec::len).sum();
    scene.count("streams on which nothing happens", n_streams as u64);
    scene.under_way().await?;
    let struck = scene.strike();
    let [of_first, others @ ..] = streams;
    let n_first = of_first.len();
    let mut reading = JoinSet::new();
    for mut stream in of_first {
        reading.spawn(async move {
            while let Ok(Some(response)) = stream.message().await {
                if let Some(Item::Rotate(rotate)) = response.item {
                    return rotate.cause() == v1::RotateCause::Draining;
                }
            }
            false
        });
    }
    let replica = &mut scene.house.replicas[0];
    let ended = tokio::task::block_in_place(|| replica.terminate(END_MAX));
    scene.count("end of the game-service, ms", millis(struck.elapsed()));
    scene.must("the game-service did not end in time", ended.is_ok());
    let told = reading.join_all().await.into_iter().filter(|told| *told).count();
    scene.must("some were not told to come back", told == n_first);
    tokio::task::block_in_place(|| scene.house.replicas[0].start_again())?;
    let tried = scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await;
    drop(others);
    tried
}
