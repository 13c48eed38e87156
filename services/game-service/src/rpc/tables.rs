//! TableService.
//!
//! **Invariant:** the tenant comes from the pass; a table of another is not there.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use handfoot_engine::Viewer;
use handfoot_protocol::v1::table_service_server::TableService;
use handfoot_protocol::{decode_choice, decode_options, encode_warning, v1};
use handfoot_rules::{Rules, RulesWarning, Validated};
use handfoot_store::Tenant;
use handfoot_view::{LIFTED_MAX, Seat};
use tonic::{Request, Response, Status};

use super::decode;
use crate::auth::{Generation, Keys, PlatformPass, PlatformScope, SeatGrant, SeatScopes};
use crate::error::{Answer, ApiError, FieldProblem, field};
use crate::limits::{
    BOT_PACE_MS_MAX, LIFT_WAIT_MS_MAX, NAME_CHARS_MAX, PLAYER_ID_CHARS_MAX, PLAYER_NAME_CHARS_MAX,
    TABLE_NAME_CHARS_MAX, TOKEN_LIFETIME_S_MAX, TOKEN_LIFETIME_S_MIN, TOKEN_LIFETIME_S_USUAL,
};
use crate::table::{Owner, SeatOrder, Stage, number_of, timestamp};
use crate::tables::{Lift, NewTableRequest, Occupancy, Page, Tables};

/// The service.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) tables: Tables,
    pub(super) keys: Arc<Keys>,
}

impl Platform {
    fn pass<T>(&self, request: &Request<T>, scope: PlatformScope) -> Result<PlatformPass, Status> {
        let pass = self.keys.platform_pass(request.metadata())?;
        pass.require(scope)?;
        Ok(pass)
    }
}

fn new_table(
    tenant: &Tenant,
    request: &v1::CreateTableRequest,
) -> Answer<(NewTableRequest, Vec<RulesWarning>)> {
    let request_id = decode::request_id(&request.request_id)?;
    let display_name =
        decode::text("display_name", &request.display_name, 0, TABLE_NAME_CHARS_MAX)?;
    let draft = decode_choice(request.rules.as_ref())
        .map_err(|error| ApiError::Choice { field: "rules", error })?;
    let Validated { rules, warnings } = Rules::new(draft)
        .map_err(|problems| ApiError::RulesInvalid { field: "rules.changes", problems })?;
    let options = decode_options(request.options.as_ref())?;
    let pace = request.options.as_ref().map_or(0, |options| options.bot_pace_ms);
    let pace = decode::within("options.bot_pace_ms", pace, 0, BOT_PACE_MS_MAX)?;
    let seats = u32::try_from(rules.seats()).unwrap_or(u32::MAX);
    let lift_wait = request.options.as_ref().and_then(|options| options.lift_wait_ms);
    let within = |wait| decode::within("options.lift_wait_ms", wait, 0, LIFT_WAIT_MS_MAX);
    let lift_wait = lift_wait.map(within).transpose()?;
    let first_dealer = decode::within("first_dealer", request.first_dealer, 0, seats)?;
    let named = request.rules.as_ref().map(name_of).unwrap_or_default();
    let new = NewTableRequest {
        tenant: tenant.clone(),
        request_id,
        display_name,
        preset_id: preset_of(request, &named),
        rules,
        options,
        bot_pace: Duration::from_millis(u64::from(pace)),
        lift_wait: lift_wait.map(|wait| Duration::from_millis(u64::from(wait))),
        seat_order: seat_order(request.options.as_ref())?,
        first_dealer: usize::try_from(first_dealer).ok().and_then(Seat::from_number),
        chosen_seed: request.chosen_seed,
    };
    Ok((new, warnings))
}

/// The preset that a choice names, and its overrides, each after a plus.
fn name_of(choice: &v1::RulesChoice) -> String {
    let ids = std::iter::once(&choice.preset_id).chain(&choice.override_ids);
    ids.map(String::as_str).collect::<Vec<_>>().join("+")
}

