//! What bots do when something goes wrong. Every game here ends all the same.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use handfoot_bot_service::{Budget, Ended, Policies, Tally, Thinker, Thought};
use handfoot_bots::{Chance, Level};
use handfoot_protocol::v1::{ReleaseCause, ServiceReason};
use handfoot_view::{Action, ViewRef};

use crate::alone;
use crate::house::{House, Trouble};

async fn played(house: &House) -> Tally {
    let report = house.play_out(Arc::new(Policies)).await;
    assert_eq!(report.ended, Ended::Drained);
    report.tally
}

/// Whether the first round came out as it does without any trouble.
fn came_out_the_same(house: &House, level: Level) {
    let alone = alone::play(1, level, 1);
    assert_eq!(house.with(|state| state.game.history().to_vec()), alone);
}

/// Fault list: R86.
#[tokio::test(start_paused = true)]
async fn bots_play_the_same_rounds_as_without_a_service() {
    for level in Level::ALL {
        let house = House::new(1, level);
        house.with(|state| state.rounds_max = 2);
        let tally = played(&house).await;
        let alone = alone::play(1, level, 2);
        assert_eq!(house.with(|state| state.game.history().to_vec()), alone);
        let trouble = Tally { seats: 0, tasks: 0, decisions: 0, ..tally };
        assert_eq!(trouble, Tally::default());
        let causes: BTreeSet<ReleaseCause> =
            house.with(|state| state.released.iter().copied().collect());
        assert_eq!(causes, BTreeSet::from([ReleaseCause::Done]));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_unavailable_is_sent_again_and_changes_nothing() {
    let house = House::new(1, Level::Casual);
    let away = [ServiceReason::StoreUnreachable, ServiceReason::CommitUnconfirmed];
    house.trouble(away.map(Trouble::Says));
    let tally = played(&house).await;
    came_out_the_same(&house, Level::Casual);
    assert_eq!((tally.stale, tally.refused, tally.fallbacks, tally.failed), (0, 0, 0, 0));
    let first: BTreeSet<String> =
        house.with(|state| state.submits[..3].iter().map(|(_, id)| id.clone()).collect());
    assert_eq!(first.len(), 1, "one id for all attempts");
}

/// Fault list: R42.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_asked_for_again() {
    let house = House::new(1, Level::Casual);
    house.trouble([Trouble::AnswerLost]);
    let tally = played(&house).await;
    came_out_the_same(&house, Level::Casual);
    assert_eq!((tally.replayed, tally.fallbacks, tally.failed), (1, 0, 0));
}

/// Fault list: R41.
#[tokio::test(start_paused = true)]
async fn changes_outside_the_game_disturb_no_decision() {
    let house = House::new(1, Level::Casual);
    house.trouble([Trouble::VersionGoesOn, Trouble::VersionGoesOn]);
    let tally = played(&house).await;
    came_out_the_same(&house, Level::Casual);
    assert_eq!((tally.stale, tally.refused, tally.failed), (0, 0, 0));
}

/// Fault list: R41.
#[tokio::test(start_paused = true)]
async fn after_a_stale_answer_the_bot_reads_and_decides_again() {
    let house = House::new(1, Level::Random);
    let reasons = [ServiceReason::StaleVersion, ServiceReason::HistoryDiverged];
    house.trouble(reasons.map(Trouble::Says));
    let tally = played(&house).await;
    came_out_the_same(&house, Level::Random);
    assert_eq!((tally.stale, tally.fallbacks, tally.failed), (2, 0, 0));
}

/// Fault list: R39.
#[tokio::test(start_paused = true)]
async fn after_a_refusal_the_first_listed_action_is_played() {
    let house = House::new(1, Level::Casual);
    house.trouble([Trouble::Refuses, Trouble::Refuses, Trouble::Refuses]);
    let tally = played(&house).await;
    assert_eq!((tally.refused, tally.fallbacks, tally.failed), (3, 1, 0));
}

/// Fault list: R39.
#[tokio::test(start_paused = true)]
async fn a_server_that_always_refuses_is_asked_a_bounded_number_of_times() {
    let house = House::new(1, Level::Casual);
    house.trouble([Trouble::Refuses; 5]);
    let tally = played(&house).await;
    assert_eq!((tally.refused, tally.failed), (5, 1));
    assert_eq!(house.with(|state| state.released[0]), ReleaseCause::Failed);
    let times = house.with(|state| state.submits[4..6].to_vec());
    assert!(times[1].0 - times[0].0 >= Duration::from_millis(5), "the table got a new task");
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_is_left_to_whoever_gets_it_next() {
    let house = House::new(1, Level::Casual);
    house.trouble([Trouble::Says(ServiceReason::LeaseLost)]);
    let tally = played(&house).await;
    came_out_the_same(&house, Level::Casual);
    assert_eq!((tally.lease_lost, tally.failed, tally.fallbacks), (1, 0, 0));
}

/// A thinker that fails in one way at every fourth event.
struct Weak(fn(Option<Action>) -> Thought);

impl Thinker for Weak {
    fn think(
        &self,
        level: Level,
        view: ViewRef<'_>,
        chance: &mut Chance,
        budget: Budget,
    ) -> Thought {
        let thought = Policies.think(level, view, chance, budget);
        match view.table.event_index % 4 {
            0 => (self.0)(thought.action),
            1.. => thought,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_fails_never_stops_the_table() {
    let weaknesses: [fn(Option<Action>) -> Thought; 4] = [
        |_| Thought { action: None, rollouts: 0 },
        |_| Thought { action: Some(Action::UndoLays(200)), rollouts: 0 },
        |action| Thought { action, rollouts: Budget::USUAL.rollouts_max + 1 },
        |_| panic!("a fault in a policy"),
    ];
    for weakness in weaknesses {
        let house = House::new(1, Level::Casual);
        let report = house.play_out(Arc::new(Weak(weakness))).await;
        let tally = report.tally;
        assert!(tally.fallbacks > 0 && tally.fallbacks < tally.decisions, "{tally}");
        assert_eq!((tally.refused, tally.stale, tally.failed), (0, 0, 0), "{tally}");
    }
}
