//! Servers that a store cannot be kept in: each is refused at the start, with what to do.
//!
//! **Invariant:** no message holds a password.

use std::net::TcpListener;

use handfoot_processes::redis as started;
use handfoot_store::{OpenError, RedisProblem, StoreError, open};

use tokio::time::timeout;

use super::servers::{Server, WAIT_MAX, done};
use super::{create, mark};
use crate::kit::{commit, run};

/// A word that no message may hold.
const SECRET: &str = "hidden-word";

fn refused(url: &str) -> (RedisProblem, String) {
    let error = open(url).expect_err(url);
    let text = error.to_string();
    assert!(!text.contains(SECRET) && text.contains("; "), "{text}");
    let OpenError::Redis(problem) = error else { panic!("{url}: {error:?}") };
    (problem, text)
}

#[test]
fn nobody_there_is_said_at_once() {
    let port = Server::start(&[]).port;
    for url in [
        format!("redis://u:{SECRET}@127.0.0.1:{port}"),
        format!("redis+sentinel://u:{SECRET}@127.0.0.1:{port}/tables"),
        format!("redis+cluster://u:{SECRET}@127.0.0.1:{port},127.0.0.1:{port}"),
        format!("rediss://127.0.0.1:{port}"),
    ] {
        let (problem, text) = refused(&url);
        assert!(matches!(problem, RedisProblem::Away { .. }), "{problem:?}");
        assert!(text.contains(&format!("127.0.0.1:{port}")), "{text}");
    }
}

#[test]
fn passwords_are_checked() {
    let server = Server::start(&["--requirepass", "right-word"]);
    let at = format!("127.0.0.1:{}", server.port);
    for url in [
        format!("redis://{at}"),
        format!("redis://:{SECRET}@{at}"),
        format!("redis://u:{SECRET}@{at}"),
    ] {
        assert!(matches!(refused(&url).0, RedisProblem::Password { .. }), "{url}");
    }
    run(async {
        let store = super::open(&format!("redis://:right-word@{at}"));
        let table = create(&*store, "a").await;
        assert!(!format!("{store:?}").contains("right-word"));
        store.commit(commit(&table, mark(&*store, &table).await)).await.expect("it is answered");
    });
}

#[test]
fn a_right_that_is_lacking_is_named() {
    let server = Server::start(&[]);
    let _: String = server.ask(&format!("ACL SETUSER small on >{SECRET} ~* &* -@all +ping"));
    let (problem, _) = refused(&format!("redis://small:{SECRET}@127.0.0.1:{}", server.port));
    let command = "INFO";
    let at = format!("127.0.0.1:{}", server.port);
    assert_eq!(problem, RedisProblem::Right { server: at, command });
}

#[test]
fn the_wrong_kind_of_server_is_named() {
    let server = Server::start(&[]);
    let replica = server.replica(&[]);
    let cluster = Server::start(&["--cluster-enabled", "yes"]);
    let evicts = Server::start(&["--maxmemory-policy", "allkeys-lru", "--maxmemory", "100mb"]);
    assert!(matches!(refused(&replica.url()).0, RedisProblem::Replica { .. }));
    assert!(matches!(refused(&cluster.url()).0, RedisProblem::IsCluster { .. }));
    assert!(matches!(refused(&evicts.url()).0, RedisProblem::Evicts { .. }));
    let as_cluster = server.url().replace("redis:", "redis+cluster:");
    assert!(matches!(refused(&as_cluster).0, RedisProblem::NoCluster { .. }));
    let no_slots = cluster.url().replace("redis:", "redis+cluster:");
    assert!(matches!(refused(&no_slots).0, RedisProblem::Slots { .. }));
    let no_sentinel = format!("{}/tables", server.url().replace("redis:", "redis+sentinel:"));
    refused(&no_sentinel);
    let missing = "rediss://127.0.0.1?ca=/nowhere/to/be/found";
    assert!(matches!(refused(missing).0, RedisProblem::Authority { .. }));
}

#[test]
fn tls_is_spoken_and_a_stranger_refused() {
    let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]);
    let own = own.expect("a certificate");
    let folder = tempfile::TempDir::new().expect("a folder for the test");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        path.display().to_string()
    };
    let certificate = file("certificate.pem", &own.cert.pem());
    let key = file("key.pem", &own.signing_key.serialize_pem());
    let server = Server::start(&[]);
    let port = server.port + 10_000;
    for (name, value) in [
        ("tls-cert-file", &certificate),
        ("tls-key-file", &key),
        ("tls-ca-cert-file", &certificate),
    ] {
        let _: String = server.ask(&format!("CONFIG SET {name} {value}"));
    }
    let _: String = server.ask(&format!("CONFIG SET tls-auth-clients no tls-port {port}"));
    let url = format!("rediss://127.0.0.1:{port}");
    run(async {
        let store = super::open(&format!("{url}?ca={certificate}"));
        let table = create(&*store, "a").await;
        let mut watcher = store.watch(&table).await.expect("watched").expect("it is there");
        watcher.next().await;
        server.wait_for("PUBSUB SHARDCHANNELS *", "n:a");
        store.commit(commit(&table, mark(&*store, &table).await)).await.expect("it is answered");
    });
    assert!(matches!(refused(&url).0, RedisProblem::Away { .. }));
    assert!(matches!(
        refused(&url.replace("rediss", "redis")).0,
        RedisProblem::Away { .. } | RedisProblem::NotReady { .. }
    ));
}

