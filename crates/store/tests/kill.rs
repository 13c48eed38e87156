//! Processes that end in the middle of their work.
//!
//! **Invariant:** what a process was told stands, stands when it is gone. The process is this
//! program again, told by its environment to play instead of to test.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use handfoot_store::{
    CommitOutcome, History, Mark, OpenError, StoreError, TableId, TableStore, Version, open,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tempfile::TempDir;

use crate::kit::{answering, assert_entries, chain, id, new_table, request, run, text};

/// Holds the address of the store that the process is to play on.
const PLAY_ON: &str = "HANDFOOT_STORE_TEST_PLAY_ON";

/// Tables that play at once.
const TABLES: usize = 8;

/// Processes killed on one store.
const ROUNDS: usize = 4;

/// What a process was told stands: the newest version of each table.
type Told = BTreeMap<TableId, u64>;

/// The body of the other process: plays until it is killed or the store fails.
#[test]
fn plays_until_it_is_killed() {
    let Ok(url) = std::env::var(PLAY_ON) else { return };
    let store = open(&url).expect("the store opens");
    run(async move {
        let mut tasks = Vec::new();
        for number in 0..TABLES {
            let (store, table) = (store.clone(), id(&format!("table-{number}")));
            tasks.push(tokio::spawn(async move {
                let error = play(&*store, &table).await;
                let health = store.healthy().await;
                say(&format!("failed {error:?} {health:?}"));
            }));
        }
        for task in tasks {
            task.await.expect("a table does not panic");
        }
    });
}

async fn play(store: &dyn TableStore, table: &TableId) -> StoreError {
    let mut mark = match store.load(table).await {
        Ok(Some(loaded)) => loaded.mark,
        Ok(None) => match store.create(new_table(table.as_str())).await {
            Ok(_) => Mark { version: Version(0), chain: chain(0) },
            Err(error) => return error,
        },
        Err(error) => return error,
    };
    say(&format!("told {table} {}", mark.version));
    loop {
        let number = mark.version.0;
        let mut commit = answering(table, mark, request(1, number, 1));
        let snapshot = format!("snapshot {} {}", number + 1, "x".repeat(2_000));
        commit.snapshot = text(&snapshot);
        mark = Mark { version: mark.version.next(), chain: commit.new_chain };
        match store.commit(commit).await {
            Ok(CommitOutcome::Committed { version, .. }) => assert_eq!(version, mark.version),
            Ok(other) => panic!("{other:?}"),
            Err(error) => return error,
        }
        say(&format!("told {table} {}", mark.version));
    }
}

/// Writes a line past the test runner, at once.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").and_then(|()| out.flush()).expect("somebody listens");
}

struct Player {
    process: Child,
    lines: BufReader<ChildStdout>,
    told: Told,
    failed: Vec<String>,
}

impl Player {
    /// Starts a process that plays; the command may stand behind another.
    fn start(mut command: Command, url: &str, told: Told) -> Self {
        command.args(["kill::plays_until_it_is_killed", "--exact", "--nocapture"]);
        command.env(PLAY_ON, url).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("this program starts again");
        let lines = BufReader::new(process.stdout.take().expect("it is piped"));
        Self { process, lines, told, failed: Vec::new() }
    }

    /// Reads so many lines that tell something, or all if there are fewer.
    fn listen(&mut self, n_lines: u64) {
        let mut n_told = 0;
        let mut line = String::new();
        while n_told < n_lines {
            line.clear();
            let n_bytes = self.lines.read_line(&mut line).expect("its lines are read");
            // The last line may be cut: then it was not told.
            if n_bytes == 0 || !line.ends_with('\n') {
                return;
            }
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["told", table, version] => {
                    let version = version.parse().expect("a number");
                    let newest = self.told.entry(id(table)).or_insert(version);
                    *newest = version.max(*newest);
                    n_told += 1;
                }
                ["failed", ..] => self.failed.push(line.clone()),
                _ => {}
            }
        }
    }

    fn kill(mut self) -> Told {
        self.process.kill().expect("it is killed");
        self.listen(u64::MAX);
        self.process.wait().expect("it is gone");
        self.told
    }
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().expect("this program has a path"))
}

