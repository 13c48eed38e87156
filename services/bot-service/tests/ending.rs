//! Seats, pacing, and the end of a worker.

use std::time::Duration;

use handfoot_bot_service::{Ended, Work};
use handfoot_bots::Level;
use handfoot_protocol::v1::ReleaseCause;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::house::{House, Trouble};

#[tokio::test(start_paused = true)]
async fn offered_seats_are_taken() {
    let house = House::new(1, Level::Casual);
    house.with(|state| state.seats_offered = 3);
    let drain = CancellationToken::new();
    let worker = house.worker(Work::usual(), &drain);
    let counters = worker.counters();
    let (report, ()) = tokio::join!(worker.run(), async {
        sleep(Duration::from_secs(1)).await;
        assert_eq!(counters.tally().seats, 3, "counts can be read meanwhile");
        drain.cancel();
    });
    assert_eq!((report.tally.seats, report.ended), (3, Ended::Drained));
}

#[tokio::test(start_paused = true)]
async fn a_table_that_asks_for_it_gets_even_pauses() {
    let house = House::new(1, Level::Casual);
    house.with(|state| state.pace_ms = 400);
    let drain = CancellationToken::new();
    let worker = house.worker(Work::usual(), &drain);
    let (_, ()) = tokio::join!(worker.run(), async {
        sleep(Duration::from_secs(20)).await;
        drain.cancel();
    });
    let times: Vec<Instant> = house.with(|state| state.submits.iter().map(|(at, _)| *at).collect());
    assert!(times.len() > 30, "{}", times.len());
    for pair in times.windows(2) {
        let pause = pair[1] - pair[0];
        let (least, most) = (Duration::from_millis(400), Duration::from_millis(450));
        assert!(pause >= least && pause < most, "{pause:?}");
    }
}

/// Fault list: R50.
#[tokio::test(start_paused = true)]
async fn a_drain_gives_back_what_is_not_decided() {
    let house = House::new(1, Level::Casual);
    house.with(|state| state.pace_ms = 2_000);
    let drain = CancellationToken::new();
    let worker = house.worker(Work::usual(), &drain);
    let (report, ()) = tokio::join!(worker.run(), async {
        sleep(Duration::from_millis(2_500)).await;
        drain.cancel();
    });
    assert_eq!(report.ended, Ended::Drained);
    // What was given back may come once more, in an answer that was on its way.
    let given_back = report.tally.given_back;
    assert!((1..=2).contains(&given_back), "{given_back}");
    let released = house.with(|state| state.released.clone());
    assert_eq!(u64::try_from(released.len()).unwrap(), given_back);
    assert!(released.iter().all(|cause| *cause == ReleaseCause::Draining), "{released:?}");
}

#[tokio::test(start_paused = true)]
async fn a_drain_ends_in_time_whatever_the_server_does() {
    let house = House::new(1, Level::Casual);
    house.trouble([Trouble::AnswerLost; 64]);
    let drain = CancellationToken::new();
    let work = Work { drain: Duration::from_secs(1), ..Work::usual() };
    let worker = house.worker(work, &drain);
    let (ended, ()) = tokio::join!(timeout(Duration::from_secs(60), worker.run()), async {
        sleep(Duration::from_millis(100)).await;
        drain.cancel();
    });
    assert_eq!(ended.unwrap().ended, Ended::Cut);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_may_not_work_ends_and_says_so() {
    let house = House::new(1, Level::Casual);
    house.with(|state| state.refuses_workers = true);
    let drain = CancellationToken::new();
    let report = house.worker(Work::usual(), &drain).run().await;
    assert_eq!((report.ended, report.tally.call_errors), (Ended::NotAllowed, 1));
    assert!(!drain.is_cancelled(), "nobody else is stopped");
}
