//! The configuration: everything wrong is said at once, and nothing secret is said at all.

use std::collections::BTreeMap;
use std::time::Duration;

use handfoot_game_service::config::{self, Asked, Config, ConfigError, KeySource, Mistakes};
use handfoot_game_service::server::Settings;
use handfoot_game_service::telemetry::LogFormat;

use crate::edge_auth::{KEY_A, KEY_B};

const TAG: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

type Variables = BTreeMap<String, String>;

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn read(flags: &[&str], environment: &Variables) -> Result<Asked, ConfigError> {
    let program = std::iter::once("game-service");
    config::read(program.chain(flags.iter().copied()).map(str::to_owned), environment)
}

fn config_of(flags: &[&str], environment: &Variables) -> Config {
    match read(flags, environment).unwrap() {
        Asked::Serve(config) => *config,
        Asked::Print(text) => panic!("it prints {text}"),
    }
}

fn printed(flags: &[&str], environment: &Variables) -> String {
    match read(flags, environment).unwrap() {
        Asked::Print(text) => text,
        Asked::Serve(config) => panic!("it serves {config:?}"),
    }
}

fn mistakes(flags: &[&str], environment: &Variables) -> Mistakes {
    match read(flags, environment).unwrap_err() {
        ConfigError::Mistakes(mistakes) => mistakes,
        ConfigError::CommandLine(text) => panic!("{text}"),
    }
}

/// A service with given keys.
fn given() -> Variables {
    variables(&[
        ("HANDFOOT_STORE", "memory:"),
        ("HANDFOOT_TOKEN_KEY", KEY_A),
        ("HANDFOOT_PREVIOUS_TOKEN_KEY", KEY_B),
        ("HANDFOOT_CREDENTIAL_KEY", "a-very-secret-text-of-32-letters"),
        ("HANDFOOT_PLATFORM_CREDENTIALS", &format!("acme:{TAG}")),
        ("HANDFOOT_BOT_CREDENTIALS", &format!("bots:{TAG}:*")),
    ])
}

#[test]
fn every_mistake_is_said_at_once() {
    let wrong = variables(&[
        ("HANDFOOT_LISTEN", "localhost"),
        ("HANDFOOT_HEALTH_LISTEN", "9090"),
        ("HANDFOOT_STORE", "reddis://user:hidden-1@host"),
        ("HANDFOOT_LOCAL_KEYS_FILE", "keys"),
        ("HANDFOOT_TOKEN_KEY", "hidden-2"),
        ("HANDFOOT_PREVIOUS_TOKEN_KEY", "hidden-3"),
        ("HANDFOOT_CREDENTIAL_KEY", "hidden-4"),
        ("HANDFOOT_PLATFORM_CREDENTIALS", "acme:hidden-5"),
        ("HANDFOOT_BOT_CREDENTIALS", "hidden-6"),
        ("HANDFOOT_DRAIN", "25"),
        ("HANDFOOT_STREAMS_PER_CONNECTION_MAX", "0"),
        ("HANDFOOT_CONNECTION_AGE", "1s"),
        ("HANDFOOT_TABLES_MAX", "many"),
        ("HANDFOOT_LOG_ENTRIES_MAX", "1"),
        ("HANDFOOT_WORKER_THREADS", "-1"),
        ("HANDFOOT_LOG", "loud"),
        ("HANDFOOT_LOG_FORMAT", "xml"),
    ]);
    let found = mistakes(&[], &wrong);
    let mut named: Vec<&str> = found.0.iter().map(|mistake| &*mistake.variable).collect();
    named.sort_unstable();
    assert_eq!(named, wrong.keys().collect::<Vec<_>>());
    for mistake in &found.0 {
        assert!(mistake.flag.starts_with("--") && !mistake.problem.is_empty());
        assert!(!mistake.example.is_empty());
    }
    let text = found.to_string();
    assert!(text.starts_with("the configuration has 17 mistakes:"), "{text}");
    assert!(text.contains(
        "HANDFOOT_DRAIN (--drain): \"25\" is not a whole number with a unit: ms, s, m or h\n    \
         for example: 25s"
    ));
    assert!(!text.contains("hidden"), "{text}");
    assert_eq!(ConfigError::Mistakes(found).exit().code(), 64);
    // The one variable that decides how others are read.
    let found = mistakes(&["--store", "memory:"], &variables(&[("HANDFOOT_KEYS", "none")]));
    assert_eq!(found.0.len(), 1);
    assert_eq!(found.0[0].variable, "HANDFOOT_KEYS");
}

