//! Workers that die or go away in the middle of games, and answers that come late or never, at the
//! real game-service.
//!
//! **Invariant:** the store's time is the test's, which is paused. Whatever happens, the game is the
//! one that its seed gives without any service.

use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use handfoot_bot_service::{Ended, Report, Work, run};
use handfoot_bots::{BotSeed, Level};
use handfoot_client::{Connection, Decision, PlayClient, TableWatch};
use handfoot_protocol::v1;
use handfoot_protocol::v1::set_seat_request::Occupancy;
use handfoot_store::{Clock, Millis};
use handfoot_view::Phase;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::Routes;
use tower_service::Service as Tower;

use crate::alone;
use crate::real::{Service, service, settings};

/// The paused time of the test.
#[derive(Debug)]
struct Paused(Instant);

impl Clock for Paused {
    fn now(&self) -> Millis {
        let since = u64::try_from(self.0.elapsed().as_millis()).unwrap();
        Millis(1_800_000_000_000 + since)
    }
}

fn paused_service() -> Service {
    service(Arc::new(Paused(Instant::now())))
}

fn bot() -> Occupancy {
    Occupancy::Bot(v1::Bot { level: Level::Casual.name().to_owned() })
}

fn person() -> Occupancy {
    let (player_id, display_name) = ("anna".to_owned(), String::new());
    Occupancy::Person(v1::Person { player_id, display_name })
}

/// Waits until a table is as it should be.
async fn until(watch: &mut TableWatch, is_there: impl Fn(&handfoot_client::Known) -> bool) {
    while !watch.known().is_some_and(&is_there) {
        watch.next().await.unwrap();
    }
}

fn is_over(known: &handfoot_client::Known) -> bool {
    matches!(known.view.table.phase, Phase::GameOver { .. })
}

/// Whether a seat has drawn and not ended its turn.
fn is_mid_turn(known: &handfoot_client::Known) -> bool {
    matches!(known.view.table.phase, Phase::Play { .. })
}

/// Fault list: R36.
#[tokio::test(start_paused = true)]
async fn workers_that_die_in_mid_turn_change_no_game() {
    let service = paused_service();
    // So slow that most deaths come between two decisions of a turn.
    let table_id = service.start_with(4, 200, [bot(), bot(), bot(), bot()]).await;
    let spectator = service.spectator(&table_id).await;
    let work = Work { lease: Duration::from_secs(1), ..Work::usual() };
    let worker = |drain: &CancellationToken| {
        let (connection, bots) = (service.connection.clone(), service.bots.clone());
        run(work.clone(), connection, bots, drain.clone())
    };
    let mut deaths_in_mid_turn = 0;
    for number in 0..30_u64 {
        let alive = Duration::from_millis(300 + number * 137 % 900);
        let unfinished = timeout(alive, worker(&CancellationToken::new())).await;
        assert!(unfinished.is_err(), "it died and did not end");
        let known = spectator.view().await.unwrap();
        deaths_in_mid_turn += u32::from(is_mid_turn(&known));
        assert!(!is_over(&known));
    }
    assert!(deaths_in_mid_turn >= 5, "{deaths_in_mid_turn}");
    let drain = CancellationToken::new();
    let rest = async {
        until(&mut spectator.watch(), is_over).await;
        drain.cancel();
    };
    let (report, ()) = tokio::join!(worker(&drain), rest);
    assert_eq!((report.ended, report.tally.refused, report.tally.failed), (Ended::Drained, 0, 0));
    let known = spectator.view().await.unwrap();
    assert_eq!(known.view.history, alone::play(4, Level::Casual, usize::MAX));
}

/// Plays a person's seat until it is another's turn.
async fn play_a_turn(player: &PlayClient) {
    let seed = BotSeed::chosen(9);
    loop {
        let known = player.view().await.unwrap();
        if !known.is_to_act() {
            return;
        }
        let view = known.view.lend(&known.rules).unwrap();
        let action = Level::Random.policy().choose(view, &mut seed.chance(view)).unwrap();
        player.submit(&Decision::new(known.stamp.version, vec![action])).await.unwrap();
    }
}

