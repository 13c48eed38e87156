//! The table as everybody sees it. Rule: HF-11.1
//!
//! **Invariant:** no type here has a place for a hidden card. Who adds one adds it to what every
//! seat and every spectator is sent.

use std::num::NonZero;

use handfoot_cards::{Card, Cards, Kind, KindCounts, Pack, Role};
use handfoot_rules::{BookCounts, RedThreeMode, RoundRules, Rules, Tie, WildDiscard};

use crate::limits::ROUNDS_PLAYED_MAX;
use crate::sheet::leading;
use crate::{Meld, MeldId, MeldRank, MeldShape, Seat, Team};

/// Melds for which a team's list has room from the start, by number of teams: the fewer share the
/// pack, the more each may lay. It may grow beyond.
const fn melds_reserved(teams: usize) -> usize {
    4 + 40 / teams
}

/// Cards laid in a turn for which the undo list has room from the start; it may grow beyond.
const LAID_RESERVED: usize = 32;

/// Everything about a game that everybody sees.
///
/// # Visibility
///
/// All, spectators included.
#[derive(Debug, PartialEq, Eq)]
pub struct PublicTable {
    /// What the table's owner chose beside the rules.
    pub options: TableOptions,
    /// Events so far in the game; it never goes back.
    pub event_index: u32,
    /// Rounds begun before this one.
    pub round_index: u16,
    /// Turns begun in this round.
    pub turns: u16,
    /// Who dealt; the seat after it started.
    pub dealer: Seat,
    /// What the game waits for.
    pub phase: Phase,
    /// Cards in the stock.
    pub stock: u16,
    /// The discard pile, the upcard last.
    pub discards: Vec<Card>,
    /// Cards out of play; none after a deal.
    pub aside: u16,
    /// Discard piles that left play, in the order in which they did. Rule: HF-9.4
    pub removed: Vec<Card>,
    /// How often the stock was given cards in this round. Rule: HF-9.8
    pub refills: u8,
    /// Decks given to the stock in this round. Rule: HF-9.6
    pub decks_added: u8,
    /// Turns passed without a draw step, one after another. Rule: HF-9.7
    pub passes: u8,
    /// By [`Seat::index`].
    pub seats: Vec<SeatTable>,
    /// By [`Team::index`].
    pub teams: Vec<TeamTable>,
    /// Faces of the cards buried in the stock this round. Rule: HF-1.4
    pub buried: Cards,
    /// What can be undone: each card laid in this turn since something was last revealed, in
    /// order. Rule: HF-2.6
    pub laid: Vec<LaidCard>,
    /// Undos of this turn, made or asked for. Rule: HF-13.2
    pub undos: u8,
    /// SHA-256 that binds the round's shuffle, published with the deal.
    pub commitment: [u8; 32],
}

/// What a table's owner chooses that is not a rule of the game. The usual choice is undo in the own
/// turn, and lays that all see at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TableOptions {
    /// Whether lays can be undone. Rule: HF-2.6, HF-13.1
    pub undo: Undo,
    /// When others learn what a seat lays. Rule: HF-13.3
    pub lays: Lays,
}

/// Whether lays can be undone. Rule: HF-2.6, HF-13.1
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Undo {
    /// They cannot.
    Off,
    /// By the seat that laid them, in the same turn, back to what was last revealed.
    #[default]
    OwnTurn,
    /// The same, once every other seat has said yes. Rule: HF-13.1
    ByConsent,
}

/// When others learn what a seat lays. Rule: HF-13.3
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lays {
    /// At once.
    #[default]
    Open,
    /// All together, before anything after which they could not be undone, whether the table
    /// undoes or not. Rule: HF-13.4
    Concealed,
}

/// What the game waits for. Each phase carries what only it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The seat must draw or take the discard pile.
    Draw {
        /// Whose turn it is.
        seat: Seat,
        /// Whether it has asked to go out.
        asked: Asked,
    },
    /// The seat may lay, ask, and must end its turn.
    Play {
        /// Whose turn it is.
        seat: Seat,
        /// What it did in the draw step.
        drew: Drew,
        /// Whether it has asked to go out.
        asked: Asked,
    },
    /// A team-mate must answer; nobody else may act.
    AwaitAnswer {
        /// Who asked to go out.
        asker: Seat,
        /// Who must answer.
        answering: Seat,
        /// The asker's draw step, if it came before the question.
        drew: Option<Drew>,
    },
    /// Another seat must say whether lays may be undone; nobody else may act. Rule: HF-13.1
    AwaitUndo {
        /// Who wants to undo; it goes on after the answer.
        asker: Seat,
        /// Who must answer.
        answering: Seat,
        /// How many of its newest acts.
        acts: u8,
        /// The asker's draw step.
        drew: Drew,
        /// Whether the asker has asked to go out.
        asked: Asked,
    },
    /// The round is scored and the next one not yet dealt.
    RoundOver {
        /// How it ended.
        how: RoundEnd,
    },
    /// The game is over.
    GameOver {
        /// How its last round ended.
        how: RoundEnd,
    },
}

