//! Many at once.
//!
//! **Invariant:** whatever the order, the log is one sequence and each request has one effect.

use std::sync::Arc;

use handfoot_store::{Commit, CommitOutcome, History, TableStore, Version};

use crate::kit::{Fixture, answering, assert_entries, commit, request};
use crate::load::load;

/// Sends commits from many tasks at once; gives their outcomes.
async fn at_once(store: &Arc<dyn TableStore>, commits: Vec<Commit>) -> Vec<CommitOutcome> {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let mut tasks = Vec::new();
    for commit in commits {
        let (store, gate) = (store.clone(), gate.clone());
        tasks.push(tokio::spawn(async move {
            let _open = gate.acquire().await.expect("the gate stays");
            store.commit(commit).await.expect("it is answered")
        }));
    }
    gate.add_permits(tasks.len());
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.expect("no task panics"));
    }
    outcomes
}

/// Fault list: R57.
pub(super) async fn of_many_commits_on_one_version_one_wins(f: Fixture) {
    let table = f.create("a").await;
    for version in 1..=3 {
        let mark = f.mark(&table).await;
        let outcomes = at_once(&f.store, vec![commit(&table, mark); 2_000]).await;
        let mut n_won = 0;
        for outcome in outcomes {
            match outcome {
                CommitOutcome::Committed { version: won, .. } => {
                    assert_eq!(won, Version(version));
                    n_won += 1;
                }
                CommitOutcome::Conflict(now) => assert_eq!(now.mark.version, Version(version)),
                other @ (CommitOutcome::Duplicate { .. }
                | CommitOutcome::Reused { .. }
                | CommitOutcome::LeaseLost
                | CommitOutcome::NotFound) => panic!("{other:?}"),
            }
        }
        assert_eq!(n_won, 1);
    }
    let Ok(History::Entries(entries)) = f.store.history(&table, Version(1), 10).await else {
        panic!("the log is there");
    };
    assert_entries(&entries, 1, 3);
}

/// Fault list: R53.
pub(super) async fn of_many_equal_requests_one_is_played(f: Fixture) {
    let table = f.create("a").await;
    let mark = f.mark(&table).await;
    let commits = vec![answering(&table, mark, request(1, 5, 1)); 200];
    let mut n_won = 0;
    for outcome in at_once(&f.store, commits).await {
        match outcome {
            CommitOutcome::Committed { version, .. } => {
                assert_eq!(version, Version(1));
                n_won += 1;
            }
            CommitOutcome::Duplicate { version, answer } => {
                assert_eq!((version, &answer[..]), (Version(1), &b"answer 5"[..]));
            }
            other @ (CommitOutcome::Conflict(_)
            | CommitOutcome::Reused { .. }
            | CommitOutcome::LeaseLost
            | CommitOutcome::NotFound) => panic!("{other:?}"),
        }
    }
    assert_eq!((n_won, f.mark(&table).await.version), (1, Version(1)));
}

pub(super) async fn tables_do_not_disturb_each_other(f: Fixture) {
    let mut tables = Vec::new();
    for number in 0..50 {
        tables.push(f.create(&format!("table-{number}")).await);
    }
    for version in 1..=4 {
        let mut commits = Vec::new();
        for table in &tables {
            commits.push(commit(table, f.mark(table).await));
        }
        for outcome in at_once(&f.store, commits).await {
            let is_won =
                matches!(outcome, CommitOutcome::Committed { version: v, .. } if v.0 == version);
            assert!(is_won, "{outcome:?}");
        }
    }
    for table in &tables {
        let Ok(History::Entries(entries)) = f.store.history(table, Version(1), 10).await else {
            panic!("the log is there");
        };
        assert_entries(&entries, 1, 4);
    }
}

pub(super) async fn a_load_as_in_play_stands(f: Fixture) {
    load(&f.store, 8, 40).await;
}
