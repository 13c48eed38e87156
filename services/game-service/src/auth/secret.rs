//! Secrets: signing keys, the key over API keys, API keys and tokens.
//!
//! **Invariant:** `Debug` says what a secret is, never what it says, and none has `Display`.

use std::fmt;

use aws_lc_rs::signature::{ED25519_PUBLIC_KEY_LEN, Ed25519KeyPair, KeyPair};
use aws_lc_rs::{digest, hmac, rand};
use handfoot_store::Millis;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};

/// Why a text is no secret of the kind wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretProblem {
    /// It is not PEM of a private key.
    #[error("is not a PEM file with a PRIVATE KEY")]
    NoPrivateKey,
    /// It is neither PEM of a public key nor of a private one.
    #[error("is not a PEM file with a PUBLIC KEY or a PRIVATE KEY")]
    NoKey,
    /// The key is of another algorithm or damaged.
    #[error("holds a key that is not an Ed25519 key")]
    NotEd25519,
    /// It is too short.
    #[error("has fewer than {CREDENTIAL_KEY_CHARS_MIN} characters")]
    TooShort,
}

/// Characters of the key over API keys, at least.
const CREDENTIAL_KEY_CHARS_MIN: usize = 32;

/// Bytes of a private key.
const SEED_BYTES: usize = 32;

/// What stands before the 32 bytes of an Ed25519 public key in its DER form (RFC 8410).
const PUBLIC_PREFIX: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// What stands before the 32 bytes of an Ed25519 private key in its DER form (RFC 8410).
const PRIVATE_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// An Ed25519 key that signs seat tokens.
#[derive(Clone)]
pub struct SigningKey {
    pub(super) pkcs8: Vec<u8>,
    public: VerifyingKey,
}

/// An Ed25519 key that verifies seat tokens. Not secret.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyingKey {
    pub(super) raw: [u8; ED25519_PUBLIC_KEY_LEN],
    pub(super) kid: String,
}

impl SigningKey {
    /// A key from its 32 secret bytes.
    pub(super) fn from_seed(seed: &[u8; SEED_BYTES]) -> Result<Self, SecretProblem> {
        Self::from_pkcs8(&[&PRIVATE_PREFIX[..], &seed[..]].concat())
    }

    /// Reads PEM, as `openssl genpkey -algorithm ed25519` writes it.
    ///
    /// # Errors
    ///
    /// Says what it is instead.
    pub fn from_pem(text: &str) -> Result<Self, SecretProblem> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(text.as_bytes());
        Self::from_pkcs8(der.map_err(|_| SecretProblem::NoPrivateKey)?.secret_pkcs8_der())
    }

    fn from_pkcs8(pkcs8: &[u8]) -> Result<Self, SecretProblem> {
        let pair = Ed25519KeyPair::from_pkcs8(pkcs8).map_err(|_| SecretProblem::NotEd25519)?;
        let public = pair.public_key().as_ref().try_into();
        let public = VerifyingKey::new(public.map_err(|_| SecretProblem::NotEd25519)?);
        Ok(Self { pkcs8: pkcs8.to_vec(), public })
    }

    /// The key that verifies what this one signs.
    #[must_use]
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.public
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public.kid)
    }
}

impl VerifyingKey {
    fn new(raw: [u8; ED25519_PUBLIC_KEY_LEN]) -> Self {
        let hash = digest::digest(&digest::SHA256, &raw);
        Self { raw, kid: hex(&hash.as_ref()[..8]) }
    }

    /// Reads PEM of a public key, or of a private one of which it takes the public half.
    ///
    /// # Errors
    ///
    /// Says what it is instead.
    pub fn from_pem(text: &str) -> Result<Self, SecretProblem> {
        if let Ok(der) = PrivatePkcs8KeyDer::from_pem_slice(text.as_bytes()) {
            return SigningKey::from_pkcs8(der.secret_pkcs8_der()).map(|key| key.public);
        }
        let der = SubjectPublicKeyInfoDer::from_pem_slice(text.as_bytes());
        let der = der.map_err(|_| SecretProblem::NoKey)?;
        let raw = der.strip_prefix(&PUBLIC_PREFIX).and_then(|raw| raw.try_into().ok());
        raw.map(Self::new).ok_or(SecretProblem::NotEd25519)
    }

    /// The name of the key, `kid` in tokens: the start of the hash of its public half.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({})", self.kid)
    }
}

/// The key of the HMAC-SHA-256 as which API keys are kept.
#[derive(Clone)]
pub struct CredentialKey(pub(super) hmac::Key);

impl CredentialKey {
    /// A key from a text of at least 32 characters, used as it stands without the space around it.
    ///
    /// # Errors
    ///
    /// Says that it is too short.
    pub fn from_text(text: &str) -> Result<Self, SecretProblem> {
        let text = text.trim();
        match text.chars().count() < CREDENTIAL_KEY_CHARS_MIN {
            true => Err(SecretProblem::TooShort),
            false => Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes()))),
        }
    }

    /// A key for the credentials of one process.
    pub(super) fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The HMAC of an API key, as it is kept.
    pub(super) fn tag(&self, key: &str) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(hmac::sign(&self.0, key.as_bytes()).as_ref());
        bytes
    }
}

impl fmt::Debug for CredentialKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CredentialKey(hidden)")
    }
}

macro_rules! revealed {
    ($($(#[doc = $doc:literal])+ $name:ident { $($field:ident: $type:ty),* };)+) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name { pub(super) text: String, $(pub(super) $field: $type,)* }

        impl $name {
            /// The secret itself, for the one it was made for.
            #[must_use]
            pub fn reveal(&self) -> &str {
                &self.text
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(hidden)"))
            }
        }
    )+ };
}

revealed! {
    /// The API key of a platform or of a bot worker, as it is sent.
    ApiKey {};
    /// A seat token, as it is sent.
    SeatToken { expires: Millis };
}

impl SeatToken {
    /// When it runs out.
    #[must_use]
    pub const fn expires(&self) -> Millis {
        self.expires
    }
}

/// Random bytes of the machine; none if it has none to give.
pub(super) fn random<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).ok().map(|()| bytes)
}

/// Bytes as text.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Text as bytes.
pub(super) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}
