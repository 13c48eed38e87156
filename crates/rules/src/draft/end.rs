//! Parameters of the foot, going out, the end and the pack: D.1 #26 to #36.
//!
//! **Invariant:** plain data; nothing here knows which values go together.

use handfoot_cards::NamedKind;
use serde::{Deserialize, Serialize};

/// When the foot is taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Foot {
    /// What makes it due.
    pub trigger: FootTrigger,
    /// When the hand was emptied by a lay.
    pub after_meld: FootAfterMeld,
    /// When the hand was emptied by the discard.
    pub after_discard: FootAfterDiscard,
}

/// What makes the foot due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FootTrigger {
    /// An empty hand.
    HandEmpty,
    /// The seat's first book.
    FirstBook,
}

/// What follows when the hand was emptied by a lay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FootAfterMeld {
    /// The foot is taken up and the turn goes on.
    Continue,
    /// The foot is taken up and the turn ends.
    EndTurn,
}

/// What follows when the hand was emptied by the discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FootAfterDiscard {
    /// The foot is taken up when the seat's next turn begins.
    StartOfNextTurn,
    /// It is taken up now and played in the next turn.
    EndOfTurn,
    /// The last card may not be discarded.
    NotAllowed,
}

/// The books a team needs to go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// Clean books.
    pub clean: u8,
    /// Dirty books.
    pub dirty: u8,
    /// Wild books.
    pub wild: u8,
    /// Clean books of a special rank.
    #[serde(default)]
    pub sevens: u8,
    /// Books of any kind.
    #[serde(default)]
    pub total: u8,
}

/// What every team-mate must have done before a seat may go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartnerCondition {
    /// Nothing.
    None,
    /// Taken up the last packet.
    InFoot,
    /// And since melded or discarded a card.
    PartOfTurn,
    /// And since begun a turn and ended it.
    FullTurn,
}

/// Whether team-mates are asked before a seat goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// No question.
    None,
    /// One question a turn: yes binds to go out, no binds for the turn.
    Ask,
}

/// Whether going out ends with a discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LastDiscard {
    /// It may.
    Optional,
    /// It must.
    Required,
    /// It must not.
    Forbidden,
}

/// What happens when the stock runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StockOut {
    /// When it counts as run out.
    pub trigger: StockTrigger,
    /// With fewer cards than a draw takes.
    pub short: StockShort,
    /// What follows.
    pub then: StockThen,
    /// Most decks added in a round, for [`StockThen::AddDeck`].
    pub max_added: Option<u8>,
}

/// When the stock counts as run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StockTrigger {
    /// When a seat wants to draw and cannot.
    CannotDraw,
    /// At the end of the turn in which its last card left it.
    Empty,
}

/// What a seat does that finds fewer cards than a draw takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StockShort {
    /// It cannot draw.
    End,
    /// It draws what is left.
    DrawRest,
}

/// What follows when the stock has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StockThen {
    /// The round ends.
    EndRound,
    /// The discard pile without its top becomes the stock.
    ReshuffleDiscards,
    /// Another deck becomes the stock.
    AddDeck,
    /// Play goes on until every seat in turn has passed.
    PlayOn,
}

/// Points for a book by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookBonus {
    /// A clean one.
    pub clean: i32,
    /// A dirty one.
    pub dirty: i32,
    /// A wild one.
    pub wild: i32,
}

/// How an unfinished second meld of a rank counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnfinishedSecond {
    /// For the team, as any meld.
    Plus,
    /// Against it.
    Minus,
}

/// When the game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// After so many rounds, 1 to 10.
    pub rounds: Option<u8>,
    /// After the round in which a team has so many points.
    pub target: Option<i32>,
    /// What a tie does.
    pub tie: Tie,
}

/// What a tie at the end does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// All play another round with the numbers of the last.
    ExtraRound,
    /// They share the win.
    Shared,
}

/// The cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PackText", into = "PackText")]
pub enum PackChoice {
    /// Decks of 52 and jokers.
    Standard,
    /// These kinds.
    Kinds(Vec<NamedKind>),
}

/// How a [`PackChoice`] is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum PackText {
    Standard(StandardText),
    Kinds(Vec<NamedKind>),
}

/// The word `"standard"`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StandardText {
    Standard,
}

impl From<PackText> for PackChoice {
    fn from(text: PackText) -> PackChoice {
        match text {
            PackText::Standard(StandardText::Standard) => PackChoice::Standard,
            PackText::Kinds(kinds) => PackChoice::Kinds(kinds),
        }
    }
}

impl From<PackChoice> for PackText {
    fn from(choice: PackChoice) -> PackText {
        match choice {
            PackChoice::Standard => PackText::Standard(StandardText::Standard),
            PackChoice::Kinds(kinds) => PackText::Kinds(kinds),
        }
    }
}
