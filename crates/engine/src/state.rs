//! The state of a game: the public table and, beside it, the cards that are hidden.
//!
//! **Invariant:** the one place that holds hidden cards. No `Debug`, no `Serialize`, and nothing
//! here returns a hidden card except to the engine's own modules.

use std::num::NonZero;
use std::sync::Arc;

use handfoot_cards::{Card, Cards, Role};
use handfoot_rules::{ExactPickModel, HandRule, NoStock, ROUNDS_MAX, Rules, WildDiscard};
use handfoot_view::{
    Concealed, DrawCause, Event, FootStage, Phase, PublicTable, Refill, RoundEnd, Seat, ToFoot,
    ViewRef, WayOut, follow_own,
};

use crate::conceal::concealing;
use crate::event::Events;
use crate::shuffle::Chance;

/// A whole game position.
///
/// # Visibility
///
/// Nobody: seats get views.
pub(crate) struct State {
    pub(crate) rules: Arc<Rules>,
    pub(crate) table: PublicTable,
    /// The table as all but the seat whose turn it is see it, where lays are concealed.
    /// Rule: HF-13.3
    pub(crate) shown: Option<Box<PublicTable>>,
    pub(crate) hidden: Hidden,
    /// The way out that an open question names. Rule: HF-8.5
    pub(crate) way_out: Option<Box<WayOut>>,
    /// The seed of the round being played, revealed when it ends.
    pub(crate) round_seed: [u8; 32],
    /// What fixes the order of cards that the stock is given in this round, where it may be.
    pub(crate) refill_seed: Option<Box<[u8; 32]>>,
}

/// The hidden cards.
pub(crate) struct Hidden {
    /// What each seat holds, by [`Seat::index`].
    pub(crate) own: Vec<Cards>,
    /// The packets not in play at the deal, seat after seat, then the stock with its top last.
    /// A packet taken up leaves its place behind, so that the others do not move.
    pub(crate) cards: Vec<Card>,
    /// Where the stock begins.
    pub(crate) stock_start: usize,
    /// Cards out of play.
    pub(crate) aside: Vec<Card>,
}

impl Clone for Hidden {
    /// Keeps the room of its lists, so that play on a clone allocates nothing either.
    fn clone(&self) -> Hidden {
        let mut cards = Vec::with_capacity(self.cards.capacity());
        cards.extend_from_slice(&self.cards);
        Hidden {
            own: self.own.clone(),
            cards,
            stock_start: self.stock_start,
            aside: self.aside.clone(),
        }
    }

    fn clone_from(&mut self, from: &Hidden) {
        self.own.clone_from(&from.own);
        self.cards.clone_from(&from.cards);
        self.stock_start = from.stock_start;
        self.aside.clone_from(&from.aside);
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            rules: Arc::clone(&self.rules),
            table: self.table.clone(),
            shown: self.shown.clone(),
            hidden: self.hidden.clone(),
            way_out: self.way_out.clone(),
            round_seed: self.round_seed,
            refill_seed: self.refill_seed.clone(),
        }
    }

    fn clone_from(&mut self, from: &State) {
        self.rules = Arc::clone(&from.rules);
        self.table.clone_from(&from.table);
        self.shown.clone_from(&from.shown);
        self.hidden.clone_from(&from.hidden);
        self.way_out.clone_from(&from.way_out);
        self.round_seed = from.round_seed;
        self.refill_seed.clone_from(&from.refill_seed);
    }
}

impl State {
    /// A table before its first deal.
    pub(crate) fn new(rules: Arc<Rules>, table: PublicTable) -> State {
        let own = vec![Cards::EMPTY; rules.seats()];
        let hand = (0..ROUNDS_MAX).map(|round| rules.round(round).packets[0]).min().unwrap_or(0);
        let hands = rules.seats() * usize::from(hand);
        let cards = Vec::with_capacity(rules.round_cards_max().saturating_sub(hands));
        let hidden = Hidden { own, cards, stock_start: 0, aside: Vec::new() };
        let shown = concealing(&table, &rules);
        State { rules, table, shown, hidden, way_out: None, round_seed: [0; 32], refill_seed: None }
    }

