//! PlayService.
//!
//! **Invariant:** the seat comes from the pass.

use std::sync::Arc;

use handfoot_protocol::v1::play_service_server::PlayService;
use handfoot_protocol::{Codec, v1};
use handfoot_store::Version;
use handfoot_view::Action;
use tonic::{Request, Response, Status};

use super::decode;
use super::stream::WatchStream;
use crate::auth::{Keys, SeatPass, SeatScope};
use crate::caller::SeatCaller;
use crate::error::{Answer, FieldProblem, field};
use crate::tables::{Submission, Tables};
use crate::watch::WatchRequest;

/// The service.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) tables: Tables,
    pub(super) keys: Arc<Keys>,
}

impl Play {
    fn watcher<T>(&self, request: &Request<T>) -> Result<(SeatPass, SeatCaller), Status> {
        let pass = self.keys.seat_pass(request.metadata())?;
        pass.require(SeatScope::Watch)?;
        let caller = decode::caller(&pass)?;
        Ok((pass, caller))
    }

    fn player<T>(&self, request: &Request<T>) -> Result<SeatCaller, Status> {
        let pass = self.keys.seat_pass(request.metadata())?;
        pass.player()?;
        Ok(decode::caller(&pass)?)
    }

    async fn submission(
        &self,
        caller: &SeatCaller,
        request: &v1::SubmitActionsRequest,
    ) -> Answer<Submission> {
        let request_id = decode::request_id(&request.request_id)?;
        let rules = self.tables.rules_of(caller).await?;
        let actions = Codec::new(&rules).decode_batch(&request.actions)?;
        let (expected, cause) = (request.expected_version, v1::CommitCause::Actions);
        Ok(Submission { request_id, expected, actions, cause })
    }
}

fn undo(request: &v1::RequestUndoRequest) -> Answer<Submission> {
    let request_id = decode::request_id(&request.request_id)?;
    let out_of_range = field("acts", FieldProblem::OutOfRange { least: 1, most: 255 });
    let acts = u8::try_from(request.acts).ok().filter(|acts| *acts > 0).ok_or(out_of_range)?;
    let actions = vec![Action::UndoLays(acts)];
    let (expected, cause) = (request.expected_version, v1::CommitCause::Undo);
    Ok(Submission { request_id, expected, actions, cause })
}

fn watch_request(pass: &SeatPass, request: &v1::WatchTableRequest) -> Answer<WatchRequest> {
    let after = match (request.after_version, request.after_chain.is_empty()) {
        (None, true) => None,
        (None, false) => return Err(field("after_chain", FieldProblem::Misplaced)),
        (Some(version), _) => Some((Version(version), decode::chain(&request.after_chain)?)),
    };
    let rules = decode::known("rules", request.rules)?;
    Ok(WatchRequest { after, rules, expires: pass.expires() })
}

#[tonic::async_trait]
impl PlayService for Play {
    type WatchTableStream = WatchStream;

    async fn get_view(
        &self,
        request: Request<v1::GetViewRequest>,
    ) -> Result<Response<v1::GetViewResponse>, Status> {
        let (_, caller) = self.watcher(&request)?;
        let delivery = decode::known("rules", request.get_ref().rules)?;
        let reading = self.tables.read(&caller).await?;
        let rules = match delivery {
            v1::RulesDelivery::Unspecified | v1::RulesDelivery::Omit => None,
            v1::RulesDelivery::Include => Some(reading.rules()),
        };
        Ok(Response::new(v1::GetViewResponse { view: Some(reading.view()?), rules }))
    }

    async fn list_legal_actions(
        &self,
        request: Request<v1::ListLegalActionsRequest>,
    ) -> Result<Response<v1::ListLegalActionsResponse>, Status> {
        let caller = self.player(&request)?;
        let legal = self.tables.read(&caller).await?.legal()?;
        Ok(Response::new(v1::ListLegalActionsResponse { legal: Some(legal) }))
    }

    async fn submit_actions(
        &self,
        request: Request<v1::SubmitActionsRequest>,
    ) -> Result<Response<v1::SubmitActionsResponse>, Status> {
        let caller = self.player(&request)?;
        let request = request.into_inner();
        let submission = self.submission(&caller, &request).await?;
        if request.validate_only {
            let legal = self.tables.validate(&caller, &submission).await?.legal()?;
            let legal = Some(legal);
            let answer = v1::SubmitActionsResponse { commit: None, replayed: false, legal };
            return Ok(Response::new(answer));
        }
        let played = self.tables.submit(&caller, &submission).await?;
        Ok(Response::new(v1::SubmitActionsResponse {
            replayed: played.verdict.is_replayed(),
            legal: Some(played.now.legal()?),
            commit: Some(played.commit),
        }))
    }

    async fn request_undo(
        &self,
        request: Request<v1::RequestUndoRequest>,
    ) -> Result<Response<v1::RequestUndoResponse>, Status> {
        let caller = self.player(&request)?;
        let submission = undo(request.get_ref())?;
        let played = self.tables.submit(&caller, &submission).await?;
        Ok(Response::new(v1::RequestUndoResponse {
            replayed: played.verdict.is_replayed(),
            legal: Some(played.now.legal()?),
            commit: Some(played.commit),
        }))
    }

    async fn watch_table(
        &self,
        request: Request<v1::WatchTableRequest>,
    ) -> Result<Response<WatchStream>, Status> {
        let (pass, caller) = self.watcher(&request)?;
        let request = watch_request(&pass, request.get_ref())?;
        let cursor = self.tables.watch(caller, request).await?;
        Ok(Response::new(WatchStream::new(cursor)))
    }

    async fn get_score_sheet(
        &self,
        request: Request<v1::GetScoreSheetRequest>,
    ) -> Result<Response<v1::GetScoreSheetResponse>, Status> {
        let (_, caller) = self.watcher(&request)?;
        let (sheet, table_state) = self.tables.read(&caller).await?.table.score_sheet()?;
        let table_state = table_state as i32;
        Ok(Response::new(v1::GetScoreSheetResponse { sheet: Some(sheet), table_state }))
    }

    async fn list_commits(
        &self,
        request: Request<v1::ListCommitsRequest>,
    ) -> Result<Response<v1::ListCommitsResponse>, Status> {
        let (_, caller) = self.watcher(&request)?;
        let answer = self.tables.list_commits(&caller, request.get_ref()).await?;
        Ok(Response::new(answer))
    }
}
