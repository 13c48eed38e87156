//! Positions, views, actions and records as text: they come back, and bad ones are refused.

use std::sync::Arc;

use handfoot_engine::{Events, Game, GameRecord, RecordProblem, Seed, Viewer, replay, verify};
use handfoot_rules::{Preset, Rules};
use handfoot_view::notation::{parse_action, parse_view, read_action, write_action, write_view};
use handfoot_view::{Phase, Seat, TableOptions, sample};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Small, seeded and the same everywhere: what a mutation needs.
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

/// A text with a few of its characters, words or lines changed.
fn mutated(text: &str, random: &mut SplitMix64) -> String {
    const SPARE: [&str; 16] = [
        "9C",
        "?x13",
        "-1",
        "999999999999",
        ";",
        "/",
        "m0",
        "\u{0}",
        "é",
        "K",
        "*x250",
        "seat",
        "turn",
        "\n",
        "foot",
        "x",
    ];
    let mut words: Vec<String> = text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(words.len());
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, format!("{} ", SPARE[random.below(SPARE.len())])),
            2 => words[at] = SPARE[random.below(SPARE.len())].to_owned(),
            3 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            _ => {
                let kept = random.below(words[at].chars().count() + 1);
                words[at] = words[at].chars().take(kept).collect();
            }
        }
        if words.is_empty() {
            words.push(String::new());
        }
    }
    words.concat()
}

fn rules(preset: &str, players: u8) -> Arc<Rules> {
    let draft = Preset::find(preset).unwrap().draft(Some(players), None).unwrap();
    Arc::new(Rules::new(draft).unwrap().rules)
}

/// Plays at random and shows every position to `look`; stops after so many actions.
fn play(rules: &Arc<Rules>, seed: u64, actions: usize, mut look: impl FnMut(&Game)) -> Game {
    let options = TableOptions::default();
    let mut events = Events::new();
    let name = "notation \"\\\u{7}é\"";
    let mut game =
        Game::new(Arc::clone(rules), options, name, Seed::chosen(seed), None, &mut events);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..actions {
        events.clear();
        match game.public().phase {
            Phase::GameOver { .. } => break,
            Phase::RoundOver { .. } => game.deal_next(&[], &mut events).unwrap(),
            Phase::Draw { .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. } => {
                let seat = game.public().to_act().unwrap();
                let action = sample(game.view(seat).as_ref(), &mut rng).unwrap();
                let pack = rules.pack();
                assert_eq!(parse_action(&write_action(&action, pack), pack), Ok(action.clone()));
                game.play(seat, &action, &mut events).unwrap();
            }
        }
        look(&game);
    }
    game
}

#[test]
fn positions_and_views_come_back() {
    for (preset, players, seed) in
        [("whitnack", 4, 1), ("whitnack", 6, 2), ("whitnack", 3, 3), ("foot-canasta", 4, 4)]
    {
        let rules = rules(preset, players);
        let mut seen = 0;
        play(&rules, seed, 1500, |game| {
            seen += 1;
            if seen % 7 != 0 {
                return;
            }
            let text = game.position();
            let again = match Game::from_position(Arc::clone(&rules), text.reveal()) {
                Ok(again) => again,
                Err(error) => panic!("{error}\n{}", text.reveal()),
            };
            assert!(again.position() == text, "{}\n{}", text.reveal(), again.position().reveal());
            again.check().unwrap();
            let seats = Seat::all(rules.seats()).map(Viewer::Seat);
            for viewer in seats.chain([Viewer::Spectator]) {
                let view = game.table_view(viewer);
                let text = write_view(&view, &rules);
                assert_eq!(parse_view(&text, &rules).as_ref(), Ok(&view), "{text}");
                assert_eq!(again.table_view(viewer), view);
            }
        });
        assert!(seen > 500);
    }
}

