//! The configuration: flags, environment, defaults, and all mistakes at once.
//!
//! **Invariant:** nothing is connected to here; the files of a credential and for TLS are read. A credential is
//! never taken from the command line, which others on the machine can see.

use std::convert::Infallible;
use std::fmt::Write;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Parser;
use clap::error::ErrorKind;
use handfoot_bots::Level;
use handfoot_client::{BotCredential, Endpoint, IdentityFiles, TlsMistake, TlsPart, TlsSettings};
use tracing_subscriber::filter::Targets;

use crate::budget::Budget;
use crate::exit::Exit;
use crate::mistakes::{Mistake, Mistakes};
use crate::work::{SeatTaking, Work};

/// The credential itself, from the environment only.
const CREDENTIAL: &str = "HANDFOOT_BOT_CREDENTIAL";

/// Characters of a worker's name, at most.
const WORKER_CHARACTERS_MAX: usize = 64;

/// A whole configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where servers are.
    pub endpoints: Vec<Endpoint>,
    /// How those behind `https://` are known.
    pub tls: TlsSettings,
    /// The credential of the worker.
    pub credential: BotCredential,
    /// How it works.
    pub work: Work,
    /// What is logged.
    pub log: Targets,
    /// How it looks.
    pub log_format: LogFormat,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line, for programs.
    Json,
    /// For people.
    Pretty,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Help or the version was asked for.
    #[error("{0}")]
    Print(String),
    /// The command line has a flag that does not exist, or lacks a value.
    #[error("{0}")]
    CommandLine(String),
    /// Values are wrong.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
}

impl ConfigError {
    /// The exit code for it.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        match self {
            ConfigError::Print(_) => Exit::Ok,
            ConfigError::CommandLine(_) | ConfigError::Mistakes(_) => Exit::Config,
        }
    }
}

/// Plays the seats of bots through the API of game-service.
#[derive(Debug, Parser)]
#[command(name = "bot-service", version, after_help = after_help())]
struct Flags {
    /// Servers, separated by commas, with http:// or https://; a name may stand for many, and is
    /// looked up again
    #[arg(long, value_name = "URL", env = "HANDFOOT_BOT_SERVERS")]
    #[arg(default_value = "http://127.0.0.1:50051")]
    servers: String,
    /// A file of the authorities (PEM) to trust behind https://, instead of the system's
    #[arg(long, value_name = "PATH", env = "HANDFOOT_BOT_CA_FILE", value_parser = path)]
    ca_file: Option<PathBuf>,
    /// The name that the certificates of servers must be for, instead of the one in the URL
    #[arg(long, value_name = "NAME", env = "HANDFOOT_BOT_SERVER_NAME")]
    server_name: Option<String>,
    /// A file with a certificate (PEM) to show to servers that ask who is calling
    #[arg(long, value_name = "PATH", env = "HANDFOOT_BOT_CLIENT_CERTIFICATE_FILE", value_parser = path)]
    client_certificate_file: Option<PathBuf>,
    /// A file with the key (PEM) of that certificate
    #[arg(long, value_name = "PATH", env = "HANDFOOT_BOT_CLIENT_KEY_FILE", value_parser = path)]
    client_key_file: Option<PathBuf>,
    /// A file with the worker's credential; HANDFOOT_BOT_CREDENTIAL has the credential itself
    #[arg(long, value_name = "PATH", env = "HANDFOOT_BOT_CREDENTIAL_FILE")]
    credential_file: Option<String>,
    /// The worker's name, for the logs of servers
    #[arg(long, value_name = "NAME", env = "HANDFOOT_BOT_WORKER", default_value = "bot-service")]
    worker: String,
    /// Levels that it plays, separated by commas
    #[arg(long, value_name = "LEVELS", env = "HANDFOOT_BOT_LEVELS")]
    #[arg(default_value = "random,casual")]
    levels: String,
    /// Decisions under way at once, at most
    #[arg(long, value_name = "1..4096", env = "HANDFOOT_BOT_CONCURRENCY", default_value = "64")]
    concurrency: String,
    /// Games that a decision may play out in thought, at most
    #[arg(long, value_name = "N", env = "HANDFOOT_BOT_ROLLOUTS_MAX", default_value = "2000")]
    rollouts_max: String,
    /// How long a call for work waits
    #[arg(long, value_name = "0s..30s", env = "HANDFOOT_BOT_WAIT", default_value = "20s")]
    wait: String,
    /// How long a decision is the worker's; after that another may take it
    #[arg(long, value_name = "1s..60s", env = "HANDFOOT_BOT_LEASE", default_value = "5s")]
    lease: String,
    /// How long ending may take
    #[arg(long, value_name = "1s..5m", env = "HANDFOOT_BOT_DRAIN", default_value = "10s")]
    drain: String,
    /// Whether to take seats that are offered to bots: offered, never
    #[arg(long, value_name = "WORD", env = "HANDFOOT_BOT_SEATS", default_value = "offered")]
    seats: String,
    /// How often the counts are logged; 0s: at the end only
    #[arg(long, value_name = "0s..1h", env = "HANDFOOT_BOT_REPORT_EVERY", default_value = "1m")]
    report_every: String,
    /// What is logged: a level, or target=level, separated by commas
    #[arg(long, value_name = "FILTER", env = "HANDFOOT_BOT_LOG", default_value = "info")]
    log: String,
    /// How log lines look: json, pretty
    #[arg(long, value_name = "WORD", env = "HANDFOOT_BOT_LOG_FORMAT", default_value = "pretty")]
    log_format: String,
}

