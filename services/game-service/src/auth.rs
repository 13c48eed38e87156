//! Who calls, and proof of it: seat tokens, platform and bot credentials.
//!
//! **Invariant:** a [`SeatPass`], [`PlatformPass`] or [`BotPass`] exists only if [`Keys`] has
//! verified the credential of the call. No secret is printed by `Debug`, put into an error or
//! logged; only `reveal` gives one out, to whoever it was made for.

mod cache;
mod credential;
mod error;
mod keys;
mod local;
mod names;
mod pass;
mod scope;
mod secret;
mod token;

pub use credential::{BotCredential, CredentialProblem, PlatformCredential, TenantScope};
pub use error::{AuthError, CredentialKind};
pub use keys::{KeySet, Keys, SeatGrant};
pub use local::{KeyFileError, LocalCredentials, local_keys};
pub use names::{Generation, LeaseId, LeaseIdError};
pub use pass::{BotPass, PlatformPass, SeatPass};
pub use scope::{PlatformScope, PlatformScopes, SeatScope, SeatScopes};
pub use secret::{ApiKey, CredentialKey, SeatToken, SecretProblem, SigningKey, VerifyingKey};
