//! Events that do not belong to a table: whatever fits can be applied, and no card comes or goes.
//!
//! **Invariant:** whether an event fits is asked of a view before it is applied to it, as a client
//! does; a panic is a failure, and arithmetic is checked.

use std::num::NonZero;
use std::sync::Arc;

use handfoot_cards::{Card, Cards, FACES_MAX};
use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_rules::Rules;
use handfoot_view::{
    Answer, Concealed, DrawCause, Event, Lay, MeldId, PublicTable, Refill, RoundEnd, RoundResult,
    Seat, SeatTable, TableOptions, TableView, Target, ToFoot,
};
use rand_xoshiro::rand_core::Rng;

use crate::games::{below, chance, every_table, options, other_tables, step, viewers};

/// What one viewer of a game is sent, from before the deal on.
struct Sent {
    rules: Arc<Rules>,
    before: TableView,
    events: Vec<Event>,
}

/// A game of so many steps, as a viewer that follows from the seed is sent it.
fn sent(rules: &Arc<Rules>, options: TableOptions, seed: u64, steps: usize) -> Sent {
    let mut rng = chance(seed);
    let viewers = viewers(rules);
    let viewer = viewers[below(&mut rng, viewers.len())];
    let mut made = Events::new();
    let secret = Seed::chosen(seed);
    let mut game = Game::new(Arc::clone(rules), options, "fits", secret, None, &mut made);
    let mut events = Vec::new();
    for _ in 0..steps {
        events.extend(made.seen_by(viewer).map(|seen| seen.event().clone()));
        if !step(&mut game, &mut rng, &mut made) {
            break;
        }
    }
    let seat = match viewer {
        Viewer::Seat(seat) => Some(seat),
        Viewer::Spectator => None,
    };
    let table = PublicTable::new(rules, options, Seat::from_index(0).unwrap());
    let before = TableView { seat, own: Cards::EMPTY, table, history: Vec::new() };
    Sent { rules: Arc::clone(rules), before, events }
}

/// Many tables, each with options of its own.
fn tables() -> impl Iterator<Item = (u64, Arc<Rules>, TableOptions)> {
    let options: Vec<TableOptions> =
        std::iter::once(TableOptions::default()).chain(options()).collect();
    let tables = every_table().into_iter().chain(other_tables());
    (1..).zip(tables).map(move |(seed, rules)| {
        let options = options[usize::try_from(seed).unwrap() % options.len()];
        (seed, rules, options)
    })
}

/// Asks whether an event fits; applies it to a copy if it does, and says what came of it.
fn try_on(view: &TableView, event: &Event, rules: &Rules) -> Option<TableView> {
    view.fits(event, rules).ok()?;
    assert_eq!(view.table.fits(event, rules), Ok(()), "the table alone knows less: {event:?}");
    let mut after = view.clone();
    after.apply(event, rules);
    if let Err(wrong) = adds_up(&after, rules) {
        panic!("{wrong} after {event:?}");
    }
    Some(after)
}

/// What can be said of the cards of any view.
fn adds_up(view: &TableView, rules: &Rules) -> Result<(), &'static str> {
    let table = &view.table;
    let in_round = table.cards_in_round(rules);
    let sizes = &table.round(rules).packets;
    let packets_left = |packet: u8| -> usize {
        sizes[usize::from(packet) + 1..].iter().map(|size| usize::from(*size)).sum()
    };
    // While hands are dealt a seat without cards is still to get its own.
    let is_dealing = table.turns == 0;
    let held = |seat: &SeatTable| match seat.held {
        0 if is_dealing => packets_left(0) + usize::from(sizes[0]),
        held => usize::from(held) + packets_left(seat.packet),
    };
    let melds = || table.teams.iter().flat_map(|team| &team.melds);
    let red_threes = table.teams.iter().map(|team| usize::from(team.red_threes_laid()));
    let lying = table.discards.len() + table.removed.len() + usize::from(table.aside);
    let all = usize::from(table.stock)
        + lying
        + table.seats.iter().map(held).sum::<usize>()
        + melds().map(|meld| meld.cards(rules).len()).sum::<usize>()
        + red_threes.sum::<usize>();
    if table.event_index > 0 && all != in_round.len() {
        return Err("cards have come or gone");
    }
    let mut seen = [0usize; FACES_MAX];
    let mut see = |card: Card, count: u8| seen[card.index()] += usize::from(count);
    table.discards.iter().chain(&table.removed).for_each(|card| see(*card, 1));
    melds().for_each(|meld| meld.cards(rules).faces().for_each(|(card, count)| see(card, count)));
    for team in &table.teams {
        let faces = rules.pack().red_three_faces().iter().zip(team.red_threes);
        faces.for_each(|(card, count)| see(*card, count));
    }
    view.own.faces().for_each(|(card, count)| see(card, count));
    if Card::all().any(|card| seen[card.index()] > usize::from(in_round.count(card))) {
        return Err("a card is seen more often than it is in play");
    }
    let known =
        |seat: &SeatTable| -> usize { seat.known.iter().map(|count| usize::from(*count)).sum() };
    if table.seats.iter().any(|seat| known(seat) > usize::from(seat.held)) {
        return Err("a seat is known to hold more than it holds");
    }
    let Some(viewer) = view.seat else { return Ok(()) };
    let public = &table.seats[viewer.index()];
    let own = view.own.by_kind();
    match view.own.len() == usize::from(public.held)
        && own.iter().zip(public.known).all(|(own, known)| *own >= known)
    {
        true => Ok(()),
        false => Err("the viewer does not hold what it is seen to hold"),
    }
}