#[test]
fn what_must_be_given_is_asked_for() {
    let found = mistakes(&[], &Variables::new());
    let named: Vec<&str> = found.0.iter().map(|mistake| &*mistake.variable).collect();
    let missing = [
        "HANDFOOT_STORE",
        "HANDFOOT_TOKEN_KEY",
        "HANDFOOT_CREDENTIAL_KEY",
        "HANDFOOT_PLATFORM_CREDENTIALS",
    ];
    assert_eq!(named, missing);
    // An empty variable is none.
    let empty = missing.map(|name| (name, ""));
    assert_eq!(mistakes(&[], &variables(&empty)).0, found.0);
}

#[test]
fn a_flag_counts_before_the_environment_before_the_default() {
    let defaults = config_of(&[], &given());
    assert_eq!(defaults.settings, Settings::USUAL);
    assert_eq!(defaults.listen.to_string(), "127.0.0.1:50051");
    assert_eq!(defaults.log_format, LogFormat::Json);
    assert_eq!((defaults.health_listen, defaults.worker_threads), (None, None));
    let mut environment = given();
    environment.insert("HANDFOOT_DRAIN".to_owned(), "10s".to_owned());
    environment.insert("HANDFOOT_WORKER_THREADS".to_owned(), "3".to_owned());
    let from_environment = config_of(&[], &environment);
    assert_eq!(from_environment.settings.drain, Duration::from_secs(10));
    assert_eq!(from_environment.worker_threads.unwrap().get(), 3);
    let from_flag = config_of(&["--drain", "500ms", "--log-format=pretty"], &environment);
    assert_eq!(from_flag.settings.drain, Duration::from_millis(500));
    assert_eq!(from_flag.worker_threads.unwrap().get(), 3);
    assert_eq!(from_flag.log_format, LogFormat::Pretty);
    // A wrong environment variable does not matter where a flag counts.
    environment.insert("HANDFOOT_DRAIN".to_owned(), "soon".to_owned());
    config_of(&["--drain", "1s"], &environment);
}

#[test]
fn what_holds_can_be_printed_without_secrets() {
    let text = printed(&["--print-config", "--drain", "9s"], &given());
    assert!(text.contains("HANDFOOT_DRAIN=9s  # flag\n"), "{text}");
    assert!(text.contains("HANDFOOT_LISTEN=127.0.0.1:50051  # default\n"), "{text}");
    assert!(text.contains("HANDFOOT_TOKEN_KEY=(hidden)  # environment\n"), "{text}");
    assert!(text.contains("HANDFOOT_HEALTH_LISTEN=  # not given\n"), "{text}");
    let debug = format!("{:?}", config_of(&[], &given()));
    let secrets = given();
    for secret in secrets.values().filter(|value| *value != "memory:") {
        for part in secret.lines().filter(|line| line.len() > 8 && !line.starts_with('-')) {
            assert!(!text.contains(part) && !debug.contains(part), "{part}");
        }
    }
    assert!(!text.contains(TAG) && !debug.contains(TAG));
    // Mistakes come first here, too.
    mistakes(&["--print-config"], &Variables::new());
}

#[test]
fn a_secret_can_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let platforms = format!("# Acme\nacme:{TAG}\n\nother:{TAG}:acme:tables.read, third:{TAG}\n");
    let environment = variables(&[
        ("HANDFOOT_STORE_FILE", &file("store", "memory:\n")),
        ("HANDFOOT_TOKEN_KEY_FILE", &file("token.pem", KEY_A)),
        ("HANDFOOT_CREDENTIAL_KEY_FILE", &file("key", "a-very-secret-text-of-32-letters\n")),
        ("HANDFOOT_PLATFORM_CREDENTIALS_FILE", &file("platforms", &platforms)),
    ]);
    let bots = file("bots", &format!("bots:{TAG}\n"));
    let config = config_of(&["--bot-credentials-file", &bots], &environment);
    let KeySource::Given(keys) = &config.keys else { panic!("{:?}", config.keys) };
    assert_eq!((keys.platforms.len(), keys.bots.len()), (3, 1));
    assert_eq!(config.store.reveal(), "memory:");
}