fn after_help() -> String {
    let mut text = String::from(
        "A flag counts before an environment variable. Lengths of time have a unit: 200ms, 25s, \
         5m.\n\nExit codes:\n",
    );
    for exit in Exit::ALL {
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {:>2}  {}", exit.code(), exit.meaning());
    }
    text
}

/// Reads a command line, which begins with the name of the program, and the environment.
///
/// # Errors
///
/// Every mistake at once.
pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Config, ConfigError> {
    match Flags::try_parse_from(arguments) {
        Ok(flags) => Ok(resolve(&flags, std::env::var(CREDENTIAL).ok())?),
        Err(error) => {
            let text = error.render().to_string();
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            Err(if asked { ConfigError::Print(text) } else { ConfigError::CommandLine(text) })
        }
    }
}

/// Collects mistakes instead of stopping at the first.
#[derive(Default)]
struct Reader(Vec<Mistake>);

impl Reader {
    fn wrong(&mut self, flag: &'static str, problem: impl std::fmt::Display) {
        self.0.push(Mistake { flag, problem: problem.to_string() });
    }

    fn take<T, E: std::fmt::Display>(
        &mut self,
        flag: &'static str,
        read: Result<T, E>,
    ) -> Option<T> {
        read.map_err(|problem| self.wrong(flag, problem)).ok()
    }

    /// Entries separated by commas, at least one.
    fn entries<T: FromStr<Err: std::fmt::Display>>(
        &mut self,
        flag: &'static str,
        text: &str,
    ) -> Vec<T> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let read: Vec<Result<T, T::Err>> = entries.map(str::parse).collect();
        if read.is_empty() {
            self.wrong(flag, "needs at least one entry");
        }
        read.into_iter().filter_map(|entry| self.take(flag, entry)).collect()
    }

    fn number(&mut self, flag: &'static str, text: &str, within: RangeInclusive<u32>) -> u32 {
        match text.parse() {
            Ok(number) if within.contains(&number) => number,
            Ok(_) | Err(_) => {
                let (least, most) = (within.start(), within.end());
                self.wrong(flag, format!("must be a number from {least} to {most}"));
                *least
            }
        }
    }

    fn length(&mut self, flag: &'static str, text: &str, least: u64, most: u64) -> Duration {
        let (least, most) = (Duration::from_secs(least), Duration::from_secs(most));
        match duration(text) {
            Some(length) if (least..=most).contains(&length) => length,
            Some(_) | None => {
                self.wrong(flag, format!("must be a length of time from {least:?} to {most:?}"));
                least
            }
        }
    }

    fn credential(&mut self, file: Option<&str>, given: Option<String>) -> Option<BotCredential> {
        let text = match (file, given) {
            (Some(_), Some(_)) => {
                self.wrong("credential-file", format!("and {CREDENTIAL} are both set; set one"));
                return None;
            }
            (Some(path), None) => {
                let unreadable =
                    |error: std::io::Error| format!("the file cannot be read ({})", error.kind());
                self.take("credential-file", fs::read_to_string(path).map_err(unreadable))?
            }
            (None, Some(text)) => text,
            (None, None) => {
                self.wrong("credential-file", format!("must be set, or {CREDENTIAL}"));
                return None;
            }
        };
        self.take("credential-file", BotCredential::new(text.trim()))
    }

    fn tls(&mut self, flags: &Flags, endpoints: &[Endpoint]) -> TlsSettings {
        // Of a server that could not be read it is not known whether it begins with https://.
        let all_read = self.0.is_empty();
        let certificate = given(flags.client_certificate_file.as_ref());
        let identity = match (certificate, given(flags.client_key_file.as_ref())) {
            (Some(certificate), Some(key)) => {
                Some(IdentityFiles { certificate: certificate.clone(), key: key.clone() })
            }
            (Some(_), None) => {
                self.wrong("client-key-file", "must be set with --client-certificate-file");
                None
            }
            (None, Some(_)) => {
                self.wrong("client-certificate-file", "must be set with --client-key-file");
                None
            }
            (None, None) => None,
        };
        let ca_file = given(flags.ca_file.as_ref()).cloned();
        let server_name = flags.server_name.clone().filter(|name| !name.is_empty());
        let tls = TlsSettings { ca_file, server_name, identity };
        for mistake in tls.mistakes(endpoints) {
            let is_doubtful = matches!(mistake, TlsMistake::NotUsed { .. }) && !all_read;
            if !is_doubtful {
                self.wrong(flag_of(mistake.part()), mistake);
            }
        }
        tls
    }

    /// One of some words.
    fn word<T: Copy>(&mut self, flag: &'static str, text: &str, words: &[(&str, T)]) -> Option<T> {
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(flag, format!("must be {}", words.join(" or ")));
        }
        found.map(|(_, value)| *value)
    }
}