/// Checks that all that was told stands, and that nothing is half there.
async fn assert_stands(store: &dyn TableStore, told: &Told) {
    assert_eq!(told.len(), TABLES);
    for (table, version) in told {
        let loaded = store.load(table).await.expect("it loads").expect("it is there");
        let newest = loaded.mark.version.0;
        assert!(newest >= *version, "{table}: told {version}, found {newest}");
        // At most the one commit more that was on its way.
        assert!(newest <= version + 1, "{table}: told {version}, found {newest}");
        assert_eq!(loaded.mark.chain, chain(newest));
        let from = newest.saturating_sub(200).max(1);
        let Ok(History::Entries(entries)) = store.history(table, Version(from), 512).await else {
            panic!("the log is there");
        };
        assert_entries(&entries, from, newest + 1 - from);
        if newest > 0 {
            let begins = format!("snapshot {newest} ");
            assert!(loaded.snapshot.starts_with(begins.as_bytes()), "{table}");
            let again = answering(table, loaded.mark, request(1, newest - 1, 1));
            let first = CommitOutcome::Duplicate {
                version: Version(newest),
                answer: text(&format!("answer {}", newest - 1)),
            };
            assert_eq!(store.commit(again).await, Ok(first));
        }
    }
}

fn killed_again_and_again(sync: &str, seed: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let folder = TempDir::new().expect("a folder for the test");
    let url = format!("file:{}?sync={sync}", folder.path().display());
    let mut told = Told::new();
    for round in 0..ROUNDS {
        let mut player = Player::start(this_program(), &url, told);
        player.listen(1_000 + rng.next_u64() % 3_000);
        if round == 0 {
            let error = open(&url).expect_err("the other process has it");
            assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
        }
        told = player.kill();
        run(async {
            let store = open(&url).expect("it opens after any end");
            assert_stands(&*store, &told).await;
            store.close().await.expect("it closes");
        });
    }
    let total: u64 = told.values().sum();
    assert!(total > 1_000 * ROUNDS as u64 / 2, "{total} commits are not many");
}

/// Fault list: R96.
#[test]
fn nothing_that_was_told_is_lost_when_the_process_is_killed_with_sync_os() {
    killed_again_and_again("os", 1);
}

/// Fault list: R96.
#[test]
fn nothing_that_was_told_is_lost_when_the_process_is_killed_with_sync_disk() {
    killed_again_and_again("disk", 2);
}

/// A program behind a shell that lets it write files of this many blocks only.
#[cfg(unix)]
fn with_little_room(blocks: u32) -> Command {
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(this_program().get_program());
    command
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    for sync in ["os", "disk"] {
        let folder = TempDir::new().expect("a folder for the test");
        let url = format!("file:{}?sync={sync}", folder.path().display());
        let mut player = Player::start(this_program(), &url, Told::new());
        player.listen(200);
        let told = player.kill();
        // The journal is cut to what is in it, and grows from there.
        drop(open(&url).expect("it opens"));

        let mut player = Player::start(with_little_room(8_192), &url, told);
        player.listen(u64::MAX);
        player.process.wait().expect("it ends by itself");
        assert_eq!(player.failed.len(), TABLES, "every table is told");
        assert!(
            player.failed.iter().all(|line| line == "failed Full Err(Full)\n"),
            "{:?}",
            player.failed
        );
        let told = player.told;
        run(async {
            let store = open(&url).expect("there is room again");
            assert_stands(&*store, &told).await;
        });
    }
}

#[cfg(unix)]
#[test]
fn a_new_store_without_room_says_so() {
    let folder = TempDir::new().expect("a folder for the test");
    let url = format!("file:{}", folder.path().display());
    let mut command = with_little_room(8);
    command.args(["kill::opens_and_says_why_not", "--exact", "--nocapture"]);
    let output = command.env(PLAY_ON, &url).output().expect("this program starts again");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("refused Full"), "{said}");
    assert!(said.contains(&Path::display(folder.path()).to_string()), "{said}");
}

/// The body of the other process: opens and says what came of it.
#[test]
fn opens_and_says_why_not() {
    let Ok(url) = std::env::var(PLAY_ON) else { return };
    match open(&url) {
        Ok(_) => say("opened"),
        Err(error) => say(&format!("refused {error:?}")),
    }
}
