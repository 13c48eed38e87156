//! What becomes of cards: who holds them, where they are laid, how many of each are seen.
//!
//! **Invariant:** counts are wide enough here for whatever a table holds; nothing is changed.

use handfoot_cards::{Card, Cards, FACES_MAX, KindCounts, Role};

use super::{Fitting, Sight, Unfit, counts, ensure};
use crate::growth::{grows, is_blocker, three_in};
use crate::limits::MELDS_MAX;
use crate::undo::taken_back;
use crate::{
    Cap, Concealed, Lay, MeldRank, MeldShape, Placement, RoundEnd, RoundResult, Seat, SeatTable,
    Seen, Target, rank_of,
};

/// The most acts of a turn that can be undone: their number is one more than the last one's.
const ACTS_MAX: usize = u8::MAX as usize;

impl Fitting<'_> {
    /// Cards come to a seat from where nobody saw them: it is shown them, others may be.
    pub(super) fn come(&self, seat: Seat, cards: &Concealed) -> Result<(), Unfit> {
        Holding::of(self, seat).with(cards.len())?;
        match (self.sight, cards) {
            (Sight::Seat(viewer, _), Concealed::Backs(_)) if viewer == seat => {
                Err(Unfit::OwnConcealed)
            }
            (_, Concealed::Faces(cards)) => Tally::of(self).and(cards.iter()).in_play(),
            (_, Concealed::Backs(_)) => Ok(()),
        }
    }

    /// Cards leave a seat, and all see them.
    pub(super) fn leave(&self, seat: Seat, cards: &[Card]) -> Result<(), Unfit> {
        Holding::of(self, seat).without(cards)?;
        self.shows(seat, None, cards)
    }

    /// Cards that a seat shows are among its own, or at least in play. The upcard, if it is among
    /// them, was seen before.
    fn shows(&self, seat: Seat, upcard: Option<Card>, cards: &[Card]) -> Result<(), Unfit> {
        let seen = Tally::of(self);
        match self.sight {
            Sight::Seat(viewer, own) if viewer == seat => {
                seen.in_play()?;
                let mut own = own.clone();
                own.extend(upcard);
                let held = cards.iter().all(|card| own.remove(*card));
                ensure(held, Unfit::NotHeld { seat })
            }
            Sight::Any | Sight::Spectator | Sight::Seat(..) => {
                let mut new = cards.to_vec();
                if let Some(at) = upcard.and_then(|upcard| new.iter().position(|c| *c == upcard)) {
                    let _ = new.swap_remove(at);
                }
                seen.and(new).in_play()
            }
        }
    }

    /// A seat takes the discard pile and lays. Rule: HF-5.1, HF-5.4
    pub(super) fn takes(&self, seat: Seat, lay: &Lay) -> Result<(), Unfit> {
        let discards = &self.table.discards;
        let first = discards.len() - self.table.take_count(self.rules);
        let (upcard, rest) = discards[first..].split_last().ok_or(Unfit::Discards)?;
        let is_laid = lay.is_empty() || lay.cards().contains(upcard);
        ensure(is_laid, Unfit::Misplaced)?;
        self.placed(seat, std::slice::from_ref(lay))?;
        Holding::of(self, seat)
            .seen_with(std::slice::from_ref(upcard))?
            .without(lay.cards())?
            .seen_with(rest)?;
        self.shows(seat, Some(*upcard), lay.cards())
    }

    /// A seat lays, act by act.
    pub(super) fn lays(&self, seat: Seat, lays: &[Lay]) -> Result<(), Unfit> {
        let named = lays.iter().filter(|lay| !lay.is_empty()).count();
        ensure(
            named > 0 && named == lays.len(),
            Unfit::Count { named, expected: lays.len().max(1) },
        )?;
        self.placed(seat, lays)?;
        let cards: Vec<Card> = lays.iter().flat_map(|lay| lay.cards().iter().copied()).collect();
        self.leave(seat, &cards)
    }

    /// What is laid belongs where it is laid, and melds stay melds. Rule: HF-4.1 to HF-4.5
    fn placed(&self, seat: Seat, lays: &[Lay]) -> Result<(), Unfit> {
        ensure(self.acts() + lays.len() <= ACTS_MAX, Unfit::Overflow)?;
        let team = &self.table.teams[self.table.team_of(seat).index()];
        let mut shapes: Vec<MeldShape> = team.melds.iter().map(crate::Meld::shape).collect();
        let placements = lays.iter().flat_map(Lay::placements);
        for placement in placements {
            self.place(&mut shapes, placement)?;
        }
        ensure(shapes.len() <= MELDS_MAX, Unfit::Overflow)
    }

    fn place(&self, shapes: &mut Vec<MeldShape>, placement: Placement<'_>) -> Result<(), Unfit> {
        let rules = self.rules;
        let old = match placement.target {
            Target::Meld(meld) => {
                let shape = shapes.get(meld.index()).ok_or(Unfit::NoSuchMeld { meld })?;
                Some((meld, *shape))
            }
            Target::New => None,
        };
        three_in(rules, placement.cards).map_err(|_| Unfit::Misplaced)?;
        let empty = || MeldShape::empty(rank_of(placement.cards, rules));
        let mut shape = old.map_or_else(empty, |(_, shape)| shape);
        for card in placement.cards {
            let count = match (rules.role(card.kind()), shape.rank) {
                (Role::Wild, _) => &mut shape.wilds,
                (Role::RedThree, _) if is_blocker(rules) && shape.cap == Cap::Bare => {
                    shape.cap = Cap::Capped;
                    continue;
                }
                (Role::Natural | Role::BlackThree, MeldRank::Natural(kind))
                    if kind == card.kind() =>
                {
                    &mut shape.naturals
                }
                (Role::RedThree | Role::Natural | Role::BlackThree, _) => {
                    return Err(Unfit::Misplaced);
                }
            };
            *count = count.checked_add(1).ok_or(Unfit::Overflow)?;
        }
        let counted = |shape: MeldShape| (shape.naturals, shape.wilds);
        let is_added = old.is_none_or(|(_, old)| counted(old) != counted(shape));
        let may_be = (!is_added || grows(rules, old, shape).is_ok())
            && (shape.cap == Cap::Bare || shape.is_clean_book(rules));
        ensure(may_be, Unfit::Misplaced)?;
        match old {
            Some((meld, _)) => shapes[meld.index()] = shape,
            None => shapes.push(shape),
        }
        Ok(())
    }

    /// The newest acts lie where they were laid, and nothing that was started later stays.
    /// Rule: HF-2.6
    pub(super) fn undoes(&self, seat: Seat, acts: u8) -> Result<(), Unfit> {
        let table = self.table;
        let undoable = self.acts();
        ensure(undoable <= ACTS_MAX, Unfit::Overflow)?;
        let kept = undoable.saturating_sub(usize::from(acts));
        let team = &table.teams[table.team_of(seat).index()];
        let (mut melds, mut red_threes) = (team.melds.clone(), team.red_threes);
        let mut holding = Holding::of(self, seat);
        let newest = table.laid.iter().rev().take_while(|laid| usize::from(laid.act) >= kept);
        for laid in newest {
            let is_there = taken_back(&mut melds, laid, self.rules);
            ensure(is_there, Unfit::NotUndoable { acts, undoable })?;
            if self.rules.role(laid.card.kind()) == Role::RedThree {
                let count = &mut red_threes[self.rules.pack().place(laid.card)];
                *count = count.checked_sub(1).ok_or(Unfit::NotUndoable { acts, undoable })?;
            }
            holding = match laid.seen {
                Seen::Before => holding.seen_with(&[laid.card])?,
                Seen::Never => holding.with(1)?,
            };
        }
        // What comes back was seen on the table.
        Tally::of(self).in_play()
    }

    /// What each seat was left with is what it held, and what its packets had.
    pub(super) fn shown(&self, result: &RoundResult) -> Result<(), Unfit> {
        let table = self.table;
        counts(result.shown.len(), table.seats.len())?;
        let sizes = &table.round(self.rules).packets;
        let mut seen = Tally::of_table(self);
        for (seat, (public, shown)) in
            Seat::all(table.seats.len()).zip(table.seats.iter().zip(&result.shown))
        {
            counts(shown.own.len(), usize::from(public.held))?;
            let left = sizes.get(usize::from(public.packet) + 1..).unwrap_or_default();
            counts(shown.packets.len(), left.len())?;
            for (packet, size) in shown.packets.iter().zip(left) {
                counts(packet.len(), usize::from(*size))?;
            }
            let is_empty = shown.own.is_empty() && shown.packets.is_empty();
            let is_out = result.how == RoundEnd::WentOut(seat);
            ensure(!is_out || is_empty, Unfit::NotHeld { seat })?;
            let is_own = match self.sight {
                Sight::Seat(viewer, own) if viewer == seat => *own == shown.own,
                Sight::Any | Sight::Spectator | Sight::Seat(..) => true,
            };
            ensure(is_own, Unfit::NotHeld { seat })?;
            let packets = shown.packets.iter().flat_map(Cards::iter);
            seen = seen.and(shown.own.iter().chain(packets));
        }
        seen.in_play()
    }

    /// Acts of this turn that can be undone.
    pub(super) fn acts(&self) -> usize {
        self.table.laid.last().map_or(0, |laid| usize::from(laid.act) + 1)
    }
}

