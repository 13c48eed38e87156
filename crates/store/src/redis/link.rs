//! Calls: to the right server, again where that is safe, in a bounded time.
//!
//! **Invariant:** what may have been done is sent again only if doing it twice is the same as
//! doing it once. A call ends within its time whatever the servers do.

use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, Value};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout_at};

use super::address::Durability;
use super::committer::Job;
use super::fault::Fault;
use super::keys::Keys;
use super::limits::{CALL_AFTER_REPLICAS, CALL_MAX, PAUSE, PAUSE_MAX};
use super::node::Node;
use super::routes::{Map, Routes};
use super::scripts::Call;
use crate::Partition;

/// Whether a call may be sent again if no answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// Twice is the same as once.
    Safe,
    /// It is for the caller to find out.
    Never,
}

/// What a call says must be true when it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasting {
    /// It shows or changes a game: replicas must have what it saw and did, where the address says so.
    AsPromised,
    /// It is an index or a claim, which can be made again.
    Not,
}

/// An answer, and how it came.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) value: Value,
    /// It was sent before without an answer, and may have been done then.
    pub(super) was_sent_before: bool,
}

/// The way to the servers.
#[derive(Debug)]
pub(super) struct Link {
    routes: Routes,
    durability: Durability,
    call_max: Duration,
    prefix: String,
}

impl Link {
    pub(super) fn new(routes: Routes) -> Self {
        let address = routes.dial().address();
        let (durability, prefix) = (address.durability, address.prefix.clone());
        let call_max = CALL_MAX.max(routes.dial().replicas_answer() + CALL_AFTER_REPLICAS);
        Self { routes, durability, call_max, prefix }
    }

    pub(super) const fn routes(&self) -> &Routes {
        &self.routes
    }

    pub(super) const fn durability(&self) -> Durability {
        self.durability
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Calls a script.
    pub(super) async fn call(
        &self,
        partition: Partition,
        call: Call,
        again: Again,
        lasting: Lasting,
    ) -> Result<Answered, Fault> {
        self.send(partition, call.command(), again, lasting).await
    }

    /// Sends a command that reads what need not last: an index, or a table at a glance.
    pub(super) async fn read(&self, partition: Partition, command: Cmd) -> Result<Value, Fault> {
        let answered = self.send(partition, command, Again::Safe, Lasting::Not).await?;
        Ok(answered.value)
    }

    /// Sends a command until it is answered, refused, or out of time.
    pub(super) async fn send(
        &self,
        partition: Partition,
        command: Cmd,
        again: Again,
        lasting: Lasting,
    ) -> Result<Answered, Fault> {
        let end = Instant::now() + self.call_max;
        let mut pause = PAUSE;
        let mut was_sent_before = false;
        let mut last = Fault::Unreached;
        loop {
            let map = match timeout_at(end, self.routes.some_map()).await {
                Ok(Ok(map)) => Some(map),
                Ok(Err(fault)) => {
                    last = fault;
                    None
                }
                Err(_) => return Err(last),
            };
            if let Some(map) = map {
                let tried = timeout_at(end, self.try_once(&map, partition, &command, lasting));
                last = match tried.await {
                    Ok(Ok(value)) => return Ok(Answered { value, was_sent_before }),
                    Ok(Err(fault)) => fault,
                    Err(_) => Fault::Unknown,
                };
                was_sent_before |= last == Fault::Unknown;
                let may_again =
                    last.is_certain() || (last == Fault::Unknown && again == Again::Safe);
                if !may_again {
                    return Err(last);
                }
                if last != Fault::NoScript {
                    // Where it fails, the fault of the call says more.
                    let _ = timeout_at(end, self.routes.renew(&map)).await;
                }
            }
            if Instant::now() + pause >= end {
                return Err(if was_sent_before { Fault::Unknown } else { last });
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    async fn try_once(
        &self,
        map: &Arc<Map>,
        partition: Partition,
        command: &Cmd,
        lasting: Lasting,
    ) -> Result<Value, Fault> {
        let node = map.node(partition).ok_or(Fault::Elsewhere)?;
        let is_plain = self.durability == Durability::Local || lasting == Lasting::Not;
        let answer = match is_plain {
            true => node.run(command).await,
            false => self.run_durably(node, partition, command).await,
        };
        match answer {
            // Where replicas must have it, the slot has to arrive first.
            Err(Fault::Ask(_)) if !is_plain => Err(Fault::Elsewhere),
            Err(Fault::Ask(server)) => {
                let node = self.routes.asked(server);
                let answer = node.run_asked(command).await;
                taught(&node, answer).await
            }
            other => taught(node, other).await,
        }
    }

    async fn run_durably(
        &self,
        node: &Node,
        partition: Partition,
        command: &Cmd,
    ) -> Result<Value, Fault> {
        let mark = Keys::of(&self.prefix, partition).map(|keys| keys.probe()).unwrap_or_default();
        let (reply, answer) = oneshot::channel();
        node.run_durably(Job { command: command.clone(), mark, reply }).await?;
        answer.await.unwrap_or(Err(Fault::Unknown))
    }
}

/// An answer as it came, from a server that knows the scripts from now on.
async fn taught(node: &Node, answer: Result<Value, Fault>) -> Result<Value, Fault> {
    if answer == Err(Fault::NoScript) {
        node.load_scripts().await?;
    }
    answer
}
