//! The laws over random play, in every rule set and at every size of table.
//!
//! **Invariant:** a failure prints the rule set and the seed, which are the whole bug report.

use handfoot_engine::laws::{cannot_tell, honest, play_to_end};
use handfoot_engine::{Events, World};
use handfoot_view::{
    Action, Event, Phase, RoundEnd, Seat, TableView, Undo, ViewRef, judge, list, sample,
};
use proptest::prelude::*;
use rand_xoshiro::rand_core::Rng;

use crate::games::{chance, every_table, game, rules};

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Every law, over whole games of random play. Rule: HF-11.1, HF-11.2, HF-2.1
    #[test]
    fn random_games_keep_every_law(seed in any::<u64>(), table in any::<prop::sample::Index>()) {
        let tables = every_table();
        let rules = table.get(&tables);
        let mut chooser = chance(seed);
        let choose = |view: ViewRef<'_>| sample(view, &mut chooser);
        let played = play_to_end(game(rules, seed), 16, &mut chance(!seed), choose);
        prop_assert!(played.is_ok(), "{}", played.map(|_| ()).unwrap_err().0);
    }

    /// Whatever the list holds keeps every law too, takes, openings and ways out included.
    #[test]
    fn listed_games_keep_every_law(seed in any::<u64>(), table in any::<prop::sample::Index>()) {
        let tables = every_table();
        let rules = table.get(&tables);
        let mut chooser = chance(seed);
        let mut actions = Vec::new();
        let choose = |view: ViewRef<'_>| {
            list(view, &mut actions);
            pick(&actions, &mut chooser)
        };
        let played = play_to_end(game(rules, seed), 64, &mut chance(!seed), choose);
        prop_assert!(played.is_ok(), "{}", played.map(|_| ()).unwrap_err().0);
    }

    /// Equal seeds and actions give equal games, event by event.
    #[test]
    fn equal_seeds_give_equal_games(seed in any::<u64>()) {
        let rules = rules("whitnack", 4, None);
        let (mut here, mut there) = (game(&rules, seed), game(&rules, seed));
        let mut chooser = chance(seed);
        let (mut events, mut events_there) = (Events::new(), Events::new());
        for _ in 0..400 {
            let Some(seat) = here.public().to_act() else { break };
            let action = sample(here.view(seat).as_ref(), &mut chooser).unwrap();
            events.clear();
            events_there.clear();
            here.play(seat, &action, &mut events).unwrap();
            there.play(seat, &action, &mut events_there).unwrap();
            for viewer in Seat::all(4).map(handfoot_engine::Viewer::Seat) {
                prop_assert!(events.seen_by(viewer).eq(events_there.seen_by(viewer)));
            }
        }
        prop_assert!(here.public() == there.public());
    }

    /// Lays undone leave what was before them; only the counts of events and undos have gone on.
    /// Rule: HF-2.6
    #[test]
    fn undo_restores_everything_but_the_counts(seed in any::<u64>()) {
        let rules = rules("whitnack", 4, None);
        let mut game = game(&rules, seed);
        let mut chooser = chance(seed);
        let mut events = Events::new();
        let mut before = None;
        let mut undone = 0;
        while let Some(seat) = game.public().to_act() {
            let view = game.table_view(handfoot_engine::Viewer::Seat(seat));
            if game.public().undoable() == 0 {
                before = Some(view);
            } else if let Some(start) = before.take() {
                let acts = game.public().undoable();
                let mut copy = game.clone();
                events.clear();
                copy.play(seat, &Action::UndoLays(acts), &mut events).unwrap();
                let mut after = copy.table_view(handfoot_engine::Viewer::Seat(seat));
                prop_assert!(after.table.event_index > start.table.event_index);
                after.table.event_index = start.table.event_index;
                prop_assert_eq!(after.table.undos, 1);
                after.table.undos = 0;
                prop_assert_eq!(&after, &start);
                prop_assert!(copy.check().is_ok());
                undone += 1;
            }
            let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
            events.clear();
            game.play(seat, &action, &mut events).unwrap();
        }
        prop_assert!(undone > 0, "nothing was laid in a whole round");
    }
}