/// Every event fits in its place, from the first deal on, and cards add up after each.
#[test]
fn every_event_fits_where_it_happened() {
    for (seed, rules, options) in tables() {
        let Sent { before, events, .. } = sent(&rules, options, seed, 300);
        let mut view = before;
        for (index, event) in events.iter().enumerate() {
            assert_eq!(view.fits(event, &rules), Ok(()), "seed {seed}, event {index}: {event:?}");
            view = try_on(&view, event, &rules).unwrap();
        }
    }
}

/// Events of other games and of other moments, repeated, skipped and out of order: a view that
/// takes whatever fits, and nothing else, goes on to add up.
#[test]
fn events_of_elsewhere_are_refused_or_do_no_harm() {
    let (mut taken, mut refused) = (0u32, 0u32);
    for (seed, rules, options) in tables() {
        let here = sent(&rules, options, seed, 250);
        let there = sent(&rules, options, seed + 1000, 250);
        let mut rng = chance(seed);
        let mut view = here.before.clone();
        let mut at = 0;
        while at < here.events.len() {
            let event = match below(&mut rng, 8) {
                0 => &there.events[below(&mut rng, there.events.len())],
                1 => &here.events[below(&mut rng, here.events.len())],
                2 => &here.events[at.saturating_sub(1)],
                3 => &here.events[(at + 1).min(here.events.len() - 1)],
                _ => {
                    at += 1;
                    &here.events[at - 1]
                }
            };
            match try_on(&view, event, &here.rules) {
                Some(after) => {
                    taken += 1;
                    view = after;
                }
                None => refused += 1,
            }
            // Once it has gone astray it would refuse all that follows.
            if below(&mut rng, 40) == 0 {
                view = here.before.clone();
                here.events[..at].iter().for_each(|event| view.apply(event, &here.rules));
            }
        }
    }
    assert!(taken > 10_000 && refused > 10_000, "{taken} taken, {refused} refused");
}

/// Every event changed in one place, at the moment when the true one would fit.
#[test]
fn changed_events_are_refused_or_do_no_harm() {
    let (mut taken, mut refused) = (0u32, 0u32);
    for (seed, rules, options) in tables() {
        let Sent { before, events, .. } = sent(&rules, options, seed, 200);
        let mut rng = chance(seed);
        let mut view = before;
        for event in &events {
            for _ in 0..6 {
                let mut changed = event.clone();
                change(&mut changed, &rules, &mut rng);
                match try_on(&view, &changed, &rules) {
                    Some(_) => taken += 1,
                    None => refused += 1,
                }
            }
            view.apply(event, &rules);
        }
    }
    assert!(taken > 1_000 && refused > 10_000, "{taken} taken, {refused} refused");
}

/// Counts at their ends: no arithmetic goes beyond them, whatever the table says.
#[test]
fn tables_at_the_ends_of_their_counts_take_no_event_too_many() {
    let mut refused = 0u32;
    for (seed, rules, options) in tables().step_by(3) {
        let Sent { before, events, .. } = sent(&rules, options, seed, 120);
        let mut rng = chance(seed);
        let mut view = before;
        for event in &events {
            let mut full = view.clone();
            stretch(&mut full.table, &mut rng);
            match full.fits(event, &rules) {
                Ok(()) => full.apply(event, &rules),
                Err(_) => refused += 1,
            }
            view.apply(event, &rules);
        }
    }
    assert!(refused > 1_000, "{refused} refused");
}

