//! What a commit costs: round trips, and bytes in Redis.
//!
//! **Invariant:** counted by Redis itself, not by the store.

use handfoot_store::Version;

use super::servers::Server;
use super::{create, mark, open};
use crate::kit::{answering, commit, id, request, run};
use crate::load::load;

/// Bytes of a table without its log, at most: a state of 2,200 bytes, 128 request ids, and as many
/// answers of 120 bytes. The sizes are those of games.
const TABLE_BYTES_MAX: u64 = 44 * 1024;

/// Bytes of a log entry of 160 bytes, at most.
const ENTRY_BYTES_MAX: u64 = 280;

/// How often a command was called.
fn calls(server: &Server, command: &str) -> u64 {
    let text: String = server.ask("INFO commandstats");
    let line = text.lines().find(|line| line.starts_with(&format!("cmdstat_{command}:calls=")));
    line.map_or(0, |line| {
        let count = line.split_once("calls=").expect("it is in the line").1;
        let count = count.split_once(',').expect("more comes").0;
        count.parse().expect("a number")
    })
}

/// How many commands came from outside, scripts counted once.
fn commands(server: &Server) -> u64 {
    let text: String = server.ask("INFO stats");
    let line = text.lines().find_map(|line| line.strip_prefix("total_commands_processed:"));
    line.expect("it is said").trim().parse().expect("a number")
}

#[test]
fn a_commit_is_one_round_trip() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        let table = create(&*store, "a").await;
        let mut at = mark(&*store, &table).await;
        let (evals, loads) = (calls(&server, "evalsha"), calls(&server, "script|load"));
        for number in 1..=500 {
            let commit = answering(&table, at, request(1, number, 1));
            at.chain = commit.new_chain;
            let outcome = store.commit(commit).await.expect("it is answered");
            at.version = super::version_of(&outcome);
        }
        assert_eq!(at.version, Version(500));
        assert_eq!(calls(&server, "evalsha") - evals, 500);
        assert_eq!(calls(&server, "script|load"), loads, "scripts are sent once");
        assert_eq!(calls(&server, "eval"), 0);
        for other in ["wait", "publish", "multi", "watch", "exec"] {
            assert_eq!(calls(&server, other), 0, "{other}");
        }
    });
}

#[test]
fn a_glance_is_one_command_and_no_script() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        let table = create(&*store, "a").await;
        let (evals, before) = (calls(&server, "evalsha"), calls(&server, "hmget"));
        for _ in 0..100 {
            store.glance(&table).await.expect("it is answered").expect("it is there");
        }
        assert_eq!(calls(&server, "hmget") - before, 100);
        assert_eq!(calls(&server, "evalsha"), evals);
    });
}

#[test]
fn whole_commits_come_to_little_besides() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        let table = create(&*store, "a").await;
        let before = (commands(&server), calls(&server, "evalsha"));
        let mut at = mark(&*store, &table).await;
        for _ in 0..100 {
            let commit = commit(&table, at);
            at.chain = commit.new_chain;
            at.version = super::version_of(&store.commit(commit).await.expect("answered"));
        }
        // Commands within scripts are counted by Redis as well: this bounds a commit's own work.
        let within = (commands(&server) - before.0) / 100;
        assert!(within <= 10, "{within} commands for a commit");
    });
}

#[test]
fn scripts_are_sent_again_where_they_were_forgotten() {
    let server = Server::start(&[]);
    run(async {
        let _replica = server.replica(&[]);
        for options in ["", "?durability=replicated"] {
            let store = open(&format!("{}{options}", server.url()));
            let table = create(&*store, &format!("a{}", options.len())).await;
            let _: String = server.ask("SCRIPT FLUSH");
            let at = mark(&*store, &table).await;
            let _: String = server.ask("SCRIPT FLUSH");
            let outcome = store.commit(commit(&table, at)).await.expect("it is answered");
            assert_eq!(super::version_of(&outcome), Version(1));
        }
    });
}

#[test]
fn a_table_takes_few_bytes() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        load(&store, 1, 400).await;
        drop(store);
        let keys: Vec<String> = server.ask("KEYS *:table-0");
        assert_eq!(keys.len(), 3, "{keys:?}");
        let (mut table, mut log) = (0, 0);
        for key in keys {
            let bytes: u64 = server.ask(&format!("MEMORY USAGE {key} SAMPLES 0"));
            match key.contains(":l:") {
                true => log += bytes,
                false => table += bytes,
            }
        }
        assert!(table <= TABLE_BYTES_MAX, "{table} bytes of a table");
        assert!(log / 400 <= ENTRY_BYTES_MAX, "{} bytes of an entry", log / 400);
    });
}

#[test]
fn what_is_forgotten_takes_no_bytes() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        load(&store, 1, 300).await;
        let names: Vec<String> = server.ask("KEYS *:i:table-0");
        let kept: u64 = server.ask(&format!("LLEN {}", names[0]));
        assert_eq!(kept, 128);
        let states: Vec<String> = server.ask("KEYS *:t:table-0");
        let fields: Vec<redis::Value> = server.ask(&format!("HKEYS {}", states[0]));
        let is_request = |field: &&redis::Value| matches!(field, redis::Value::BulkString(name) if name.len() == 18 && name[0] == b'r');
        assert_eq!(fields.iter().filter(is_request).count(), 128);
        store.delete(&id("table-0")).await.expect("it is deleted");
        let left: Vec<String> = server.ask("KEYS *");
        assert!(left.iter().all(|key| !key.contains("table-0")), "{left:?}");
        assert!(left.is_empty(), "{left:?}");
    });
}

#[test]
fn keys_are_all_of_one_prefix() {
    let server = Server::start(&[]);
    run(async {
        let (one, two) = (open(&server.url()), open(&format!("{}?prefix=two", server.url())));
        create(&*one, "a").await;
        create(&*two, "a").await;
        let keys: Vec<String> = server.ask("KEYS *");
        let is_ours = |key: &String| key.starts_with("hf:{") || key.starts_with("two:{");
        assert!(keys.iter().all(is_ours), "{keys:?}");
        one.delete(&id("a")).await.expect("it is deleted");
        assert!(one.load(&id("a")).await.expect("it is answered").is_none());
        assert!(two.load(&id("a")).await.expect("it is answered").is_some());
    });
}
