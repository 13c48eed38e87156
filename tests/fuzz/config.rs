//! Command lines of the services, and lines of credential files.
//!
//! **Invariant:** nothing is started and no file is written; the environment is empty.

use std::collections::BTreeMap;

use handfoot_game_service::auth::{BotCredential, PlatformCredential};
use handfoot_game_service::config::{self, Asked};

use super::{Read, fuzz};

/// A command line with the name of its program.
fn words(line: &str) -> impl Iterator<Item = String> + '_ {
    let words = line.split(' ').filter(|word| !word.is_empty());
    std::iter::once("service").chain(words).map(str::to_owned)
}

#[test]
fn game_service() {
    let nothing = BTreeMap::<String, String>::new();
    fuzz("service-config", 6_000, |_, line| match config::read(words(line), &nothing) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Read::Refused
        }
        Ok(Asked::Print(text)) => {
            assert!(!text.is_empty());
            Read::Accepted
        }
        Ok(Asked::Serve(_)) => {
            // Asked to print what holds, it says the same as it would serve with.
            let line = format!("--print-config {line}");
            assert!(matches!(config::read(words(&line), &nothing), Ok(Asked::Print(_))));
            Read::Accepted
        }
    });
}

#[test]
fn bot_service() {
    let credential = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/fake-credential.txt");
    let credential = ["--credential-file", credential].map(str::to_owned);
    let nothing = BTreeMap::<String, String>::new();
    let read = |line: &str| {
        let (program, words) = (words("").take(1), words(line).skip(1));
        let line = program.chain(credential.clone()).chain(words);
        handfoot_bot_service::config::read(line, &nothing)
    };
    fuzz("bot-config", 6_000, |_, line| match read(line) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Read::Refused
        }
        Ok(_) => Read::Accepted,
    });
}

#[test]
fn credentials() {
    fuzz("credentials", 6_000, |_, line| {
        let platform = PlatformCredential::from_text(line);
        let bot = BotCredential::from_text(line);
        for problem in platform.as_ref().err().into_iter().chain(bot.as_ref().err()) {
            assert!(!problem.to_string().is_empty());
        }
        let name = line.split(':').next().unwrap_or_default();
        for id in
            platform.iter().map(PlatformCredential::id).chain(bot.iter().map(BotCredential::id))
        {
            assert_eq!(id, name, "the name is taken as it is written");
        }
        if platform.is_ok() || bot.is_ok() { Read::Accepted } else { Read::Refused }
    });
}
