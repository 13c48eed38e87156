//! The command line: what can be asked for.
//!
//! **Invariant:** words and numbers only; nothing is opened, played or printed here.

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use handfoot_client::Endpoint;

use crate::options::OptionsChoice;
use crate::scores::Format;

const EXIT_CODES: &str = "\
Exit codes:
   0  all went well
   1  a check failed: a conformance case, a record, a replay
  64  the command line asks for something that does not exist
  65  a file was read and makes no sense
  66  a file is missing or cannot be read
  69  a service cannot be had: its port or its store is in use or away
  70  a law of the engine is broken: please report it with what was printed
  73  a file or the output cannot be written
  74  the store failed: the disk is full, or its files are damaged
  77  a token is not accepted
 130  a signal came before the end

Examples:
  handfoot                                      watch four bots play a whole game
  handfoot demo --players 2 --seed 7            the same game every time
  handfoot demo --rules foot-canasta --json     the game as one JSON object
  handfoot play                                 play yourself, against bots
  handfoot serve --bots                         the service, for other programs
  handfoot rules show whitnack                  every parameter of a rule set
  handfoot simulate --policy random --laws off  how fast the engine is
  handfoot conform tests/conformance            do all conformance cases hold?";

const DEMO_EXAMPLES: &str = "\
Examples:
  handfoot demo                                   four bots, Whitnack's rules
  handfoot demo --seed 7 --players 6              six seats, the same game every time
  handfoot demo --players 2 --bots casual,random  one level a seat
  handfoot demo --rules my-rules.toml             house rules from a file
  handfoot demo --seed 7 --record game.record     keep it, then: handfoot record show game.record
  handfoot demo --seed 7 --in-process             the same game without any service
  handfoot demo --lays concealed --undo by-consent --first-dealer 4
  handfoot demo --json | jq .totals               the result for programs";

const PLAY_EXAMPLES: &str = "\
Examples:
  handfoot play                                      you and a bot against two bots
  handfoot play --players 2 --bots random            one easy opponent
  handfoot play --rules foot-canasta --seed 7        the same deals every time
  handfoot play --connect 127.0.0.1:50051 --token T  at a server, see: handfoot serve --bots
  handfoot play --connect https://games.example --token T   at one that speaks TLS";

const SERVE_EXAMPLES: &str = "\
Examples:
  handfoot serve                                     on 127.0.0.1:50051, tables in memory
  handfoot serve --bots                              with bots of every level
  handfoot serve --store file:my-tables --bots casual  a restart goes on where it was
  handfoot serve --listen 127.0.0.1:0 --json         any free port, one JSON object a line";

const LIST_EXAMPLES: &str = "\
Examples:
  handfoot rules list
  handfoot rules list --json";

const SHOW_EXAMPLES: &str = "\
Examples:
  handfoot rules show whitnack
  handfoot rules show whitnack --players 6 > my-rules.toml    a file to start from
  handfoot rules show bga+percentage+must-discard             a preset with two overrides
  handfoot rules show foot-canasta --json";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  handfoot rules explain whitnack
  handfoot rules explain simpson+lifting --players 6
  handfoot rules explain my-rules.toml --section opening
  handfoot rules explain bga --json | jq .figures";

const CHECK_EXAMPLES: &str = "\
Examples:
  handfoot rules check my-rules.toml
  handfoot rules check my-rules.toml --json";

const SIMULATE_EXAMPLES: &str = "\
Examples:
  handfoot simulate                                            100 random games, laws checked
  handfoot simulate --policy casual --players 6 --games 1000
  handfoot simulate --laws off --games 2000 --json             the speed of the engine
  handfoot simulate --rules all --every-table --games 2        every preset at every table
  handfoot simulate --laws 1 --games 10                        every law after every action";

const CONFORM_EXAMPLES: &str = "\
Examples:
  handfoot conform tests/conformance                 a folder with all its folders
  handfoot conform my-case.txt --json";

const RECORD_EXAMPLES: &str = "\
Examples:
  handfoot demo --seed 7 --record game.record
  handfoot record show game.record       every action, and the score sheets
  handfoot record show game.record --scores=csv > scores.csv
  handfoot record verify game.record     is it a game that was really dealt and played so?
  handfoot record replay game.record     play it again and print the result";

