//! The suite that every store must pass: each sentence of the contract is a test.
//!
//! **Invariant:** a test knows a store by its contract only. A new implementation is one more
//! `Kind` and one more line at the foot of this file.

mod commits;
mod concurrency;
mod limits;
mod lists;
mod logs;
mod time;
mod turns;
mod watching;

/// All tests of the suite, for one kind of store.
macro_rules! for_kind {
    ($kind:ident; $($topic:ident: $($test:ident),+;)+) => { $($(
        #[test]
        fn $test() {
            run(super::$topic::$test(Fixture::new(Kind::$kind, Limits::STANDARD)));
        }
    )+)+ };
}

macro_rules! suite {
    ($kind:ident) => {
        for_kind! { $kind;
            commits:
                a_new_table_is_version_zero,
                a_create_request_is_answered_once,
                a_commit_replaces_the_snapshot_and_appends,
                a_conflict_gives_what_stands_now,
                a_glance_gives_what_the_next_step_is_taken_from,
                a_wrong_chain_is_a_conflict,
                a_repeated_request_gets_the_first_answer,
                a_reused_id_is_refused,
                ids_belong_to_table_and_seat,
                a_refused_commit_changes_nothing,
                forgotten_ids_cannot_play_twice,
                no_such_table,
                a_deleted_table_leaves_nothing;
            concurrency:
                of_many_commits_on_one_version_one_wins,
                of_many_equal_requests_one_is_played,
                tables_do_not_disturb_each_other,
                a_load_as_in_play_stands;
            logs:
                history_begins_where_asked,
                history_comes_in_pages,
                a_trimmed_log_says_where_it_begins,
                the_outbox_keeps_the_order,
                a_cursor_from_elsewhere_is_noticed;
            time:
                time_does_not_go_back_in_a_table,
                a_deadline_is_set_kept_and_cleared,
                deadlines_come_oldest_first;
            turns:
                a_turn_is_claimed_once,
                a_lease_ends_by_the_clock,
                a_late_holder_is_refused,
                a_commit_renews_the_lease,
                a_turn_that_is_no_longer_owed_ends_the_lease,
                a_turn_waits_for_its_time_and_its_queue,
                tenants_take_turns,
                a_lease_serves_its_own_table;
            watching:
                a_watcher_learns_the_version_at_once,
                a_watcher_is_woken_by_each_commit,
                wake_ups_are_merged_but_the_last_is_not_missed,
                every_watcher_hears_the_last,
                watchers_end_with_the_table_and_the_store;
            lists:
                lists_are_newest_first_and_by_tenant_and_state,
                pages_are_stable_while_tables_come_and_go,
                a_list_shows_what_the_last_commit_said;
            limits:
                what_is_too_large_is_refused_and_changes_nothing,
                pages_are_cut_to_their_limit,
                a_closed_store_says_so;
        }
    };
}

mod memory {
    use handfoot_store::Limits;

    use crate::kit::{Fixture, Kind, run};

    suite!(Memory);
}

mod file_os {
    use handfoot_store::Limits;

    use crate::kit::{Fixture, Kind, run};

    suite!(FileOs);
}

mod file_disk {
    use handfoot_store::Limits;

    use crate::kit::{Fixture, Kind, run};

    suite!(FileDisk);
}

mod redis_local {
    use handfoot_store::Limits;

    use crate::kit::{Fixture, Kind, run};

    suite!(Redis);
}

mod redis_replicated {
    use handfoot_store::Limits;

    use crate::kit::{Fixture, Kind, run};

    suite!(RedisReplicated);
}
