//! The stored state of one table is overwritten with something else.
//!
//! **Invariant:** the table is in nobody's memory but the store's when it is asked for.

use std::time::Duration;

use handfoot_protocol::ErrorDetails;
use handfoot_protocol::v1;
use tonic::Code;

use crate::crowd::open::{TableOrder, open_one};
use crate::house::Order;
use crate::raw;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// Fault list: R107.
pub(crate) async fn a_damaged_table_is_refused_alone(setting: &Setting) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::SLOW).await?;
    scene.under_way().await?;
    let aside = TableOrder { rounds: 1, pace: Duration::ZERO };
    let opened = open_one(scene.house.platform()?, aside, &[1, 2, 3, 4], 1).await?;
    scene.strike();
    let id = opened.id.clone();
    let server = scene.redis()?;
    tokio::task::block_in_place(|| {
        let keys: Vec<String> = server.ask(&format!("KEYS hf:*t:{id}"))?;
        for key in keys {
            let _: i64 = server.ask(&format!("HSET {key} S nothing-that-was-ever-written"))?;
        }
        Ok::<_, Trouble>(())
    })?;
    let request =
        v1::IssueSeatTokenRequest { table_id: opened.id.clone(), seat: 1, ..Default::default() };
    for number in 0..scene.house.replicas.len() {
        // What a process remembers of a table is as good as the store where both agree, so that
        // each is asked as one that has just begun.
        let replica = &mut scene.house.replicas[number];
        tokio::task::block_in_place(|| {
            replica.terminate(Duration::from_secs(25))?;
            replica.start_again()
        })?;
        let channel = raw::connect(&scene.house.replicas[number].address, None).await?;
        let platform = scene.house.credentials.platform.clone();
        let refused = raw::issue(&channel, &platform, request.clone()).await.err();
        let code = refused.as_ref().map(tonic::Status::code);
        let details = refused.as_ref().map(ErrorDetails::of);
        let is_told = details.as_ref().is_some_and(|details| details.name == "STATE_CORRUPT");
        scene.must("a damaged table is not told as STATE_CORRUPT", is_told);
        scene.must("a damaged table is not told as DATA_LOSS", code == Some(Code::DataLoss));
        let names: Vec<String> =
            details.into_iter().flat_map(|details| details.metadata.into_keys()).collect();
        scene.must("a damaged table is told with more than an id", names == ["trace"]);
    }
    scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await
}
