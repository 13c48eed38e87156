//! What a credential allows.
//!
//! **Invariant:** a scope only ever allows more; nothing is forbidden by one.

use std::fmt;
use std::str::FromStr;

use super::AuthError;

macro_rules! scopes {
    (
        $(#[doc = $doc:literal])+ $scope:ident;
        $(#[doc = $set_doc:literal])+ $set:ident;
        $($(#[doc = $variant_doc:literal])+ $variant:ident = $text:literal;)+
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $scope { $($(#[doc = $variant_doc])+ $variant,)+ }

        impl $scope {
            /// All there are.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        $(#[doc = $set_doc])+
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $set(u8);

        impl $set {
            /// None.
            pub const NONE: Self = Self(0);

            /// These and one more.
            #[must_use]
            pub const fn with(self, scope: $scope) -> Self {
                Self(self.0 | 1 << scope as u8)
            }

            /// Whether one is among them.
            #[must_use]
            pub const fn has(self, scope: $scope) -> bool {
                self.0 & 1 << scope as u8 != 0
            }

            /// Holds if one is among them.
            ///
            /// # Errors
            ///
            /// `ScopeMissing` if it is not.
            pub const fn require(self, scope: $scope) -> Result<(), AuthError> {
                match self.has(scope) {
                    true => Ok(()),
                    false => Err(AuthError::ScopeMissing { scope: scope.as_str() }),
                }
            }
        }

        impl fmt::Display for $set {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut between = "";
                for scope in $scope::ALL.iter().filter(|scope| self.has(**scope)) {
                    write!(f, "{between}{}", scope.as_str())?;
                    between = "+";
                }
                Ok(())
            }
        }

        impl fmt::Debug for $set {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{{{self}}}")
            }
        }

        impl FromStr for $set {
            type Err = UnknownScope;

            /// Names with `+` between them; an empty text is none.
            fn from_str(text: &str) -> Result<Self, UnknownScope> {
                let mut set = Self::NONE;
                for name in text.split('+').filter(|_| !text.is_empty()) {
                    let known = $scope::ALL.iter().find(|scope| scope.as_str() == name);
                    set = set.with(*known.ok_or(UnknownScope)?);
                }
                Ok(set)
            }
        }
    };
}

/// A name is not that of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("names a scope that does not exist")]
pub struct UnknownScope;

scopes! {
    /// What the token of a seat allows.
    SeatScope;
    /// What a seat token allows, together.
    SeatScopes;
    /// See the view, the legal actions and the log, and watch.
    Watch = "watch";
    /// Submit actions and undo them.
    Play = "play";
}

scopes! {
    /// What the credential of a platform allows.
    PlatformScope;
    /// What a platform credential allows, together.
    PlatformScopes;
    /// See and list tables.
    ReadTables = "tables.read";
    /// Create, seat, start and cancel tables, and enter numbers lifted.
    WriteTables = "tables.write";
    /// Issue tokens for seats and spectators.
    IssueTokens = "tokens.issue";
    /// Choose the seed of a table, and so all its deals.
    ChooseSeed = "seed.choose";
}

impl SeatScopes {
    /// What a spectator has.
    pub const SPECTATOR: Self = Self::NONE.with(SeatScope::Watch);
    /// What a seat has.
    pub const SEAT: Self = Self::SPECTATOR.with(SeatScope::Play);
}

impl PlatformScopes {
    /// What a platform needs; it cannot choose seeds.
    pub const USUAL: Self = Self::NONE
        .with(PlatformScope::ReadTables)
        .with(PlatformScope::WriteTables)
        .with(PlatformScope::IssueTokens);
    /// Everything.
    pub const EVERYTHING: Self = Self::USUAL.with(PlatformScope::ChooseSeed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_written_and_read() {
        for scopes in [PlatformScopes::NONE, PlatformScopes::USUAL, PlatformScopes::EVERYTHING] {
            assert_eq!(scopes.to_string().parse(), Ok(scopes));
        }
        assert_eq!(SeatScopes::SEAT.to_string(), "watch+play");
        for bad in ["+", "watch+", "Watch", "play watch", "tables.read"] {
            assert_eq!(bad.parse::<SeatScopes>(), Err(UnknownScope), "{bad}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let refused = PlatformScopes::USUAL.require(PlatformScope::ChooseSeed).unwrap_err();
        assert_eq!(refused.metadata(), Some(("scope", "seed.choose")));
        assert_eq!(refused.code(), tonic::Code::PermissionDenied);
        assert!(SeatScopes::SEAT.require(SeatScope::Play).is_ok());
        assert!(SeatScopes::SPECTATOR.require(SeatScope::Play).is_err());
    }
}
