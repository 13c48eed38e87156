//! A load of commits on a store, and what stands after it.
//!
//! **Invariant:** the load says how many commits were acknowledged, and the tables agree. It is
//! also what `benches/commits.rs` measures.

use std::sync::Arc;

use bytes::Bytes;
use handfoot_store::{
    BodyHash, Chain, Commit, CommitOutcome, CreateRequest, DeadlineChange, ListedState, Mark,
    Millis, NewTable, Request, RequestId, TableId, TableStore, Version,
};

/// Bytes of a game's snapshot, entry and answer, as they are in play.
const SIZES: (usize, usize, usize) = (2_200, 160, 120);

/// Makes commits at so many tables, one after the other at each and all tables at once.
///
/// # Panics
///
/// Panics if a commit does not stand, or if a table does not have all of its own.
pub(crate) async fn load(store: &Arc<dyn TableStore>, n_tables: usize, n_commits: u64) {
    let mut tasks = Vec::new();
    for number in 0..n_tables {
        let store = store.clone();
        tasks.push(tokio::spawn(async move { play(&*store, number, n_commits).await }));
    }
    for task in tasks {
        task.await.expect("every commit stands");
    }
}

async fn play(store: &dyn TableStore, number: usize, n_commits: u64) {
    let table: TableId = format!("table-{number}").parse().expect("a good name");
    let (snapshot, entry, answer) = SIZES;
    let bytes = |count: usize, version: u64| {
        let mut bytes: Vec<u8> = (0..count).map(|i| (i * 31 + number).to_le_bytes()[0]).collect();
        bytes[..8].copy_from_slice(&version.to_le_bytes());
        Bytes::from(bytes)
    };
    store.create(new_table(&table, bytes(snapshot, 0))).await.expect("it is created");
    let mut mark = Mark { version: Version(0), chain: Chain([0; 16]) };
    for version in 1..=n_commits {
        let mut name = [0; 16];
        name[..8].copy_from_slice(&version.to_le_bytes());
        let (snapshot, entry) = (bytes(snapshot, version), bytes(entry, version));
        let mut commit = Commit::new(table.clone(), mark, Chain(name), snapshot, entry);
        commit.deadline = DeadlineChange::Set(Millis(u64::MAX - version));
        let answer = bytes(answer, version);
        let (id, body) = (RequestId(name), BodyHash(name));
        commit.request = Some(Request { seat: 1, id, body, answer });
        let outcome = store.commit(commit).await;
        let stands =
            matches!(outcome, Ok(CommitOutcome::Committed { version: v, .. }) if v.0 == version);
        assert!(stands, "{outcome:?}");
        mark = Mark { version: Version(version), chain: Chain(name) };
    }
    let loaded = store.load(&table).await.expect("it loads").expect("it is there");
    assert_eq!(loaded.mark, mark);
    assert_eq!(loaded.snapshot, bytes(snapshot, n_commits));
}

fn new_table(table: &TableId, snapshot: Bytes) -> NewTable {
    NewTable {
        id: table.clone(),
        tenant: "load".parse().expect("a good name"),
        state: ListedState(0),
        summary: Bytes::from_static(b"a table under load"),
        snapshot,
        chain: Chain([0; 16]),
        request: CreateRequest {
            id: RequestId([0; 16]),
            body: BodyHash([0; 16]),
            answer: Bytes::new(),
        },
        deadline: None,
        turns: Vec::new(),
        outbox: Vec::new(),
    }
}
