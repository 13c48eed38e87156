//! Credentials: what lets a call through, and that nothing else does.

use std::sync::Arc;
use std::time::Duration;

use handfoot_engine::Viewer;
use handfoot_game_service::auth::{
    AuthError, BotCredential, CredentialKey, CredentialKind, Generation, KeyFileError, KeySet,
    Keys, PlatformCredential, PlatformScopes, SeatGrant, SeatScope, SeatScopes, SigningKey,
    VerifyingKey, local_keys,
};
use handfoot_protocol::v1::ServiceReason;
use handfoot_store::{ManualClock, Millis};
use handfoot_view::Seat;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tonic::metadata::{MetadataMap, MetadataValue};

/// Made with `openssl genpkey -algorithm ed25519`.
pub(crate) const KEY_A: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAEweZwqr3bzGDZTYN58b8fBGrRM8zTf15GUkARfg5/7
-----END PRIVATE KEY-----
";

/// Made in the same way.
pub(crate) const KEY_B: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEILpmqiegcWpNVfpk/UJLSCDPDjc+WkNf29JmjcbqdDcN
-----END PRIVATE KEY-----
";

const START: Millis = Millis(1_800_000_000_000);

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(START))
}

fn keys(signing: &str, previous: Option<&str>, clock: Arc<ManualClock>) -> Keys {
    let set = KeySet {
        signing: SigningKey::from_pem(signing).unwrap(),
        previous: previous.map(|pem| VerifyingKey::from_pem(pem).unwrap()),
        credential_key: CredentialKey::from_text(&"k".repeat(32)).unwrap(),
        platforms: vec![PlatformCredential::from_text(PLATFORM).unwrap()],
        bots: vec![BotCredential::from_text(BOT).unwrap()],
    };
    Keys::new(set, clock)
}

/// The HMAC is what this prints:
/// `printf %s hfp_acme.secret | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`.
const PLATFORM: &str = "acme:6dc0fe8a51747f1d3bfb9016bc4f3cc26d03f9797eed926744aebed38f8cc52e";
const BOT: &str = "bots:1d01a32a6dfd9f6f9b2e7a409b0b03a4b7a81f228b7b6362ea8f3df9230c1196:*";

fn grant() -> SeatGrant {
    SeatGrant {
        tenant: "acme".parse().unwrap(),
        table: "table-7".parse().unwrap(),
        viewer: Viewer::Seat(Seat::from_number(3).unwrap()),
        scopes: SeatScopes::SEAT,
        generation: Generation(4),
        lease: None,
        lifetime: Duration::from_secs(60),
    }
}

fn sent(credential: &str) -> MetadataMap {
    header(&format!("Bearer {credential}"))
}

fn header(text: &str) -> MetadataMap {
    let mut metadata = MetadataMap::new();
    metadata.insert("authorization", text.parse().unwrap());
    metadata
}

#[test]
fn a_seat_token_says_what_it_was_made_for() {
    let mut grant = grant();
    grant.lease = Some("17:10000".parse().unwrap());
    let issuer = keys(KEY_A, None, clock());
    let token = issuer.issue(grant).unwrap();
    assert_eq!(token.expires(), Millis(START.0 + 60_000));
    // Another replica has not seen the token before.
    for keys in [issuer, keys(KEY_A, None, clock())] {
        for _ in 0..2 {
            let pass = keys.seat_pass(&sent(token.reveal())).unwrap();
            assert_eq!((pass.tenant().as_str(), pass.table().as_str()), ("acme", "table-7"));
            assert_eq!(pass.player().map(Seat::number), Ok(3));
            assert_eq!(pass.generation(), Generation(4));
            assert_eq!(pass.lease().unwrap().as_str(), "17:10000");
            assert_eq!(pass.expires(), token.expires());
            assert!(pass.require(SeatScope::Watch).is_ok());
        }
    }
}

