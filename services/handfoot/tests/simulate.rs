//! `handfoot simulate`.
//!
//! **Invariant:** counts are compared, speeds are not.

use serde_json::Value;

use crate::kit::run;

fn simulated(arguments: &str) -> Value {
    run(&format!("simulate --json {arguments}")).json()
}

/// What equal arguments must count equally.
fn counts(mut report: Value) -> String {
    for field in ["seconds", "decisions_per_second", "laws"] {
        report.as_object_mut().unwrap().remove(field).unwrap();
    }
    report.to_string()
}

#[test]
fn the_report_has_every_field() {
    let report = simulated("--games 3 --seed 1");
    assert_eq!(report["rules"]["name"], "whitnack");
    assert_eq!([&report["policy"], &report["laws"]], ["random", "every 64"]);
    assert_eq!([&report["games"], &report["seed"]], [3, 1]);
    let number = |field: &str| report[field].as_f64().unwrap();
    assert!(number("rounds") >= 12.0);
    assert!(number("decisions") > number("turns") && number("turns") > number("rounds"));
    assert!((number("turns_per_round") - number("turns") / number("rounds")).abs() < 1e-9);
    assert!((0.0..=1.0).contains(&number("went_out_share")));
    assert!(number("decisions_per_second") > 0.0 && number("seconds") > 0.0);
    assert!(number("mean_score").is_finite());
    for kind in ["clean", "dirty", "wild"] {
        assert!(report["books_per_round"][kind].as_f64().unwrap() >= 0.0);
    }
}

#[test]
fn the_laws_hold_and_change_nothing() {
    for players in 2..=6 {
        let arguments = format!("--players {players} --games 2 --seed 3");
        let off = counts(simulated(&format!("{arguments} --laws off")));
        assert_eq!(off, counts(simulated(&format!("{arguments} --laws on"))));
    }
    let strict = simulated("--games 1 --laws 1 --policy casual");
    assert_eq!(strict["laws"], "every 1");
    assert_eq!(strict["policy"], "casual");
    assert_eq!(simulated("--games 1 --rules foot-canasta")["rules"]["name"], "foot-canasta");
}

#[test]
fn casual_bots_end_rounds_by_going_out() {
    let report = simulated("--games 10 --policy casual --laws off");
    assert!(report["went_out_share"].as_f64().unwrap() > 0.2, "{report}");
}

#[test]
fn the_text_says_the_same() {
    let report = simulated("--games 2 --seed 4");
    let text = run("simulate --games 2 --seed 4").ok();
    assert!(
        text.starts_with("whitnack, 4 players, policy random, seed 4, laws every 64\n"),
        "{text}"
    );
    let rounds = format!("{:<26}{:>14}\n", "rounds", report["rounds"].as_u64().unwrap());
    assert!(text.contains(&rounds), "{text}");
    assert!(text.contains("decisions a second"));
}

#[test]
fn every_table_tells_its_share_of_rounds_gone_out() {
    let arguments = "simulate --rules saskatchewan --every-table --policy casual --games 2";
    let report = run(&format!("{arguments} --json")).json();
    let tables = report["tables"].as_array().unwrap();
    let text = run(arguments).ok();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(" %")).collect();
    assert!(text.contains("went out"), "{text}");
    assert_eq!(lines.len(), tables.len());
    for (line, table) in lines.iter().zip(tables) {
        let share = table["went_out_share"].as_f64().unwrap();
        let (before, _) = line.split_once(" %").unwrap();
        let shown: f64 = before.split_whitespace().last().unwrap().parse().unwrap();
        assert!((shown - share * 100.0).abs() <= 0.5, "{line}: {share}");
        let seats = table["rules"]["teams"][0].as_array().unwrap().len();
        let players = table["rules"]["players"].as_u64().unwrap();
        let columns: Vec<&str> = line.split_whitespace().take(3).collect();
        assert_eq!(columns, ["saskatchewan", &players.to_string(), &seats.to_string()]);
    }
    let pairs = tables.iter().find(|table| table["rules"]["players"] == 4).unwrap();
    assert!(pairs["went_out_share"].as_f64().unwrap() > 0.8, "{pairs}");
}

/// What one of the tables does not have is told before any of them is played.
#[test]
fn a_dealer_that_not_every_table_has_is_told_at_once() {
    let ran = run("simulate --rules whitnack --every-table --games 1 --first-dealer 4");
    ran.fails(64, &["--first-dealer 4 is no seat of this table", "a seat from 1 to 2"]);
    assert_eq!(ran.out, "");
}
