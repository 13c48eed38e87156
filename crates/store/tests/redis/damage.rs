//! Values that somebody else has changed, and servers that are full.
//!
//! **Invariant:** damage is an error of its table and of no other; nothing is played on it.

use handfoot_store::{
    Commit, CommitOutcome, DamagedPart, Deleted, History, ListFilter, Mark, StoreError, TableId,
    TableStore, Tenants, Version,
};

use super::servers::Server;
use super::{create, mark, open, version_of};
use crate::kit::{answering, assert_entries, chain, commit, id, new_table, request, run};

fn key(server: &Server, kind: &str, table: &TableId) -> String {
    let keys: Vec<String> = server.ask(&format!("KEYS *}}:{kind}:{table}"));
    keys.into_iter().next().expect("it is there")
}

fn corrupt(table: &TableId, what: DamagedPart) -> StoreError {
    StoreError::Corrupt { table: table.clone(), what }
}

/// Two tables with ten commits and as many answers each.
async fn played(store: &dyn TableStore) -> (TableId, TableId) {
    for name in ["a", "b"] {
        let table = create(store, name).await;
        for number in 1..=10 {
            let at = mark(store, &table).await;
            let outcome = store.commit(answering(&table, at, request(1, number, 1))).await;
            assert_eq!(version_of(&outcome.expect("it is answered")), Version(number));
        }
    }
    (id("a"), id("b"))
}

async fn assert_whole(store: &dyn TableStore, table: &TableId) {
    let at = mark(store, table).await;
    let Ok(History::Entries(entries)) = store.history(table, Version(1), 99).await else {
        panic!("the log is there");
    };
    assert_entries(&entries[..10], 1, 10);
    let Ok(CommitOutcome::Committed { .. }) = store.commit(commit(table, at)).await else {
        panic!("it goes on");
    };
}

fn next(table: &TableId) -> Commit {
    commit(table, Mark { version: Version(10), chain: chain(10) })
}

#[test]
fn a_damaged_state_is_an_error_of_its_table() {
    // Another kind of key, fields that are gone, of another form, of another table, cut or flipped.
    let rows: [&[&str]; 9] = [
        &["DEL {b}", "SET {b} x"],
        &["DEL {b}", "RPUSH {b} x"],
        &["HDEL {b} v"],
        &["HDEL {b} c"],
        &["HDEL {b} S"],
        &["HSET {b} v x"],
        &["HSET {b} a x"],
        &["HSET {b} S x"],
        &["HSET {b} v 9"],
    ];
    let server = Server::start(&["--appendonly", "no"]);
    run(async {
        for damage in rows {
            let _: String = server.ask("FLUSHALL");
            let store = open(&server.url());
            let (a, b) = played(&*store).await;
            let state = key(&server, "t", &b);
            for command in damage {
                let _: redis::Value = server.ask(&command.replace("{b}", &state));
            }
            let error = corrupt(&b, DamagedPart::Snapshot);
            assert_eq!(store.load(&b).await, Err(error.clone()), "{damage:?}");
            assert_eq!(store.glance(&b).await, Err(error.clone()), "{damage:?}");
            let refused = store.commit(next(&b)).await;
            let is_harmless = damage == ["HDEL {b} S"] || damage == ["HSET {b} S x"];
            match is_harmless {
                // A commit brings its own snapshot.
                true => {
                    assert!(matches!(refused, Ok(CommitOutcome::Committed { .. })), "{damage:?}");
                }
                false => assert_eq!(refused, Err(error), "{damage:?}"),
            }
            assert_whole(&*store, &a).await;
            let all = ListFilter { tenants: Tenants::All, state: None };
            let page = store.list(all, None, 9).await.expect("the others are listed");
            assert!(page.tables.iter().any(|table| table.id == a));
            assert_eq!(store.delete(&b).await, Ok(Deleted::Gone), "{damage:?}");
            assert_eq!(store.load(&b).await, Ok(None));
            create(&*store, "b").await;
            assert_eq!(mark(&*store, &b).await.version, Version(0));
        }
    });
}

#[test]
fn a_log_that_does_not_add_up_is_refused() {
    let rows = [
        ("XDEL {l} 4-0", DamagedPart::LogGap, true),
        ("XDEL {l} 1-0", DamagedPart::LogGap, true),
        ("XDEL {l} 10-0", DamagedPart::LogGap, true),
        ("DEL {l}", DamagedPart::LogGap, true),
        ("XADD {l} 20-0 c x a 1 e y", DamagedPart::LogGap, false),
        ("SET {l} x", DamagedPart::LogEntry, false),
        ("SET {i} x", DamagedPart::Request, false),
    ];
    let server = Server::start(&["--appendonly", "no"]);
    run(async {
        for (damage, what, goes_on) in rows {
            let _: String = server.ask("FLUSHALL");
            let store = open(&server.url());
            let (a, b) = played(&*store).await;
            let (log, names) = (key(&server, "l", &b), key(&server, "i", &b));
            let command = damage.replace("{l}", &log).replace("{i}", &names);
            let _: redis::Value = server.ask(&command);
            let history = store.history(&b, Version(1), 10).await;
            if !damage.contains("20-0") && what != DamagedPart::Request {
                assert_eq!(history, Err(corrupt(&b, what)), "{damage}");
            }
            let asked = Commit { request: Some(request(1, 99, 1)), ..next(&b) };
            let outcome = store.commit(asked.clone()).await;
            match goes_on {
                // The past is lost, and the game is not.
                true => assert!(matches!(outcome, Ok(CommitOutcome::Committed { .. })), "{damage}"),
                false => {
                    assert_eq!(outcome, Err(corrupt(&b, what)), "{damage}");
                    // Nothing of it was done.
                    assert_eq!(mark(&*store, &b).await.version, Version(10), "{damage}");
                    assert!(store.commit(asked).await.is_err(), "{damage}");
                }
            }
            assert_whole(&*store, &a).await;
        }
    });
}

