//! Teams and their melds, both ways.
//!
//! **Invariant:** a decoded meld holds cards of its rank only, and melds are numbered without a
//! gap, so that a meld's place is its number.

use handfoot_cards::{Card, Cards, Pack, Role};
use handfoot_rules::{BookCounts, MeldKind, Need, RedThreeMode, Rules};
use handfoot_view::{
    Cap, MELD_CARDS_MAX, MELDS_MAX, Meld, MeldId, MeldRank, MeldShape, PublicTable, Team, TeamTable,
};

use super::{count, read_total};
use crate::codec::{Codec, meld, number, team};
use crate::decode::{At, DecodeError, DecodeProblem};
use crate::v1;

/// What a meld is made of, as it is sent; it is never read.
pub(crate) const fn meld_kind(of: MeldKind) -> i32 {
    (match of {
        MeldKind::Clean => v1::MeldKind::Clean,
        MeldKind::Dirty => v1::MeldKind::Dirty,
        MeldKind::Wild => v1::MeldKind::Wild,
    }) as i32
}

/// Whether a red three lies on a meld, as it is sent.
pub(crate) const fn cap(of: Cap) -> i32 {
    (match of {
        Cap::Bare => v1::MeldCap::Bare,
        Cap::Capped => v1::MeldCap::Capped,
    }) as i32
}

/// Whether one lies there, as received; whoever does not say has none.
pub(crate) fn read_cap(sent: i32, at: At<'_>) -> Result<Cap, DecodeError> {
    match at.known::<v1::MeldCap>(sent)? {
        v1::MeldCap::Unspecified | v1::MeldCap::Bare => Ok(Cap::Bare),
        v1::MeldCap::Capped => Ok(Cap::Capped),
    }
}

