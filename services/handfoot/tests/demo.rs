//! `handfoot demo`.
//!
//! **Invariant:** every number that is compared was printed by the program.

use serde_json::Value;

use crate::kit::{command, file, numbers, path, run};

fn total_of_lines(score: &Value) -> i64 {
    let lines = score["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 9);
    lines.iter().map(|line| line["points"].as_i64().unwrap()).sum()
}

/// Lines add up to scores, scores to totals, and the highest total wins.
#[track_caller]
fn adds_up(game: &Value, players: usize) {
    assert_eq!(game["rules"]["players"], players);
    assert_eq!(game["bots"].as_array().unwrap().len(), players);
    assert_eq!(game["fallbacks"], 0);
    let teams = game["rules"]["teams"].as_array().unwrap();
    let mut totals = vec![0; teams.len()];
    let (mut turns, mut actions) = (0, 0);
    for (number, round) in (1..).zip(game["rounds"].as_array().unwrap()) {
        assert_eq!(round["round"], number);
        let seat = round["seat"].as_u64().unwrap();
        assert!((1..=players).contains(&usize::try_from(seat).unwrap()), "{round}");
        assert_eq!(round["ended"] == "went_out", round["went_out"] == seat, "{round}");
        turns += round["turns"].as_u64().unwrap();
        actions += round["actions"].as_u64().unwrap();
        let mut bonuses = 0;
        for (total, score) in totals.iter_mut().zip(round["scores"].as_array().unwrap()) {
            let points = score["total"].as_i64().unwrap();
            assert_eq!(points, total_of_lines(score));
            let [books, cards] = ["books", "cards"].map(|part| score[part].as_i64().unwrap());
            assert_eq!(points, books + cards);
            *total += points;
            assert_eq!(*total, score["running_total"].as_i64().unwrap());
            let lines = score["lines"].as_array().unwrap();
            let went_out = lines.iter().find(|line| line["line"] == "going_out").unwrap();
            bonuses += went_out["count"].as_i64().unwrap();
        }
        assert_eq!(bonuses == 1, round["ended"] == "went_out");
    }
    assert_eq!(numbers(&game["totals"]), totals);
    let best = totals.iter().max().unwrap();
    let winners: Vec<i64> =
        (1..).zip(&totals).filter(|(_, total)| *total == best).map(|(team, _)| team).collect();
    assert_eq!(numbers(&game["winners"]), winners);
    assert_eq!((game["turns"].as_u64(), game["actions"].as_u64()), (Some(turns), Some(actions)));
    let minimums: Vec<i64> =
        game["rounds"].as_array().unwrap().iter().take(4).map(opening_minimum).collect();
    assert_eq!(minimums, [50, 90, 120, 150]);
}

fn opening_minimum(round: &Value) -> i64 {
    round["opening_minimum"].as_i64().unwrap()
}

/// The report without what may differ between equal games.
fn lasting(mut game: Value) -> String {
    assert!(game["seconds"].is_f64());
    game.as_object_mut().unwrap().remove("seconds");
    game.to_string()
}

#[test]
fn the_report_adds_up_at_every_table() {
    for players in 2..=6 {
        for seed in 0..3 {
            let ran = run(&format!("demo --json --players {players} --seed {seed}"));
            adds_up(&ran.json(), players);
        }
    }
    let other = run("demo --json --rules foot-canasta --seed 2").json();
    assert_eq!(other["rules"]["name"], "foot-canasta");
    adds_up(&other, 4);
}

#[test]
fn equal_seeds_and_bots_give_equal_reports() {
    let report = |arguments: &str| lasting(run(&format!("demo --json {arguments}")).json());
    assert_eq!(report("--seed 7"), report("--seed 7"));
    assert_eq!(report("--seed 7"), report("--seed 7 --bots casual,casual,casual,casual"));
    assert_ne!(report("--seed 7"), report("--seed 8"));
    assert_eq!(report("--seed 7 --bots random"), report("--seed 7 --bots random"));
    assert_ne!(report("--seed 7"), report("--seed 7 --bots casual,random,casual,casual"));
}

/// Fault list: R86.
#[test]
fn the_services_and_the_bare_engine_play_the_same_games() {
    for arguments in [
        "--seed 7",
        "--seed 8 --players 2 --bots random",
        "--seed 9 --players 5 --bots casual,random,casual,casual,random",
        "--seed 3 --rules foot-canasta",
    ] {
        let played = |more: &str| run(&format!("demo --json {arguments}{more}")).json();
        let (served, bare) = (played(""), played(" --in-process"));
        assert_eq!(served["fallbacks"], 0);
        assert_eq!(lasting(served), lasting(bare), "{arguments}");
    }
    let told = |more: &str| {
        let text = run(&format!("demo --seed 7{more}")).ok();
        let may_differ = |line: &&str| line.contains(" seconds") || line.contains(", commitment ");
        text.lines().filter(|line| !may_differ(line)).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(told(""), told(" --in-process"));
}

#[test]
fn each_seat_has_the_level_that_was_named_for_it() {
    let game = run("demo --json --seed 1 --players 3 --bots casual,random,Casual").json();
    assert_eq!(game["bots"], serde_json::json!(["casual", "random", "casual"]));
    adds_up(&game, 3);
    let game = run("demo --json --seed 1 --bots random").json();
    assert_eq!(game["bots"], serde_json::json!(["random", "random", "random", "random"]));
}

#[test]
fn a_seed_that_was_chosen_can_be_given_again() {
    let game = run("demo --json").json();
    let seed = game["seed"].as_u64().unwrap();
    assert_eq!(lasting(game), lasting(run(&format!("demo --json --seed {seed}")).json()));
}

#[test]
fn the_text_tells_the_game_and_its_sheets() {
    let text = run("demo --seed 7").ok();
    let game = run("demo --seed 7 --json").json();
    assert!(text.contains("the same game again: handfoot demo --seed 7\n"), "{text}");
    for (number, minimum) in [(1, 50), (2, 90), (3, 120), (4, 150)] {
        let headline = format!("Round {number} of 4: an opening takes {minimum} points\n");
        assert!(text.contains(&headline), "{headline}");
    }
    assert_eq!(text.matches("Game so far").count(), 4);
    for part in [" opens with ", " completes a clean book of ", " takes up the foot", "stock "] {
        assert!(text.contains(part), "{part}");
    }
    let went_out = game["rounds"].as_array().unwrap().iter().filter(|r| r["ended"] == "went_out");
    assert_eq!(text.matches(" goes out\n").count(), went_out.count());
    let winner = &game["winners"][0];
    assert!(text.contains(&format!("  team {winner} ")) && text.contains("  wins\n"));
    assert!(!text.contains('\u{1b}'), "no colour where no terminal is");
    assert!(text.lines().all(|line| line.len() <= 120 && line.trim_end() == line));
}

/// Programs read the report by these names: more may come, none may go or change.
#[test]
fn the_report_keeps_its_names() {
    let game = run("demo --json --in-process --seed 7").json();
    let round = &game["rounds"][0];
    for (part, names) in [
        (&game, "rules seed bots rounds totals winners turns actions fallbacks seconds"),
        (&game["rules"], "name title players teams"),
        (round, "round opening_minimum dealer ended went_out turns actions scores winners"),
        (&round["scores"][0], "team lines books cards total running_total"),
        (&round["scores"][0]["lines"][0], "line count points"),
    ] {
        for name in names.split(' ') {
            assert!(part.get(name).is_some(), "{name} is missing: {part}");
        }
    }
}

/// Lays that come to be seen together are told together: an opening once a team and round, a book
/// once when it is complete.
#[test]
fn concealed_lays_are_told_once() {
    let text = run("demo --lays concealed --in-process --seed 7").ok();
    let openings = text.matches(" opens with ").count();
    assert_eq!(openings, 4 * 2, "each team opens in each of four rounds: {text}");
    for line in text.lines().filter(|line| line.contains("completes ")) {
        let books: Vec<&str> =
            line.split(", ").filter(|part| part.contains("completes ")).collect();
        let told_again = (1..books.len()).find(|at| books[..*at].contains(&books[*at]));
        assert_eq!(told_again, None, "{line}");
    }
}

#[test]
fn equal_games_print_equal_texts() {
    let lasting = |arguments: &str| {
        let text = run(arguments).ok();
        // A commitment names its table, and every table has a name of its own.
        let is_lasting =
            |line: &&str| !line.contains(" seconds") && !line.contains(", commitment ");
        text.lines().filter(is_lasting).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(lasting("demo --seed 9 --players 5"), lasting("demo --seed 9 --players 5"));
}

#[test]
fn no_command_means_demo() {
    let text = run("").ok();
    assert!(text.starts_with("Hand and Foot, Whitnack's rules\n") && text.contains("\nResult\n"));
}

#[test]
fn a_reader_that_goes_away_ends_it_without_a_word() {
    for arguments in ["demo --seed 1", "demo --seed 1 --json", "--help", "rules show whitnack"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(arguments).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
    }
}

/// Tables of every option are played over the services and on the engine alike.
#[test]
fn options_of_a_table_are_played() {
    let options = "--lays concealed --undo by-consent --first-dealer 3";
    let over = run(&format!("demo --seed 7 {options} --json")).json();
    let here = run(&format!("demo --seed 7 {options} --in-process --json")).json();
    assert_eq!(over["totals"], here["totals"]);
    assert_eq!(over["rounds"][0]["dealer"], 3);
    let record = path("concealed.record");
    let refused = run(&format!("demo --seed 7 {options} --record {record}"));
    refused.fails(64, &["--in-process"]);
    run(&format!("demo --seed 7 {options} --in-process --record {record}")).ok();
    assert!(run(&format!("record verify {record}")).ok().contains("the game is over"));
    let simulated = "simulate --games 3 --laws 8 --lays concealed --undo off --policy casual";
    assert_eq!(run(simulated).code, 0);
    run("demo --first-dealer 9").fails(64, &["first-dealer"]);
}

/// Rule: HF-1.7
#[test]
fn rules_that_take_numbers_lifted_are_played_without_any() {
    let text = "base = \"whitnack\"\n[rules]\nexact_pick = { bonus = 100, model = \"entered\" }\n";
    let rules = file("entered.toml", text);
    let game = run(&format!("demo --json --seed 7 --rules {rules}")).json();
    assert_eq!((game["rounds"].as_array().unwrap().len(), &game["fallbacks"]), (4, &0.into()));
}
