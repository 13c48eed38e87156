//! Keys and credentials of a configuration.
//!
//! **Invariant:** own keys and given keys do not mix, and own keys are for this machine only.

use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use handfoot_config::{Source, Variable};

use super::KeySource;
use super::variables as v;
use crate::auth::{
    BotCredential, CredentialKey, CredentialProblem, KeySet, PlatformCredential, SigningKey,
    VerifyingKey,
};

/// What only makes sense with given keys.
const OF_GIVEN_KEYS: [&Variable; 5] = [
    &v::TOKEN_KEY,
    &v::PREVIOUS_TOKEN_KEY,
    &v::CREDENTIAL_KEY,
    &v::PLATFORM_CREDENTIALS,
    &v::BOT_CREDENTIALS,
];

enum Mode {
    Local,
    Given,
}

/// Reads them. Own keys want every listener on loopback.
pub(super) fn read(
    source: &mut Source<'_>,
    listeners: [(&Variable, Option<SocketAddr>); 3],
) -> Option<KeySource> {
    let mode = source.value(&v::KEYS, |text| match text {
        "local" => Ok(Mode::Local),
        "given" => Ok(Mode::Given),
        _ => Err("is neither local nor given"),
    });
    match mode? {
        Mode::Local => local(source, listeners),
        Mode::Given => given(source),
    }
}

fn local(
    source: &mut Source<'_>,
    listeners: [(&Variable, Option<SocketAddr>); 3],
) -> Option<KeySource> {
    let before = source.mistakes().len();
    for variable in OF_GIVEN_KEYS {
        if source.text(variable).is_some() {
            source.wrong(variable, format_args!("cannot be set with {}=local", v::KEYS.name));
        }
    }
    for (variable, address) in listeners {
        if address.is_some_and(|address| !address.ip().is_loopback()) {
            let problem = format!("must be 127.0.0.1 or [::1] with {}=local", v::KEYS.name);
            source.wrong(variable, problem);
        }
    }
    let file = source.text(&v::LOCAL_KEYS_FILE).map(PathBuf::from);
    (source.mistakes().len() == before).then_some(KeySource::Local { file })
}

fn given(source: &mut Source<'_>) -> Option<KeySource> {
    let before = source.mistakes().len();
    if source.text(&v::LOCAL_KEYS_FILE).is_some() {
        let problem = format!("can only be set with {}=local", v::KEYS.name);
        source.wrong(&v::LOCAL_KEYS_FILE, problem);
    }
    let signing = source.required_value(&v::TOKEN_KEY, SigningKey::from_pem);
    let previous = source.value(&v::PREVIOUS_TOKEN_KEY, VerifyingKey::from_pem);
    if let (Some(signing), Some(previous)) = (&signing, &previous)
        && signing.verifying_key() == previous
    {
        let problem = format!("is the same key as {}", v::TOKEN_KEY.name);
        source.wrong(&v::PREVIOUS_TOKEN_KEY, problem);
    }
    let credential_key = source.required_value(&v::CREDENTIAL_KEY, CredentialKey::from_text);
    let platforms = source.required_value(&v::PLATFORM_CREDENTIALS, |text| {
        entries(text, PlatformCredential::from_text, PlatformCredential::id)
    });
    let bots = source.value(&v::BOT_CREDENTIALS, |text| {
        entries(text, BotCredential::from_text, BotCredential::id)
    });
    let keys = KeySet {
        signing: signing?,
        previous,
        credential_key: credential_key?,
        platforms: platforms?,
        bots: bots.unwrap_or_default(),
    };
    (source.mistakes().len() == before).then(|| KeySource::Given(Box::new(keys)))
}

/// What is wrong with a list of credentials.
enum ListProblem {
    Empty,
    Entry { number: usize, problem: CredentialProblem },
    Twice { number: usize },
}

impl fmt::Display for ListProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("has no entry"),
            Self::Entry { number, problem } => write!(f, "in entry {number} {problem}"),
            Self::Twice { number } => {
                write!(f, "in entry {number} has an id that was there before")
            }
        }
    }
}

/// Reads entries with line ends or commas between; lines that begin with # are for people.
fn entries<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, CredentialProblem>,
    id: impl Fn(&T) -> &str,
) -> Result<Vec<T>, ListProblem> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let texts = lines.flat_map(|line| line.split(',')).map(str::trim).filter(|t| !t.is_empty());
    let mut entries = Vec::new();
    let mut ids = BTreeSet::new();
    for (number, text) in (1..).zip(texts) {
        let entry = read(text).map_err(|problem| ListProblem::Entry { number, problem })?;
        if !ids.insert(id(&entry).to_owned()) {
            return Err(ListProblem::Twice { number });
        }
        entries.push(entry);
    }
    match entries.is_empty() {
        true => Err(ListProblem::Empty),
        false => Ok(entries),
    }
}
