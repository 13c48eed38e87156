//! `handfoot play`, through a terminal and through a pipe.
//!
//! **Invariant:** the person of these tests reads what is printed and types lines, as a person
//! does.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use handfoot_client::{Decision, Known, Legal, PlayClient, TableWatch, UndoDecision};
use handfoot_protocol::v1::{self, table_service_client::TableServiceClient};
use handfoot_view::{Action, Step};
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

use crate::kit::{command, run};
use crate::served::{Served, Sitter, open_with, runtime, token};

const PROMPT: &str = "seat 1> ";

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A person at a terminal.
struct Person {
    terminal: Arc<Pty>,
    child: std::process::Child,
    printed: Receiver<Vec<u8>>,
    /// Everything that was printed since the last line was typed.
    screen: String,
}

impl Person {
    fn sits_down(arguments: &str) -> Person {
        let (terminal, theirs) = open().unwrap();
        terminal.resize(Size::new(50, 100)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_handfoot"));
        let child = command.args(arguments.split_whitespace()).spawn(theirs).unwrap();
        let terminal = Arc::new(terminal);
        let (send, printed) = channel();
        let reader = Arc::clone(&terminal);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A terminal whose program has ended cannot be read.
            while let Ok(count @ 1..) = (&*reader).read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut person = Person { terminal, child, printed, screen: String::new() };
        person.reads_to(PROMPT);
        person
    }

    /// Reads until something is printed last.
    fn reads_to(&mut self, end: &str) {
        while !self.screen.trim_end_matches(['\r', '\n']).ends_with(end) {
            let printed = self.printed.recv_timeout(PATIENCE);
            let printed = printed.unwrap_or_else(|_| panic!("no {end:?}: {}", self.screen));
            self.screen.push_str(&String::from_utf8_lossy(&printed));
        }
    }

    fn types(&mut self, line: &str) -> &str {
        self.screen.clear();
        (&*self.terminal).write_all(format!("{line}\n").as_bytes()).unwrap();
        self.reads_to(PROMPT);
        &self.screen
    }

    #[track_caller]
    fn sees(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.screen.contains(part), "{part:?} is not in {}", self.screen);
        }
    }

    /// The number of the first offered action that begins with a word.
    fn number_of(&self, verb: &str) -> Option<String> {
        let offered = self.screen.rsplit_once("You may:").map(|(_, offered)| offered)?;
        let words: Vec<&str> = offered.split_whitespace().collect();
        let found = words.windows(2).find(|two| two[0].parse::<u32>().is_ok() && two[1] == verb);
        found.map(|two| two[0].to_owned())
    }

    fn leaves(mut self) {
        (&*self.terminal).write_all(b"quit\n").unwrap();
        self.reads_to("Goodbye.");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_person_plays_a_round_by_numbers() {
    let mut person = Person::sits_down("play --players 2 --bots random --seed 7");
    person.sees(&["seat 1 (you)", "seat 2 (bot, random)", "Round 1 of 4", "Your hand, "]);
    person.sees(&["\u{1b}[1m"]);
    person.types("help");
    person.sees(&["take the discard pile", "undo"]);
    person.types("sheet");
    person.sees(&["no round is scored yet"]);
    let discard = person.types("discard 3S").to_owned();
    assert!(discard.contains("no: draw or take the discard pile first"), "{discard}");
    person.sees(&["  try: draw, or take the discard pile"]);
    person.types("fold");
    person.sees(&["not understood", "draw, discard, lay, take, ask, answer, undo or answer_undo"]);
    person.types("9999");
    person.sees(&["there is no 9999"]);
    person.types("");
    person.types("table");
    person.sees(&["nothing laid"]);
    person.types("draw");
    person.sees(&["you     draw ", "Lay what you like, then discard."]);
    person.types("discard 9 9");
    person.sees(&["not understood", "nothing more"]);
    person.types("list");
    let mut has_undone = false;
    let mut turns = 0;
    loop {
        if person.screen.contains("Round 1 is over") {
            break;
        }
        turns += 1;
        assert!(turns < 1_000, "{}", person.screen);
        let lay = person.number_of("lay").filter(|_| !has_undone);
        let choice = ["draw", "discard"].iter().find_map(|verb| person.number_of(verb));
        match lay {
            Some(number) => {
                person.types(&number);
                if person.screen.contains("can be taken back: undo") {
                    person.types("undo");
                    person.sees(&["take back 1 lay"]);
                    has_undone = true;
                }
            }
            None => {
                let choice = choice.or_else(|| person.number_of("answer"));
                person.types(&choice.unwrap_or_else(|| panic!("{}", person.screen)));
            }
        }
    }
    assert!(has_undone);
    person.sees(&["Cards melded", "Game so far", "Round 2 of 4"]);
    person.types("sheet");
    person.sees(&["Game so far"]);
    person.leaves();
}

#[test]
fn a_pipe_will_do() {
    let mut child = command("play --seed 3 --players 3")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"help\ndraw\nhand\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("Your hand, ") && text.contains("you     draw "), "{text}");
    assert!(!text.contains('\u{1b}'), "no colour where no terminal is");
}

#[test]
fn a_person_sits_down_at_a_server() {
    let served = Served::start("--bots --listen 127.0.0.1:0");
    let (address, token) = (&served.address, &served.platform_token);
    let person = Person::sits_down(&format!("play --connect {address} --token {token}"));
    person.sees(&["team 1: seat 1 (you), seat 3 (bot, casual)"]);
    person.leaves();
    run(&format!("play --connect {address}")).fails(64, &["needs a token", "handfoot serve"]);
    run(&format!("play --connect {address} --token hfp_local.00"))
        .fails(77, &["the table cannot be opened", "the token that handfoot serve printed"]);
}

/// A seat's token as it is given to a person to type.
async fn token_text(served: &Served, table_id: &str, seat: u32) -> String {
    let channel = tonic::transport::Endpoint::new(format!("http://{}", served.address)).unwrap();
    let mut tables = TableServiceClient::new(channel.connect().await.unwrap());
    let table_id = table_id.to_owned();
    let issue = v1::IssueSeatTokenRequest { table_id, seat, ..Default::default() };
    let mut request = tonic::Request::new(issue);
    let bearer = format!("Bearer {}", served.platform_token).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    tables.issue_seat_token(request).await.unwrap().into_inner().token
}

/// Follows a table until it is the viewer's turn at this version or later.
async fn own_turn(watch: &mut TableWatch, version: u64) -> Known {
    loop {
        match watch.known() {
            Some(known) if known.stamp.version >= version && known.is_to_act() => {
                return known.clone();
            }
            Some(_) | None => {}
        }
        watch.next().await.unwrap();
    }
}

/// A player that lays when it can, then asks twice whether it may take that back, and discards.
async fn asks_twice(client: PlayClient) {
    let mut watch = client.watch();
    let (mut version, mut asked) = (0, 0);
    loop {
        let known = own_turn(&mut watch, version).await;
        let Legal { actions, menu, .. } = client.legal().await.unwrap();
        let at = known.stamp.version;
        let submitted = if menu.undoable > 0 && asked < 2 {
            asked += 1;
            client.undo(&UndoDecision::new(at, 1)).await
        } else {
            let lay = actions.iter().find(|action| matches!(action, Action::Lay(_)) && asked < 2);
            let action = lay.or(match menu.step {
                Step::Draw => actions.first(),
                Step::Play | Step::Answer | Step::AnswerUndo | Step::Wait | Step::Over => {
                    actions.last()
                }
            });
            client.submit(&Decision::new(at, vec![action.unwrap().clone()])).await
        };
        version = submitted.unwrap().commit.unwrap().stamp.unwrap().version;
        if asked == 2 && menu.undoable == 0 {
            return;
        }
    }
}

/// One word answers whichever question is open. Rule: HF-13.1
#[test]
fn a_person_who_is_asked_about_an_undo_says_no_and_yes() {
    let served = Served::start("--listen 127.0.0.1:0");
    let runtime = runtime();
    let (own, other) = runtime.block_on(async {
        let platform = served.platform();
        let undo = v1::UndoOption::ByConsent as i32;
        let options = v1::TableOptions { undo, ..Default::default() };
        let id = open_with(&platform, &[Sitter::Person; 2], options).await;
        (token_text(&served, &id, 1).await, token(&platform, &id, 2).await)
    });
    let asker = runtime.spawn({
        let _entered = runtime.enter();
        asks_twice(PlayClient::new(served.connection(), other))
    });
    let connect = format!("play --connect {} --token {own}", served.address);
    let mut person = Person::sits_down(&connect);
    let question = "Another seat asks to take back lays: yes or no?";
    for turn in 0.. {
        assert!(turn < 300, "{}", person.screen);
        if person.screen.contains(question) {
            break;
        }
        let choice = ["draw", "discard"].iter().find_map(|verb| person.number_of(verb));
        person.types(&choice.unwrap_or_else(|| panic!("{}", person.screen)));
    }
    // The other seat asks again, and is allowed.
    person.types("no");
    person.sees(&["you     answer no", question]);
    person.types("yes");
    person.sees(&["you     answer yes", "seat 2  takes back 1 lay", "It is your turn"]);
    runtime.block_on(asker).unwrap();
    person.leaves();
}

#[test]
fn nobody_there_is_told() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    run(&format!("play --connect {address} --token hfp_local.00"))
        .fails(69, &["no server can be reached", "handfoot serve --bots"]);
    run("play --bots casual,casual").fails(64, &["2 levels for 3 seats"]);
}