/// Makes one thing of a table as large, as small or as foreign as its type allows.
fn stretch(table: &mut PublicTable, rng: &mut impl Rng) {
    let seat = below(rng, table.seats.len());
    let team = below(rng, table.teams.len());
    match below(rng, 14) {
        0 => table.event_index = u32::MAX,
        1 => table.turns = u16::MAX,
        2 => table.stock = u16::MAX - u16::try_from(below(rng, 3)).unwrap(),
        3 => table.stock = u16::try_from(below(rng, 2)).unwrap(),
        4 => table.seats[seat].held = u16::MAX,
        5 => table.seats[seat].held = u16::try_from(below(rng, 2)).unwrap(),
        6 => table.seats[seat].known = [u8::MAX; handfoot_cards::KINDS_MAX],
        7 => table.teams[team].total = if below(rng, 2) == 0 { i32::MAX } else { i32::MIN },
        8 => table.teams[team].red_threes = [u8::MAX; 4],
        9 => table.passes = u8::MAX,
        10 => table.refills = u8::MAX,
        11 => table.seats[seat].packet = u8::MAX,
        12 => table.laid.iter_mut().for_each(|laid| laid.act = u8::MAX),
        _ => table.teams[team].melds.clear(),
    }
}

/// Changes an event in one place.
fn change(event: &mut Event, rules: &Rules, rng: &mut impl Rng) {
    match (below(rng, 3), acting(event)) {
        (0, Some(seat)) => *seat = any_seat(rng),
        (_, Some(_) | None) => change_rest(event, rules, rng),
    }
}

fn any_seat(rng: &mut impl Rng) -> Seat {
    Seat::from_index(below(rng, 12)).unwrap()
}

/// The seat that an event is about, if it is about one.
fn acting(event: &mut Event) -> Option<&mut Seat> {
    match event {
        Event::RoundBegan { dealer: seat, .. }
        | Event::HandDealt { seat, .. }
        | Event::Drew { seat, .. }
        | Event::FootTakenUp { seat, .. }
        | Event::Lifted { seat, .. }
        | Event::TurnBegan { seat }
        | Event::TurnPassed { seat }
        | Event::RedThreesLaid { seat, .. }
        | Event::DiscardsTaken { seat, .. }
        | Event::Laid { seat, .. }
        | Event::LaidConcealed { seat, .. }
        | Event::LaysShown { seat, .. }
        | Event::LaysUndone { seat, .. }
        | Event::UndoAsked { seat, .. }
        | Event::AskedToGoOut { seat, .. }
        | Event::UndoAnswered { seat, .. }
        | Event::Answered { seat, .. }
        | Event::Discarded { seat, .. } => Some(seat),
        Event::DiscardsRemoved { .. } | Event::StockRefilled { .. } | Event::RoundEnded { .. } => {
            None
        }
    }
}

/// Changes what an event says beside the seat that it is about.
fn change_rest(event: &mut Event, rules: &Rules, rng: &mut impl Rng) {
    let is_first = below(rng, 2) == 0;
    match event {
        Event::RoundBegan { round_index, upcard, buried, stock, .. } => match below(rng, 4) {
            0 => *round_index = near(*round_index, rng),
            1 => *upcard = Some(any_card(rng)),
            2 => buried.insert(any_card(rng)),
            _ => *stock = near(*stock, rng),
        },
        Event::Drew { cause, .. } if is_first => {
            *cause = match cause {
                DrawCause::DrawStep => DrawCause::Replacement,
                DrawCause::Replacement => DrawCause::DrawStep,
            }
        }
        Event::FootTakenUp { how, .. } if is_first => {
            *how = [ToFoot::Ran, ToFoot::Walked, ToFoot::AtTurnEnd][below(rng, 3)];
        }
        Event::HandDealt { cards, .. }
        | Event::Drew { cards, .. }
        | Event::FootTakenUp { cards, .. } => change_concealed(cards, rng),
        Event::Lifted { cards, .. } => {
            *cards = NonZero::new(near(cards.get(), rng).max(1)).unwrap();
        }
        Event::TurnBegan { seat } | Event::TurnPassed { seat } => *seat = any_seat(rng),
        Event::RedThreesLaid { cards, .. } => change_cards(cards, rng),
        Event::DiscardsTaken { lay, .. }
        | Event::Laid { lay, .. }
        | Event::LaidConcealed { lay: Some(lay), .. } => *lay = changed(lay, rules, rng),
        Event::LaidConcealed { lay, .. } => *lay = Lay::of(Target::New, &[any_card(rng); 3]).ok(),
        Event::LaysShown { lays, .. } if is_first => lays.extend(lays.first().cloned()),
        Event::LaysShown { lays, .. } => {
            lays.iter_mut().for_each(|lay| *lay = changed(lay, rules, rng));
        }
        Event::UndoAsked { answering, .. } if is_first => *answering = any_seat(rng),
        Event::LaysUndone { acts, .. } | Event::UndoAsked { acts, .. } => {
            *acts = near(u16::from(*acts), rng).to_le_bytes()[0];
        }
        Event::AskedToGoOut { answering, .. } => *answering = any_seat(rng),
        Event::UndoAnswered { answer, next, .. } | Event::Answered { answer, next, .. } => {
            match is_first {
                true => *next = Seat::from_index(below(rng, 16)),
                false => *answer = if *answer == Answer::Yes { Answer::No } else { Answer::Yes },
            }
        }
        Event::Discarded { card, .. } => *card = any_card(rng),
        Event::StockRefilled { from, .. } if is_first => {
            *from = [Refill::Removed, Refill::Discards, Refill::Deck][below(rng, 3)];
        }
        Event::DiscardsRemoved { count } | Event::StockRefilled { count, .. } => {
            *count = near(*count, rng);
        }
        Event::RoundEnded { result } => change_result(result, rng),
    }
}

