//! Reasons, their gRPC codes, and what a caller should do.
//!
//! The code says what the caller has to change: the request (`INVALID_ARGUMENT`), its decision
//! (`FAILED_PRECONDITION`), what it knows (`ABORTED`), or nothing but the time (`UNAVAILABLE`).
//!
//! **Invariant:** a new reason must be given its code and its advice here, or nothing compiles.

use std::time::Duration;

use tonic::Code;

use crate::v1::{RejectionReason, ServiceReason};

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The rules say no.
    Rule(RejectionReason),
    /// The service says no.
    Service(ServiceReason),
}

/// What a caller should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Advice {
    /// Send another request: no state would accept this one.
    FixRequest,
    /// Choose another action; this one is not legal now.
    Decide,
    /// Wait until it is the own turn, or until the table is where it must be.
    Wait,
    /// Read the view again and decide again.
    Reread,
    /// Send the same request again, with the same request id, after a pause.
    Retry,
    /// Get another credential or a wider scope.
    Authorise,
    /// Ask whoever runs the server; sending it again will not help.
    GiveUp,
}

impl Advice {
    /// One sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Advice::FixRequest => "Fix the request; no state of the table would accept it.",
            Advice::Decide => "Choose another action; ListLegalActions lists those that are legal.",
            Advice::Wait => "Wait for the table to change; WatchTable tells when it does.",
            Advice::Reread => "Read the view again and decide again.",
            Advice::Retry => "Send the same request again after a pause, with the same request_id.",
            Advice::Authorise => "Get another credential, or one with a wider scope.",
            Advice::GiveUp => "Do not repeat it; tell whoever runs the server.",
        }
    }
}

/// How long to wait before the same request, for a reason whose advice is [`Advice::Retry`].
#[must_use]
pub const fn retry_after(reason: ServiceReason) -> Option<Duration> {
    match advice_of_service(reason) {
        Advice::Retry => Some(Duration::from_millis(200)),
        Advice::FixRequest
        | Advice::Decide
        | Advice::Wait
        | Advice::Reread
        | Advice::Authorise
        | Advice::GiveUp => None,
    }
}

impl Reason {
    /// Its name, as in `ErrorInfo.reason`.
    #[must_use]
    pub fn name(self) -> &'static str {
        let (name, prefix) = match self {
            Reason::Rule(reason) => (reason.as_str_name(), "REJECTION_REASON_"),
            Reason::Service(reason) => (reason.as_str_name(), "SERVICE_REASON_"),
        };
        name.strip_prefix(prefix).unwrap_or(name)
    }

    /// The reason of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Reason> {
        let rule = RejectionReason::from_str_name(&format!("REJECTION_REASON_{name}"));
        let service = ServiceReason::from_str_name(&format!("SERVICE_REASON_{name}"));
        rule.map(Reason::Rule).or(service.map(Reason::Service))
    }

    /// The gRPC code it is sent with.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Reason::Rule(reason) => code_of_rule(reason),
            Reason::Service(reason) => code_of_service(reason),
        }
    }

    /// What the caller should do.
    #[must_use]
    pub const fn advice(self) -> Advice {
        match self {
            Reason::Rule(reason) => advice_of_rule(reason),
            Reason::Service(reason) => advice_of_service(reason),
        }
    }
}

const fn code_of_rule(reason: RejectionReason) -> Code {
    match advice_of_rule(reason) {
        Advice::FixRequest => Code::InvalidArgument,
        Advice::Decide | Advice::Wait => Code::FailedPrecondition,
        Advice::Reread | Advice::Retry | Advice::Authorise | Advice::GiveUp => Code::Internal,
    }
}

const fn advice_of_rule(reason: RejectionReason) -> Advice {
    match reason {
        RejectionReason::NothingLaid
        | RejectionReason::RedThreeNotDiscarded
        | RejectionReason::ThreesNotMelded
        | RejectionReason::MixedRanks
        | RejectionReason::WildMeldBarred
        | RejectionReason::MeldTooSmall => Advice::FixRequest,
        RejectionReason::GameOver | RejectionReason::RoundOver | RejectionReason::NotYourTurn => {
            Advice::Wait
        }
        RejectionReason::MustAnswer
        | RejectionReason::MustAnswerUndo
        | RejectionReason::NothingAsked
        | RejectionReason::MustDrawFirst
        | RejectionReason::AlreadyDrew
        | RejectionReason::UndoOff
        | RejectionReason::TooManyUndos
        | RejectionReason::NothingToUndo
        | RejectionReason::QuestionNotNeeded
        | RejectionReason::AlreadyAsked
        | RejectionReason::NotInFoot
        | RejectionReason::TooFewCardsToAsk
        | RejectionReason::DiscardsEmpty
        | RejectionReason::DiscardsTooFew
        | RejectionReason::UpcardIsThree
        | RejectionReason::WildUpcardBarred
        | RejectionReason::UnknownMeld
        | RejectionReason::CardNotHeld
        | RejectionReason::BookClosed
        | RejectionReason::MeldTooLarge
        | RejectionReason::TooManyWilds
        | RejectionReason::UnfinishedMeldExists
        | RejectionReason::TooManyMelds
        | RejectionReason::UpcardNotLaid
        | RejectionReason::NoNaturalPair
        | RejectionReason::WildsDoNotMatch
        | RejectionReason::OpeningTooLow
        | RejectionReason::NotAWayOut
        | RejectionReason::ContractNotMet
        | RejectionReason::PartnerNotReady
        | RejectionReason::GoingOutRefused
        | RejectionReason::MustAskFirst
        | RejectionReason::KeepCards
        | RejectionReason::OpeningWithoutDiscards
        | RejectionReason::DiscardLocked
        | RejectionReason::RedThreeNeedsBook
        | RejectionReason::WildsOnBook
        | RejectionReason::RankFull
        | RejectionReason::UpcardNotMatched
        | RejectionReason::DiscardsFrozen
        | RejectionReason::OpeningNeedsBook
        | RejectionReason::OpeningNeedsCleanBook
        | RejectionReason::LastDiscardRequired
        | RejectionReason::LastDiscardForbidden
        | RejectionReason::LastDiscardBanned
        | RejectionReason::BlackThreesOnlyGoingOut => Advice::Decide,
        RejectionReason::Unspecified => Advice::GiveUp,
    }
}

