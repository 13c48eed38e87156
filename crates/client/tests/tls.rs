//! Servers behind TLS, and everything that can be wrong between `http://` and `https://`.
//!
//! **Invariant:** real sockets and certificates made for the test; the server behind the gateway is
//! the same one that others reach without TLS.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handfoot_client::{
    ClientError, Connection, Endpoint, IdentityFiles, PlatformClient, PlatformCredential,
    PlayClient, SeatToken, Settings, TlsMistake, TlsPart, TlsProblem, TlsSettings,
};
use handfoot_protocol::Advice;
use handfoot_test_kit::{Authority, Front, Gateway, Identity, Validity};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::failover::{Names, Server, free, name_of_server};

/// The name that the gateway's certificate is for.
const NAME: &str = "games.test";

/// An authority, a server without TLS, and files.
struct Place {
    authority: Authority,
    server: Server,
    files: TempDir,
}

impl Place {
    fn new() -> Place {
        let authority = Authority::new("the test's authority");
        let server = Server::start("behind", free());
        Place { authority, server, files: TempDir::new().unwrap() }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.files.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A gateway with a good certificate.
    fn gateway(&self) -> Gateway {
        self.gateway_with(&self.authority.sign(&[NAME], Validity::Now))
    }

    fn gateway_with(&self, identity: &Identity) -> Gateway {
        Gateway::start(&Front { identity, clients: None, protocols: &["h2"] }, self.server.at)
    }

    /// Settings that trust the test's authority.
    fn trusting(&self) -> TlsSettings {
        let ca_file = Some(self.file("authority.pem", &self.authority.certificate()));
        TlsSettings { ca_file, ..TlsSettings::default() }
    }

    fn identity(&self, of: &Identity) -> Option<IdentityFiles> {
        let certificate = self.file("client.pem", &of.certificate);
        Some(IdentityFiles { certificate, key: self.file("client.key", &of.key) })
    }
}

/// A client of the name, which stands for these addresses.
fn client(url: &str, at: &[SocketAddr], tls: TlsSettings) -> PlatformClient {
    PlatformClient::new(connection(url, at, tls), PlatformCredential::new("key").unwrap())
}

fn connection(url: &str, at: &[SocketAddr], tls: TlsSettings) -> Connection {
    let names = Names::default();
    names.0.lock().unwrap().extend(at);
    let settings = Settings {
        resolve_every: Duration::from_secs(1),
        jitter_seed: Some(1),
        resolver: Some(Arc::new(names)),
        tls,
        observer: None,
    };
    Connection::to(vec![url.parse().unwrap()], &settings)
}

/// What stands between a client and the server at an address.
async fn problem(url: &str, at: SocketAddr, tls: TlsSettings) -> TlsProblem {
    let client = client(url, &[at], tls);
    let told = tokio::time::timeout(Duration::from_secs(60), name_of_server(&client)).await;
    let error = told.expect("it is told").unwrap_err();
    let ClientError::Insecure(problem) = error else { panic!("{error:?}") };
    assert!(problem.to_string().contains("; "), "what to do follows: {problem}");
    problem
}

#[tokio::test]
async fn a_server_behind_a_gateway_is_reached_over_tls() {
    let place = Place::new();
    let gateway = place.gateway();
    let client = client("https://games.test", &[gateway.address()], place.trusting());
    for _ in 0..3 {
        assert_eq!(name_of_server(&client).await.unwrap(), "behind");
    }
}

#[tokio::test]
async fn a_server_by_its_address_is_known_by_the_name_that_is_given() {
    let place = Place::new();
    let gateway = place.gateway();
    let url = format!("https://{}", gateway.address());
    let shown = problem(&url, gateway.address(), place.trusting()).await;
    let (expected, presented) = ("127.0.0.1".to_owned(), NAME.to_owned());
    assert_eq!(shown, TlsProblem::OtherName { expected, presented });
    let named = TlsSettings { server_name: Some(NAME.to_owned()), ..place.trusting() };
    let client = client(&url, &[gateway.address()], named);
    assert_eq!(name_of_server(&client).await.unwrap(), "behind");
    // Or its certificate names the address.
    let gateway = place.gateway_with(&place.authority.sign(&["127.0.0.1"], Validity::Now));
    let url = format!("https://{}", gateway.address());
    let client = self::client(&url, &[gateway.address()], place.trusting());
    assert_eq!(name_of_server(&client).await.unwrap(), "behind");
}

#[tokio::test]
async fn what_is_wrong_with_a_certificate_is_told() {
    let place = Place::new();
    let stranger = Authority::new("a stranger");
    let url = "https://games.test";
    for (identity, expected) in [
        (stranger.sign(&[NAME], Validity::Now), TlsProblem::Untrusted),
        (place.authority.sign(&[NAME], Validity::Past), TlsProblem::Expired),
        (place.authority.sign(&[NAME], Validity::Future), TlsProblem::NotYetValid),
        (
            place.authority.sign(&["others.test", "more.test"], Validity::Now),
            TlsProblem::OtherName {
                expected: NAME.to_owned(),
                presented: "others.test, more.test".to_owned(),
            },
        ),
    ] {
        let gateway = place.gateway_with(&identity);
        assert_eq!(problem(url, gateway.address(), place.trusting()).await, expected);
    }
    // The system does not trust the test's authority either, where it trusts anybody.
    let gateway = place.gateway();
    let shown = problem(url, gateway.address(), TlsSettings::default()).await;
    let nobody = TlsProblem::Settings(TlsMistake::NoAuthorities);
    assert!(shown == TlsProblem::Untrusted || shown == nobody, "{shown:?}");
}

#[tokio::test]
async fn http_where_tls_is_spoken_and_tls_where_it_is_not_are_told() {
    let place = Place::new();
    let gateway = place.gateway();
    let plain = problem("http://games.test", gateway.address(), place.trusting()).await;
    assert_eq!(plain, TlsProblem::SecureOnly);
    let secure = problem("https://games.test", place.server.at, place.trusting()).await;
    assert_eq!(secure, TlsProblem::Plaintext);
}

#[tokio::test]
async fn a_server_of_another_protocol_is_told() {
    let place = Place::new();
    let identity = place.authority.sign(&[NAME], Validity::Now);
    for protocols in [&["http/1.1"][..], &[]] {
        let front = Front { identity: &identity, clients: None, protocols };
        let gateway = Gateway::start(&front, place.server.at);
        let shown = problem("https://games.test", gateway.address(), place.trusting()).await;
        assert_eq!(shown, TlsProblem::NotHttp2, "{protocols:?}");
    }
    let at = answering(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let shown = problem("http://games.test", at, TlsSettings::default()).await;
    assert_eq!(shown, TlsProblem::NotHttp2);
    let shown = problem("https://games.test", at, place.trusting()).await;
    assert_eq!(shown, TlsProblem::Plaintext);
    // One that hangs up without a word may be ending: it is tried again until the deadline.
    let at = answering(b"").await;
    assert_eq!(problem("https://games.test", at, place.trusting()).await, TlsProblem::Cut);
}

/// A server that reads something, says this and hangs up.
async fn answering(answer: &'static [u8]) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind(free()).await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 64]).await;
            let _ = stream.write_all(answer).await;
            let _ = stream.shutdown().await;
            // What is left unread would become a reset, and the answer would be lost.
            let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
        }
    });
    at
}

