//! Whether an event fits a table, for whoever follows events that others made.
//!
//! [`PublicTable::apply`] takes events for facts. The engine makes them and need not ask; a client
//! is sent them, and asks first. What fits can be applied without a fault and leaves as many cards
//! as there were. Whether the rules allowed it is not asked: that was judged where it was played.
//!
//! **Invariant:** changes nothing, and cannot fail on a table of these rules, whatever it holds.

mod cards;

use std::num::NonZero;

use handfoot_cards::{Card, Cards, Role};
use handfoot_rules::{ExactPickModel, Rules, WildDiscard};

use crate::limits::{UNDO_QUESTIONS_MAX, UNDOS_MAX};
use crate::{
    Answer, Asked, Concealed, DrawCause, Drew, Event, FootStage, LIFTED_MAX, Lay, Lays, MeldId,
    Phase, PublicTable, Refill, RoundEnd, RoundResult, Seat, TableView, ToFoot, Undo,
    is_laid_at_once,
};

/// Why an event does not fit a table. The first thing found is named.
///
/// # Visibility
///
/// Whoever was sent the event. It names no card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It names a seat that the table does not have.
    #[error("the table has no seat {seat}")]
    NoSuchSeat {
        /// The seat named.
        seat: Seat,
    },
    /// It is told of another seat than the one that it can happen to now.
    #[error("it is told of seat {seat} and can happen to seat {expected} only")]
    OtherSeat {
        /// The seat named.
        seat: Seat,
        /// The seat whose turn or answer it is.
        expected: Seat,
    },
    /// Another seat, or none, answers next.
    #[error("whoever it says answers next is not next")]
    OtherNext,
    /// It cannot happen at this point of a round or of a turn.
    #[error("it cannot happen at this point")]
    Untimely,
    /// Rules or options of the table have no such thing.
    #[error("rules or options of this table have no such thing")]
    Excluded,
    /// It has happened already and does so once.
    #[error("it has happened already")]
    Twice,
    /// A number is not what it must be here.
    #[error("it says {named} where it must be {expected}")]
    Count {
        /// The number named.
        named: usize,
        /// What it must be.
        expected: usize,
    },
    /// More cards are drawn than the stock has, or none.
    #[error("{named} cards cannot come from a stock of {stock}")]
    Stock {
        /// Cards drawn.
        named: u16,
        /// Cards in the stock.
        stock: u16,
    },
    /// The discard pile has no card that could be taken.
    #[error("the discard pile has too few cards")]
    Discards,
    /// The seat has no packet left to take up.
    #[error("seat {seat} has no packet left")]
    NoPacket {
        /// The seat named.
        seat: Seat,
    },
    /// The seat holds too few cards for it, or others.
    #[error("seat {seat} does not hold these cards")]
    NotHeld {
        /// The seat named.
        seat: Seat,
    },
    /// The viewer's own cards come to it without faces, or are told to it as to others.
    #[error("it hides the viewer's own cards from it")]
    OwnConcealed,
    /// It shows a viewer what others lay where that is concealed.
    #[error("it shows what is concealed")]
    OthersShown,
    /// It names a meld that is not there.
    #[error("meld {} is not there", meld.number())]
    NoSuchMeld {
        /// The meld named.
        meld: MeldId,
    },
    /// A card does not belong where it is laid, or no meld could be so.
    #[error("cards do not belong where they are laid")]
    Misplaced,
    /// There would be more of a card than are in play.
    #[error("there would be more of a card than are in play")]
    MoreThanInPlay,
    /// Lays are taken back that are not there to be.
    #[error("{acts} acts cannot be taken back, where {undoable} can")]
    NotUndoable {
        /// Acts named.
        acts: u8,
        /// Acts that can be taken back.
        undoable: usize,
    },
    /// A count would go beyond its range.
    #[error("a count would go beyond its range")]
    Overflow,
}

impl PublicTable {
    /// Says whether an event can have happened at this table, which is one of these rules: seats,
    /// turns, melds and numbers of cards are those that it names. [`PublicTable::apply`] never
    /// panics on an event that fits.
    ///
    /// # Errors
    ///
    /// [`Unfit`], the first thing found.
    pub fn fits(&self, event: &Event, rules: &Rules) -> Result<(), Unfit> {
        Fitting { table: self, rules, sight: Sight::Any }.event(event)
    }
}

