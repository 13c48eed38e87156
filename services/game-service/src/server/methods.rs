//! Which methods the server has, and how long each may take.
//!
//! **Invariant:** read from the contract itself. A path that is not in it has no name, so that
//! nothing that a caller makes up is logged or becomes a label.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use prost_types::FileDescriptorSet;

/// How long a unary call may take.
const UNARY_MAX: Duration = Duration::from_secs(5);

/// How long a call may take that waits for work: 30 s of waiting, and its answer.
const LONG_POLL_MAX: Duration = Duration::from_secs(35);

/// Methods that wait for work.
const LONG_POLLS: [&str; 2] =
    ["handfoot.v1.BotDispatchService/AcquireSeat", "handfoot.v1.BotDispatchService/AcquireTurn"];

/// What is known of a method.
#[derive(Clone, Debug)]
pub(super) struct Method {
    /// Its full name, without the slash before it.
    pub(super) name: Arc<str>,
    /// Until when it answers.
    pub(super) answers_within: AnswersWithin,
}

/// How long an answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswersWithin {
    /// So long.
    Limit(Duration),
    /// A stream begins when it can, and bounds itself.
    Stream,
}

/// All methods, by path.
#[derive(Clone, Debug)]
pub(super) struct Methods(Arc<BTreeMap<String, Method>>);

impl Methods {
    /// The methods in encoded descriptor sets.
    pub(super) fn of(descriptors: &[&[u8]]) -> Result<Self, prost::DecodeError> {
        let mut methods = BTreeMap::new();
        for encoded in descriptors {
            for file in FileDescriptorSet::decode(*encoded)?.file {
                for service in &file.service {
                    for method in &service.method {
                        let name =
                            format!("{}.{}/{}", file.package(), service.name(), method.name());
                        let answers_within = limit_of(&name, method.server_streaming());
                        let path = format!("/{name}");
                        methods.insert(path, Method { name: name.into(), answers_within });
                    }
                }
            }
        }
        Ok(Self(Arc::new(methods)))
    }

    /// The method with a path.
    pub(super) fn get(&self, path: &str) -> Option<&Method> {
        self.0.get(path)
    }
}

fn limit_of(name: &str, is_stream: bool) -> AnswersWithin {
    match (is_stream, LONG_POLLS.contains(&name)) {
        (true, _) => AnswersWithin::Stream,
        (false, true) => AnswersWithin::Limit(LONG_POLL_MAX),
        (false, false) => AnswersWithin::Limit(UNARY_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_the_contract_has_its_limit() {
        let methods = Methods::of(&[handfoot_protocol::DESCRIPTORS]).unwrap();
        let limit = |path: &str| methods.get(path).unwrap().answers_within;
        assert_eq!(
            limit("/handfoot.v1.PlayService/SubmitActions"),
            AnswersWithin::Limit(UNARY_MAX)
        );
        assert_eq!(limit("/handfoot.v1.PlayService/WatchTable"), AnswersWithin::Stream);
        for name in LONG_POLLS {
            assert_eq!(limit(&format!("/{name}")), AnswersWithin::Limit(LONG_POLL_MAX));
        }
        assert!(methods.get("/handfoot.v1.PlayService/Nothing").is_none());
        assert!(methods.get("").is_none());
    }
}
