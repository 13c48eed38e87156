//! The keys of a service: what credentials are verified with, and tokens signed.
//!
//! **Invariant:** the only maker of passes. Keys do not change while a process runs: after a
//! rotation the old key stays as the previous one until the last token signed with it has expired.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use handfoot_engine::Viewer;
use handfoot_store::{Clock, Millis, TableId, Tenant};
use tonic::metadata::MetadataMap;

use super::cache::{TokenHash, VerifiedTokens};
use super::credential::{BOT_PREFIX, Known, PLATFORM_PREFIX};
use super::{
    AuthError, BotCredential, BotPass, CredentialKey, CredentialKind, Generation, LeaseId,
    PlatformCredential, PlatformPass, SeatPass, SeatScopes, SeatToken, SigningKey, VerifyingKey,
    token,
};

/// Characters of a credential, at most.
const CREDENTIAL_CHARS_MAX: usize = 2_048;

/// What keys are made of.
#[derive(Clone, Debug)]
pub struct KeySet {
    /// Signs seat tokens.
    pub signing: SigningKey,
    /// Verifies tokens that were signed before the last rotation.
    pub previous: Option<VerifyingKey>,
    /// Makes API keys comparable.
    pub credential_key: CredentialKey,
    /// Platforms that may call; of two with one id the later counts.
    pub platforms: Vec<PlatformCredential>,
    /// Bot workers that may call; of two with one id the later counts.
    pub bots: Vec<BotCredential>,
}

/// What a seat token is to say.
#[derive(Clone, Debug)]
pub struct SeatGrant {
    /// Whose table it is.
    pub tenant: Tenant,
    /// The table.
    pub table: TableId,
    /// The seat, or a spectator.
    pub viewer: Viewer,
    /// What it allows.
    pub scopes: SeatScopes,
    /// Which tokens of the seat it belongs to.
    pub generation: Generation,
    /// The lease that it is to die with.
    pub lease: Option<LeaseId>,
    /// For how long it holds; rounded up to whole seconds of the clock.
    pub lifetime: Duration,
}

/// Verifies credentials and issues seat tokens.
pub struct Keys {
    signing: SigningKey,
    previous: Option<VerifyingKey>,
    credential_key: CredentialKey,
    platforms: Known<PlatformPass>,
    bots: Known<BotPass>,
    verified: VerifiedTokens,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys")
            .field("signing", &self.signing)
            .field("previous", &self.previous)
            .field("platforms", &self.platforms.len())
            .field("bots", &self.bots.len())
            .finish_non_exhaustive()
    }
}

impl Keys {
    /// The keys of a service, told the time by a clock.
    #[must_use]
    pub fn new(set: KeySet, clock: Arc<dyn Clock>) -> Self {
        let platform = |entry: PlatformCredential| {
            let pass = PlatformPass { tenant: entry.tenant, scopes: entry.scopes };
            (entry.id, entry.tag, pass)
        };
        let bot = |entry: BotCredential| (entry.id, entry.tag, BotPass { tenants: entry.tenants });
        Self {
            signing: set.signing,
            previous: set.previous,
            credential_key: set.credential_key,
            platforms: Known::new(set.platforms.into_iter().map(platform)),
            bots: Known::new(set.bots.into_iter().map(bot)),
            verified: VerifiedTokens::default(),
            clock,
        }
    }

    /// Issues a seat token; none if the signature cannot be made, which does not happen with a key
    /// that was read.
    #[must_use]
    pub fn issue(&self, grant: SeatGrant) -> Option<SeatToken> {
        let end = self.clock.now().after(grant.lifetime);
        let expires = Millis(end.0.div_ceil(1_000).saturating_mul(1_000));
        let pass = SeatPass {
            tenant: grant.tenant,
            table: grant.table,
            viewer: grant.viewer,
            generation: grant.generation,
            scopes: grant.scopes,
            lease: grant.lease,
            expires,
        };
        let text = token::sign(&pass, &self.signing)?;
        self.verified.put(TokenHash::of(&text), pass);
        Some(SeatToken { text, expires })
    }

    /// The pass of a call with a seat token.
    ///
    /// # Errors
    ///
    /// Says why the credential is not one, without repeating it.
    pub fn seat_pass(&self, metadata: &MetadataMap) -> Result<SeatPass, AuthError> {
        let token = bearer(metadata, CredentialKind::Seat)?;
        let hash = TokenHash::of(token);
        let pass = match self.verified.get(&hash) {
            Some(pass) => pass,
            None => {
                let keys = [Some(self.signing.verifying_key()), self.previous.as_ref()];
                let pass = token::verify(token, keys.into_iter().flatten())?;
                self.verified.put(hash, pass.clone());
                pass
            }
        };
        match self.clock.now() < pass.expires {
            true => Ok(pass),
            false => Err(AuthError::Expired),
        }
    }

    /// The pass of a call with a platform credential.
    ///
    /// # Errors
    ///
    /// Says why the credential is not one, without repeating it.
    pub fn platform_pass(&self, metadata: &MetadataMap) -> Result<PlatformPass, AuthError> {
        let key = bearer(metadata, CredentialKind::Platform)?;
        let rest = key.strip_prefix(PLATFORM_PREFIX).unwrap_or_default();
        self.platforms.holder(&self.credential_key, key, rest).cloned()
    }

    /// The pass of a call with a bot credential.
    ///
    /// # Errors
    ///
    /// Says why the credential is not one, without repeating it.
    pub fn bot_pass(&self, metadata: &MetadataMap) -> Result<BotPass, AuthError> {
        let key = bearer(metadata, CredentialKind::Bot)?;
        let rest = key.strip_prefix(BOT_PREFIX).unwrap_or_default();
        self.bots.holder(&self.credential_key, key, rest).cloned()
    }
}

/// The one credential of a call, if it has the form of the kind wanted.
fn bearer(metadata: &MetadataMap, needed: CredentialKind) -> Result<&str, AuthError> {
    let malformed = AuthError::Malformed { needed };
    let mut sent = metadata.get_all("authorization").iter();
    let (first, second) = (sent.next(), sent.next());
    let header = first.ok_or(AuthError::Missing { needed })?;
    // Two credentials leave open which one counts, and a proxy may have checked the other.
    if second.is_some() {
        return Err(malformed);
    }
    let header = header.to_str().map_err(|_| malformed)?;
    let (scheme, credential) = header.split_once(' ').ok_or(malformed)?;
    let is_sized = (1..=CREDENTIAL_CHARS_MAX).contains(&credential.len());
    if !scheme.eq_ignore_ascii_case("bearer") || !is_sized {
        return Err(malformed);
    }
    match kind_of(credential).ok_or(malformed)? {
        given if given == needed => Ok(credential),
        given => Err(AuthError::WrongKind { given, needed }),
    }
}

/// What kind of credential it looks like.
fn kind_of(credential: &str) -> Option<CredentialKind> {
    if credential.starts_with(PLATFORM_PREFIX) {
        return Some(CredentialKind::Platform);
    }
    if credential.starts_with(BOT_PREFIX) {
        return Some(CredentialKind::Bot);
    }
    (credential.bytes().filter(|c| *c == b'.').count() == 2).then_some(CredentialKind::Seat)
}