#[test]
fn a_server_that_is_away_for_a_while_is_found_again() {
    let mut server = Server::start(&["--appendfsync", "always"]);
    run(async {
        let store = super::open(&server.url());
        let table = create(&*store, "a").await;
        let at = mark(&*store, &table).await;
        server.kill();
        let away = store.commit(commit(&table, at)).await;
        assert!(matches!(away, Err(StoreError::Unavailable { .. })), "{away:?}");
        assert!(matches!(store.healthy().await, Err(StoreError::Unavailable { .. })));
        server.start_again();
        let outcome = super::insist(&*store, commit(&table, at)).await;
        assert_eq!(super::version_of(&outcome).0, 1);
        store.healthy().await.expect("it is back");
    });
}

#[test]
fn sentinels_that_are_gone_without_a_word_hold_nobody_up() {
    let primary = done(started::Server::start(&[]));
    let sentinel = done(started::Server::sentinel(&primary, started::SERVICE));
    // Who is connected and says nothing is waited for longest.
    let silent: Vec<TcpListener> =
        (0..3).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let ports = silent.iter().map(|silent| silent.local_addr().expect("it has one").port());
    let hosts = ports.chain([sentinel.port()]).map(|port| format!("127.0.0.1:{port}"));
    let hosts = hosts.collect::<Vec<_>>().join(",");
    run(async {
        let store = super::open(&format!("redis+sentinel://{hosts}/{}", started::SERVICE));
        create(&*store, "a").await;
    });
}

#[test]
fn a_primary_that_becomes_a_replica_is_not_written_to() {
    let (server, other) = (Server::start(&[]), Server::start(&[]));
    run(async {
        let store = super::open(&server.url());
        let table = create(&*store, "a").await;
        let at = mark(&*store, &table).await;
        let _: String = server.ask("CONFIG SET replica-serve-stale-data yes");
        let _: String = server.ask(&format!("REPLICAOF 127.0.0.1 {}", other.port));
        let refused = store.commit(commit(&table, at)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
        assert!(matches!(store.healthy().await, Err(StoreError::Unavailable { .. })));
    });
}

#[test]
fn a_server_that_hangs_does_not_hang_a_call() {
    let server = Server::start(&[]);
    run(async {
        let store = super::open(&server.url());
        let table = create(&*store, "a").await;
        let at = mark(&*store, &table).await;
        server.stop();
        let hung = timeout(WAIT_MAX, store.commit(commit(&table, at))).await.expect("it ends");
        assert!(matches!(hung, Err(StoreError::Unavailable { .. })), "{hung:?}");
        server.go_on();
        // What was sent before may have been done: it is the same commit either way.
        let outcome = super::insist(&*store, commit(&table, at)).await;
        let stands = mark(&*store, &table).await;
        assert_eq!(stands.version.0, 1, "{outcome:?}");
    });
}

/// Of a side that is gone without a word nobody would be told for hours.
#[cfg(target_os = "linux")]
#[test]
fn the_system_asks_on_every_quiet_connection_whether_the_other_side_is_there() {
    let server = Server::start(&[]);
    run(async {
        let store = super::open(&server.url());
        let table = create(&*store, "a").await;
        let _watches = store.watch(&table).await.expect("it answers").expect("it is there");
        // One for calls, one for news. What is under way has another timer for a moment.
        let all_asked = async {
            while timers_to(server.port) != ["02", "02"] {
                store.healthy().await.expect("it answers");
            }
        };
        let asked = timeout(WAIT_MAX, all_asked).await;
        assert!(asked.is_ok(), "{:?}", timers_to(server.port));
    });
}

/// What the system waits for on each of this process's connections to a port: `02` for the moment
/// at which it asks, `00` for nothing.
#[cfg(target_os = "linux")]
fn timers_to(port: u16) -> Vec<String> {
    let inodes: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .expect("the system tells")
        .filter_map(|fd| std::fs::read_link(fd.ok()?.path()).ok())
        .filter_map(|path| {
            Some(path.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        })
        .collect();
    let sockets = std::fs::read_to_string("/proc/self/net/tcp").expect("the system tells");
    let to_port = format!(":{port:04X}");
    let timer = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, _, remote, state, _, timer, _, _, _, inode, ..] = fields.as_slice() else {
            return None;
        };
        let is_ours = remote.ends_with(&to_port) && inodes.iter().any(|ours| ours == inode);
        (is_ours && *state == "01").then(|| timer[..2].to_owned())
    };
    sockets.lines().filter_map(timer).collect()
}