/// What all know of a seat's cards.
struct Holding {
    seat: Seat,
    held: u16,
    known: KindCounts,
}

impl Holding {
    fn of(fitting: &Fitting<'_>, seat: Seat) -> Holding {
        let SeatTable { held, known, .. } = fitting.table.seats[seat.index()];
        Holding { seat, held, known }
    }

    /// With so many more.
    fn with(self, count: u16) -> Result<Holding, Unfit> {
        let held = self.held.checked_add(count).ok_or(Unfit::Overflow)?;
        Ok(Holding { held, ..self })
    }

    /// With cards that all saw it get.
    fn seen_with(mut self, cards: &[Card]) -> Result<Holding, Unfit> {
        for card in cards {
            let known = &mut self.known[card.kind().index()];
            *known = known.checked_add(1).ok_or(Unfit::Overflow)?;
            self = self.with(1)?;
        }
        Ok(self)
    }

    /// Without cards that it shows. What it is known to hold besides is among what it has left.
    fn without(mut self, cards: &[Card]) -> Result<Holding, Unfit> {
        let not_held = Unfit::NotHeld { seat: self.seat };
        for card in cards {
            let known = &mut self.known[card.kind().index()];
            *known = known.saturating_sub(1);
        }
        let count = u16::try_from(cards.len()).map_err(|_| not_held)?;
        self.held = self.held.checked_sub(count).ok_or(not_held)?;
        let known: usize = self.known.iter().map(|count| usize::from(*count)).sum();
        ensure(known <= usize::from(self.held), not_held)?;
        Ok(self)
    }
}

