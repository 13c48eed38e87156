//! Every parameter of a rule set, as plain data.
//!
//! A [`RulesDraft`] may be nonsense; only [`crate::Rules::new`] decides that. The numbers in the
//! documentation (`D.1 #7`) are those of the rules specification that `RULES.md` cites.

use handfoot_cards::NamedKind;
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