#[tokio::test]
async fn a_gateway_that_asks_who_is_calling_is_told_and_says_what_it_does_not_accept() {
    let place = Place::new();
    let clients = Authority::new("the authority of clients");
    let identity = place.authority.sign(&[NAME], Validity::Now);
    let front = Front { identity: &identity, clients: Some(&clients), protocols: &["h2"] };
    let gateway = Gateway::start(&front, place.server.at);
    let (url, at) = ("https://games.test", gateway.address());
    assert_eq!(problem(url, at, place.trusting()).await, TlsProblem::CertificateWanted);
    let stranger = Authority::new("a stranger").sign(&["worker"], Validity::Now);
    let known = clients.sign(&["worker"], Validity::Now);
    let showing = |who| TlsSettings { identity: place.identity(who), ..place.trusting() };
    assert_eq!(problem(url, at, showing(&stranger)).await, TlsProblem::CertificateRefused);
    let client = client(url, &[at], showing(&known));
    assert_eq!(name_of_server(&client).await.unwrap(), "behind");
}

/// Files are read anew for each connection, so that what was renewed is used.
#[tokio::test]
async fn renewed_files_are_used_and_broken_ones_are_not() {
    let place = Place::new();
    let (url, trusting) = ("https://games.test", place.trusting());
    let first = place.gateway();
    let names = Names::default();
    names.0.lock().unwrap().push(first.address());
    let settings = Settings {
        resolve_every: Duration::from_secs(1),
        jitter_seed: Some(1),
        resolver: Some(Arc::new(names.clone())),
        tls: trusting,
        observer: None,
    };
    let connection = Connection::to(vec![url.parse().unwrap()], &settings);
    let client = PlatformClient::new(connection, PlatformCredential::new("key").unwrap());
    assert_eq!(name_of_server(&client).await.unwrap(), "behind");
    // While the file is being written, what was read before still holds.
    place.file("authority.pem", "half of a fi");
    let second = place.gateway();
    *names.0.lock().unwrap() = vec![second.address()];
    drop(first);
    assert_eq!(name_of_server(&client).await.unwrap(), "behind");
    let renewed = Authority::new("the next authority");
    place.file("authority.pem", &renewed.certificate());
    let third = place.gateway_with(&renewed.sign(&[NAME], Validity::Now));
    *names.0.lock().unwrap() = vec![third.address()];
    drop(second);
    assert_eq!(name_of_server(&client).await.unwrap(), "behind");
}

