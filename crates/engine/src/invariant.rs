//! What must hold of every position, checked from scratch.

use handfoot_rules::RedThreeMode;
use handfoot_view::{Answer, Cap, Event, MELD_CARDS_MAX, Phase, Seat, ViewRef};

use crate::fault::Fault;
use crate::play::can_go_on;
use crate::state::State;

impl State {
    /// Checks every law that a single position can break.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        self.conserved()?;
        self.counted()?;
        self.melds_hold()?;
        self.ends()?;
        self.progresses()
    }

    /// A turn takes a card from the stock or lays the upcard, and a card does each at most once, so
    /// that there are never more turns than twice the cards, but for cards that come back to the
    /// stock and turns that pass between.
    fn ends(&self) -> Result<(), Fault> {
        let cards = self.rules.pack().cards().len()
            + usize::from(self.table.decks_added) * self.rules.deck().len();
        let passes = match self.rules.may_pass() {
            true => self.rules.seats(),
            false => 0,
        };
        let turns_max = cards * (2 + usize::from(self.table.refills)) * (1 + passes);
        (usize::from(self.table.turns) <= turns_max).then_some(()).ok_or(Fault::Endless)
    }

    /// All zones together are the pack: each is taken out of it until nothing is left.
    pub(crate) fn conserved(&self) -> Result<(), Fault> {
        let mut left = self.table.cards_in_round(&self.rules);
        let own = self.hidden.own.iter().all(|own| left.subtract(own));
        let melds = self.table.teams.iter().flat_map(|team| &team.melds);
        let melds = melds.into_iter().all(|meld| left.subtract(&meld.cards(&self.rules)));
        let stock = &self.hidden.cards[self.hidden.stock_start..];
        let packets = Seat::all(self.rules.seats()).flat_map(|seat| self.packets_left(seat));
        let red_threes = self.table.teams.iter().flat_map(|team| {
            let faces = self.rules.pack().red_three_faces().iter().zip(team.red_threes);
            faces.flat_map(|(card, count)| std::iter::repeat_n(card, usize::from(count)))
        });
        let singly = stock
            .iter()
            .chain(packets.flatten())
            .chain(&self.table.discards)
            .chain(&self.table.removed)
            .chain(&self.hidden.aside)
            .chain(red_threes)
            .all(|card| left.remove(*card));
        (own && melds && singly && left.is_empty()).then_some(()).ok_or(Fault::Conservation)
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
            let (mut capped, is_blocker) = (0, draft.red_three.mode == RedThreeMode::Blocker);
            for (_, shape) in team.shapes() {
                let is_capped = shape.cap == Cap::Capped;
                capped += u8::from(is_capped);
                let fits = shape.size() >= draft.meld_min
                    && shape.size() <= MELD_CARDS_MAX
                    && (shape.size() <= draft.book_size || !self.rules.has_closed_books())
                    && (shape.naturals == 0 || shape.wilds <= shape.wilds_max(&self.rules))
                    && (!is_capped || shape.is_clean_book(&self.rules));
                let same = || team.shapes().filter(|(_, other)| other.rank == shape.rank);
                let open = same().filter(|(_, other)| !other.is_book(&self.rules)).count();
                let total = draft.per_rank.total.map_or(usize::MAX, usize::from);
                if !fits || open > usize::from(draft.per_rank.open) || same().count() > total {
                    return Err(Fault::Melds);
                }
            }
            if is_blocker && capped != team.red_threes_laid() {
                return Err(Fault::Melds);
            }
        }
        Ok(())
    }

    /// Whoever has drawn can discard or go out: in the foot it holds two cards, or has the right.
    /// Who asks whether it may undo can do so too, if the answer is no. Rule: HF-13.1
    fn progresses(&self) -> Result<(), Fault> {
        let goes_on = match self.table.phase {
            Phase::Play { seat, .. } => can_go_on(self.view(seat)),
            Phase::AwaitUndo { asker, answering, .. } => {
                let view = self.view(asker);
                let mut refused = view.table.clone();
                let (answer, next) = (Answer::No, None);
                let event = Event::UndoAnswered { seat: answering, answer, next };
                refused.apply(&event, &self.rules);
                can_go_on(ViewRef { table: &refused, ..view })
            }
            Phase::Draw { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => true,
        };
        goes_on.then_some(()).ok_or(Fault::NoProgress)
    }
}
