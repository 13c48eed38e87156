//! The program as a process.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bot-service"));
    command.env_clear().stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

#[test]
fn a_wrong_configuration_ends_it_with_every_mistake() {
    let mut command = program();
    command.args(["--lease=0s"]).env("HANDFOOT_BOT_LEVELS", "master");
    let ended = command.output().unwrap();
    assert_eq!(ended.status.code(), Some(64));
    let printed = String::from_utf8(ended.stderr).unwrap();
    for flag in ["--credential-file", "--levels", "--lease"] {
        assert!(printed.contains(flag), "{printed}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_even_if_no_server_is_there() {
    let mut command = program();
    command.args(["--servers=127.0.0.1:1", "--log-format=json", "--log=debug"]);
    command.env("HANDFOOT_BOT_CREDENTIAL", "hfb_local.do-not-print");
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut printed = String::new();
    while !printed.contains("taking work") {
        assert!(errors.read_line(&mut printed).unwrap() > 0, "it ended early: {printed}");
    }
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    errors.read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{printed}");
    assert!(printed.contains("SIGTERM") && !printed.contains("do-not-print"), "{printed}");
}
