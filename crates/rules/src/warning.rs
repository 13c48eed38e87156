//! What is odd about a rule set that can be played all the same.
//!
//! **Invariant:** names and numbers only; nothing here decides.

use crate::Place;
use crate::problem::reasons;

/// One thing that whoever chose the rule set should know, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {warning}")]
pub struct RulesWarning {
    /// The field.
    pub at: Place,
    /// What is odd about it.
    pub warning: Warning,
}

impl RulesWarning {
    /// The stable name of the warning, for programs.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.warning.reason()
    }
}

/// What is odd about a rule set. The numbers are those of D.2 in the rules specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the values that each message names")]
pub enum Warning {
    /// D.2 #2.
    #[error("the stock after the deal has {stock} cards, fewer than {low} draws a player")]
    StockShort { stock: i64, low: i64 },
    /// D.2 #18.
    #[error("no book grows and per_rank.total is 1: later cards of a finished rank are dead")]
    DeadCards,
    /// D.2 #19.
    #[error("no last discard and no melds of black threes: who holds one cannot go out")]
    BlackThreesStrand,
    /// D.2 #20.
    #[error("{min_size} cards must lie there, but only {count} are taken")]
    TakeMinSizeOverCount { min_size: u8, count: u8 },
    /// D.2 #20.
    #[error("only the upcard is taken")]
    TakeUpcardAlone,
    /// D.2 #21.
    #[error("{points} points from naturals alone may be out of reach early")]
    OpeningNaturalsHigh { points: i32 },
    /// D.2 #22.
    #[error(
        "the books of all teams take {needed} cards, the pack has {cards}: every \
             round would end by the stock"
    )]
    NeedExceedsPack { needed: i64, cards: i64 },
    /// D.2 #23.
    #[error("{held} points for one held outweigh the best book, which pays {best}")]
    RedThreeHeldHeavy { held: i32, best: i32 },
    /// D.2 #24.
    #[error("an empty stock ends the round, so taking the whole discard pile never prolongs it")]
    EmptyStockTakeAll,
    /// D.2 #25.
    #[error("{open} unfinished melds of a rank: a player must say which one is meant")]
    SeveralOpenMelds { open: u8 },
    /// D.2 #26.
    #[error("a player who cannot meld the last cards of the hand is stuck with them")]
    LastCardStuck,
    /// D.2 #27.
    #[error("a bonus for a book of black threes, but the pack has {cards}, fewer than {book_size}")]
    BlackThreeBookImpossible { cards: i64, book_size: u8 },
    /// D.2 #28.
    #[error("no jokers: one can never be the upcard")]
    NoJokers,
    /// D.2 #29.
    #[error("freezing asks for the natural pair that take.matching always asks for")]
    FreezeChangesNothing,
}

reasons! { Warning:
    StockShort => "STOCK_SHORT",
    DeadCards => "DEAD_CARDS",
    BlackThreesStrand => "BLACK_THREES_STRAND",
    TakeMinSizeOverCount => "TAKE_MIN_SIZE_OVER_COUNT",
    TakeUpcardAlone => "TAKE_UPCARD_ALONE",
    OpeningNaturalsHigh => "OPENING_NATURALS_HIGH",
    NeedExceedsPack => "NEED_EXCEEDS_PACK",
    RedThreeHeldHeavy => "RED_THREE_HELD_HEAVY",
    EmptyStockTakeAll => "EMPTY_STOCK_TAKE_ALL",
    SeveralOpenMelds => "SEVERAL_OPEN_MELDS",
    LastCardStuck => "LAST_CARD_STUCK",
    BlackThreeBookImpossible => "BLACK_THREE_BOOK_IMPOSSIBLE",
    NoJokers => "NO_JOKERS",
    FreezeChangesNothing => "FREEZE_CHANGES_NOTHING",
}