/// The flag from which a part of the settings for TLS comes.
const fn flag_of(part: TlsPart) -> &'static str {
    match part {
        TlsPart::Authorities => "ca-file",
        TlsPart::ServerName => "server-name",
        TlsPart::Certificate => "client-certificate-file",
        TlsPart::Key => "client-key-file",
    }
}

fn resolve(flags: &Flags, credential: Option<String>) -> Result<Config, Mistakes> {
    let mut reader = Reader::default();
    let endpoints: Vec<Endpoint> = reader.entries("servers", &flags.servers);
    let tls = reader.tls(flags, &endpoints);
    let credential = reader.credential(flags.credential_file.as_deref(), credential);
    if !(1..=WORKER_CHARACTERS_MAX).contains(&flags.worker.chars().count()) {
        reader.wrong("worker", format!("must have 1 to {WORKER_CHARACTERS_MAX} characters"));
    }
    let mut levels: Vec<Level> = reader.entries("levels", &flags.levels);
    levels.sort_unstable();
    levels.dedup();
    let concurrency = reader.number("concurrency", &flags.concurrency, 1..=4096);
    let rollouts_max = reader.number("rollouts-max", &flags.rollouts_max, 1..=1_000_000);
    let wait = reader.length("wait", &flags.wait, 0, 30);
    let lease = reader.length("lease", &flags.lease, 1, 60);
    let drain = reader.length("drain", &flags.drain, 1, 300);
    let words = [("offered", SeatTaking::Offered), ("never", SeatTaking::Never)];
    let seats = reader.word("seats", &flags.seats, &words);
    let report_every = reader.length("report-every", &flags.report_every, 0, 3600);
    let log = reader.take("log", Targets::from_str(&flags.log));
    let words = [("json", LogFormat::Json), ("pretty", LogFormat::Pretty)];
    let log_format = reader.word("log-format", &flags.log_format, &words);
    match (credential, seats, log, log_format) {
        (Some(credential), Some(seats), Some(log), Some(log_format)) if reader.0.is_empty() => {
            let work = Work {
                worker: flags.worker.clone(),
                levels,
                concurrency: usize::try_from(concurrency).unwrap_or(1),
                budget: Budget { rollouts_max },
                wait,
                lease,
                drain,
                seats,
                report_every,
            };
            Ok(Config { endpoints, tls, credential, work, log, log_format })
        }
        _ => Err(Mistakes(reader.0)),
    }
}

/// A path as it was written; an empty one stands for none, as in the files of `deploy`.
fn path(text: &str) -> Result<PathBuf, Infallible> {
    Ok(PathBuf::from(text))
}

fn given(path: Option<&PathBuf>) -> Option<&PathBuf> {
    path.filter(|path| !path.as_os_str().is_empty())
}

