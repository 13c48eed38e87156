//! The configuration: everything wrong is said at once, and the credential is not said at all.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use handfoot_bot_service::config::{self, Asked, ConfigError, Mistakes, VARIABLES};
use handfoot_bot_service::{Config, Work};
use handfoot_bots::Level;
use handfoot_telemetry::LogFormat;

type Variables = BTreeMap<String, String>;

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn read(flags: &[&str], environment: &Variables) -> Result<Asked, ConfigError> {
    let program = std::iter::once("bot-service");
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

fn given() -> Variables {
    variables(&[("HANDFOOT_BOT_CREDENTIAL", "hfb_bots.a-secret")])
}

/// Something wrong for every variable that there is.
const WRONG: [(&str, &str); 20] = [
    ("HANDFOOT_BOT_SERVERS", "ftp://games,https://games,games:0,http://user:hidden@games"),
    ("HANDFOOT_BOT_CA_FILE", "nowhere.pem"),
    ("HANDFOOT_BOT_SERVER_NAME", "no name"),
    ("HANDFOOT_BOT_CLIENT_CERTIFICATE_FILE", "nowhere-else.pem"),
    ("HANDFOOT_BOT_CLIENT_KEY_FILE", "nowhere.key"),
    ("HANDFOOT_BOT_CREDENTIAL", "a hidden text"),
    ("HANDFOOT_BOT_WORKER", "w012345678901234567890123456789012345678901234567890123456789012345"),
    ("HANDFOOT_BOT_LEVELS", "casual,mistress,master"),
    ("HANDFOOT_BOT_CONCURRENCY", "0"),
    ("HANDFOOT_BOT_ROLLOUTS_MAX", "many"),
    ("HANDFOOT_BOT_WAIT", "31s"),
    ("HANDFOOT_BOT_LEASE", "5"),
    ("HANDFOOT_BOT_DRAIN", "0s"),
    ("HANDFOOT_BOT_SEATS", "yes"),
    ("HANDFOOT_BOT_REPORT_EVERY", "2h"),
    ("HANDFOOT_BOT_LOG", "loud"),
    ("HANDFOOT_BOT_LOG_FORMAT", "xml"),
    ("HANDFOOT_BOT_METRICS_LISTEN", "9465"),
    ("HANDFOOT_BOT_TRACES_ENDPOINT", "http://user:hidden@collector:4317"),
    ("HANDFOOT_BOT_TRACES_SAMPLE", "5%"),
];

#[test]
fn every_mistake_is_said_at_once() {
    let mut wrong = variables(&WRONG);
    let all: BTreeSet<&str> = VARIABLES.iter().map(|variable| variable.name).collect();
    assert_eq!(wrong.keys().map(String::as_str).collect::<BTreeSet<_>>(), all);
    let text = mistakes(&[], &wrong).to_string();
    // What is for https:// only is read if there is such a server.
    assert!(text.starts_with("the configuration has 16 mistakes:"), "{text}");
    for part in [
        "\"ftp://games\" must",
        "\"games:0\" the port must be 1 to 65535",
        "an entry must be http://HOST:PORT",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("hidden"), "{text}");
    wrong.insert("HANDFOOT_BOT_SERVERS".to_owned(), "https://games".to_owned());
    let all: BTreeSet<&str> =
        all.into_iter().filter(|name| *name != "HANDFOOT_BOT_SERVERS").collect();
    let found = mistakes(&[], &wrong);
    let named: BTreeSet<&str> = found.0.iter().map(|mistake| &*mistake.variable).collect();
    assert_eq!((found.0.len(), named), (all.len(), all));
    for mistake in &found.0 {
        assert!(mistake.flag.starts_with("--") && !mistake.problem.is_empty());
        assert!(!mistake.example.is_empty());
    }
    let text = found.to_string();
    assert!(text.starts_with("the configuration has 19 mistakes:"), "{text}");
    for part in [
        "HANDFOOT_BOT_SEATS (--seats): \"yes\" is neither offered nor never\n    for example: offered",
        "HANDFOOT_BOT_CREDENTIAL (--credential-file): the value a credential is visible ASCII",
        "\"mistress\" no level \"mistress\"; there are: random, casual; \"master\" no level",
        "HANDFOOT_BOT_CA_FILE (--ca-file): nowhere.pem cannot",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("hidden"), "{text}");
}

#[test]
fn the_usual_configuration_needs_a_credential_only() {
    let missing = mistakes(&[], &Variables::new());
    assert_eq!(missing.0.len(), 1);
    assert!(missing.to_string().contains("HANDFOOT_BOT_CREDENTIAL"), "{missing}");
    // An empty variable is none.
    assert_eq!(mistakes(&[], &variables(&[("HANDFOOT_BOT_CREDENTIAL", "")])), missing);
    let config = config_of(&[], &given());
    assert_eq!(config.work, Work::usual());
    assert_eq!(config.endpoints[0].to_string(), "http://127.0.0.1:50051");
    assert_eq!(config.logs.format, LogFormat::Pretty);
    assert_eq!((config.metrics_listen, config.traces), (None, None));
}

#[test]
fn a_flag_counts_before_the_environment_before_the_default() {
    let mut environment = given();
    environment.insert("HANDFOOT_BOT_LEASE".to_owned(), "7s".to_owned());
    environment.insert("HANDFOOT_BOT_LEVELS".to_owned(), "casual, casual".to_owned());
    let config = config_of(&[], &environment);
    assert_eq!(config.work.lease, Duration::from_secs(7));
    assert_eq!(config.work.levels, [Level::Casual]);
    let flags = ["--lease=8s", "--traces-endpoint=http://collector:4317", "--traces-sample=0.5"];
    let config = config_of(&flags, &environment);
    assert_eq!(config.work.lease, Duration::from_secs(8));
    let traces = config.traces.unwrap();
    assert_eq!((traces.endpoint.as_str(), traces.sample), ("http://collector:4317", 0.5));
}

#[test]
fn a_credential_comes_from_the_environment_or_a_file_and_never_from_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credential");
    std::fs::write(&file, "hfb_bots.from-a-file\n").unwrap();
    let file = file.to_str().unwrap();
    let named = variables(&[("HANDFOOT_BOT_CREDENTIAL_FILE", file)]);
    config_of(&[], &named);
    config_of(&["--credential-file", file], &Variables::new());
    let error = read(&["--credential", "hfb_bots.on-the-line"], &Variables::new()).unwrap_err();
    assert!(matches!(error, ConfigError::CommandLine(_)), "{error}");
    let mut both = named;
    both.extend(given());
    assert!(mistakes(&[], &both).to_string().contains("is given twice"));
    let none = mistakes(&["--credential-file", "nowhere"], &Variables::new()).to_string();
    assert!(none.contains("the file \"nowhere\" cannot be read (entity not found)"), "{none}");
    let here = folder.path().to_str().unwrap();
    assert!(
        mistakes(&["--credential-file", here], &Variables::new())
            .to_string()
            .contains("is not a file")
    );
}

