//! Whatever bytes come in, decoding answers and nothing panics.
//!
//! **Invariant:** the mutations follow from a seed.

use handfoot_cards::Cards;
use handfoot_engine::{Events, Viewer};
use handfoot_protocol::{Codec, decode_choice, decode_draft, encode_draft, v1};
use handfoot_rules::{RoundScore, ScoreLine};
use handfoot_view::{
    Menu, ROUNDS_PLAYED_MAX, RoundEnd, RoundResult, ScoreSheet, Seat, ShownCards, judge, list,
};
use prost::Message;
use rand_xoshiro::rand_core::Rng;

use crate::games::{below, chance, game, other_tables, rules, step, viewers};

/// Changes a few bytes: one set, one gone, one doubled, the end cut off, or a number made huge.
fn mutate(bytes: &mut Vec<u8>, rng: &mut impl Rng) {
    for _ in 0..=below(rng, 3) {
        if bytes.is_empty() {
            return;
        }
        let at = below(rng, bytes.len());
        let any = rng.next_u64().to_le_bytes()[0];
        match below(rng, 6) {
            0 => bytes[at] = any,
            1 => bytes[at] ^= 1 << (any % 8),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, bytes[at]),
            4 => bytes.truncate(at),
            _ => drop(bytes.splice(at..=at, [0xff, 0xff, 0xff, 0xff, 0x0f])),
        }
    }
}

/// Makes one number of a message another small one, so that most can still be read.
fn retell(bytes: &mut [u8], rng: &mut impl Rng) {
    if !bytes.is_empty() {
        let at = below(rng, bytes.len());
        bytes[at] = match below(rng, 3) {
            0 => bytes[at] ^ 1,
            1 => bytes[at].wrapping_add(2),
            _ => u8::try_from(below(rng, 8)).unwrap(),
        };
    }
}