/// Whether a seat has asked to go out in this turn. Rule: HF-8.4
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    /// It has not.
    NotYet,
    /// It has, and all said yes.
    Granted,
    /// It has, and somebody said no.
    Refused,
}

/// What a seat did in the draw step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drew {
    /// It drew from the stock.
    Stock,
    /// It took the discard pile.
    Discards,
}

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundEnd {
    /// A seat went out. Rule: HF-9.1
    WentOut(Seat),
    /// A seat wanted to draw and could not, or ended the turn in which the stock ran out.
    /// Rule: HF-9.2, HF-9.3
    StockRanOut(Seat),
}

impl RoundEnd {
    /// Its word in text and data: `went_out` or `stock_ran_out`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RoundEnd::WentOut(_) => "went_out",
            RoundEnd::StockRanOut(_) => "stock_ran_out",
        }
    }

    /// The seat with which it ended.
    #[must_use]
    pub const fn seat(self) -> Seat {
        match self {
            RoundEnd::WentOut(seat) | RoundEnd::StockRanOut(seat) => seat,
        }
    }
}

/// What everybody sees of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SeatTable {
    /// Cards it holds.
    pub held: u16,
    /// The packet it plays from: 0 is the hand, the last one the foot.
    pub packet: u8,
    /// How far it has come with its foot.
    pub foot: FootStage,
    /// Cards it was seen to receive and has not shown since, by kind.
    pub known: KindCounts,
    /// Cards it lifted for its packets this round, where that is told. Rule: HF-1.7
    pub lifted: Option<NonZero<u16>>,
}

/// How far a seat has come with its last packet. In rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FootStage {
    /// It lies face down.
    Waiting,
    /// Its turn to take up the next packet comes when its next turn begins. Rule: HF-7.2
    Pending,
    /// A packet taken up when the turn ended, to be played from the next turn. Rule: HF-7.5
    Fresh,
    /// Taken up in the middle of a turn, which goes on.
    TakenUp,
    /// Taken up when the turn began, which goes on.
    Begun,
    /// A card was laid or discarded from it in a turn that has ended. Rule: HF-8.3
    Played,
    /// A turn was begun from it and has ended.
    FullTurn,
}

/// What everybody sees of a team.
#[derive(Debug, PartialEq, Eq)]
pub struct TeamTable {
    /// Its melds and books in the order in which they were started; a meld's id is its place.
    pub melds: Vec<Meld>,
    /// Red threes laid, by place among the pack's red three faces.
    pub red_threes: [u8; Pack::RED_THREE_FACES_MAX],
    /// Points of all rounds scored; may be negative.
    pub total: i32,
}

/// One card laid that can still be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaidCard {
    /// Which act of the turn laid it, from 0.
    pub act: u8,
    /// Where it lies.
    pub meld: MeldId,
    /// The card.
    pub card: Card,
    /// Whether it had been seen before.
    pub seen: Seen,
}

/// Whether a card laid had been seen going to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// It was one of the seat's known cards.
    Before,
    /// Nobody had seen it there.
    Never,
}

impl PublicTable {
    /// A table before its first deal, with room for a whole game.
    #[must_use]
    pub fn new(rules: &Rules, options: TableOptions, dealer: Seat) -> PublicTable {
        let pack = rules.pack().cards().len();
        let seat = SeatTable {
            held: 0,
            packet: 0,
            foot: FootStage::Waiting,
            known: KindCounts::default(),
            lifted: None,
        };
        let team = || TeamTable {
            melds: Vec::with_capacity(melds_reserved(rules.teams())),
            red_threes: [0; Pack::RED_THREE_FACES_MAX],
            total: 0,
        };
        let dealt = rules.seats() * rules.lifted_least();
        PublicTable {
            options,
            event_index: 0,
            round_index: 0,
            turns: 0,
            dealer,
            phase: Phase::Draw { seat: dealer, asked: Asked::NotYet },
            stock: 0,
            // A turn adds one discard and takes at least one card from stock or discards.
            discards: Vec::with_capacity(pack.saturating_sub(dealt) + 2),
            aside: 0,
            // Room comes with the first that leave play: most games never need it.
            removed: Vec::new(),
            refills: 0,
            decks_added: 0,
            passes: 0,
            seats: vec![seat; rules.seats()],
            teams: (0..rules.teams()).map(|_| team()).collect(),
            buried: Cards::EMPTY,
            laid: Vec::with_capacity(LAID_RESERVED),
            undos: 0,
            commitment: [0; 32],
        }
    }

