//! A game-service is started with a Redis that it cannot use.
//!
//! **Invariant:** it says why and what to do, with its exit code, and shows no password.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use handfoot_processes::redis::Server;

use crate::house::Order;
use crate::proxy::{Mode, Proxy};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// A release that is too old, and as long as the name of the true one.
const TOO_OLD: &str = "redis_version:6.2.14";

/// What a service exits with when its store cannot be used.
const UNAVAILABLE: i32 = 69;

const PASSWORD: &str = "not-the-right-one";

/// Fault list: R54.
pub(crate) async fn a_redis_that_cannot_be_used_is_said_at_the_start(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.strike();
    let server = scene.redis()?;
    let (url, port) = (server.url(), server.port());
    let (locked, replica) = tokio::task::block_in_place(|| {
        let locked = Server::start(&["--requirepass", "right"])?;
        // Nobody is there to copy from: it keeps what it has, and takes no writes.
        let replica = Server::start(&["--replicaof", "127.0.0.1", "1"])?;
        Ok::<_, Trouble>((locked, replica))
    })?;
    let old = Proxy::start(SocketAddr::from(([127, 0, 0, 1], port)), 1).await?;
    let info: String =
        tokio::task::block_in_place(|| scene.redis()?.ask("INFO server").map_err(Trouble::from))?;
    let version = info.lines().find(|line| line.starts_with("redis_version:")).unwrap_or_default();
    let version: &'static str = version.trim().to_owned().leak();
    scene.must("the release cannot be replaced by one as long", version.len() == TOO_OLD.len());
    old.set(Mode::Replace(version, TOO_OLD));
    let wrong_password = format!("redis://:{PASSWORD}@127.0.0.1:{}", locked.port());
    for (url, word) in [
        (locked.url(), "password"),
        (wrong_password, "password"),
        (replica.url(), "replica"),
        (format!("redis://{}", old.address()), "6.2"),
        (url.replace("redis://", "redis+cluster://"), "cluster"),
        ("redis://127.0.0.1:1".to_owned(), "127.0.0.1:1"),
    ] {
        let (code, said) = start(&scene, &url).await?;
        let asked = url.replace(PASSWORD, "...");
        scene.must(&format!("{asked}: exit code {code:?}"), code == Some(UNAVAILABLE));
        scene.must(&format!("{asked}: {said:?} does not say {word:?}"), said.contains(word));
        scene.must(&format!("{asked}: the password is shown"), !said.contains(PASSWORD));
    }
    scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await
}

/// Starts a game-service that will not serve; gives its exit code and what it says.
async fn start(scene: &Scene, url: &str) -> Result<(Option<i32>, String), Trouble> {
    let plan = scene.house.plan_of_replica(1, url.to_owned());
    let mut command = Command::new(plan.program);
    command.args(plan.arguments).envs(plan.environment).env("HANDFOOT_LOG", "error");
    let mut command = tokio::process::Command::from(command);
    let output = tokio::time::timeout(Duration::from_secs(30), command.kill_on_drop(true).output());
    let output = output.await.map_err(|_| Trouble::Late("the end of a game-service".to_owned()))?;
    let output = output.map_err(Trouble::system("starting a game-service"))?;
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok((output.status.code(), said.concat()))
}
