//! Every parameter of a rule set, as plain data.
//!
//! A [`RulesDraft`] may be nonsense; only [`crate::Rules::new`] decides that. The numbers in the
//! documentation (`D.1 #7`) are those of the rules specification that `RULES.md` cites.
//!
//! **Invariant:** plain data; nothing here knows which values go together.

mod end;
mod play;

pub use end::*;
pub use play::*;

use serde::{Deserialize, Serialize};

/// One rule set, unchecked. Fields stand in the order of D.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesDraft {
    /// Seats at the table, 2 to 12. D.1 #1.
    pub players: u8,
    /// Seats in a team, 1 to 6; team number = seat index modulo the number of teams. D.1 #2.
    pub team_size: u8,
    /// How many decks make the pack. D.1 #3.
    pub decks: Decks,
    /// Jokers in each deck, 0 to 8. D.1 #4.
    pub jokers_per_deck: u8,
    /// Sizes of each seat's packets, the hand first. D.1 #5.
    pub packets: PerRound<Vec<u8>>,
    /// The first card of the discard pile. D.1 #6.
    pub upcard: Upcard,
    /// The prize for lifting exactly the right number of cards. D.1 #7.
    pub exact_pick: ExactPick,
    /// Card points by kind. D.1 #8.
    pub card_value: CardValues,
    /// Red threes. D.1 #9 to #12.
    pub red_three: RedThree,
    /// Black threes. D.1 #13.
    pub black_three: BlackThree,
    /// Fewest cards in a meld. D.1 #14.
    pub meld_min: u8,
    /// Cards that make a meld a book. D.1 #14.
    pub book_size: u8,
    /// What may be added to a book. D.1 #15.
    pub extend: Extend,
    /// How many wild cards a meld may hold. D.1 #16.
    pub wild_limit: WildLimit,
    /// Whether wild cards alone may be melded. D.1 #17.
    pub wild_meld: WildMeld,
    /// How many melds of one rank a team may have. D.1 #18.
    pub per_rank: PerRank,
    /// Ranks with rules of their own. D.1 #19.
    pub special: Vec<SpecialRank>,
    /// A team's first lay-down. D.1 #20 to #22.
    pub opening: Opening,
    /// Cards drawn at the start of a turn, 1 to 5. D.1 #23.
    pub draw: PerRound<u8>,
    /// Taking the discard pile. D.1 #24.
    pub take: Take,
    /// What a discarded wild card does to the discard pile. D.1 #25.
    pub wild_discard: WildDiscard,
    /// When the foot is taken up. D.1 #26.
    pub foot: Foot,
    /// The books a team needs to go out. D.1 #27.
    pub need: PerRound<Need>,
    /// What team-mates must have done before a seat may go out. D.1 #28.
    pub partner: PartnerCondition,
    /// Whether team-mates are asked. D.1 #29.
    pub permission: Permission,
    /// Whether going out ends with a discard. D.1 #30.
    pub last_discard: LastDiscard,
    /// What happens when the stock runs out. D.1 #31.
    pub stock_out: StockOut,
    /// Points for going out, 0 to 1000. D.1 #32.
    pub out_bonus: i32,
    /// Points for a book by its kind. D.1 #33.
    pub book_bonus: BookBonus,
    /// How an unfinished second meld of a rank counts. D.1 #34.
    pub unfinished_second: UnfinishedSecond,
    /// When the game ends. D.1 #35.
    pub length: Length,
    /// The cards. D.1 #36.
    pub pack: PackChoice,
}

/// One value for all rounds, or one a round; the last repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PerRound<T> {
    /// The same in every round.
    Same(T),
    /// The first round's value first.
    Each(Vec<T>),
}

/// How many decks make the pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decks {
    /// One a player and so many more.
    PerPlayer(u8),
    /// So many, whoever plays.
    Fixed(u8),
}

/// The first card of the discard pile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upcard {
    /// Whether one is turned.
    pub deal: UpcardDeal,
    /// Sorts of card that go back into the stock when turned; another is then turned.
    pub bury: Vec<Buried>,
}

/// Whether the discard pile starts with a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpcardDeal {
    /// The top card of the stock is turned.
    Turned,
    /// It starts empty.
    None,
}

/// A sort of card that is not left as the upcard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buried {
    /// Twos and jokers.
    Wild,
    /// Red threes.
    RedThree,
    /// Black threes.
    BlackThree,
}

/// The prize for lifting exactly the right number of cards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactPick {
    /// Points for it.
    pub bonus: i32,
    /// Who is said to have lifted exactly.
    pub model: ExactPickModel,
}

/// How it is settled who lifted exactly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExactPickModel {
    /// Nobody.
    Off,
    /// Each seat with this probability, above 0 and at most 1.
    Chance(f64),
    /// The platform says each seat's number.
    Entered,
}

/// Card points by kind. Held cards count the same, against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardValues(pub std::collections::BTreeMap<String, i32>);

/// Red threes, or the kind that plays their part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedThree {
    /// What they are.
    pub mode: RedThreeMode,
    /// Points for each one laid (bonus) or added (blocker).
    pub laid: Option<i32>,
    /// Points for each one still held when the round ends, unopened packets included.
    pub held: i32,
    /// Points in place of the single ones if one team has them all.
    pub all: Option<i32>,
    /// The kind of book without which those laid count minus.
    pub needs: Option<BookNeeded>,
    /// What happens when one cannot be replaced.
    pub no_stock: NoStock,
    /// Whether one that came with the discard pile is replaced.
    pub from_discards: FromDiscards,
}

/// What a red three is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedThreeMode {
    /// Laid at once and replaced, never discarded.
    Bonus,
    /// Held and discarded, never melded.
    Penalty,
    /// Discarded, or added to a clean book.
    Blocker,
}

/// A kind of book that something depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BookNeeded {
    /// Any book.
    Any,
    /// A clean one.
    Clean,
    /// A dirty one.
    Dirty,
    /// A wild one.
    Wild,
    /// A clean one of sevens.
    Sevens,
}

impl BookNeeded {
    /// The word for it in a rule file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BookNeeded::Any => "any",
            BookNeeded::Clean => "clean",
            BookNeeded::Dirty => "dirty",
            BookNeeded::Wild => "wild",
            BookNeeded::Sevens => "sevens",
        }
    }
}

/// What happens when the stock has no card to replace a red three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoStock {
    /// The round ends if it was drawn in the draw step; otherwise it stays unreplaced.
    EndInDrawStep,
    /// The round ends.
    EndAlways,
    /// It stays unreplaced.
    Skip,
}

/// Whether a red three that came with the discard pile is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromDiscards {
    /// It is.
    Replaced,
    /// It is not.
    NotReplaced,
}

/// Black threes, or the kind that plays their part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlackThree {
    /// Whether they may be melded.
    pub meld: BlackThreeMeld,
    /// Points for each one melded; none: its card value.
    pub melded_value: Option<i32>,
    /// Points for a book of them; none: that of a clean book.
    pub book_bonus: Option<i32>,
}

/// Whether black threes may be melded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlackThreeMeld {
    /// Never.
    Never,
    /// As a set without wild cards.
    Set,
    /// As a set without wild cards, in the act that goes out.
    SetWhenGoingOut,
}
