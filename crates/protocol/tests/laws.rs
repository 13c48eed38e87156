//! The laws of the engine, extended to the bytes that are sent.
//!
//! **Invariant:** a failure prints the rule set and the seed, which are the whole bug report.

use handfoot_cards::Card;
use handfoot_engine::laws::{Projection, honest};
use handfoot_engine::{Events, Game, Viewer, World};
use handfoot_protocol::{Codec, v1};
use handfoot_rules::Rules;
use handfoot_view::{Action, Lays, Menu, Seat, TableView, list};
use prost::Message;

use crate::games::{
    chance, every_table, game, game_with, options, other_tables, rules, step, viewers,
};

/// Everything that a seat is sent about a view: the view, the menu and the list, as bytes.
pub(crate) fn sent(codec: Codec<'_>, view: &TableView) -> Vec<u8> {
    let mut bytes = codec.encode_view(view).encode_to_vec();
    let Some(lent) = view.lend(codec.rules()) else { return bytes };
    let mut actions = Vec::new();
    list(lent, &mut actions);
    bytes.extend(codec.encode_legal(7, &Menu::of(lent), &actions).encode_to_vec());
    bytes
}

/// What is read from a message that went over a wire.
pub(crate) fn received<M: Message + Default>(message: &M) -> M {
    M::decode(message.encode_to_vec().as_slice()).unwrap()
}

/// A snapshot that was decoded and kept up to date by decoded events is what would be sent now.
/// Rule: HF-11.1, HF-11.2
fn follow(rules: &Rules, mut game: Game, seed: u64) {
    let codec = Codec::new(rules);
    let mut rng = chance(seed);
    let viewers = viewers(rules);
    let first = |viewer| {
        let snapshot = received(&codec.encode_view(&game.table_view(viewer)));
        codec.decode_view(&snapshot).unwrap()
    };
    let mut views: Vec<TableView> = viewers.iter().map(|viewer| first(*viewer)).collect();
    let mut events = Events::new();
    let mut steps = 0;
    while steps < 2500 && step(&mut game, &mut rng, &mut events) {
        for (viewer, view) in viewers.iter().zip(&mut views) {
            let seen = events.seen_by(*viewer).map(|seen| codec.encode_event(seen.event()));
            let commit = received(&v1::Commit { events: seen.collect(), ..Default::default() });
            for event in codec.decode_events(&commit.events).unwrap() {
                view.apply(&event, rules);
            }
            let now = codec.encode_view(&game.table_view(*viewer)).encode_to_vec();
            assert_eq!(codec.encode_view(view).encode_to_vec(), now, "seed {seed}, step {steps}");
        }
        steps += 1;
    }
    assert!(steps > 100, "seed {seed}: the game ended after {steps} steps");
}

#[test]
fn decoded_events_lead_to_the_view_that_would_be_sent_now() {
    for (seed, rules) in (1..).zip(every_table().into_iter().chain(other_tables())) {
        follow(&rules, game(&rules, seed), seed);
    }
}

/// With lays concealed and undo by consent, decoded events lead to the view too. Rule: HF-13.1,
/// HF-13.3, HF-13.4
#[test]
fn decoded_events_of_every_option_lead_to_the_view() {
    let rules = rules("whitnack", 4, None);
    for (seed, options) in (1..).zip(options()) {
        follow(&rules, game_with(&rules, options, seed), seed);
    }
}

/// Whatever a seat lays where lays are concealed, others are sent the same bytes: events, view,
/// menu and list. Rule: HF-13.3
#[test]
fn a_concealed_lay_changes_no_byte() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let sent_to = |game: &Game, events: &Events, viewer| {
        let events = events.seen_by(viewer).map(|seen| codec.encode_event(seen.event()));
        let commit = v1::Commit { events: events.collect(), ..Default::default() };
        let mut bytes = commit.encode_to_vec();
        bytes.extend(sent(codec, &game.table_view(viewer)));
        bytes
    };
    let mut compared = 0;
    for (seed, options) in
        (1..).zip(options()).filter(|(_, options)| options.lays == Lays::Concealed)
    {
        let mut game = game_with(&rules, options, seed);
        let (mut rng, mut events) = (chance(seed), Events::new());
        while compared < 4000 && step(&mut game, &mut rng, &mut events) {
            let Some(seat) = game.public().to_act() else { continue };
            let others: Vec<_> =
                viewers(&rules).into_iter().filter(|v| *v != Viewer::Seat(seat)).collect();
            let mut actions = Vec::new();
            list(game.view(seat).as_ref(), &mut actions);
            let mut first: Option<Vec<Vec<u8>>> = None;
            for action in actions.iter().filter(|action| matches!(action, Action::Lay(_))) {
                let (mut there, mut made) = (game.clone(), Events::new());
                there.play(seat, action, &mut made).unwrap();
                // A lay that empties the hand or goes out is shown by that.
                if made.len() == 1 {
                    let bytes: Vec<_> =
                        others.iter().map(|viewer| sent_to(&there, &made, *viewer)).collect();
                    compared += u32::from(first.is_some());
                    assert_eq!(first.get_or_insert_with(|| bytes.clone()), &bytes, "seed {seed}");
                }
            }
        }
    }
    assert!(compared > 100, "{compared} lays were compared with another");
}

