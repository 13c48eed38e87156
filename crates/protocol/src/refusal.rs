//! Refusals of the rules, both ways, from one table.
//!
//! **Invariant:** every refusal is in the table once, with its values by name; the compiler holds
//! the table to the refusals of `handfoot-view` and to the reasons of the contract.

use handfoot_cards::{Card, CardWord, Pack};
use handfoot_view::{MeldId, Rejection, Seat};

use crate::codec::Codec;
use crate::decode::{At, DecodeError, DecodeProblem};
use crate::v1;
use v1::RejectionReason;

/// A value of a refusal, read back from its text.
trait FromText: Sized {
    fn from_text(text: &str, pack: &Pack) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),+) => { $(
        impl FromText for $number {
            fn from_text(text: &str, _: &Pack) -> Option<$number> {
                text.parse().ok()
            }
        }
    )+ };
}

numbers!(u8, u16, i32, usize);

impl FromText for Seat {
    fn from_text(text: &str, _: &Pack) -> Option<Seat> {
        Seat::from_number(text.parse().ok()?)
    }
}

impl FromText for MeldId {
    fn from_text(text: &str, _: &Pack) -> Option<MeldId> {
        MeldId::from_number(text.parse().ok()?)
    }
}

impl FromText for Card {
    fn from_text(text: &str, pack: &Pack) -> Option<Card> {
        match pack.read_word(text) {
            Ok((CardWord::Face(card), 1)) => Some(card),
            Ok((CardWord::Face(_) | CardWord::Kind(_), _)) | Err(_) => None,
        }
    }
}

macro_rules! refusals {
    ($($ours:ident = $theirs:ident $({ $($field:ident),+ })?,)+) => {
        /// The reason of a refusal.
        #[must_use]
        pub const fn reason_of(rejection: &Rejection) -> RejectionReason {
            match rejection {
                $(Rejection::$ours $({ $($field: _),+ })? => RejectionReason::$theirs,)+
            }
        }

        /// The names of the values behind a reason, as in ErrorInfo metadata.
        #[must_use]
        pub const fn values_of(reason: RejectionReason) -> &'static [&'static str] {
            match reason {
                RejectionReason::Unspecified => &[],
                $(RejectionReason::$theirs => &[$($(stringify!($field)),+)?],)+
            }
        }

        fn rebuilt(
            reason: RejectionReason,
            values: &Values<'_>,
            at: At<'_>,
        ) -> Result<Rejection, DecodeError> {
            match reason {
                RejectionReason::Unspecified => at.field("reason").unspecified(),
                $(RejectionReason::$theirs => Ok(Rejection::$ours $({
                    $($field: values.read(stringify!($field), at)?),+
                })?),)+
            }
        }
    };
}

