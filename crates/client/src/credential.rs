//! Secrets that a caller shows, one type for each kind.
//!
//! **Invariant:** a credential is never printed: it has no `Display`, its `Debug` hides it, and the
//! header that carries it is marked as sensitive.

use std::fmt;

use tonic::metadata::{Ascii, MetadataValue};

/// A text that cannot be sent as a credential: it is empty or has characters other than visible
/// ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a credential is visible ASCII and not empty")]
pub struct NotACredential;

/// What goes into the header `authorization`.
#[derive(Clone)]
pub(crate) struct Header(MetadataValue<Ascii>);

impl Header {
    fn bearer(secret: &str) -> Result<Header, NotACredential> {
        if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(NotACredential);
        }
        let mut value: MetadataValue<Ascii> =
            format!("Bearer {secret}").parse().map_err(|_| NotACredential)?;
        value.set_sensitive(true);
        Ok(Header(value))
    }

    pub(crate) fn value(&self) -> MetadataValue<Ascii> {
        self.0.clone()
    }
}

macro_rules! credentials {
    ($($(#[$doc:meta])+ $name:ident)+) => { $(
        $(#[$doc])+
        #[derive(Clone)]
        pub struct $name(Header);

        impl $name {
            /// The credential of this text, without `Bearer`.
            ///
            /// # Errors
            ///
            /// [`NotACredential`].
            pub fn new(secret: &str) -> Result<$name, NotACredential> {
                Header::bearer(secret).map($name)
            }

            pub(crate) const fn header(&self) -> &Header {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }

        impl std::str::FromStr for $name {
            type Err = NotACredential;

            fn from_str(secret: &str) -> Result<$name, NotACredential> {
                $name::new(secret)
            }
        }
    )+ };
}

credentials! {
    /// The token of a seat or of a spectator, or of a bot's lease: who has it plays there.
    SeatToken
    /// The credential of the platform that runs tables.
    PlatformCredential
    /// The credential of a worker that plays bots' seats.
    BotCredential
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_not_printed() {
        let token = SeatToken::new("very.secret").unwrap();
        assert_eq!(format!("{token:?}"), "SeatToken(..)");
        assert!(token.header().value().is_sensitive());
    }

    #[test]
    fn what_cannot_be_a_header_is_refused() {
        for text in ["", "a b", "a\nb", "ä"] {
            assert_eq!(PlatformCredential::new(text).err(), Some(NotACredential), "{text:?}");
        }
    }
}
