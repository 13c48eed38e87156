//! Games that a seat cannot tell from the real one.

use std::sync::Arc;

use handfoot_cards::{Card, Cards, Kind, Role};
use handfoot_rules::{Rules, SpecialLastDiscard};
use handfoot_view::{Action, Phase, PublicTable, Rejection, Seat, ViewRef};
use rand_core::Rng;

use crate::conceal::concealing;
use crate::event::Events;
use crate::fault::Fault;
use crate::shuffle::below;
use crate::state::{Hidden, State};

/// A sampled game: what a seat knows, with everything else dealt at random. It plays on by the
/// same code as a real one. It can be made from a view only, never from a [`crate::Game`].
#[derive(Clone)]
pub struct World {
    state: State,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").finish_non_exhaustive()
    }
}

impl World {
    /// Deals all that the seat cannot know anew, each deal that fits what it knows equally
    /// likely: sizes, cards seen going to a seat and not shown since, that no seat which has had a
    /// turn holds a red three that would have been laid, and that a seat which has laid down to
    /// one card can discard it.
    ///
    /// An open question's way out is not known to others; if one is open, the world has none and
    /// a yes changes nothing.
    #[must_use]
    pub fn resample(view: ViewRef<'_>, rules: &Arc<Rules>, rng: &mut impl Rng) -> World {
        let table = view.table.clone();
        let hidden = deal_unseen(view, rng);
        let refill_seed = rules.may_refill().then(|| {
            let mut seed = Box::new([0; 32]);
            rng.fill_bytes(seed.as_mut_slice());
            seed
        });
        World {
            state: State {
                rules: Arc::clone(rules),
                shown: concealing(&table, rules),
                table,
                hidden,
                way_out: None,
                round_seed: [0; 32],
                refill_seed,
            },
        }
    }

    /// What a seat sees in this world.
    ///
    /// # Panics
    ///
    /// If the table has no such seat.
    #[must_use]
    pub fn view(&self, seat: Seat) -> ViewRef<'_> {
        self.state.view(seat)
    }

    /// What everybody sees.
    #[must_use]
    pub fn public(&self) -> &PublicTable {
        self.state.public()
    }

    /// Plays an action. What it makes happen is added to `events`.
    ///
    /// # Errors
    ///
    /// The first [`Rejection`] in order of precedence; nothing has then changed.
    pub fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Events,
    ) -> Result<(), Rejection> {
        self.state.play(seat, action, events)
    }

    /// Checks every law that a single position can break.
    ///
    /// # Errors
    ///
    /// The first [`Fault`] found.
    pub fn check(&self) -> Result<(), Fault> {
        self.state.check()
    }
}

/// Cards that a seat cannot see, dealt to where they can lie.
fn deal_unseen(view: ViewRef<'_>, rng: &mut impl Rng) -> Hidden {
    let (table, rules) = (view.table, view.rules);
    let seats = rules.seats();
    let mut unseen = unseen_by(view);
    let mut own = vec![Cards::EMPTY; seats];
    own[view.seat.index()] = view.own.clone();
    for seat in Seat::all(seats).filter(|seat| *seat != view.seat) {
        take_known(&mut own[seat.index()], &table.seats[seat.index()].known, &mut unseen, rng);
    }
    let mut pool = Pool::new(rules, &unseen, rng);
    if let Some(seat) = last_card(table, rules).filter(|seat| *seat != view.seat) {
        fill(&mut own[seat.index()], 1, || pool.last_discard(rules));
    }
    // Hands that cannot hold red threes are dealt first, so that every deal stays possible.
    let others = || Seat::all(seats).filter(|seat| *seat != view.seat);
    for seat in others().filter(|seat| table.has_laid_red_threes(*seat)) {
        fill(&mut own[seat.index()], table.seats[seat.index()].held, || pool.without_red_three());
    }
    let mut rest = pool.rest(rng).into_iter();
    for seat in others().filter(|seat| !table.has_laid_red_threes(*seat)) {
        fill(&mut own[seat.index()], table.seats[seat.index()].held, || rest.next());
    }
    let sizes = &table.round(rules).packets[1..];
    let mut cards = Vec::with_capacity(table.cards_in_round(rules).len());
    for seat in Seat::all(seats) {
        let taken_up = usize::from(table.seats[seat.index()].packet);
        for (index, size) in sizes.iter().enumerate() {
            let gone = index < taken_up;
            // A packet taken up leaves its place behind; which cards stand there means nothing.
            let place = std::iter::repeat_with(|| match gone {
                true => Some(Card::from_index(0).expect("there is a first card")),
                false => rest.next(),
            });
            cards.extend(place.take(usize::from(*size)).map_while(|card| card));
        }
    }
    let aside = rest.by_ref().take(usize::from(table.aside)).collect();
    let stock_start = cards.len();
    cards.extend(rest);
    Hidden { own, cards, stock_start, aside }
}

