//! The judge is tried: commits that were acknowledged are taken out of Redis by hand, and what was
//! stored before is put back in their place.
//!
//! **Invariant:** the verdict of this scenario is about the verdict: red is what must be seen.

use redis::Connection;

use handfoot_processes::redis::{Server, ask_on};

use crate::crowd::PATIENCE;
use crate::evidence;
use crate::house::Order;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Expect, Finding, judge};

/// The table that is harmed.
const HARMED: usize = 0;

/// Fault list: R60, R96.
pub(crate) async fn commits_that_are_taken_out_by_hand_are_missed(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let id = scene.crowd.id(HARMED).to_owned();
    let before = scene.crowd.ledger.table(HARMED).heard.len() as u64;
    let server = scene.redis()?;
    let copies = tokio::task::block_in_place(|| copy(server, &id))?;
    scene.crowd.finish(PATIENCE).await;
    let server = scene.redis()?;
    tokio::task::block_in_place(|| put_back(&mut server.connect()?, &copies))?;
    let evidence = evidence::collect(&scene.house, &scene.crowd).await?;
    let findings = judge(&evidence, &Expect::default());
    let of_table = |finding: &Finding| {
        let Finding::Missing { table, version } = finding else { return None };
        Some((table.clone(), *version))
    };
    let missing: Vec<(String, u64)> = findings.iter().filter_map(of_table).collect();
    scene.count("acknowledged commits that are missed", missing.len() as u64);
    scene.must("acknowledged commits were taken out, and none is missed", !missing.is_empty());
    let is_true = missing.iter().all(|(table, version)| *table == id && *version > before);
    scene.must("commits are missed that are there", is_true);
    let is_unfinished =
        |finding: &Finding| matches!(finding, Finding::Unfinished { table, .. } if *table == id);
    scene.must("a game that goes on counts as finished", findings.iter().any(is_unfinished));
    Ok(scene.judge_nothing(&evidence))
}

/// All that is stored of a table, as of one moment: the game goes on meanwhile.
fn copy(server: &Server, id: &str) -> Result<Vec<(String, Vec<u8>)>, Trouble> {
    let mut connection = server.connect()?;
    let keys: Vec<String> = ask_on(&mut connection, &format!("KEYS hf:*:?:{id}"))?;
    let mut dump = redis::pipe();
    dump.atomic();
    for key in &keys {
        dump.cmd("DUMP").arg(key);
    }
    let bytes: Vec<Vec<u8>> =
        dump.query(&mut connection).map_err(|error| Trouble::Own(error.to_string()))?;
    Ok(keys.into_iter().zip(bytes).collect())
}

fn put_back(connection: &mut Connection, copies: &[(String, Vec<u8>)]) -> Result<(), Trouble> {
    let mut restore = redis::pipe();
    restore.atomic();
    for (key, bytes) in copies {
        restore.cmd("RESTORE").arg(key).arg(0).arg(bytes).arg("REPLACE").ignore();
    }
    restore.exec(connection).map_err(|error| Trouble::Own(error.to_string()))
}