    /// What a seat can know.
    pub(crate) fn view(&self, seat: Seat) -> ViewRef<'_> {
        ViewRef {
            seat,
            own: &self.hidden.own[seat.index()],
            table: self.table_of(seat),
            rules: &self.rules,
        }
    }

    /// Bytes that a clone copies, without the shared rules: where lays are concealed, the table as
    /// others see it too.
    pub(crate) fn size_bytes(&self) -> usize {
        let way_out = self.way_out.as_deref().map_or(0, size_of_val);
        let refill_seed = self.refill_seed.as_deref().map_or(0, size_of_val);
        let shown =
            self.shown.as_deref().map_or(0, |shown| size_of_val(shown) + lists_bytes(shown));
        size_of::<State>()
            + lists_bytes(&self.table)
            + shown
            + way_out
            + refill_seed
            + list_bytes(&self.hidden.own)
            + list_bytes(&self.hidden.cards)
            + list_bytes(&self.hidden.aside)
    }

    /// Makes an event happen and tells it.
    pub(crate) fn emit(&mut self, event: Event, events: &mut Events) {
        if self.shown.is_some() {
            return self.emit_concealing(event, events);
        }
        self.happen(&event);
        events.push(event);
        events.check(|| self.conserved());
    }

    /// Changes what the seats hold and the table.
    pub(crate) fn happen(&mut self, event: &Event) {
        if let Some(seat) = owner(event) {
            let own = &mut self.hidden.own[seat.index()];
            follow_own(own, seat, &self.table, event, &self.rules);
        }
        self.table.apply(event, &self.rules);
    }

    /// Deals a round. Rule: HF-1.3, HF-1.4, HF-1.6
    pub(crate) fn deal(
        &mut self,
        round_index: u16,
        dealer: Option<Seat>,
        mut order: Vec<Card>,
        chance: &mut Chance,
        commitment: [u8; 32],
        events: &mut Events,
    ) {
        let rules = Arc::clone(&self.rules);
        let seats = rules.seats();
        let dealer =
            dealer.or_else(|| Seat::from_index(chance.below(seats))).unwrap_or(self.table.dealer);
        let packets = &rules.round(usize::from(round_index)).packets;
        let hand = usize::from(packets[0]);
        let rest: usize = packets[1..].iter().map(|size| usize::from(*size)).sum();
        let first = dealer.next(seats);
        let dealt = std::iter::successors(Some(first), |seat| Some(seat.next(seats))).take(seats);
        let hands: Vec<(Seat, Cards)> =
            dealt.map(|seat| (seat, order.drain(order.len() - hand..).collect())).collect();
        let (upcard, buried) = turn_upcard(&rules, seats * rest, &mut order, chance);
        self.hidden.cards.clear();
        self.hidden.aside.clear();
        self.hidden.stock_start = seats * rest;
        self.hidden.cards.extend(order);
        let stock = u16::try_from(self.stock_len()).unwrap_or(u16::MAX);
        let began = Event::RoundBegan { round_index, dealer, upcard, buried, stock, commitment };
        self.hidden.own.fill(Cards::EMPTY);
        self.emit(began, events);
        for (seat, cards) in hands {
            self.emit(Event::HandDealt { seat, cards: Concealed::Faces(cards) }, events);
        }
        self.tell_lifts(chance, events);
        self.remove_under_wild(events);
        self.begin_turn(first, events);
    }

    /// Where chance says who lifted exactly, it is told of those who did. Rule: HF-1.7
    fn tell_lifts(&mut self, chance: &mut Chance, events: &mut Events) {
        let ExactPickModel::Chance(probability) = self.rules.draft().exact_pick.model else {
            return;
        };
        let Some(cards) = NonZero::new(self.table.round(&self.rules).lifted()) else { return };
        for seat in Seat::all(self.rules.seats()) {
            if chance.happens(probability) {
                self.emit(Event::Lifted { seat, cards }, events);
            }
        }
    }

    /// A wild card on the discard pile takes it out of play. Rule: HF-9.4
    pub(crate) fn remove_under_wild(&mut self, events: &mut Events) {
        match self.rules.draft().wild_discard {
            WildDiscard::Plain | WildDiscard::Freeze => {}
            WildDiscard::RemoveDiscards => {
                let is_wild = |card: Card| self.rules.role(card.kind()) == Role::Wild;
                if self.table.upcard().is_some_and(is_wild) {
                    let count = u16::try_from(self.table.discards.len()).unwrap_or(u16::MAX);
                    self.emit(Event::DiscardsRemoved { count }, events);
                }
            }
        }
    }

    /// Gives the stock cards until it has so many, as far as there are any. Rule: HF-9.4 to HF-9.6
    pub(crate) fn supply(&mut self, wanted: usize, events: &mut Events) -> usize {
        while self.stock_len() < wanted && self.refill(events) {}
        self.stock_len().min(wanted)
    }

    /// Shuffles cards and puts them under the stock; whether there were any.
    pub(crate) fn refill(&mut self, events: &mut Events) -> bool {
        let Some((from, count)) = self.table.next_refill(&self.rules) else { return false };
        let mut cards: Vec<Card> = match from {
            Refill::Removed => self.table.removed.clone(),
            Refill::Discards => self.table.discards[..count].to_vec(),
            Refill::Deck => self.rules.deck().iter().collect(),
        };
        let seed = self.refill_seed.as_deref().unwrap_or(&[0; 32]);
        Chance::of_refill(seed, self.table.refills).shuffle(&mut cards);
        let start = self.hidden.stock_start;
        self.hidden.cards.splice(start..start, cards);
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        self.emit(Event::StockRefilled { from, count }, events);
        true
    }

    /// Cards in the stock.
    pub(crate) fn stock_len(&self) -> usize {
        self.hidden.cards.len() - self.hidden.stock_start
    }

    /// The top card of the stock, taken.
    pub(crate) fn pop_stock(&mut self) -> Option<Card> {
        match self.stock_len() {
            0 => None,
            _ => self.hidden.cards.pop(),
        }
    }

    /// A packet's cards, whether taken up or not; packets count from 1, the hand being none.
    pub(crate) fn packet(&self, seat: Seat, packet: usize) -> &[Card] {
        let sizes = &self.table.round(&self.rules).packets[1..];
        let per_seat: usize = sizes.iter().map(|size| usize::from(*size)).sum();
        let before: usize = sizes[..packet - 1].iter().map(|size| usize::from(*size)).sum();
        let start = seat.index() * per_seat + before;
        &self.hidden.cards[start..start + usize::from(sizes[packet - 1])]
    }

    /// The packets a seat has not taken up, in order.
    pub(crate) fn packets_left(&self, seat: Seat) -> impl Iterator<Item = &[Card]> {
        let packets = self.table.round(&self.rules).packets.len();
        let first = usize::from(self.table.seats[seat.index()].packet) + 1;
        (first..packets).map(move |packet| self.packet(seat, packet))
    }

    /// Begins a seat's turn: a pending foot is taken up, red threes are laid. Rule: HF-3.1, HF-7.2
    pub(crate) fn begin_turn(&mut self, seat: Seat, events: &mut Events) {
        self.emit(Event::TurnBegan { seat }, events);
        if self.table.seats[seat.index()].foot == FootStage::Pending {
            self.take_up_foot(seat, ToFoot::Walked, events);
        }
        self.settle_hand(seat, events);
    }

    /// Lays the red threes a seat holds and, if that empties its packet, takes up the next.
    /// Rule: HF-3.1, HF-3.4, HF-7.4
    pub(crate) fn settle_hand(&mut self, seat: Seat, events: &mut Events) {
        self.lay_red_threes(seat, Replaced::Yes, events);
        while self.is_due(seat) {
            self.take_up_foot(seat, ToFoot::Ran, events);
            self.lay_red_threes(seat, Replaced::Yes, events);
        }
    }

    /// Whether a seat has no card and takes up its next packet for that. Rule: HF-7.7
    fn is_due(&self, seat: Seat) -> bool {
        self.hidden.own[seat.index()].is_empty()
            && !self.table.in_foot(seat, &self.rules)
            && self.rules.hand_rule() != HandRule::KeepUntilFirstBook
            && !self.is_round_over()
    }

    pub(crate) fn take_up_foot(&mut self, seat: Seat, how: ToFoot, events: &mut Events) {
        let packet = usize::from(self.table.seats[seat.index()].packet) + 1;
        let cards = self.packet(seat, packet).iter().copied().collect();
        self.emit(Event::FootTakenUp { seat, cards: Concealed::Faces(cards), how }, events);
    }

    /// Lays all red threes a seat holds and replaces them, until it holds none. Rule: HF-3.1
    pub(crate) fn lay_red_threes(&mut self, seat: Seat, replaced: Replaced, events: &mut Events) {
        loop {
            let cards = self.red_threes_of(seat);
            if cards.is_empty() {
                return;
            }
            let count = cards.len();
            self.emit(Event::RedThreesLaid { seat, cards }, events);
            if replaced == Replaced::No {
                return;
            }
            let drawn: Cards = match self.supply(count, events) {
                0 => Cards::EMPTY,
                _ => (0..count).map_while(|_| self.pop_stock()).collect(),
            };
            let is_short = drawn.len() < count;
            if !drawn.is_empty() {
                let cause = DrawCause::Replacement;
                self.emit(Event::Drew { seat, cards: Concealed::Faces(drawn), cause }, events);
            }
            match self.rules.draft().red_three.no_stock {
                NoStock::EndAlways if is_short => {
                    return self.end_round(RoundEnd::StockRanOut(seat), events);
                }
                // With nothing drawn none is held.
                NoStock::EndAlways | NoStock::EndInDrawStep | NoStock::Skip => {}
            }
        }
    }

    fn red_threes_of(&self, seat: Seat) -> Cards {
        let own = &self.hidden.own[seat.index()];
        let mut found = Cards::EMPTY;
        for card in self.rules.pack().red_three_faces() {
            if handfoot_view::is_laid_at_once(*card, &self.rules) {
                found.extend(std::iter::repeat_n(*card, usize::from(own.count(*card))));
            }
        }
        found
    }

    /// Whether nobody can act until the next deal.
    pub(crate) const fn is_round_over(&self) -> bool {
        match self.table.phase {
            Phase::RoundOver { .. } | Phase::GameOver { .. } => true,
            Phase::Draw { .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. } => false,
        }
    }
}

