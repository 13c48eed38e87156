//! A server that answers what it was told to.
//!
//! **Invariant:** it decides nothing: an answer that was not prepared fails the test.

use std::collections::VecDeque;
use std::future::pending;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use handfoot_client::{Connection, PlayClient, SeatToken, Settings};
use handfoot_protocol::v1;
use handfoot_protocol::v1::play_service_server::{PlayService, PlayServiceServer};
use tokio::time::{Instant, sleep};
use tokio_stream::Stream;
use tonic::{Request, Response, Status};

pub(crate) const TOKEN: &str = "seat-token";

/// What a stream does after its last item.
#[derive(Clone, Copy, Debug)]
pub(crate) enum After {
    /// It stays open and says nothing.
    Silence,
    /// It ends as streams should.
    End,
    /// It breaks.
    Break,
}

/// An answer to a SubmitActions.
pub(crate) enum Answer {
    Now(Box<Result<v1::SubmitActionsResponse, Status>>),
    /// It is played, and the answer never comes.
    Never,
}

/// A prepared answer to a WatchTable.
pub(crate) type Watched = Result<(Vec<v1::WatchTableResponse>, After), Status>;

#[derive(Default)]
pub(crate) struct Script {
    pub(crate) submits: VecDeque<Answer>,
    pub(crate) submitted: Vec<(Instant, v1::SubmitActionsRequest)>,
    pub(crate) views: VecDeque<Result<v1::GetViewResponse, Status>>,
    pub(crate) view_requests: Vec<v1::GetViewRequest>,
    pub(crate) watches: VecDeque<Watched>,
    pub(crate) watched: Vec<(Instant, v1::WatchTableRequest)>,
}

#[derive(Clone, Default)]
pub(crate) struct Fake(pub(crate) Arc<Mutex<Script>>);

impl Fake {
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Script) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub(crate) fn client(&self) -> PlayClient {
        self.client_with(&Settings { jitter_seed: Some(1), ..Settings::default() })
    }

    pub(crate) fn client_with(&self, settings: &Settings) -> PlayClient {
        let connection = Connection::in_process(PlayServiceServer::new(self.clone()), settings);
        PlayClient::new(connection, SeatToken::new(TOKEN).unwrap())
    }
}

fn check_token<T>(request: &Request<T>) {
    let shown = request.metadata().get("authorization").unwrap();
    assert_eq!(shown, format!("Bearer {TOKEN}").as_str());
}

#[tonic::async_trait]
impl PlayService for Fake {
    type WatchTableStream =
        Pin<Box<dyn Stream<Item = Result<v1::WatchTableResponse, Status>> + Send>>;

    async fn get_view(
        &self,
        request: Request<v1::GetViewRequest>,
    ) -> Result<Response<v1::GetViewResponse>, Status> {
        check_token(&request);
        self.with(|script| {
            script.view_requests.push(request.into_inner());
            script.views.pop_front().expect("a view is prepared").map(Response::new)
        })
    }

    async fn list_legal_actions(
        &self,
        _: Request<v1::ListLegalActionsRequest>,
    ) -> Result<Response<v1::ListLegalActionsResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }

    async fn submit_actions(
        &self,
        request: Request<v1::SubmitActionsRequest>,
    ) -> Result<Response<v1::SubmitActionsResponse>, Status> {
        check_token(&request);
        assert!(request.metadata().contains_key("grpc-timeout"), "the server is told the deadline");
        let answer = self.with(|script| {
            script.submitted.push((Instant::now(), request.into_inner()));
            script.submits.pop_front().expect("an answer is prepared")
        });
        match answer {
            Answer::Now(answer) => answer.map(Response::new),
            Answer::Never => pending().await,
        }
    }

    async fn request_undo(
        &self,
        _: Request<v1::RequestUndoRequest>,
    ) -> Result<Response<v1::RequestUndoResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }

    async fn watch_table(
        &self,
        request: Request<v1::WatchTableRequest>,
    ) -> Result<Response<Self::WatchTableStream>, Status> {
        check_token(&request);
        let (items, after) = self.with(|script| {
            script.watched.push((Instant::now(), request.into_inner()));
            script.watches.pop_front().expect("a stream is prepared")
        })?;
        let (sender, receiver) = tokio::sync::mpsc::channel(64);
        tokio::spawn(async move {
            for item in items {
                let _ = sender.send(Ok(item)).await;
            }
            match after {
                After::End => {}
                After::Break => {
                    let _ = sender.send(Err(Status::unavailable("cut"))).await;
                }
                After::Silence => sleep(Duration::from_secs(86_400)).await,
            }
        });
        Ok(Response::new(Box::pin(tokio_stream::wrappers::ReceiverStream::new(receiver))))
    }

    async fn get_score_sheet(
        &self,
        _: Request<v1::GetScoreSheetRequest>,
    ) -> Result<Response<v1::GetScoreSheetResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }

    async fn list_commits(
        &self,
        _: Request<v1::ListCommitsRequest>,
    ) -> Result<Response<v1::ListCommitsResponse>, Status> {
        Err(Status::unimplemented("not in this test"))
    }
}
