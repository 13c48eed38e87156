//! A bot-service is killed while it plays turns.
//!
//! **Invariant:** it gives nothing back: what it held is offered again when its lease runs out.

use std::time::{Duration, Instant};

use crate::crowd::Crowd;
use crate::crowd::open::Opened;
use crate::figures::millis;
use crate::house::{Order, WORKERS};
use crate::ledger::Notes;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// What is promised for a decision that a dead worker held, with a machine that is busy.
const OFFERED_AGAIN_MAX: Duration = Duration::from_secs(15);

/// How often workers are killed, at most.
const KILLS_MAX: usize = 10;

/// Fault list: R36, R50.
pub(crate) async fn a_killed_worker_is_replaced_in_mid_turn(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let order = Order::alone();
    let lease = order.lease;
    let mut scene = Scene::open(setting, order, Play::SLOW).await?;
    scene.under_way().await?;
    let mut pauses = Vec::new();
    for number in 0..KILLS_MAX {
        // Whether a turn is broken off is chance; once it is, the rest is enough.
        let is_enough = !pauses.is_empty() && number > scene.times(5);
        if is_enough || scene.crowd.n_open() == 0 {
            break;
        }
        let struck = scene.strike();
        scene.house.workers[number % WORKERS].kill();
        scene.crowd.moved_on(struck).await?;
        scene.house.workers[number % WORKERS].start_again()?;
        let broken_off = pauses_in_turns(&scene.crowd, struck);
        pauses.extend(broken_off.into_iter().filter(|pause| *pause > lease / 2));
    }
    let longest = pauses.iter().max().copied().unwrap_or_default();
    scene.count("turns broken off", pauses.len() as u64);
    scene.count("longest until another went on, ms", millis(longest));
    scene.must("no kill fell into a bot's turn", !pauses.is_empty());
    scene.must("a turn that was broken off waited too long", longest < OFFERED_AGAIN_MAX);
    scene.end(&Expect::default()).await
}

/// How long each table stood still at a moment that was within a turn of a bot.
fn pauses_in_turns(crowd: &Crowd, moment: Instant) -> Vec<Duration> {
    let notes = crowd.ledger.tables().zip(&crowd.tables);
    notes.filter_map(|(notes, opened)| pause_in_turn(&notes, opened, moment)).collect()
}

fn pause_in_turn(notes: &Notes, opened: &Opened, moment: Instant) -> Option<Duration> {
    let (before, from) = notes.heard.iter().rfind(|&(_, &at)| at <= moment)?;
    let (after, to) = notes.heard.iter().find(|&(_, &at)| at > moment)?;
    let seat = notes.seats.get(before)?;
    let is_one_turn = *after == before + 1 && notes.seats.get(after) == Some(seat);
    let is_person = opened.people.iter().any(|(person, _)| person == seat);
    (is_one_turn && *seat > 0 && !is_person).then(|| *to - *from)
}
