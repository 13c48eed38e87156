//! The power of Redis' machine fails while it syncs only every second: its file is cut off where
//! the disk had it.
//!
//! **Invariant:** what is lost had been acknowledged, so that silence about it would be noticed.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use crate::crowd::PATIENCE;
use crate::house::Order;
use crate::ledger::Ledger;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Expect, Loss};

/// Commits of each table that are lost, about.
const LOST: usize = 8;

/// Fault list: R60.
pub(crate) async fn what_a_power_cut_took_is_told(setting: &Setting) -> Result<Tried, Trouble> {
    let order = Order { redis: vec!["--appendfsync", "everysec"], ..Order::alone() };
    let mut scene = Scene::open(setting, order, Play::FAST).await?;
    scene.under_way().await?;
    let file = append_only_file(scene.redis()?.folder())?;
    let synced = std::fs::metadata(&file).map_err(Trouble::system("looking at a file"))?.len();
    let heard: Vec<usize> = scene.crowd.ledger.tables().map(|notes| notes.heard.len()).collect();
    let has_more = |ledger: &Ledger| {
        let mut tables = ledger.tables().zip(&heard);
        tables.all(|(notes, before)| notes.is_closed || notes.heard.len() >= before + LOST)
    };
    scene.crowd.ledger.until("commits to lose", PATIENCE, has_more).await?;
    let struck = scene.strike();
    let server = scene.redis()?;
    server.kill();
    let opened = OpenOptions::new().write(true).open(&file);
    opened.and_then(|file| file.set_len(synced)).map_err(Trouble::system("cutting a file"))?;
    tokio::task::block_in_place(|| server.start_again())?;
    scene.crowd.moved_on(struck).await?;
    scene.end(&Expect { loss: Loss::Told, ..Expect::default() }).await
}

/// The file that Redis appends to.
fn append_only_file(folder: &Path) -> Result<PathBuf, Trouble> {
    let reading = || Trouble::system("reading a folder");
    for entry in std::fs::read_dir(folder.join("appendonlydir")).map_err(reading())? {
        let path = entry.map_err(reading())?.path();
        if path.to_string_lossy().ends_with(".incr.aof") {
            return Ok(path);
        }
    }
    Err(Trouble::Own("Redis has no append-only file".to_owned()))
}
