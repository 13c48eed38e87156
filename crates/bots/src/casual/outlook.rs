//! What a team may still hope to get, by counting what its seat has not seen.
//!
//! **Invariant:** public counts and the own cards; every unseen card is as likely in one place as
//! in another.

use handfoot_cards::{Card, Cards, Role};
use handfoot_view::{MeldId, MeldRank, MeldShape, Seat, TeamTable, ViewRef};

/// Unseen cards: how many, and how many of them are the team's, held, to come as packets, or its
/// part of the stock.
#[derive(Clone, Copy)]
pub(super) struct Outlook<'a> {
    view: ViewRef<'a>,
    unseen: usize,
    coming: usize,
}

impl<'a> Outlook<'a> {
    pub(super) fn of(view: ViewRef<'a>) -> Outlook<'a> {
        let table = view.table;
        let (stock, aside) = (usize::from(table.stock), usize::from(table.aside));
        let coming = stock / table.teams.len();
        let mut outlook = Outlook { view, unseen: stock + aside, coming };
        for seat in Seat::all(table.seats.len()) {
            let cards = outlook.unseen_of(seat);
            outlook.unseen += cards;
            if table.team_of(seat) == view.team() {
                outlook.coming += cards;
            }
        }
        outlook
    }

    /// Cards of a seat that the viewer has not seen: packets not taken up, and what others hold.
    fn unseen_of(self, seat: Seat) -> usize {
        let (table, rules) = (self.view.table, self.view.rules);
        let shown = &table.seats[seat.index()];
        let later = table.round(rules).packets.iter().skip(usize::from(shown.packet) + 1);
        let waiting = later.map(|size| usize::from(*size)).sum::<usize>();
        match seat == self.view.seat {
            true => waiting,
            false => waiting + usize::from(shown.held),
        }
    }

    /// Whether the team may expect so many cards of a rank beside those that the seat holds, or
    /// `luck` fewer.
    pub(super) fn may_get(self, rank: MeldRank, cards: usize, luck: usize) -> bool {
        cards.saturating_sub(luck) * self.unseen <= self.hidden(rank) * self.coming
    }

    /// Unseen cards of a rank.
    fn hidden(self, rank: MeldRank) -> usize {
        let (table, rules) = (self.view.table, self.view.rules);
        let belongs = |card: &&Card| match rank {
            MeldRank::Natural(kind) => card.kind() == kind,
            MeldRank::Wild => rules.role(card.kind()) == Role::Wild,
        };
        let melded = |(_, shape): (MeldId, MeldShape)| match rank {
            MeldRank::Natural(_) if shape.rank == rank => usize::from(shape.naturals),
            MeldRank::Natural(_) => 0,
            MeldRank::Wild => usize::from(shape.wilds),
        };
        let added = usize::from(table.decks_added) * self.count(rules.deck(), rank);
        let laid: usize = table.teams.iter().flat_map(TeamTable::shapes).map(melded).sum();
        let thrown = table.discards.iter().chain(&table.removed).filter(belongs).count();
        let seen = laid + thrown + self.count(self.view.own, rank);
        (self.count(rules.pack().cards(), rank) + added).saturating_sub(seen)
    }

    /// Cards of a rank among some cards.
    fn count(self, cards: &Cards, rank: MeldRank) -> usize {
        let of_kind = |kind| usize::from(cards.of_kind(kind));
        match rank {
            MeldRank::Natural(kind) => of_kind(kind),
            MeldRank::Wild => self.view.rules.wilds().map(of_kind).sum(),
        }
    }
}