impl Codec<'_> {
    pub(super) fn teams(self, table: &PublicTable) -> Vec<v1::TeamTable> {
        let needed = table.round(self.rules).need;
        Team::all(table.teams.len())
            .zip(&table.teams)
            .map(|(of, table)| self.team_table(of, table, needed))
            .collect()
    }

    fn team_table(self, of: Team, table: &TeamTable, needed: Need) -> v1::TeamTable {
        let numbered = table.melds.iter().enumerate();
        let numbered =
            numbered.filter_map(|(at, meld)| MeldId::from_index(at).map(|id| (id, meld)));
        let (books, unfinished): (Vec<_>, Vec<_>) =
            numbered.partition(|(_, meld)| meld.shape().is_book(self.rules));
        let melds = |list: Vec<(MeldId, &Meld)>| {
            list.into_iter().map(|(id, meld)| self.meld(id, meld)).collect()
        };
        let made = table.books(self.rules);
        v1::TeamTable {
            team: team(of),
            total: table.total,
            unfinished: melds(unfinished),
            books: melds(books),
            red_threes: self.red_threes(table.red_threes),
            made: Some(need(made_books(made))),
            needed: Some(need(needed)),
            missing: Some(need(made.missing(needed))),
        }
    }

    fn meld(self, id: MeldId, of: &Meld) -> v1::Meld {
        let shape = of.shape();
        v1::Meld {
            number: meld(id),
            rank: self.rank(shape.rank),
            cards: self.cards(&of.cards(self.rules)),
            kind: meld_kind(shape.kind()),
            points: of.points(self.rules),
            room: count(self.rules.draft().book_size.saturating_sub(shape.size())),
            cap: cap(shape.cap),
        }
    }

    fn red_threes(self, laid: [u8; Pack::RED_THREE_FACES_MAX]) -> Vec<i32> {
        let faces = self.rules.pack().red_three_faces().iter().copied().zip(laid);
        self.card_list(
            faces.flat_map(|(card, count)| std::iter::repeat_n(card, usize::from(count))),
        )
    }

    /// Cards that are all red threes.
    pub(crate) fn read_red_three_cards(
        self,
        cards: &[i32],
        at: At<'_>,
    ) -> Result<Cards, DecodeError> {
        let read = self.read_cards(cards, at)?;
        let is_red_three = |(card, _): (Card, u8)| self.rules.role(card.kind()) == Role::RedThree;
        let fits = read.faces().all(is_red_three);
        match fits {
            true => Ok(read),
            false => Err(at.error(DecodeProblem::Misplaced)),
        }
    }

    pub(super) fn read_teams(
        self,
        teams: &[v1::TeamTable],
        table: &mut PublicTable,
        at: At<'_>,
    ) -> Result<(), DecodeError> {
        at.exactly(teams.len(), self.rules.teams())?;
        for (index, (of, sent)) in Team::all(teams.len()).zip(teams).enumerate() {
            let at = at.entry(index);
            if sent.team != team(of) {
                return Err(at.field("team").error(DecodeProblem::Misplaced));
            }
            let read = &mut table.teams[index];
            read.total = read_total(sent.total, at.field("total"))?;
            let laid = self.read_red_three_cards(&sent.red_threes, at.field("red_threes"))?;
            for (card, count) in laid.faces() {
                read.red_threes[self.rules.pack().place(card)] = count;
            }
            read.melds.extend(self.read_melds(sent, at)?);
            if !caps_fit(read, self.rules) {
                return Err(at.field("books").error(DecodeProblem::Misplaced));
            }
        }
        Ok(())
    }

    /// The melds and books of a team, put back in one order.
    fn read_melds(self, sent: &v1::TeamTable, at: At<'_>) -> Result<Vec<Meld>, DecodeError> {
        let total = sent.unfinished.len() + sent.books.len();
        at.field("unfinished").at_most(total, MELDS_MAX)?;
        let mut melds: Vec<Option<Meld>> = vec![None; total];
        for (list, name) in [(&sent.unfinished, "unfinished"), (&sent.books, "books")] {
            let at = at.field(name);
            for (index, meld) in list.iter().enumerate() {
                let at = at.entry(index);
                let read = self.read_meld(meld, at)?;
                let place = usize::try_from(meld.number).ok().and_then(|n| n.checked_sub(1));
                let place = place.and_then(|place| melds.get_mut(place));
                let at = at.field("number");
                let place = place.ok_or_else(|| at.error(DecodeProblem::Misplaced))?;
                if place.replace(read).is_some() {
                    return Err(at.error(DecodeProblem::Repeated));
                }
            }
        }
        // As many as places, none twice: every place is taken.
        Ok(melds.into_iter().flatten().collect())
    }

    fn read_meld(self, sent: &v1::Meld, at: At<'_>) -> Result<Meld, DecodeError> {
        let rank = self.read_rank(sent.rank, at.field("rank"))?;
        let cap = read_cap(sent.cap, at.field("cap"))?;
        let at = at.field("cards");
        at.at_most(sent.cards.len(), usize::from(MELD_CARDS_MAX))?;
        let cards = self.read_cards(&sent.cards, at)?;
        if cards.is_empty() {
            return Err(at.error(DecodeProblem::Empty));
        }
        let mut meld = Meld::new(rank);
        for card in cards.iter() {
            let belongs = match (rank, self.rules.role(card.kind())) {
                (_, Role::Wild) => true,
                (MeldRank::Natural(kind), Role::Natural | Role::RedThree | Role::BlackThree) => {
                    kind == card.kind()
                }
                (MeldRank::Wild, Role::Natural | Role::RedThree | Role::BlackThree) => false,
            };
            if !belongs {
                return Err(at.error(DecodeProblem::Misplaced));
            }
            meld.insert(card, self.rules);
        }
        meld.set_cap(cap);
        Ok(meld)
    }
}

/// Red threes lie on clean books only, and where they go on books they are all that were laid.
fn caps_fit(team: &TeamTable, rules: &Rules) -> bool {
    let is_capped = |shape: &MeldShape| shape.cap == Cap::Capped;
    let capped = team.shapes().filter(|(_, shape)| is_capped(shape)).count();
    let on_clean = team.shapes().all(|(_, shape)| !is_capped(&shape) || shape.is_clean_book(rules));
    let is_blocker = rules.draft().red_three.mode == RedThreeMode::Blocker;
    let laid = match is_blocker {
        true => usize::from(team.red_threes_laid()),
        false => 0,
    };
    on_clean && capped == laid
}

const fn made_books(made: BookCounts) -> Need {
    let total = made.total();
    Need { clean: made.clean, dirty: made.dirty, wild: made.wild, sevens: made.sevens, total }
}

/// Numbers of books as they are sent.
pub(crate) fn need(of: Need) -> v1::Need {
    v1::Need {
        clean: count(of.clean),
        dirty: count(of.dirty),
        wild: count(of.wild),
        sevens: count(of.sevens),
        total: number(usize::from(of.total)),
    }
}

/// Received numbers of books.
pub(crate) fn read_need(sent: &v1::Need, at: At<'_>) -> Result<Need, DecodeError> {
    Ok(Need {
        clean: at.field("clean").number(sent.clean, u8::MAX)?,
        dirty: at.field("dirty").number(sent.dirty, u8::MAX)?,
        wild: at.field("wild").number(sent.wild, u8::MAX)?,
        sevens: at.field("sevens").number(sent.sevens, u8::MAX)?,
        total: at.field("total").number(sent.total, u8::MAX)?,
    })
}
