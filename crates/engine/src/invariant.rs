//! What must hold of every position, checked from scratch.

use handfoot_cards::Cards;
use handfoot_view::{Phase, Seat};

use crate::state::State;

/// A law that a position breaks: a fault of the engine, never of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// All zones together are not the pack.
    Conservation,
    /// The public table counts other numbers than the zones hold.
    Counts,
    /// A team has melds that no lay could have left.
    Melds,
    /// Nobody can act and the round is not over.
    NoProgress,
}

impl Fault {
    /// The law, said of a position that breaks it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Fault::Conservation => "all zones together are not the pack",
            Fault::Counts => "the public counts differ from what the zones hold",
            Fault::Melds => "a meld on the table breaks a rule",
            Fault::NoProgress => "nobody can act and the round is not over",
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Fault {}

impl State {
    /// Checks every law that a single position can break.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        self.conserved()?;
        self.counted()?;
        self.melds_hold()?;
        self.progresses()
    }

    /// All zones together are the pack.
    pub(crate) fn conserved(&self) -> Result<(), Fault> {
        let mut all = Cards::EMPTY;
        for own in &self.hidden.own {
            all.add(own);
        }
        all.extend(self.hidden.cards[self.hidden.stock_start..].iter().copied());
        for seat in Seat::all(self.rules.seats()) {
            for packet in self.packets_left(seat) {
                all.extend(packet.iter().copied());
            }
        }
        all.extend(self.table.discards.iter().copied());
        all.extend(self.hidden.aside.iter().copied());
        for team in &self.table.teams {
            for meld in &team.melds {
                all.add(&meld.cards(&self.rules));
            }
            for (card, count) in self.rules.pack().red_three_faces().iter().zip(team.red_threes) {
                all.extend(std::iter::repeat_n(*card, usize::from(count)));
            }
        }
        (all == *self.rules.pack().cards()).then_some(()).ok_or(Fault::Conservation)
    }

    fn counted(&self) -> Result<(), Fault> {
        let held = self.hidden.own.iter().zip(&self.table.seats);
        let seats_match = held.clone().all(|(own, seat)| own.len() == usize::from(seat.held));
        let known_held = held.into_iter().all(|(own, seat)| {
            own.by_kind().iter().zip(seat.known).all(|(held, known)| *held >= known)
        });
        let stock_matches = self.stock_len() == usize::from(self.table.stock);
        let aside_matches = self.hidden.aside.len() == usize::from(self.table.aside);
        (seats_match && known_held && stock_matches && aside_matches)
            .then_some(())
            .ok_or(Fault::Counts)
    }

    fn melds_hold(&self) -> Result<(), Fault> {
        let draft = self.rules.draft();
        for team in &self.table.teams {
            for (id, shape) in team.shapes() {
                let fits = shape.size() >= draft.meld_min
                    && shape.size() <= draft.book_size
                    && (shape.naturals == 0 || shape.wilds <= self.rules.wilds_max(shape.naturals));
                let second = team.shapes().any(|(other, earlier)| {
                    other < id
                        && earlier.rank == shape.rank
                        && !earlier.is_book(&self.rules)
                        && !shape.is_book(&self.rules)
                });
                if !fits || second {
                    return Err(Fault::Melds);
                }
            }
        }
        Ok(())
    }

    /// In the foot a seat that must discard holds two cards, or may go out.
    fn progresses(&self) -> Result<(), Fault> {
        let Phase::Play { seat, .. } = self.table.phase else { return Ok(()) };
        let own = &self.hidden.own[seat.index()];
        let can_discard = own.faces().any(|(card, _)| {
            handfoot_view::judge(self.view(seat), &handfoot_view::Action::Discard(card)).is_ok()
        });
        can_discard.then_some(()).ok_or(Fault::NoProgress)
    }
}
