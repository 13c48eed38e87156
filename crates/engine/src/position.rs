//! A whole position as text, hidden cards included, and a game that starts from one.
//!
//! **Invariant:** the only way to see a whole position, and it has to be asked for by name: no
//! type here prints itself.

use std::sync::Arc;

use handfoot_cards::{Card, Cards, Kind};
use handfoot_rules::Rules;
use handfoot_view::notation::{PositionError, PositionProblem, Sketch, SketchSeat};
use handfoot_view::{Action, Asked, Phase, PublicTable, Seat, is_laid_at_once, judge};

use crate::conceal::concealing;
use crate::fault::Fault;
use crate::game::{Game, Seeds};
use crate::shuffle::{Chance, Seed, refill_seed};
use crate::state::{Hidden, State};

/// What a game that starts from a position calls its table.
const TABLE_NAME: &str = "position";

/// The text of a whole position.
///
/// # Visibility
///
/// Nobody at the table while the round is played: it shows every hand, foot and the stock.
#[derive(Clone, PartialEq, Eq)]
#[expect(missing_debug_implementations, reason = "it holds hidden cards and must not print them")]
pub struct PositionText(String);

impl PositionText {
    /// The text, hidden cards included.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl Game {
    /// The whole position as text; [`Game::from_position`] reads the same one back. The game's
    /// secret and what was played so far are not in it.
    #[must_use]
    pub fn position(&self) -> PositionText {
        let state = &self.state;
        let seats = Seat::all(state.rules.seats()).map(|seat| SketchSeat {
            own: state.hidden.own[seat.index()].iter().map(Some).collect(),
            closed: state.packets_left(seat).map(sorted).collect(),
        });
        let stock = &state.hidden.cards[state.hidden.stock_start..];
        let sketch = Sketch {
            viewer: None,
            table: state.table.clone(),
            seats: seats.collect(),
            stock: stock.iter().rev().copied().map(Some).collect(),
            aside: sorted(&state.hidden.aside),
            unnamed: Cards::EMPTY,
            history: self.history.clone(),
            way_out: state.way_out.clone(),
            round_seed: state.round_seed,
            refill_seed: state.refill_seed.as_deref().copied(),
            seed: 1,
        };
        PositionText(sketch.to_text(&state.rules))
    }

    /// A game that starts in the middle, from a whole position. Cards that it does not name are
    /// dealt from those left, fixed by its `seed` line, which fixes the rounds to come as well.
    /// Such a game has no record, since no deal led to it.
    ///
    /// # Errors
    ///
    /// The first [`PositionError`] found.
    pub fn from_position(rules: Arc<Rules>, text: &str) -> Result<Game, PositionError> {
        let mut sketch = Sketch::parse(text, &rules)?;
        if sketch.viewer.is_some() {
            return Err(whole(PositionProblem::Law("this is a view, not a whole position")));
        }
        let secret = Seed::chosen(sketch.seed);
        deal_unnamed(&mut sketch, &rules, &mut Chance::of_round(&secret, &[]))?;
        let hidden = hidden(&sketch, &rules);
        let refill_seed = rules
            .may_refill()
            .then(|| Box::new(sketch.refill_seed.unwrap_or_else(|| refill_seed(&secret, &[]))));
        let state = State {
            shown: concealing(&sketch.table, &rules),
            rules,
            table: sketch.table,
            hidden,
            way_out: sketch.way_out,
            round_seed: sketch.round_seed,
            refill_seed,
        };
        state.check().map_err(|fault: Fault| whole(PositionProblem::Law(fault.text())))?;
        way_out_stands(&state).map_err(whole)?;
        Ok(Game {
            state,
            table_name: TABLE_NAME.to_owned(),
            seeds: Seeds::Secret(secret),
            first_dealer: None,
            history: sketch.history,
            // A position says how rounds were scored and not what lay on the table.
            melds: Vec::new(),
            log: Vec::new(),
        })
    }
}

const fn whole(problem: PositionProblem) -> PositionError {
    PositionError { line: 0, problem }
}

/// A packet has no order that matters: it is written in the canonical one.
fn sorted(cards: &[Card]) -> Vec<Option<Card>> {
    let cards: Cards = cards.iter().copied().collect();
    cards.iter().map(Some).collect()
}

