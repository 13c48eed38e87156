//! ServerService.
//!
//! **Invariant:** what is said here is the same for everybody and no secret.

use handfoot_protocol::v1::server_service_server::ServerService;
use handfoot_protocol::{BATCH_ACTIONS_MAX, v1};
use handfoot_store::limits::REQUESTS_KEPT;
use handfoot_view::{LAY_CARDS_MAX, LAY_PLACEMENTS_MAX, LIST_MAX};
use tonic::{Request, Response, Status};

use crate::limits::{
    ACQUIRE_WAIT_MAX, HEARTBEAT, PAGE_SIZE_MAX, REQUEST_BYTES_MAX, RESPONSE_BYTES_MAX,
};
use crate::table::RULES_REVISION;

/// The service.
#[derive(Debug)]
pub(super) struct Info;

#[tonic::async_trait]
impl ServerService for Info {
    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let millis = |t: std::time::Duration| u32::try_from(t.as_millis()).unwrap_or(u32::MAX);
        Ok(Response::new(v1::GetServerInfoResponse {
            api: "handfoot.v1".to_owned(),
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            rules_revisions: (1..=RULES_REVISION).collect(),
            limits: Some(v1::Limits {
                request_bytes_max: number(REQUEST_BYTES_MAX),
                response_bytes_max: number(RESPONSE_BYTES_MAX),
                batch_actions_max: number(BATCH_ACTIONS_MAX),
                lay_cards_max: number(LAY_CARDS_MAX),
                lay_placements_max: number(LAY_PLACEMENTS_MAX),
                list_actions_max: number(LIST_MAX),
                page_size_max: PAGE_SIZE_MAX,
                request_ids_kept: number(REQUESTS_KEPT),
                acquire_wait_ms_max: millis(ACQUIRE_WAIT_MAX),
                heartbeat_ms: millis(HEARTBEAT),
            }),
            features: Vec::new(),
        }))
    }
}