const fn code_of_service(reason: ServiceReason) -> Code {
    match reason {
        ServiceReason::FieldInvalid
        | ServiceReason::RequestIdReused
        | ServiceReason::BatchCrossesReveal
        | ServiceReason::PageTokenInvalid
        | ServiceReason::RulesInvalid
        | ServiceReason::LiftTooLarge => Code::InvalidArgument,
        ServiceReason::PresetNotFound
        | ServiceReason::TableNotFound
        | ServiceReason::SeatNotFound
        | ServiceReason::LeaseNotFound => Code::NotFound,
        ServiceReason::TableNotStarted
        | ServiceReason::TableAlreadyStarted
        | ServiceReason::TableClosed
        | ServiceReason::SeatsOpen
        | ServiceReason::PlayerAlreadySeated
        | ServiceReason::SeatNotPerson
        | ServiceReason::LiftsNotEntered
        | ServiceReason::LiftTooLate
        | ServiceReason::LiftAlreadyEntered => Code::FailedPrecondition,
        ServiceReason::CredentialMissing
        | ServiceReason::CredentialInvalid
        | ServiceReason::CredentialExpired => Code::Unauthenticated,
        ServiceReason::NotSeated | ServiceReason::ScopeMissing => Code::PermissionDenied,
        ServiceReason::StaleVersion | ServiceReason::HistoryDiverged | ServiceReason::LeaseLost => {
            Code::Aborted
        }
        ServiceReason::StoreUnreachable
        | ServiceReason::Draining
        | ServiceReason::CommitUnconfirmed
        | ServiceReason::SchemaNewer => Code::Unavailable,
        ServiceReason::RateLimited | ServiceReason::TableLimit | ServiceReason::StreamLimit => {
            Code::ResourceExhausted
        }
        ServiceReason::HistoryGone => Code::OutOfRange,
        ServiceReason::StateCorrupt => Code::DataLoss,
        ServiceReason::NotImplemented => Code::Unimplemented,
        ServiceReason::Internal | ServiceReason::Unspecified => Code::Internal,
    }
}

const fn advice_of_service(reason: ServiceReason) -> Advice {
    match reason {
        ServiceReason::FieldInvalid
        | ServiceReason::RequestIdReused
        | ServiceReason::BatchCrossesReveal
        | ServiceReason::PageTokenInvalid
        | ServiceReason::RulesInvalid
        | ServiceReason::PresetNotFound
        | ServiceReason::TableNotFound
        | ServiceReason::SeatNotFound
        | ServiceReason::SeatNotPerson
        | ServiceReason::PlayerAlreadySeated
        | ServiceReason::TableAlreadyStarted
        | ServiceReason::TableClosed
        | ServiceReason::LiftsNotEntered
        | ServiceReason::LiftTooLarge => Advice::FixRequest,
        ServiceReason::TableNotStarted
        | ServiceReason::SeatsOpen
        // The next round takes a number again.
        | ServiceReason::LiftTooLate
        | ServiceReason::LiftAlreadyEntered => Advice::Wait,
        ServiceReason::CredentialMissing
        | ServiceReason::CredentialInvalid
        | ServiceReason::CredentialExpired
        | ServiceReason::NotSeated
        | ServiceReason::ScopeMissing => Advice::Authorise,
        ServiceReason::StaleVersion
        | ServiceReason::HistoryDiverged
        | ServiceReason::HistoryGone
        | ServiceReason::LeaseLost
        | ServiceReason::LeaseNotFound => Advice::Reread,
        ServiceReason::StoreUnreachable
        | ServiceReason::Draining
        | ServiceReason::CommitUnconfirmed
        | ServiceReason::SchemaNewer
        | ServiceReason::RateLimited => Advice::Retry,
        ServiceReason::TableLimit
        | ServiceReason::StreamLimit
        | ServiceReason::StateCorrupt
        | ServiceReason::NotImplemented
        | ServiceReason::Internal
        | ServiceReason::Unspecified => Advice::GiveUp,
    }
}
