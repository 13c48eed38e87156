//! Bots behind a gateway that ends TLS, as in front of a real game-service.
//!
//! **Invariant:** the service speaks no TLS; everything between it and the bots does.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use handfoot_bot_service::{Ended, Work, run};
use handfoot_bots::Level;
use handfoot_client::{Connection, IdentityFiles, Settings, TlsSettings};
use handfoot_protocol::v1;
use handfoot_store::SystemClock;
use handfoot_test_kit::{Authority, Front, Gateway, Validity};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::server::TcpIncoming;

use crate::alone;
use crate::process::program;
use crate::real::{service, settings};

fn file(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The games of bots that show a certificate to a gateway are those of bots in one process.
#[tokio::test]
async fn a_whole_game_is_played_over_tls() {
    let service = service(Arc::new(SystemClock));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let behind = listener.local_addr().unwrap();
    let routes = service.routes.clone();
    tokio::spawn(
        tonic::transport::Server::builder()
            .add_routes(routes)
            .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true))),
    );
    let (authority, files) = (Authority::new("the test's"), TempDir::new().unwrap());
    let shown = authority.sign(&["games.test"], Validity::Now);
    let worker = authority.sign(&["worker"], Validity::Now);
    let front = Front { identity: &shown, clients: Some(&authority), protocols: &["h2"] };
    let gateway = Gateway::start(&front, behind);
    let tls = TlsSettings {
        ca_file: Some(file(files.path(), "ca.pem", &authority.certificate())),
        server_name: Some("games.test".to_owned()),
        identity: Some(IdentityFiles {
            certificate: file(files.path(), "worker.pem", &worker.certificate),
            key: file(files.path(), "worker.key", &worker.key),
        }),
    };
    let url = format!("https://{}", gateway.address());
    let connection = Connection::to(vec![url.parse().unwrap()], &Settings { tls, ..settings() });
    let table_id = service.start_table(5, Level::Casual).await;
    let drain = CancellationToken::new();
    let finished = async {
        while service.table(&table_id).await.state() == v1::TableState::Playing {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        drain.cancel();
    };
    let working = run(Work::usual(), connection, service.bots.clone(), drain.clone());
    let (report, ()) = tokio::join!(working, finished);
    assert_eq!(report.ended, Ended::Drained);
    assert_eq!((report.tally.call_errors, report.tally.refused), (0, 0), "{}", report.tally);
    let known = service.spectator(&table_id).await.view().await.unwrap();
    assert_eq!(known.view.history, alone::play(5, Level::Casual, usize::MAX));
}

/// A worker that can reach nobody securely says why and what to do, and ends when it is told to.
#[cfg(unix)]
#[test]
fn a_worker_says_why_no_connection_is_secure() {
    let stranger = Authority::new("a stranger").sign(&["127.0.0.1"], Validity::Now);
    let front = Front { identity: &stranger, clients: None, protocols: &["h2"] };
    let behind = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let gateway = Gateway::start(&front, behind.local_addr().unwrap());
    let files = TempDir::new().unwrap();
    let ca = file(files.path(), "ca.pem", &Authority::new("the test's").certificate());
    let mut command = program();
    command.arg(format!("--servers=https://{}", gateway.address()));
    command.arg(format!("--ca-file={}", ca.display()));
    command.env("HANDFOOT_BOT_CREDENTIAL", "hfb_local.do-not-print");
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut printed = String::new();
    while !printed.contains("give the file of the authority that signed it") {
        assert!(errors.read_line(&mut printed).unwrap() > 0, "it ended early: {printed}");
    }
    assert!(printed.contains("TLS_UNTRUSTED"), "{printed}");
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    errors.read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{printed}");
    assert!(!printed.contains("do-not-print"), "{printed}");
}
