//! What makes the engine fast: small states and no allocation per action.
//!
//! **Invariant:** nothing here is timed.

use std::sync::Arc;

use handfoot_engine::{Events, Game, SeatEvent, Seed, Viewer, World};
use handfoot_rules::Rules;
use handfoot_view::{Event, Lays, TableOptions, sample};

use crate::games::{chance, every_table, options, rules};

fn every_option() -> impl Iterator<Item = TableOptions> {
    std::iter::once(TableOptions::default()).chain(options())
}

fn dealt(rules: &Arc<Rules>, options: TableOptions, seed: u64) -> Game {
    let mut events = Events::new();
    Game::new(Arc::clone(rules), options, "speed", Seed::chosen(seed), None, &mut events)
}

/// A whole state is at most 4 KiB, and about 2 KiB with four seats; where lays are concealed, the
/// table as others see it comes to that: 7 KiB at most, and 4 KiB with four seats.
#[test]
fn states_are_small() {
    for (rules, options) in
        every_table().iter().flat_map(|rules| every_option().map(move |options| (rules, options)))
    {
        let bytes = dealt(rules, options, 1).state_bytes();
        let (any, four) = match options.lays {
            Lays::Open => (4096, 2048 + 256),
            Lays::Concealed => (7168, 4096),
        };
        let most = if rules.seats() == 4 { four } else { any };
        assert!(bytes <= most, "{} seats, {options:?}: {bytes} bytes", rules.seats());
    }
}

/// Deciding, judging and playing allocate nothing, from the deal to the end of a round. Where lays
/// are concealed, showing them takes a list of them.
#[test]
fn playing_allocates_nothing() {
    let rules = rules("whitnack", 4, None);
    for options in every_option() {
        let (decisions, allocating) = played(&rules, options);
        assert!(decisions > 1000, "{options:?}: {decisions} decisions");
        // Ways out are searched for with lists; everything else must not allocate.
        let told = format!("{options:?}: {allocating} of {decisions} decisions allocated");
        assert!(allocating * 200 < decisions, "{told}");
    }
}

/// Decisions of ten rounds, and how many of them allocated and showed no lays.
fn played(rules: &Arc<Rules>, options: TableOptions) -> (u32, u32) {
    let mut events = Events::new();
    let (mut decisions, mut allocating) = (0u32, 0u32);
    for seed in 0..10 {
        let game = dealt(rules, options, seed);
        let seat = game.public().to_act().unwrap();
        let mut world = World::resample(game.view(seat).as_ref(), rules, &mut chance(seed));
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
            let shown = |event: SeatEvent| matches!(event.event(), Event::LaysShown { .. });
            let shows = events.seen_by(Viewer::Spectator).any(shown);
            // The end of a round makes its score sheet; a fresh event buffer grows at first.
            let may_allocate = round_over || shows || seed == 0;
            allocating += u32::from(measured.count_total > 0 && !may_allocate);
        }
    }
    (decisions, allocating)
}
