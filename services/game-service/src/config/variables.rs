//! Every variable of the configuration, in one table.
//!
//! **Invariant:** flags, help, mistakes and `--print-config` are made from this table, so that none
//! of them can forget a variable or name another default.

/// Whether a value may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// It is.
    Open,
    /// It never is. It can come from a file: `--FLAG-file`, `VARIABLE_FILE`.
    Secret,
}

/// One variable.
#[derive(Debug)]
pub(super) struct Variable {
    /// Its flag, without the dashes.
    pub(super) flag: &'static str,
    /// Its environment variable.
    pub(super) name: &'static str,
    /// The flag that names a file with the value, if it is secret.
    pub(super) file_flag: &'static str,
    /// The environment variable that names a file with the value, if it is secret.
    pub(super) file_name: &'static str,
    /// What stands for the value in help.
    pub(super) value: &'static str,
    /// What it is.
    pub(super) help: &'static str,
    /// What it is if it is not given.
    pub(super) default: Option<&'static str>,
    /// A value that is right.
    pub(super) example: &'static str,
    /// Whether it may be shown.
    pub(super) shown: Shown,
}

macro_rules! variables {
    ($($id:ident $flag:literal $name:literal $value:literal $shown:ident
        $default:expr, $example:literal, $help:literal;)+) => {
        $(pub(super) const $id: Variable = Variable {
            flag: $flag,
            name: $name,
            file_flag: concat!($flag, "-file"),
            file_name: concat!($name, "_FILE"),
            value: $value,
            help: $help,
            default: $default,
            example: $example,
            shown: Shown::$shown,
        };)+

        /// All of them, in the order of help.
        pub(super) const ALL: &[&Variable] = &[$(&$id),+];
    };
}

variables! {
    LISTEN "listen" "HANDFOOT_LISTEN" "ADDRESS" Open
        Some("127.0.0.1:50051"), "0.0.0.0:50051",
        "Where the API listens; port 0 takes a free one";
    HEALTH_LISTEN "health-listen" "HANDFOOT_HEALTH_LISTEN" "ADDRESS" Open
        None, "0.0.0.0:9090",
        "Where health listens as well, for probes; nowhere else unless it is given";
    STORE "store" "HANDFOOT_STORE" "URL" Secret
        None, "file:/var/lib/handfoot/tables",
        "Where tables are kept: memory:, file:PATH[?sync=disk|os], or redis://, redis+sentinel:// or \
         redis+cluster:// (rediss for TLS) [?durability=local|replicated|strict]";
    KEYS "keys" "HANDFOOT_KEYS" "local|given" Open
        Some("given"), "local",
        "local: makes its own keys, prints how to call it, listens on loopback only";
    LOCAL_KEYS_FILE "local-keys-file" "HANDFOOT_LOCAL_KEYS_FILE" "PATH" Open
        None, "/var/lib/handfoot/local-keys",
        "With local keys: where they are kept; not given: new ones at every start";
    TOKEN_KEY "token-key" "HANDFOOT_TOKEN_KEY" "PEM" Secret
        None, "a PEM file made with: openssl genpkey -algorithm ed25519",
        "The Ed25519 key that signs seat tokens";
    PREVIOUS_TOKEN_KEY "previous-token-key" "HANDFOOT_PREVIOUS_TOKEN_KEY" "PEM" Secret
        None, "the token key before the last change, or its public half",
        "The key that signed them before, until the last of those tokens has expired";
    CREDENTIAL_KEY "credential-key" "HANDFOOT_CREDENTIAL_KEY" "TEXT" Secret
        None, "a file made with: openssl rand -hex 32",
        "The key of the HMACs as which API keys are given here, at least 32 characters";
    PLATFORM_CREDENTIALS "platform-credentials" "HANDFOOT_PLATFORM_CREDENTIALS" "LIST" Secret
        None, "acme:HMAC or acme-2:HMAC:acme:tables.read+tables.write",
        "Platforms: ID:HMAC[:TENANT[:SCOPE+SCOPE]], one a line or with commas between";
    BOT_CREDENTIALS "bot-credentials" "HANDFOOT_BOT_CREDENTIALS" "LIST" Secret
        None, "bots:HMAC:*",
        "Bot workers: ID:HMAC[:TENANT], one a line or with commas between; * is every tenant";
    DRAIN "drain" "HANDFOOT_DRAIN" "DURATION" Open
        Some("25s"), "25s",
        "How long the end may take, from SIGTERM on: 0s to 10m";
    STREAMS_PER_CONNECTION_MAX "streams-per-connection-max" "HANDFOOT_STREAMS_PER_CONNECTION_MAX"
        "N" Open
        Some("1024"), "1024",
        "Calls and streams that one connection may have open: 1 to 65536";
    CONNECTION_AGE "connection-age" "HANDFOOT_CONNECTION_AGE" "DURATION" Open
        Some("30m"), "30m",
        "Age, give or take a fifth, at which clients are asked to connect anew: 10s to 24h";
    TABLES_MAX "tables-max" "HANDFOOT_TABLES_MAX" "N" Open
        Some("100000"), "100000",
        "Tables that are kept at once: 1 to 10000000";
    LOG_ENTRIES_MAX "log-entries-max" "HANDFOOT_LOG_ENTRIES_MAX" "N" Open
        Some("4096"), "4096",
        "Commits that are kept of each table: 256 to 1000000";
    WORKER_THREADS "worker-threads" "HANDFOOT_WORKER_THREADS" "N" Open
        None, "2",
        "Threads that serve: 1 to 512; one for each core unless it is given";
    LOG "log" "HANDFOOT_LOG" "FILTER" Open
        Some("info"), "info,handfoot_game_service=debug",
        "What is logged: LEVEL, or MODULE=LEVEL with commas between; debug has a line for each call";
    LOG_FORMAT "log-format" "HANDFOOT_LOG_FORMAT" "json|pretty" Open
        Some("json"), "pretty",
        "How a log line looks";
}
