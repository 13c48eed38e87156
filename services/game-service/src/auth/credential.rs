//! API keys of platforms and of bot workers.
//!
//! **Invariant:** an API key is kept as HMAC only. A key that does not exist and a key with a wrong
//! secret take the same steps and give the same error.

use std::collections::BTreeMap;

use aws_lc_rs::hmac;
use handfoot_store::Tenant;

use super::secret::{hex, random, unhex};
use super::{ApiKey, AuthError, CredentialKey, PlatformScopes};

/// Start of a platform's API key, which is `hfp_ID.SECRET`.
pub(super) const PLATFORM_PREFIX: &str = "hfp_";

/// Start of a bot worker's API key, which is `hfb_ID.SECRET`.
pub(super) const BOT_PREFIX: &str = "hfb_";

/// Bytes of the secret of an API key that is made here.
const SECRET_BYTES: usize = 32;

/// Why a text is no credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialProblem {
    /// It has too few or too many parts.
    #[error("has not the parts {0}")]
    Parts(&'static str),
    /// The id is no name.
    #[error("has an id that is not 1 to 64 characters of a-z, 0-9 and -")]
    Id,
    /// The HMAC is none.
    #[error("has an HMAC that is not 64 hex digits")]
    Hmac,
    /// The tenant is no name.
    #[error("has a tenant that is not 1 to 64 characters of a-z, 0-9 and -")]
    Tenant,
    /// A scope does not exist.
    #[error("has a scope that is none of tables.read, tables.write, tokens.issue, seed.choose")]
    Scope,
}

/// Whose tables a bot worker may play at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TenantScope {
    /// Everybody's.
    Every,
    /// One tenant's.
    One(Tenant),
}

impl TenantScope {
    /// Whether a tenant's tables are among them.
    #[must_use]
    pub fn has(&self, tenant: &Tenant) -> bool {
        match self {
            Self::Every => true,
            Self::One(one) => one == tenant,
        }
    }
}

/// The credential of a platform, as it is kept.
#[derive(Clone, Debug)]
pub struct PlatformCredential {
    pub(super) id: Tenant,
    pub(super) tag: Tag,
    pub(super) tenant: Tenant,
    pub(super) scopes: PlatformScopes,
}

/// The credential of a bot worker, as it is kept.
#[derive(Clone, Debug)]
pub struct BotCredential {
    pub(super) id: Tenant,
    pub(super) tag: Tag,
    pub(super) tenants: TenantScope,
}

/// The HMAC of an API key. It lets nobody in, but is not printed either.
#[derive(Clone)]
pub(super) struct Tag([u8; 32]);

impl std::fmt::Debug for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("hidden")
    }
}

impl PlatformCredential {
    /// The name in its API key.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// Reads `ID:HMAC[:TENANT[:SCOPE+SCOPE]]`; the tenant is the id unless it is given, the scopes
    /// are all but `seed.choose`.
    ///
    /// # Errors
    ///
    /// Says which part is wrong; never repeats it.
    pub fn from_text(text: &str) -> Result<Self, CredentialProblem> {
        let shape = CredentialProblem::Parts("ID:HMAC[:TENANT[:SCOPE+SCOPE]]");
        let parts: Vec<&str> = text.split(':').collect();
        let (id, tag) = id_and_tag(&parts, shape)?;
        let tenant = parts.get(2).map_or(Ok(id.clone()), |tenant| tenant.parse());
        let scopes = parts.get(3).map_or(Ok(PlatformScopes::USUAL), |scopes| scopes.parse());
        match parts.len() {
            2..=4 => Ok(Self {
                id,
                tag,
                tenant: tenant.map_err(|_| CredentialProblem::Tenant)?,
                scopes: scopes.map_err(|_| CredentialProblem::Scope)?,
            }),
            _ => Err(shape),
        }
    }
}

impl BotCredential {
    /// The name in its API key.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// Reads `ID:HMAC[:TENANT]`; the tenant is the id unless it is given, `*` is every tenant.
    ///
    /// # Errors
    ///
    /// Says which part is wrong; never repeats it.
    pub fn from_text(text: &str) -> Result<Self, CredentialProblem> {
        let shape = CredentialProblem::Parts("ID:HMAC[:TENANT]");
        let parts: Vec<&str> = text.split(':').collect();
        let (id, tag) = id_and_tag(&parts, shape)?;
        let tenants = match parts[2..] {
            [] => TenantScope::One(id.clone()),
            ["*"] => TenantScope::Every,
            [tenant] => TenantScope::One(tenant.parse().map_err(|_| CredentialProblem::Tenant)?),
            [_, _, ..] => return Err(shape),
        };
        Ok(Self { id, tag, tenants })
    }
}