    /// The top of the discard pile.
    #[must_use]
    pub fn upcard(&self) -> Option<Card> {
        self.discards.last().copied()
    }

    /// The seat that may act, if the round is not over.
    #[must_use]
    pub const fn to_act(&self) -> Option<Seat> {
        match self.phase {
            Phase::Draw { seat, .. } | Phase::Play { seat, .. } => Some(seat),
            Phase::AwaitAnswer { answering, .. } | Phase::AwaitUndo { answering, .. } => {
                Some(answering)
            }
            Phase::RoundOver { .. } | Phase::GameOver { .. } => None,
        }
    }

    /// The team of a seat.
    #[must_use]
    pub fn team_of(&self, seat: Seat) -> Team {
        seat.team(self.teams.len())
    }

    /// The other seats of a seat's team, in turn order after it.
    pub fn partners(&self, seat: Seat) -> impl Iterator<Item = Seat> + '_ {
        let (seats, teams) = (self.seats.len(), self.teams.len());
        std::iter::successors(Some(seat), move |seat| {
            Some((0..teams).fold(*seat, |seat, _| seat.next(seats)))
        })
        .take(seats / teams)
        .skip(1)
    }

    /// The numbers of this round.
    #[must_use]
    pub fn round<'a>(&self, rules: &'a Rules) -> &'a RoundRules {
        rules.round(usize::from(self.round_index))
    }

    /// Whether a seat plays from its last packet. Rule: HF-8.11
    #[must_use]
    pub fn in_foot(&self, seat: Seat, rules: &Rules) -> bool {
        let packets = self.round(rules).packets.len();
        usize::from(self.seats[seat.index()].packet) + 1 == packets
    }

    /// Whether a seat's first turn of the round has begun, so that its red threes are laid.
    /// Rule: HF-3.2
    #[must_use]
    pub fn has_had_turn(&self, seat: Seat) -> bool {
        usize::from(self.turns) > self.place_in_lap(seat)
    }

    /// Whether a seat holds no red three that it would have laid: its first turn has begun, and it
    /// has taken up no packet since its last. Rule: HF-3.2, HF-7.5
    #[must_use]
    pub fn has_laid_red_threes(&self, seat: Seat) -> bool {
        self.has_had_turn(seat) && self.seats[seat.index()].foot != FootStage::Fresh
    }

    /// How many seats come before this one in a lap that starts with the seat after the dealer.
    #[must_use]
    pub fn place_in_lap(&self, seat: Seat) -> usize {
        let seats = self.seats.len();
        (seat.index() + seats - self.dealer.index() - 1) % seats
    }

    /// Cards that come with the discard pile if it is taken now, the upcard included.
    #[must_use]
    pub fn take_count(&self, rules: &Rules) -> usize {
        self.discards.len().min(self.round(rules).take_max)
    }

    /// Whether the discard pile holds a card that freezes it: a wild card, or a red three that was
    /// turned up and never discarded. Rule: HF-5.8
    #[must_use]
    pub fn is_frozen(&self, rules: &Rules) -> bool {
        let freezes = |card: &Card| match rules.role(card.kind()) {
            Role::Wild => true,
            Role::RedThree => rules.draft().red_three.mode == RedThreeMode::Bonus,
            Role::Natural | Role::BlackThree => false,
        };
        rules.draft().wild_discard == WildDiscard::Freeze && self.discards.iter().any(freezes)
    }

    /// What a seat's team must reach with its opening, in card points; 0 if it needs a book.
    /// Rule: HF-6.1, HF-6.3
    #[must_use]
    pub fn opening_minimum(&self, seat: Seat, rules: &Rules) -> i32 {
        // A team's total changes with the score of a round only, so it is that of its start.
        let total = self.teams[self.team_of(seat).index()].total;
        rules.opening_minimum(usize::from(self.round_index), total)
    }

    /// Whether nobody has acted in this round: its first turn has begun, and neither the draw step
    /// nor a question came yet. Numbers lifted are entered until then. Rule: HF-1.7
    #[must_use]
    pub fn is_before_first_act(&self) -> bool {
        match self.phase {
            Phase::Draw { asked: Asked::NotYet, .. } => self.turns == 1,
            Phase::Draw { asked: Asked::Granted | Asked::Refused, .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => false,
        }
    }

    /// Teams with the highest total, all of them if they are equal. Rule: HF-10.5
    pub fn leaders(&self) -> impl Iterator<Item = Team> + '_ {
        leading(self.teams.iter().map(|team| team.total))
    }

    /// Whether the round just scored was the last. Rule: HF-10.5 to HF-10.7
    #[must_use]
    pub fn is_last_round(&self, rules: &Rules) -> bool {
        let length = rules.draft().length;
        let played = usize::from(self.round_index) + 1;
        let rounds_over = length.rounds.is_some_and(|rounds| played >= usize::from(rounds));
        let target_met =
            length.target.is_some_and(|target| self.teams.iter().any(|team| team.total >= target));
        let tied = self.leaders().nth(1).is_some();
        let plays_on = tied && length.tie == Tie::ExtraRound;
        played >= ROUNDS_PLAYED_MAX || ((rounds_over || target_met) && !plays_on)
    }

    /// Acts of this turn that can be undone, newest first. Rule: HF-2.6
    #[must_use]
    pub fn undoable(&self) -> u8 {
        self.laid.last().map_or(0, |last| last.act + 1)
    }

    /// The cards of the newest acts of this turn.
    #[must_use]
    pub fn laid_in_last(&self, acts: u8) -> impl DoubleEndedIterator<Item = &LaidCard> {
        let kept = self.undoable().saturating_sub(acts);
        self.laid.iter().filter(move |laid| laid.act >= kept)
    }
}

