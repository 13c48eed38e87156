//! Creating, starting, ending and listing tables, for the platform that runs them.
//!
//! **Invariant:** a platform sees its own tables; another's are not there.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handfoot_engine::{Events, Game, Seed};
use handfoot_protocol::state::v1::{RequestRecord, TableRecord};
use handfoot_protocol::{encode_draft, v1};
use handfoot_rules::Rules;
use handfoot_store::{
    BodyHash, CreateOutcome, CreateRequest, LeaseUse, ListFilter, Mark, Millis, NewTable,
    RequestId, TableId, Tenant, Tenants, Version,
};
use handfoot_view::{Seat, TableOptions};
use prost::Message;
use sha2::{Digest, Sha256};

use super::Tables;
use super::commit::{Change, Taken};
use super::once::short;
use super::page::{Page, PageToken};
use super::play::go_on;
use crate::error::{Answer, ApiError};
use crate::limits::{DECISIONS_MAX, REOPEN_AFTER};
use crate::table::{Fixed, Owner, SeatOrder, SeatState, Secrets, Stage, Table};

/// What a platform asks for when it creates a table.
#[derive(Debug)]
pub(crate) struct NewTableRequest {
    pub(crate) tenant: Tenant,
    pub(crate) request_id: RequestId,
    pub(crate) display_name: String,
    pub(crate) preset_id: String,
    pub(crate) rules: Rules,
    pub(crate) options: TableOptions,
    pub(crate) bot_pace: Duration,
    pub(crate) lift_wait: Option<Duration>,
    pub(crate) seat_order: SeatOrder,
    pub(crate) first_dealer: Option<Seat>,
    pub(crate) chosen_seed: Option<u64>,
}

/// Whom a token is for.
#[derive(Debug)]
pub(crate) struct TokenFor {
    pub(crate) table: TableId,
    pub(crate) seat: Option<Seat>,
    pub(crate) generation: u32,
}

impl Tables {
    /// Creates a table. The same request gives the same table.
    pub(crate) async fn create(&self, request: NewTableRequest) -> Answer<Arc<Table>> {
        let id = table_id_of(&request.tenant, request.request_id).ok_or(ApiError::Internal)?;
        let new = self.new_table(id.clone(), request)?;
        match self.store().create(new).await? {
            CreateOutcome::Created { .. } | CreateOutcome::Duplicate { .. } => {
                self.confirmed(&id).await.map(|(table, _)| table)
            }
            CreateOutcome::Reused | CreateOutcome::Exists => {
                Err(ApiError::RequestIdReused { version: None })
            }
        }
    }

    fn new_table(&self, id: TableId, request: NewTableRequest) -> Answer<NewTable> {
        let secrets =
            Secrets::draw(&*self.inner.secrets, request.chosen_seed).ok_or_else(|| {
                tracing::error!("the machine has no secrets to give");
                ApiError::Unavailable { retry_after: REOPEN_AFTER }
            })?;
        let chain = secrets.first_chain(id.as_str());
        let (tenant, request_id) = (request.tenant.clone(), request.request_id);
        let seats = vec![SeatState::open(); request.rules.seats()];
        let (fixed, body) = fixed_of(id.clone(), request, secrets);
        let table = Table {
            fixed: Arc::new(fixed),
            mark: Mark { version: Version(0), chain },
            at: Millis(0),
            game_version: Version(0),
            stage: Stage::Waiting,
            seats,
            created_at: Millis(0),
            started_at: None,
            ended_at: None,
            game: None,
        };
        Ok(NewTable {
            id,
            tenant,
            state: table.listed_state(),
            summary: Bytes::new(),
            snapshot: table.to_bytes(),
            chain,
            request: CreateRequest { id: request_id, body, answer: Bytes::new() },
            deadline: None,
            turns: Vec::new(),
            outbox: Vec::new(),
        })
    }

    /// A tenant's table as it stands.
    pub(crate) async fn owned(&self, tenant: &Tenant, id: &TableId) -> Answer<Arc<Table>> {
        let (table, _) = self.confirmed(id).await?;
        match table.fixed.tenant == *tenant {
            true => Ok(table),
            false => Err(ApiError::TableNotFound),
        }
    }

    /// Takes a step that does not depend on a request: decided anew while others are first. No
    /// change means that the table is as it should be.
    pub(super) async fn step(
        &self,
        tenant: &Tenant,
        id: &TableId,
        decide: impl Fn(&Table) -> Answer<Option<Change>>,
    ) -> Answer<Arc<Table>> {
        let mut table = self.owned(tenant, id).await?;
        for _ in 0..DECISIONS_MAX {
            let Some(change) = decide(&table)? else { return Ok(table) };
            match self.take(&table, change).await? {
                Taken::Done { table, .. } => return Ok(table),
                Taken::Conflict(now) => table = now,
                Taken::Replay { .. } => return Err(ApiError::Internal),
            }
        }
        Err(ApiError::Unavailable { retry_after: REOPEN_AFTER })
    }

    /// Starts the game.
    pub(crate) async fn start(&self, tenant: &Tenant, id: &TableId) -> Answer<Arc<Table>> {
        self.step(tenant, id, started).await
    }

