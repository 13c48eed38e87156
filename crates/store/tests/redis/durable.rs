//! What is acknowledged, and when, where replicas must have it.
//!
//! **Invariant:** nobody is shown what replicas do not have, by any call but a glance, and what is
//! taken from a glance is not acknowledged before replicas have both.

use std::time::Duration;

use handfoot_store::{CommitOutcome, Mark, StoreError, Version, Wakeup, Woken};
use tokio::time::timeout;

use super::proxy::Proxy;
use super::servers::Server;
use super::{create, insist, mark, open, open_hasty, version_of};
use crate::kit::{answering, chain, id, request, run};

#[test]
fn without_a_replica_nothing_is_acknowledged_or_shown() {
    let primary = Server::start(&[]);
    let replica = primary.replica(&[]);
    run(async {
        let url = format!("{}?durability=replicated", primary.url());
        let (store, beside) = (open_hasty(&url), open_hasty(&url));
        let patient = open(&url);
        let table = create(&*patient, "a").await;
        let at = mark(&*patient, &table).await;
        let mut watcher = loop {
            match beside.watch(&table).await {
                Err(StoreError::Unconfirmed { .. }) => {}
                watched => break watched.expect("watched").expect("it is there"),
            }
        };
        assert!(matches!(watcher.next().await, Woken::News(_)));
        replica.stop();
        let asked = answering(&table, at, request(1, 5, 1));
        let unconfirmed = store.commit(asked.clone()).await;
        assert!(matches!(unconfirmed, Err(StoreError::Unconfirmed { .. })), "{unconfirmed:?}");
        // It is written, and not shown: not by a load, a list, the log, a watch, nor to who asks
        // again, and the store does not call itself well.
        let is_silent = |error: StoreError| matches!(error, StoreError::Unconfirmed { .. });
        assert!(is_silent(beside.load(&table).await.expect_err("it waits")));
        assert!(is_silent(beside.history(&table, Version(1), 9).await.expect_err("it waits")));
        assert!(is_silent(store.commit(asked.clone()).await.expect_err("it waits")));
        assert!(is_silent(store.healthy().await.expect_err("it waits")));
        let heard = timeout(Duration::from_millis(300), watcher.next()).await;
        assert!(heard.is_err(), "{heard:?}");
        // A glance does not wait, and the step that is taken from it does.
        let glanced = beside.glance(&table).await.expect("it is answered").expect("it is there");
        assert_eq!(glanced.mark.version, Version(1));
        let next = answering(&table, glanced.mark, request(2, 6, 1));
        assert!(is_silent(beside.commit(next.clone()).await.expect_err("it waits")));
        replica.go_on();
        let outcome = insist(&*store, asked).await;
        assert!(matches!(outcome, CommitOutcome::Duplicate { .. }), "{outcome:?}");
        assert_eq!(version_of(&outcome), Version(1));
        assert_eq!(version_of(&insist(&*beside, next).await), Version(2));
        loop {
            let Woken::News(Wakeup { version, .. }) = watcher.next().await else { panic!("ended") };
            if version == Version(2) {
                break;
            }
            assert_eq!(version, Version(1));
        }
    });
}

#[test]
fn a_commit_whose_answer_is_lost_is_told_to_others_all_the_same() {
    let primary = Server::start(&[]);
    let _replica = primary.replica(&[]);
    run(async {
        let proxy = Proxy::before(&primary).await;
        let store = open_hasty(&format!("{}?durability=replicated", proxy.url()));
        let table = create(&*open(&primary.url()), "a").await;
        let first = Mark { version: Version(0), chain: chain(0) };
        // The line is made before its answers are lost.
        insist(&*store, answering(&table, first, request(1, 1, 1))).await;
        let at = Mark { version: Version(1), chain: chain(1) };
        let _: String = primary.ask("CONFIG RESETSTAT");
        proxy.lose_answers();
        let outcome = insist(&*store, answering(&table, at, request(1, 2, 1))).await;
        assert!(matches!(outcome, CommitOutcome::Duplicate { .. }), "{outcome:?}");
        primary.wait_for("INFO commandstats", "cmdstat_spublish");
    });
}

#[test]
fn strict_waits_for_two() {
    let primary = Server::start(&[]);
    let _first = primary.replica(&[]);
    run(async {
        let two = open_hasty(&format!("{}?durability=strict", primary.url()));
        let one = open(&format!("{}?durability=replicated", primary.url()));
        create(&*one, "a").await;
        let at = mark(&*one, &id("a")).await;
        let asked = answering(&id("a"), at, request(1, 5, 1));
        let refused = two.commit(asked.clone()).await;
        assert!(matches!(refused, Err(StoreError::Unconfirmed { .. })), "{refused:?}");
        let _second = primary.replica(&[]);
        assert_eq!(version_of(&insist(&*two, asked).await), Version(1));
    });
}

#[test]
fn what_is_acknowledged_is_on_the_replica() {
    let primary = Server::start(&[]);
    let replica = primary.replica(&[]);
    run(async {
        let store = open(&format!("{}?durability=replicated", primary.url()));
        let mut tables = Vec::new();
        for number in 0..40 {
            tables.push(create(&*store, &format!("t{number}")).await);
        }
        let mut tasks = Vec::new();
        for table in tables {
            let (store, url) = (store.clone(), replica.url());
            tasks.push(tokio::spawn(async move {
                let client = redis::Client::open(url).expect("a good address");
                let mut own = client.get_multiplexed_async_connection().await.expect("it answers");
                for version in 1..=20 {
                    let at = mark(&*store, &table).await;
                    let outcome =
                        insist(&*store, answering(&table, at, request(1, version, 1))).await;
                    assert_eq!(version_of(&outcome), Version(version));
                    // The replica is asked the moment it is acknowledged.
                    let keys: Vec<String> = redis::cmd("KEYS")
                        .arg(format!("*:t:{table}"))
                        .query_async(&mut own)
                        .await
                        .expect("it answers");
                    let mut asked = redis::cmd("HGET");
                    asked.arg(&keys[0]).arg("v");
                    let there: u64 = asked.query_async(&mut own).await.expect("it answers");
                    assert_eq!(there, version);
                }
            }));
        }
        for task in tasks {
            task.await.expect("all stands");
        }
    });
}
