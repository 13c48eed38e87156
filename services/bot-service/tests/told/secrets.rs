//! Nothing that a program tells names a card, a token, a person or a table's secret: whole games
//! with everything on, and everything that was told searched.

use std::collections::BTreeMap;

use super::client::{ACTIONS, NAMES, SEED, TABLES, TOKEN};
use super::collector::Collector;
use super::processes::{House, Program, get};

/// Games at once.
const GAMES: u64 = 4;

/// Words that only somebody who prints a card, or what holds one, uses.
const WORDS_OF_CARDS: [&str; 8] =
    ["_OF_CLUBS", "_OF_DIAMONDS", "_OF_HEARTS", "_OF_SPADES", "CARD_", "Card(", "Cards(", "Joker"];

/// What must not be told, and is.
fn leaks(told: &str, secrets: &[String]) -> Vec<String> {
    let mut leaks: Vec<String> =
        secrets.iter().filter(|secret| told.contains(secret.as_str())).cloned().collect();
    let words = WORDS_OF_CARDS.iter().filter(|word| told.contains(**word));
    leaks.extend(words.map(|word| (*word).to_owned()));
    // A token of whatever kind is a JWT, and begins like this.
    leaks.extend(told.contains("eyJ").then(|| "eyJ".to_owned()));
    for line in told.lines() {
        let words = line.split(|c: char| !c.is_ascii_alphanumeric());
        leaks.extend(words.filter(|word| is_card(word)).map(|card| format!("{card} in {line}")));
    }
    leaks
}

/// Whether a word is a card in notation: `4C`, `10H`, `KSx3`, `R3`.
fn is_card(word: &str) -> bool {
    let card = match word.split_once('x') {
        Some((card, times)) if times.parse::<u8>().is_ok() => card,
        Some(_) | None => word,
    };
    let suited = card.strip_suffix(['C', 'D', 'H', 'S']);
    let ranks = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
    suited.is_some_and(|rank| ranks.contains(&rank)) || matches!(card, "R3" | "B3")
}

#[test]
fn what_must_not_be_told_is_noticed() {
    let secrets = ["Zephyrine".to_owned()];
    for told in [
        "{\"message\":\"drew\",\"card\":\"10H\"}",
        "lay KSx3 and more",
        "Event { card: CARD_FIVE_OF_HEARTS }",
        "Card(17)",
        "authorization: Bearer eyJhbGciOi",
        "hello Zephyrine",
        "took R3",
    ] {
        assert!(!leaks(told, &secrets).is_empty(), "{told}");
    }
    let harmless = "{\"timestamp\":\"2026-11-30T10:15:43Z\",\"trace_id\":\"5c4d\",\"a\":\"4c\"}";
    assert_eq!(leaks(harmless, &secrets), Vec::<String>::new());
}

/// What the programs of a house told: what they printed and showed, and how many lines it was.
fn told_by(house: House, collector: &str) -> (Vec<String>, Vec<String>) {
    let plan = BTreeMap::from([(TABLES, GAMES.to_string()), (ACTIONS, "0".to_owned())]);
    let mut client = house.client(collector, &plan);
    let mut secrets: Vec<String> = NAMES.map(str::to_owned).to_vec();
    secrets.extend((0..GAMES).map(|number| (SEED + number).to_string()));
    let addresses = [&house.game, &house.bots].map(Program::metrics_address);
    let printed = client.ended();
    let tokens = printed.lines().filter_map(|line| line.strip_prefix(TOKEN));
    let tokens: Vec<String> =
        tokens.flat_map(|token| token.split('.')).map(str::to_owned).collect();
    assert_eq!(tokens.len() as u64, 3 * GAMES, "{printed}");
    let of_client = printed.lines().filter(|line| !line.starts_with(TOKEN));
    let mut told = vec![of_client.collect::<Vec<_>>().join("\n")];
    told.extend(addresses.map(|address| get(&address, "/metrics").1));
    let credentials = house.credentials.clone();
    told.push(house.bots.end());
    // It greets whoever started it with keys, and with nothing else that is secret.
    let game = house.game.end();
    let greeting = |line: &&str| !credentials.iter().any(|key| line.contains(key.as_str()));
    let n_greeting = game.lines().count() - game.lines().filter(greeting).count();
    assert_eq!(n_greeting, 3, "keys are printed once, and once in an example");
    told.push(game.lines().filter(greeting).collect::<Vec<_>>().join("\n"));
    secrets.extend(credentials);
    secrets.extend(tokens);
    (told, secrets)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_secret_is_told_of_whole_games_with_everything_on() {
    let collector = Collector::start().await;
    let url = collector.url.clone();
    let (mut told, secrets) =
        tokio::task::spawn_blocking(move || told_by(House::telling(&url, "debug"), &url))
            .await
            .unwrap();
    let spans = collector.spans();
    assert!(spans.len() > 1_000, "{} spans came", spans.len());
    told.push(collector.text());
    let n_lines: usize = told.iter().map(|told| told.lines().count()).sum();
    assert!(n_lines > 10_000, "{n_lines} lines were told");
    let traced = told.iter().filter(|told| told.contains("\"trace_id\":\"")).count();
    assert_eq!(traced, 3, "the logs of each program name traces");
    for told in told {
        assert_eq!(leaks(&told, &secrets), Vec::<String>::new());
    }
}
