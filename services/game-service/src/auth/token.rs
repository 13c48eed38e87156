//! Seat tokens: what they claim, how they are signed and verified.
//!
//! **Invariant:** the algorithm is EdDSA whatever a token says, and a token's own claims are looked
//! at only after its signature. The names of the claims are stored in tokens and never change.

use handfoot_engine::Viewer;
use handfoot_store::Millis;
use handfoot_view::Seat;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use super::{AuthError, CredentialKind, Generation, SeatPass, SigningKey, VerifyingKey};

/// Who issues seat tokens.
const ISSUER: &str = "handfoot";

/// What seat tokens are for.
const AUDIENCE: &str = "seat";

/// The claims of a seat token.
#[derive(Deserialize, Serialize)]
struct Claims {
    iss: String,
    aud: String,
    /// Seconds since 1970.
    exp: u64,
    tenant: String,
    table: String,
    /// 1 to 12; 0: a spectator.
    seat: u8,
    /// Names with `+` between them.
    scopes: String,
    generation: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lease: Option<String>,
}

/// Signs what a pass is to say.
pub(super) fn sign(pass: &SeatPass, key: &SigningKey) -> Option<String> {
    let seat = match pass.viewer {
        Viewer::Spectator => 0,
        Viewer::Seat(seat) => u8::try_from(seat.number()).ok()?,
    };
    let claims = Claims {
        iss: ISSUER.to_owned(),
        aud: AUDIENCE.to_owned(),
        exp: pass.expires.0 / 1_000,
        tenant: pass.tenant.as_str().to_owned(),
        table: pass.table.as_str().to_owned(),
        seat,
        scopes: pass.scopes.to_string(),
        generation: pass.generation.0,
        lease: pass.lease.as_ref().map(|lease| lease.as_str().to_owned()),
    };
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(key.verifying_key().kid().to_owned());
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(&key.pkcs8)).ok()
}

/// What a token says, if one of these keys has signed it. Says nothing about the time.
pub(super) fn verify<'a>(
    token: &str,
    mut keys: impl Iterator<Item = &'a VerifyingKey>,
) -> Result<SeatPass, AuthError> {
    let malformed = AuthError::Malformed { needed: CredentialKind::Seat };
    let header = jsonwebtoken::decode_header(token).map_err(|_| malformed)?;
    if header.alg != Algorithm::EdDSA {
        return Err(malformed);
    }
    let kid = header.kid.ok_or(malformed)?;
    let key = keys.find(|key| key.kid == kid).ok_or(AuthError::UnknownKey)?;
    let key = DecodingKey::from_ed_der(&key.raw);
    let decoded = jsonwebtoken::decode::<Claims>(token, &key, &rules());
    let claims = decoded.map_err(|error| refused(error.kind()))?.claims;
    pass_of(&claims).ok_or(malformed)
}

/// What `jsonwebtoken` is to check: the signature. Time is checked by the caller's clock, and the
/// other claims in [`pass_of`].
fn rules() -> Validation {
    let mut rules = Validation::new(Algorithm::EdDSA);
    rules.required_spec_claims.clear();
    rules.validate_exp = false;
    rules.validate_aud = false;
    rules
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of another crate, open to more")]
fn refused(kind: &jsonwebtoken::errors::ErrorKind) -> AuthError {
    match kind {
        jsonwebtoken::errors::ErrorKind::InvalidSignature => AuthError::BadSignature,
        _ => AuthError::Malformed { needed: CredentialKind::Seat },
    }
}

fn pass_of(claims: &Claims) -> Option<SeatPass> {
    if claims.iss != ISSUER || claims.aud != AUDIENCE {
        return None;
    }
    let viewer = match claims.seat {
        0 => Viewer::Spectator,
        number => Viewer::Seat(Seat::from_number(usize::from(number))?),
    };
    Some(SeatPass {
        tenant: claims.tenant.parse().ok()?,
        table: claims.table.parse().ok()?,
        viewer,
        generation: Generation(claims.generation),
        scopes: claims.scopes.parse().ok()?,
        lease: claims.lease.as_deref().map(str::parse).transpose().ok()?,
        expires: Millis(claims.exp.checked_mul(1_000)?),
    })
}