/// Damages what a table remembers of its seventh request: `{t}` is the key of its state, `{i}` that
/// of the names, `{f}` the field of the request, `{cut}` its value without the last byte.
fn damage_request(server: &Server, table: &TableId, damage: &str) {
    let (state, names) = (key(server, "t", table), key(server, "i", table));
    let mut connection = server.connect();
    let mut ask = |command: &mut redis::Cmd| -> Vec<u8> {
        command.query(&mut connection).expect("it is answered")
    };
    let field = ask(redis::cmd("LINDEX").arg(&names).arg(6));
    let value = ask(redis::cmd("HGET").arg(&state).arg(&field));
    let mut words = damage.split(' ');
    let mut command = redis::cmd(words.next().expect("a command"));
    for word in words {
        command.arg(match word {
            "{t}" => state.as_bytes(),
            "{i}" => names.as_bytes(),
            "{f}" => &field,
            "{cut}" => &value[..value.len() - 1],
            word => word.as_bytes(),
        });
    }
    let _: redis::Value = command.query(&mut connection).expect("it is damaged");
}

#[test]
fn a_damaged_request_is_not_played_again() {
    let is_refused = |b: &TableId, outcome: &Result<CommitOutcome, StoreError>| {
        *outcome == Err(corrupt(b, DamagedPart::Request))
    };
    let is_conflict = |_: &TableId, outcome: &Result<CommitOutcome, StoreError>| {
        matches!(outcome, Ok(CommitOutcome::Conflict(_)))
    };
    let is_known = |_: &TableId, outcome: &Result<CommitOutcome, StoreError>| {
        matches!(outcome, Ok(CommitOutcome::Duplicate { version: Version(7), .. }))
    };
    type Check = fn(&TableId, &Result<CommitOutcome, StoreError>) -> bool;
    let rows: [(&str, Check); 6] = [
        // The version still keeps it from being played twice.
        ("HDEL {t} {f}", is_conflict),
        ("HSET {t} {f} x", is_refused),
        ("HSET {t} {f} xxxxxxxxxxxxxxxx7", is_refused),
        ("HSET {t} {f} {cut}", is_refused),
        ("LREM {i} 0 {f}", is_known),
        ("DEL {i}", is_known),
    ];
    let server = Server::start(&["--appendonly", "no"]);
    run(async {
        for (damage, is_right) in rows {
            let _: String = server.ask("FLUSHALL");
            let store = open(&server.url());
            let (a, b) = played(&*store).await;
            damage_request(&server, &b, damage);
            let stands = mark(&*store, &b).await;
            let first = Mark { version: Version(6), chain: chain(6) };
            let outcome = store.commit(answering(&b, first, request(1, 7, 1))).await;
            assert!(is_right(&b, &outcome), "{damage}: {outcome:?}");
            assert_eq!(mark(&*store, &b).await, stands, "{damage}");
            assert_whole(&*store, &a).await;
        }
    });
}

#[test]
fn a_table_of_another_form_is_refused() {
    let server = Server::start(&["--appendonly", "no"]);
    run(async {
        for form in ["HDEL {b} f", "HSET {b} f 1", "HSET {b} f 3"] {
            let _: String = server.ask("FLUSHALL");
            let store = open(&server.url());
            let (a, b) = played(&*store).await;
            let _: redis::Value = server.ask(&form.replace("{b}", &key(&server, "t", &b)));
            let stands = mark(&*store, &b).await;
            let refused = Err(corrupt(&b, DamagedPart::Snapshot));
            let known = answering(&b, stands, request(1, 7, 1));
            let new = answering(&b, stands, request(1, 11, 1));
            for commit in [known, new, next(&b)] {
                assert_eq!(store.commit(commit).await, refused, "{form}");
            }
            assert_eq!(mark(&*store, &b).await, stands, "{form}");
            assert_whole(&*store, &a).await;
        }
    });
}

#[test]
fn a_full_server_refuses_changes_and_answers_reads() {
    let server = Server::start(&["--maxmemory-policy", "noeviction"]);
    let _replica = server.replica(&[]);
    run(async {
        for options in ["", "?durability=replicated"] {
            let _: String = server.ask("FLUSHALL");
            let store = open(&format!("{}{options}", server.url()));
            let (a, _) = played(&*store).await;
            let at = mark(&*store, &a).await;
            // What batches write for themselves is not kept for ever.
            for key in server.ask::<Vec<String>>("KEYS *:P") {
                let _: u64 = server.ask(&format!("DEL {key}"));
            }
            let _: String = server.ask("CONFIG SET maxmemory 1mb");
            let asked = answering(&a, at, request(1, 99, 1));
            assert_eq!(store.commit(asked.clone()).await, Err(StoreError::Full));
            assert_eq!(store.create(new_table("c")).await, Err(StoreError::Full));
            assert_eq!(store.healthy().await, Err(StoreError::Full));
            assert_eq!(mark(&*store, &a).await, at);
            // Deleting makes room, also when there is none.
            assert_eq!(store.delete(&id("b")).await, Ok(Deleted::Gone));
            let _: String = server.ask("CONFIG SET maxmemory 0");
            let outcome = store.commit(asked).await.expect("there is room again");
            assert_eq!(version_of(&outcome), Version(11));
            assert_whole(&*store, &a).await;
        }
    });
}
