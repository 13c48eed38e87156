//! Why an action is refused.
//!
//! The variants stand in the promised order: when several hold, the first is given. Everything a
//! refusal says comes from the acting seat's own view and its own request.

use handfoot_cards::{Card, Pack};

use crate::{MeldId, Seat};

/// A value behind a refusal, written for people and for machines.
trait Value {
    fn text(&self, pack: &Pack) -> String;
}

macro_rules! plain_values {
    ($($kind:ty),+) => { $(
        impl Value for $kind {
            fn text(&self, _: &Pack) -> String {
                self.to_string()
            }
        }
    )+ };
}

plain_values!(u8, u16, i32, usize, Seat);

impl Value for Card {
    fn text(&self, pack: &Pack) -> String {
        pack.card_name(*self).to_string()
    }
}

impl Value for MeldId {
    fn text(&self, _: &Pack) -> String {
        self.number().to_string()
    }
}

macro_rules! rejections {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident $({ $($(#[doc = $field_doc:literal])+ $field:ident: $kind:ty),+ $(,)? })?
            => $reason:literal, $rule:literal, $text:literal;
    )+) => {
        /// Why an action is refused, in order of precedence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rejection {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nRule: ", $rule, ". Reason: `", $reason, "`.")]
                $variant $({ $($(#[doc = $field_doc])+ $field: $kind),+ })?,
            )+
        }

        impl Rejection {
            /// Every reason in order of precedence, with its rule clause and its sentence.
            pub const ALL: &[(&str, &str, &str)] = &[$(($reason, $rule, $text)),+];

            /// The stable name of the reason.
            #[must_use]
            pub const fn reason(&self) -> &'static str {
                match self { $(rejections!(@any $variant $({ $($field),+ })?) => $reason),+ }
            }

            /// The clause of `RULES.md` that decides.
            #[must_use]
            pub const fn rule(&self) -> &'static str {
                match self { $(rejections!(@any $variant $({ $($field),+ })?) => $rule),+ }
            }

            /// One sentence without the values.
            #[must_use]
            pub const fn text(&self) -> &'static str {
                match self { $(rejections!(@any $variant $({ $($field),+ })?) => $text),+ }
            }

            /// The values behind it, by name.
            #[must_use]
            pub fn values(&self, pack: &Pack) -> Vec<(&'static str, String)> {
                match self {
                    $(Rejection::$variant $({ $($field),+ })? => {
                        let _ = pack;
                        vec![$($((stringify!($field), $field.text(pack))),+)?]
                    })+
                }
            }
        }
    };
    (@any $variant:ident) => { Rejection::$variant };
    (@any $variant:ident { $($field:ident),+ }) => { Rejection::$variant { .. } };
}

rejections! {
    /// The last round is scored.
    GameOver => "GAME_OVER", "HF-10.5", "the game is over";
    /// The round is scored and the next not dealt.
    RoundOver => "ROUND_OVER", "HF-9.1", "the round is over";
    /// Somebody else is to act.
    NotYourTurn {
        /// Who is.
        turn: Seat,
    } => "NOT_YOUR_TURN", "HF-2.1", "another seat is to act";
    /// A team-mate waits for an answer.
    MustAnswer {
        /// Who asked.
        asker: Seat,
    } => "MUST_ANSWER", "HF-8.4", "a team-mate's question must be answered first";
    /// Another seat waits to hear whether it may undo.
    MustAnswerUndo {
        /// Who asked.
        asker: Seat,
    } => "MUST_ANSWER_UNDO", "HF-13.1",
        "another seat's question whether it may undo must be answered first";
    /// Nobody asked this seat anything.
    NothingAsked => "NOTHING_ASKED", "HF-8.4", "no question waits for an answer";
    /// The draw step comes first.
    MustDrawFirst => "MUST_DRAW_FIRST", "HF-2.2", "draw or take the discard pile first";
    /// The draw step is done.
    AlreadyDrew => "ALREADY_DREW", "HF-2.2", "the draw step of this turn is done";
    /// The table does not undo.
    UndoOff => "UNDO_OFF", "HF-2.6", "this table does not allow undo";
    /// The seat has undone, or asked to, as often as it may in one turn.
    TooManyUndos {
        /// How often.
        undos: u8,
        /// Times allowed.
        allowed: u8,
    } => "TOO_MANY_UNDOS", "HF-13.2", "no more undos in this turn";
    /// There are not so many lays to take back since something was revealed.
    NothingToUndo {
        /// How many there are.
        undoable: u8,
    } => "NOTHING_TO_UNDO", "HF-2.6",
        "not so many lays can be undone since something was revealed";
    /// Nobody has to be asked.
    QuestionNotNeeded => "QUESTION_NOT_NEEDED", "HF-8.9", "going out needs no question here";
    /// The question of this turn is spent.
    AlreadyAsked => "ALREADY_ASKED", "HF-8.4", "only one question a turn";
    /// Only the last packet can be gone out from.
    NotInFoot => "NOT_IN_FOOT", "HF-8.11", "only a seat that plays from its foot can go out";
    /// A refusal could not be lived with.
    TooFewToAsk {
        /// Cards held.
        held: u16,
        /// Cards needed.
        required: u16,
    } => "TOO_FEW_CARDS_TO_ASK", "HF-8.7", "too few cards are held to ask";
    /// There is no discard pile.
    DiscardsEmpty => "DISCARDS_EMPTY", "HF-5.6", "the discard pile is empty";
    /// The discard pile is too small to be taken.
    DiscardsTooFew {
        /// Its cards.
        size: usize,
        /// Cards needed.
        required: u8,
    } => "DISCARDS_TOO_FEW", "HF-5.6", "the discard pile is too small to be taken";
    /// A three bars the discard pile.
    UpcardIsThree {
        /// It.
        upcard: Card,
    } => "UPCARD_IS_THREE", "HF-5.3", "a three on top bars the discard pile";
    /// A wild card bars the discard pile.
    WildUpcardBarred {
        /// It.
        upcard: Card,
    } => "WILD_UPCARD_BARRED", "HF-5.2", "a wild card on top bars the discard pile";
    /// The team's first lay-down has to do without the discard pile.
    OpeningWithoutDiscards => "OPENING_WITHOUT_DISCARDS", "HF-6.4",
        "the team must open without the discard pile";
    /// No cards are named.
    NothingLaid => "NOTHING_LAID", "HF-4.1", "the action names no cards to lay";
    /// No such meld of the own team.
    UnknownMeld {
        /// The meld named.
        meld: MeldId,
    } => "UNKNOWN_MELD", "HF-4.7", "the own team has no such meld";
    /// The card is not there, or not so often.
    CardNotHeld {
        /// The card.
        card: Card,
    } => "CARD_NOT_HELD", "HF-2.5", "the card is not held, or not so many of it";
    /// Red threes are never discarded.
    RedThreeNotDiscarded {
        /// It.
        card: Card,
    } => "RED_THREE_NOT_DISCARDED", "HF-3.6", "a red three is never discarded";
    /// The card may not be discarded yet.
    DiscardLocked {
        /// It.
        card: Card,
    } => "DISCARD_LOCKED", "HF-2.7",
        "the card may not be discarded before there are clean books of its rank";
    /// Threes are never melded.
    ThreesNotMelded {
        /// The three.
        card: Card,
    } => "THREES_NOT_MELDED", "HF-4.4", "threes are never melded";
    /// A red three goes onto a clean book that has none.
    RedThreeNeedsBook {
        /// It.
        card: Card,
    } => "RED_THREE_NEEDS_BOOK", "HF-3.8",
        "a red three goes onto a complete clean book of the own team, one on each";
    /// Two ranks in one meld.
    MixedRanks {
        /// The card that does not belong.
        card: Card,
    } => "MIXED_RANKS", "HF-4.1", "a meld holds one rank, or wild cards only";
    /// A book takes no more cards.
    BookClosed {
        /// The book.
        meld: MeldId,
    } => "BOOK_CLOSED", "HF-4.5", "a complete book takes no more cards";
    /// Wild cards alone are no meld here.
    WildMeldBarred => "WILD_MELD_BARRED", "HF-4.3", "wild cards alone may not be melded";
    /// Too few cards for a meld.
    MeldTooSmall {
        /// Cards in it.
        cards: u8,
        /// Cards needed.
        required: u8,
    } => "MELD_TOO_SMALL", "HF-4.1", "the meld has too few cards";
    /// Too many cards for a meld.
    MeldTooLarge {
        /// Cards in it.
        cards: u8,
        /// Cards allowed.
        allowed: u8,
    } => "MELD_TOO_LARGE", "HF-4.5", "the meld would have too many cards";
    /// Too many wild cards for its naturals.
    TooManyWilds {
        /// Wild cards in it.
        wilds: u8,
        /// Wild cards allowed.
        allowed: u8,
    } => "TOO_MANY_WILDS", "HF-4.2", "the meld has too many wild cards for its naturals";
    /// Wild cards where a book takes naturals only, or none at all.
    WildsOnBook {
        /// Wild cards in it.
        wilds: u8,
        /// Wild cards allowed.
        allowed: u8,
    } => "WILDS_ON_BOOK", "HF-4.12", "the book does not take these wild cards";
    /// A second unfinished meld of a rank.
    UnfinishedMeldExists {
        /// The meld of that rank that is unfinished.
        meld: MeldId,
    } => "UNFINISHED_MELD_EXISTS", "HF-4.6", "the team has an unfinished meld of that rank";
    /// As many melds of a rank as the rules allow in a round.
    RankFull {
        /// Melds of that rank there would be.
        melds: u8,
        /// Melds allowed.
        allowed: u8,
    } => "RANK_FULL", "HF-4.6", "the team would have too many melds of that rank";
    /// More melds than this implementation keeps.
    TooManyMelds {
        /// Melds allowed.
        allowed: usize,
    } => "TOO_MANY_MELDS", "HF-4.11", "the team has as many melds as a table can hold";
    /// The upcard is not among the cards named.
    UpcardNotLaid {
        /// It.
        upcard: Card,
    } => "UPCARD_NOT_LAID", "HF-5.1", "the upcard must be laid when the discard pile is taken";
    /// No pair of its rank goes with the upcard.
    NoNaturalPair {
        /// Naturals of its rank that go with it.
        used: u8,
        /// Naturals needed.
        required: u8,
    } => "NO_NATURAL_PAIR", "HF-5.1", "two naturals of its rank must go with the upcard";
    /// What must go with the upcard does not.
    UpcardNotMatched {
        /// Cards that go with it and count.
        used: u8,
        /// Cards needed.
        required: u8,
    } => "UPCARD_NOT_MATCHED", "HF-5.7", "the cards that must go with the upcard are not there";
    /// The discard pile is frozen, and no pair of naturals goes with the upcard.
    DiscardsFrozen {
        /// Naturals of its rank that go with it.
        used: u8,
        /// Naturals needed.
        required: u8,
    } => "DISCARDS_FROZEN", "HF-5.8",
        "the discard pile is frozen: two naturals of its rank must go with the upcard";
    /// No pair of its own kind goes with the wild upcard into wild melds.
    WildsDoNotMatch {
        /// Cards of its kind that go with it.
        used: u8,
        /// Cards needed.
        required: u8,
    } => "WILDS_DO_NOT_MATCH", "HF-5.2", "two wild cards of its kind must go with the upcard";
    /// The opening is worth too little.
    OpeningTooLow {
        /// Card points laid.
        laid: i32,
        /// Card points needed.
        minimum: i32,
    } => "OPENING_TOO_LOW", "HF-6.1", "the team's first lay-down is worth too little";
    /// The opening holds no complete book.
    OpeningNeedsBook {
        /// Cards in the largest meld laid.
        largest: u8,
        /// Cards of a book.
        required: u8,
    } => "OPENING_NEEDS_BOOK", "HF-6.6", "the team's first lay-down must hold a complete book";
    /// The opening holds no complete clean book.
    OpeningNeedsCleanBook {
        /// Cards in the largest meld laid without wild cards.
        largest: u8,
        /// Cards of a book.
        required: u8,
    } => "OPENING_NEEDS_CLEAN_BOOK", "HF-6.6",
        "the team's first lay-down must hold a complete clean book";
    /// The way out named leaves cards.
    NotAWayOut {
        /// Cards left.
        left: usize,
    } => "NOT_A_WAY_OUT", "HF-8.5", "the way out named leaves cards";
    /// Books are missing.
    ContractNotMet {
        /// Clean books missing.
        clean: u8,
        /// Dirty books missing.
        dirty: u8,
        /// Wild books missing.
        wild: u8,
        /// Clean books of a special rank missing.
        sevens: u8,
        /// Books of any kind missing.
        total: u8,
    } => "CONTRACT_NOT_MET", "HF-8.2", "the team lacks books to go out";
    /// A team-mate has not come far enough with its foot.
    PartnerNotReady {
        /// Who.
        partner: Seat,
    } => "PARTNER_NOT_READY", "HF-8.3", "a team-mate has not played from the foot";
    /// A team-mate said no.
    GoingOutRefused => "GOING_OUT_REFUSED", "HF-8.4", "a team-mate said no this turn";
    /// Nobody was asked.
    MustAskFirst => "MUST_ASK_FIRST", "HF-8.4", "ask to go out, naming the whole way out";
    /// Going out ends with a discard here.
    LastDiscardRequired {
        /// Cards left.
        left: usize,
        /// Cards needed.
        required: usize,
    } => "LAST_DISCARD_REQUIRED", "HF-8.13", "going out must end with a discard";
    /// Going out ends without a discard here.
    LastDiscardForbidden {
        /// The last card.
        card: Card,
    } => "LAST_DISCARD_FORBIDDEN", "HF-8.13", "going out must not end with a discard";
    /// This card may not be the last discard.
    LastDiscardBanned {
        /// It.
        card: Card,
    } => "LAST_DISCARD_BANNED", "HF-8.14", "a card of this rank may not be the last discard";
    /// Too few cards would be left in the foot.
    KeepCards {
        /// Cards left.
        left: usize,
        /// Cards needed.
        required: usize,
    } => "KEEP_CARDS", "HF-8.1",
        "cards must be kept to go on with: two after a lay, one after the discard";
    /// Black threes are laid by who goes out.
    BlackThreesOnlyGoingOut {
        /// One of them.
        card: Card,
    } => "BLACK_THREES_ONLY_GOING_OUT", "HF-4.13",
        "black threes are melded only in the act that goes out";
}

impl Rejection {
    /// Its place in [`Rejection::ALL`].
    #[must_use]
    pub fn order(&self) -> usize {
        let reason = self.reason();
        Rejection::ALL.iter().take_while(|(other, ..)| *other != reason).count()
    }

    /// The sentence with its values, for people.
    #[must_use]
    pub fn message(&self, pack: &Pack) -> String {
        let values: Vec<String> = self
            .values(pack)
            .into_iter()
            .map(|(name, value)| format!("{} {value}", name.replace('_', " ")))
            .collect();
        match values.is_empty() {
            true => self.text().to_owned(),
            false => format!("{} ({})", self.text(), values.join(", ")),
        }
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Rejection {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_distinct_and_well_formed() {
        for (index, (reason, rule, text)) in Rejection::ALL.iter().enumerate() {
            let rest = &Rejection::ALL[index + 1..];
            assert!(rest.iter().all(|(other, ..)| other != reason), "{reason} stands twice");
            assert!(
                reason.len() <= 63 && reason.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            );
            assert!(rule.starts_with("HF-") && !text.is_empty());
        }
    }

    #[test]
    fn a_message_gives_the_values() {
        let pack = Pack::standard(5, 2).unwrap();
        let rejection = Rejection::OpeningTooLow { laid: 30, minimum: 50 };
        assert_eq!(
            rejection.message(&pack),
            "the team's first lay-down is worth too little (laid 30, minimum 50)"
        );
        assert_eq!(rejection.values(&pack)[1], ("minimum", "50".to_owned()));
    }
}
