//! The log of a table and the outbox of all.
//!
//! **Invariant:** what is read is in order and without a gap, or the reader is told that it is not.

use handfoot_store::{History, OutboxCursor, OutboxPage, TableId, Trim, Version};

use crate::kit::{Fixture, START, assert_entries, commit, new_table, text};

async fn history(f: &Fixture, table: &TableId, from: u64, limit: usize) -> History {
    f.store.history(table, Version(from), limit).await.expect("it is answered")
}

pub(super) async fn history_begins_where_asked(f: Fixture) {
    let table = f.create("a").await;
    f.create("a-1").await;
    f.play(&table, 300).await;
    for (from, first, count) in
        [(0, 1, 300), (1, 1, 300), (2, 2, 299), (256, 256, 45), (300, 300, 1)]
    {
        let History::Entries(entries) = history(&f, &table, from, 500).await else {
            panic!("the log is there");
        };
        assert_entries(&entries, first, count);
    }
    for after in [301, 302, u64::MAX] {
        assert_eq!(history(&f, &table, after, 10).await, History::Entries(Vec::new()));
    }
}

pub(super) async fn history_comes_in_pages(f: Fixture) {
    let table = f.create("a").await;
    f.play(&table, 25).await;
    let mut from = 1;
    for expected in [10, 10, 5, 0] {
        let History::Entries(entries) = history(&f, &table, from, 10).await else {
            panic!("the log is there");
        };
        assert_entries(&entries, from, expected);
        from += expected;
    }
}

pub(super) async fn a_trimmed_log_says_where_it_begins(mut f: Fixture) {
    let table = f.create("a").await;
    f.play(&table, 20).await;
    let mut trimming = commit(&table, f.mark(&table).await);
    trimming.trim = Trim::Before(Version(15));
    f.stand(trimming).await;
    // An earlier bound brings nothing back.
    let mut earlier = commit(&table, f.mark(&table).await);
    earlier.trim = Trim::Before(Version(3));
    f.stand(earlier).await;
    if f.survives_a_restart() {
        f.reopen().await;
    }
    for from in [0, 1, 14] {
        assert_eq!(history(&f, &table, from, 9).await, History::Gone { oldest: Version(15) });
    }
    let History::Entries(entries) = history(&f, &table, 15, 20).await else {
        panic!("the rest is there");
    };
    assert_entries(&entries, 15, 8);
    // The entry of the commit itself stays, whatever it says.
    let mut all = commit(&table, f.mark(&table).await);
    all.trim = Trim::Before(Version(u64::MAX));
    f.stand(all).await;
    assert_eq!(history(&f, &table, 22, 9).await, History::Gone { oldest: Version(23) });
    let History::Entries(entries) = history(&f, &table, 23, 9).await else {
        panic!("the last is there");
    };
    assert_entries(&entries, 23, 1);
}

pub(super) async fn the_outbox_keeps_the_order(f: Fixture) {
    let mut new = new_table("a");
    new.outbox = vec![text("created")];
    f.store.create(new).await.expect("it is created");
    let (a, b) = (crate::kit::id("a"), f.create("b").await);
    let mut expected = vec![("a", 0, "created".to_owned())];
    for version in 1..=5 {
        for (table, name) in [(&a, "a"), (&b, "b")] {
            let mut saying = commit(table, f.mark(table).await);
            for part in ["x", "y"] {
                let body = format!("{name} {version} {part}");
                saying.outbox.push(text(&body));
                expected.push((name, version, body));
            }
            f.stand(saying).await;
        }
    }
    let said = f.said(4).await;
    let mut n_found = 0;
    for (_, entries) in &said {
        // The order is that of the commits, within a partition.
        let is_here = |name: &str| entries.iter().any(|entry| entry.table.as_str() == name);
        let expected = expected.iter().filter(|(table, ..)| is_here(table));
        let expected: Vec<_> = expected
            .map(|(table, version, body)| {
                (crate::kit::id(table), Version(*version), START, text(body))
            })
            .collect();
        let found = entries.iter().cloned().map(|e| (e.table, e.version, e.at, e.body));
        let found: Vec<_> = found.collect();
        assert_eq!(found, expected);
        n_found += found.len();
    }
    assert_eq!(n_found, expected.len());
    // What was said stays said.
    f.store.delete(&a).await.expect("it is deleted");
    assert_eq!(f.said(4).await, said);
}

pub(super) async fn a_cursor_from_elsewhere_is_noticed(f: Fixture) {
    let table = f.create("a").await;
    let mut saying = commit(&table, f.mark(&table).await);
    saying.outbox.push(text("said"));
    f.stand(saying).await;
    let (partition, entries) = f.said(9).await.remove(0);
    let newest = entries[0].cursor;
    let page = f.store.outbox(partition, newest, 9).await;
    assert_eq!(page, Ok(OutboxPage::Entries(Vec::new())));
    let page = f.store.outbox(partition, OutboxCursor(newest.0 + 5), 9).await;
    assert_eq!(page, Ok(OutboxPage::Gone { resume: newest }));
}