/// A decoded view, however wrong, can be asked what is legal.
#[test]
fn mutated_views_are_refused_or_can_be_asked() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let mut rng = chance(1);
    let (mut read, mut refused) = (0, 0);
    let mut actions = Vec::new();
    for seed in 0..60 {
        let mut game = game(&rules, seed);
        let mut events = Events::new();
        for _ in 0..below(&mut rng, 600) {
            step(&mut game, &mut rng, &mut events);
        }
        let Some(seat) = game.public().to_act() else { continue };
        let sent = codec.encode_view(&game.table_view(Viewer::Seat(seat))).encode_to_vec();
        for _ in 0..400 {
            let mut bytes = sent.clone();
            mutate(&mut bytes, &mut rng);
            let Ok(message) = v1::View::decode(bytes.as_slice()) else { continue };
            let Ok(view) = codec.decode_view(&message) else {
                refused += 1;
                continue;
            };
            read += 1;
            let Some(lent) = view.lend(&rules) else { continue };
            let menu = Menu::of(lent);
            let _ = codec.encode_menu(&menu);
            list(lent, &mut actions);
            for action in &actions {
                let _ = judge(lent, action);
            }
            let _ = codec.encode_view(&view);
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

#[test]
fn mutated_messages_never_panic() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let mut rng = chance(2);
    let mut game = game(&rules, 2);
    let mut events = Events::new();
    let mut actions = Vec::new();
    for _ in 0..600 {
        if !step(&mut game, &mut rng, &mut events) {
            break;
        }
        let Some(seat) = game.public().to_act() else { continue };
        let view = game.view(seat).as_ref();
        list(view, &mut actions);
        let legal = codec.encode_legal(1, &Menu::of(view), &actions).encode_to_vec();
        let seen = events.seen_by(Viewer::Seat(seat)).map(|seen| codec.encode_event(seen.event()));
        let commit = v1::Commit { events: seen.collect(), ..v1::Commit::default() }.encode_to_vec();
        for _ in 0..10 {
            let (mut legal, mut commit) = (legal.clone(), commit.clone());
            mutate(&mut legal, &mut rng);
            mutate(&mut commit, &mut rng);
            if let Ok(legal) = v1::LegalActions::decode(legal.as_slice()) {
                let _ = codec.decode_batch(&legal.actions);
                let _ = codec.decode_list(&legal.actions);
                let _ = legal.menu.map(|menu| codec.decode_menu(&menu));
            }
            if let Ok(commit) = v1::Commit::decode(commit.as_slice()) {
                let _ = codec.decode_events(&commit.events);
            }
        }
    }
}

/// Commits that were changed on the way, read by who follows the table: an event is refused, or
/// fits and can be applied. The view may have come in such a state too.
#[test]
fn mutated_commits_are_refused_or_can_be_followed() {
    let (mut applied, mut unfit, mut unreadable) = (0u32, 0u32, 0u32);
    for (seed, rules) in (4..).zip([rules("whitnack", 4, None)].into_iter().chain(other_tables())) {
        let codec = Codec::new(&rules);
        let mut rng = chance(seed);
        let mut game = game(&rules, seed);
        let mut events = Events::new();
        let viewers = viewers(&rules);
        for _ in 0..300 {
            let viewer = viewers[below(&mut rng, viewers.len())];
            let view = game.table_view(viewer);
            if !step(&mut game, &mut rng, &mut events) {
                break;
            }
            let sent = codec.encode_view(&view).encode_to_vec();
            let seen = events.seen_by(viewer).map(|seen| codec.encode_event(seen.event()));
            let commit = v1::Commit { events: seen.collect(), ..v1::Commit::default() };
            let commit = commit.encode_to_vec();
            for nth in 0..30 {
                let (mut sent, mut commit) = (sent.clone(), commit.clone());
                match nth % 4 {
                    0 => mutate(&mut commit, &mut rng),
                    1 => {
                        retell(&mut commit, &mut rng);
                        retell(&mut sent, &mut rng);
                    }
                    _ => retell(&mut commit, &mut rng),
                }
                let view = v1::View::decode(sent.as_slice());
                let view = view.ok().and_then(|view| codec.decode_view(&view).ok());
                let commit = v1::Commit::decode(commit.as_slice());
                let read = commit.ok().and_then(|c| codec.decode_events(&c.events).ok());
                let (Some(mut view), Some(events)) = (view, read) else {
                    unreadable += 1;
                    continue;
                };
                for event in &events {
                    match view.fits(event, &rules) {
                        Ok(()) => {
                            view.apply(event, &rules);
                            applied += 1;
                        }
                        Err(_) => unfit += 1,
                    }
                }
            }
        }
    }
    let enough = applied > 3_000 && unfit > 1_500 && unreadable > 3_000;
    assert!(enough, "{applied} applied, {unfit} unfit, {unreadable} unreadable");
}

#[test]
fn mutated_rule_sets_never_panic() {
    let sent = encode_draft(rules("whitnack", 4, None).draft()).encode_to_vec();
    let mut rng = chance(3);
    for _ in 0..3000 {
        let mut bytes = sent.clone();
        mutate(&mut bytes, &mut rng);
        let Ok(draft) = v1::RulesDraft::decode(bytes.as_slice()) else { continue };
        if let Ok(draft) = decode_draft(&draft) {
            let _ = handfoot_protocol::check_rules(draft);
        }
        let preset_id = "whitnack".to_owned();
        let choice = v1::RulesChoice { preset_id, changes: Some(draft), ..Default::default() };
        let _ = decode_choice(Some(&choice));
    }
}

/// Fields of a later contract are ignored.
#[test]
fn unknown_fields_are_ignored() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let view = game(&rules, 1).table_view(Viewer::Spectator);
    let mut bytes = codec.encode_view(&view).encode_to_vec();
    // Field 1000, a string.
    bytes.extend([0xc2, 0x3e, 3, b'n', b'e', b'w']);
    assert_eq!(codec.decode_view(&v1::View::decode(bytes.as_slice()).unwrap()), Ok(view));
}

/// Whatever rounds a server tells of, their sheet is made: of as many as a game has, each with as
/// many points as can be read, in either direction.
#[test]
fn a_history_of_the_most_points_has_a_sheet() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let mut told = codec.encode_view(&game(&rules, 1).table_view(Viewer::Spectator));
    let most = 6_250_000;
    let score = |points| {
        let mut score = RoundScore::default();
        ScoreLine::ALL.into_iter().for_each(|line| score.count(line, 1, points));
        score
    };
    let result = codec.encode_result(&RoundResult {
        round_index: 0,
        how: RoundEnd::WentOut(Seat::from_number(1).unwrap()),
        turns: 1,
        scores: vec![score(most), score(-most)],
        shown: vec![ShownCards { own: Cards::EMPTY, packets: Vec::new() }; 4],
        seed: [0; 32],
    });
    told.history = vec![result.clone(); ROUNDS_PLAYED_MAX];
    let view = codec.decode_view(&told).unwrap();
    let sheet = ScoreSheet::of(&view.history, &[], &rules);
    assert_eq!(sheet.totals, [i32::MAX, i32::MIN]);
    assert_eq!(sheet.rounds[30].teams[0].running_total, 31 * 10 * most, "exact while it can be");
    told.history.push(result);
    let refused = codec.decode_view(&told).unwrap_err();
    assert!(refused.to_string().contains("history"), "{refused}");
}
