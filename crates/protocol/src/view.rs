//! The view, both ways.
//!
//! **Invariant:** a view is encoded from a [`TableView`] and its rules alone: what is not in it
//! cannot be sent. Decoding reads no field that follows from others.

mod options;
mod phase;
mod team;

pub use options::{decode_options, encode_options};

pub(crate) use team::{cap, meld_kind, need, read_cap, read_need};

use std::num::NonZero;

use handfoot_cards::{Card, Cards, KindCounts, Pack, Role};
use handfoot_rules::Rules;
use handfoot_view::{
    Cap, FootStage, LIFTED_MAX, LaidCard, MeldId, PublicTable, REFILLS_MAX, ROUNDS_PLAYED_MAX,
    RoundResult, Seat, SeatTable, Seen, TableView, UNDOS_MAX,
};

use crate::codec::{Codec, meld, number, read_meld, seat, seat_or_none, team};
use crate::decode::{At, DecodeError, DecodeProblem, pairs};
use crate::v1;

/// The highest act of a laid card: its number of acts must fit a count.
const ACT_MAX: u8 = u8::MAX - 1;

/// Points of a team in all rounds, either way.
const TOTAL_MAX: i32 = 1_000_000_000;

pairs! {
    seen / read_seen: Seen = Seen { Before = Before, Never = Never }
    foot_stage / read_foot_stage: FootStage = FootStage {
        Waiting = Waiting,
        Pending = Pending,
        Fresh = Fresh,
        TakenUp = TakenUp,
        Begun = Begun,
        Played = Played,
        FullTurn = FullTurn,
    }
}

