//! Games to test with.
//!
//! **Invariant:** everything follows from the numbers given.

use std::sync::Arc;

use handfoot_cards::{NamedKind, Role};
use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_rules::{
    Decks, ExactPick, ExactPickModel, FootAfterDiscard, FootAfterMeld, OpeningBy, PackChoice,
    PerRound, Preset, Rules, RulesDraft, StockThen, WildDiscard,
};
use handfoot_view::{Action, Seat, TableOptions, Undo, ViewRef, list, sample};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A preset's rules for so many players, in teams of the given size or the usual one.
pub(crate) fn rules(preset: &str, players: u8, team_size: Option<u8>) -> Arc<Rules> {
    let draft = Preset::find(preset).unwrap().draft(Some(players), team_size).unwrap();
    Arc::new(Rules::new(draft).unwrap().rules)
}

/// Every preset with every number of players and team size that it allows.
pub(crate) fn every_table() -> Vec<Arc<Rules>> {
    let seatings = Preset::all().iter().flat_map(|preset| {
        preset.seating.iter().flat_map(|seating| {
            let sizes = seating.team_sizes.iter();
            sizes.map(|size| rules(&preset.id, seating.players, Some(*size)))
        })
    });
    seatings.collect()
}

/// Rule sets whose tables keep and tell more than the presets do.
pub(crate) fn other_tables() -> Vec<Arc<Rules>> {
    let changes: [fn(&mut RulesDraft); 5] = [
        |d| {
            d.wild_discard = WildDiscard::RemoveDiscards;
            d.upcard.bury.clear();
            d.stock_out.then = StockThen::ReshuffleDiscards;
        },
        |d| {
            d.stock_out.then = StockThen::AddDeck;
            d.stock_out.max_added = Some(2);
            d.exact_pick = ExactPick { bonus: 100, model: ExactPickModel::Chance(0.5) };
        },
        |d| {
            d.stock_out.then = StockThen::PlayOn;
            d.packets = PerRound::Same(vec![5, 6, 7]);
        },
        |d| {
            d.foot.after_discard = FootAfterDiscard::EndOfTurn;
            d.foot.after_meld = FootAfterMeld::EndTurn;
            d.opening.by = OpeningBy::TeamScore(vec![0, 500, 1000, 1500]);
        },
        named_pack,
    ];
    let small = |change: fn(&mut RulesDraft)| {
        let mut draft = Preset::find("whitnack").unwrap().draft(Some(4), None).unwrap();
        draft.decks = Decks::Fixed(4);
        draft.book_size = 4;
        draft.packets = PerRound::Same(vec![9, 9]);
        change(&mut draft);
        Arc::new(Rules::new(draft).unwrap().rules)
    };
    changes.into_iter().map(small).collect()
}

fn named_pack(draft: &mut RulesDraft) {
    let kind = |name: &str, number, role| NamedKind { name: name.to_owned(), number, role };
    let mut kinds: Vec<NamedKind> =
        (1..=12).map(|n: u8| kind(&n.to_string(), 16, Role::Natural)).collect();
    kinds.push(kind("Lord", 20, Role::Natural));
    kinds.push(kind("Jester", 20, Role::Wild));
    kinds.push(kind("Villain", 10, Role::BlackThree));
    kinds.push(kind("Lady", 10, Role::RedThree));
    draft.card_value.0 = kinds.iter().map(|kind| (kind.name.clone(), 10)).collect();
    draft.pack = PackChoice::Kinds(kinds);
}

/// A game with its first round dealt.
pub(crate) fn game(rules: &Arc<Rules>, seed: u64) -> Game {
    let options = TableOptions { undo: Undo::OwnTurn };
    Game::new(Arc::clone(rules), options, "test", Seed::chosen(seed), None, &mut Events::new())
}

/// A generator that gives the same every time.
pub(crate) fn chance(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A number below a bound.
pub(crate) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    let bound = u64::try_from(bound.max(1)).unwrap();
    usize::try_from(rng.next_u64() % bound).unwrap()
}

/// Every viewer of a table.
pub(crate) fn viewers(rules: &Rules) -> Vec<Viewer> {
    let seats = Seat::all(rules.seats()).map(Viewer::Seat);
    seats.chain(std::iter::once(Viewer::Spectator)).collect()
}

/// An action: every third one taken from the list, so that takes, openings and ways out come up,
/// the others sampled.
pub(crate) fn choose(view: ViewRef<'_>, rng: &mut impl Rng) -> Action {
    let mut actions = Vec::new();
    if rng.next_u64().is_multiple_of(3) {
        list(view, &mut actions);
        let chosen = below(rng, actions.len());
        return actions.swap_remove(chosen);
    }
    sample(view, rng).unwrap()
}

/// Plays a game on by one step: an action, or the next deal. False if it is over.
pub(crate) fn step(game: &mut Game, rng: &mut impl Rng, events: &mut Events) -> bool {
    events.clear();
    match game.public().to_act() {
        Some(seat) => {
            let action = choose(game.view(seat).as_ref(), rng);
            game.play(seat, &action, events).unwrap();
            true
        }
        None => game.deal_next(&[], events).is_ok(),
    }
}