/// A length of time with its unit.
fn duration(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let number: u64 = number.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        "h" => number.checked_mul(3600).map(Duration::from_secs),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(arguments: &[&str], credential: Option<&str>) -> Result<Config, Mistakes> {
        let arguments = ["bot-service"].iter().chain(arguments);
        let flags = Flags::try_parse_from(arguments).unwrap();
        resolve(&flags, credential.map(str::to_owned))
    }

    #[test]
    fn the_usual_configuration_needs_a_credential_only() {
        let config = resolved(&[], Some("hfb_a.b\n")).unwrap();
        assert_eq!(config.work, Work { worker: "bot-service".to_owned(), ..Work::usual() });
        assert_eq!(config.endpoints[0].to_string(), "http://127.0.0.1:50051");
        assert!(!format!("{config:?}").contains("hfb_a"), "a credential is not printed");
    }

    #[test]
    fn what_is_empty_is_not_given() {
        let empty =
            ["--ca-file=", "--server-name=", "--client-certificate-file=", "--client-key-file="];
        let config = resolved(&empty, Some("hfb_a.b")).unwrap();
        assert_eq!(config.tls, resolved(&[], Some("hfb_a.b")).unwrap().tls);
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let arguments = [
            "--servers=ftp://games,https://games,games:0",
            "--ca-file=nowhere.pem",
            "--server-name=no name",
            "--client-key-file=nowhere.key",
            "--worker=",
            "--levels=casual,master",
            "--concurrency=0",
            "--rollouts-max=many",
            "--wait=31s",
            "--lease=5",
            "--drain=0s",
            "--seats=yes",
            "--report-every=2h",
            "--log=loud=loud=loud",
            "--log-format=xml",
        ];
        let mistakes = resolved(&arguments, None).unwrap_err();
        let flags: Vec<&str> = mistakes.0.iter().map(|mistake| mistake.flag).collect();
        let expected = [
            "servers",
            "servers",
            "client-certificate-file",
            "ca-file",
            "server-name",
            "credential-file",
            "worker",
            "levels",
            "concurrency",
            "rollouts-max",
            "wait",
            "lease",
            "drain",
            "seats",
            "report-every",
            "log",
            "log-format",
        ];
        assert_eq!(flags, expected);
        let told = mistakes.to_string();
        let line = "--seats (HANDFOOT_BOT_SEATS): must be offered or never";
        assert!(told.contains(line), "{told}");
    }

    #[test]
    fn a_credential_comes_from_one_place_and_is_not_repeated() {
        let both = resolved(&["--credential-file=nowhere"], Some("secret")).unwrap_err();
        assert!(both.to_string().contains("both set"));
        let missing = resolved(&["--credential-file=nowhere"], None).unwrap_err();
        assert!(missing.to_string().contains("cannot be read"));
        let bad = resolved(&[], Some("se cret")).unwrap_err().to_string();
        assert!(bad.contains("visible ASCII") && !bad.contains("cret "), "{bad}");
    }

    #[test]
    fn tls_is_for_servers_that_speak_it() {
        let wrong = |arguments: &[&str]| {
            let mistakes = resolved(arguments, Some("hfb_a.b")).unwrap_err().to_string();
            mistakes.lines().skip(1).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
        };
        let unused = wrong(&["--server-name=games", "--servers=http://games"]);
        let line = "--server-name (HANDFOOT_BOT_SERVER_NAME): is for servers that begin with \
                    https://, and none does";
        assert_eq!(unused, [line]);
        let half = wrong(&["--servers=http://games", "--client-certificate-file=a.pem"]);
        assert!(half[0].starts_with("--client-key-file") && half.len() == 1, "{half:?}");
        let unreadable = wrong(&["--servers=https://games", "--ca-file=nowhere.pem"]);
        assert!(unreadable[0].contains("--ca-file (HANDFOOT_BOT_CA_FILE): nowhere.pem cannot"));
    }

    #[test]
    fn the_command_line_is_checked_too() {
        let error = read(["bot-service", "--wrong"].map(str::to_owned)).unwrap_err();
        assert_eq!(error.exit(), Exit::Config);
        let error = read(["bot-service", "--help"].map(str::to_owned)).unwrap_err();
        assert_eq!(error.exit(), Exit::Ok);
        assert!(error.to_string().contains("64  the configuration is wrong"));
    }
}