fn pick(actions: &[Action], chooser: &mut impl Rng) -> Option<Action> {
    let bound = u64::try_from(actions.len()).unwrap().max(1);
    let index = usize::try_from(chooser.next_u64() % bound).unwrap();
    actions.get(index).cloned()
}

/// A projection with a leak: one card of a partner's hand decides a byte that everybody is sent.
fn leaking(world: &World, seat: Seat) -> TableView {
    let mut shown = honest(world, seat);
    let next = seat.next(world.public().seats.len());
    shown.table.commitment[0] ^=
        u8::try_from(world.view(next).own.iter().next().map_or(0, handfoot_cards::Card::index))
            .unwrap();
    shown
}

/// The law of non-interference catches a planted leak, or it would prove nothing. Rule: HF-11.2
#[test]
fn a_planted_leak_is_caught() {
    let rules = rules("whitnack", 4, None);
    let mut rng = chance(5);
    let (mut honest_pairs, mut caught) = (0, 0);
    for seed in 0..20 {
        let game = game(&rules, seed);
        let seat = game.public().to_act().unwrap();
        let view = game.view(seat).as_ref();
        let worlds = [(); 2].map(|()| World::resample(view, &rules, &mut rng));
        honest_pairs += u32::from(cannot_tell(seat, &worlds, &rules, honest));
        caught += u32::from(!cannot_tell(seat, &worlds, &rules, leaking));
    }
    assert_eq!(honest_pairs, 20);
    assert!(caught > 10, "the leak was caught in {caught} of 20 positions only");
}

/// Cards seen going to a seat stay with it in every world. Rule: HF-11.1
#[test]
fn resampled_hands_hold_what_was_seen_going_to_them() {
    let rules = rules("whitnack", 4, None);
    let mut rng = chance(9);
    let mut chooser = chance(10);
    let mut with_known = 0;
    for seed in 0..30 {
        let mut game = game(&rules, seed);
        let mut events = Events::new();
        for _ in 0..150 {
            let Some(seat) = game.public().to_act() else { break };
            let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
            game.play(seat, &action, &mut events).unwrap();
        }
        let viewer = Seat::from_index(0).unwrap();
        let world = World::resample(game.view(viewer).as_ref(), &rules, &mut rng);
        for seat in Seat::all(4) {
            let known = game.public().seats[seat.index()].known;
            let held = world.view(seat).own.by_kind();
            assert!(known.iter().zip(held).all(|(known, held)| held >= *known));
            with_known += known.iter().map(|count| u32::from(*count)).sum::<u32>();
        }
    }
    assert!(with_known > 0, "no cards were ever known, so nothing was tested");
}

/// A world plays on by the same code, to the end of its round.
#[test]
fn a_world_plays_to_the_end_of_its_round() {
    let rules = rules("whitnack", 4, None);
    let game = game(&rules, 3);
    let seat = game.public().to_act().unwrap();
    let mut world = World::resample(game.view(seat).as_ref(), &rules, &mut chance(1));
    let mut chooser = chance(2);
    let mut events = Events::checked();
    while let Some(seat) = world.public().to_act() {
        events.clear();
        let action = sample(world.view(seat), &mut chooser).unwrap();
        world.play(seat, &action, &mut events).unwrap();
        assert_eq!(events.fault(), None);
        world.check().unwrap();
    }
    assert!(matches!(world.public().phase, Phase::RoundOver { .. }));
}

/// The deal moves one seat clockwise each round, the seat after the dealer starts, four rounds are
/// played unless there is a tie. Rule: HF-1.6, HF-10.5
#[test]
fn the_deal_goes_round_the_table() {
    let rules = rules("whitnack", 4, None);
    let mut game = game(&rules, 11);
    let mut chooser = chance(1);
    let mut events = Events::new();
    let mut dealers = vec![game.public().dealer];
    assert_eq!(game.public().to_act(), Some(dealers[0].next(4)));
    loop {
        events.clear();
        if let Some(seat) = game.public().to_act() {
            let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
            game.play(seat, &action, &mut events).unwrap();
        } else if game.deal_next(&[], &mut events).is_ok() {
            dealers.push(game.public().dealer);
        } else {
            break;
        }
    }
    assert!(dealers.windows(2).all(|pair| pair[1] == pair[0].next(4)));
    assert!(game.history().len() >= 4);
    let ended = game.history().last().unwrap();
    assert!(matches!(ended.how, RoundEnd::WentOut(_) | RoundEnd::StockRanOut(_)));
    let total = |team: usize| -> i32 {
        game.history().iter().map(|round| round.scores[team].total()).sum()
    };
    assert_eq!(game.public().teams[0].total, total(0));
    assert_eq!(game.public().teams[1].total, total(1));
}

