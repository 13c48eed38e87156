//! The program serving, and how tests call it.
//!
//! **Invariant:** every test has a port and a store of its own; what was started ends with the test.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use handfoot_client::{
    Connection, PlatformClient, PlatformCredential, PlayClient, SeatToken, Settings,
};
use handfoot_protocol::v1;
use serde_json::Value;
use v1::set_seat_request::Occupancy;

use crate::kit::command;

/// A running `handfoot serve`.
pub(crate) struct Served {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub(crate) address: String,
    pub(crate) platform_token: String,
}

impl Served {
    /// Starts it with these arguments beside `--json`.
    pub(crate) fn start(arguments: &str) -> Served {
        let mut command = command(&format!("serve --json {arguments}"));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let started: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let text = |name: &str| started[name].as_str().unwrap().to_owned();
        Served { child, lines, address: text("address"), platform_token: text("platform_token") }
    }

    /// Ends it as a system does, and gives the last line.
    pub(crate) fn terminate(mut self) -> Value {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let last = self.lines.by_ref().last().unwrap().unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        serde_json::from_str(&last).unwrap()
    }

    /// Ends it without a warning.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn connection(&self) -> Connection {
        Connection::to(vec![self.address.parse().unwrap()], &Settings::default())
    }

    pub(crate) fn platform(&self) -> PlatformClient {
        let credential = PlatformCredential::new(&self.platform_token).unwrap();
        PlatformClient::new(self.connection(), credential)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Who has a seat of a test's table.
#[derive(Clone, Copy)]
pub(crate) enum Sitter {
    Person,
    Bot(&'static str),
}

/// Opens a table of the usual options and starts its game; gives its id.
pub(crate) async fn open(platform: &PlatformClient, sitters: &[Sitter]) -> String {
    open_with(platform, sitters, v1::TableOptions::default()).await
}

/// Opens a table with these options and starts its game; gives its id.
pub(crate) async fn open_with(
    platform: &PlatformClient,
    sitters: &[Sitter],
    options: v1::TableOptions,
) -> String {
    let players = u32::try_from(sitters.len()).unwrap();
    let rules = v1::RulesChoice { preset_id: "whitnack".to_owned(), players, ..Default::default() };
    let request =
        v1::CreateTableRequest { rules: Some(rules), options: Some(options), ..Default::default() };
    let table_id = platform.create(request).await.unwrap().table.unwrap().table_id;
    for (seat, sitter) in (1..).zip(sitters) {
        let occupancy = match *sitter {
            Sitter::Person => Occupancy::Person(v1::Person {
                player_id: format!("person-{seat}"),
                display_name: String::new(),
            }),
            Sitter::Bot(level) => Occupancy::Bot(v1::Bot { level: level.to_owned() }),
        };
        let table_id = table_id.clone();
        let request =
            v1::SetSeatRequest { table_id, seat, occupancy: Some(occupancy), ..Default::default() };
        platform.seat(request).await.unwrap();
    }
    platform.start_table(v1::StartTableRequest { table_id: table_id.clone() }).await.unwrap();
    table_id
}

/// A token of a seat, or of whoever watches with 0.
pub(crate) async fn token(platform: &PlatformClient, table_id: &str, seat: u32) -> SeatToken {
    let table_id = table_id.to_owned();
    let request = v1::IssueSeatTokenRequest { table_id, seat, ..Default::default() };
    platform.issue(request).await.unwrap().token
}

/// Versions and chains of every commit that the log has.
pub(crate) async fn logged(client: &PlayClient) -> std::collections::BTreeMap<u64, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut page_token = String::new();
    loop {
        let request = v1::ListCommitsRequest { after_version: 0, page_size: 200, page_token };
        let page = client.commits(request).await.unwrap();
        for commit in page.commits {
            let stamp = commit.stamp.unwrap();
            found.insert(stamp.version, stamp.chain.to_vec());
        }
        if page.next_page_token.is_empty() {
            return found;
        }
        page_token = page.next_page_token;
    }
}

/// Threads for calls.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().unwrap()
}