/// A seat that has laid down to one card in its foot, which it could do only because that card can
/// be its last discard; none where any card can. Rule: HF-8.13
fn last_card(table: &PublicTable, rules: &Rules) -> Option<Seat> {
    let (Phase::Play { seat, .. } | Phase::AwaitUndo { asker: seat, .. }) = table.phase else {
        return None;
    };
    let special = &rules.draft().special;
    if !special.iter().any(|rank| rank.last_discard == SpecialLastDiscard::Banned) {
        return None;
    }
    (table.seats[seat.index()].held == 1 && table.in_foot(seat, rules)).then_some(seat)
}

/// The pack without everything the seat sees.
fn unseen_by(view: ViewRef<'_>) -> Cards {
    let (table, rules) = (view.table, view.rules);
    let mut seen = view.own.clone();
    seen.extend(table.discards.iter().chain(&table.removed).copied());
    for team in &table.teams {
        for meld in &team.melds {
            seen.add(&meld.cards(rules));
        }
        for (card, count) in rules.pack().red_three_faces().iter().zip(team.red_threes) {
            seen.extend(std::iter::repeat_n(*card, usize::from(count)));
        }
    }
    let mut unseen = table.cards_in_round(rules);
    let _ = unseen.subtract(&seen);
    unseen
}

/// Gives a seat the cards it is known to hold: the kind is known, the face drawn.
fn take_known(own: &mut Cards, known: &[u8], unseen: &mut Cards, rng: &mut impl Rng) {
    for (kind, count) in Kind::all().zip(known) {
        for _ in 0..*count {
            let nth = below(rng, usize::from(unseen.of_kind(kind)));
            let of_kind = kind
                .cards()
                .flat_map(|card| std::iter::repeat_n(card, usize::from(unseen.count(card))));
            let Some(card) = of_kind.into_iter().nth(nth) else { continue };
            if unseen.remove(card) {
                own.insert(card);
            }
        }
    }
}

fn fill(own: &mut Cards, held: u16, mut next: impl FnMut() -> Option<Card>) {
    while own.len() < usize::from(held) {
        match next() {
            Some(card) => own.insert(card),
            None => return,
        }
    }
}

/// Unseen cards in random order, red threes that would have been laid apart.
struct Pool {
    others: Vec<Card>,
    red_threes: Vec<Card>,
}

impl Pool {
    fn new(rules: &Rules, unseen: &Cards, rng: &mut impl Rng) -> Pool {
        let is_apart = |card: &Card| {
            rules.role(card.kind()) == Role::RedThree
                && handfoot_view::is_laid_at_once(*card, rules)
        };
        let (red_threes, mut others): (Vec<Card>, Vec<Card>) = unseen.iter().partition(is_apart);
        shuffle(&mut others, rng);
        Pool { others, red_threes }
    }

    /// A card that may be the last discard, each equally likely. Rule: HF-8.14
    fn last_discard(&mut self, rules: &Rules) -> Option<Card> {
        let may_be = |card: &Card| match rules.last_discard_of(card.kind()) {
            SpecialLastDiscard::Allowed => true,
            SpecialLastDiscard::Banned => false,
        };
        let at = self.others.iter().rposition(may_be)?;
        Some(self.others.remove(at))
    }

    fn without_red_three(&mut self) -> Option<Card> {
        self.others.pop()
    }

    fn rest(self, rng: &mut impl Rng) -> Vec<Card> {
        let mut rest = self.others;
        rest.extend(self.red_threes);
        shuffle(&mut rest, rng);
        rest
    }
}

fn shuffle(cards: &mut [Card], rng: &mut impl Rng) {
    for last in (1..cards.len()).rev() {
        let other = below(rng, last + 1);
        cards.swap(last, other);
    }
}