/// Whether two worlds that a seat cannot tell apart give the same bytes.
pub(crate) fn cannot_tell(
    seat: Seat,
    worlds: &[World; 2],
    rules: &Rules,
    projection: Projection,
) -> bool {
    let codec = Codec::new(rules);
    let [here, there] = worlds.each_ref().map(|world| sent(codec, &projection(world, seat)));
    here == there
}

/// What a seat cannot know may be dealt anew without changing a byte of what it is sent.
/// Rule: HF-11.2
#[test]
fn hidden_cards_change_no_byte() {
    for (seed, rules) in (1..).zip(every_table().into_iter().chain(other_tables())) {
        let codec = Codec::new(&rules);
        let mut game = game(&rules, seed);
        let mut rng = chance(seed);
        let mut events = Events::new();
        let mut steps = 0;
        while steps < 800 && step(&mut game, &mut rng, &mut events) {
            steps += 1;
            if steps % 37 != 0 {
                continue;
            }
            for seat in Seat::all(rules.seats()) {
                let view = game.view(seat);
                let worlds =
                    [(); 2].map(|()| World::resample(view.as_ref(), game.rules(), &mut rng));
                assert!(cannot_tell(seat, &worlds, &rules, honest), "seed {seed}, step {steps}");
                // And they are the bytes of the real game, finished rounds apart.
                let real = TableView { history: Vec::new(), ..view.to_table_view() };
                let sampled = sent(codec, &honest(&worlds[0], seat));
                assert_eq!(sent(codec, &real), sampled, "seed {seed}, step {steps}");
            }
        }
    }
}

/// A projection with a leak: one card of the next seat's hand decides a number that is sent.
fn leaking(world: &World, seat: Seat) -> TableView {
    let mut shown = honest(world, seat);
    let next = seat.next(world.public().seats.len());
    let card = world.view(next).own.iter().next().map_or(0, Card::index);
    shown.table.aside += u16::try_from(card).unwrap();
    shown
}

/// The law catches a planted leak, or it would prove nothing. Rule: HF-11.2
#[test]
fn a_planted_leak_changes_bytes() {
    let rules = rules("whitnack", 4, None);
    let mut rng = chance(5);
    let mut caught = 0;
    for seed in 0..20 {
        let game = game(&rules, seed);
        let seat = game.public().to_act().unwrap();
        let view = game.view(seat).as_ref();
        let worlds = [(); 2].map(|()| World::resample(view, &rules, &mut rng));
        assert!(cannot_tell(seat, &worlds, &rules, honest));
        caught += u32::from(!cannot_tell(seat, &worlds, &rules, leaking));
    }
    assert!(caught > 10, "the leak was caught in {caught} of 20 positions only");
}

/// Others' events hold no face of a card that was drawn, dealt or taken up. Rule: HF-11.2
#[test]
fn a_spectator_is_sent_backs_only() {
    let rules = rules("whitnack", 4, None);
    let codec = Codec::new(&rules);
    let mut game = game(&rules, 3);
    let mut rng = chance(4);
    let mut events = Events::new();
    let (mut backs, mut steps) = (0, 0);
    while steps < 1500 && step(&mut game, &mut rng, &mut events) {
        steps += 1;
        for seen in events.seen_by(handfoot_engine::Viewer::Spectator) {
            let sent = codec.encode_event(seen.event()).event.unwrap();
            let cards = if let v1::event::Event::HandDealt(event) = sent {
                event.cards
            } else if let v1::event::Event::Drew(event) = sent {
                event.cards
            } else if let v1::event::Event::FootTakenUp(event) = sent {
                event.cards
            } else {
                continue;
            };
            let cards = cards.unwrap().cards.unwrap();
            assert!(matches!(cards, v1::concealed_cards::Cards::Backs(_)));
            backs += 1;
        }
    }
    assert!(backs > 100);
}