fn seat_order(options: Option<&v1::TableOptions>) -> Answer<SeatOrder> {
    let number = options.map_or(0, |options| options.seat_order);
    SeatOrder::of_message(number).ok_or(field("options.seat_order", FieldProblem::UnknownNumber))
}

/// The preset that the rules come from: no choice at all is the default one.
fn preset_of(request: &v1::CreateTableRequest, named: &str) -> String {
    let is_default = request.rules.as_ref().is_none_or(|choice| choice.changes.is_none());
    match (named.is_empty() && is_default, handfoot_rules::Preset::all().first()) {
        (true, Some(preset)) => preset.id.clone(),
        (true | false, Some(_) | None) => named.to_owned(),
    }
}

fn lift(request: &v1::EnterLiftRequest) -> Answer<Lift> {
    let (least, most) = (1, u64::from(LIFTED_MAX));
    let cards = NonZero::new(request.cards);
    Ok(Lift {
        request_id: decode::request_id(&request.request_id)?,
        expected: request.expected_version,
        seat: request.seat,
        cards: cards.ok_or(field("cards", FieldProblem::OutOfRange { least, most }))?,
    })
}

fn occupancy(request: &v1::SetSeatRequest) -> Answer<Occupancy> {
    use v1::set_seat_request::Occupancy as Sent;
    let sent = request.occupancy.as_ref();
    Ok(match sent.ok_or(field("occupancy", FieldProblem::Missing))? {
        Sent::Person(person) => Occupancy {
            owner: Owner::Person {
                player_id: decode::text(
                    "person.player_id",
                    &person.player_id,
                    1,
                    PLAYER_ID_CHARS_MAX,
                )?,
                display_name: decode::text(
                    "person.display_name",
                    &person.display_name,
                    0,
                    PLAYER_NAME_CHARS_MAX,
                )?,
            },
            bot_levels: Vec::new(),
        },
        Sent::Bot(bot) => Occupancy {
            owner: Owner::Bot { level: decode::text("bot.level", &bot.level, 1, NAME_CHARS_MAX)? },
            bot_levels: Vec::new(),
        },
        Sent::Open(open) => Occupancy {
            owner: Owner::Nobody,
            bot_levels: decode::levels("open.bot_levels", &open.bot_levels, 0)?,
        },
    })
}

