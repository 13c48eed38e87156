//! Parameters of melds, openings and the discard pile: D.1 #15 to #25.
//!
//! **Invariant:** plain data; nothing here knows which values go together.

use serde::{Deserialize, Serialize};

use crate::PerRound;

/// What may be added to a complete book, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extend {
    /// To a clean book.
    pub clean: ExtendBook,
    /// To a dirty book.
    pub dirty: ExtendBook,
    /// To a wild book.
    pub wild: ExtendWild,
}

/// What may be added to a clean or dirty book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtendBook {
    /// Nothing: it is closed.
    None,
    /// Naturals of its rank.
    Natural,
    /// Naturals and wild cards.
    Any,
}

/// What may be added to a wild book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtendWild {
    /// Nothing: it is closed.
    None,
    /// Wild cards.
    Wild,
}

/// A mixed meld needs naturals ≥ a × wilds + b, wilds ≤ max and naturals ≥ `min_natural`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WildLimit {
    /// Naturals that each wild card needs.
    pub a: Ratio,
    /// Naturals needed besides.
    pub b: i8,
    /// Most wild cards; none: no such limit.
    pub max: Option<u8>,
    /// Fewest naturals.
    pub min_natural: u8,
}

/// An exact fraction, written `2` or `"3/2"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RatioText", into = "RatioText")]
pub struct Ratio {
    /// Above the line.
    pub numerator: i16,
    /// Below the line, at least 1.
    pub denominator: i16,
}

/// How a [`Ratio`] is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum RatioText {
    Whole(i16),
    Fraction(String),
}

impl TryFrom<RatioText> for Ratio {
    type Error = String;

    fn try_from(text: RatioText) -> Result<Ratio, String> {
        let text = match text {
            RatioText::Whole(numerator) => return Ok(Ratio { numerator, denominator: 1 }),
            RatioText::Fraction(text) => text,
        };
        let parts = text.split_once('/').and_then(|(above, below)| {
            Some((above.trim().parse().ok()?, below.trim().parse().ok().filter(|n| *n > 0)?))
        });
        match parts {
            Some((numerator, denominator)) => Ok(Ratio { numerator, denominator }),
            None => {
                Err(format!("expected a whole number or a fraction like \"3/2\", found {text:?}"))
            }
        }
    }
}

impl From<Ratio> for RatioText {
    fn from(ratio: Ratio) -> RatioText {
        match ratio.denominator {
            1 => RatioText::Whole(ratio.numerator),
            below => RatioText::Fraction(format!("{}/{below}", ratio.numerator)),
        }
    }
}

/// Whether wild cards alone may be melded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WildMeld {
    /// They may, in any mixture.
    Allowed,
    /// They may not.
    Barred,
}

/// How many melds of one rank a team may have; "wild" counts as a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerRank {
    /// Unfinished at once.
    pub open: u8,
    /// Ever in a round; none: no limit.
    pub total: Option<u8>,
}

/// A rank with rules of its own: sevens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialRank {
    /// The rank's name in the pack.
    pub rank: String,
    /// Points for a clean book of it, in place of the clean bonus.
    pub book_bonus: i32,
    /// Until when it may not be discarded.
    pub discard_lock: DiscardLock,
    /// Whether it may be the last discard.
    pub last_discard: SpecialLastDiscard,
}

/// Until when a special rank may not be discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscardLock {
    /// It always may.
    None,
    /// Until the own team has a clean book of it.
    UntilOwnTeam,
    /// Until each team has one.
    UntilEachTeam,
}

/// Whether a special rank may be the last discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpecialLastDiscard {
    /// It may.
    Allowed,
    /// It may not.
    Banned,
}

/// A team's first lay-down of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// What picks the step.
    pub by: OpeningBy,
    /// What must be laid: one step a round (the last repeats), or one a threshold.
    pub steps: Vec<OpeningStep>,
    /// Whether wild cards count.
    pub wilds: OpeningWilds,
    /// Whether the discard pile may be taken for it.
    pub via_discards: OpeningViaDiscards,
}

/// What picks the opening step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningBy {
    /// The round.
    Round,
    /// The team's score when the round begins: these thresholds, rising, one a step.
    TeamScore(Vec<i32>),
}

/// What an opening must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OpeningStep {
    /// So many card points.
    Points(i32),
    /// A complete book.
    Book(OpeningBook),
}

/// A book that an opening must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningBook {
    /// Any complete book, from own cards, the stock drawn this turn.
    BookFromHand,
    /// A clean book.
    CleanBook,
}

/// Whether wild cards count in an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningWilds {
    /// They count.
    Count,
    /// Only naturals count.
    Ignored,
}

/// Whether the discard pile may be taken for an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningViaDiscards {
    /// It may.
    Allowed,
    /// The team must have opened.
    Barred,
}

/// Taking the discard pile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Take {
    /// How many cards are taken, the upcard included; fewer if there are fewer.
    pub count: PerRound<TakeCount>,
    /// Fewest cards the discard pile must hold.
    pub min_size: u8,
    /// What must go with the upcard.
    pub matching: TakeMatch,
    /// Whether a wild upcard can be taken.
    pub wild_top: WildTop,
    /// Whether the first player may take the first upcard without a match.
    pub first_upcard: FirstUpcard,
}

/// How many cards are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "TakeCountText", into = "TakeCountText")]
pub enum TakeCount {
    /// At most so many.
    Top(u8),
    /// The whole discard pile.
    All,
}

/// How a [`TakeCount`] is written.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum TakeCountText {
    Top(u8),
    All(AllText),
}

/// The word `"all"`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AllText {
    All,
}

impl From<TakeCountText> for TakeCount {
    fn from(text: TakeCountText) -> TakeCount {
        match text {
            TakeCountText::Top(count) => TakeCount::Top(count),
            TakeCountText::All(AllText::All) => TakeCount::All,
        }
    }
}

impl From<TakeCount> for TakeCountText {
    fn from(count: TakeCount) -> TakeCountText {
        match count {
            TakeCount::Top(count) => TakeCountText::Top(count),
            TakeCount::All => TakeCountText::All(AllText::All),
        }
    }
}

/// What must go with the upcard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TakeMatch {
    /// Two naturals of its rank.
    NaturalPair,
    /// Those, or an own meld that it joins.
    PairOrAddToMeld,
    /// Those, or one natural and one wild card.
    NaturalPlusWild,
    /// One natural.
    OneNatural,
}

/// Whether a wild upcard can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WildTop {
    /// Never.
    Barred,
    /// With two of its own kind.
    MatchingPair,
}

/// Whether the first player may take the first upcard without a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstUpcard {
    /// As any other.
    Matched,
    /// Freely.
    Free,
}

/// What a discarded wild card does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WildDiscard {
    /// Nothing more than any card.
    Plain,
    /// The discard pile is frozen until taken.
    Freeze,
    /// The discard pile leaves play.
    RemoveDiscards,
}
