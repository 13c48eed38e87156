//! The client of the game-service: opens tables, plays scripts, watches.
//!
//! **Invariant:** does what any client does and no more: nothing is decided or judged here.

use std::sync::Arc;

use handfoot_protocol::v1;
use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_protocol::v1::table_service_client::TableServiceClient;
use prost::Message;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Request, Streaming};
use v1::set_seat_request::Occupancy;
use v1::watch_table_response::Item;

use crate::running::Place;
use crate::script::{SEATS, Script, request_of};
use crate::subject::Moves;
use crate::trouble::Trouble;
use crate::watching::Watching;

/// One message of so many is weighed: all would cost the client more than reading them.
const WEIGHED_EVERY: usize = 16;

/// Bytes by which the encodings of two times differ, at most.
const TIME_BYTES: usize = 8;

/// What a stream brings.
pub(crate) type Items = Streaming<v1::WatchTableResponse>;

/// A started table with the tokens of its seats.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    /// Its id.
    pub(crate) id: String,
    /// By seat: what goes into the header `authorization`.
    pub(crate) tokens: Vec<MetadataValue<Ascii>>,
}

/// A table that plays a script.
#[derive(Debug)]
pub(crate) struct ServiceTable {
    script: Arc<Script>,
    next: usize,
    /// Makes request ids that no other table has.
    number: u32,
    opened: Opened,
    /// By server.
    clients: Vec<PlayServiceClient<Channel>>,
    moves: Moves,
    watching: Watching,
}