impl TeamTable {
    /// Whether the team has laid anything this round. Rule: HF-6.1
    #[must_use]
    pub fn has_opened(&self) -> bool {
        !self.melds.is_empty()
    }

    /// What the rules see of each meld.
    #[must_use]
    pub fn shapes(&self) -> impl DoubleEndedIterator<Item = (MeldId, MeldShape)> + '_ {
        self.melds
            .iter()
            .enumerate()
            .filter_map(|(index, meld)| MeldId::from_index(index).map(|id| (id, meld.shape())))
    }

    /// The newest unfinished meld of a rank. Rule: HF-4.6
    #[must_use]
    pub fn unfinished(&self, rank: MeldRank, rules: &Rules) -> Option<(MeldId, MeldShape)> {
        self.shapes().rev().find(|(_, shape)| shape.rank == rank && !shape.is_book(rules))
    }

    /// Its books by kind.
    #[must_use]
    pub fn books(&self, rules: &Rules) -> BookCounts {
        let mut books = BookCounts::default();
        for meld in &self.melds {
            meld.shape().count_in(&mut books, rules);
        }
        books
    }

    /// Whether it has a clean book of a kind of cards. Rule: HF-2.7
    #[must_use]
    pub fn has_clean_book_of(&self, kind: Kind, rules: &Rules) -> bool {
        let of_kind = |shape: &MeldShape| shape.rank == MeldRank::Natural(kind);
        self.shapes().any(|(_, shape)| of_kind(&shape) && shape.is_clean_book(rules))
    }

    /// Red threes laid, of any face.
    #[must_use]
    pub fn red_threes_laid(&self) -> u8 {
        self.red_threes.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

impl SeatTable {
    /// Counts a card shown by this seat: it is known no longer.
    pub(crate) fn show(&mut self, card: Card) -> Seen {
        let known = &mut self.known[card.kind().index()];
        match known.checked_sub(1) {
            Some(fewer) => {
                *known = fewer;
                Seen::Before
            }
            None => Seen::Never,
        }
    }
}

impl Clone for PublicTable {
    /// Keeps the room of its lists, so that play on a clone allocates nothing either.
    fn clone(&self) -> PublicTable {
        PublicTable {
            discards: roomy(&self.discards),
            seats: self.seats.clone(),
            teams: self.teams.clone(),
            laid: roomy(&self.laid),
            removed: roomy(&self.removed),
            buried: self.buried.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, from: &PublicTable) {
        self.discards.clone_from(&from.discards);
        self.seats.clone_from(&from.seats);
        self.teams.clone_from(&from.teams);
        self.laid.clone_from(&from.laid);
        self.undos = from.undos;
        self.buried.clone_from(&from.buried);
        self.options = from.options;
        self.event_index = from.event_index;
        self.round_index = from.round_index;
        self.turns = from.turns;
        self.dealer = from.dealer;
        self.phase = from.phase;
        self.stock = from.stock;
        self.aside = from.aside;
        self.removed.clone_from(&from.removed);
        self.refills = from.refills;
        self.decks_added = from.decks_added;
        self.passes = from.passes;
        self.commitment = from.commitment;
    }
}

impl Clone for TeamTable {
    fn clone(&self) -> TeamTable {
        TeamTable { melds: roomy(&self.melds), ..*self }
    }

    fn clone_from(&mut self, from: &TeamTable) {
        self.melds.clone_from(&from.melds);
        self.red_threes = from.red_threes;
        self.total = from.total;
    }
}

/// A copy with as much room as the original.
fn roomy<T: Clone>(list: &Vec<T>) -> Vec<T> {
    let mut copy = Vec::with_capacity(list.capacity());
    copy.extend_from_slice(list);
    copy
}