impl TableView {
    /// Says whether an event can have happened at this table, as its viewer is told it: as
    /// [`PublicTable::fits`], and what becomes of the own cards. [`TableView::apply`] never panics
    /// on an event that fits.
    ///
    /// # Errors
    ///
    /// [`Unfit`], the first thing found.
    pub fn fits(&self, event: &Event, rules: &Rules) -> Result<(), Unfit> {
        let sight = self.seat.map_or(Sight::Spectator, |seat| Sight::Seat(seat, &self.own));
        Fitting { table: &self.table, rules, sight }.event(event)
    }
}

/// Who looks at the table, for what an event may tell.
#[derive(Clone, Copy)]
enum Sight<'a> {
    /// It is not said: the table by itself.
    Any,
    /// A spectator.
    Spectator,
    /// A seat with its own cards.
    Seat(Seat, &'a Cards),
}

/// A table to which an event is held.
struct Fitting<'a> {
    table: &'a PublicTable,
    rules: &'a Rules,
    sight: Sight<'a>,
}

/// Where a turn stands, with no question open.
#[derive(Clone, Copy)]
enum Step {
    Draw(Asked),
    Play(Drew, Asked),
}

impl Fitting<'_> {
    fn event(&self, event: &Event) -> Result<(), Unfit> {
        ensure(self.table.event_index < u32::MAX, Unfit::Overflow)?;
        match event {
            Event::RoundBegan { round_index, dealer, upcard, buried, stock, commitment: _ } => {
                self.next_round(*round_index, *dealer)?;
                self.dealt_from_pack(*round_index, *upcard, buried, *stock)
            }
            Event::HandDealt { seat, cards } => self.hand_dealt(*seat, cards),
            Event::Lifted { seat, cards } => self.lifted(*seat, *cards),
            Event::TurnBegan { seat } => self.turn_began(*seat),
            Event::Drew { seat, cards, cause } => self.drew(*seat, cards, *cause),
            Event::RedThreesLaid { seat, cards } => self.red_threes_laid(*seat, cards),
            Event::DiscardsTaken { seat, lay } => match self.turn_of(*seat)? {
                Step::Draw(_) => self.takes(*seat, lay),
                Step::Play(..) => Err(Unfit::Untimely),
            },
            Event::Laid { seat, lay } => {
                ensure(self.table.options.lays == Lays::Open, Unfit::Excluded)?;
                self.laid(*seat, lay)
            }
            Event::LaidConcealed { seat, lay } => self.laid_concealed(*seat, lay.as_ref()),
            Event::LaysShown { seat, lays } => self.lays_shown(*seat, lays),
            Event::LaysUndone { seat, acts } => self.lays_undone(*seat, *acts),
            Event::UndoAsked { seat, acts, answering } => self.undo_asked(*seat, *acts, *answering),
            Event::UndoAnswered { seat, answer, next } => self.undo_answered(*seat, *answer, *next),
            Event::FootTakenUp { seat, cards, how } => self.foot_taken_up(*seat, cards, *how),
            Event::AskedToGoOut { seat, answering } => self.asked_to_go_out(*seat, *answering),
            Event::Answered { seat, answer, next } => self.answered(*seat, *answer, *next),
            Event::Discarded { seat, card } => {
                self.in_play(*seat)?;
                self.leave(*seat, &[*card])
            }
            Event::DiscardsRemoved { count } => self.discards_removed(*count),
            Event::StockRefilled { from, count } => self.stock_refilled(*from, *count),
            Event::TurnPassed { seat } => self.turn_passed(*seat),
            Event::RoundEnded { result } => self.round_ended(result),
        }
    }

    fn next_round(&self, round_index: u16, dealer: Seat) -> Result<(), Unfit> {
        self.at_table(dealer)?;
        let table = self.table;
        let (due, dealing) = match table.phase {
            Phase::RoundOver { .. } if table.turns > 0 => {
                (table.round_index.checked_add(1), table.dealer.next(table.seats.len()))
            }
            // Before its first deal a table knows neither.
            Phase::Draw { .. } if table.event_index == 0 => (Some(round_index), dealer),
            Phase::RoundOver { .. }
            | Phase::Draw { .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::GameOver { .. } => return Err(Unfit::Untimely),
        };
        let due = due.ok_or(Unfit::Overflow)?;
        counts(usize::from(round_index), usize::from(due))?;
        ensure(dealer == dealing, Unfit::OtherSeat { seat: dealer, expected: dealing })
    }

    /// Stock, upcard and what the seats are to get are the pack.
    fn dealt_from_pack(
        &self,
        round_index: u16,
        upcard: Option<Card>,
        buried: &Cards,
        stock: u16,
    ) -> Result<(), Unfit> {
        let pack = self.rules.pack().cards();
        let lifted = usize::from(self.rules.round(usize::from(round_index)).lifted());
        let packets = lifted * self.table.seats.len();
        let shown = packets + usize::from(upcard.is_some());
        counts(shown + usize::from(stock), pack.len())?;
        ensure(buried.len() <= usize::from(stock), Unfit::MoreThanInPlay)?;
        let mut left = pack.clone();
        let is_there = left.subtract(buried) && upcard.is_none_or(|card| left.remove(card));
        ensure(is_there, Unfit::MoreThanInPlay)
    }

    fn hand_dealt(&self, seat: Seat, cards: &Concealed) -> Result<(), Unfit> {
        self.at_table(seat)?;
        ensure(self.is_dealing(), Unfit::Untimely)?;
        ensure(self.table.seats[seat.index()].held == 0, Unfit::Twice)?;
        counts(usize::from(cards.len()), self.hand())?;
        self.come(seat, cards)
    }

    fn lifted(&self, seat: Seat, cards: NonZero<u16>) -> Result<(), Unfit> {
        self.at_table(seat)?;
        ensure(self.table.seats[seat.index()].lifted.is_none(), Unfit::Twice)?;
        let named = usize::from(cards.get());
        match self.rules.draft().exact_pick.model {
            ExactPickModel::Off => Err(Unfit::Excluded),
            ExactPickModel::Chance(_) => {
                ensure(self.is_dealing(), Unfit::Untimely)?;
                counts(named, usize::from(self.table.round(self.rules).lifted()))
            }
            ExactPickModel::Entered => {
                ensure(self.table.is_before_first_act(), Unfit::Untimely)?;
                ensure(cards.get() <= LIFTED_MAX, Unfit::Overflow)
            }
        }
    }

    fn turn_began(&self, seat: Seat) -> Result<(), Unfit> {
        self.at_table(seat)?;
        let table = self.table;
        ensure(table.turns < u16::MAX, Unfit::Overflow)?;
        let before = match table.phase {
            Phase::Draw { seat, .. } | Phase::Play { seat, .. } if table.turns > 0 => seat,
            Phase::Draw { .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => {
                let is_dealt = table.seats.iter().all(|seat| usize::from(seat.held) == self.hand());
                ensure(self.is_dealing() && is_dealt, Unfit::Untimely)?;
                table.dealer
            }
        };
        let expected = before.next(table.seats.len());
        ensure(seat == expected, Unfit::OtherSeat { seat, expected })
    }

    fn drew(&self, seat: Seat, cards: &Concealed, cause: DrawCause) -> Result<(), Unfit> {
        match (self.turn_of(seat)?, cause) {
            (Step::Play(Drew::Discards, _), DrawCause::DrawStep) => return Err(Unfit::Untimely),
            // Who drew red threes goes on with the draw step.
            (Step::Draw(_) | Step::Play(Drew::Stock, _), DrawCause::DrawStep)
            | (Step::Draw(_) | Step::Play(..), DrawCause::Replacement) => {}
        }
        let (named, stock) = (cards.len(), self.table.stock);
        ensure((1..=stock).contains(&named), Unfit::Stock { named, stock })?;
        self.come(seat, cards)
    }

    fn red_threes_laid(&self, seat: Seat, cards: &Cards) -> Result<(), Unfit> {
        self.turn_of(seat)?;
        let laid: Vec<Card> = cards.iter().collect();
        ensure(!laid.is_empty(), Unfit::Count { named: 0, expected: 1 })?;
        let belong = laid.iter().all(|card| is_laid_at_once(*card, self.rules));
        ensure(belong, Unfit::Misplaced)?;
        self.leave(seat, &laid)
    }

    fn laid_concealed(&self, seat: Seat, lay: Option<&Lay>) -> Result<(), Unfit> {
        ensure(self.table.options.lays == Lays::Concealed, Unfit::Excluded)?;
        let is_own = match self.sight {
            Sight::Any => lay.is_some(),
            Sight::Spectator => false,
            Sight::Seat(viewer, _) => viewer == seat,
        };
        match (is_own, lay) {
            (true, Some(lay)) => self.laid(seat, lay),
            (false, None) => self.in_play(seat),
            (true, None) => Err(Unfit::OwnConcealed),
            (false, Some(_)) => Err(Unfit::OthersShown),
        }
    }

    fn laid(&self, seat: Seat, lay: &Lay) -> Result<(), Unfit> {
        self.in_play(seat)?;
        self.lays(seat, std::slice::from_ref(lay))
    }

    fn lays_shown(&self, seat: Seat, lays: &[Lay]) -> Result<(), Unfit> {
        ensure(self.table.options.lays == Lays::Concealed, Unfit::Excluded)?;
        self.in_play(seat)?;
        // They lie at the table of who laid them already.
        let lie = match self.sight {
            Sight::Any => lays.is_empty() && self.acts() > 0,
            Sight::Spectator => false,
            Sight::Seat(viewer, _) => viewer == seat,
        };
        match lie {
            true => {
                ensure(lays.is_empty(), Unfit::OwnConcealed)?;
                ensure(self.acts() > 0, Unfit::Untimely)
            }
            false => self.lays(seat, lays),
        }
    }

    fn lays_undone(&self, seat: Seat, acts: u8) -> Result<(), Unfit> {
        self.in_play(seat)?;
        match self.table.options.undo {
            Undo::Off => return Err(Unfit::Excluded),
            Undo::OwnTurn => ensure(self.table.undos < UNDOS_MAX, Unfit::Overflow)?,
            // The question was counted.
            Undo::ByConsent => {}
        }
        self.has_acts(seat, acts)?;
        self.undoes(seat, acts)
    }

    fn undo_asked(&self, seat: Seat, acts: u8, answering: Seat) -> Result<(), Unfit> {
        self.in_play(seat)?;
        match self.table.options.undo {
            Undo::Off | Undo::OwnTurn => return Err(Unfit::Excluded),
            Undo::ByConsent => ensure(self.table.undos < UNDO_QUESTIONS_MAX, Unfit::Overflow)?,
        }
        self.has_acts(seat, acts)?;
        ensure(self.table.others(seat).next() == Some(answering), Unfit::OtherNext)
    }

    fn undo_answered(&self, seat: Seat, answer: Answer, next: Option<Seat>) -> Result<(), Unfit> {
        self.at_table(seat)?;
        let Phase::AwaitUndo { asker, answering, .. } = self.table.phase else {
            return Err(Unfit::Untimely);
        };
        ensure(seat == answering, Unfit::OtherSeat { seat, expected: answering })?;
        next_after(seat, answer, next, self.table.others(asker))
    }

    /// So many acts are there to be taken back; whoever does not see them takes none back.
    fn has_acts(&self, seat: Seat, acts: u8) -> Result<(), Unfit> {
        let undoable = self.acts();
        let sees = match (self.table.options.lays, self.sight) {
            (Lays::Open, _) => true,
            (Lays::Concealed, Sight::Seat(viewer, _)) => viewer == seat,
            (Lays::Concealed, Sight::Spectator) => false,
            (Lays::Concealed, Sight::Any) => undoable > 0,
        };
        let is_there = match sees {
            true => usize::from(acts) <= undoable,
            false => undoable == 0,
        };
        ensure(acts > 0 && is_there, Unfit::NotUndoable { acts, undoable })
    }

    fn foot_taken_up(&self, seat: Seat, cards: &Concealed, how: ToFoot) -> Result<(), Unfit> {
        let step = self.turn_of(seat)?;
        let public = &self.table.seats[seat.index()];
        match (how, step, public.foot) {
            (ToFoot::Walked, Step::Draw(_), FootStage::Pending)
            | (ToFoot::Ran | ToFoot::AtTurnEnd, _, _) => {}
            (ToFoot::Walked, _, _) => return Err(Unfit::Untimely),
        }
        let packets = &self.table.round(self.rules).packets;
        let next = packets.get(usize::from(public.packet) + 1);
        let size = next.ok_or(Unfit::NoPacket { seat })?;
        counts(usize::from(cards.len()), usize::from(*size))?;
        self.come(seat, cards)
    }

    fn asked_to_go_out(&self, seat: Seat, answering: Seat) -> Result<(), Unfit> {
        let (Step::Draw(asked) | Step::Play(_, asked)) = self.turn_of(seat)?;
        ensure(asked == Asked::NotYet, Unfit::Twice)?;
        ensure(self.table.partners(seat).next() == Some(answering), Unfit::OtherNext)
    }

    fn answered(&self, seat: Seat, answer: Answer, next: Option<Seat>) -> Result<(), Unfit> {
        self.at_table(seat)?;
        let Phase::AwaitAnswer { asker, answering, .. } = self.table.phase else {
            return Err(Unfit::Untimely);
        };
        ensure(seat == answering, Unfit::OtherSeat { seat, expected: answering })?;
        next_after(seat, answer, next, self.table.partners(asker))
    }

    fn discards_removed(&self, count: u16) -> Result<(), Unfit> {
        let table = self.table;
        match self.rules.draft().wild_discard {
            WildDiscard::Plain | WildDiscard::Freeze => return Err(Unfit::Excluded),
            WildDiscard::RemoveDiscards => {}
        }
        let has_discarded = match table.phase {
            Phase::Play { .. } => true,
            Phase::Draw { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => self.is_dealing(),
        };
        let is_wild = |card: Card| self.rules.role(card.kind()) == Role::Wild;
        ensure(has_discarded && table.upcard().is_some_and(is_wild), Unfit::Untimely)?;
        counts(usize::from(count), table.discards.len())
    }

    fn stock_refilled(&self, from: Refill, count: u16) -> Result<(), Unfit> {
        let seat = match self.table.phase {
            Phase::Draw { seat, .. } | Phase::Play { seat, .. } => seat,
            Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => return Err(Unfit::Untimely),
        };
        self.turn_of(seat)?;
        let (source, expected) = self.table.next_refill(self.rules).ok_or(Unfit::Excluded)?;
        ensure(from == source, Unfit::Excluded)?;
        counts(usize::from(count), expected)?;
        ensure(self.table.stock.checked_add(count).is_some(), Unfit::Overflow)
    }

    fn turn_passed(&self, seat: Seat) -> Result<(), Unfit> {
        match self.turn_of(seat)? {
            Step::Draw(_) => {
                ensure(self.rules.may_pass(), Unfit::Excluded)?;
                let passes = usize::from(self.table.passes);
                ensure(passes < self.table.seats.len(), Unfit::Overflow)
            }
            Step::Play(..) => Ok(()),
        }
    }

    fn round_ended(&self, result: &RoundResult) -> Result<(), Unfit> {
        let table = self.table;
        let (RoundEnd::WentOut(seat) | RoundEnd::StockRanOut(seat)) = result.how;
        self.turn_of(seat)?;
        counts(usize::from(result.round_index), usize::from(table.round_index))?;
        counts(usize::from(result.turns), usize::from(table.turns))?;
        counts(result.scores.len(), table.teams.len())?;
        for (team, score) in table.teams.iter().zip(&result.scores) {
            let lines = score.lines().map(|(_, line)| i64::from(line.points));
            let total = lines.fold(i64::from(team.total), i64::saturating_add);
            // The lines are summed by themselves too.
            let own = score.lines().try_fold(0i32, |sum, (_, line)| sum.checked_add(line.points));
            ensure(own.is_some() && i32::try_from(total).is_ok(), Unfit::Overflow)?;
        }
        self.shown(result)
    }

    /// Whose turn it is and how far, while no question is open and the deal is done.
    fn turn_of(&self, seat: Seat) -> Result<Step, Unfit> {
        self.at_table(seat)?;
        let (turn, step) = match self.table.phase {
            Phase::Draw { seat, asked } => (seat, Step::Draw(asked)),
            Phase::Play { seat, drew, asked } => (seat, Step::Play(drew, asked)),
            Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => return Err(Unfit::Untimely),
        };
        ensure(self.table.turns > 0, Unfit::Untimely)?;
        ensure(seat == turn, Unfit::OtherSeat { seat, expected: turn })?;
        Ok(step)
    }

    /// The seat's turn is past its draw step.
    fn in_play(&self, seat: Seat) -> Result<(), Unfit> {
        match self.turn_of(seat)? {
            Step::Draw(_) => Err(Unfit::Untimely),
            Step::Play(..) => Ok(()),
        }
    }

    fn at_table(&self, seat: Seat) -> Result<(), Unfit> {
        ensure(seat.index() < self.table.seats.len(), Unfit::NoSuchSeat { seat })
    }

    /// Whether a round was begun and its first turn was not.
    const fn is_dealing(&self) -> bool {
        self.table.turns == 0 && self.table.event_index > 0
    }

    /// Cards of a hand in this round.
    fn hand(&self) -> usize {
        self.table.round(self.rules).packets.first().map_or(0, |size| usize::from(*size))
    }
}

/// After a yes the next of those asked answers, after a no nobody.
fn next_after(
    seat: Seat,
    answer: Answer,
    next: Option<Seat>,
    mut asked: impl Iterator<Item = Seat>,
) -> Result<(), Unfit> {
    let expected = match answer {
        Answer::Yes => asked.by_ref().skip_while(|other| *other != seat).nth(1),
        Answer::No => None,
    };
    ensure(next == expected, Unfit::OtherNext)
}

fn ensure(holds: bool, unfit: Unfit) -> Result<(), Unfit> {
    if holds { Ok(()) } else { Err(unfit) }
}

fn counts(named: usize, expected: usize) -> Result<(), Unfit> {
    ensure(named == expected, Unfit::Count { named, expected })
}