#[test]
fn a_game_from_a_position_plays_on() {
    let rules = rules("whitnack", 4);
    let text = "round 2\nturn 3 draw\nstock ?x20\ndiscards 9C\nseat 1 foot KC Kx2\n";
    let mut game = Game::from_position(Arc::clone(&rules), text).unwrap();
    let same = Game::from_position(Arc::clone(&rules), text).unwrap();
    assert!(game.position() == same.position(), "what is not named is dealt the same way");
    let other = Game::from_position(Arc::clone(&rules), &format!("{text}seed 2\n")).unwrap();
    assert!(game.position() != other.position(), "another seed deals other cards");
    let seat = Seat::from_number(3).unwrap();
    let mut events = Events::new();
    let action = read_action("draw", game.view(seat).as_ref()).unwrap();
    game.play(seat, &action, &mut events).unwrap();
    game.check().unwrap();
    assert_eq!(game.public().aside, same.public().aside);
    assert!(game.public().aside > 100);
    assert!(game.record().is_none(), "no deal led to it");
}

#[test]
fn records_come_back_and_replay() {
    for (preset, players, seed) in
        [("whitnack", 4, 11), ("whitnack", 2, 12), ("foot-canasta", 4, 13)]
    {
        let rules = rules(preset, players);
        for actions in [0, 1, 300, 100_000] {
            let game = play(&rules, seed, actions, |_| {});
            let record = game.record().unwrap();
            let parsed = match GameRecord::parse(record.text()) {
                Ok(parsed) => parsed,
                Err(error) => panic!("{error}"),
            };
            let again = replay(&parsed).unwrap();
            assert!(again.position() == game.position());
            assert_eq!(again.record().unwrap().text(), record.text());
            let verified = verify(&record).unwrap();
            assert_eq!(verified.is_over, actions == 100_000);
            assert_eq!(verified.table_name, "notation \"\\\u{7}é\"");
            assert!(verified.rounds.iter().map(|round| round.n_actions).sum::<usize>() <= actions);
        }
    }
}

#[test]
fn every_truncation_of_a_record_is_refused() {
    let rules = rules("whitnack", 4);
    let record = play(&rules, 5, 400, |_| {}).record().unwrap();
    let text = record.text();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(GameRecord::parse(&text[..end]).is_err(), "cut after {end} bytes");
    }
}

#[test]
fn an_edited_record_is_refused() {
    let rules = rules("whitnack", 4);
    let record = play(&rules, 6, 100_000, |_| {}).record().unwrap();
    let problem = |text: &str| match GameRecord::parse(text) {
        Ok(record) => replay(&record).map(|_| ()).unwrap_err().problem,
        Err(error) => error.problem,
    };
    let text = record.text();
    assert_eq!(problem(&text.replacen("draw", "darw", 1)), RecordProblem::Checksum);
    assert_eq!(
        problem(&text.replacen("record 1", "record 2", 1)),
        RecordProblem::Version { found: 2 }
    );
    assert_eq!(problem("hello"), RecordProblem::NotARecord);
    // A forger who binds the record anew is caught by replay.
    let forged = |from: &str, to: &str| rebound(&text.replacen(from, to, 1));
    let result_differs = |text: &str| matches!(problem(text), RecordProblem::ResultDiffers { .. });
    assert!(result_differs(&forged("laid = 100", "laid = 101")));
    assert_eq!(problem(&forged("table \"", "table \"x")), RecordProblem::Commitment);
    let points = text.lines().find(|line| line.starts_with("points 1")).unwrap();
    let more = format!("{points}0");
    assert!(result_differs(&forged(points, &more)));
}

/// A record with its last line made anew.
fn rebound(text: &str) -> String {
    use sha2::{Digest, Sha256};
    let body = &text[..text.rfind("\nend ").map_or(0, |at| at + 1)];
    let digest: [u8; 32] = Sha256::digest(body.as_bytes()).into();
    format!("{body}end {}\n", handfoot_view::notation::hex_text(&digest))
}