fn change_result(result: &mut RoundResult, rng: &mut impl Rng) {
    match below(rng, 7) {
        0 => result.round_index = near(result.round_index, rng),
        1 => result.turns = near(result.turns, rng),
        2 => result.how = RoundEnd::WentOut(any_seat(rng)),
        3 => result.scores.truncate(1),
        4 => result.shown.truncate(1),
        5 => change_cards(&mut result.shown[0].own, rng),
        _ => result.shown[0].packets.push(Cards::EMPTY),
    }
}

/// A number close by, or at an end.
fn near(number: u16, rng: &mut impl Rng) -> u16 {
    match below(rng, 4) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        2 => 0,
        _ => u16::MAX,
    }
}

/// A card of any pack.
fn any_card(rng: &mut impl Rng) -> Card {
    Card::from_index(below(rng, FACES_MAX)).unwrap()
}

fn change_cards(cards: &mut Cards, rng: &mut impl Rng) {
    let first = cards.iter().next();
    match (below(rng, 3), first) {
        (0, Some(card)) => {
            let _ = cards.remove(card);
        }
        (1, Some(card)) => {
            let _ = cards.remove(card);
            cards.insert(any_card(rng));
        }
        _ => cards.insert(any_card(rng)),
    }
}

fn change_concealed(cards: &mut Concealed, rng: &mut impl Rng) {
    match (below(rng, 3), &mut *cards) {
        (0, _) => *cards = cards.backs(),
        (1, _) => *cards = Concealed::Backs(near(cards.len(), rng)),
        (_, Concealed::Faces(faces)) => change_cards(faces, rng),
        (_, Concealed::Backs(count)) => {
            let count = *count;
            let card = any_card(rng);
            *cards = Concealed::Faces((0..count.min(200)).map(|_| card).collect());
        }
    }
}

/// The lay with a placement elsewhere, a card more, or one that is another.
fn changed(lay: &Lay, rules: &Rules, rng: &mut impl Rng) -> Lay {
    let placements: Vec<_> = lay.placements().collect();
    let at = below(rng, placements.len());
    let mut made = Lay::new();
    let what = below(rng, 6);
    for (index, placement) in placements.iter().enumerate() {
        let (mut target, mut cards) = (placement.target, placement.cards.to_vec());
        if index == at {
            match what {
                0 => target = Target::New,
                1 => target = Target::Meld(MeldId::from_index(below(rng, 4)).unwrap()),
                2 => target = Target::Meld(MeldId::from_index(below(rng, 256)).unwrap()),
                3 => cards.push(any_card(rng)),
                4 => cards[0] = any_card(rng),
                _ => {
                    // One of the same kind, so that it belongs there.
                    let slot = below(rng, 4);
                    let other = cards[0].kind().card(slot);
                    cards[0] = if rules.cards_max(other) > 0 { other } else { cards[0] };
                }
            }
        }
        // What is too long is left as it was.
        let _ = made.push(target, &cards);
    }
    made
}
