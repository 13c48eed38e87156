//! The short form: real servers, few actions, and what must come of them whatever the machine does.
//!
//! **Invariant:** sizes and counts are judged, times never.

use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs the program and gives the JSON that it prints.
fn json(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handfoot-load"));
    let ran = command.args(arguments).stdin(Stdio::null()).output().expect("the program starts");
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{errors}");
    serde_json::from_slice(&ran.stdout).expect("it prints JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn every_action_is_accepted_and_every_watcher_sees_every_version_also_in_redis() {
    let report = json(&["check", "--json"]);
    let cells = report["cells"].as_array().unwrap();
    for subject in ["bare", "memory", "file", "redis", "replicated"] {
        let of_subject = cells.iter().filter(|cell| cell["subject"] == subject);
        let measured: Vec<&Value> = of_subject.map(|cell| &cell["measured"]).collect();
        // Without and with watchers, each as fast as it goes and at a rate.
        assert_eq!(measured.len(), 4);
        assert_eq!(number(&measured[0]["n_seen"]), 0.0);
        assert_eq!(number(&measured[2]["n_seen"]), 4.0 * number(&measured[2]["n_actions"]));
        for measured in measured {
            assert!(number(&measured["server_cpu_us"]) >= 0.0);
            assert!(number(&measured["p99_us"]) >= number(&measured["p50_us"]));
        }
    }
    let bytes = &report["bytes"];
    assert!((500.0..=2_560.0).contains(&number(&bytes["snapshots"]["largest"])));
    assert!((1.0..=16_384.0).contains(&number(&bytes["idle_watcher"])));
    let in_redis = &bytes["in_redis"];
    assert!((20_000.0..=45_056.0).contains(&number(&in_redis["largest_without_log"])));
    assert!((100.0..=280.0).contains(&number(&in_redis["log_entry"])));
    assert!(number(&in_redis["largest"]) > number(&in_redis["largest_without_log"]));
    for calls in report["redis_calls"].as_array().unwrap() {
        let (n_accepted, n_scripts) = (&calls["n_accepted"], number(&calls["n_scripts"]));
        assert!(n_scripts - number(n_accepted) <= number(&calls["n_looks_max"]), "{calls}");
        assert!(number(n_accepted) > 100.0 && number(n_accepted) <= n_scripts, "{calls}");
    }
    assert_eq!(number(&report["redis_calls"][0]["n_looks_max"]), 0.0);
    streams_end_as_they_should(&report["streams"]);
    assert!(number(&report["message_bytes"]["answer"]) > number(&report["message_bytes"]["item"]));
}

/// Of each store: every stream brought the commit of its table, and was told of the end.
fn streams_end_as_they_should(ended: &Value) {
    let ended = ended.as_array().expect("it is a list");
    assert_eq!(ended.len(), 2);
    for ended in ended {
        let (streams, drain, memory) =
            (number(&ended["streams"]), &ended["drain"], &ended["memory"]);
        assert_eq!(streams, 4.0 * 13.0 * 4.0);
        assert_eq!(number(&ended["delivery"]["streams"]), streams);
        assert_eq!(number(&drain["told"]), streams);
        assert_eq!((number(&drain["untold"]), number(&drain["cut"])), (0.0, 0.0));
        assert_eq!(number(&drain["exit_code"]), 0.0);
        assert!(number(&drain["seconds"]) < 25.0, "{drain}");
        assert!(number(&drain["calls_answered"]) > 0.0, "{drain}");
        assert!(number(&memory["per_stream"]) <= 32_768.0, "{memory}");
        assert!(number(&memory["with_streams"]) > number(&memory["idle_server"]), "{memory}");
    }
}

#[test]
fn help_shows_what_to_type() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handfoot-load"));
    let ran = command.arg("--help").output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(text.contains("handfoot-load run") && text.contains("Exit codes"), "{text}");
}
