//! Several processes on one Redis: here several stores, which share nothing in memory.
//!
//! **Invariant:** whichever process does something, every other learns of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use handfoot_store::{
    CommitOutcome, CreateOutcome, Deleted, LeaseOutcome, Limited, Limits, ManualClock, Millis,
    RedisStore, StoreError, StoreTime, TableStore, Tenants, TurnsChange, Version, Woken,
};
use tokio::time::timeout;

use super::proxy::Proxy;
use super::servers::{Server, WAIT_MAX};
use super::{Follower, create, mark, open, version_of};
use crate::kit::{
    Fixture, Kind, LEASE, START, answering, claim_of, commit, id, new_table, request, run, wanted,
};

#[test]
fn watchers_on_other_processes_see_equal_versions_in_equal_order() {
    let server = Server::start(&[]);
    run(async {
        let stores = [open(&server.url()), open(&server.url()), open(&server.url())];
        let table = create(&*stores[0], "a").await;
        let mut tasks = Vec::new();
        for store in &stores {
            let (store, table) = (store.clone(), table.clone());
            let mut watcher = store.watch(&table).await.expect("watched").expect("it is there");
            tasks.push(tokio::spawn(async move {
                let mut seen = Vec::new();
                while seen.len() < 200 {
                    let Woken::News(news) = watcher.next().await else { panic!("ended") };
                    let from = Version(seen.len() as u64 + 1);
                    if news.version < from {
                        continue;
                    }
                    let history = store.history(&table, from, 500).await;
                    let Ok(handfoot_store::History::Entries(entries)) = history else {
                        panic!("{history:?}");
                    };
                    assert!(from.0 + entries.len() as u64 > news.version.0);
                    seen.extend(entries);
                }
                seen
            }));
        }
        // Each process in its turn, so that every one hears of the others.
        for version in 1..=200 {
            let store = &stores[usize::try_from(version % 3).expect("small")];
            let at = mark(&**store, &table).await;
            let outcome = store.commit(answering(&table, at, request(1, version, 1))).await;
            assert_eq!(version_of(&outcome.expect("it is answered")), Version(version));
        }
        let mut all = Vec::new();
        for task in tasks {
            all.push(timeout(WAIT_MAX, task).await.expect("in time").expect("it saw all"));
        }
        assert!(all.iter().all(|seen| *seen == all[0]));
    });
}

#[test]
fn a_doorbell_brings_the_commit_with_it() {
    let server = Server::start(&[]);
    run(async {
        let (here, there) = (open(&server.url()), open(&server.url()));
        let table = create(&*here, "a").await;
        let mut watcher = there.watch(&table).await.expect("watched").expect("it is there");
        assert!(matches!(watcher.next().await, Woken::News(_)));
        // Until the subscription is there, looks do instead, which come every two seconds.
        server.wait_for("PUBSUB SHARDCHANNELS *", "n:a");
        let all = async {
            for version in 1..=50 {
                let at = mark(&*here, &table).await;
                here.commit(commit(&table, at)).await.expect("it is answered");
                let Woken::News(news) = watcher.next().await else { panic!("ended") };
                assert_eq!(news.version, Version(version));
                assert_eq!(news.entry.expect("it came along").version, Version(version));
            }
        };
        // Looks alone would take three times as long.
        timeout(WAIT_MAX, all).await.expect("bells ring");
        here.delete(&table).await.expect("it is deleted");
        assert_eq!(watcher.next().await, Woken::Ended);
        drop(watcher);
        server.wait_for("INFO", "pubsubshard_channels:0");
    });
}

#[test]
fn a_watcher_whose_connection_is_cut_misses_nothing() {
    let server = Server::start(&[]);
    run(async {
        let (here, there) = (open(&server.url()), open(&server.url()));
        let table = create(&*here, "a").await;
        let mut follower = Follower::of(&*there, &table).await;
        server.wait_for("PUBSUB SHARDCHANNELS *", "n:a");
        for version in 1..=20 {
            let _: u64 = server.ask("CLIENT KILL TYPE pubsub");
            let at = mark(&*here, &table).await;
            let outcome =
                super::insist(&*here, answering(&table, at, request(1, version, 1))).await;
            assert_eq!(version_of(&outcome), Version(version));
        }
        follower.until(20).await;
    });
}

#[test]
fn a_line_that_died_without_a_word_is_given_up() {
    let server = Server::start(&[]);
    run(async {
        let proxy = Proxy::before(&server).await;
        let (here, there) = (open(&server.url()), open(&proxy.url()));
        let table = create(&*here, "a").await;
        let mut follower = Follower::of(&*there, &table).await;
        server.wait_for("PUBSUB SHARDCHANNELS *", "n:a");
        let channel = server.ask::<Vec<String>>("PUBSUB SHARDCHANNELS *").remove(0);
        proxy.lose_answers();
        // The server keeps the old line, of which nobody told it either.
        server.wait_for(&format!("PUBSUB SHARDNUMSUB {channel}"), "int(2)");
        here.commit(commit(&table, mark(&*here, &table).await)).await.expect("it is answered");
        follower.until(1).await;
    });
}