/// Fault list: R50.
#[tokio::test(start_paused = true)]
async fn a_game_waits_for_its_bots_and_goes_on_when_they_are_back() {
    let service = paused_service();
    let table_id = service.start_with(5, 0, [person(), bot(), bot(), bot()]).await;
    let player = service.player(&table_id, 1).await;
    for _ in 0..6 {
        play_a_turn(&player).await;
        let version = player.view().await.unwrap().stamp.version;
        sleep(Duration::from_secs(3_600)).await;
        assert_eq!(player.view().await.unwrap().stamp.version, version, "nobody plays for them");
        let (drain, began) = (CancellationToken::new(), Instant::now());
        let (connection, bots) = (service.connection.clone(), service.bots.clone());
        let back = async {
            until(&mut player.watch(), handfoot_client::Known::is_to_act).await;
            assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
            drain.cancel();
        };
        let (report, ()) = tokio::join!(run(Work::usual(), connection, bots, drain.clone()), back);
        assert_eq!((report.ended, report.tally.failed), (Ended::Drained, 0));
    }
}

/// A way to the service on which requests and answers take up to half a second each, and every
/// tenth answer is lost.
#[derive(Clone)]
struct Late {
    service: Routes,
    chance: Arc<AtomicU64>,
}

impl Late {
    /// A number that differs from call to call, the same in every run.
    fn number(&self) -> u64 {
        let mixed = self.chance.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 31)
    }
}

impl Tower<http::Request<Body>> for Late {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Tower::<http::Request<Body>>::poll_ready(&mut self.service, context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let (mut service, numbers) = (self.service.clone(), [(); 3].map(|()| self.number()));
        Box::pin(async move {
            sleep(Duration::from_millis(numbers[0] % 500)).await;
            let answer = service.call(request).await;
            sleep(Duration::from_millis(numbers[1] % 500)).await;
            match numbers[2] % 10 {
                0 => pending().await,
                1.. => answer,
            }
        })
    }
}

/// Fault list: R41, R42.
#[tokio::test(start_paused = true)]
async fn answers_that_come_late_or_never_let_no_bot_play_what_is_not_its_turn() {
    let service = paused_service();
    let mut tables = Vec::new();
    for seed in [6, 7] {
        tables.push((seed, service.start_with(seed, 0, [bot(), bot(), bot(), bot()]).await));
    }
    let drain = CancellationToken::new();
    let worker = |number: u64| {
        let chance = Arc::new(AtomicU64::new(number));
        let late = Late { service: service.routes.clone(), chance };
        let connection = Connection::in_process(late, &settings());
        let work = Work { worker: format!("worker {number}"), ..Work::usual() };
        run(work, connection, service.bots.clone(), drain.clone())
    };
    let finished = async {
        for (_, table_id) in &tables {
            until(&mut service.spectator(table_id).await.watch(), is_over).await;
        }
        drain.cancel();
    };
    let (one, two, three, ()) = tokio::join!(worker(1), worker(2), worker(3), finished);
    let sum = |part: fn(&Report) -> u64| [&one, &two, &three].into_iter().map(part).sum::<u64>();
    assert_eq!(sum(|report| report.tally.refused + report.tally.fallbacks), 0);
    assert!(sum(|report| report.tally.replayed) > 20, "answers were lost");
    let (decisions, stale) =
        (sum(|report| report.tally.decisions), sum(|report| report.tally.stale));
    assert!(stale * 50 < decisions, "{stale} of {decisions} decisions rested on an old view");
    for (seed, table_id) in &tables {
        let known = service.spectator(table_id).await.view().await.unwrap();
        assert_eq!(known.view.history, alone::play(*seed, Level::Casual, usize::MAX));
    }
}