#[test]
fn a_spectator_only_watches() {
    let keys = keys(KEY_A, None, clock());
    let spectator =
        SeatGrant { viewer: Viewer::Spectator, scopes: SeatScopes::SPECTATOR, ..grant() };
    let token = keys.issue(spectator).unwrap();
    let pass = keys.seat_pass(&sent(token.reveal())).unwrap();
    assert_eq!(pass.viewer(), Viewer::Spectator);
    assert_eq!(pass.player(), Err(AuthError::NotSeated));
    assert!(pass.require(SeatScope::Watch).is_ok());
    // Whatever its scopes are.
    let odd = SeatGrant { viewer: Viewer::Spectator, ..grant() };
    let token = keys.issue(odd).unwrap();
    assert_eq!(keys.seat_pass(&sent(token.reveal())).unwrap().player(), Err(AuthError::NotSeated));
}

#[test]
fn a_token_ends_with_its_time_also_where_it_was_seen_before() {
    let clock = clock();
    let keys = keys(KEY_A, None, Arc::clone(&clock));
    let token = keys.issue(grant()).unwrap();
    clock.set(Millis(token.expires().0 - 1));
    assert!(keys.seat_pass(&sent(token.reveal())).is_ok());
    clock.set(token.expires());
    let error = keys.seat_pass(&sent(token.reveal())).unwrap_err();
    assert_eq!(error, AuthError::Expired);
    assert_eq!(error.reason(), ServiceReason::CredentialExpired);
    clock.set(START);
    assert!(keys.seat_pass(&sent(token.reveal())).is_ok());
}

#[test]
fn a_key_is_replaced_without_ending_a_token() {
    let old = keys(KEY_A, None, clock()).issue(grant()).unwrap();
    let new = keys(KEY_B, Some(KEY_A), clock()).issue(grant()).unwrap();
    let rotated = keys(KEY_B, Some(KEY_A), clock());
    assert!(rotated.seat_pass(&sent(old.reveal())).is_ok());
    assert!(rotated.seat_pass(&sent(new.reveal())).is_ok());
    // Both replicas know both keys while the change goes round, in either order.
    let not_yet = keys(KEY_A, Some(KEY_B), clock());
    assert!(not_yet.seat_pass(&sent(new.reveal())).is_ok());
    let after = keys(KEY_B, None, clock());
    assert_eq!(after.seat_pass(&sent(old.reveal())), Err(AuthError::UnknownKey));
}

#[test]
fn the_public_half_of_a_key_is_enough_to_verify() {
    let public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPV4KxsjmtVcGQM5Z8obw4B5wlAbPqJRzhjZlSW7HzTQ=\n-----END PUBLIC KEY-----\n";
    let public = VerifyingKey::from_pem(public).unwrap();
    assert_eq!(&public, SigningKey::from_pem(KEY_A).unwrap().verifying_key());
    for bad in ["", "x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        assert!(SigningKey::from_pem(bad).is_err());
        assert!(VerifyingKey::from_pem(bad).is_err());
    }
}

/// Fault list: R66.
#[test]
fn a_token_that_was_changed_anywhere_is_none() {
    let issued = keys(KEY_A, None, clock()).issue(grant()).unwrap();
    let keys = keys(KEY_A, None, clock());
    let token = issued.reveal();
    for place in 0..token.len() {
        for other in (b' '..=b'~').filter(|c| *c != token.as_bytes()[place]) {
            let mut changed = token.as_bytes().to_vec();
            changed[place] = other;
            let changed = String::from_utf8(changed).unwrap();
            let error = keys.seat_pass(&sent(&changed)).unwrap_err();
            assert_eq!(error.code(), tonic::Code::Unauthenticated, "{changed}");
        }
    }
    for end in 0..token.len() {
        assert!(keys.seat_pass(&sent(&token[..end])).is_err());
    }
    assert!(keys.seat_pass(&sent(&format!("{token}=="))).is_err());
    assert!(keys.seat_pass(&sent(token)).is_ok());
}

