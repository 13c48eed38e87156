//! A service that is killed in the middle of games, and another on the same store.
//!
//! **Invariant:** what is compared is what clients were told with what the log says.

use std::sync::{Arc, Mutex};

use handfoot_bots::{BotSeed, Level};
use handfoot_client::{Decision, Known, PlayClient, Update};
use handfoot_protocol::Advice;
use handfoot_view::Phase;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::kit::path;
use crate::served::{Served, Sitter, logged, open, runtime, token};

const TABLES: usize = 6;

/// Acknowledgements before the service is killed.
const ENOUGH: usize = 300;

/// What clients were told, by table.
#[derive(Default)]
struct Ledger {
    /// Table, version, chain.
    told: Mutex<Vec<(usize, u64, Vec<u8>)>>,
    more: Notify,
}

impl Ledger {
    fn note(&self, table: usize, stamp: &handfoot_protocol::v1::Stamp) {
        self.told.lock().unwrap().push((table, stamp.version, stamp.chain.to_vec()));
        self.more.notify_waiters();
    }

    async fn reaches(&self, count: usize) {
        loop {
            let more = self.more.notified();
            if self.told.lock().unwrap().len() >= count {
                return;
            }
            more.await;
        }
    }
}

fn is_over(known: &Known) -> bool {
    matches!(known.view.table.phase, Phase::GameOver { .. })
}

/// Plays a person's seat to the end of the game, whatever happens to the service.
async fn play(client: PlayClient, table: usize, ledger: Arc<Ledger>) {
    let seed = BotSeed::chosen(u64::try_from(table).unwrap());
    let mut watch = client.watch();
    let mut version = 0;
    loop {
        match watch.known() {
            Some(known) if is_over(known) => return,
            Some(known) if known.stamp.version >= version && known.is_to_act() => {
                let view = known.view.lend(&known.rules).unwrap();
                let action = Level::Random.policy().choose(view, &mut seed.chance(view)).unwrap();
                let decision = Decision::new(known.stamp.version, vec![action]);
                version = known.stamp.version + 1;
                submit(&client, &decision, table, &ledger).await;
            }
            Some(_) | None => match watch.next().await.unwrap() {
                Update::Commit(step) => ledger.note(table, step.commit.stamp.as_ref().unwrap()),
                Update::Snapshot { .. }
                | Update::Presence(_)
                | Update::Heartbeat
                | Update::Closed => {}
            },
        }
    }
}

/// Sends the same decision until it is answered.
async fn submit(client: &PlayClient, decision: &Decision, table: usize, ledger: &Ledger) {
    loop {
        match client.submit(decision).await {
            Ok(submitted) => {
                ledger.note(table, &submitted.commit.unwrap().stamp.unwrap());
                return;
            }
            Err(error) => assert_eq!(error.advice(), Advice::Retry, "{error}"),
        }
    }
}

/// Fault list: R65, R96.
#[test]
fn a_killed_service_goes_on_where_it_was_and_has_lost_nothing() {
    let store = path("crash-tables");
    let _ = std::fs::remove_dir_all(&store);
    let arguments = format!("--bots --store file:{store}?sync=os --listen");
    let first = Served::start(&format!("{arguments} 127.0.0.1:0"));
    let address = first.address.clone();
    let threads = runtime();
    let ledger = Arc::<Ledger>::default();
    let (tables, mut games) = threads.block_on(async {
        let platform = first.platform();
        let mut tables = Vec::new();
        let mut games = JoinSet::new();
        for number in 0..TABLES {
            let bot = Sitter::Bot(["casual", "random"][number % 2]);
            let id = open(&platform, &[Sitter::Person, bot]).await;
            let client = PlayClient::new(first.connection(), token(&platform, &id, 1).await);
            games.spawn(play(client.clone(), number, Arc::clone(&ledger)));
            tables.push(client);
        }
        ledger.reaches(ENOUGH).await;
        (tables, games)
    });
    first.kill();
    let told = ledger.told.lock().unwrap().len();
    let second = Served::start(&format!("{arguments} {address}"));
    threads.block_on(async {
        // At once, before the games have gone on much, and again when they are over.
        compare(&ledger, &tables).await;
        while let Some(game) = games.join_next().await {
            game.unwrap();
        }
        compare(&ledger, &tables).await;
    });
    assert!(ledger.told.lock().unwrap().len() > told, "the games went on");
    let ended = second.terminate();
    assert_eq!((&ended["refused"], &ended["failed"]), (&0.into(), &0.into()), "{ended}");
}

/// Everything that was told is in the log, as it was told.
async fn compare(ledger: &Ledger, tables: &[PlayClient]) {
    let told = ledger.told.lock().unwrap().clone();
    for (number, client) in tables.iter().enumerate() {
        let log = logged(client).await;
        for (_, version, chain) in told.iter().filter(|(table, _, _)| *table == number) {
            assert_eq!(log.get(version), Some(chain), "table {number}, version {version}");
        }
        let versions: Vec<u64> = log.keys().copied().collect();
        assert!(versions.windows(2).all(|two| two[0] + 1 == two[1]), "no gap");
    }
}
