//! Taking work for bots.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use handfoot_client::{
    BotCredential, ClientError, Connection, DispatchClient, PlatformClient, PlatformCredential,
    Settings, TraceOrigin, TurnOrder,
};
use handfoot_protocol::v1;
use handfoot_protocol::v1::bot_dispatch_service_server::{
    BotDispatchService, BotDispatchServiceServer,
};
use tonic::{Code, Request, Response, Status};

use crate::notes::{Note, Notes};
use crate::table::Table;

#[derive(Clone, Default)]
struct Board {
    tasks: Arc<Mutex<Vec<v1::BotTask>>>,
    asked: Arc<Mutex<Vec<v1::AcquireTurnRequest>>>,
    released: Arc<Mutex<Vec<v1::ReleaseTurnRequest>>>,
}

#[tonic::async_trait]
impl BotDispatchService for Board {
    async fn acquire_seat(
        &self,
        request: Request<v1::AcquireSeatRequest>,
    ) -> Result<Response<v1::AcquireSeatResponse>, Status> {
        let level = request.into_inner().levels.remove(0);
        let acquired = v1::AcquiredSeat { table_id: "T".to_owned(), seat: 3, level };
        Ok(Response::new(v1::AcquireSeatResponse { acquired: Some(acquired) }))
    }

    async fn acquire_turn(
        &self,
        request: Request<v1::AcquireTurnRequest>,
    ) -> Result<Response<v1::AcquireTurnResponse>, Status> {
        self.asked.lock().unwrap().push(request.into_inner());
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap());
        Ok(Response::new(v1::AcquireTurnResponse { tasks }))
    }

    async fn release_turn(
        &self,
        request: Request<v1::ReleaseTurnRequest>,
    ) -> Result<Response<v1::ReleaseTurnResponse>, Status> {
        self.released.lock().unwrap().push(request.into_inner());
        Ok(Response::new(v1::ReleaseTurnResponse {}))
    }
}

fn task(table: &Table) -> v1::BotTask {
    v1::BotTask {
        lease: Some(v1::Lease {
            lease_id: "L".to_owned(),
            token: "lease-token".to_owned(),
            expire_time: None,
        }),
        table_id: "T".to_owned(),
        seat: u32::try_from(table.viewer.number()).unwrap(),
        level: "casual".to_owned(),
        view: Some(table.view()),
        legal: Some(table.legal()),
        rules: Some(table.draft()),
        commits: Vec::new(),
        bot_seed: vec![9; 32],
        pace_ms: 250,
        trace: None,
    }
}

fn client(board: &Board) -> DispatchClient {
    let settings = Settings { jitter_seed: Some(1), ..Settings::default() };
    let server = BotDispatchServiceServer::new(board.clone());
    let credential = BotCredential::new("bot-credential").unwrap();
    let connection = Connection::in_process(server, &settings);
    DispatchClient::new(connection, credential, "w".to_owned(), vec!["casual".to_owned()])
}

const ORDER: TurnOrder =
    TurnOrder { tasks_max: 4, wait: Duration::from_secs(3), lease: Duration::from_secs(5) };

#[tokio::test(start_paused = true)]
async fn a_task_is_read_and_prints_no_secret() {
    let (board, table) = (Board::default(), Table::new(1));
    board.tasks.lock().unwrap().push(task(&table));
    let client = client(&board);
    let seat = client.acquire_seat(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!((seat.seat, seat.level.as_str()), (3, "casual"));
    let mut tasks = client.acquire_turns(ORDER).await.unwrap();
    let task = tasks.remove(0).unwrap();
    assert_eq!(task.known.view, table.truth());
    assert_eq!(task.pace, Duration::from_millis(250));
    assert_eq!(task.legal.actions[0], table.first_action());
    let printed = format!("{task:?} {client:?} {:?}", client.player(&task));
    for secret in ["lease-token", "bot-credential", "9, 9", "Cards"] {
        assert!(!printed.contains(secret), "{secret}: {printed}");
    }
    let asked = board.asked.lock().unwrap()[0].clone();
    assert_eq!((asked.max_tasks, asked.wait_ms, asked.lease_ms), (4, 3000, 5000));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_cannot_be_read_gives_its_lease_and_spoils_no_other() {
    let (board, table) = (Board::default(), Table::new(1));
    let short = v1::BotTask { bot_seed: vec![1; 31], ..task(&table) };
    let blind = v1::BotTask { view: None, lease: None, ..task(&table) };
    board.tasks.lock().unwrap().extend([short, blind, task(&table)]);
    let client = client(&board);
    let tasks = client.acquire_turns(ORDER).await.unwrap();
    let leases: Vec<Option<Option<String>>> =
        tasks.iter().map(|task| task.as_ref().err().map(|bad| bad.lease_id.clone())).collect();
    assert_eq!(leases, [Some(Some("L".to_owned())), Some(None), None]);
    let bad = tasks[0].as_ref().unwrap_err();
    assert!(matches!(bad.error, ClientError::Answer(_)));
    client.release_turn("L", v1::ReleaseCause::Failed).await.unwrap();
    assert_eq!(board.released.lock().unwrap()[0].cause(), v1::ReleaseCause::Failed);
}

#[tokio::test(start_paused = true)]
async fn a_task_says_in_which_trace_it_became_due_and_nonsense_is_none() {
    let (board, table) = (Board::default(), Table::new(1));
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let of = |traceparent: &str, relation: i32| {
        let traceparent = traceparent.to_owned();
        v1::BotTask { trace: Some(v1::TraceOrigin { traceparent, relation }), ..task(&table) }
    };
    let tasks = [of(parent, 1), of(parent, 2), of(parent, 0), of(parent, 9), of("00-nonsense", 1)];
    board.tasks.lock().unwrap().extend(tasks);
    let tasks = client(&board).acquire_turns(ORDER).await.unwrap();
    let traces: Vec<Option<TraceOrigin>> =
        tasks.into_iter().map(|task| task.unwrap().trace).collect();
    let [parent_of_own, parent_of_link] = [(); 2].map(|()| parent.parse().unwrap());
    assert_eq!(
        traces,
        [
            Some(TraceOrigin::Continue(parent_of_own)),
            Some(TraceOrigin::Link(parent_of_link)),
            None,
            None,
            None
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_is_told_how_calls_end() {
    let notes = Notes::default();
    let server = BotDispatchServiceServer::new(Board::default());
    let connection = Connection::in_process(server, &notes.settings());
    let bots = BotCredential::new("bot-credential").unwrap();
    let bots = DispatchClient::new(connection.clone(), bots, "w".to_owned(), vec!["a".to_owned()]);
    bots.acquire_turns(ORDER).await.unwrap();
    // There is no such service here.
    let platform = PlatformCredential::new("key").unwrap();
    let platform = PlatformClient::new(connection, platform);
    platform.get_server_info(v1::GetServerInfoRequest {}).await.unwrap_err();
    let told = [
        Note::Ended("handfoot.v1.BotDispatchService/AcquireTurn", Code::Ok),
        Note::Ended("handfoot.v1.ServerService/GetServerInfo", Code::Unimplemented),
    ];
    assert_eq!(notes.taken(), told);
}