impl Codec<'_> {
    /// A view as it is sent to its viewer.
    ///
    /// Stamp, table id, time, seed origin, players and pacing are the service's to fill in.
    #[must_use]
    pub fn encode_view(&self, view: &TableView) -> v1::View {
        let encoded = self.public(&view.table, &view.history);
        let Some(viewer) = view.seat else { return encoded };
        let seats = self.rules.seats();
        let right = Seat::all(seats).find(|other| other.next(seats) == viewer);
        v1::View {
            seat: seat(viewer),
            team: team(view.table.team_of(viewer)),
            partners: view.table.partners(viewer).map(seat).collect(),
            left: seat(viewer.next(seats)),
            right: seat_or_none(right),
            own_cards: self.cards(&view.own),
            ..encoded
        }
    }

    /// What everybody sees.
    fn public(self, table: &PublicTable, history: &[RoundResult]) -> v1::View {
        let seats = Seat::all(table.seats.len()).zip(&table.seats);
        v1::View {
            options: Some(encode_options(table.options)),
            undos: u32::from(table.undos),
            event_index: table.event_index,
            round_index: u32::from(table.round_index),
            turns: u32::from(table.turns),
            dealer: seat(table.dealer),
            phase: Some(phase::encode(table.phase)),
            to_act: seat_or_none(table.to_act()),
            stock: u32::from(table.stock),
            discards: self.card_list(table.discards.iter().copied()),
            aside: u32::from(table.aside),
            seats: seats.map(|(of, seat)| self.seat_table(of, seat)).collect(),
            teams: self.teams(table),
            buried: self.cards(&table.buried),
            laid: table.laid.iter().map(|laid| self.laid_card(laid)).collect(),
            commitment: table.commitment.to_vec(),
            freeze: (match table.is_frozen(self.rules) {
                true => v1::DiscardsFreeze::Frozen,
                false => v1::DiscardsFreeze::Free,
            }) as i32,
            removed: self.card_list(table.removed.iter().copied()),
            refills: count(table.refills),
            decks_added: count(table.decks_added),
            passes: count(table.passes),
            history: history.iter().map(|result| self.encode_result(result)).collect(),
            ..v1::View::default()
        }
    }

    fn seat_table(self, of: Seat, table: &SeatTable) -> v1::SeatTable {
        let known = self.rules.kinds().zip(table.known).filter(|(_, count)| *count > 0);
        v1::SeatTable {
            seat: seat(of),
            held: u32::from(table.held),
            packet: u32::from(table.packet),
            foot: foot_stage(table.foot),
            known: known
                .map(|(kind, count)| v1::KindCount {
                    kind: self.kind(kind),
                    count: u32::from(count),
                })
                .collect(),
            lifted: table.lifted.map_or(0, |cards| u32::from(cards.get())),
        }
    }

    fn laid_card(self, laid: &LaidCard) -> v1::LaidCard {
        v1::LaidCard {
            act: u32::from(laid.act),
            meld: meld(laid.meld),
            card: self.card(laid.card),
            seen: seen(laid.seen),
        }
    }

    /// A received view.
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`].
    pub fn decode_view(&self, view: &v1::View) -> Result<TableView, DecodeError> {
        let root = At::Root;
        let table = self.read_public(view, root)?;
        let at = root.field("own_cards");
        if view.seat == 0 && !view.own_cards.is_empty() {
            return Err(at.error(DecodeProblem::Misplaced));
        }
        let at_history = root.field("history");
        at_history.at_most(view.history.len(), ROUNDS_PLAYED_MAX)?;
        let history = view.history.iter().enumerate();
        let history =
            history.map(|(index, result)| self.read_result(result, at_history.entry(index)));
        Ok(TableView {
            seat: self.read_seat_or_none(view.seat, root.field("seat"))?,
            own: self.read_cards(&view.own_cards, at)?,
            table,
            history: history.collect::<Result<_, _>>()?,
        })
    }

    fn read_public(self, view: &v1::View, at: At<'_>) -> Result<PublicTable, DecodeError> {
        let options = options::read(view.options.as_ref(), at.field("options"))?;
        let dealer = self.read_seat(view.dealer, at.field("dealer"))?;
        let mut table = PublicTable::new(self.rules, options, dealer);
        table.event_index = view.event_index;
        table.round_index = at.field("round_index").number(view.round_index, u16::MAX)?;
        table.turns = at.field("turns").number(view.turns, u16::MAX)?;
        table.undos = at.field("undos").number(view.undos, UNDOS_MAX)?;
        table.phase = self.read_phase(view.phase.as_ref(), at.field("phase"))?;
        table.stock = self.read_count(view.stock, at.field("stock"))?;
        table.aside = self.read_count(view.aside, at.field("aside"))?;
        table.refills = at.field("refills").number(view.refills, REFILLS_MAX)?;
        let added_max = self.rules.draft().stock_out.max_added.unwrap_or_default();
        table.decks_added = at.field("decks_added").number(view.decks_added, added_max)?;
        table.passes = at.field("passes").number(view.passes, u8::MAX)?;
        let most = self.rules.round_cards_max();
        let removed = self.read_card_list(&view.removed, most, at.field("removed"))?;
        table.removed.extend(removed);
        let at_discards = at.field("discards");
        table.discards.extend(self.read_card_list(&view.discards, most, at_discards)?);
        let at_seats = at.field("seats");
        at_seats.exactly(view.seats.len(), self.rules.seats())?;
        let packets = table.round(self.rules).packets.len();
        for (index, (of, seat)) in Seat::all(view.seats.len()).zip(&view.seats).enumerate() {
            table.seats[index] = self.read_seat_table(seat, of, packets, at_seats.entry(index))?;
        }
        self.read_teams(&view.teams, &mut table, at.field("teams"))?;
        table.buried = self.read_cards(&view.buried, at.field("buried"))?;
        self.read_laid(&view.laid, &mut table, at.field("laid"))?;
        table.commitment = at.field("commitment").bytes(&view.commitment)?;
        Ok(table)
    }

    fn read_seat_table(
        self,
        table: &v1::SeatTable,
        of: Seat,
        packets: usize,
        at: At<'_>,
    ) -> Result<SeatTable, DecodeError> {
        if table.seat != seat(of) {
            return Err(at.field("seat").error(DecodeProblem::Misplaced));
        }
        let packet_max = u8::try_from(packets.saturating_sub(1)).unwrap_or(u8::MAX);
        Ok(SeatTable {
            held: self.read_count(table.held, at.field("held"))?,
            packet: at.field("packet").number(table.packet, packet_max)?,
            foot: read_foot_stage(table.foot, at.field("foot"))?,
            known: self.read_known(&table.known, at.field("known"))?,
            lifted: NonZero::new(at.field("lifted").number(table.lifted, LIFTED_MAX)?),
        })
    }

    fn read_known(self, known: &[v1::KindCount], at: At<'_>) -> Result<KindCounts, DecodeError> {
        at.at_most(known.len(), self.rules.pack().kinds().len())?;
        let mut counts = KindCounts::default();
        for (index, entry) in known.iter().enumerate() {
            let at = at.entry(index);
            let kind = self.read_kind(entry.kind, at.field("kind"))?;
            let count = &mut counts[kind.index()];
            if *count != 0 {
                return Err(at.field("kind").error(DecodeProblem::Repeated));
            }
            let most = kind.cards().map(|card| self.rules.cards_max(card)).sum();
            *count = at.field("count").number_from(entry.count, 1, most)?;
        }
        Ok(counts)
    }

    /// Reads what can be undone, and checks that it lies where it says: undoing takes it from
    /// there.
    fn read_laid(
        self,
        laid: &[v1::LaidCard],
        table: &mut PublicTable,
        at: At<'_>,
    ) -> Result<(), DecodeError> {
        let Some(actor) = table.turn().filter(|_| !laid.is_empty()) else {
            return at.at_most(laid.len(), 0);
        };
        at.at_most(laid.len(), self.rules.round_cards_max())?;
        let team = &table.teams[table.team_of(actor).index()];
        let mut lying = Lying {
            melds: team.melds.iter().map(|meld| meld.cards(self.rules)).collect(),
            caps: team.melds.iter().map(|meld| meld.shape().cap).collect(),
            red_threes: team.red_threes,
        };
        let mut act = 0;
        let mut read = Vec::with_capacity(laid.len());
        for (index, entry) in laid.iter().enumerate() {
            let at = at.entry(index);
            let card: Card = self.read_card(entry.card, at.field("card"))?;
            let meld = read_meld(entry.meld, at.field("meld"))?;
            if !lying.take(meld, card, self.rules) {
                return Err(at.field("meld").error(DecodeProblem::Misplaced));
            }
            // Acts are numbered without a gap.
            let next = if index == 0 { 0 } else { act + 1 };
            act = at.field("act").number_from(entry.act, i64::from(act), next.min(ACT_MAX))?;
            let seen = read_seen(entry.seen, at.field("seen"))?;
            read.push(LaidCard { act, meld, card, seen });
        }
        table.laid.extend(read);
        Ok(())
    }
}

/// What lies on a team's melds and has not been named as laid in this turn.
struct Lying {
    melds: Vec<Cards>,
    caps: Vec<Cap>,
    red_threes: [u8; Pack::RED_THREE_FACES_MAX],
}

impl Lying {
    /// Takes a card away; false if it does not lie there.
    fn take(&mut self, meld: MeldId, card: Card, rules: &Rules) -> bool {
        match rules.role(card.kind()) {
            Role::RedThree => {
                let cap = self.caps.get_mut(meld.index()).filter(|cap| **cap == Cap::Capped);
                let laid = &mut self.red_threes[rules.pack().place(card)];
                let (Some(cap), Some(fewer)) = (cap, laid.checked_sub(1)) else { return false };
                (*cap, *laid) = (Cap::Bare, fewer);
                true
            }
            Role::Natural | Role::Wild | Role::BlackThree => {
                self.melds.get_mut(meld.index()).is_some_and(|cards| cards.remove(card))
            }
        }
    }
}

/// A points total within limits.
pub(crate) fn read_total(total: i32, at: At<'_>) -> Result<i32, DecodeError> {
    at.number_from(total, -i64::from(TOTAL_MAX), TOTAL_MAX)
}

/// A small number as it is sent.
pub(crate) fn count(of: u8) -> u32 {
    number(usize::from(of))
}
