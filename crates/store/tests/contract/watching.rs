//! Who watches a table.
//!
//! **Invariant:** a watcher who reads what it is woken for misses nothing.

use handfoot_store::{History, Version, Wakeup, Wakeups, Woken};

use crate::kit::{Fixture, assert_entries};

async fn news(wakeups: &mut Wakeups) -> Wakeup {
    match wakeups.next().await {
        Woken::News(news) => news,
        Woken::Ended => panic!("the table is there"),
    }
}

async fn watch(f: &Fixture, name: &str) -> Wakeups {
    let watched = f.store.watch(&crate::kit::id(name)).await;
    watched.expect("it is watched").expect("it is there")
}

pub(super) async fn a_watcher_learns_the_version_at_once(f: Fixture) {
    let table = f.create("a").await;
    assert_eq!(news(&mut watch(&f, "a").await).await, Wakeup { version: Version(0), entry: None });
    f.play(&table, 4).await;
    let mut first = watch(&f, "a").await;
    assert_eq!(news(&mut first).await.version, Version(4));
    assert_eq!(news(&mut watch(&f, "a").await).await.version, Version(4));
}

pub(super) async fn a_watcher_is_woken_by_each_commit(f: Fixture) {
    let table = f.create("a").await;
    let mut watcher = watch(&f, "a").await;
    news(&mut watcher).await;
    for version in 1..=5 {
        f.play(&table, 1).await;
        let Wakeup { version: newest, entry } = news(&mut watcher).await;
        assert_eq!(newest, Version(version));
        assert_entries(&[entry.expect("it was watched")], version, 1);
    }
}

/// Fault list: R104.
pub(super) async fn wake_ups_are_merged_but_the_last_is_not_missed(f: Fixture) {
    let table = f.create("a").await;
    f.create("b").await;
    let mut watcher = watch(&f, "a").await;
    let mut beside = watch(&f, "b").await;
    news(&mut watcher).await;
    news(&mut beside).await;
    f.play(&table, 10).await;
    assert_eq!(news(&mut watcher).await.version, Version(10));
    f.play(&table, 1).await;
    assert_eq!(news(&mut watcher).await.version, Version(11));
    // Nothing more for either: the next thing they hear is the end.
    f.store.close().await.expect("it closes");
    assert_eq!(watcher.next().await, Woken::Ended);
    assert_eq!(beside.next().await, Woken::Ended);
}

pub(super) async fn every_watcher_hears_the_last(f: Fixture) {
    let table = f.create("a").await;
    let mut watchers = Vec::new();
    for _ in 0..20 {
        let mut wakeups = watch(&f, "a").await;
        let store = f.store.clone();
        let table = table.clone();
        watchers.push(tokio::spawn(async move {
            let mut next = 1;
            while next <= 100 {
                let version = news(&mut wakeups).await.version;
                let Ok(History::Entries(entries)) = store.history(&table, Version(next), 500).await
                else {
                    panic!("the log is there");
                };
                let count = entries.len() as u64;
                assert!(next + count > version.0, "what woke it is in the log");
                assert_entries(&entries, next, count);
                next += count;
            }
        }));
    }
    f.play(&table, 100).await;
    for watcher in watchers {
        watcher.await.expect("it saw all");
    }
}

pub(super) async fn watchers_end_with_the_table_and_the_store(f: Fixture) {
    let (a, _) = (f.create("a").await, f.create("b").await);
    let (mut of_a, mut of_b) = (watch(&f, "a").await, watch(&f, "b").await);
    news(&mut of_a).await;
    news(&mut of_b).await;
    f.store.delete(&a).await.expect("it is deleted");
    assert_eq!(of_a.next().await, Woken::Ended);
    // A new table of that name is another.
    f.create("a").await;
    assert_eq!(of_a.next().await, Woken::Ended);
    assert_eq!(news(&mut watch(&f, "a").await).await.version, Version(0));
    f.store.close().await.expect("it closes");
    assert_eq!(of_b.next().await, Woken::Ended);
}
