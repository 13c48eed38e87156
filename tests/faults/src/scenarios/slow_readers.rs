//! Many watch and read nothing of what they are sent.
//!
//! **Invariant:** their connections stay open and take as little as a connection can.

use tonic::Streaming;

use handfoot_protocol::v1;

use crate::crowd::Crowd;
use crate::house::Order;
use crate::raw;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// Readers in all: so many that what they take stands out from the 13 MiB by which services that
/// have just begun grow in the same time.
const READERS: usize = 2_000;

/// Readers of each table, at least and at most: a table takes 256 spectators.
const READERS_OF_A_TABLE: (usize, usize) = (40, 250);

/// Bytes of a stream that may be under way: less than one snapshot.
const WINDOW: u32 = 1_024;

/// Bytes of memory that a stream may take which nobody reads.
const PER_STREAM_MAX: u64 = 32 * 1_024;

/// Fault list: R54.
pub(crate) async fn readers_that_do_not_read_hold_nobody_up(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    let before = memory(&scene)?;
    scene.strike();
    let mut unread: Vec<Streaming<v1::WatchTableResponse>> = Vec::new();
    let n_tables = scene.crowd.n_tables();
    let (fewest, most) = READERS_OF_A_TABLE;
    let n_readers = (READERS / n_tables.max(1)).clamp(fewest, most);
    for table in 0..n_tables {
        let replica = &scene.house.replicas[table % scene.house.replicas.len()];
        let channel = raw::connect(&replica.address, Some(WINDOW)).await?;
        let token = spectator(&scene, &channel, &scene.crowd, table).await?;
        for _ in 0..n_readers {
            let watch = raw::with(&token, v1::WatchTableRequest::default());
            match raw::player(&channel).watch_table(watch).await {
                Ok(opened) => unread.push(opened.into_inner()),
                Err(status) => scene.must(&format!("no stream: {}", raw::reason(&status)), false),
            }
        }
    }
    scene.crowd.finish(crate::crowd::PATIENCE).await;
    scene.count("streams that nobody reads", unread.len() as u64);
    scene.count("memory of game-services before, KiB", before / 1_024);
    let after = memory(&scene)?;
    let per_stream = after.saturating_sub(before) / unread.len().max(1) as u64;
    scene.count("memory of each stream, KiB", per_stream / 1_024);
    scene.must("a stream that nobody reads takes too much", per_stream < PER_STREAM_MAX);
    scene.count("memory of game-services at the end, KiB", after / 1_024);
    let ended = scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await;
    drop(unread);
    ended
}

async fn spectator(
    scene: &Scene,
    channel: &tonic::transport::Channel,
    crowd: &Crowd,
    table: usize,
) -> Result<String, Trouble> {
    let table_id = crowd.id(table).to_owned();
    let request = v1::IssueSeatTokenRequest { table_id, ..Default::default() };
    raw::token(channel, &scene.house.credentials.platform, request).await
}

fn memory(scene: &Scene) -> Result<u64, Trouble> {
    let mut sum = 0;
    for replica in &scene.house.replicas {
        sum += replica.process.memory_bytes()?;
    }
    Ok(sum)
}
