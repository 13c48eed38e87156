//! Rule files, cards, actions, positions, views, records and conformance cases.
//!
//! **Invariant:** printing what was read and reading that again gives the same.

use std::path::Path;
use std::sync::Arc;

use handfoot_cards::{Cards, Pack};
use handfoot_engine::{Events, Game, GameRecord, Seed, Viewer, replay};
use handfoot_rules::{Preset, RuleFile, Rules};
use handfoot_view::notation::{parse_action, parse_view, write_action, write_view};
use handfoot_view::{TableOptions, sample};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Read, fuzz};

/// The rules that a corpus file is about, by its name: `whitnack-4-start.txt`.
fn rules(name: &str) -> Arc<Rules> {
    let (preset, rest) = name.split_once('-').unwrap();
    let players = rest.split('-').next().unwrap().parse().unwrap();
    let draft = Preset::find(preset).unwrap().draft(Some(players), None).unwrap();
    Arc::new(Rules::new(draft).unwrap().rules)
}

#[test]
fn rule_files() {
    fuzz("rules", 8_000, |_, text| match RuleFile::parse(text) {
        Err(problems) => {
            assert!(!problems.is_empty());
            let messages = problems.iter().map(ToString::to_string);
            assert!(messages.clone().all(|message| !message.is_empty() && message.len() < 2_000));
            if let Some(draft) = RuleFile::salvage(text) {
                let _either_is_fine = Rules::check(&draft);
            }
            Read::Refused
        }
        Ok(file) => {
            let again = RuleFile::parse(&file.rules.to_toml()).unwrap();
            assert_eq!(again.rules, file.rules);
            assert!(file.seating.iter().all(|row| !row.team_sizes.is_empty()));
            // What can be played at all deals, and has a text to play by.
            if let Ok(validated) = Rules::new(file.rules.clone()) {
                let stock = handfoot_handbook::Figures::of(&validated.rules).rounds[0].stock;
                assert!(stock < validated.rules.pack().cards().len());
                let subject = handfoot_handbook::Subject::draft(file.rules).unwrap();
                assert!(!handfoot_handbook::Handbook::of(&subject).to_text().is_empty());
            }
            Read::Accepted
        }
    });
}

#[test]
fn cards() {
    let pack = Pack::standard(5, 2).unwrap();
    fuzz("cards", 8_000, |_, text| {
        let mut supply = pack.cards().clone();
        match pack.read(text, &mut supply) {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                Read::Refused
            }
            Ok(cards) => {
                let mut read = Cards::EMPTY;
                cards.iter().for_each(|card| read.insert(*card));
                let written = pack.write(&read).to_string();
                let mut again = Cards::EMPTY;
                let cards = pack.read(&written, &mut pack.cards().clone()).unwrap();
                cards.iter().for_each(|card| again.insert(*card));
                assert_eq!(again, read, "{written}");
                read.add(&supply);
                assert_eq!(read, *pack.cards(), "no card appears or is lost");
                Read::Accepted
            }
        }
    });
}

#[test]
fn actions() {
    let rules = rules("whitnack-4-");
    let pack = rules.pack();
    fuzz("actions", 8_000, |_, text| match parse_action(text, pack) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Read::Refused
        }
        Ok(action) => {
            let written = write_action(&action, pack);
            assert_eq!(parse_action(&written, pack).unwrap(), action, "{written}");
            Read::Accepted
        }
    });
}

#[test]
fn positions() {
    fuzz("positions", 2_000, |name, text| {
        let rules = rules(name);
        match Game::from_position(Arc::clone(&rules), text) {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                Read::Refused
            }
            Ok(game) => {
                let written = game.position();
                let again = Game::from_position(rules, written.reveal()).unwrap();
                assert_eq!(again.position().reveal(), written.reveal());
                Read::Accepted
            }
        }
    });
}

#[test]
fn views() {
    fuzz("views", 2_000, |name, text| {
        let rules = rules(name);
        match parse_view(text, &rules) {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                Read::Refused
            }
            Ok(view) => {
                let written = write_view(&view, &rules);
                assert_eq!(parse_view(&written, &rules).unwrap(), view);
                Read::Accepted
            }
        }
    });
}

#[test]
fn records() {
    fuzz("records", 1_000, |_, text| match GameRecord::parse(text) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Read::Refused
        }
        Ok(record) => {
            assert_eq!(GameRecord::parse(record.text()).unwrap().text(), record.text());
            let _either_is_fine = replay(&record);
            Read::Accepted
        }
    });
}

#[test]
fn cases() {
    fuzz("cases", 1_500, |name, text| {
        let report = handfoot::conform::run_text(Path::new(name), text);
        assert!(report.n_passed() + report.n_failed() <= report.n_checks().max(1) * 2 + 64);
        if report.is_ok() { Read::Accepted } else { Read::Refused }
    });
}

/// Positions and views of a real game, for the corpus: `HANDFOOT_REWRITE=1` writes them anew.
#[test]
fn seeds_of_positions_can_be_read() {
    let options = TableOptions::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (players, turns) in [(2, 3), (4, 40)] {
        let draft = Preset::find("whitnack").unwrap().draft(Some(players), None).unwrap();
        let rules = Arc::new(Rules::new(draft).unwrap().rules);
        let mut events = Events::new();
        let secret = Seed::chosen(7);
        let mut game = Game::new(Arc::clone(&rules), options, "corpus", secret, None, &mut events);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut viewer = Viewer::Spectator;
        for _ in 0..turns {
            let Some(seat) = game.public().to_act() else { break };
            viewer = Viewer::Seat(seat);
            let Some(action) = sample(game.view(seat).as_ref(), &mut rng) else { break };
            game.play(seat, &action, &mut events).unwrap();
        }
        let view = write_view(&game.table_view(viewer), &rules);
        if std::env::var_os("HANDFOOT_REWRITE").is_some() {
            let name = format!("whitnack-{players}-{turns}.txt");
            std::fs::write(folder.join("positions").join(&name), game.position().reveal()).unwrap();
            std::fs::write(folder.join("views").join(&name), &view).unwrap();
        }
        assert!(parse_view(&view, &rules).is_ok());
    }
}