/// Whether red threes that are laid are replaced from the stock. Rule: HF-3.5
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// They are.
    Yes,
    /// They came with the discard pile.
    No,
}

/// The seat whose own cards an event moves.
fn owner(event: &Event) -> Option<Seat> {
    match event {
        Event::HandDealt { seat, .. }
        | Event::Drew { seat, .. }
        | Event::FootTakenUp { seat, .. }
        | Event::RedThreesLaid { seat, .. }
        | Event::DiscardsTaken { seat, .. }
        | Event::Laid { seat, .. }
        | Event::LaidConcealed { seat, .. }
        | Event::LaysUndone { seat, .. }
        | Event::Discarded { seat, .. } => Some(*seat),
        Event::RoundBegan { .. }
        | Event::Lifted { .. }
        | Event::DiscardsRemoved { .. }
        | Event::StockRefilled { .. }
        | Event::TurnBegan { .. }
        | Event::LaysShown { .. }
        | Event::UndoAsked { .. }
        | Event::UndoAnswered { .. }
        | Event::AskedToGoOut { .. }
        | Event::Answered { .. }
        | Event::TurnPassed { .. }
        | Event::RoundEnded { .. } => None,
    }
}

/// Turns cards until one stays and buries the others. Rule: HF-1.4, HF-1.5
///
/// The first `packets` cards of the order are dealt already.
fn turn_upcard(
    rules: &Rules,
    packets: usize,
    order: &mut Vec<Card>,
    chance: &mut Chance,
) -> (Option<Card>, Cards) {
    let upcard_rules = &rules.draft().upcard;
    if upcard_rules.deal == handfoot_rules::UpcardDeal::None {
        return (None, Cards::EMPTY);
    }
    let mut turned = Vec::new();
    let mut upcard = None;
    while order.len() > packets {
        let Some(card) = order.pop() else { break };
        if is_buried(rules, card) {
            turned.push(card);
        } else {
            upcard = Some(card);
            break;
        }
    }
    for card in &turned {
        let place = packets + chance.below(order.len() - packets + 1);
        order.insert(place, *card);
    }
    (upcard, turned.into_iter().collect())
}

fn is_buried(rules: &Rules, card: Card) -> bool {
    use handfoot_rules::Buried;
    let sort = match rules.role(card.kind()) {
        Role::Wild => Buried::Wild,
        Role::RedThree => Buried::RedThree,
        Role::BlackThree => Buried::BlackThree,
        Role::Natural => return false,
    };
    rules.draft().upcard.bury.contains(&sort)
}

/// Bytes of a table's lists.
fn lists_bytes(table: &PublicTable) -> usize {
    let melds: usize = table.teams.iter().map(|team| list_bytes(&team.melds)).sum();
    list_bytes(&table.discards)
        + list_bytes(&table.removed)
        + list_bytes(&table.seats)
        + list_bytes(&table.teams)
        + melds
        + list_bytes(&table.laid)
}

fn list_bytes<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}