/// Rules by which every round is a tie still make games that end. Rule: HF-10.6
#[test]
fn a_game_of_nothing_but_ties_ends() {
    let preset = handfoot_rules::Preset::find("whitnack").unwrap();
    let mut draft = preset.draft(Some(2), None).unwrap();
    draft.card_value.0.values_mut().for_each(|value| *value = 0);
    draft.opening.steps = vec![handfoot_rules::OpeningStep::Points(0)];
    (draft.red_three.laid, draft.red_three.held, draft.out_bonus) = (Some(0), 0, 0);
    draft.book_bonus = handfoot_rules::BookBonus { clean: 0, dirty: 0, wild: 0 };
    draft.length.rounds = Some(1);
    draft.packets = handfoot_rules::PerRound::Same(vec![60, 13]);
    let rules = std::sync::Arc::new(handfoot_rules::Rules::new(draft).unwrap().rules);
    let mut game = game(&rules, 1);
    let mut chooser = chance(1);
    let mut events = Events::new();
    loop {
        events.clear();
        if let Some(seat) = game.public().to_act() {
            let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
            game.play(seat, &action, &mut events).unwrap();
        } else if game.deal_next(&[], &mut events).is_err() {
            break;
        }
    }
    assert_eq!(game.history().len(), handfoot_view::ROUNDS_PLAYED_MAX);
    assert_eq!(game.public().leaders().count(), 2);
}

/// Buried cards are counted for all, and the stock holds them. Rule: HF-1.2, HF-1.4, HF-1.5
#[test]
fn upcards_are_never_wild_or_red() {
    let rules = rules("whitnack", 4, None);
    let (mut buried, mut black) = (0, 0);
    for seed in 0..400 {
        let game = game(&rules, seed);
        let table = game.public();
        let upcard = table.upcard().unwrap();
        match rules.role(upcard.kind()) {
            handfoot_cards::Role::Wild | handfoot_cards::Role::RedThree => panic!("seed {seed}"),
            handfoot_cards::Role::BlackThree => black += 1,
            handfoot_cards::Role::Natural => {}
        }
        buried += table.buried.len();
        let turned_again = game.view(table.dealer).as_ref().table.stock;
        assert_eq!(rules.pack().cards().len(), 270);
        assert!(usize::from(turned_again) < 270 - 4 * 26);
    }
    assert!(buried > 0 && black > 0, "{buried} buried, {black} black threes");
}

/// A table that does not undo says so. Rule: HF-2.6
#[test]
fn undo_can_be_off() {
    let rules = rules("whitnack", 4, None);
    let game = game(&rules, 1);
    let seat = game.public().to_act().unwrap();
    let mut view = game.table_view(handfoot_engine::Viewer::Seat(seat));
    view.table.options.undo = Undo::Off;
    let refused = judge(view.lend(&rules).unwrap(), &Action::UndoLays(1)).unwrap_err();
    assert_eq!(refused.reason(), "UNDO_OFF");
}

/// Others learn of a draw only how many cards it was. Rule: HF-11.2
#[test]
fn a_draw_shows_faces_to_its_seat_alone() {
    let rules = rules("whitnack", 4, None);
    let mut game = game(&rules, 2);
    let seat = game.public().to_act().unwrap();
    let mut events = Events::new();
    game.play(seat, &Action::Draw, &mut events).unwrap();
    let faces_seen = |viewer: Seat| {
        let drawn = events.seen_by(handfoot_engine::Viewer::Seat(viewer));
        drawn
            .filter(|seen| {
                matches!(seen.event(), Event::Drew { cards, .. }
                if matches!(cards, handfoot_view::Concealed::Faces(_)))
            })
            .count()
    };
    assert!(faces_seen(seat) > 0);
    assert_eq!(faces_seen(seat.next(4)), 0);
}
