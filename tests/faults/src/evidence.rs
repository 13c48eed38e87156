//! What is there at the end: in the store, over the API, in the ledger, in the logs.
//!
//! **Invariant:** only collects. The store is read past the services and past every proxy.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use handfoot_client::{ClientError, Connection, Known, PlatformClient, PlayClient, SeatToken};
use handfoot_protocol::{Advice, state, v1};
use handfoot_store::{History, StoreError, TableStore, Version};
use prost::Message;
use v1::event::Event;

use crate::crowd::open::Opened;
use crate::crowd::{Crowd, PATIENCE};
use crate::house::House;
use crate::ledger::{Notes, Stamp};
use crate::trouble::Trouble;

/// Commits of a page.
const PAGE: u32 = 200;

/// What a commit did to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A seat's turn began.
    Began,
    /// It drew at its draw step, or took the discard pile.
    Drew,
}

/// A commit as the store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Logged {
    pub(crate) stamp: Stamp,
    pub(crate) seat: u32,
    /// 32 hexadecimal digits; none if no request made it.
    pub(crate) request_id: Option<String>,
}

/// A commit as the API shows it to who watches only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) stamp: Stamp,
    pub(crate) turns: Vec<Turn>,
}

/// All that there is of one table.
#[derive(Debug)]
pub(crate) struct TableEvidence {
    pub(crate) id: String,
    pub(crate) state: v1::TableState,
    /// Where it stands.
    pub(crate) version: u64,
    pub(crate) log: Vec<Logged>,
    pub(crate) shown: Vec<Shown>,
    /// Why there is nothing of it; none if there is.
    pub(crate) unreadable: Option<String>,
    pub(crate) notes: Notes,
    /// Seats that are a person's.
    pub(crate) people: Vec<u32>,
    /// What each of them is shown at the end, and who watches only as 0.
    pub(crate) views: BTreeMap<u32, Known>,
}

/// What is in the log of a process that should not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogFault {
    /// It has panicked.
    Panic,
    /// A credential.
    Secret,
}

/// All that there is.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) tables: Vec<TableEvidence>,
    /// By the name of the log.
    pub(crate) log_faults: Vec<(String, LogFault)>,
}

/// Collects what is there.
///
/// # Errors
///
/// If the store or the services cannot be asked at all.
pub(crate) async fn collect(house: &House, crowd: &Crowd) -> Result<Evidence, Trouble> {
    let url = house.store_url();
    let store = tokio::task::block_in_place(|| handfoot_store::open(&url))?;
    let from = Sources { store, platform: house.platform()?, connection: house.connection()? };
    let mut tables = Vec::new();
    for (number, opened) in crowd.tables.iter().enumerate() {
        let notes = std::mem::take(&mut *crowd.ledger.table(number));
        tables.push(from.collect(opened, notes).await);
    }
    from.store.close().await?;
    let secrets = [&house.credentials.platform, &house.credentials.bot];
    let log_faults = house.logs().iter().flat_map(|log| log_faults(log, &secrets)).collect();
    Ok(Evidence { tables, log_faults })
}

/// Where evidence of tables comes from.
struct Sources {
    store: Arc<dyn TableStore>,
    platform: PlatformClient,
    connection: Connection,
}

impl Sources {
    async fn collect(&self, opened: &Opened, notes: Notes) -> TableEvidence {
        let id = opened.id.clone();
        let mut evidence = TableEvidence {
            id: id.clone(),
            state: v1::TableState::Unspecified,
            version: 0,
            log: Vec::new(),
            shown: Vec::new(),
            unreadable: None,
            notes,
            people: opened.people.iter().map(|(seat, _)| *seat).collect(),
            views: BTreeMap::new(),
        };
        match logged(&*self.store, &id).await {
            Ok(log) => evidence.log = log,
            Err(error) => evidence.unreadable = Some(error.to_string()),
        }
        let request = || v1::GetTableRequest { table_id: id.clone() };
        match insist(|| self.platform.get_table(request())).await {
            Ok(answer) => {
                let table = answer.table.unwrap_or_default();
                (evidence.state, evidence.version) = (table.state(), table.version);
            }
            Err(error) => evidence.unreadable = Some(error.label().to_owned()),
        }
        let client = |token: &SeatToken| PlayClient::new(self.connection.clone(), token.clone());
        let spectator = client(&opened.spectator);
        match insist(|| shown(&spectator)).await {
            Ok(shown) => evidence.shown = shown,
            Err(error) => evidence.unreadable = Some(error.label().to_owned()),
        }
        let players = opened.people.iter().map(|(seat, token)| (*seat, client(token)));
        for (seat, client) in players.chain([(0, spectator)]) {
            if let Ok(known) = insist(|| client.view()).await {
                evidence.views.insert(seat, known);
            }
        }
        evidence
    }
}