/// The card game Hand and Foot on one machine: watch bots play, look at rule sets, check the engine.
#[derive(Debug, Parser)]
#[command(name = "handfoot", version, after_help = EXIT_CODES)]
#[command(about = "The card game Hand and Foot on one machine. Without a command: demo.")]
pub(crate) struct Cli {
    /// What to do; nothing means `demo`.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a whole game between bots and print it, with a score sheet after each round
    #[command(after_help = DEMO_EXAMPLES)]
    Demo(DemoArgs),
    /// Play in the terminal, in seat 1, against bots
    #[command(after_help = PLAY_EXAMPLES)]
    Play(PlayArgs),
    /// Serve tables to other programs on this machine, with bots if wanted, until ctrl-c
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// List, show, explain and check rule sets
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Play many games on the bare engine, count, and check its laws
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(SimulateArgs),
    /// Run conformance cases
    #[command(after_help = CONFORM_EXAMPLES)]
    Conform(ConformArgs),
    /// Show, verify and replay the record of a game
    #[command(subcommand, after_help = RECORD_EXAMPLES)]
    Record(RecordCommand),
}

/// Which rules, at which table.
#[derive(Debug, Args)]
pub(crate) struct RulesChoice {
    /// A preset (see `rules list`) or a rule file, with +OVERRIDE
    #[arg(long, value_name = "PRESET|FILE", default_value = "whitnack")]
    pub(crate) rules: String,
    /// Seats at the table; the rule set's usual number if left out
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Seats of a team; the usual number for so many seats if left out
    #[arg(long, value_name = "N")]
    pub(crate) team_size: Option<u8>,
}

/// A game to play.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) table: RulesChoice,
    #[command(flatten)]
    pub(crate) options: OptionsChoice,
    /// Fixes deals and decisions; if left out, one is chosen and printed
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How well the bots play: one level for all, or one a seat
    #[arg(long, value_name = "LEVEL[,LEVEL...]", default_value = "casual")]
    pub(crate) bots: String,
    /// Write the game's record to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Play on the bare engine, without starting the services
    #[arg(long)]
    pub(crate) in_process: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// A game for a person.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) table: RulesChoice,
    #[command(flatten)]
    pub(crate) options: OptionsChoice,
    /// Let the table draw where you and the bots sit; you have seat 1 otherwise
    #[arg(long)]
    pub(crate) draw_seats: bool,
    /// Fixes deals and the decisions of bots; if left out, nobody knows the deals
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How well the bots play: one level for all, or one a bot
    #[arg(long, value_name = "LEVEL[,LEVEL...]", default_value = "casual")]
    pub(crate) bots: String,
    /// Play at this server, with https:// if it speaks TLS; without, the services are started here
    #[arg(long, value_name = "ADDR")]
    pub(crate) connect: Option<Endpoint>,
    #[command(flatten)]
    pub(crate) tls: TlsChoice,
    /// With --connect: a platform token, or the token of a seat
    #[arg(long, value_name = "TOKEN", env = "HANDFOOT_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
}

/// How a server behind `https://` is known.
#[derive(Debug, Args)]
pub(crate) struct TlsChoice {
    /// With https://: a file of the authorities (PEM) to trust, instead of the system's
    #[arg(long, value_name = "FILE", requires = "connect")]
    pub(crate) ca_file: Option<PathBuf>,
    /// With https://: the name that the server's certificate must be for, if not the one in --connect
    #[arg(long, value_name = "NAME", requires = "connect")]
    pub(crate) server_name: Option<String>,
    /// With https://: a certificate (PEM) to show to a server that asks who is calling
    #[arg(long, value_name = "FILE", requires = "client_key_file")]
    pub(crate) client_certificate_file: Option<PathBuf>,
    /// The key (PEM) of that certificate
    #[arg(long, value_name = "FILE", requires = "client_certificate_file", requires = "connect")]
    pub(crate) client_key_file: Option<PathBuf>,
}