#[test]
fn of_many_who_ask_while_redis_hangs_one_looks() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        create(&*store, "a").await;
        server.stop();
        let asks = (0..8).map(|_| store.claim_turns(claim_of(Tenants::All, &[0], 1)));
        let answers = futures_util::future::join_all(asks).await;
        let n_failed = answers.iter().filter(|answer| answer.is_err()).count();
        assert_eq!(n_failed, 1, "{answers:?}");
        server.go_on();
    });
}

#[test]
fn two_processes_never_hold_one_turn() {
    let server = Server::start(&[]);
    run(async {
        // The clock stands still, so that no lease runs out however long this takes.
        let clock = Arc::new(ManualClock::new(START));
        let opened = || {
            let time = StoreTime::OfClock(clock.clone());
            Arc::new(RedisStore::open(&server.url(), time, Limits::STANDARD).expect("it opens"))
        };
        let (stores, n_held) = ([opened(), opened()], Arc::new(AtomicUsize::new(0)));
        for number in 0..60 {
            let mut new = new_table(&format!("t{number}"));
            new.turns = vec![wanted(1, 0), wanted(2, 0)];
            stores[0].create(new).await.expect("it is created");
        }
        let mut tasks = Vec::new();
        for number in 0..8 {
            let (store, n_held) = (stores[number % 2].clone(), n_held.clone());
            tasks.push(tokio::spawn(async move {
                let mut held = Vec::new();
                while n_held.load(Ordering::Relaxed) < 120 {
                    let due = store.claim_turns(claim_of(Tenants::All, &[0], 5)).await;
                    let due = due.expect("it is answered");
                    n_held.fetch_add(due.len(), Ordering::Relaxed);
                    held.extend(due);
                    // Where nothing is due, nothing is waited for.
                    tokio::task::yield_now().await;
                }
                held
            }));
        }
        let mut names = Vec::new();
        for task in tasks {
            let held = timeout(WAIT_MAX, task).await.expect("in time").expect("it claims");
            names.extend(held.into_iter().map(|due| (due.lease.table, due.lease.seat)));
        }
        names.sort();
        assert_eq!(names.len(), 120);
        names.dedup();
        assert_eq!(names.len(), 120);
    });
}

#[test]
fn work_of_another_process_wakes_whoever_waits_for_it() {
    let server = Server::start(&[]);
    run(async {
        let (here, there) = (open(&server.url()), open(&server.url()));
        let table = create(&*here, "a").await;
        assert_eq!(there.claim_turns(claim_of(Tenants::All, &[0], 1)).await, Ok(Vec::new()));
        server.wait_for("INFO", "pubsubshard_channels:256");
        let mut work = there.work_wanted();
        assert!(timeout(Duration::ZERO, &mut work).await.is_err(), "there is none yet");
        let mut owing = commit(&table, mark(&*here, &table).await);
        owing.turns = TurnsChange::Replace(vec![wanted(3, 0)]);
        here.commit(owing).await.expect("it is answered");
        timeout(WAIT_MAX, work).await.expect("the bell rings").expect("it is open");
        let due = there.claim_turns(claim_of(Tenants::All, &[0], 1)).await;
        let due = due.expect("it is answered").remove(0);
        assert_eq!((due.lease.table.clone(), due.lease.seat), (table, 3));
        // A lease is good on every process.
        assert!(matches!(here.renew_turn(&due.lease, LEASE).await, Ok(LeaseOutcome::Held { .. })));
        assert!(matches!(here.release_turn(&due.lease).await, Ok(LeaseOutcome::Held { .. })));
        assert_eq!(there.release_turn(&due.lease).await, Ok(LeaseOutcome::Lost));
        here.close().await.expect("it closes");
        let closed = here.work_wanted().await;
        assert_eq!(closed, Err(StoreError::Closed));
    });
}

#[test]
fn a_request_doubled_on_two_processes_is_played_once() {
    let server = Server::start(&[]);
    run(async {
        let stores = [open(&server.url()), open(&server.url())];
        let table = create(&*stores[0], "a").await;
        for version in 1..=100 {
            let at = mark(&*stores[0], &table).await;
            let asked = answering(&table, at, request(1, version, 1));
            let (one, two) = tokio::join!(stores[0].commit(asked.clone()), stores[1].commit(asked));
            let (one, two) = (one.expect("answered"), two.expect("answered"));
            let is_new =
                |outcome: &CommitOutcome| matches!(outcome, CommitOutcome::Committed { .. });
            assert_ne!(is_new(&one), is_new(&two), "{one:?} {two:?}");
            assert_eq!((version_of(&one), version_of(&two)), (Version(version), Version(version)));
        }
    });
}

