//! A program and its variables, from outside.

use std::collections::BTreeMap;

use handfoot_config::{Asked, ConfigError, Program, Source};

handfoot_config::variables! {
    COLOUR "colour" "HF_COLOUR" "NAME" Open
        Some("green"), "blue",
        "What colour it has";
    PASSWORD "password" "HF_PASSWORD" "TEXT" Secret
        None, "a file",
        "A password";
    KEY "key" "HF_KEY" "TEXT" Private
        None, "a file",
        "a key";
}

type Variables = BTreeMap<String, String>;

/// A configuration: colour, password, key.
type Paint = (String, Option<String>, Option<String>);

fn program() -> Program {
    Program {
        name: "painter",
        version: "1.2.3",
        about: "Paints.",
        prefix: "HF_",
        variables: ALL,
        after_help: "Exit codes:".to_owned(),
    }
}

fn resolve(source: &mut Source<'_>) -> Option<Paint> {
    let colour = source.value(&COLOUR, |text| match text {
        "green" | "blue" => Ok(text.to_owned()),
        _ => Err("is no colour"),
    });
    let (password, key) = (source.text(&PASSWORD), source.text(&KEY));
    Some((colour?, password, key))
}

fn read(flags: &[&str], environment: &[(&str, &str)]) -> Result<Asked<Paint>, ConfigError> {
    let environment: Variables =
        environment.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let arguments = ["painter"].iter().chain(flags).map(|text| (*text).to_owned());
    program().read(arguments, &environment, resolve)
}

fn told(flags: &[&str], environment: &[(&str, &str)]) -> String {
    match read(flags, environment) {
        Ok(Asked::Print(text)) => text,
        Ok(Asked::Serve(config)) => format!("{config:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_secret_has_a_flag_and_a_private_variable_has_none() {
    let both = told(&["--password=p"], &[("HF_KEY", "k")]);
    assert_eq!(both, "(\"green\", Some(\"p\"), Some(\"k\"))");
    assert!(told(&["--key=k"], &[]).contains("unexpected argument"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "from-a-file\n").unwrap();
    let path = path.to_str().unwrap();
    for text in [told(&["--key-file", path], &[]), told(&[], &[("HF_KEY_FILE", path)])] {
        assert!(text.contains("Some(\"from-a-file\")"), "{text}");
    }
}

#[test]
fn what_is_wrong_names_the_variable_and_an_example() {
    assert_eq!(
        told(&[], &[("HF_COLOUR", "red"), ("HF_KEY", "k"), ("HF_KEY_FILE", "f")]),
        "the configuration has 2 mistakes:\n  HF_COLOUR (--colour): \"red\" is no colour\n    \
         for example: blue\n  HF_KEY (--key-file): is given twice, also by HF_KEY_FILE\n    \
         for example: a file"
    );
}

#[test]
fn what_may_hold_a_password_is_not_repeated() {
    let text = told(&["--colour=http://user:hidden@host"], &[]);
    assert!(text.contains("the value is no colour") && !text.contains("hidden"), "{text}");
}

#[test]
fn what_holds_is_printed_from_the_table() {
    let text = told(&["--print-config", "--colour=blue"], &[("HF_PASSWORD", "hidden-1")]);
    assert_eq!(
        text,
        "HF_COLOUR=blue  # flag\nHF_PASSWORD=(hidden)  # environment\nHF_KEY=  # not given\n"
    );
    let help = told(&["--help"], &[]);
    for part in ["[default: green]", "--password-file", "HF_KEY_FILE", "Exit codes:", "Paints."] {
        assert!(help.contains(part), "{part} is not in {help}");
    }
    assert!(!help.contains("--key <"), "{help}");
    assert!(told(&["--version"], &[]).contains("1.2.3"));
}

#[test]
fn a_variable_that_nothing_reads_is_told() {
    let names = ["HF_COLOR", "HF_COLOUR_FILE", "HF_KEY_FILE", "HF_SERVICE_HOST", "OTHER"];
    let environment: Variables =
        names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
    let unread = program().unread(&environment);
    let expected = ["HF_COLOR", "HF_COLOUR_FILE"];
    assert_eq!(unread, expected.map(|name| format!("{name} is set, but nothing reads it")));
}
