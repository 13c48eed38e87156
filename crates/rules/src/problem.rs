//! Why a rule set cannot be played: one type, one stable reason a problem.
//!
//! **Invariant:** names and numbers only; nothing here decides.

use std::fmt;

/// Which field of a rule set is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The dotted path of the field, with `[]` where a list, or a list by round, is indexed.
    pub field: &'static str,
    /// Place in the list, from 0; none: there is no list, or it is meant as a whole.
    pub index: Option<usize>,
}

impl Place {
    /// A field that is no list, or a list as a whole.
    pub(crate) const fn of(field: &'static str) -> Place {
        Place { field, index: None }
    }

    /// An entry of a list; without an index, the value that serves for all rounds.
    pub(crate) const fn entry(field: &'static str, index: Option<usize>) -> Place {
        Place { field, index }
    }
}

impl fmt::Display for Place {
    /// Writes the path as a rule file has it: `take.wild_top`, `need[2].clean`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.field.split_once("[]"), self.index) {
            (Some((list, rest)), Some(index)) => write!(f, "{list}[{index}]{rest}"),
            (Some((list, rest)), None) => write!(f, "{list}{rest}"),
            (None, _) => f.write_str(self.field),
        }
    }
}

/// A value as a message names it: a word of the rule file, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A choice.
    Word(&'static str),
    /// A number.
    Number(i64),
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Named::Word(word) => f.write_str(word),
            Named::Number(number) => write!(f, "{number}"),
        }
    }
}

/// One thing that is wrong with a rule set, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct RulesProblem {
    /// The field.
    pub at: Place,
    /// What is wrong with it.
    pub problem: Problem,
}

impl RulesProblem {
    /// The stable name of the problem, for programs.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.problem.reason()
    }
}

