//! Stores on disk that are damaged.
//!
//! **Invariant:** damage is noticed, costs as little as it can, and is never played on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fjall::{Database, KeyspaceCreateOptions};
use handfoot_store::{
    CommitOutcome, DamagedPart, Deleted, History, Limits, ManualClock, OpenError, StoreError,
    TableId, TableStore, Version, open_with,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tempfile::TempDir;

use crate::kit::{START, answering, assert_entries, chain, commit, id, new_table, request, run};

/// How often each file is damaged: removed, cut, and then by one bit.
const DAMAGES: usize = 4;

fn open(folder: &Path) -> Result<Arc<dyn TableStore>, OpenError> {
    let url = format!("file:{}?sync=os", folder.display());
    open_with(&url, Arc::new(ManualClock::new(START)), Limits::STANDARD)
}

/// A closed store with tables `a` and `b`, each with ten commits that answer requests.
async fn played() -> TempDir {
    let folder = TempDir::new().expect("a folder for the test");
    let store = open(folder.path()).expect("a new store opens");
    for name in ["a", "b"] {
        store.create(new_table(name)).await.expect("it is created");
        for number in 0..10 {
            let table = id(name);
            let mark = store.load(&table).await.expect("it loads").expect("it is there").mark;
            let outcome = store.commit(answering(&table, mark, request(1, number, 1))).await;
            assert!(matches!(outcome, Ok(CommitOutcome::Committed { .. })));
        }
    }
    store.close().await.expect("it closes");
    folder
}

/// What becomes of a value; `None` removes it.
type Change = fn(&[u8]) -> Option<Vec<u8>>;

/// Changes a value behind the store's back.
fn meddle(folder: &Path, space: &str, key: &[u8], change: Change) {
    let database = Database::builder(folder.join("tables")).open().expect("the engine opens");
    let space = database.keyspace(space, KeyspaceCreateOptions::default).expect("it is there");
    let value = space.get(key).expect("it is read").expect("there is such a key");
    match change(&value) {
        Some(changed) => space.insert(key, changed).expect("it is written"),
        None => space.remove(key).expect("it is written"),
    }
}

fn flipped(value: &[u8]) -> Option<Vec<u8>> {
    let mut changed = value.to_vec();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    Some(changed)
}

fn cut(value: &[u8]) -> Option<Vec<u8>> {
    Some(value[..value.len() - 3].to_vec())
}

async fn assert_whole(store: &dyn TableStore, table: &TableId) {
    let mark = store.load(table).await.expect("it loads").expect("it is there").mark;
    assert_eq!((mark.version, mark.chain), (Version(10), chain(10)));
    let Ok(History::Entries(entries)) = store.history(table, Version(1), 99).await else {
        panic!("the log is there");
    };
    assert_entries(&entries, 1, 10);
}

/// Fault list: R107.
#[test]
fn a_damaged_snapshot_costs_its_own_table() {
    run(async {
        for change in [flipped, cut] {
            let folder = played().await;
            meddle(folder.path(), "states", b"b", change);
            let store = open(folder.path()).expect("the others are served");
            assert_whole(&*store, &id("a")).await;
            let corrupt = StoreError::Corrupt { table: id("b"), what: DamagedPart::Snapshot };
            let mark = store.load(&id("a")).await.expect("it loads").expect("it is there").mark;
            let b = id("b");
            assert_eq!(store.load(&b).await, Err(corrupt.clone()));
            assert_eq!(store.confirm(&b, mark).await, Err(corrupt.clone()));
            assert_eq!(store.commit(commit(&b, mark)).await, Err(corrupt.clone()));
            assert_eq!(store.history(&b, Version(1), 9).await, Err(corrupt.clone()));
            assert_eq!(store.watch(&b).await.map(drop), Err(corrupt.clone()));
            assert_eq!(store.create(new_table("b")).await, Err(corrupt.clone()));

            assert_eq!(store.delete(&b).await, Ok(Deleted::Gone));
            assert_eq!(store.load(&b).await, Ok(None));
            store.create(new_table("b")).await.expect("its name is free");
            let history = store.history(&b, Version(1), 9).await;
            assert_eq!(history, Ok(History::Entries(Vec::new())));
        }
    });
}

/// Fault list: R107.
#[test]
fn a_log_that_does_not_add_up_is_refused() {
    let key = |version: u64| [b"b\0", &version.to_be_bytes()[..]].concat();
    let rows: [(u64, Change, DamagedPart); 4] = [
        (4, flipped, DamagedPart::LogEntry),
        (4, |_| None, DamagedPart::LogGap),
        (1, |_| None, DamagedPart::LogGap),
        (10, |_| None, DamagedPart::LogGap),
    ];
    run(async {
        for (version, change, what) in rows {
            let folder = played().await;
            meddle(folder.path(), "log", &key(version), change);
            let store = open(folder.path()).expect("the others are served");
            assert_whole(&*store, &id("a")).await;
            let corrupt = StoreError::Corrupt { table: id("b"), what };
            assert_eq!(store.history(&id("b"), Version(1), 99).await, Err(corrupt));
            if version == 4 {
                let rest = store.history(&id("b"), Version(5), 99).await;
                assert!(matches!(rest, Ok(History::Entries(rest)) if rest.len() == 6));
            }
        }
    });
}

#[test]
fn a_damaged_request_is_not_played_again() {
    run(async {
        let folder = played().await;
        meddle(folder.path(), "requests", b"b\0\x07", flipped);
        let store = open(folder.path()).expect("the others are served");
        let corrupt = StoreError::Corrupt { table: id("b"), what: DamagedPart::Request };
        let mark = store.load(&id("b")).await.expect("it loads").expect("it is there").mark;
        let again = answering(&id("b"), mark, request(1, 7, 1));
        assert_eq!(store.commit(again).await, Err(corrupt));
        let again = answering(&id("a"), mark, request(1, 7, 1));
        assert!(matches!(store.commit(again).await, Ok(CommitOutcome::Duplicate { .. })));
    });
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("it is read").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Every table that opens is whole up to some version; nothing else is shown.
async fn assert_honest(store: &dyn TableStore) {
    for name in ["a", "b"] {
        let table = id(name);
        let loaded = match store.load(&table).await {
            Ok(Some(loaded)) => loaded,
            Ok(None) | Err(StoreError::Corrupt { .. }) => continue,
            Err(other) => panic!("{other:?}"),
        };
        let version = loaded.mark.version.0;
        assert_eq!(loaded.mark.chain, chain(version));
        assert_eq!(loaded.snapshot, format!("snapshot {version}"));
        match store.history(&table, Version(1), 99).await {
            Ok(History::Entries(entries)) => assert_entries(&entries, 1, version),
            Err(StoreError::Corrupt { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Fault list: R107.
#[test]
fn damage_of_any_file_is_never_played_on() {
    run(async {
        let whole = played().await;
        // An opening cuts the journal to what is in it.
        drop(open(whole.path()).expect("it opens"));
        damage_each(&whole, 7).await;
        write_files(whole.path());
        drop(open(whole.path()).expect("it opens"));
        damage_each(&whole, 8).await;
    });
}

/// Has the engine write files of what is in its journal.
fn write_files(folder: &Path) {
    let database = Database::builder(folder.join("tables")).open().expect("the engine opens");
    for name in ["states", "log", "requests", "meta"] {
        let space = database.keyspace(name, KeyspaceCreateOptions::default).expect("it is there");
        space.rotate_memtable_and_wait().expect("it is written");
    }
}

async fn damage_each(whole: &TempDir, seed: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let originals = files(whole.path());
    assert!(originals.len() > 5, "the files were not found");
    for index in 0..originals.len() * DAMAGES {
        let folder = TempDir::new().expect("a folder for the test");
        for original in &originals {
            let copy = copy_of(original, whole.path(), folder.path());
            std::fs::create_dir_all(copy.parent().expect("it is below")).expect("it is made");
            std::fs::copy(original, copy).expect("it is copied");
        }
        let file = copy_of(&originals[index % originals.len()], whole.path(), folder.path());
        let mut bytes = std::fs::read(&file).expect("it is read");
        let Some(place) = rng.next_u64().checked_rem(bytes.len() as u64) else { continue };
        let place = usize::try_from(place).expect("files are small");
        match index / originals.len() {
            0 => std::fs::remove_file(&file).expect("it is removed"),
            1 => std::fs::write(&file, &bytes[..place]).expect("it is written"),
            _ => {
                bytes[place] ^= 1 << (rng.next_u64() % 8);
                std::fs::write(&file, bytes).expect("it is written");
            }
        }
        match open(folder.path()) {
            Ok(store) => assert_honest(&*store).await,
            Err(OpenError::Corrupt { path }) => assert_eq!(path, folder.path()),
            Err(other) => panic!("{}: {other:?}", file.display()),
        }
    }
}

/// Where a file is in a copy of its folder.
fn copy_of(file: &Path, from: &Path, to: &Path) -> PathBuf {
    to.join(file.strip_prefix(from).expect("it is below"))
}
