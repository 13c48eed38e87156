//! The API from outside: generated clients against the services over a store.
//!
//! **Invariant:** what depends on nothing but the contract of a store is tried on each.

mod bad_requests;
mod counted;
mod dispatch;
mod diverged;
mod game;
mod hidden;
mod idempotency;
pub(crate) mod kit;
mod lift_wait;
mod lifts;
mod lobby;
mod old;
mod options;
mod outage;
mod reconnect;
mod redis;
mod replicas;
mod stores;
mod watch;

/// Tests that are given a world, on the memory store, on the embedded file and on Redis.
macro_rules! on_each_store {
    ($($test:ident),+ $(,)?) => {
        mod on_memory {
            $(
                #[tokio::test(start_paused = true)]
                async fn $test() {
                    super::$test(crate::api::kit::World::new()).await;
                }
            )+
        }

        mod on_file {
            $(
                #[tokio::test(start_paused = true)]
                async fn $test() {
                    super::$test(crate::api::kit::World::on_file()).await;
                }
            )+
        }

        mod on_redis {
            $(
                #[tokio::test(start_paused = true)]
                async fn $test() {
                    super::$test(crate::api::kit::World::on_redis()).await;
                }
            )+
        }
    };
}

pub(crate) use on_each_store;