#[test]
fn no_other_algorithm_is_accepted() {
    use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
    let signing = SigningKey::from_pem(KEY_A).unwrap();
    let keys = keys(KEY_A, None, clock());
    let issued = keys.issue(grant()).unwrap();
    let [head, claims, _] = issued.reveal().split('.').collect::<Vec<_>>().try_into().unwrap();
    let public = [signing.verifying_key().kid().as_bytes(), b"", KEY_A.as_bytes()];
    let body = serde_json::json!({
        "iss": "handfoot", "aud": "seat", "exp": 9_999_999_999_u64, "tenant": "acme",
        "table": "table-7", "seat": 3, "scopes": "watch+play", "generation": 4,
    });
    for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
        for secret in public {
            let mut header = Header::new(algorithm);
            header.kid = Some(signing.verifying_key().kid().to_owned());
            let key = EncodingKey::from_secret(secret);
            let Ok(token) = key.and_then(|key| encode(&header, &body, &key)) else { continue };
            let error = keys.seat_pass(&sent(&token)).unwrap_err();
            assert_eq!(error, AuthError::Malformed { needed: CredentialKind::Seat });
        }
    }
    // {"alg":"none","typ":"JWT"} and {"alg":"none","kid":""}, with and without a signature.
    for none in ["eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0", "eyJhbGciOiJub25lIiwia2lkIjoiIn0"] {
        for signature in ["", "AAAA"] {
            let error = keys.seat_pass(&sent(&format!("{none}.{claims}.{signature}")));
            assert_eq!(error, Err(AuthError::Malformed { needed: CredentialKind::Seat }));
        }
    }
    assert!(keys.seat_pass(&sent(&format!("{head}.{claims}."))).is_err());
}

#[test]
fn a_token_of_this_key_for_something_else_is_none() {
    use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
    let signing = SigningKey::from_pem(KEY_A).unwrap();
    let der = rustls_pki_types::PrivatePkcs8KeyDer::from(der_of(KEY_A));
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(signing.verifying_key().kid().to_owned());
    let good = serde_json::json!({
        "iss": "handfoot", "aud": "seat", "exp": 9_999_999_999_u64, "tenant": "acme",
        "table": "table-7", "seat": 3, "scopes": "watch+play", "generation": 4,
    });
    let keys = keys(KEY_A, None, clock());
    let pass = |claims: &serde_json::Value| {
        let key = EncodingKey::from_ed_der(der.secret_pkcs8_der());
        keys.seat_pass(&sent(&encode(&header, claims, &key).unwrap()))
    };
    assert!(pass(&good).is_ok());
    let changes = [
        ("iss", serde_json::json!("other")),
        ("aud", serde_json::json!("admin")),
        ("seat", serde_json::json!(13)),
        ("seat", serde_json::json!(-1)),
        ("exp", serde_json::json!(u64::MAX)),
        ("exp", serde_json::json!(null)),
        ("tenant", serde_json::json!("A/b")),
        ("table", serde_json::json!("")),
        ("scopes", serde_json::json!("everything")),
        ("lease", serde_json::json!("a b")),
    ];
    for (claim, value) in changes {
        let mut changed = good.clone();
        changed[claim] = value;
        let malformed = AuthError::Malformed { needed: CredentialKind::Seat };
        assert_eq!(pass(&changed), Err(malformed), "{changed}");
    }
}

fn der_of(pem: &str) -> Vec<u8> {
    use rustls_pki_types::pem::PemObject;
    let der = rustls_pki_types::PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).unwrap();
    der.secret_pkcs8_der().to_vec()
}

