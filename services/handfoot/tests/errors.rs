//! Every way to ask for what does not exist.
//!
//! **Invariant:** each failure says what is wrong in one line and what to do in another.

use crate::kit::{command, file, path, run};

#[test]
fn an_unknown_preset_names_those_there_are() {
    for command in
        ["demo --seed 1 --rules whitnak", "simulate --rules whitnak", "rules show whitnak"]
    {
        run(command)
            .fails(64, &["no preset \"whitnak\", did you mean whitnack?", "there are whitnack, "]);
    }
}

#[test]
fn a_table_that_the_rules_do_not_allow_names_those_there_are() {
    run("demo --players 9").fails(64, &["whitnack is not for 9 players", "6 in teams of 3 or 2"]);
    run("demo --rules foot-canasta --players 3").fails(64, &["not for 3 players", "--players"]);
}

#[test]
fn an_unknown_level_names_those_there_are() {
    for command in
        ["demo --bots master", "demo --bots casual,,casual,casual", "simulate --policy x"]
    {
        run(command).fails(64, &["no level ", "there are: random, casual"]);
    }
}

#[test]
fn a_wrong_number_of_levels_says_how_many_are_needed() {
    run("demo --bots casual,random").fails(64, &["2 levels for 4 seats", "or 4 with commas"]);
    run("demo --players 2 --bots casual,random,casual").fails(64, &["3 levels for 2 seats"]);
}

#[test]
fn a_record_that_cannot_be_written_is_noticed_before_the_game() {
    let nowhere = path("no-such-folder/game.record");
    let ran = run(&format!("demo --seed 1 --record {nowhere}"));
    ran.fails(73, &[&nowhere, "cannot be written: ", "No such file or directory"]);
    assert_eq!(ran.out, "");
    let folder = path("");
    run(&format!("demo --seed 1 --record {folder}")).fails(73, &[&folder, "directory"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command("demo --seed 1").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(73));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("the output cannot be written: "), "{told}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let missing = path("missing.toml");
    for before in ["demo --rules", "rules check", "rules show", "record show", "record verify"] {
        let ran = run(&format!("{before} {missing}"));
        ran.fails(66, &[&missing, "cannot be read: ", "No such file or directory"]);
    }
    run(&format!("conform {missing}")).fails(66, &[&missing, "does not exist"]);
    run(&format!("record replay {}", path(""))).fails(66, &["cannot be read: "]);
}

#[test]
fn a_file_that_makes_no_sense_says_where() {
    let broken = file("broken.toml", "[rules]\nplayers = \n");
    run(&format!("demo --rules {broken}")).fails(65, &["cannot be played: line 2", "rules check"]);
    let unplayable = file("unplayable.toml", "[rules]\nmeld_min = 9\ndraw = 0\n");
    run(&format!("simulate --rules {unplayable}"))
        .fails(65, &["cannot be played: ", "more problem", "handfoot rules check"]);
    let binary = path("binary.toml");
    std::fs::write(&binary, [b'[', 0xff, b']']).unwrap();
    run(&format!("rules check {binary}")).fails(65, &["is no text: byte 1 is not UTF-8"]);
    let long = file("long.toml", &"#".repeat(8 << 20));
    run(&format!("rules check {long}")).fails(65, &["is too long"]);
    run(&format!("record show {long}")).fails(65, &["is too long"]);
    run(&format!("record show {broken}")).fails(65, &["line 1", "no record"]);
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_64() {
    let lines = [
        "demo --seed minus",
        "demo --seed -1",
        "demo --players 300",
        "demo extra",
        "demmo",
        "rules",
        "rules show",
        "record",
        "conform",
        "simulate --games 0",
        "simulate --laws 0",
        "simulate --laws perhaps",
        "--nothing",
    ];
    for line in lines {
        let ran = run(line);
        assert_eq!((ran.code, ran.out.as_str()), (64, ""), "{line}");
        assert!(ran.err.contains("Usage: ") || ran.err.contains("try '--help'"), "{}", ran.err);
    }
    let ran = run("simulate --laws perhaps");
    assert!(ran.err.contains("expected off, on, or a number from 1"), "{}", ran.err);
}