fn id_and_tag(
    parts: &[&str],
    shape: CredentialProblem,
) -> Result<(Tenant, Tag), CredentialProblem> {
    let [id, tag, ..] = parts else { return Err(shape) };
    let id = id.parse().map_err(|_| CredentialProblem::Id)?;
    Ok((id, Tag(unhex(tag).ok_or(CredentialProblem::Hmac)?)))
}

/// Makes an API key for an id, and what is kept of it; none if the machine gives no random bytes.
pub(super) fn made(prefix: &str, id: &Tenant) -> Option<ApiKey> {
    let secret: [u8; SECRET_BYTES] = random()?;
    Some(ApiKey { text: format!("{prefix}{id}.{}", hex(&secret)) })
}

/// What is kept of an API key.
pub(super) fn tag_of(key: &ApiKey, secret: &CredentialKey) -> Tag {
    Tag(secret.tag(&key.text))
}

/// Credentials of one kind by id.
pub(super) struct Known<T> {
    by_id: BTreeMap<String, (Tag, T)>,
    /// What keys without an entry are compared with, so that they take as long.
    nobody: Tag,
}

impl<T> Known<T> {
    pub(super) fn new(entries: impl IntoIterator<Item = (Tenant, Tag, T)>) -> Self {
        let entry = |(id, tag, known): (Tenant, Tag, T)| (id.as_str().to_owned(), (tag, known));
        Self { by_id: entries.into_iter().map(entry).collect(), nobody: Tag([0; 32]) }
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whose API key it is. `rest` is the key without its prefix.
    pub(super) fn holder(
        &self,
        secret: &CredentialKey,
        key: &str,
        rest: &str,
    ) -> Result<&T, AuthError> {
        let id = rest.split_once('.').map_or("", |(id, _)| id);
        let entry = self.by_id.get(id);
        let tag = entry.map_or(&self.nobody, |(tag, _)| tag);
        let fits = hmac::verify(&secret.0, key.as_bytes(), &tag.0);
        match (entry, fits) {
            (Some((_, known)), Ok(())) => Ok(known),
            (Some(_), Err(_)) | (None, Ok(()) | Err(_)) => Err(AuthError::UnknownCredential),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    #[test]
    fn the_short_form_is_a_tenant_with_the_usual_scopes() {
        let short = PlatformCredential::from_text(&format!("acme:{TAG}")).unwrap();
        assert_eq!(short.tenant.as_str(), "acme");
        assert_eq!(short.scopes, PlatformScopes::USUAL);
        let long = format!("acme-2:{TAG}:acme:tables.read+seed.choose");
        let long = PlatformCredential::from_text(&long).unwrap();
        assert_eq!((long.id.as_str(), long.tenant.as_str()), ("acme-2", "acme"));
        assert_eq!(long.scopes.to_string(), "tables.read+seed.choose");
        let bot = |rest: &str| BotCredential::from_text(&format!("b:{TAG}{rest}")).unwrap().tenants;
        let (acme, other) = ("acme".parse().unwrap(), "other".parse().unwrap());
        assert!(bot(":*").has(&acme) && bot(":*").has(&other));
        assert!(bot(":acme").has(&acme) && !bot(":acme").has(&other));
        assert!(!bot("").has(&acme));
    }

    #[test]
    fn what_is_wrong_is_named_and_not_repeated() {
        use CredentialProblem::{Hmac, Id, Parts, Scope, Tenant};
        let shape = Parts("ID:HMAC[:TENANT[:SCOPE+SCOPE]]");
        let rows = [
            (String::new(), shape),
            ("acme".to_owned(), shape),
            (format!("ACME:{TAG}"), Id),
            ("acme:0011".to_owned(), Hmac),
            (format!("acme:{}zz", &TAG[2..]), Hmac),
            (format!("acme:{TAG}:A b"), Tenant),
            (format!("acme:{TAG}:acme:all"), Scope),
            (format!("acme:{TAG}:acme:tables.read:x"), shape),
        ];
        for (text, problem) in rows {
            assert_eq!(PlatformCredential::from_text(&text).unwrap_err(), problem, "{text}");
        }
        assert!(BotCredential::from_text(&format!("b:{TAG}:x:y")).is_err());
    }
}