#[test]
fn claims_outlive_the_process_that_made_them() {
    let mut f = Fixture::new(Kind::Redis, Limits::STANDARD);
    run(async move {
        let table = f.create("a").await;
        f.owe(&table, &[wanted(1, 0)]).await;
        let held = f.claim(1).await.remove(0);
        f.reopen().await;
        assert_eq!(f.claim(1).await, []);
        f.at(4_999);
        assert_eq!(f.claim(1).await, []);
        assert_eq!(f.beside().claim_turns(claim_of(Tenants::All, &[0], 1)).await, Ok(Vec::new()));
        f.at(5_000);
        let next = f.claim(1).await.remove(0);
        assert!(next.lease.token > held.lease.token);
        assert_eq!(f.store.renew_turn(&held.lease, LEASE).await, Ok(LeaseOutcome::Lost));
    });
}

#[test]
fn tables_and_logs_are_limited() {
    let server = Server::start(&[]);
    run(async {
        let limits = Limits { tables: 2, log_entries: 5, outbox_entries: 3, ..Limits::STANDARD };
        let time = StoreTime::OfClock(Arc::new(ManualClock::new(START)));
        let store = RedisStore::open(&server.url(), time, limits).expect("it opens");
        create(&store, "a").await;
        create(&store, "b").await;
        let refused = StoreError::Limit { what: Limited::Tables, max: 2 };
        assert_eq!(store.create(new_table("c")).await, Err(refused));
        let again = store.create(new_table("b")).await;
        assert!(matches!(again, Ok(CreateOutcome::Duplicate { .. })), "{again:?}");
        assert_eq!(store.delete(&id("b")).await, Ok(Deleted::Gone));
        create(&store, "c").await;
        for _ in 0..12 {
            let mut saying = commit(&id("a"), mark(&store, &id("a")).await);
            saying.outbox = vec![crate::kit::text("x")];
            store.commit(saying).await.expect("it is answered");
        }
        let history = store.history(&id("a"), Version(7), 9).await;
        assert_eq!(history, Ok(handfoot_store::History::Gone { oldest: Version(8) }));
        let kept: Vec<String> = server.ask("KEYS *:O");
        let n_kept: u64 = server.ask(&format!("XLEN {}", kept[0]));
        assert_eq!(n_kept, 3);
    });
}

#[test]
fn tables_that_nobody_touches_are_taken_away() {
    let server = Server::start(&[]);
    run(async {
        let clock = Arc::new(ManualClock::new(START));
        let opened = |options: &str| {
            let time = StoreTime::OfClock(clock.clone());
            let url = format!("{}{options}", server.url());
            RedisStore::open(&url, time, Limits::STANDARD).expect("it opens")
        };
        let (week, forever) = (opened("?retain=7d"), opened("?retain=forever"));
        for number in 0..150 {
            create(&week, &format!("t{number}")).await;
        }
        let day = |days: u64| Millis(START.0 + days * 24 * 60 * 60 * 1_000);
        clock.set(day(3));
        for number in 0..50 {
            let table = id(&format!("t{number}"));
            week.commit(commit(&table, mark(&week, &table).await)).await.expect("it is answered");
        }
        let mut watcher = week.watch(&id("t99")).await.expect("watched").expect("it is there");
        assert!(matches!(watcher.next().await, Woken::News(_)));
        clock.set(day(7));
        assert_eq!(week.sweep().await, Ok(0));
        clock.set(Millis(day(7).0 + 1));
        assert_eq!(forever.sweep().await, Ok(0));
        assert_eq!(week.sweep().await, Ok(100));
        assert_eq!(watcher.next().await, Woken::Ended);
        assert!(week.load(&id("t0")).await.expect("it is answered").is_some());
        assert!(week.load(&id("t50")).await.expect("it is answered").is_none());
        clock.set(day(11));
        assert_eq!(week.sweep().await, Ok(50));
        let left: Vec<String> = server.ask("KEYS *");
        assert_eq!(left, Vec::<String>::new());
    });
}

#[test]
fn the_time_is_that_of_redis() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        let table = create(&*store, "a").await;
        let (seconds, _): (u64, u64) = server.ask("TIME");
        let loaded = store.load(&table).await.expect("it loads").expect("it is there");
        let Millis(now) = loaded.now;
        assert!(now / 1_000 >= seconds && now / 1_000 <= seconds + 30, "{now}");
        assert!(loaded.at <= loaded.now);
    });
}
