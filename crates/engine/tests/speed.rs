//! What makes the engine fast: small states and no allocation per action.
//!
//! **Invariant:** nothing here is timed.

use handfoot_engine::{Events, World};
use handfoot_view::sample;

use crate::games::{chance, every_table, game, rules};

/// A whole state is at most 4 KiB, and about 2 KiB with four seats.
#[test]
fn states_are_small() {
    for rules in every_table() {
        let bytes = game(&rules, 1).state_bytes();
        assert!(bytes <= 4096, "{} seats: {bytes} bytes", rules.seats());
        if rules.seats() == 4 {
            assert!(bytes <= 2048 + 256, "four seats: {bytes} bytes");
        }
    }
}

/// Deciding, judging and playing allocate nothing, from the deal to the end of a round.
#[test]
fn playing_allocates_nothing() {
    let rules = rules("whitnack", 4, None);
    let mut events = Events::new();
    let (mut decisions, mut allocating) = (0u32, 0u32);
    for seed in 0..10 {
        let game = game(&rules, seed);
        let seat = game.public().to_act().unwrap();
        let mut world = World::resample(game.view(seat).as_ref(), &rules, &mut chance(seed));
        let mut chooser = chance(seed);
        while let Some(seat) = world.public().to_act() {
            events.clear();
            let mut round_over = false;
            let measured = allocation_counter::measure(|| {
                let action = sample(world.view(seat), &mut chooser).unwrap();
                world.play(seat, &action, &mut events).unwrap();
                round_over = world.public().to_act().is_none();
            });
            decisions += 1;
            // The end of a round makes its score sheet; a fresh event buffer grows at first.
            allocating += u32::from(measured.count_total > 0 && !round_over && seed > 0);
        }
    }
    assert!(decisions > 1000);
    // Ways out are searched for with lists; everything else must not allocate.
    assert!(allocating * 200 < decisions, "{allocating} of {decisions} decisions allocated");
}
