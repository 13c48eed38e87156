//! `--help` everywhere.
//!
//! **Invariant:** an example that help shows is one that runs.

use crate::kit::run;

const COMMANDS: [&str; 14] = [
    "",
    "demo",
    "play",
    "serve",
    "rules list",
    "rules show",
    "rules explain",
    "rules check",
    "simulate",
    "conform",
    "record",
    "record show",
    "record verify",
    "record replay",
];

#[test]
fn help_shows_examples() {
    for command in COMMANDS {
        let text = run(&format!("{command} --help")).ok();
        assert!(text.contains("Examples:\n  handfoot"), "{command}: {text}");
        assert!(text.lines().all(|line| line.len() <= 115), "{command}: {text}");
    }
    assert!(run("rules --help").ok().contains("check"));
    assert!(run("--version").ok().starts_with("handfoot "));
}

#[test]
fn help_tells_the_exit_codes() {
    let text = run("--help").ok();
    for code in [0, 1, 64, 65, 66, 69, 70, 73, 74, 77, 130] {
        assert!(text.contains(&format!("\n {code:>3}  ")), "{code}");
    }
}

#[test]
fn the_examples_of_help_run() {
    let mut tried = 0;
    for command in COMMANDS {
        let text = run(&format!("{command} --help")).ok();
        for line in text.lines().filter_map(|line| line.strip_prefix("  handfoot")) {
            // What stands after two spaces, a pipe or an arrow is not the command.
            let line = line.split(['|', '>']).next().unwrap_or_default();
            let line = line.split_once("  ").map_or(line, |(line, _)| line).trim();
            let needs_file =
                ["my-", "game.record", "conform"].iter().any(|part| line.contains(part));
            let is_long = line.contains("1000");
            // It ends when it is told to, or needs one that has not ended: see its own tests.
            let serves = line.starts_with("serve") || line.contains("--connect");
            if needs_file || is_long || serves {
                continue;
            }
            assert_eq!(run(line).code, 0, "{line}");
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}