/// What is wrong with a rule set. The numbers are those of D.2 in the rules specification.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the values that each message names")]
pub enum Problem {
    /// A number outside its limits.
    #[error("{actual}, must be {least} to {most}")]
    OutOfRange { actual: i64, least: i64, most: i64 },
    /// A card value outside its limits.
    #[error("the value of {name:?} is {actual}, must be {least} to {most}")]
    CardValueOutOfRange { name: String, actual: i64, least: i64, most: i64 },
    /// A list that is too long.
    #[error("{actual} entries, at most {most}")]
    ListTooLong { actual: usize, most: usize },
    /// A list by round without a round.
    #[error("an empty list, must have an entry for the first round at least")]
    ListEmpty,
    /// D.2 #1.
    #[error("{players} players cannot be divided into teams of {team_size}")]
    TeamSizeDoesNotDivide { players: u8, team_size: u8 },
    /// D.2 #1.
    #[error("{teams} team of {team_size}, must be at least 2 teams")]
    TooFewTeams { teams: u8, team_size: u8 },
    /// D.2 #2.
    #[error("the deal and one draw a player take {needed} cards, the pack has {cards}")]
    DealTooLarge { needed: i64, cards: i64 },
    /// D.2 #3.
    #[error("{book_size} cards, must be more than the {meld_min} of meld_min")]
    BookTooSmall { book_size: u8, meld_min: u8 },
    /// D.2 #3.
    #[error("{meld_min} cards, must be at least 2")]
    MeldMinTooSmall { meld_min: u8 },
    /// D.2 #4: not so many clean books can be made of the cards.
    #[error("{needed} clean books, the pack and per_rank.total allow {most}")]
    NeedTooManyClean { needed: i64, most: i64 },
    /// D.2 #4: more books of ranks than `per_rank.total` allows.
    #[error("{needed} clean and dirty books, the ranks and per_rank.total allow {most}")]
    NeedTooManyForRanks { needed: i64, most: i64 },
    /// D.2 #4: one team's books need more cards than can be melded.
    #[error("the books take {needed} cards, the pack has {cards} that can be melded")]
    NeedTooManyCards { needed: i64, cards: i64 },
    /// D.2 #5.
    #[error("{needed} wild books, but wild_meld is barred")]
    NeedWildBarred { needed: u8 },
    /// D.2 #5.
    #[error("{needed} wild books, the pack and per_rank.total allow {most}")]
    NeedTooManyWild { needed: u8, most: i64 },
    /// D.2 #6.
    #[error("{needed} dirty books, but wild_limit allows no wild card in {book_size} cards")]
    NeedDirtyBarred { needed: u8, book_size: u8 },
    /// D.2 #6.
    #[error("{needed} dirty books, but the pack has no wild cards")]
    NeedDirtyWithoutWilds { needed: u8 },
    /// D.2 #7.
    #[error("{numerator}/{denominator} naturals for each wild card, must not be negative")]
    WildLimitNegative { numerator: i16, denominator: i16 },
    /// D.2 #7: below the line stands no positive number.
    #[error("{numerator}/{denominator} is no fraction, the denominator must be at least 1")]
    WildLimitNoFraction { numerator: i16, denominator: i16 },
    /// D.2 #7.
    #[error("{min_natural} naturals, must be at least 1")]
    WildLimitWithoutNaturals { min_natural: u8 },
    /// D.2 #8.
    #[error("matching_pair makes a wild meld, but wild_meld is barred")]
    WildTopWithoutWildMeld,
    /// D.2 #9.
    #[error("{needed} books of a special rank, but the list special is empty")]
    NeedSevensWithoutSpecial { needed: u8 },
    /// D.2 #9.
    #[error("{needed} books of a special rank, the pack and per_rank.total allow {most}")]
    NeedTooManySevens { needed: u8, most: i64 },
    /// D.2 #10.
    #[error("no step, must be at least 1")]
    OpeningStepsEmpty,
    /// D.2 #10.
    #[error("{points} points, must be at least 0")]
    OpeningStepNegative { points: i32 },
    /// D.2 #10.
    #[error("book_from_hand with {cards} cards of hand and draw, must be at least {book_size}")]
    OpeningBookTooLarge { cards: i64, book_size: u8 },
    /// D.2 #11.
    #[error("no threshold, must be at least 1")]
    ThresholdsEmpty,
    /// D.2 #11.
    #[error("{actual} after {previous}, must be higher")]
    ThresholdsNotRising { previous: i32, actual: i32 },
    /// D.2 #11: the thresholds do not go with the steps one by one.
    #[error("{thresholds} thresholds for {steps} steps, must be as many")]
    ThresholdsDoNotMatchSteps { thresholds: usize, steps: usize },
    /// D.2 #12.
    #[error("{actual} in mode penalty, must be {required}")]
    RedThreeValueInPenalty { actual: Named, required: &'static str },
    /// Laid red threes need points in the modes that lay them. D.1 #10.
    #[error("none in mode {mode}, must be a number of points")]
    RedThreeLaidMissing { mode: &'static str },
    /// D.2 #12.
    #[error("{name:?} is a three, must be a rank that melds")]
    SpecialThree { name: String },
    /// A special rank that the pack does not have as a natural.
    #[error("{name:?} is no natural rank of the pack")]
    SpecialUnknown { name: String },
    /// A special rank that is listed twice.
    #[error("{name:?} is listed twice")]
    SpecialRepeated { name: String },
    /// D.2 #13.
    #[error("{bonus} points with model off, must be 0")]
    ExactPickBonusWithoutModel { bonus: i32 },
    /// D.2 #13.
    #[error("chance {chance}, must be above 0 and at most 1")]
    ExactPickChance { chance: f64 },
    /// D.2 #14.
    #[error("no packet, must be at least 1")]
    PacketsEmpty,
    /// D.2 #14.
    #[error("a packet of {cards} cards, must be at least 1")]
    PacketTooSmall { cards: u8 },
    /// D.2 #14.
    #[error("first_book with {packets} packets, must be at most 2")]
    FirstBookWithPackets { packets: usize },
    /// D.2 #15.
    #[error("neither rounds nor target, must have one of them")]
    LengthMissing,
    /// D.2 #15.
    #[error("{target} points, must be at least 1")]
    TargetTooSmall { target: i32 },
    /// D.2 #16.
    #[error("no natural kind, must be at least 1")]
    PackWithoutNaturals,
    /// D.2 #16.
    #[error("the name {name:?} is given twice")]
    PackNameRepeated { name: String },
    /// A name that no notation of cards could read back.
    #[error("the name {name:?} must be 1 to 12 letters and digits and not end in x and digits")]
    PackNameUnreadable { name: String },
    /// A kind without cards.
    #[error("no cards of {name:?}, must be at least 1")]
    PackKindEmpty { name: String },
    /// More cards than a pack may have.
    #[error("{cards} cards, at most {most}")]
    PackTooLarge { cards: i64, most: usize },
    /// More wild kinds than a meld can count.
    #[error("{kinds} wild kinds, at most {most}")]
    PackTooManyWilds { kinds: usize, most: usize },
    /// More kinds of red threes than a team can count.
    #[error("{kinds} kinds of red threes, at most {most}")]
    PackTooManyRedThrees { kinds: usize, most: usize },
    /// D.2 #16: a parameter of red threes and no such kind.
    #[error("given, but the pack has no red threes")]
    RedThreeNotInPack,
    /// D.2 #16: a parameter of black threes and no such kind.
    #[error("given, but the pack has no black threes")]
    BlackThreeNotInPack,
    /// D.2 #16: a value for a kind that the pack does not have.
    #[error("a value for {name:?}, which the pack does not have")]
    CardValueUnknown { name: String },
    /// A kind of the pack without a value.
    #[error("no value for {name:?}, must have one for every kind of the pack, red threes apart")]
    CardValueMissing { name: String },
    /// D.2 #17.
    #[error("none, must be a number of decks where then is add_deck")]
    MaxAddedMissing,
    /// D.2 #17.
    #[error("{max_added} decks, must be none unless then is add_deck")]
    MaxAddedUnused { max_added: u8 },
}

/// Gives each variant its stable name, and lists the names in variant order.
macro_rules! reasons {
    ($type:ident: $($variant:ident => $reason:literal,)+) => {
        impl $type {
            /// Every reason, in variant order.
            pub const REASONS: &'static [&'static str] = &[$($reason),+];

            /// The stable name, for programs: capital letters, digits and underscores.
            #[must_use]
            pub const fn reason(&self) -> &'static str {
                match self {
                    $($type::$variant { .. } => $reason,)+
                }
            }
        }
    };
}
pub(crate) use reasons;