#[tonic::async_trait]
impl TableService for Platform {
    async fn create_table(
        &self,
        request: Request<v1::CreateTableRequest>,
    ) -> Result<Response<v1::CreateTableResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::WriteTables)?;
        if request.get_ref().chosen_seed.is_some() {
            pass.require(PlatformScope::ChooseSeed)?;
        }
        let (new, warnings) = new_table(pass.tenant(), request.get_ref())?;
        let table = self.tables.create(new).await?;
        Ok(Response::new(v1::CreateTableResponse {
            table: Some(table.to_message()),
            warnings: warnings.iter().map(encode_warning).collect(),
        }))
    }

    async fn get_table(
        &self,
        request: Request<v1::GetTableRequest>,
    ) -> Result<Response<v1::GetTableResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::ReadTables)?;
        let id = decode::table_id(&request.get_ref().table_id)?;
        let table = self.tables.owned(pass.tenant(), &id).await?;
        Ok(Response::new(v1::GetTableResponse { table: Some(table.to_message()) }))
    }

    async fn list_tables(
        &self,
        request: Request<v1::ListTablesRequest>,
    ) -> Result<Response<v1::ListTablesResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::ReadTables)?;
        let request = request.get_ref();
        let page = Page::of(request.page_size, &request.page_token)?;
        let unknown = || field("states", FieldProblem::UnknownNumber);
        let stage = |state: &i32| Stage::of_message(*state).ok_or_else(unknown);
        let stages: Vec<Stage> = request.states.iter().map(stage).collect::<Answer<_>>()?;
        let (tables, next) = self.tables.list(pass.tenant(), page, &stages).await?;
        let next_page_token = next.map_or_else(String::new, |token| token.to_string());
        Ok(Response::new(v1::ListTablesResponse { tables, next_page_token }))
    }

    async fn set_seat(
        &self,
        request: Request<v1::SetSeatRequest>,
    ) -> Result<Response<v1::SetSeatResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::WriteTables)?;
        let request = request.get_ref();
        let id = decode::table_id(&request.table_id)?;
        let occupancy = occupancy(request)?;
        let request_id = match request.request_id.is_empty() {
            true => None,
            false => Some(decode::request_id(&request.request_id)?),
        };
        let set = self.tables.set_seat(pass.tenant(), &id, request.seat, &occupancy, request_id);
        let (table, seat) = set.await?;
        let (table, seat) = (Some(table.to_message()), number_of(seat));
        Ok(Response::new(v1::SetSeatResponse { table, seat }))
    }

    async fn start_table(
        &self,
        request: Request<v1::StartTableRequest>,
    ) -> Result<Response<v1::StartTableResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::WriteTables)?;
        let id = decode::table_id(&request.get_ref().table_id)?;
        let table = self.tables.start(pass.tenant(), &id).await?;
        Ok(Response::new(v1::StartTableResponse { table: Some(table.to_message()) }))
    }

    async fn enter_lift(
        &self,
        request: Request<v1::EnterLiftRequest>,
    ) -> Result<Response<v1::EnterLiftResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::WriteTables)?;
        let lift = lift(request.get_ref())?;
        let id = decode::table_id(&request.get_ref().table_id)?;
        let entered = self.tables.enter_lift(pass.tenant(), &id, &lift).await?;
        Ok(Response::new(v1::EnterLiftResponse {
            table: Some(entered.table.to_message()),
            commit: Some(entered.commit),
            replayed: entered.verdict.is_replayed(),
        }))
    }

    async fn cancel_table(
        &self,
        request: Request<v1::CancelTableRequest>,
    ) -> Result<Response<v1::CancelTableResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::WriteTables)?;
        let id = decode::table_id(&request.get_ref().table_id)?;
        let table = self.tables.cancel(pass.tenant(), &id).await?;
        Ok(Response::new(v1::CancelTableResponse { table: Some(table.to_message()) }))
    }

    async fn get_table_score_sheet(
        &self,
        request: Request<v1::GetTableScoreSheetRequest>,
    ) -> Result<Response<v1::GetTableScoreSheetResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::ReadTables)?;
        let id = decode::table_id(&request.get_ref().table_id)?;
        let (sheet, table_state) = self.tables.owned(pass.tenant(), &id).await?.score_sheet()?;
        let table_state = table_state as i32;
        Ok(Response::new(v1::GetTableScoreSheetResponse { sheet: Some(sheet), table_state }))
    }

    async fn issue_seat_token(
        &self,
        request: Request<v1::IssueSeatTokenRequest>,
    ) -> Result<Response<v1::IssueSeatTokenResponse>, Status> {
        let pass = self.pass(&request, PlatformScope::IssueTokens)?;
        let request = request.get_ref();
        let id = decode::table_id(&request.table_id)?;
        let older = decode::known("older_tokens", request.older_tokens)?;
        if request.seat == 0 && older == v1::OlderTokens::Revoke {
            return Err(field("older_tokens", FieldProblem::Misplaced).into());
        }
        let lifetime = match request.lifetime_s {
            0 => TOKEN_LIFETIME_S_USUAL,
            asked => {
                decode::within("lifetime_s", asked, TOKEN_LIFETIME_S_MIN, TOKEN_LIFETIME_S_MAX)?
            }
        };
        let token = self.tables.token_for(pass.tenant(), &id, request.seat, older).await?;
        let issued = self.keys.issue(SeatGrant {
            tenant: pass.tenant().clone(),
            table: token.table,
            viewer: token.seat.map_or(Viewer::Spectator, Viewer::Seat),
            scopes: token.seat.map_or(SeatScopes::SPECTATOR, |_| SeatScopes::SEAT),
            generation: Generation(token.generation),
            lease: None,
            lifetime: Duration::from_secs(u64::from(lifetime)),
        });
        let issued = issued.ok_or(ApiError::Internal)?;
        Ok(Response::new(v1::IssueSeatTokenResponse {
            token: issued.reveal().to_owned(),
            expire_time: Some(timestamp(issued.expires())),
        }))
    }
}
