//! Why a credential does not let a call through.
//!
//! **Invariant:** an error holds nothing that the caller sent, so that it may be sent and logged.

use handfoot_protocol::Failure;
use handfoot_protocol::v1::ServiceReason;
use tonic::Code;

/// The kinds of credential, one for each group of services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialKind {
    /// The token of a seat or of a spectator.
    #[error("a seat token")]
    Seat,
    /// The API key of a platform.
    #[error("a platform credential")]
    Platform,
    /// The API key of a bot worker.
    #[error("a bot credential")]
    Bot,
}

/// Why a call is not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// There is no credential.
    #[error("this call takes {needed}: send it as \"authorization: Bearer CREDENTIAL\"")]
    Missing {
        /// What the call takes.
        needed: CredentialKind,
    },
    /// What was sent has not the form of a credential.
    #[error(
        "the credential cannot be read; this call takes {needed} as \"authorization: Bearer CREDENTIAL\""
    )]
    Malformed {
        /// What the call takes.
        needed: CredentialKind,
    },
    /// It is a credential for another group of services.
    #[error("this is {given}, but the call takes {needed}")]
    WrongKind {
        /// What was sent.
        given: CredentialKind,
        /// What the call takes.
        needed: CredentialKind,
    },
    /// It is signed with a key that this server does not know, or no longer.
    #[error("the token is signed with a key that this server does not know")]
    UnknownKey,
    /// Its signature does not fit.
    #[error("the signature of the token is wrong")]
    BadSignature,
    /// No such API key was given out.
    #[error("the credential is not known")]
    UnknownCredential,
    /// Its time has passed.
    #[error("the token has expired; ask the platform for another")]
    Expired,
    /// It does not allow this.
    #[error("the credential has not the scope {scope}")]
    ScopeMissing {
        /// The scope that is needed.
        scope: &'static str,
    },
    /// A spectator has no seat.
    #[error("a spectator cannot do this; it takes the token of a seat")]
    NotSeated,
}

impl AuthError {
    /// The status code of the answer.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Missing { .. }
            | Self::Malformed { .. }
            | Self::WrongKind { .. }
            | Self::UnknownKey
            | Self::BadSignature
            | Self::UnknownCredential
            | Self::Expired => Code::Unauthenticated,
            Self::ScopeMissing { .. } | Self::NotSeated => Code::PermissionDenied,
        }
    }

    /// The reason of the answer.
    #[must_use]
    pub const fn reason(&self) -> ServiceReason {
        match self {
            Self::Missing { .. } => ServiceReason::CredentialMissing,
            Self::Malformed { .. }
            | Self::WrongKind { .. }
            | Self::UnknownKey
            | Self::BadSignature
            | Self::UnknownCredential => ServiceReason::CredentialInvalid,
            Self::Expired => ServiceReason::CredentialExpired,
            Self::ScopeMissing { .. } => ServiceReason::ScopeMissing,
            Self::NotSeated => ServiceReason::NotSeated,
        }
    }

    /// The answer that says so.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let failure = Failure::new(self.reason(), &self.to_string());
        match self.metadata() {
            Some((name, value)) => failure.with(name, value),
            None => failure,
        }
    }

    /// The values behind the reason, by name.
    #[must_use]
    pub const fn metadata(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::ScopeMissing { scope } => Some(("scope", scope)),
            Self::Missing { .. }
            | Self::Malformed { .. }
            | Self::WrongKind { .. }
            | Self::UnknownKey
            | Self::BadSignature
            | Self::UnknownCredential
            | Self::Expired
            | Self::NotSeated => None,
        }
    }
}