#[test]
fn no_text_makes_a_reader_panic() {
    let rules = rules("whitnack", 4);
    let mut random = SplitMix64(7);
    let mut texts = Vec::new();
    let game = play(&rules, 8, 900, |game| {
        if game.public().turns % 40 == 0 && texts.len() < 12 {
            texts.push(game.position().reveal().to_owned());
        }
    });
    let (mut read, mut refused) = (0, 0);
    for _ in 0..3000 {
        let text = mutated(&texts[random.below(texts.len())], &mut random);
        match Game::from_position(Arc::clone(&rules), &text) {
            Ok(game) => {
                read += 1;
                game.check().unwrap();
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > read && read > 0, "{read} read, {refused} refused");
    let views: Vec<String> = [Viewer::Spectator, Viewer::Seat(Seat::from_number(2).unwrap())]
        .map(|viewer| write_view(&game.table_view(viewer), &rules))
        .to_vec();
    for _ in 0..3000 {
        let _ = parse_view(&mutated(&views[random.below(2)], &mut random), &rules);
    }
    let seat = Seat::from_number(1).unwrap();
    for _ in 0..20_000 {
        let text =
            mutated("ask take KC KD KHx2 / m2 9C ; lay 4Cx3 / *x3 ; discard 3S", &mut random);
        let _ = parse_action(&text, rules.pack());
        let _ = read_action(&text, game.view(seat).as_ref());
    }
}

#[test]
fn no_record_makes_a_reader_panic() {
    let rules = rules("whitnack", 4);
    let record = play(&rules, 9, 700, |_| {}).record().unwrap();
    let mut random = SplitMix64(10);
    let mut replayed = 0;
    for _ in 0..1500 {
        // Bound anew, so that more than the last line is looked at.
        let text = rebound(&mutated(record.text(), &mut random));
        if let Ok(record) = GameRecord::parse(&text) {
            replayed += u32::from(replay(&record).is_ok());
        }
        let _ = GameRecord::parse(&mutated(record.text(), &mut random)).map(|r| replay(&r));
    }
    assert!(replayed < 200, "{replayed} changed records were replayed");
}

/// Whole positions that are refused, and how the message begins.
const BAD_POSITIONS: &[(&str, &str)] = &[
    ("", "line 0: no line says turn"),
    ("turn 1 draw\nturn 2 draw", "line 2: turn is given twice"),
    ("turn 1 draw\nseat 2 hand 4\nseat 2 hand 5", "line 3: seat 2 is given twice"),
    ("turn 1 draw\nhello", "line 2: no line begins with \"hello\""),
    ("turn 5 draw", "line 1: column 6: found \"5\", expected a seat of this table"),
    ("turn 1 jump", "line 1: column 8: found \"jump\", expected draw, play stock"),
    ("turn 1", "line 1: column 7: found \"\", expected draw"),
    ("turn 1 draw now", "line 1: column 13: found \"now\", expected nothing more"),
    ("turn 1 draw\nturns 2", "line 1: after 2 turns another seat would play"),
    ("turn 1 draw\ndiscards 4 11D", "line 2: column 12: \"11D\": no card of this pack"),
    ("turn 1 draw\ndiscards 4Cx6", "line 2: column 10: \"4Cx6\": not so many of it are left"),
    ("turn 1 draw\ndiscards ?", "line 2: column 10: found \"?\", expected cards that everybody"),
    ("turn 1 draw\nseat 1 hand ?x0", "line 2: column 13: found \"?x0\", expected a card, ? or"),
    ("turn 1 draw\nmeld 1 9x2", "line 2: the meld has too few cards"),
    ("turn 1 draw\nmeld 1 9 2x2", "line 2: the meld has too many wild cards"),
    ("turn 1 draw\nmeld 1 3Cx3", "line 2: threes are never melded"),
    ("turn 1 draw\nmeld 1 9x8", "line 2: column 8: found \"9x8\", expected no more cards"),
    ("turn 1 draw\nmeld 1 9x3\nmeld 1 9x3", "line 3: the team has an unfinished meld"),
    ("turn 1 draw\nseat 2 hand", "line 2: this stage of the foot does not go with"),
    ("turn 1 draw\nseat 2 hand 4 ; pending", "line 2: this stage of the foot does not go with"),
    ("turn 1 draw\nseat 2 hand 4 ; closed 5x14", "line 2: 14 cards in a packet of 13"),
    ("turn 1 draw\nseat 2 foot 4 ; closed 5", "line 2: 1 packets not taken up, there can be 0"),
    ("turn 1 draw\nseat 2 hand 4 ; known 5", "line 2: cards are known that the seat does not"),
    ("turn 1 draw\nseat 2 hand 3D", "line 2: a red three is held"),
    ("turn 1 asks 2\nway_out discard 4", "line 1: the seat asked is no team-mate"),
    ("turn 1 asks 3", "line 0: no line says way_out"),
    ("turn 1 asks 3\nway_out jump", "line 2: the way out: column 1"),
    ("turn 1 asks 3 ; after stock\nway_out discard 4\nseat 1 foot 4", "line 0: the way out"),
    ("turn 1 draw\nway_out discard 4", "line 2: no line says whom the seat asks"),
    ("turn 1 draw\nlaid 1 m1 KC", "line 2: the lays to undo are not what was laid last"),
    ("turn 1 asks_undo 4 1 after stock", "line 1: a seat asks whether it may undo at tables with"),
    ("undo off\nturn 1 asks_undo 2 1 after stock", "line 2: a seat asks whether it may undo at"),
    (
        "undo by_consent\nturn 1 asks_undo 2 1 after stock\nlaid 1 m1 KC KD KH\nmeld 1 KC KD KH",
        "line 2: 0 undos of this turn, there can be 1 to 5",
    ),
    ("undo by_consent\nturn 1 draw\nundos 6", "line 3: 6 undos of this turn, there can be 0 to 5"),
    ("undo off\nturn 1 draw\nundos 1", "line 3: 1 undos of this turn, there can be 0 to 0"),
    ("turn 1 draw\nundos 101", "line 2: column 7: found \"101\", expected a number of undos"),
    ("turn 1 draw\nstock ?x250", "line 0: 354 cards are needed and 270 are not named"),
    ("turn 1 draw\nstock ?x9\naside ?x9", "line 0: 148 cards lie nowhere"),
    ("turn 1 play stock\nseat 1 foot 4", "line 0: nobody can act"),
    ("view 1\nturn 1 draw\nseat 1 hand 4", "line 0: this is a view"),
    ("turn 1 draw\nscore 1 going_out 1 100", "line 2: no line says result"),
];

/// Views that are refused, and how the message begins.
const BAD_VIEWS: &[(&str, &str)] = &[
    ("view 1\nturn 2 draw", "line 0: a view names all cards of its viewer"),
    ("view 1\nturn 2 draw\nseat 1 hand 4\nseat 2 hand 5", "line 4: a view cannot name cards"),
    ("view 1\nturn 2 draw\nseat 1 hand 4 ; closed 5", "line 3: a view cannot name cards"),
    ("view spectator\nturn 2 draw\nstock 5", "line 0: a view cannot name cards"),
    ("turn 2 draw", "line 0: no line says whose view it is"),
];

#[test]
fn problems_of_a_position_name_their_line() {
    let rules = rules("whitnack", 4);
    for (text, start) in BAD_POSITIONS {
        let found = match Game::from_position(Arc::clone(&rules), text) {
            Ok(_) => panic!("{text:?} was read"),
            Err(error) => error.to_string(),
        };
        assert!(found.starts_with(start), "{text:?}\n  {found}\n  {start}");
    }
    for (text, start) in BAD_VIEWS {
        let found = parse_view(text, &rules).unwrap_err().to_string();
        assert!(found.starts_with(start), "{text:?}\n  {found}\n  {start}");
    }
}
