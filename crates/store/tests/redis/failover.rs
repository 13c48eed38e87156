//! A primary that is killed: by sentinels, in a cluster, and with a write that is lost.
//!
//! **Invariant:** what was acknowledged in `replicated` is there afterwards, each request once.

use std::collections::BTreeMap;
use std::sync::Arc;

use handfoot_processes::redis::Watched;
use handfoot_store::{
    Deleted, History, ListFilter, Mark, TableId, TableStore, Tenants, Version, Wakeup, Woken,
};

use super::groups::Cluster;
use super::servers::{Server, done};
use super::{Follower, create, insist, mark, open, version_of};
use crate::kit::{answering, assert_entries, chain, commit, request, run};

/// Plays so many commits at each table at once; gives where each table must stand.
pub(super) async fn play(
    store: &Arc<dyn TableStore>,
    tables: &[TableId],
    from: u64,
    n_commits: u64,
) -> BTreeMap<TableId, u64> {
    let mut tasks = Vec::new();
    for table in tables.iter().cloned() {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            for version in from + 1..=from + n_commits {
                let at = Mark { version: Version(version - 1), chain: chain(version - 1) };
                let outcome = insist(&*store, answering(&table, at, request(1, version, 1))).await;
                assert_eq!(version_of(&outcome), Version(version));
            }
            (table, from + n_commits)
        }));
    }
    let mut ledger = BTreeMap::new();
    for task in tasks {
        let (table, version) = task.await.expect("all stands");
        ledger.insert(table, version);
    }
    ledger
}

pub(super) async fn assert_all_there(store: &dyn TableStore, ledger: &BTreeMap<TableId, u64>) {
    for (table, version) in ledger {
        assert_eq!(
            mark(store, table).await,
            Mark { version: Version(*version), chain: chain(*version) }
        );
        let Ok(History::Entries(entries)) = store.history(table, Version(1), 500).await else {
            panic!("the log is there");
        };
        assert_entries(&entries, 1, *version);
    }
}

#[test]
fn sentinels_name_another_primary_and_nothing_is_lost() {
    let mut group = done(Watched::start(&[]));
    run(async {
        let store = open(&group.url("?durability=replicated"));
        let mut tables = Vec::new();
        for number in 0..8 {
            tables.push(create(&*store, &format!("t{number}")).await);
        }
        play(&store, &tables, 0, 10).await;
        let mut follower = Follower::of(&*store, &tables[0]).await;
        // Games go on while the primary is killed.
        let under_way = tokio::spawn({
            let (store, tables) = (store.clone(), tables.clone());
            async move { play(&store, &tables, 10, 60).await }
        });
        follower.until(15).await;
        group.primary.kill();
        let ledger = under_way.await.expect("all stands");
        assert_all_there(&*store, &ledger).await;
        let beside = open(&group.url("?durability=replicated"));
        assert_all_there(&*beside, &ledger).await;
        follower.until(70).await;
        assert_eq!(group.replicas.len(), 2);
    });
}

#[test]
fn a_cluster_replaces_a_primary_and_nothing_is_lost() {
    let mut cluster = Cluster::start();
    run(async {
        let store = open(&cluster.url("?durability=replicated"));
        let mut tables = Vec::new();
        for number in 0..24 {
            tables.push(create(&*store, &format!("t{number}")).await);
        }
        // Tags are in the slots that the store believes, or it would have been sent elsewhere.
        for server in &cluster.servers[..3] {
            let n_keys: u64 = server.ask("DBSIZE");
            assert!(n_keys > 10, "tables are on all primaries");
            let errors: String = server.ask("INFO errorstats");
            assert!(!errors.contains("MOVED") && !errors.contains("CROSSSLOT"), "{errors}");
        }
        store.healthy().await.expect("all are well");
        let watched: Vec<_> = tables.iter().take(6).cloned().collect();
        let mut followers = Vec::new();
        for table in &watched {
            followers.push(Follower::of(&*store, table).await);
        }
        play(&store, &tables, 0, 5).await;
        let under_way = tokio::spawn({
            let (store, tables) = (store.clone(), tables.clone());
            async move { play(&store, &tables, 5, 15).await }
        });
        followers[0].until(6).await;
        cluster.servers[0].kill();
        cluster.servers[3].wait_for("ROLE", "master");
        // The new primary had no other replica: it acknowledges nothing until the old one is back.
        cluster.servers[0].start_again();
        let ledger = under_way.await.expect("all stands");
        assert_all_there(&*store, &ledger).await;
        for follower in &mut followers {
            follower.until(20).await;
        }
        let all = ListFilter { tenants: Tenants::All, state: None };
        assert_eq!(store.list(all, None, 99).await.expect("it lists").tables.len(), 24);
        for table in &tables {
            assert_eq!(store.delete(table).await, Ok(Deleted::Gone));
        }
    });
}

#[test]
fn a_write_that_is_lost_is_told_to_watchers() {
    let old = Server::start(&[]);
    run(async {
        let store = open(&old.url());
        let table = create(&*store, "a").await;
        let first = mark(&*store, &table).await;
        store.commit(commit(&table, first)).await.expect("it is answered");
        let mut watcher = store.watch(&table).await.expect("watched").expect("it is there");
        let news = watcher.next().await;
        assert!(matches!(news, Woken::News(Wakeup { version: Version(1), .. })), "{news:?}");
        // What a replica has that was one commit behind.
        let keys: Vec<String> = old.ask("KEYS *");
        let copies: Vec<(String, Vec<u8>)> =
            keys.into_iter().map(|key| (key.clone(), old.ask(&format!("DUMP {key}")))).collect();
        let at = mark(&*store, &table).await;
        store.commit(commit(&table, at)).await.expect("it is answered");
        let news = watcher.next().await;
        assert!(matches!(news, Woken::News(Wakeup { version: Version(2), .. })), "{news:?}");
        let mut restore = redis::pipe();
        restore.atomic().cmd("FLUSHALL").ignore();
        for (key, bytes) in copies {
            restore.cmd("RESTORE").arg(key).arg(0).arg(bytes).ignore();
        }
        restore.exec(&mut old.connect()).expect("it is restored");
        let news = watcher.next().await;
        assert!(
            matches!(news, Woken::News(Wakeup { version: Version(1), entry: None })),
            "{news:?}"
        );
        assert_eq!(mark(&*store, &table).await.version, Version(1));
    });
}