reasons! { Problem:
    OutOfRange => "OUT_OF_RANGE",
    CardValueOutOfRange => "CARD_VALUE_OUT_OF_RANGE",
    ListTooLong => "LIST_TOO_LONG",
    ListEmpty => "LIST_EMPTY",
    TeamSizeDoesNotDivide => "TEAM_SIZE_DOES_NOT_DIVIDE",
    TooFewTeams => "TOO_FEW_TEAMS",
    DealTooLarge => "DEAL_TOO_LARGE",
    BookTooSmall => "BOOK_TOO_SMALL",
    MeldMinTooSmall => "MELD_MIN_TOO_SMALL",
    NeedTooManyClean => "NEED_TOO_MANY_CLEAN",
    NeedTooManyForRanks => "NEED_TOO_MANY_FOR_RANKS",
    NeedTooManyCards => "NEED_TOO_MANY_CARDS",
    NeedWildBarred => "NEED_WILD_BARRED",
    NeedTooManyWild => "NEED_TOO_MANY_WILD",
    NeedDirtyBarred => "NEED_DIRTY_BARRED",
    NeedDirtyWithoutWilds => "NEED_DIRTY_WITHOUT_WILDS",
    WildLimitNegative => "WILD_LIMIT_NEGATIVE",
    WildLimitNoFraction => "WILD_LIMIT_NO_FRACTION",
    WildLimitWithoutNaturals => "WILD_LIMIT_WITHOUT_NATURALS",
    WildTopWithoutWildMeld => "WILD_TOP_WITHOUT_WILD_MELD",
    NeedSevensWithoutSpecial => "NEED_SEVENS_WITHOUT_SPECIAL",
    NeedTooManySevens => "NEED_TOO_MANY_SEVENS",
    OpeningStepsEmpty => "OPENING_STEPS_EMPTY",
    OpeningStepNegative => "OPENING_STEP_NEGATIVE",
    OpeningBookTooLarge => "OPENING_BOOK_TOO_LARGE",
    ThresholdsEmpty => "THRESHOLDS_EMPTY",
    ThresholdsNotRising => "THRESHOLDS_NOT_RISING",
    ThresholdsDoNotMatchSteps => "THRESHOLDS_DO_NOT_MATCH_STEPS",
    RedThreeValueInPenalty => "RED_THREE_VALUE_IN_PENALTY",
    RedThreeLaidMissing => "RED_THREE_LAID_MISSING",
    SpecialThree => "SPECIAL_THREE",
    SpecialUnknown => "SPECIAL_UNKNOWN",
    SpecialRepeated => "SPECIAL_REPEATED",
    ExactPickBonusWithoutModel => "EXACT_PICK_BONUS_WITHOUT_MODEL",
    ExactPickChance => "EXACT_PICK_CHANCE",
    PacketsEmpty => "PACKETS_EMPTY",
    PacketTooSmall => "PACKET_TOO_SMALL",
    FirstBookWithPackets => "FIRST_BOOK_WITH_PACKETS",
    LengthMissing => "LENGTH_MISSING",
    TargetTooSmall => "TARGET_TOO_SMALL",
    PackWithoutNaturals => "PACK_WITHOUT_NATURALS",
    PackNameRepeated => "PACK_NAME_REPEATED",
    PackNameUnreadable => "PACK_NAME_UNREADABLE",
    PackKindEmpty => "PACK_KIND_EMPTY",
    PackTooLarge => "PACK_TOO_LARGE",
    PackTooManyWilds => "PACK_TOO_MANY_WILDS",
    PackTooManyRedThrees => "PACK_TOO_MANY_RED_THREES",
    RedThreeNotInPack => "RED_THREE_NOT_IN_PACK",
    BlackThreeNotInPack => "BLACK_THREE_NOT_IN_PACK",
    CardValueUnknown => "CARD_VALUE_UNKNOWN",
    CardValueMissing => "CARD_VALUE_MISSING",
    MaxAddedMissing => "MAX_ADDED_MISSING",
    MaxAddedUnused => "MAX_ADDED_UNUSED",
}
