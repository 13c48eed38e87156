//! A cluster whose slots move from server to server, or have none, while games go on.
//!
//! **Invariant:** nobody waits for the end of a move, and each commit is made once.

use std::sync::Arc;

use handfoot_store::{CommitOutcome, Mark, StoreError, TableId, Version};

use super::failover::{assert_all_there, play};
use super::groups::Cluster;
use super::servers::Server;
use super::{Follower, create, insist, mark, mark_of, open, version_of};
use crate::kit::{commit, run};

/// The slot of a table, from the name of its state.
fn slot(cluster: &Cluster, table: &TableId) -> u16 {
    let names = cluster.servers[..3].iter().flat_map(|server| {
        let names: Vec<String> = server.ask(&format!("KEYS *:t:{table}"));
        names
    });
    let name = names.into_iter().next().expect("one has it");
    cluster.servers[0].ask(&format!("CLUSTER KEYSLOT {name}"))
}

/// The primary of a slot, and another.
fn between(cluster: &Cluster, slot: u16) -> (&Server, &Server) {
    let from = usize::from(slot / 5_461);
    (&cluster.servers[from], &cluster.servers[(from + 1) % 3])
}

/// Begins to move a slot: new keys are made on the other server.
fn begin(from: &Server, to: &Server, slot: u16) {
    let (old, new): (String, String) = (from.ask("CLUSTER MYID"), to.ask("CLUSTER MYID"));
    let _: String = to.ask(&format!("CLUSTER SETSLOT {slot} IMPORTING {old}"));
    let _: String = from.ask(&format!("CLUSTER SETSLOT {slot} MIGRATING {new}"));
}

/// Moves the keys of a slot, one by one.
fn move_keys(from: &Server, to: &Server, slot: u16) {
    loop {
        let keys: Vec<String> = from.ask(&format!("CLUSTER GETKEYSINSLOT {slot} 1"));
        let Some(key) = keys.first() else { return };
        let _: String = from.ask(&format!("MIGRATE 127.0.0.1 {} {key} 0 5000", to.port));
    }
}

/// Says that a slot has moved.
fn end(cluster: &Cluster, to: &Server, slot: u16) {
    let new: String = to.ask("CLUSTER MYID");
    let _: String = to.ask(&format!("CLUSTER SETSLOT {slot} NODE {new}"));
    for server in &cluster.servers[..3] {
        let _: String = server.ask(&format!("CLUSTER SETSLOT {slot} NODE {new}"));
    }
}

#[test]
fn slots_that_move_hold_up_no_game() {
    let cluster = Cluster::start();
    run(async {
        let (store, beside) = (open(&cluster.url("")), open(&cluster.url("")));
        let mut tables = Vec::new();
        for number in 0..6 {
            tables.push(create(&*store, &format!("t{number}")).await);
        }
        let mut follower = Follower::of(&*beside, &tables[0]).await;
        let slots: Vec<u16> = tables.iter().map(|table| slot(&cluster, table)).collect();

        // All keys of a slot are with the other server, and nobody has said so yet.
        let (from, to) = between(&cluster, slots[0]);
        begin(from, to, slots[0]);
        move_keys(from, to, slots[0]);
        let at = mark(&*store, &tables[0]).await;
        let errors: String = from.ask("INFO errorstats");
        assert!(errors.contains("errorstat_ASK"), "{errors}");
        // Where a key is missing, a change waits for the end of the move.
        let under_way = tokio::spawn({
            let (store, commit) = (Arc::clone(&store), commit(&tables[0], at));
            async move { insist(&*store, commit).await }
        });
        to.wait_for("INFO errorstats", "errorstat_TRYAGAIN");
        end(&cluster, to, slots[0]);
        assert_eq!(version_of(&under_way.await.expect("it stands")), Version(1));

        // The others move while they are played.
        let under_way = tokio::spawn({
            let (store, tables) = (Arc::clone(&store), tables[1..].to_vec());
            async move { play(&store, &tables, 0, 60).await }
        });
        for slot in &slots[1..] {
            let (from, to) = between(&cluster, *slot);
            begin(from, to, *slot);
            move_keys(from, to, *slot);
            end(&cluster, to, *slot);
        }
        let mut ledger = under_way.await.expect("all stands");
        ledger.insert(tables[0].clone(), 1);
        assert_all_there(&*store, &ledger).await;
        assert_all_there(&*beside, &ledger).await;
        let (from, _) = between(&cluster, slots[1]);
        let errors: String = from.ask("INFO errorstats");
        assert!(errors.contains("errorstat_MOVED"), "{errors}");

        // News are heard from where the table is now.
        follower.until(1).await;
        between(&cluster, slots[0]).1.wait_for("PUBSUB SHARDCHANNELS *", "n:t0");
        let at = mark(&*store, &tables[0]).await;
        store.commit(commit(&tables[0], at)).await.expect("it is answered");
        follower.until(2).await;
    });
}

#[test]
fn slots_without_a_server_are_unavailable_until_they_have_one() {
    let mut cluster = Cluster::start();
    run(async {
        let store = open(&cluster.url(""));
        let mut tables = Vec::new();
        for number in 0..6 {
            tables.push(create(&*store, &format!("t{number}")).await);
        }
        let kept = tables.iter().find(|table| slot(&cluster, table) > 5_460).expect("one of six");
        let at = mark(&*store, kept).await;
        cluster.servers[0].kill();
        cluster.servers[3].kill();
        for server in [1, 2] {
            cluster.servers[server].wait_for("CLUSTER INFO", "cluster_state:fail");
        }
        let refused = store.commit(commit(kept, at)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
        cluster.servers[0].start_again();
        cluster.servers[3].start_again();
        let outcome = insist(&*store, commit(kept, at)).await;
        assert_eq!(version_of(&outcome), Version(1));
        for table in &tables {
            let at: Mark = mark_of(&*store, table).await;
            let outcome = insist(&*store, commit(table, at)).await;
            assert!(matches!(outcome, CommitOutcome::Committed { .. }), "{outcome:?}");
        }
    });
}