/// Asks again until there is an answer, or a refusal that will stay one: by now everything is well
/// again, and only the machine may be busy.
async fn insist<T, F>(ask: impl Fn() -> F) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>>,
{
    let until = Instant::now() + PATIENCE;
    loop {
        match ask().await {
            Err(error) if error.advice() == Advice::Retry && Instant::now() < until => {}
            answered => return answered,
        }
    }
}

/// The log of a table, as the store has it.
async fn logged(store: &dyn TableStore, id: &str) -> Result<Vec<Logged>, StoreError> {
    let Ok(table) = id.parse() else { return Ok(Vec::new()) };
    let mut log = Vec::new();
    let until = Instant::now() + PATIENCE;
    loop {
        let from = Version(log.len() as u64 + 1);
        let entries = match store.history(&table, from, 500).await {
            Ok(History::Entries(entries)) => entries,
            Ok(History::Gone { .. } | History::NotFound) => break,
            Err(StoreError::Unavailable { .. }) if Instant::now() < until => continue,
            Err(error) => return Err(error),
        };
        if entries.is_empty() {
            break;
        }
        for entry in entries {
            let record = state::v1::CommitRecord::decode(entry.entry).unwrap_or_default();
            let stamp = Stamp { version: entry.version.0, chain: entry.chain.0.to_vec() };
            let request_id = record.request.map(|request| request.request_id);
            log.push(Logged { stamp, seat: record.seat, request_id });
        }
    }
    Ok(log)
}

/// The log of a table, as the API shows it.
async fn shown(client: &PlayClient) -> Result<Vec<Shown>, ClientError> {
    let (mut shown, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = v1::ListCommitsRequest { after_version: 0, page_size: PAGE, page_token };
        let page = client.commits(request).await?;
        for commit in page.commits {
            let stamp = commit.stamp.as_ref().map(Stamp::of);
            let turns = commit.events.iter().filter_map(|event| turn(event.event.as_ref()?));
            let turns = turns.collect();
            shown.extend(stamp.map(|stamp| Shown { stamp, turns }));
        }
        if page.next_page_token.is_empty() {
            return Ok(shown);
        }
        page_token = page.next_page_token;
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "events that say nothing of a turn")]
fn turn(event: &Event) -> Option<Turn> {
    match event {
        Event::TurnBegan(_) => Some(Turn::Began),
        Event::DiscardsTaken(_) => Some(Turn::Drew),
        Event::Drew(drawn) if drawn.cause() == v1::DrawCause::DrawStep => Some(Turn::Drew),
        _ => None,
    }
}

fn log_faults(path: &Path, secrets: &[&String]) -> Vec<(String, LogFault)> {
    // A process that never wrote has no log.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // What it announces to whoever started it is there to be read.
    let said = |line: &&str| !line.contains("credential: ") && !line.contains("grpcurl");
    let lines: Vec<&str> = text.lines().filter(said).collect();
    let panics = lines.iter().any(|line| line.contains("panicked at"));
    let leaks = lines.iter().any(|line| secrets.iter().any(|secret| line.contains(*secret)));
    let faults = [panics.then_some(LogFault::Panic), leaks.then_some(LogFault::Secret)];
    faults.into_iter().flatten().map(|fault| (name.clone(), fault)).collect()
}
