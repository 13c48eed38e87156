//! Servers that refuse for a while: each refusal is typed, and the game goes on afterwards.
//!
//! **Invariant:** what was refused was not done, and may be sent again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use handfoot_store::{OpenError, RedisProblem, Release, StoreError, Version, open as try_open};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::servers::{Server, ask_on};
use super::{Follower, create, insist, mark, open, version_of};
use crate::kit::{commit, run};

#[test]
fn a_primary_without_the_replicas_that_it_wants_takes_nothing() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        let table = create(&*store, "a").await;
        let at = mark(&*store, &table).await;
        let _: String = server.ask("CONFIG SET min-replicas-to-write 1");
        let refused = store.commit(commit(&table, at)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
        let _replica = server.replica(&[]);
        let outcome = insist(&*store, commit(&table, at)).await;
        assert_eq!(version_of(&outcome), Version(1));
    });
}

#[test]
fn a_server_that_still_reads_its_data_is_waited_for() {
    // It reads until it is told not to linger, and looks up after every second key.
    let slowly = ["--key-load-delay", "50000", "--loading-process-events-interval-bytes", "1024"];
    let mut server = Server::start(&[&["--appendonly", "no"], &slowly[..]].concat());
    run(async {
        let store = open(&server.url());
        let table = create(&*store, "a").await;
        let at = mark(&*store, &table).await;
        let mut more = redis::pipe();
        for number in 0..2_000 {
            more.set(format!("other-{number}"), noise(number)).ignore();
        }
        more.exec(&mut server.connect()).expect("they are set");
        let _: String = server.ask("SAVE");
        server.start_again_until("Loading RDB");
        let refused = store.commit(commit(&table, at)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
        let problem = try_open(&server.url()).expect_err("it is not ready");
        let OpenError::Redis(problem) = problem else { panic!("{problem}") };
        assert!(matches!(problem, RedisProblem::NotReady { .. }), "{problem}");
        let _: String = server.ask("CONFIG SET key-load-delay 0");
        let outcome = insist(&*store, commit(&table, at)).await;
        assert_eq!(version_of(&outcome), Version(1));
    });
}

/// Half a kilobyte that does not shrink.
fn noise(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

#[test]
fn a_password_that_is_changed_is_an_outage_and_no_more() {
    let server = Server::start(&[]);
    run(async {
        let store = open(&server.url());
        let table = create(&*store, "a").await;
        let at = mark(&*store, &table).await;
        let mut own = server.connect();
        let _: String = ask_on(&mut own, "CONFIG SET requirepass other-word");
        let _: String = ask_on(&mut own, "AUTH other-word");
        let _: u64 = ask_on(&mut own, "CLIENT KILL TYPE normal SKIPME yes");
        let refused = store.commit(commit(&table, at)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
        let mut reset = redis::cmd("CONFIG");
        reset.arg("SET").arg("requirepass").arg("");
        reset.exec(&mut own).expect("it is set");
        let outcome = insist(&*store, commit(&table, at)).await;
        assert_eq!(version_of(&outcome), Version(1));
    });
}

#[test]
fn a_bell_that_may_not_ring_undoes_no_commit() {
    let server = Server::start(&[]);
    let _: String = server.ask("ACL SETUSER quiet on >word ~* resetchannels +@all");
    run(async {
        let store = open(&server.url().replace("redis://", "redis://quiet:word@"));
        let table = create(&*store, "a").await;
        let mut follower = Follower::of(&*store, &table).await;
        let at = mark(&*store, &table).await;
        let outcome = store.commit(commit(&table, at)).await.expect("it is answered");
        assert_eq!(version_of(&outcome), Version(1));
        follower.until(1).await;
        // What another process has done is found by looking.
        let beside = open(&server.url());
        let at = mark(&*beside, &table).await;
        beside.commit(commit(&table, at)).await.expect("it is answered");
        follower.until(2).await;
    });
}

#[test]
fn a_server_of_an_old_release_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let at = listener.local_addr().expect("it has one").to_string();
    let answers = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("somebody comes");
        say_that_it_is_old(stream);
    });
    let error = try_open(&format!("redis://{at}")).expect_err("it is too old");
    let OpenError::Redis(problem) = error else { panic!("{error}") };
    assert_eq!(problem, RedisProblem::TooOld { server: at, found: Release(6, 2) });
    assert!(problem.to_string().contains("use Redis 7.0 or Valkey 7.2, or later"), "{problem}");
    answers.join().expect("it ends");
}

/// Answers as an old Redis does, until the other side has gone.
fn say_that_it_is_old(mut stream: TcpStream) {
    let info = "redis_version:6.2.14\r\nredis_mode:standalone\r\nrole:master\r\n";
    let mut asked = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut line = String::new();
    while asked.read_line(&mut line).is_ok_and(|length| length > 0) {
        let n_words: usize = line.trim().trim_start_matches('*').parse().expect("a command");
        let mut words = Vec::new();
        for _ in 0..n_words {
            line.clear();
            asked.read_line(&mut line).expect("a length");
            let length: usize = line.trim().trim_start_matches('$').parse().expect("a length");
            let mut word = vec![0; length + 2];
            asked.read_exact(&mut word).expect("a word");
            words.push(String::from_utf8_lossy(&word).trim().to_owned());
        }
        let answer = match words[0].as_str() {
            "INFO" => format!("${}\r\n{info}\r\n", info.len()),
            _ => "+OK\r\n".to_owned(),
        };
        stream.write_all(answer.as_bytes()).expect("it is read");
        line.clear();
    }
}
