//! Games as bytes: stored at any moment and played on, they are the games they were.
//!
//! **Invariant:** whatever the bytes, reading them never panics.

use handfoot_engine::{Events, Game, SNAPSHOT_BYTES_MAX, SnapshotError, Viewer};
use handfoot_view::{Seat, sample};
use rand_xoshiro::rand_core::Rng;

use crate::games::{chance, every_table, game, rules};

/// Plays random actions on two games and compares every view.
fn play_on(here: &mut Game, there: &mut Game, seed: u64, decisions: usize) {
    let mut chooser = chance(seed);
    let mut events = Events::new();
    for _ in 0..decisions {
        events.clear();
        match here.public().to_act() {
            Some(seat) => {
                let action = sample(here.view(seat).as_ref(), &mut chooser).unwrap();
                here.play(seat, &action, &mut events).unwrap();
                there.play(seat, &action, &mut Events::new()).unwrap();
            }
            None if here.deal_next(&[], &mut events).is_err() => return,
            None => there.deal_next(&[], &mut Events::new()).unwrap(),
        }
        for seat in Seat::all(here.rules().seats()) {
            let viewer = Viewer::Seat(seat);
            assert!(here.table_view(viewer) == there.table_view(viewer));
        }
    }
}

#[test]
fn a_game_stored_at_any_moment_goes_on_as_it_was() {
    for (index, rules) in every_table().iter().enumerate() {
        let seed = u64::try_from(index).unwrap();
        let mut played = game(rules, seed);
        for stretch in 0..12 {
            let bytes = played.snapshot();
            let mut restored = Game::restore(rules, bytes.reveal()).unwrap();
            assert!(restored.snapshot() == bytes);
            restored.check().unwrap();
            play_on(&mut played, &mut restored, seed * 100 + stretch, 83);
        }
    }
}

/// A log read again shows each viewer what it was shown when it happened.
#[test]
fn events_stored_are_the_events_that_happened() {
    let rules = rules("whitnack", 4, None);
    let mut game = game(&rules, 6);
    let mut chooser = chance(6);
    let mut events = Events::new();
    let mut largest = 0;
    loop {
        events.clear();
        match game.public().to_act() {
            Some(seat) => {
                let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
                game.play(seat, &action, &mut events).unwrap();
            }
            None if game.deal_next(&[], &mut events).is_err() => break,
            None => {}
        }
        let bytes = events.store(&rules);
        largest = largest.max(bytes.len());
        let restored = Events::restore(&rules, &bytes).unwrap();
        for viewer in Seat::all(4).map(Viewer::Seat).chain([Viewer::Spectator]) {
            assert!(restored.seen_by(viewer).eq(events.seen_by(viewer)));
        }
        let cut = usize::try_from(chooser.next_u64() % bytes.len() as u64).unwrap();
        assert!(Events::restore(&rules, &bytes[..cut]).is_err());
    }
    assert!(largest < 1024, "{largest} bytes");
}

#[test]
fn a_snapshot_of_four_seats_is_small() {
    let rules = rules("whitnack", 4, None);
    let mut played = game(&rules, 3);
    let mut largest = 0;
    for stretch in 0..60 {
        largest = largest.max(played.snapshot().reveal().len());
        let mut copy = played.clone();
        play_on(&mut played, &mut copy, stretch, 60);
    }
    assert!(largest <= 2560, "{largest} bytes");
}

#[test]
fn bytes_that_are_no_game_are_refused() {
    let rules = rules("whitnack", 4, None);
    let mut played = game(&rules, 4);
    let mut copy = played.clone();
    play_on(&mut played, &mut copy, 9, 400);
    let bytes = played.snapshot().into_bytes();
    for length in 0..bytes.len() {
        assert!(Game::restore(&rules, &bytes[..length]).is_err());
    }
    let future = [&[200][..], &bytes[1..]].concat();
    let error = Game::restore(&rules, &future).err();
    assert_eq!(error, Some(SnapshotError::Version(200)));
    let long = vec![1; SNAPSHOT_BYTES_MAX + 1];
    assert!(Game::restore(&rules, &long).is_err());
    let mut rng = chance(1);
    for _ in 0..20_000 {
        let mut edited = bytes.clone();
        for _ in 0..=rng.next_u32() % 3 {
            let at = usize::try_from(rng.next_u64() % edited.len() as u64).unwrap();
            edited[at] = rng.next_u32().to_le_bytes()[0];
        }
        // Some edits make another possible game; none makes an impossible one.
        if let Ok(game) = Game::restore(&rules, &edited) {
            game.check().unwrap();
        }
    }
}
