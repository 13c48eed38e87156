//! Positions as text, a line a fact: what both a view and a whole position are written in.
//!
//! A card that is not named is written `?`: in a view because the viewer cannot know it, in a
//! whole position written by hand because the writer does not care.
//!
//! **Invariant:** a [`Sketch`] holds what was written and nothing that was not; who may see the
//! cards in it is the business of whoever asked for it.

mod check;
mod line;
mod read;
mod write;

use handfoot_cards::{Card, CardProblem, Cards};
use handfoot_rules::Rules;

use crate::{PublicTable, Rejection, RoundResult, Seat, TableView, WayOut};

/// The longest text of a position that is read, in bytes.
pub const POSITION_BYTES_MAX: usize = 256 * 1024;

/// A position as written: cards that are not named are none.
///
/// # Visibility
///
/// Whoever may see the text.
#[expect(missing_debug_implementations, reason = "it may hold every hidden card")]
pub struct Sketch {
    /// Whose view it is; none: a whole position.
    pub viewer: Option<Looker>,
    /// The public table; its counts are right once the sketch has been checked.
    pub table: PublicTable,
    /// What each seat holds and has not taken up, by [`Seat::index`].
    pub seats: Vec<SketchSeat>,
    /// The stock, its top first.
    pub stock: Vec<Option<Card>>,
    /// Cards out of play.
    pub aside: Vec<Option<Card>>,
    /// Every card of the pack that is not named.
    pub unnamed: Cards,
    /// Finished rounds, in order.
    pub history: Vec<RoundResult>,
    /// The way out that an open question names, in a whole position.
    pub way_out: Option<Box<WayOut>>,
    /// The seed of the round being played, in a whole position; zeros if it is not known.
    pub round_seed: [u8; 32],
    /// What fixes how the stock is refilled, in a whole position, if it is said.
    pub refill_seed: Option<[u8; 32]>,
    /// What fixes how unnamed cards are dealt, and the rounds to come.
    pub seed: u64,
}

/// Who looks at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looker {
    /// A seat.
    Seat(Seat),
    /// A spectator.
    Spectator,
}

/// What one seat of a [`Sketch`] has.
#[derive(Clone, Default)]
#[expect(missing_debug_implementations, reason = "it may hold hidden cards")]
pub struct SketchSeat {
    /// What it holds.
    pub own: Vec<Option<Card>>,
    /// Its packets not taken up, in order, each of the size that the rules give.
    pub closed: Vec<Vec<Option<Card>>>,
}

/// Why a position could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct PositionError {
    /// The line, from 1; 0 if the position as a whole is meant.
    pub line: usize,
    /// What is wrong with it.
    pub problem: PositionProblem,
}