/// The header of a credential.
///
/// # Errors
///
/// `Wrong` if it is no header.
pub(crate) fn bearer(credential: &str) -> Result<MetadataValue<Ascii>, Trouble> {
    let value = format!("Bearer {credential}").parse::<MetadataValue<Ascii>>();
    let mut value = value.map_err(|_| Trouble::wrong("a credential is no header"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// A request with a credential.
fn with<T>(credential: &MetadataValue<Ascii>, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", credential.clone());
    request
}

/// Opens a table with four people and starts it.
///
/// # Errors
///
/// `Call`.
pub(crate) async fn open(
    channel: &Channel,
    credential: &MetadataValue<Ascii>,
    seed: u64,
    number: u32,
) -> Result<Opened, Trouble> {
    let person = |seat| {
        let person = v1::Person { player_id: format!("player-{seat}"), ..Default::default() };
        Occupancy::Person(person)
    };
    let mut client = TableServiceClient::new(channel.clone());
    let id = start(&mut client, credential, seed, number, person).await?;
    let mut tokens = Vec::new();
    for seat in seats() {
        let issue = v1::IssueSeatTokenRequest { table_id: id.clone(), seat, ..Default::default() };
        let issued = client.issue_seat_token(with(credential, issue)).await;
        tokens.push(bearer(&issued.map_err(Trouble::call(OPENING))?.into_inner().token)?);
    }
    Ok(Opened { id, tokens })
}

/// Opens a table with four bots of the strongest level that is cheap, which never pause, and starts
/// it.
///
/// # Errors
///
/// `Call`.
pub(crate) async fn open_bots(
    channel: &Channel,
    credential: &MetadataValue<Ascii>,
    seed: u64,
    number: u32,
) -> Result<(), Trouble> {
    let bot = |_| Occupancy::Bot(v1::Bot { level: "casual".to_owned() });
    let mut client = TableServiceClient::new(channel.clone());
    start(&mut client, credential, seed, number, bot).await.map(drop)
}

/// What is being done when a table is opened.
const OPENING: &str = "opening a table";

fn seats() -> impl Iterator<Item = u32> {
    1..=u32::try_from(SEATS).unwrap_or(u32::MAX)
}

/// Creates a table, fills its seats, and starts it; gives its id.
async fn start(
    client: &mut TableServiceClient<Channel>,
    credential: &MetadataValue<Ascii>,
    seed: u64,
    number: u32,
    occupancy: impl Fn(u32) -> Occupancy,
) -> Result<String, Trouble> {
    let create = v1::CreateTableRequest {
        request_id: format!("00000000-0000-4000-9000-{number:012x}"),
        chosen_seed: Some(seed),
        ..Default::default()
    };
    let created = client.create_table(with(credential, create)).await;
    let created = created.map_err(Trouble::call(OPENING))?.into_inner();
    let id = created.table.map(|table| table.table_id).unwrap_or_default();
    for seat in seats() {
        let set = v1::SetSeatRequest {
            table_id: id.clone(),
            seat,
            occupancy: Some(occupancy(seat)),
            ..Default::default()
        };
        client.set_seat(with(credential, set)).await.map_err(Trouble::call(OPENING))?;
    }
    let start = v1::StartTableRequest { table_id: id.clone() };
    let started = client.start_table(with(credential, start)).await;
    let started = started.map_err(Trouble::call(OPENING))?.into_inner();
    let version = started.table.map_or(0, |table| table.version);
    match version == Script::first_version() {
        true => Ok(id),
        false => Err(Trouble::wrong(format!("a new table stands at version {version}"))),
    }
}

/// Opens a stream and reads its snapshot.
///
/// # Errors
///
/// `Call`, or `Wrong` if something else comes first.
pub(crate) async fn watch(
    client: &mut PlayServiceClient<Channel>,
    token: &MetadataValue<Ascii>,
) -> Result<Items, Trouble> {
    let opened = client.watch_table(with(token, v1::WatchTableRequest::default())).await;
    let mut items = opened.map_err(Trouble::call("watching a table"))?.into_inner();
    match next_item(&mut items).await? {
        Some(Item::Snapshot(_)) => Ok(items),
        other => Err(Trouble::wrong(format!("a stream begins with {other:?}"))),
    }
}

impl ServiceTable {
    pub(crate) fn new(
        place: Place,
        script: Arc<Script>,
        opened: Opened,
        moves: Moves,
    ) -> ServiceTable {
        let Place { number, channels } = place;
        let clients = channels.into_iter().map(PlayServiceClient::new).collect();
        let watching = Watching::default();
        ServiceTable { script, next: 0, number, opened, clients, moves, watching }
    }

    /// The table's id.
    pub(crate) fn id(&self) -> &str {
        &self.opened.id
    }

    /// Opens a stream for each seat, and reads them beside the play.
    ///
    /// # Errors
    ///
    /// `Call`.
    pub(crate) async fn watch(&mut self) -> Result<(), Trouble> {
        for (seat_index, items) in self.streams().await?.into_iter().enumerate() {
            self.watching.add(follow(items, Arc::clone(&self.script), seat_index));
        }
        Ok(())
    }

    /// Reads the table as each seat, at every server.
    ///
    /// # Errors
    ///
    /// `Call`.
    pub(crate) async fn meet(&mut self) -> Result<(), Trouble> {
        for client in &mut self.clients {
            for token in &self.opened.tokens {
                let read = client.get_view(with(token, v1::GetViewRequest::default())).await;
                read.map_err(Trouble::call("reading a table"))?;
            }
        }
        Ok(())
    }

    /// Opens a stream for each seat.
    ///
    /// # Errors
    ///
    /// `Call`.
    pub(crate) async fn streams(&mut self) -> Result<Vec<Items>, Trouble> {
        let mut streams = Vec::new();
        for (seat_index, token) in self.opened.tokens.iter().enumerate() {
            let n_clients = self.clients.len();
            let client = &mut self.clients[(self.number as usize + seat_index) % n_clients];
            streams.push(watch(client, token).await?);
        }
        Ok(streams)
    }

    /// Plays the next action. Gives false when there is none.
    ///
    /// # Errors
    ///
    /// `Call`, or `Wrong` if the answer is not the next commit.
    pub(crate) async fn act(&mut self) -> Result<bool, Trouble> {
        let Some(act) = self.script.acts.get(self.next) else { return Ok(false) };
        let expected = Script::first_version() + self.next as u64;
        let request_id = format!("00000000-0000-4000-8000-{:06x}{:06x}", self.number, self.next);
        let to = match self.moves {
            Moves::Never => 0,
            Moves::BySeat => act.seat_index,
            Moves::ByAction => self.next,
        };
        let n_clients = self.clients.len();
        let client = &mut self.clients[(self.number as usize + to) % n_clients];
        self.next += 1;
        let request = request_of(request_id, expected, act.action.clone());
        let token = &self.opened.tokens[act.seat_index];
        let answered = client.submit_actions(with(token, request)).await;
        let answer = answered.map_err(Trouble::call("playing an action"))?.into_inner();
        if self.next.is_multiple_of(WEIGHED_EVERY) {
            check_size("an answer", answer.encoded_len(), act.answer_bytes)?;
        }
        let stamp = answer.commit.as_ref().and_then(|commit| commit.stamp.as_ref());
        match stamp {
            Some(stamp) if stamp.version == expected + 1 && !answer.replayed => Ok(true),
            other => Err(Trouble::wrong(format!("{other:?} after version {expected}"))),
        }
    }

    /// How many commits its watchers have seen, when they have seen all.
    ///
    /// # Errors
    ///
    /// `Call`, or `Wrong` if a commit is missing.
    pub(crate) async fn seen(&mut self) -> Result<u64, Trouble> {
        self.watching.finish().await
    }
}

/// Reads every commit of a script; each must follow the one before.
async fn follow(mut items: Items, script: Arc<Script>, seat_index: usize) -> Result<u64, Trouble> {
    let mut n_commits = 0;
    while let Some(act) = script.acts.get(n_commits) {
        let Some(item) = next_item(&mut items).await? else { continue };
        match &item {
            Item::Commit(commit) => {
                let version = commit.stamp.as_ref().map_or(0, |stamp| stamp.version);
                let expected = Script::first_version() + n_commits as u64 + 1;
                if version != expected {
                    let what = format!("a stream brings version {version}, not {expected}");
                    return Err(Trouble::wrong(what));
                }
                n_commits += 1;
                if n_commits.is_multiple_of(WEIGHED_EVERY) {
                    check_size("an item", item.encoded_len(), act.item_bytes[seat_index])?;
                }
            }
            Item::Presence(_) | Item::Heartbeat(_) => {}
            Item::Snapshot(_) | Item::Rotate(_) => {
                return Err(Trouble::wrong(format!("a stream brings {item:?}")));
            }
        }
    }
    Ok(n_commits as u64)
}

/// Whether a message is as large as the script says, which is what the baseline sends.
fn check_size(what: &str, bytes: usize, expected: usize) -> Result<(), Trouble> {
    match bytes.abs_diff(expected) <= TIME_BYTES {
        true => Ok(()),
        false => Err(Trouble::wrong(format!("{what} has {bytes} bytes, not {expected}"))),
    }
}

async fn next_item(items: &mut Items) -> Result<Option<Item>, Trouble> {
    let item = items.message().await.map_err(Trouble::call("watching a table"))?;
    Ok(item.ok_or_else(|| Trouble::wrong("a stream ended"))?.item)
}
