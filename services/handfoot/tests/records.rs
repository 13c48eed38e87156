//! `handfoot record`.
//!
//! **Invariant:** the records are those that the program wrote.

use crate::kit::{file, path, run};

/// A record of a whole game and its text.
fn recorded(name: &str, arguments: &str) -> (String, String) {
    let path = path(name);
    let told = run(&format!("demo {arguments} --record {path}")).ok();
    assert!(told.contains(&format!("handfoot record show {path}")), "{told}");
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

#[test]
fn a_recorded_game_verifies_and_replays() {
    for (name, arguments) in [
        ("verify-4.record", "--seed 7"),
        ("verify-3.record", "--seed 7 --players 3 --bots random"),
        ("verify-canasta.record", "--seed 7 --rules foot-canasta"),
    ] {
        let game = run(&format!("demo {arguments} --json")).json();
        let (path, _) = recorded(name, arguments);
        let verified = run(&format!("record verify {path}")).ok();
        let rounds = game["rounds"].as_array().unwrap().len();
        assert_eq!(verified.matches("deal fits its commitment").count(), rounds, "{verified}");
        assert!(verified.contains("holds: the game is over"), "{verified}");
        let replayed = run(&format!("record replay {path}")).ok();
        assert_eq!(replayed, run(&format!("record replay {path}")).ok());
        let digits = |text: &str| text.replace(',', "");
        for total in game["totals"].as_array().unwrap() {
            assert!(digits(&replayed).contains(&format!(" {total}\n")), "{total}: {replayed}");
            assert!(digits(&verified).contains(&total.to_string()), "{total}: {verified}");
        }
    }
}

#[test]
fn a_shown_record_tells_every_action_and_the_sheets() {
    let (path, text) = recorded("shown.record", "--seed 11");
    let shown = run(&format!("record show {path}")).ok();
    let begins = |line: &&str, word: &str| line.split(' ').next() == Some(word);
    let discarded = shown.lines().filter(|line| begins(line, "discarded")).count();
    // A way out that was asked for, and granted as always here, may end with one.
    assert_eq!(discarded, text.matches(" discard ").count());
    assert_eq!(shown.lines().filter(|line| begins(line, "hand_dealt")).count(), 16);
    assert_eq!(shown.matches("Game so far").count(), 4);
    assert!(!shown.contains('?'), "nothing is hidden any more");
}

#[test]
fn an_edited_record_is_refused() {
    let (path, text) = recorded("edited-base.record", "--seed 5");
    let edits = [
        text.replacen(" draw\n", " discard KC\n", 1),
        text.replacen("points 1 ", "points 1 1", 1),
        text[..text.len() / 2].to_owned(),
        text.replacen("handfoot record 1", "handfoot record 9", 1),
        String::new(),
    ];
    for (number, edited) in edits.iter().enumerate() {
        assert_ne!(*edited, text);
        let edited = file(&format!("edited-{number}.record"), edited);
        for command in ["show", "verify", "replay"] {
            run(&format!("record {command} {edited}")).fails(65, &[&edited, "line "]);
        }
    }
    assert_eq!(run(&format!("record verify {path}")).code, 0);
}

#[test]
fn a_shorter_game_replaces_a_longer_one() {
    let (path, first) = recorded("replaced.record", "--seed 5");
    let again = run(&format!("demo --seed 6 --players 2 --record {path}"));
    assert_eq!(again.code, 0);
    assert_ne!(std::fs::read_to_string(&path).unwrap(), first);
    assert_eq!(run(&format!("record verify {path}")).code, 0);
}

/// The score sheet of a whole game, as people read it and as a spreadsheet does.
#[test]
fn scores_are_shown_as_text_and_as_lines() {
    let (path, _) = recorded("scores.record", "--seed 7 --in-process");
    for (format, golden) in [("text", "scores.txt"), ("csv", "scores.csv")] {
        let shown = run(&format!("record show {path} --scores={format}")).ok();
        let golden = format!("{}/tests/golden/{golden}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("HANDFOOT_REWRITE").is_some() {
            std::fs::write(&golden, &shown).unwrap();
        }
        assert_eq!(shown, std::fs::read_to_string(&golden).unwrap(), "{golden}");
    }
    let text = run(&format!("record show {path} --scores")).ok();
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    let json = run(&format!("record show {path} --scores=json")).json();
    let game = run("demo --seed 7 --in-process --json").json();
    assert_eq!(json["totals"], game["totals"]);
    for (round, of_game) in
        json["rounds"].as_array().unwrap().iter().zip(game["rounds"].as_array().unwrap())
    {
        // The same sheet, but that whoever watches is not told what each book paid.
        assert!(of_game["actions"].is_u64() && round["actions"].is_null());
        for same in ["round", "ended", "seat", "went_out", "turns", "held", "winners"] {
            assert_eq!(round[same], of_game[same], "{same}");
        }
        let teams = [round, of_game].map(|round| round["scores"].as_array().unwrap().iter());
        let [teams, of_game] = teams;
        for (team, of_game) in teams.zip(of_game) {
            for same in ["team", "lines", "books", "cards", "total", "running_total"] {
                assert_eq!(team[same], of_game[same], "{same}");
            }
        }
    }
}
