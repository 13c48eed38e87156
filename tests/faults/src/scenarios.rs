//! Every scenario, each in a file of its own.
//!
//! **Invariant:** the list is the only one: `run`, `check` and `list` are made from it, and
//! `tests/FAULTS.md` names what stands in it.

mod clocks;
mod cut_off;
mod damaged;
mod doubled;
mod failover;
mod flood;
mod foreign_tokens;
mod full_redis;
mod idle_streams;
mod killed_redis;
mod killed_replica;
mod killed_worker;
mod lost_answers;
mod oversized;
mod paused_redis;
mod planted;
mod power_cut;
mod rolling;
mod slow_readers;
mod stopped_worker;
mod together;
mod unusable;
mod wandering;

use std::pin::Pin;

use crate::scenario::Tried;
use crate::setting::Setting;
use crate::trouble::Trouble;

/// What a scenario is, and when it is tried.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    form: Form,
    pub(crate) run: Run,
}

/// Tries a scenario.
pub(crate) type Run = for<'a> fn(&'a Setting) -> Trying<'a>;

/// A scenario under way.
pub(crate) type Trying<'a> = Pin<Box<dyn Future<Output = Result<Tried, Trouble>> + 'a>>;

/// When a scenario is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Always.
    Core,
    /// In the short form if the seed chooses it.
    Short,
    /// In the long form only.
    Long,
}

impl Scenario {
    /// Whether every short form has it.
    pub(crate) fn is_core(&self) -> bool {
        self.form == Form::Core
    }

    /// Whether a short form may have it.
    pub(crate) fn is_short(&self) -> bool {
        self.form == Form::Short
    }
}

macro_rules! scenarios {
    ($($file:ident::$name:ident $form:ident $about:literal;)+) => {
        /// Every scenario.
        pub(crate) const ALL: &[Scenario] = &[$(Scenario {
            name: stringify!($name),
            about: $about,
            form: Form::$form,
            run: |setting| Box::pin($file::$name(setting)),
        }),+];
    };
}

scenarios! {
    planted::commits_that_are_taken_out_by_hand_are_missed Core
        "acknowledged commits are taken out of Redis by hand, and the verdict must be red";
    killed_replica::a_killed_replica_loses_nothing Core
        "kill -9 of a game-service under load, and of another";
    killed_worker::a_killed_worker_is_replaced_in_mid_turn Core
        "kill -9 of a bot-service while it plays turns";
    stopped_worker::a_worker_stopped_past_its_lease_plays_nothing_late Short
        "a bot-service is stopped until its leases have run out, and continued";
    killed_redis::redis_killed_and_started_again_loses_nothing Core
        "kill -9 of a Redis that syncs every write";
    power_cut::what_a_power_cut_took_is_told Core
        "Redis loses the last writes that it had acknowledged";
    lost_answers::a_lost_answer_is_given_again Core
        "answers of Redis and of game-services are lost after what they answer was done";
    doubled::a_request_sent_to_two_replicas_is_played_once Core
        "every request of a person is sent to two replicas at the same time";
    together::of_two_at_the_same_moment_one_or_both_are_kept Short
        "two decide on one version, and two sit down, on two replicas";
    wandering::watchers_that_wander_see_one_history Core
        "watchers go from replica to replica at random";
    rolling::a_rolling_restart_fails_no_call Core
        "SIGTERM to every game-service and bot-service, one after the other";
    paused_redis::redis_paused_is_waited_for Short
        "Redis does what it is sent seconds later";
    cut_off::redis_out_of_reach_is_come_back_to Short
        "game-services lose Redis: cut, half-open, slow";
    failover::a_failover_by_sentinels_loses_nothing Long
        "kill -9 of a primary that sentinels watch";
    failover::a_strict_failover_waits_for_two_replicas_and_loses_nothing Long
        "the same where two replicas must have each commit, and one is left";
    failover::a_failover_in_a_cluster_loses_nothing Long
        "kill -9 of a primary of a cluster";
    clocks::clocks_that_differ_change_nothing Short
        "the clocks of the game-services are hours apart";
    full_redis::a_redis_that_refuses_is_waited_for Short
        "a running Redis is full, then read-only, then wants a password";
    unusable::a_redis_that_cannot_be_used_is_said_at_the_start Short
        "game-services are started with a wrong password, a replica, an old release, nothing";
    damaged::a_damaged_table_is_refused_alone Short
        "one table's state in Redis is overwritten";
    foreign_tokens::tokens_of_others_open_nothing Short
        "tokens of another table, kind or generation, or changed, at every replica";
    oversized::messages_that_are_too_large_are_refused_alone Short
        "messages of 65 KiB and of 32 MiB to every replica";
    flood::a_flood_from_one_token_keeps_nobody_from_playing Short
        "one token calls as fast as it can";
    slow_readers::readers_that_do_not_read_hold_nobody_up Short
        "many watch and read nothing";
    idle_streams::thousands_of_idle_streams_are_told_to_come_back Long
        "6,000 streams are open while a game-service ends";
}