/// How many of each face are seen.
struct Tally {
    seen: [usize; FACES_MAX],
    in_play: [usize; FACES_MAX],
}

impl Tally {
    /// On the table and among the viewer's own cards.
    fn of(fitting: &Fitting<'_>) -> Tally {
        let tally = Tally::of_table(fitting);
        match fitting.sight {
            Sight::Seat(_, own) => tally.and(own.iter()),
            Sight::Any | Sight::Spectator => tally,
        }
    }

    fn of_table(fitting: &Fitting<'_>) -> Tally {
        let (table, rules) = (fitting.table, fitting.rules);
        let (pack, deck) = (rules.pack(), rules.deck());
        let mut in_play = [0; FACES_MAX];
        for (card, count) in Card::all().zip(&mut in_play) {
            let added = usize::from(table.decks_added) * usize::from(deck.count(card));
            // Collections count each face in a byte.
            *count = (usize::from(pack.cards().count(card)) + added).min(usize::from(u8::MAX));
        }
        let mut tally = Tally { seen: [0; FACES_MAX], in_play };
        tally.see(table.discards.iter().chain(&table.removed).copied());
        for team in &table.teams {
            for meld in &team.melds {
                tally.see_counted(meld.cards(rules).faces());
            }
            tally.see_counted(pack.red_three_faces().iter().copied().zip(team.red_threes));
        }
        tally
    }

    fn and(mut self, cards: impl IntoIterator<Item = Card>) -> Tally {
        self.see(cards);
        self
    }

    fn see_counted(&mut self, cards: impl IntoIterator<Item = (Card, u8)>) {
        for (card, count) in cards {
            self.seen[card.index()] += usize::from(count);
        }
    }

    fn see(&mut self, cards: impl IntoIterator<Item = Card>) {
        for card in cards {
            self.seen[card.index()] += 1;
        }
    }

    /// No more of any face than are in play.
    fn in_play(&self) -> Result<(), Unfit> {
        let is_there = self.seen.iter().zip(self.in_play).all(|(seen, in_play)| *seen <= in_play);
        ensure(is_there, Unfit::MoreThanInPlay)
    }
}
