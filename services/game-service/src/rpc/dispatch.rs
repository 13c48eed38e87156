//! BotDispatchService.
//!
//! **Invariant:** a worker is given a token for the seat of its lease and for nothing else.

use std::sync::Arc;
use std::time::Duration;

use handfoot_engine::Viewer;
use handfoot_protocol::v1;
use handfoot_protocol::v1::bot_dispatch_service_server::BotDispatchService;
use tonic::{Request, Response, Status};

use super::decode;
use crate::auth::{Generation, Keys, SeatGrant, SeatScopes};
use crate::dispatch::{Task, Worker};
use crate::error::{Answer, ApiError, FieldProblem, field};
use crate::limits::{
    ACQUIRE_WAIT_MAX, LEASE_MAX, LEASE_MIN, LEASE_TOKEN_LIFETIME, LEASE_USUAL, NAME_CHARS_MAX,
    TASKS_MAX,
};
use crate::table::{number_of, timestamp};
use crate::tables::Tables;

/// The service.
#[derive(Debug)]
pub(super) struct Dispatch {
    pub(super) tables: Tables,
    pub(super) keys: Arc<Keys>,
}

impl Dispatch {
    fn worker<T>(
        &self,
        request: &Request<T>,
        name: &str,
        levels: &[String],
    ) -> Result<Worker, Status> {
        let pass = self.keys.bot_pass(request.metadata())?;
        decode::text("worker", name, 1, NAME_CHARS_MAX)?;
        let levels = decode::levels("levels", levels, 1)?;
        Ok(Worker { tenants: decode::tenants(&pass), levels })
    }

    fn task(&self, task: &Task) -> Answer<v1::BotTask> {
        let table = &task.reading.table;
        let lease_id = decode::lease_id(&table.fixed.id, task.seat, task.held);
        let lease_id = lease_id.ok_or(ApiError::Internal)?;
        let token = self.keys.issue(SeatGrant {
            tenant: table.fixed.tenant.clone(),
            table: table.fixed.id.clone(),
            viewer: Viewer::Seat(task.seat),
            scopes: SeatScopes::SEAT,
            generation: Generation(task.generation),
            lease: Some(lease_id.clone()),
            lifetime: LEASE_TOKEN_LIFETIME,
        });
        Ok(v1::BotTask {
            lease: Some(v1::Lease {
                lease_id: lease_id.as_str().to_owned(),
                token: token.ok_or(ApiError::Internal)?.reveal().to_owned(),
                expire_time: Some(timestamp(task.until)),
            }),
            table_id: table.fixed.id.as_str().to_owned(),
            seat: number_of(task.seat),
            level: task.level.clone(),
            view: Some(task.reading.view()?),
            legal: Some(task.reading.legal()?),
            rules: Some(task.reading.rules()),
            commits: task.commits.clone(),
            bot_seed: task.bot_seed(),
            pace_ms: task.pace_ms(),
            trace: task.trace.clone(),
        })
    }
}

fn wait_of(wait_ms: u32) -> Answer<Duration> {
    let most = millis(ACQUIRE_WAIT_MAX);
    let wait = decode::within("wait_ms", wait_ms, 0, most)?;
    Ok(Duration::from_millis(u64::from(wait)))
}

fn lease_of(lease_ms: u32) -> Answer<Duration> {
    if lease_ms == 0 {
        return Ok(LEASE_USUAL);
    }
    let lease = decode::within("lease_ms", lease_ms, millis(LEASE_MIN), millis(LEASE_MAX))?;
    Ok(Duration::from_millis(u64::from(lease)))
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

#[tonic::async_trait]
impl BotDispatchService for Dispatch {
    async fn acquire_seat(
        &self,
        request: Request<v1::AcquireSeatRequest>,
    ) -> Result<Response<v1::AcquireSeatResponse>, Status> {
        let sent = request.get_ref();
        let worker = self.worker(&request, &sent.worker, &sent.levels)?;
        let acquired = self.tables.acquire_seat(&worker, wait_of(sent.wait_ms)?).await?;
        let acquired = acquired.map(|(table, seat, level)| v1::AcquiredSeat {
            table_id: table.fixed.id.as_str().to_owned(),
            seat: number_of(seat),
            level,
        });
        Ok(Response::new(v1::AcquireSeatResponse { acquired }))
    }

    async fn acquire_turn(
        &self,
        request: Request<v1::AcquireTurnRequest>,
    ) -> Result<Response<v1::AcquireTurnResponse>, Status> {
        let sent = request.get_ref();
        let worker = self.worker(&request, &sent.worker, &sent.levels)?;
        let most = decode::within("max_tasks", sent.max_tasks, 1, TASKS_MAX)?;
        let most = usize::try_from(most).unwrap_or(1);
        let (wait, lease) = (wait_of(sent.wait_ms)?, lease_of(sent.lease_ms)?);
        let tasks = self.tables.acquire_turns(&worker, most, wait, lease).await?;
        let tasks = tasks.iter().map(|task| self.task(task)).collect::<Answer<_>>()?;
        Ok(Response::new(v1::AcquireTurnResponse { tasks }))
    }

    async fn release_turn(
        &self,
        request: Request<v1::ReleaseTurnRequest>,
    ) -> Result<Response<v1::ReleaseTurnResponse>, Status> {
        let pass = self.keys.bot_pass(request.metadata())?;
        let sent = request.get_ref();
        let _: v1::ReleaseCause = decode::known("cause", sent.cause)?;
        let length = FieldProblem::Length { least: 1, most: 128 };
        let id = decode::read_lease_id(&sent.lease_id).ok_or(field("lease_id", length))?;
        self.tables.release(&decode::tenants(&pass), &id.0).await?;
        Ok(Response::new(v1::ReleaseTurnResponse {}))
    }
}
