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

/// What servers say before their release, and the same with the beginning of one that is too old.
/// Valkey says both, and the first counts.
const RELEASES: [(&str, &str); 2] =
    [("valkey_version:", "valkey_version:6"), ("redis_version:", "redis_version:6")];

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
    let said = RELEASES.iter().find_map(|(name, old)| {
        let release = info.lines().find_map(|line| line.strip_prefix(name))?;
        let (major, rest) = release.split_once('.')?;
        Some((format!("{name}{major}"), *old, format!("6.{}", rest.split('.').next()?)))
    });
    let (said, older, too_old) = said.ok_or_else(|| Trouble::Own("no release".to_owned()))?;
    scene.must("only one digit of a release can be replaced", said.len() == older.len());
    old.set(Mode::Replace(said.leak(), older));
    let wrong_password = format!("redis://:{PASSWORD}@127.0.0.1:{}", locked.port());
    for (url, word) in [
        (locked.url(), "password"),
        (wrong_password, "password"),
        (replica.url(), "replica"),
        (format!("redis://{}", old.address()), &too_old),
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
