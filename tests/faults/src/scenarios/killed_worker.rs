//! A bot-service is killed while it plays turns.
//!
//! **Invariant:** it gives nothing back: what it held is offered again when its lease runs out.

use std::time::{Duration, Instant};

use crate::evidence::{Evidence, TableEvidence};
use crate::figures::millis;
use crate::house::{Order, WORKERS};
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
    let mut kills = Vec::new();
    let mut has_hit = false;
    for number in 0..KILLS_MAX {
        // Whether a turn is broken off is chance; once it is, the rest is enough.
        if has_hit && number > scene.times(5) {
            break;
        }
        let struck = scene.strike();
        scene.house.workers[number % WORKERS].kill();
        kills.push(struck);
        scene.crowd.moved_on(struck).await?;
        scene.house.workers[number % WORKERS].start_again()?;
        has_hit |= scene.crowd.longest_pause_at(struck) > lease / 2;
    }
    let look = |scene: &mut Scene, evidence: &Evidence| {
        let pauses: Vec<Duration> = evidence
            .tables
            .iter()
            .flat_map(|table| kills.iter().filter_map(|kill| pause_in_turn(table, *kill)))
            .filter(|pause| *pause > lease / 2)
            .collect();
        let longest = pauses.iter().max().copied().unwrap_or_default();
        scene.count("turns broken off", pauses.len() as u64);
        scene.count("longest until another went on, ms", millis(longest));
        scene.must("no kill fell into a bot's turn", !pauses.is_empty());
        scene.must("a turn that was broken off waited too long", longest < OFFERED_AGAIN_MAX);
    };
    scene.end_with(&Expect::default(), look).await
}

/// How long a table stood still at a moment, if that was within a turn of a bot.
fn pause_in_turn(table: &TableEvidence, moment: Instant) -> Option<Duration> {
    let heard = &table.notes.heard;
    let (before, from) = heard.iter().rfind(|&(_, &at)| at <= moment)?;
    let (after, to) = heard.iter().find(|&(_, &at)| at > moment)?;
    let seat_of = |version: u64| {
        let logged = table.log.iter().find(|logged| logged.stamp.version == version);
        logged.map(|logged| logged.seat)
    };
    let seat = seat_of(*before)?;
    let is_one_turn = *after == before + 1 && seat_of(*after) == Some(seat);
    (is_one_turn && !table.people.contains(&seat)).then(|| *to - *from)
}