/// What is wrong with a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the values that each message names")]
pub enum PositionProblem {
    /// More text than any position needs.
    #[error("{bytes} bytes, at most {POSITION_BYTES_MAX}")]
    TooLong { bytes: usize },
    /// A line that begins with no known word.
    #[error("no line begins with {found:?}")]
    UnknownKey { found: String },
    /// A fact that is given twice.
    #[error("{key} is given twice")]
    Repeated { key: String },
    /// A fact that must be given.
    #[error("no line says {key}")]
    Missing { key: &'static str },
    /// A word in a place where another is needed.
    #[error("column {column}: found {found:?}, expected {expected}")]
    Expected { column: usize, found: String, expected: &'static str },
    /// A word that names no card here.
    #[error("column {column}: {found:?}: {problem}")]
    Card { column: usize, found: String, problem: CardProblem },
    /// A way out that cannot be read.
    #[error("the way out: {0}")]
    WayOut(#[source] super::ActionError),
    /// A way out that could not have been asked for.
    #[error("the way out: {}", .0.text())]
    WayOutRefused(Rejection),
    /// A meld that no lay could have left.
    #[error("{}", .0.text())]
    Meld(Rejection),
    /// Red threes on books that cannot lie there.
    #[error("red threes lie on complete clean books only, and \"red\" names as many as are capped")]
    Capped,
    /// More cards in a packet than the rules give.
    #[error("{named} cards in a packet of {size}")]
    PacketTooLarge { named: usize, size: usize },
    /// More packets than the seat can have left.
    #[error("{named} packets not taken up, there can be {allowed}")]
    TooManyPackets { named: usize, allowed: usize },
    /// A stage of the foot that does not go with the packet played from and the cards held.
    #[error("this stage of the foot does not go with the packet or the cards held")]
    Stage,
    /// More known cards than are held.
    #[error("cards are known that the seat does not hold")]
    Known,
    /// A red three that would have been laid.
    #[error("a red three is held after the seat's first turn began; it would have been laid")]
    RedThreeHeld,
    /// A number of turns after which another seat would play.
    #[error("after {turns} turns another seat would play")]
    Turns { turns: u16 },
    /// A question to a seat that is no team-mate.
    #[error("the seat asked is no team-mate")]
    NotPartner,
    /// A question about undo at a table where nobody is asked.
    #[error("a seat asks whether it may undo at tables with \"undo by_consent\" only")]
    NoConsent,
    /// A count of undos that no turn of this table comes to.
    #[error("{undos} undos of this turn, there can be {from} to {most}: \"undos\" names them")]
    Undos { undos: u8, from: u8, most: u8 },
    /// Lays to undo that do not lie on the table.
    #[error("the lays to undo are not what was laid last")]
    Laid,
    /// A card named that the viewer cannot know.
    #[error("a view cannot name cards that its viewer does not see")]
    HiddenNamed,
    /// A viewer's own card that is not named.
    #[error("a view names all cards of its viewer")]
    OwnUnnamed,
    /// A line that only a whole position can have.
    #[error("{key} is no part of a view")]
    NotInView { key: &'static str },
    /// More cards than the pack has left.
    #[error("{needed} cards are needed and {left} are not named")]
    TooFewLeft { needed: usize, left: usize },
    /// Fewer cards than the pack has.
    #[error("{surplus} cards lie nowhere")]
    TooManyLeft { surplus: usize },
    /// A law of the game that the position breaks.
    #[error("{0}")]
    Law(&'static str),
}

impl Sketch {
    /// Reads a position, whole or a view, and checks all that does not depend on unnamed cards.
    ///
    /// # Errors
    ///
    /// The first [`PositionError`] found.
    ///
    /// # Limits
    ///
    /// At most [`POSITION_BYTES_MAX`] bytes.
    pub fn parse(text: &str, rules: &Rules) -> Result<Sketch, PositionError> {
        read::sketch(text, rules)
    }

    /// Writes it; [`Sketch::parse`] reads the same one back.
    #[must_use]
    pub fn to_text(&self, rules: &Rules) -> String {
        write::text(self, rules)
    }
}

/// Writes a view as text; [`parse_view`] reads the same one back.
///
/// # Visibility
///
/// The view's own.
///
/// # Examples
///
/// A view of seat 1, shortened: `view 1`, `turn 2 draw`, `stock ?x141`, `seat 1 hand 4Cx2 9H *`,
/// `seat 2 hand ?x13 ; known Kx2`, a line each.
#[must_use]
pub fn write_view(view: &TableView, rules: &Rules) -> String {
    let table = view.table.clone();
    let sizes = &table.round(rules).packets[1..];
    let seats = Seat::all(table.seats.len()).zip(&table.seats).map(|(seat, public)| {
        let own = match view.seat == Some(seat) {
            true => view.own.iter().map(Some).collect(),
            false => vec![None; usize::from(public.held)],
        };
        let left = sizes.iter().skip(usize::from(public.packet));
        SketchSeat { own, closed: left.map(|size| vec![None; usize::from(*size)]).collect() }
    });
    let sketch = Sketch {
        viewer: Some(view.seat.map_or(Looker::Spectator, Looker::Seat)),
        seats: seats.collect(),
        stock: vec![None; usize::from(table.stock)],
        aside: vec![None; usize::from(table.aside)],
        unnamed: Cards::EMPTY,
        history: view.history.clone(),
        way_out: None,
        round_seed: [0; 32],
        refill_seed: None,
        seed: read::SEED_DEFAULT,
        table,
    };
    sketch.to_text(rules)
}

/// Reads a view.
///
/// # Errors
///
/// The first [`PositionError`] found.
///
/// # Limits
///
/// At most [`POSITION_BYTES_MAX`] bytes.
pub fn parse_view(text: &str, rules: &Rules) -> Result<TableView, PositionError> {
    let sketch = Sketch::parse(text, rules)?;
    let seat = match sketch.viewer {
        Some(Looker::Seat(seat)) => Some(seat),
        Some(Looker::Spectator) => None,
        None => {
            let problem = PositionProblem::Missing { key: "whose view it is" };
            return Err(PositionError { line: 0, problem });
        }
    };
    let own = seat.map(|seat| sketch.seats[seat.index()].own.iter().copied().flatten().collect());
    let (table, history) = (sketch.table, sketch.history);
    Ok(TableView { seat, own: own.unwrap_or_default(), table, history })
}
