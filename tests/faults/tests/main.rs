//! The program as users call it, without a house.
//!
//! **Invariant:** what needs processes is tried by the program itself, in a step of its own.

use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handfoot-faults"));
    command.args(arguments).stdin(Stdio::null()).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn help_shows_what_to_type() {
    let help = text(&run(&["--help"]).stdout);
    assert!(help.contains("handfoot-faults check") && help.contains("Exit codes"), "{help}");
}

#[test]
fn every_scenario_is_listed_with_what_it_does() {
    let listed = text(&run(&["list"]).stdout);
    let names: Vec<&str> = listed.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(names.len() >= 12, "{listed}");
    assert!(names.contains(&"a_killed_replica_loses_nothing"), "{listed}");
    assert_eq!(listed.lines().count(), 2 * names.len());
}

#[test]
fn a_scenario_that_does_not_exist_is_told_at_once() {
    let ran = run(&["run", "nothing_at_all"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("handfoot-faults list"), "{}", text(&ran.stderr));
}

#[test]
fn services_that_are_not_there_are_said_to_be_built() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handfoot-faults"));
    let folder = env!("CARGO_TARGET_TMPDIR");
    let ran = command.args(["check", "--programs", folder]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(ran.status.code(), Some(3));
    assert!(text(&ran.stderr).contains("cargo build"), "{}", text(&ran.stderr));
}