#[test]
fn an_api_key_is_known_by_its_hmac() {
    let keys = keys(KEY_A, None, clock());
    let pass = keys.platform_pass(&sent("hfp_acme.secret")).unwrap();
    assert_eq!((pass.tenant().as_str(), pass.scopes()), ("acme", PlatformScopes::USUAL));
    let bot = keys.bot_pass(&sent("hfb_bots.secret")).unwrap();
    assert!(bot.tenants().has(pass.tenant()));
    for bad in ["hfp_acme.Secret", "hfp_acme.", "hfp_acme", "hfp_", "hfp_other.secret", "hfp_."] {
        assert_eq!(keys.platform_pass(&sent(bad)), Err(AuthError::UnknownCredential), "{bad}");
    }
}

#[test]
fn each_group_of_services_takes_its_own_credential() {
    let keys = keys(KEY_A, None, clock());
    let token = keys.issue(grant()).unwrap();
    let wrong = |given, needed| AuthError::WrongKind { given, needed };
    use CredentialKind::{Bot, Platform, Seat};
    let platform = sent("hfp_acme.secret");
    assert_eq!(keys.seat_pass(&platform), Err(wrong(Platform, Seat)));
    assert_eq!(keys.bot_pass(&platform), Err(wrong(Platform, Bot)));
    assert_eq!(keys.platform_pass(&sent(token.reveal())), Err(wrong(Seat, Platform)));
    assert_eq!(keys.platform_pass(&sent("hfb_bots.secret")), Err(wrong(Bot, Platform)));
}

#[test]
fn a_header_is_there_once_and_has_its_form() {
    let keys = keys(KEY_A, None, clock());
    let token = keys.issue(grant()).unwrap();
    let token = token.reveal();
    let malformed = AuthError::Malformed { needed: CredentialKind::Seat };
    let none = keys.seat_pass(&MetadataMap::new()).unwrap_err();
    assert_eq!(none, AuthError::Missing { needed: CredentialKind::Seat });
    assert_eq!(none.reason(), ServiceReason::CredentialMissing);
    assert!(keys.seat_pass(&header(&format!("bearer {token}"))).is_ok());
    for bad in ["", "Bearer", "Bearer ", "Bearer  ", "Basic YTpi", token, &"x".repeat(5_000)] {
        assert_eq!(keys.seat_pass(&header(bad)), Err(malformed), "{bad}");
    }
    let mut twice = sent(token);
    twice.append("authorization", format!("Bearer {token}").parse().unwrap());
    assert_eq!(keys.seat_pass(&twice), Err(malformed));
}

#[test]
fn ten_thousand_headers_are_refused_quietly() {
    let keys = keys(KEY_A, None, clock());
    let token = keys.issue(grant()).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    let good = [
        format!("Bearer {}", token.reveal()),
        "Bearer hfp_acme.secret".to_owned(),
        "Bearer hfb_bots.secret".to_owned(),
    ];
    let mut let_through = 0;
    for _ in 0..10_000 {
        let from = &good[rng.next_u32() as usize % good.len()];
        let bytes = mutated(from.as_bytes(), &mut rng);
        let is_good = good.iter().any(|good| as_good(&bytes, good));
        let Ok(value) = MetadataValue::try_from(bytes.as_slice()) else { continue };
        let mut metadata = MetadataMap::new();
        metadata.insert("authorization", value);
        let passes = [
            keys.seat_pass(&metadata).map(drop),
            keys.platform_pass(&metadata).map(drop),
            keys.bot_pass(&metadata).map(drop),
        ];
        for refused in passes.iter().filter_map(|pass| pass.as_ref().err()) {
            let status = refused.failure().to_status();
            assert_eq!(status.code(), tonic::Code::Unauthenticated);
            assert!(status.message().len() < 200);
        }
        let passed = passes.iter().any(Result::is_ok);
        assert_eq!(passed, is_good, "{:?}", String::from_utf8_lossy(&bytes));
        let_through += usize::from(passed);
    }
    assert!(let_through < 1_000, "{let_through}");
}

