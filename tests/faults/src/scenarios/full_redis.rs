//! Redis has no room left, then only takes reads, then wants a password, and is well again.
//!
//! **Invariant:** what is stored stays as it is: games stand still and go on.

use handfoot_processes::ProcessError;
use handfoot_processes::redis::Server;

use crate::house::Order;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// What is done to a running Redis, and how it is taken back.
struct Harm {
    begin: &'static [&'static str],
    end: &'static [&'static str],
}

const HARMS: [Harm; 3] = [
    // Less than it has already: with noeviction every write is refused.
    Harm { begin: &["CONFIG SET maxmemory 1000000"], end: &["CONFIG SET maxmemory 0"] },
    // A replica of nobody, which keeps what it has and refuses every script.
    Harm { begin: &["REPLICAOF 127.0.0.1 1"], end: &["REPLICAOF NO ONE"] },
    Harm {
        begin: &[
            "CONFIG SET requirepass another",
            "CLIENT KILL TYPE normal",
            "CLIENT KILL TYPE pubsub",
        ],
        end: &["AUTH another", "CONFIG SET requirepass "],
    },
];

/// Fault list: R54.
pub(crate) async fn a_redis_that_refuses_is_waited_for(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let apart = scene.set_apart().await?;
    for Harm { begin, end } in HARMS {
        let struck = scene.strike();
        let server = scene.redis()?;
        tokio::task::block_in_place(|| send(server, begin))?;
        scene.noticed(&apart).await?;
        let server = scene.redis()?;
        tokio::task::block_in_place(|| send(server, end))?;
        scene.crowd.moved_on(struck).await?;
    }
    scene.end(&Expect::default()).await
}

fn send(server: &Server, commands: &[&str]) -> Result<(), ProcessError> {
    let mut connection = server.connect()?;
    for command in commands {
        // A connection that ends itself has done what it was to.
        match handfoot_processes::redis::ask_on::<redis::Value>(&mut connection, command) {
            Ok(_) => {}
            Err(_) if command.starts_with("CLIENT KILL") => connection = server.connect()?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