/// What to serve, and where.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:50051")]
    pub(crate) listen: SocketAddr,
    /// memory:, file:PATH[?sync=disk|os] or redis://HOST:PORT
    #[arg(long, value_name = "STORE", default_value = "memory:")]
    pub(crate) store: String,
    /// Where keys are kept; without, beside a folder, else new ones at every start
    #[arg(long, value_name = "PATH")]
    pub(crate) local_keys_file: Option<PathBuf>,
    /// Let bots of these levels play; without levels, of all
    #[arg(long, value_name = "LEVEL[,LEVEL...]", num_args = 0..=1, default_missing_value = "all")]
    pub(crate) bots: Option<String>,
    /// Let other machines reach it too; keys are sent unencrypted
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// What is logged: off, error, warn, info, debug, trace
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: String,
    /// Print one JSON object a line: at the start and at the end
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with rule sets.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// List the presets
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// Print one JSON array and nothing else
        #[arg(long)]
        json: bool,
    },
    /// Print a rule set with all its parameters, as a rule file
    #[command(after_help = SHOW_EXAMPLES)]
    Show {
        /// A preset's id or a rule file, and after it overrides of it, each with a plus
        #[arg(value_name = "PRESET|FILE")]
        rules: String,
        /// Seats at the table; the rule set's usual number if left out
        #[arg(long, value_name = "N")]
        players: Option<u8>,
        /// Print one JSON object instead
        #[arg(long)]
        json: bool,
    },
    /// Say in plain language how a rule set is played
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain {
        /// A preset's id or a rule file, and after it overrides of it, each with a plus
        #[arg(value_name = "PRESET|FILE")]
        rules: String,
        /// Seats at the table; the rule set's usual number if left out
        #[arg(long, value_name = "N")]
        players: Option<u8>,
        /// Print one section only, such as opening
        #[arg(long, value_name = "ID")]
        section: Option<String>,
        /// Print one JSON object instead, with decks, deals and expected length in numbers
        #[arg(long)]
        json: bool,
    },
    /// Say everything that is wrong or odd about a rule file
    #[command(after_help = CHECK_EXAMPLES)]
    Check {
        /// The rule file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print one JSON object and nothing else
        #[arg(long)]
        json: bool,
    },
}

/// Games to simulate.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) table: RulesChoice,
    /// Play them at every table that the rules allow; `--rules all` takes every preset
    #[arg(long, conflicts_with_all = ["players", "team_size"])]
    pub(crate) every_table: bool,
    #[command(flatten)]
    pub(crate) options: OptionsChoice,
    /// Who decides, for every seat
    #[arg(long, value_name = "LEVEL", default_value = "random")]
    pub(crate) policy: String,
    /// How many games
    #[arg(long, value_name = "N", default_value = "100")]
    pub(crate) games: NonZeroU64,
    /// Fixes all deals and decisions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Check the engine's laws; N: deal hidden cards anew at every Nth action
    #[arg(long, value_name = "off|on|N", default_value = "on")]
    pub(crate) laws: LawsChoice,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whether the laws are checked, and how often the dear ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LawsChoice {
    /// Not at all.
    Off,
    /// After every action, and those that deal hidden cards anew at every so many.
    Every(NonZeroU64),
}

impl LawsChoice {
    /// How often hidden cards are dealt anew unless a number is given.
    const USUAL: u64 = 64;
}

impl std::fmt::Display for LawsChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LawsChoice::Off => f.write_str("off"),
            LawsChoice::Every(number) => write!(f, "every {number}"),
        }
    }
}

impl std::str::FromStr for LawsChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<LawsChoice, &'static str> {
        let number = match text {
            "off" => return Ok(LawsChoice::Off),
            "on" => Some(LawsChoice::USUAL),
            number => number.parse().ok(),
        };
        let number = number.and_then(NonZeroU64::new);
        number.map(LawsChoice::Every).ok_or("expected off, on, or a number from 1")
    }
}

/// Cases to run.
#[derive(Debug, Args)]
pub(crate) struct ConformArgs {
    /// Case files, or folders of them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with a record.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// Print what was played, a line an event, and the score sheets
    #[command(after_help = RECORD_EXAMPLES)]
    Show(ShownRecord),
    /// Deal and play it again and compare everything
    #[command(after_help = RECORD_EXAMPLES)]
    Verify(RecordFile),
    /// Play it again and print the result
    #[command(after_help = RECORD_EXAMPLES)]
    Replay(RecordFile),
}

/// A record, and what of it is shown.
#[derive(Debug, Args)]
pub(crate) struct ShownRecord {
    #[command(flatten)]
    pub(crate) record: RecordFile,
    /// Print the score sheet of the whole game and nothing else
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "text")]
    pub(crate) scores: Option<Format>,
}

/// A record.
#[derive(Debug, Args)]
pub(crate) struct RecordFile {
    /// The record
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}