refusals! {
    GameOver = GameOver,
    RoundOver = RoundOver,
    NotYourTurn = NotYourTurn { turn },
    MustAnswer = MustAnswer { asker },
    MustAnswerUndo = MustAnswerUndo { asker },
    NothingAsked = NothingAsked,
    MustDrawFirst = MustDrawFirst,
    AlreadyDrew = AlreadyDrew,
    UndoOff = UndoOff,
    TooManyUndos = TooManyUndos { undos, allowed },
    NothingToUndo = NothingToUndo { undoable },
    QuestionNotNeeded = QuestionNotNeeded,
    AlreadyAsked = AlreadyAsked,
    NotInFoot = NotInFoot,
    TooFewToAsk = TooFewCardsToAsk { held, required },
    DiscardsEmpty = DiscardsEmpty,
    DiscardsTooFew = DiscardsTooFew { size, required },
    UpcardIsThree = UpcardIsThree { upcard },
    WildUpcardBarred = WildUpcardBarred { upcard },
    OpeningWithoutDiscards = OpeningWithoutDiscards,
    NothingLaid = NothingLaid,
    UnknownMeld = UnknownMeld { meld },
    CardNotHeld = CardNotHeld { card },
    RedThreeNotDiscarded = RedThreeNotDiscarded { card },
    DiscardLocked = DiscardLocked { card },
    ThreesNotMelded = ThreesNotMelded { card },
    RedThreeNeedsBook = RedThreeNeedsBook { card },
    MixedRanks = MixedRanks { card },
    BookClosed = BookClosed { meld },
    WildMeldBarred = WildMeldBarred,
    MeldTooSmall = MeldTooSmall { cards, required },
    MeldTooLarge = MeldTooLarge { cards, allowed },
    TooManyWilds = TooManyWilds { wilds, allowed },
    WildsOnBook = WildsOnBook { wilds, allowed },
    UnfinishedMeldExists = UnfinishedMeldExists { meld },
    RankFull = RankFull { melds, allowed },
    TooManyMelds = TooManyMelds { allowed },
    UpcardNotLaid = UpcardNotLaid { upcard },
    NoNaturalPair = NoNaturalPair { used, required },
    UpcardNotMatched = UpcardNotMatched { used, required },
    DiscardsFrozen = DiscardsFrozen { used, required },
    WildsDoNotMatch = WildsDoNotMatch { used, required },
    OpeningTooLow = OpeningTooLow { laid, minimum },
    OpeningNeedsBook = OpeningNeedsBook { largest, required },
    OpeningNeedsCleanBook = OpeningNeedsCleanBook { largest, required },
    NotAWayOut = NotAWayOut { left },
    ContractNotMet = ContractNotMet { clean, dirty, wild, sevens, total },
    PartnerNotReady = PartnerNotReady { partner },
    GoingOutRefused = GoingOutRefused,
    MustAskFirst = MustAskFirst,
    LastDiscardRequired = LastDiscardRequired { left, required },
    LastDiscardForbidden = LastDiscardForbidden { card },
    LastDiscardBanned = LastDiscardBanned { card },
    KeepCards = KeepCards { left, required },
    BlackThreesOnlyGoingOut = BlackThreesOnlyGoingOut { card },
}

/// The values that came with a refusal.
struct Values<'a> {
    sent: &'a [v1::RefusalValue],
    pack: &'a Pack,
}

impl Values<'_> {
    fn read<T: FromText>(&self, name: &str, at: At<'_>) -> Result<T, DecodeError> {
        let at = at.field("values");
        let sent = self.sent.iter().position(|value| value.name == name);
        let index = at.set(sent)?;
        let read = T::from_text(&self.sent[index].value, self.pack);
        read.ok_or_else(|| at.entry(index).error(DecodeProblem::Unreadable))
    }
}

/// A value's name on the wire: `required_cards` becomes `requiredCards`.
#[must_use]
pub fn wire_name(name: &str) -> String {
    let mut words = name.split('_');
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        joined.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        joined.push_str(letters.as_str());
    }
    joined
}

impl Codec<'_> {
    /// A refusal as it is sent.
    #[must_use]
    pub fn encode_refusal(&self, rejection: &Rejection) -> v1::Refusal {
        let values = rejection.values(self.rules.pack());
        let value = |(name, value)| v1::RefusalValue { name: wire_name(name), value };
        v1::Refusal {
            reason: reason_of(rejection) as i32,
            values: values.into_iter().map(value).collect(),
        }
    }

    /// A received refusal.
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`].
    pub fn decode_refusal(&self, refusal: &v1::Refusal) -> Result<Rejection, DecodeError> {
        self.read_refusal(refusal, At::Root)
    }

    pub(crate) fn read_refusal(
        self,
        refusal: &v1::Refusal,
        at: At<'_>,
    ) -> Result<Rejection, DecodeError> {
        let reason = at.field("reason").known(refusal.reason)?;
        let values = Values { sent: &refusal.values, pack: self.rules.pack() };
        rebuilt(reason, &values, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_those_of_metadata() {
        assert_eq!(wire_name("required"), "required");
        assert_eq!(wire_name("cards_held_now"), "cardsHeldNow");
    }
}