    /// Ends a table before its game is over.
    pub(crate) async fn cancel(&self, tenant: &Tenant, id: &TableId) -> Answer<Arc<Table>> {
        let cancelled = |table: &Table| match table.stage {
            Stage::Waiting | Stage::Playing => {
                let next = Table { stage: Stage::Cancelled, ..table.clone() };
                Ok(Some(Change::of_table(next, v1::CommitCause::Cancel)))
            }
            Stage::Cancelled => Ok(None),
            Stage::Finished => Err(ApiError::TableClosed),
        };
        self.step(tenant, id, cancelled).await
    }

    /// A tenant's tables, newest first.
    pub(crate) async fn list(
        &self,
        tenant: &Tenant,
        page: Page,
        stages: &[Stage],
    ) -> Answer<(Vec<v1::Table>, Option<PageToken>)> {
        let states = stages.iter().fold(0, |bits, stage| bits | 1 << (*stage as u8));
        let after = match page.token {
            PageToken::Start => None,
            PageToken::Tables { states: asked, cursor } if asked == states => Some(cursor),
            PageToken::Tables { .. } | PageToken::Commits { .. } | PageToken::Presets { .. } => {
                return Err(ApiError::PageTokenInvalid);
            }
        };
        let filter = ListFilter { tenants: Tenants::One(tenant.clone()), state: None };
        let listed = self.store().list(filter, after, page.size).await?;
        let mut tables = Vec::new();
        for entry in listed.tables {
            match self.confirmed(&entry.id).await {
                Ok((table, _)) if stages.is_empty() || stages.contains(&table.stage) => {
                    tables.push(v1::Table { rules: None, ..table.to_message() });
                }
                Ok(_) | Err(ApiError::TableNotFound) => {}
                // A table that cannot be read keeps no other from being listed.
                Err(ApiError::StateCorrupt | ApiError::SchemaNewer) => tables.push(v1::Table {
                    table_id: entry.id.as_str().to_owned(),
                    ..v1::Table::default()
                }),
                Err(error) => return Err(error),
            }
        }
        let next = listed.next.map(|cursor| PageToken::Tables { states, cursor });
        Ok((tables, next))
    }
}

impl Change {
    /// A step that concerns the table as a whole.
    pub(super) fn of_table(next: Table, cause: v1::CommitCause) -> Change {
        Change {
            next,
            cause,
            seat: None,
            events: Events::new(),
            players: Vec::new(),
            request: None,
            lease: LeaseUse::None,
        }
    }
}

fn started(table: &Table) -> Answer<Option<Change>> {
    match table.stage {
        Stage::Playing | Stage::Finished => return Ok(None),
        Stage::Cancelled => return Err(ApiError::TableClosed),
        Stage::Waiting => {}
    }
    let open = table.seats.iter().position(|seat| seat.holder.owner == Owner::Nobody);
    if let Some(seat) = open.and_then(Seat::from_index) {
        return Err(ApiError::SeatsOpen { seat });
    }
    let fixed = &table.fixed;
    let mut events = Events::new();
    let mut game = Game::new(
        Arc::clone(&fixed.rules),
        fixed.options,
        fixed.id.as_str(),
        Seed::from_bytes(fixed.secrets.game_seed),
        fixed.first_dealer,
        &mut events,
    );
    go_on(&mut game, &mut events);
    let next = Table { stage: Stage::Playing, game: Some(game), ..table.clone() };
    let change = Change::of_table(next, v1::CommitCause::Start);
    Ok(Some(Change { events, ..change }))
}

fn fixed_of(id: TableId, request: NewTableRequest, secrets: Secrets) -> (Fixed, BodyHash) {
    let chosen = request.chosen_seed;
    let rules_message = encode_draft(request.rules.draft());
    let fixed = Fixed {
        id,
        tenant: request.tenant,
        display_name: request.display_name,
        preset_id: request.preset_id,
        rules: Arc::new(request.rules),
        rules_message,
        options: request.options,
        bot_pace: request.bot_pace,
        lift_wait: request.lift_wait,
        seat_order: request.seat_order,
        first_dealer: request.first_dealer,
        secrets,
        seed_origin: match chosen {
            Some(_) => v1::SeedOrigin::Chosen,
            None => v1::SeedOrigin::Secret,
        },
        created_by: RequestRecord::default(),
        bytes: Bytes::new(),
    }
    .encoded();
    let body = body_of(&fixed, chosen);
    let created_by = RequestRecord {
        request_id: super::commit::hex(&request.request_id.0),
        content: body.0.to_vec(),
    };
    (Fixed { created_by, ..fixed }.encoded(), body)
}

/// What a creation asked for: all that is fixed but what was drawn for it.
fn body_of(fixed: &Fixed, chosen: Option<u64>) -> BodyHash {
    let mut record = TableRecord::decode(&*fixed.bytes).unwrap_or_default();
    record.secrets = None;
    let mut hash = Sha256::new();
    hash.update(record.encode_length_delimited_to_vec());
    hash.update(chosen.map_or_else(Vec::new, |number| number.to_be_bytes().to_vec()));
    short(hash)
}

/// The id of the table that a request creates: the same on every replica.
fn table_id_of(tenant: &Tenant, request: RequestId) -> Option<TableId> {
    let mut hash = Sha256::new();
    hash.update(b"handfoot/1 table id");
    hash.update(tenant.as_str().as_bytes());
    hash.update([0]);
    hash.update(request.0);
    let digits = super::commit::hex(&hash.finalize()[..16]);
    let (a, b, c, d, e) =
        (&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]);
    format!("{a}-{b}-{c}-{d}-{e}").parse().ok()
}