#[test]
fn a_file_that_cannot_be_read_is_a_mistake_among_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_str().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    let binary = folder.path().join("binary");
    std::fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
    let environment = variables(&[
        ("HANDFOOT_STORE", "memory:"),
        ("HANDFOOT_STORE_FILE", "store"),
        ("HANDFOOT_TOKEN_KEY_FILE", &format!("{here}/none")),
        ("HANDFOOT_CREDENTIAL_KEY_FILE", here),
        ("HANDFOOT_PLATFORM_CREDENTIALS_FILE", empty.to_str().unwrap()),
        ("HANDFOOT_BOT_CREDENTIALS_FILE", binary.to_str().unwrap()),
    ]);
    let text = mistakes(&[], &environment).to_string();
    let expected = [
        "HANDFOOT_STORE (--store): is given twice, also by HANDFOOT_STORE_FILE",
        "none\" cannot be read (entity not found)",
        "\" is not a file",
        "empty\" is empty",
        "binary\" is not text",
    ];
    for part in expected {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn the_address_of_a_store_is_checked_before_it_is_opened() {
    for good in ["memory:", "file:x", "file:/a/b?sync=os", "file:x?sync=disk", "file:a b?"] {
        assert_eq!(config_of(&["--store", good], &given()).store.reveal(), good);
    }
    for bad in ["memory", "memory:x", "file:", "file:?sync=os", "file:x?sync=no", "/data", "x:"] {
        assert_eq!(mistakes(&["--store", bad], &given()).0.len(), 1, "{bad}");
    }
}

#[test]
fn a_list_of_credentials_has_each_id_once() {
    let list = |list: &str| {
        let flags = ["--platform-credentials", list];
        match read(&flags, &given()) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(list(&format!("a:{TAG},b:{TAG}")), "");
    assert!(list(&format!("a:{TAG},a:{TAG}:other")).contains("in entry 2 has an id that was"));
    assert!(list(&format!("a:{TAG}\nb:00")).contains("in entry 2 has an HMAC that is not"));
    assert!(list("# nobody").contains("has no entry"));
    let mut same = given();
    same.insert("HANDFOOT_PREVIOUS_TOKEN_KEY".to_owned(), KEY_A.to_owned());
    assert!(mistakes(&[], &same).to_string().contains("the same key as HANDFOOT_TOKEN_KEY"));
}

#[test]
fn own_keys_are_for_this_machine_only() {
    let local = ["--keys", "local", "--store", "memory:"];
    let config = config_of(&local, &Variables::new());
    assert!(matches!(config.keys, KeySource::Local { file: None }));
    let flags = [&local[..], &["--local-keys-file", "here", "--listen", "[::1]:0"]].concat();
    let config = config_of(&flags, &Variables::new());
    assert!(matches!(config.keys, KeySource::Local { file: Some(_) }));
    let outside = ["--listen", "0.0.0.0:50051", "--health-listen", "192.0.2.1:9090"];
    let found = mistakes(&[&local[..], &outside].concat(), &given());
    let named: Vec<&str> = found.0.iter().map(|mistake| &*mistake.variable).collect();
    let refused = [
        "HANDFOOT_TOKEN_KEY",
        "HANDFOOT_PREVIOUS_TOKEN_KEY",
        "HANDFOOT_CREDENTIAL_KEY",
        "HANDFOOT_PLATFORM_CREDENTIALS",
        "HANDFOOT_BOT_CREDENTIALS",
        "HANDFOOT_LISTEN",
        "HANDFOOT_HEALTH_LISTEN",
    ];
    assert_eq!(named, refused);
}

#[test]
fn a_misspelt_variable_is_a_warning() {
    let mut environment = given();
    for name in ["HANDFOOT_DRIAN", "HANDFOOT_SERVICE_HOST", "HANDFOOT_PORT", "HOME"] {
        environment.insert(name.to_owned(), "x".to_owned());
    }
    let config = config_of(&[], &environment);
    assert_eq!(config.warnings, ["HANDFOOT_DRIAN is set, but nothing reads it"]);
}

#[test]
fn help_names_everything() {
    let text = printed(&["--help"], &Variables::new());
    for part in ["HANDFOOT_TOKEN_KEY_FILE", "--drain", "[default: 25s]", "64  ", "Examples:"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(printed(&["--version"], &Variables::new()).starts_with("game-service "));
    for flags in [&["--unknown"][..], &["--drain"], &["word"], &["--drain=1s", "--drain=2s"]] {
        let error = read(flags, &Variables::new()).unwrap_err();
        assert!(matches!(error, ConfigError::CommandLine(_)), "{flags:?}");
        assert_eq!(error.exit().code(), 64);
    }
}