/// Names that move and servers that die are followed over TLS too.
#[tokio::test]
async fn a_secure_name_is_followed_and_one_bad_server_spoils_no_other() {
    let place = Place::new();
    let good = place.gateway();
    let expired = place.gateway_with(&place.authority.sign(&[NAME], Validity::Past));
    let at = [expired.address(), good.address()];
    let client = client("https://games.test", &at, place.trusting());
    for _ in 0..6 {
        assert_eq!(name_of_server(&client).await.unwrap(), "behind");
    }
}

#[tokio::test]
async fn a_watch_tells_that_it_can_never_be_secure() {
    let place = Place::new();
    let gateway = place.gateway_with(&Authority::new("a stranger").sign(&[NAME], Validity::Now));
    let connection = connection("https://games.test", &[gateway.address()], place.trusting());
    let error = PlayClient::new(connection, SeatToken::new("token").unwrap()).watch().next().await;
    let error = error.unwrap_err();
    assert_eq!((error.label(), error.advice()), ("TLS_UNTRUSTED", Advice::GiveUp));
}

#[test]
fn mistakes_in_settings_are_all_told_before_anything_is_connected_to() {
    let place = Place::new();
    let endpoints: [Endpoint; 2] =
        ["http://games", "https://games"].map(|url| url.parse().unwrap());
    assert_eq!(place.trusting().mistakes(&endpoints), []);
    let known = place.authority.sign(&["worker"], Validity::Now);
    let other = place.authority.sign(&["worker"], Validity::Now);
    let files = |certificate: &str, key: &str| {
        let certificate = place.file("mistaken.pem", certificate);
        Some(IdentityFiles { certificate, key: place.file("mistaken.key", key) })
    };
    let mixed = TlsSettings {
        ca_file: Some(place.files.path().join("nowhere.pem")),
        server_name: Some("no name".to_owned()),
        identity: files(&known.certificate, &other.key),
    };
    let mistakes = mixed.mistakes(&endpoints);
    let parts: Vec<TlsPart> = mistakes.iter().map(TlsMistake::part).collect();
    assert_eq!(parts, [TlsPart::Authorities, TlsPart::ServerName, TlsPart::Key]);
    let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    for (mistake, part) in told.iter().zip(["nowhere.pem cannot", "\"no name\"", "not belong"]) {
        assert!(mistake.contains(part), "{mistake}");
    }
    let empty = TlsSettings { identity: files("", &known.certificate), ..place.trusting() };
    let parts: Vec<TlsPart> = empty.mistakes(&endpoints).iter().map(TlsMistake::part).collect();
    assert_eq!(parts, [TlsPart::Certificate, TlsPart::Key]);
    let text = TlsSettings {
        ca_file: Some(place.file("text.pem", "no certificate")),
        ..TlsSettings::default()
    };
    assert!(matches!(text.mistakes(&endpoints)[..], [TlsMistake::NoCertificate { .. }]));
    let unused = place.trusting().mistakes(&endpoints[..1]);
    assert_eq!(unused, [TlsMistake::NotUsed { part: TlsPart::Authorities }]);
    let printed = format!("{mixed:?}{empty:?}{told:?}");
    assert!(!printed.contains("PRIVATE"), "{printed}");
}