#[test]
fn what_holds_can_be_printed_without_secrets() {
    let mut environment = given();
    environment.insert("HANDFOOT_BOT_WAIT".to_owned(), "3s".to_owned());
    let text = printed(&["--print-config", "--lease=9s"], &environment);
    for line in [
        "HANDFOOT_BOT_LEASE=9s  # flag\n",
        "HANDFOOT_BOT_WAIT=3s  # environment\n",
        "HANDFOOT_BOT_DRAIN=10s  # default\n",
        "HANDFOOT_BOT_METRICS_LISTEN=  # not given\n",
        "HANDFOOT_BOT_CREDENTIAL=(hidden)  # environment\n",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    assert_eq!(text.lines().count(), VARIABLES.len());
    let debug = format!("{:?}", config_of(&[], &environment));
    assert!(!text.contains("a-secret") && !debug.contains("a-secret"));
    // Mistakes come first here, too.
    mistakes(&["--print-config"], &Variables::new());
}

#[test]
fn help_names_everything_and_a_misspelt_variable_is_a_warning() {
    let text = printed(&["--help"], &Variables::new());
    for variable in VARIABLES {
        assert!(text.contains(variable.name), "{}", variable.name);
    }
    for part in ["--credential-file", "[default: 10s]", "64  ", "--print-config"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let mut environment = given();
    environment.insert("HANDFOOT_BOT_LEASES".to_owned(), "5s".to_owned());
    environment.insert("HANDFOOT_STORE".to_owned(), "memory:".to_owned());
    let config = config_of(&[], &environment);
    assert_eq!(config.warnings, ["HANDFOOT_BOT_LEASES is set, but nothing reads it"]);
}

#[test]
fn tls_is_for_servers_that_speak_it() {
    let wrong = |flags: &[&str]| {
        let found = mistakes(flags, &given());
        found.0.iter().map(|m| format!("{}: {}", m.flag, m.problem)).collect::<Vec<_>>()
    };
    assert_eq!(
        wrong(&["--server-name=games", "--servers=http://games"]),
        ["--server-name: is for servers that begin with https://, and none does"]
    );
    let half = wrong(&["--servers=https://games", "--client-certificate-file=a.pem"]);
    let expected = "--client-key-file: must be set with HANDFOOT_BOT_CLIENT_CERTIFICATE_FILE";
    assert_eq!(half, [expected]);
    let half = wrong(&["--servers=https://games", "--client-key-file=a.key"]);
    let expected = "--client-certificate-file: must be set with HANDFOOT_BOT_CLIENT_KEY_FILE";
    assert_eq!(half, [expected]);
    let unreadable = wrong(&["--servers=https://games", "--ca-file=nowhere.pem"]);
    assert!(unreadable[0].starts_with("--ca-file: nowhere.pem cannot"), "{unreadable:?}");
    // What is empty is not given.
    let empty =
        ["--ca-file=", "--server-name=", "--client-certificate-file=", "--client-key-file="];
    let empty = config_of(&empty, &given());
    assert_eq!(empty.tls, config_of(&[], &given()).tls);
}
