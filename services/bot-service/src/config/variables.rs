//! Every variable of the configuration, in one table.
//!
//! **Invariant:** flags, help, mistakes and `--print-config` are made from this table. A credential
//! is never taken from the command line, which others on the machine can see.

handfoot_config::variables! {
    SERVERS "servers" "HANDFOOT_BOT_SERVERS" "URL" Open
        Some("http://127.0.0.1:50051"), "http://game-service-headless:50051",
        "Servers, with commas between, with http:// or https://; a name may stand for many, and is \
         looked up again";
    CA_FILE "ca-file" "HANDFOOT_BOT_CA_FILE" "PATH" Open
        None, "/etc/handfoot/ca.pem",
        "A file of the authorities (PEM) to trust behind https://, instead of the system's";
    SERVER_NAME "server-name" "HANDFOOT_BOT_SERVER_NAME" "NAME" Open
        None, "games.example",
        "The name that the certificates of servers must be for, instead of the one in the URL";
    CLIENT_CERTIFICATE_FILE "client-certificate-file" "HANDFOOT_BOT_CLIENT_CERTIFICATE_FILE" "PATH"
        Open
        None, "/etc/handfoot/client.pem",
        "A file with a certificate (PEM) to show to servers that ask who is calling";
    CLIENT_KEY_FILE "client-key-file" "HANDFOOT_BOT_CLIENT_KEY_FILE" "PATH" Open
        None, "/etc/handfoot/client.key",
        "A file with the key (PEM) of that certificate";
    CREDENTIAL "credential" "HANDFOOT_BOT_CREDENTIAL" "TEXT" Private
        None, "a file that holds hfb_ID.SECRET",
        "the worker's credential";
    WORKER "worker" "HANDFOOT_BOT_WORKER" "NAME" Open
        Some("bot-service"), "bots-1",
        "The worker's name, for the logs of servers: 1 to 64 characters";
    LEVELS "levels" "HANDFOOT_BOT_LEVELS" "LEVELS" Open
        Some("random,casual"), "casual",
        "Levels that it plays, with commas between";
    CONCURRENCY "concurrency" "HANDFOOT_BOT_CONCURRENCY" "N" Open
        Some("64"), "64",
        "Decisions under way at once, at most: 1 to 4096";
    ROLLOUTS_MAX "rollouts-max" "HANDFOOT_BOT_ROLLOUTS_MAX" "N" Open
        Some("2000"), "2000",
        "Games that a decision may play out in thought, at most: 1 to 1000000";
    WAIT "wait" "HANDFOOT_BOT_WAIT" "DURATION" Open
        Some("20s"), "20s",
        "How long a call for work waits: 0s to 30s";
    LEASE "lease" "HANDFOOT_BOT_LEASE" "DURATION" Open
        Some("5s"), "5s",
        "How long a decision is the worker's; after that another may take it: 1s to 60s";
    DRAIN "drain" "HANDFOOT_BOT_DRAIN" "DURATION" Open
        Some("10s"), "10s",
        "How long ending may take: 1s to 5m";
    SEATS "seats" "HANDFOOT_BOT_SEATS" "offered|never" Open
        Some("offered"), "offered",
        "Whether to take seats that are offered to bots";
    REPORT_EVERY "report-every" "HANDFOOT_BOT_REPORT_EVERY" "DURATION" Open
        Some("1m"), "1m",
        "How often the counts are logged, 0s to 1h; 0s: at the end only";
    LOG "log" "HANDFOOT_BOT_LOG" "FILTER" Open
        Some("info"), "info,handfoot_bot_service=debug",
        "What is logged: LEVEL, or MODULE=LEVEL with commas between";
    LOG_FORMAT "log-format" "HANDFOOT_BOT_LOG_FORMAT" "json|pretty" Open
        Some("pretty"), "json",
        "How a log line looks";
    METRICS_LISTEN "metrics-listen" "HANDFOOT_BOT_METRICS_LISTEN" "ADDRESS" Open
        None, "0.0.0.0:9465",
        "Where metrics are read over HTTP: /metrics, /livez, /readyz; nowhere unless it is given";
    TRACES_ENDPOINT "traces-endpoint" "HANDFOOT_BOT_TRACES_ENDPOINT" "URL" Open
        None, "http://otel-collector:4317",
        "Where traces are sent, OTLP over gRPC without TLS; nowhere unless it is given";
    TRACES_SAMPLE "traces-sample" "HANDFOOT_BOT_TRACES_SAMPLE" "0..1" Open
        Some("1"), "0.05",
        "Which part of the traces that begin here is sent; one that goes on here goes with the rest";
}