/// Whether it is the header itself, but for the case of its scheme.
fn as_good(bytes: &[u8], good: &str) -> bool {
    let (scheme, rest) = bytes.split_at(6.min(bytes.len()));
    scheme.eq_ignore_ascii_case(b"bearer") && rest == &good.as_bytes()[6..]
}

fn mutated(from: &[u8], rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut bytes = from.to_vec();
    for _ in 0..=rng.next_u32() % 4 {
        let place = rng.next_u32() as usize % (bytes.len() + 1);
        let byte = (rng.next_u32() & 0xff) as u8;
        match rng.next_u32() % 6 {
            0 => bytes.insert(place, byte),
            1 => bytes.truncate(place),
            2 if place < bytes.len() => bytes[place] = byte,
            3 if place < bytes.len() => bytes[place] ^= 0x20,
            4 if place < bytes.len() => drop(bytes.remove(place)),
            _ => {
                let tail = bytes[place..].to_vec();
                bytes.extend(tail);
            }
        }
    }
    bytes
}

#[test]
fn nothing_secret_is_printed() {
    let keys = keys(KEY_A, Some(KEY_B), clock());
    let token = keys.issue(grant()).unwrap();
    let (local, credentials) = local_keys(None, clock()).unwrap();
    let pass = keys.seat_pass(&sent(token.reveal())).unwrap();
    let signing = SigningKey::from_pem(KEY_A).unwrap();
    let key = CredentialKey::from_text(&"k".repeat(32)).unwrap();
    let platform = PlatformCredential::from_text(PLATFORM).unwrap();
    let printed =
        format!("{keys:?}{token:?}{local:?}{credentials:?}{pass:?}{signing:?}{key:?}{platform:?}");
    let secrets = [
        token.reveal(),
        credentials.platform.reveal(),
        credentials.bot.reveal(),
        &PLATFORM[5..],
        "kkkk",
    ];
    for secret in secrets {
        assert!(!printed.contains(secret), "{printed}");
    }
    for byte in der_of(KEY_A).chunks(4) {
        assert!(!printed.contains(&format!("{byte:?}")), "{printed}");
    }
}

#[test]
fn local_keys_are_the_owners_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("local-keys");
    let (keys, first) = local_keys(Some(&path), clock()).unwrap();
    let token = keys.issue(grant()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let (keys, second) = local_keys(Some(&path), clock()).unwrap();
    assert_eq!(first.platform, second.platform);
    assert_eq!(first.bot, second.bot);
    assert!(keys.seat_pass(&sent(token.reveal())).is_ok());
    let pass = keys.platform_pass(&sent(first.platform.reveal())).unwrap();
    assert_eq!(pass.scopes(), PlatformScopes::EVERYTHING);
    assert!(keys.bot_pass(&sent(first.bot.reveal())).is_ok());
    // Without a file they are new each time.
    let (other, third) = local_keys(None, clock()).unwrap();
    assert_ne!(first.platform, third.platform);
    assert_eq!(other.seat_pass(&sent(token.reveal())), Err(AuthError::UnknownKey));
}

#[test]
fn a_file_that_holds_no_keys_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("local-keys");
    local_keys(Some(&path), clock()).unwrap();
    let good = std::fs::read(&path).unwrap();
    for end in (0..good.len() - 1).step_by(7) {
        std::fs::write(&path, &good[..end]).unwrap();
        let error = local_keys(Some(&path), clock()).unwrap_err();
        assert!(matches!(error, KeyFileError::NotKeys { .. }), "{error}");
        assert!(error.to_string().contains("move it away"), "{error}");
    }
    let error = local_keys(Some(folder.path()), clock()).unwrap_err();
    assert!(matches!(error, KeyFileError::NotUsable { .. }), "{error}");
    let nowhere = folder.path().join("none").join("local-keys");
    assert!(local_keys(Some(&nowhere), clock()).is_err());
}
