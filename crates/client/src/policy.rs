//! Deadlines and retries, as the service config that comes with the contract says.
//!
//! **Invariant:** the numbers are in `proto/service_config.json` and nowhere else, so that every
//! language's client behaves alike.

use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use tonic::Code;

/// The config that is shipped with the contract.
const CONFIG: &str = include_str!("../../../proto/service_config.json");

static POLICIES: LazyLock<Vec<MethodConfig>> = LazyLock::new(|| {
    let config: ServiceConfig =
        serde_json::from_str(CONFIG).expect("a test reads the shipped config");
    config.method_config
});

/// A method by its full name: `SERVICE/METHOD`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rpc(pub(crate) &'static str);

/// How a method is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Policy {
    /// How long a call may take, retries included; none: as long as it takes.
    pub(crate) timeout: Option<Duration>,
    pub(crate) ready: Ready,
    pub(crate) retry: Retry,
}

/// Whether a call waits for a server that can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// An attempt that reaches no server does not count.
    Wait,
    /// It counts.
    Fail,
}

/// When and how often the same request is sent again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Retry {
    /// Attempts in all, the first one included, at least 1.
    pub(crate) attempts_max: u32,
    pub(crate) first: Duration,
    pub(crate) most: Duration,
    pub(crate) multiplier: f64,
    /// Whether the one code that may be retried is among those of the config.
    pub(crate) on_unavailable: Again,
}

/// Whether a request may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    Yes,
    No,
}

impl Retry {
    const NEVER: Retry = Retry {
        attempts_max: 1,
        first: Duration::ZERO,
        most: Duration::ZERO,
        multiplier: 1.0,
        on_unavailable: Again::No,
    };

    /// Whether a request that ended with this code may be sent again.
    pub(crate) fn allows(&self, code: Code) -> Again {
        match code == Code::Unavailable {
            true => self.on_unavailable,
            false => Again::No,
        }
    }

    /// The longest pause after so many failures, from 1.
    pub(crate) fn pause_max(&self, failures: u32) -> Duration {
        let exponent = i32::try_from(failures.saturating_sub(1).min(30)).unwrap_or(0);
        let pause = self.first.as_secs_f64() * self.multiplier.powi(exponent);
        Duration::from_secs_f64(pause.min(self.most.as_secs_f64()))
    }
}

impl Policy {
    /// The policy of a method: the entry that names it, or else the one that names its service.
    pub(crate) fn of(rpc: Rpc) -> Policy {
        let (service, method) = rpc.0.split_once('/').unwrap_or((rpc.0, ""));
        let names = |method: Option<&str>| {
            POLICIES.iter().find(|config| {
                let is_named =
                    |name: &Name| name.service == service && name.method.as_deref() == method;
                config.name.iter().any(is_named)
            })
        };
        match names(Some(method)).or_else(|| names(None)) {
            Some(config) => config.policy(),
            None => Policy { timeout: None, ready: Ready::Fail, retry: Retry::NEVER },
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServiceConfig {
    method_config: Vec<MethodConfig>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MethodConfig {
    name: Vec<Name>,
    timeout: Option<Seconds>,
    #[serde(default)]
    wait_for_ready: bool,
    retry_policy: Option<RetryPolicy>,
}

#[derive(Deserialize)]
struct Name {
    service: String,
    method: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RetryPolicy {
    max_attempts: u32,
    initial_backoff: Seconds,
    max_backoff: Seconds,
    backoff_multiplier: f64,
    retryable_status_codes: Vec<String>,
}

/// A duration as JSON has it: `"0.1s"`.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Seconds(Duration);

impl TryFrom<String> for Seconds {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Seconds, &'static str> {
        let seconds = text.strip_suffix('s').and_then(|number| number.parse::<f64>().ok());
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        duration.map(Seconds).ok_or("a duration is seconds, such as 0.1s")
    }
}

impl MethodConfig {
    fn policy(&self) -> Policy {
        Policy {
            timeout: self.timeout.map(|Seconds(timeout)| timeout),
            ready: if self.wait_for_ready { Ready::Wait } else { Ready::Fail },
            retry: self.retry_policy.as_ref().map_or(Retry::NEVER, RetryPolicy::retry),
        }
    }
}

impl RetryPolicy {
    fn retry(&self) -> Retry {
        let has_unavailable = self.retryable_status_codes.iter().any(|code| code == "UNAVAILABLE");
        Retry {
            attempts_max: self.max_attempts.max(1),
            first: self.initial_backoff.0,
            most: self.max_backoff.0,
            multiplier: self.backoff_multiplier,
            on_unavailable: if has_unavailable { Again::Yes } else { Again::No },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &'static str) -> Policy {
        Policy::of(Rpc(name))
    }

    #[test]
    fn the_shipped_config_is_read() {
        let play = of("handfoot.v1.PlayService/SubmitActions");
        assert_eq!(play.timeout, Some(Duration::from_secs(2)));
        assert_eq!(play.ready, Ready::Wait);
        assert_eq!(play.retry.attempts_max, 4);
        assert_eq!(play.retry.allows(Code::Unavailable), Again::Yes);
        assert_eq!(play.retry.allows(Code::Aborted), Again::No);
    }

    #[test]
    fn an_entry_for_a_method_comes_before_that_of_its_service() {
        let create = of("handfoot.v1.TableService/CreateTable");
        assert_eq!(create.timeout, Some(Duration::from_secs(5)));
        assert_eq!(of("handfoot.v1.PlayService/WatchTable").timeout, None);
        let acquire = of("handfoot.v1.BotDispatchService/AcquireTurn");
        assert_eq!(acquire.timeout, Some(Duration::from_secs(35)));
        assert_eq!(of("other.Service/Call").retry, Retry::NEVER);
    }

    #[test]
    fn pauses_grow_to_their_limit() {
        let retry = of("handfoot.v1.PlayService/GetView").retry;
        let pauses: Vec<u128> = [1, 2, 3, 9, 99].map(|n| retry.pause_max(n).as_millis()).into();
        assert_eq!(pauses, [100, 200, 400, 2000, 2000]);
    }
}
