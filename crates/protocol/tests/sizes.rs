//! How many bytes a table takes on the wire.
//!
//! **Invariant:** the limits below are those that the design promises; what is measured is printed.

use handfoot_engine::{Events, Game, Viewer};
use handfoot_protocol::{Codec, encode_draft, v1};
use handfoot_rules::Rules;
use handfoot_view::{Menu, list};
use prost::Message;

use crate::games::{chance, game, rules, step};

/// The most bytes of a snapshot of four seats, up to the last round.
const SNAPSHOT_BYTES_MAX: usize = 2560;

/// The mean and the greatest of what was measured.
#[derive(Default)]
struct Sizes {
    name: &'static str,
    all: Vec<usize>,
}

impl Sizes {
    fn named(name: &'static str) -> Sizes {
        Sizes { name, all: Vec::new() }
    }

    fn most(&self) -> usize {
        self.all.iter().copied().max().unwrap_or(0)
    }

    fn line(&mut self) -> String {
        self.all.sort_unstable();
        let middle = self.all[self.all.len() / 2];
        format!("{:<28}{:>8}{middle:>8}{:>8}\n", self.name, self.all[0], self.most())
    }
}

/// A view with everything that the service fills in.
fn whole_view(codec: Codec<'_>, game: &Game, viewer: Viewer) -> v1::View {
    let time = prost_types::Timestamp { seconds: 1_800_000_000, nanos: 123_000_000 };
    let player = |number| v1::SeatPlayer {
        seat: number,
        owner: Some(v1::SeatOwner {
            owner: Some(v1::seat_owner::Owner::Person(v1::Person {
                player_id: String::new(),
                display_name: "Wilhelmina".to_owned(),
            })),
        }),
        controller: v1::Controller::Person as i32,
    };
    v1::View {
        stamp: Some(v1::Stamp { version: 300, game_version: 300, chain: vec![7; 16] }),
        table_id: "0190a7c4-8a5e-7d1a-9d3c-2f6a8b1c9e10".to_owned(),
        server_time: Some(time),
        seed_origin: v1::SeedOrigin::Secret as i32,
        players: (1..=4).map(player).collect(),
        ..codec.encode_view(&game.table_view(viewer))
    }
}

fn measure(rules: &Rules, game: &mut Game, seed: u64, sizes: &mut [Sizes; 9]) {
    let codec = Codec::new(rules);
    let mut rng = chance(seed);
    let mut events = Events::new();
    let mut actions = Vec::new();
    while step(game, &mut rng, &mut events) {
        let Some(seat) = game.public().to_act() else { continue };
        let view = whole_view(codec, game, Viewer::Seat(seat)).encoded_len();
        match game.public().round_index {
            0 => sizes[0].all.push(view),
            _ => sizes[1].all.push(view),
        }
        let lent = game.view(seat).as_ref();
        list(lent, &mut actions);
        sizes[2].all.push(codec.encode_menu(&Menu::of(lent)).encoded_len());
        sizes[3].all.push(codec.encode_legal(1, &Menu::of(lent), &actions).encoded_len());
        let seen: Vec<v1::Event> = events
            .seen_by(Viewer::Seat(seat))
            .map(|seen| codec.encode_event(seen.event()))
            .collect();
        let commit = v1::Commit {
            stamp: Some(v1::Stamp { version: 300, game_version: 300, chain: vec![7; 16] }),
            commit_time: Some(prost_types::Timestamp { seconds: 1_800_000_000, nanos: 1 }),
            cause: v1::CommitCause::Actions as i32,
            seat: 1,
            controller: v1::Controller::Bot as i32,
            table_state: v1::TableState::Playing as i32,
            events: seen,
            players: Vec::new(),
        };
        if let Some(sort) = sort_of(&commit) {
            sizes[sort].all.push(commit.encoded_len());
        }
    }
}

/// Which line of the table a commit belongs to, by its first event.
fn sort_of(commit: &v1::Commit) -> Option<usize> {
    let first = commit.events.first()?.event.as_ref()?;
    let sorts: [fn(&v1::event::Event) -> bool; 5] = [
        |event| matches!(event, v1::event::Event::Drew(_)),
        |event| matches!(event, v1::event::Event::DiscardsTaken(_)),
        |event| matches!(event, v1::event::Event::Laid(_)),
        |event| matches!(event, v1::event::Event::Discarded(_)),
        |event| matches!(event, v1::event::Event::RoundBegan(_)),
    ];
    sorts.iter().position(|is_sort| is_sort(first)).map(|sort| sort + 4)
}

#[test]
#[expect(clippy::print_stdout, reason = "what was measured, shown with `--nocapture`")]
fn messages_are_small() {
    let rules = rules("whitnack", 4, None);
    let mut sizes = [
        Sizes::named("view, first round"),
        Sizes::named("view, later rounds"),
        Sizes::named("menu"),
        Sizes::named("menu and list"),
        Sizes::named("commit: draw"),
        Sizes::named("commit: take"),
        Sizes::named("commit: lay"),
        Sizes::named("commit: discard"),
        Sizes::named("commit: deal"),
    ];
    for seed in 0..6 {
        measure(&rules, &mut game(&rules, seed), seed, &mut sizes);
    }
    let mut table = format!("{:<28}{:>8}{:>8}{:>8}\n", "bytes", "least", "median", "most");
    for size in &mut sizes {
        table += &size.line();
    }
    table += &format!("{:<28}{:>8}\n", "rules", encode_draft(rules.draft()).encoded_len());
    println!("{table}");
    let snapshot = sizes[0].most().max(sizes[1].most());
    assert!(snapshot <= SNAPSHOT_BYTES_MAX, "{snapshot} bytes");
    assert!(sizes[3].most() <= 64 * 1024);
}
