//! Where a store can be opened and where it cannot, and limits that are set at opening.
//!
//! **Invariant:** whoever reads the message knows the path and what to do.

use std::path::Path;
use std::sync::Arc;

use fjall::{Database, KeyspaceCreateOptions};
use handfoot_store::{
    CreateOutcome, Deleted, History, Limited, Limits, ManualClock, OpenError, OutboxCursor,
    OutboxPage, Partition, StoreError, TableStore, Version, open, open_with,
};
use tempfile::TempDir;

use crate::kit::{Fixture, Kind, START, assert_entries, commit, id, new_table, run, text};

fn folder() -> TempDir {
    TempDir::new().expect("a folder for the test")
}

fn open_in(path: &Path) -> Result<Arc<dyn TableStore>, OpenError> {
    open(&format!("file:{}", path.display()))
}

fn assert_names(error: &OpenError, path: &Path) {
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
}

#[test]
fn a_store_is_opened_once_at_a_time() {
    run(async {
        let folder = folder();
        let first = open_in(folder.path()).expect("a new store opens");
        let error = open_in(folder.path()).expect_err("it is in use");
        assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
        assert_names(&error, folder.path());
        first.create(new_table("a")).await.expect("the first is not disturbed");
        drop(first);
        let again = open_in(folder.path()).expect("it is free");
        assert!(again.load(&id("a")).await.expect("it loads").is_some());
    });
}

#[test]
fn a_path_that_is_no_folder_is_refused() {
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "text").expect("it is written");
    for path in [file.clone(), file.join("below")] {
        let error = open_in(&path).expect_err("it is no folder");
        assert!(matches!(error, OpenError::NotUsable { .. }), "{error:?}");
        assert_names(&error, &path);
    }
    // Folders that are not there are made.
    let deep = folder.path().join("one").join("two");
    drop(open_in(&deep).expect("it opens"));
}

#[test]
fn a_folder_without_the_right_to_write_is_refused() {
    let folder = folder();
    let mut rights = std::fs::metadata(folder.path()).expect("it is there").permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(folder.path(), rights).expect("it is ours");
    // Some users may write everywhere.
    let may_write = std::fs::write(folder.path().join("probe"), "").is_ok();
    match open_in(folder.path()) {
        Ok(_) => assert!(may_write),
        Err(error) => {
            assert!(matches!(error, OpenError::NotUsable { .. }), "{error:?}");
            assert_names(&error, folder.path());
            assert!(!may_write);
        }
    }
}

#[test]
fn a_store_of_a_newer_program_is_refused() {
    let folder = folder();
    drop(open_in(folder.path()).expect("a new store opens"));
    let database = Database::builder(folder.path().join("tables")).open().expect("it opens");
    let meta = database.keyspace("meta", KeyspaceCreateOptions::default).expect("it is there");
    meta.insert("format", 2_u32.to_le_bytes()).expect("it is written");
    drop((meta, database));
    let error = open_in(folder.path()).expect_err("it is newer");
    assert!(matches!(error, OpenError::NewerFormat { found: 2, known: 1, .. }), "{error:?}");
    assert_names(&error, folder.path());
}

#[test]
fn a_store_that_was_never_finished_is_made_anew() {
    run(async {
        let folder = folder();
        let engine = folder.path().join("tables");
        std::fs::create_dir_all(engine.join("keyspaces")).expect("it is made");
        std::fs::write(engine.join("0.jnl"), [0; 100]).expect("it is written");
        let store = open_in(folder.path()).expect("nothing was in it");
        store.create(new_table("a")).await.expect("it works");
    });
}

#[test]
fn tables_are_limited() {
    run(async {
        for kind in [Kind::Memory, Kind::FileOs] {
            let f = Fixture::new(kind, Limits { tables: 2, ..Limits::STANDARD });
            f.create("a").await;
            f.create("b").await;
            let refused = StoreError::Limit { what: Limited::Tables, max: 2 };
            assert_eq!(f.store.create(new_table("c")).await, Err(refused));
            let again = f.store.create(new_table("b")).await;
            assert!(matches!(again, Ok(CreateOutcome::Duplicate { .. })));
            assert_eq!(f.store.delete(&id("a")).await, Ok(Deleted::Gone));
            f.create("c").await;
        }
    });
}

#[test]
fn the_log_of_a_table_is_limited() {
    run(async {
        for kind in [Kind::Memory, Kind::FileOs] {
            let mut f = Fixture::new(kind, Limits { log_entries: 5, ..Limits::STANDARD });
            let table = f.create("a").await;
            f.play(&table, 12).await;
            if f.survives_a_restart() {
                f.reopen().await;
            }
            let oldest = Version(8);
            assert_eq!(f.store.history(&table, Version(7), 9).await, Ok(History::Gone { oldest }));
            let Ok(History::Entries(entries)) = f.store.history(&table, oldest, 9).await else {
                panic!("the newest are there");
            };
            assert_entries(&entries, 8, 5);
        }
    });
}

#[test]
fn the_outbox_is_limited() {
    run(async {
        for kind in [Kind::Memory, Kind::FileOs] {
            let mut f = Fixture::new(kind, Limits { outbox_entries: 3, ..Limits::STANDARD });
            let table = f.create("a").await;
            for pass in 0..2 {
                for _ in 0..4 {
                    let mut saying = commit(&table, f.mark(&table).await);
                    saying.outbox = vec![text("x"), text("y")];
                    f.stand(saying).await;
                }
                if pass == 0 && f.survives_a_restart() {
                    f.reopen().await;
                }
            }
            let first = Partition(0);
            let page = f.store.outbox(first, OutboxCursor(0), 9).await;
            let Ok(OutboxPage::Gone { resume }) = page else { panic!("{page:?}") };
            let page = f.store.outbox(first, resume, 9).await;
            let Ok(OutboxPage::Entries(entries)) = page else { panic!("{page:?}") };
            let said: Vec<_> = entries.iter().map(|e| (e.version.0, e.body.clone())).collect();
            assert_eq!(said, [(7, text("y")), (8, text("x")), (8, text("y"))]);
        }
    });
}

#[test]
fn what_is_asked_before_closing_is_answered() {
    run(async {
        let folder = folder();
        let url = format!("file:{}", folder.path().display());
        let clock = Arc::new(ManualClock::new(START));
        let store = open_with(&url, clock, Limits::STANDARD).expect("a new store opens");
        let mut tasks = Vec::new();
        for number in 0..50 {
            let store = store.clone();
            let new = new_table(&format!("t{number}"));
            tasks.push(tokio::spawn(async move { (new.id.clone(), store.create(new).await) }));
        }
        store.close().await.expect("it closes");
        let mut stand = Vec::new();
        for task in tasks {
            match task.await.expect("it is answered") {
                (table, Ok(CreateOutcome::Created { .. })) => stand.push(table),
                (_, Err(StoreError::Closed)) => {}
                (_, other) => panic!("{other:?}"),
            }
        }
        drop(store);
        let again = open(&url).expect("it is free");
        for table in stand {
            assert!(again.load(&table).await.expect("it loads").is_some(), "{table}");
        }
    });
}