/// Deals what is not named: known cards, hands without red threes, then everything else.
fn deal_unnamed(
    sketch: &mut Sketch,
    rules: &Rules,
    chance: &mut Chance,
) -> Result<(), PositionError> {
    let mut left: Vec<Card> = sketch.unnamed.iter().collect();
    chance.shuffle(&mut left);
    for (cards, public) in sketch.seats.iter_mut().zip(&sketch.table.seats) {
        give_known(&mut cards.own, &public.known, &mut left)?;
    }
    let table = &sketch.table;
    let seats: Vec<Seat> = Seat::all(rules.seats()).collect();
    for seat in seats.iter().filter(|seat| table.has_laid_red_threes(**seat)) {
        let own = &mut sketch.seats[seat.index()].own;
        fill(own, &mut left, |card| !is_laid_at_once(*card, rules))?;
    }
    for cards in &mut sketch.seats {
        fill(&mut cards.own, &mut left, |_| true)?;
        for packet in &mut cards.closed {
            fill(packet, &mut left, |_| true)?;
        }
    }
    fill(&mut sketch.stock, &mut left, |_| true)?;
    fill(&mut sketch.aside, &mut left, |_| true)
}

/// Gives a seat cards that it is known to hold and that are not named.
fn give_known(
    own: &mut [Option<Card>],
    known: &[u8],
    left: &mut Vec<Card>,
) -> Result<(), PositionError> {
    for (kind, known) in Kind::all().zip(known) {
        let held = own.iter().flatten().filter(|card| card.kind() == kind).count();
        let missing = usize::from(*known).saturating_sub(held);
        for place in own.iter_mut().filter(|place| place.is_none()).take(missing) {
            *place = Some(take(left, |card| card.kind() == kind)?);
        }
    }
    Ok(())
}

fn fill(
    places: &mut [Option<Card>],
    left: &mut Vec<Card>,
    fits: impl Fn(&Card) -> bool,
) -> Result<(), PositionError> {
    for place in places.iter_mut().filter(|place| place.is_none()) {
        *place = Some(take(left, &fits)?);
    }
    Ok(())
}

/// The last card that fits, taken out.
fn take(left: &mut Vec<Card>, fits: impl Fn(&Card) -> bool) -> Result<Card, PositionError> {
    let at = left.iter().rposition(fits);
    let needed = left.len() + 1;
    at.map(|at| left.remove(at))
        .ok_or_else(|| whole(PositionProblem::TooFewLeft { needed, left: left.len() }))
}

/// The hidden cards of a sketch in which every card is named.
fn hidden(sketch: &Sketch, rules: &Rules) -> Hidden {
    let own = sketch.seats.iter().map(|seat| seat.own.iter().copied().flatten().collect());
    let sizes = &sketch.table.round(rules).packets[1..];
    let mut cards = Vec::with_capacity(sketch.table.cards_in_round(rules).len());
    for (seat, public) in sketch.seats.iter().zip(&sketch.table.seats) {
        // A packet taken up leaves its place behind; which cards stand there means nothing.
        let gone = sizes.iter().take(usize::from(public.packet)).map(|size| usize::from(*size));
        cards.extend(std::iter::repeat_n(Kind::FOUR.card(0), gone.sum()));
        cards.extend(seat.closed.iter().flatten().copied().flatten());
    }
    let stock_start = cards.len();
    cards.extend(sketch.stock.iter().rev().copied().flatten());
    let aside = sketch.aside.iter().copied().flatten().collect();
    Hidden { own: own.collect(), cards, stock_start, aside }
}

/// The way out of an open question could have been asked for. Rule: HF-8.5
fn way_out_stands(state: &State) -> Result<(), PositionProblem> {
    let (Phase::AwaitAnswer { asker, drew, .. }, Some(way)) = (state.table.phase, &state.way_out)
    else {
        return Ok(());
    };
    let asked = Asked::NotYet;
    let phase = match drew {
        Some(drew) => Phase::Play { seat: asker, drew, asked },
        None => Phase::Draw { seat: asker, asked },
    };
    let before = State { table: PublicTable { phase, ..state.table.clone() }, ..state.clone() };
    judge(before.view(asker), &Action::AskToGoOut(way.clone()))
        .map_err(PositionProblem::WayOutRefused)
}
