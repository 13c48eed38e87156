//! `handfoot serve`.
//!
//! **Invariant:** every way not to start says what is wrong and what to do, with its exit code.

use handfoot_client::{Connection, PlatformClient, PlatformCredential, Settings};
use handfoot_protocol::v1;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::kit::{file, path, run};
use crate::served::{Served, runtime};

#[test]
fn it_starts_says_that_it_is_well_and_ends_when_it_is_told_to() {
    let served = Served::start("--listen 127.0.0.1:0 --bots casual");
    runtime().block_on(async {
        let channel = tonic::transport::Endpoint::new(format!("http://{}", served.address));
        let mut health = HealthClient::new(channel.unwrap().connect().await.unwrap());
        let request = HealthCheckRequest { service: String::new() };
        let mut watched = health.watch(request).await.unwrap().into_inner();
        loop {
            let now = watched.message().await.unwrap().unwrap().status();
            if now == ServingStatus::Serving {
                break;
            }
        }
        let info = served.platform().get_server_info(v1::GetServerInfoRequest {}).await;
        assert!(info.is_ok());
    });
    let ended = served.terminate();
    assert_eq!((&ended["signal"], &ended["decisions"]), (&"SIGTERM".into(), &0.into()));
}

#[test]
fn a_port_in_use_is_told() {
    let served = Served::start("--listen 127.0.0.1:0");
    let ran = run(&format!("serve --listen {}", served.address));
    ran.fails(69, &[&served.address, "in use by another program", "another port with --listen"]);
}

#[test]
fn a_store_that_cannot_be_opened_is_told() {
    let store = path("store-in-use");
    let _served = Served::start(&format!("--listen 127.0.0.1:0 --store file:{store}"));
    let serve = |store: &str| run(&format!("serve --listen 127.0.0.1:0 --store {store}"));
    serve(&format!("file:{store}")).fails(69, &["in use by another process", "stop that one"]);
    let no_folder = file("store-no-folder", "text");
    serve(&format!("file:{no_folder}")).fails(69, &[&no_folder, "must be a folder"]);
    serve("reddis://nowhere").fails(64, &["no store has the address", "memory: or file:PATH"]);
    serve("redis://:hidden-word@127.0.0.1:1").fails(69, &["no Redis answers at 127.0.0.1:1"]);
    serve("redis://:hidden-word@").fails(64, &["names no host", "redis://HOST:PORT"]);
    serve("file:x?sync=never").fails(64, &["sync=never", "sync=disk and sync=os"]);
}

#[test]
fn a_damaged_store_is_told() {
    let store = path("store-damaged");
    let _ = std::fs::remove_dir_all(&store);
    Served::start(&format!("--listen 127.0.0.1:0 --store file:{store}")).terminate();
    let mut damaged = 0;
    damage(std::path::Path::new(&store), &mut damaged);
    assert!(damaged > 0);
    let ran = run(&format!("serve --listen 127.0.0.1:0 --store file:{store}"));
    ran.fails(74, &[&store, "damaged", "bring it back from a copy"]);
}

/// Overwrites every file of a folder.
fn damage(folder: &std::path::Path, damaged: &mut usize) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => damage(&path, damaged),
            false => {
                std::fs::write(&path, [0xa5; 64]).unwrap();
                *damaged += 1;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told() {
    let store = path("store-full");
    let _ = std::fs::remove_dir_all(&store);
    // No file may grow, as on a disk without room.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let program = env!("CARGO_BIN_EXE_handfoot");
    let store_address = format!("file:{store}");
    let arguments = ["-c", script, program, "serve", "--listen", "127.0.0.1:0", "--store"];
    let output =
        std::process::Command::new("sh").args(arguments).arg(&store_address).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(74), "{told}");
    assert!(told.contains("no room is left at ") && told.contains("  try: make room"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn it_is_given_memory_in_small_pages() {
    let served = Served::start("--listen 127.0.0.1:0");
    let status = std::fs::read_to_string(format!("/proc/{}/status", served.id())).unwrap();
    assert!(status.contains("THP_enabled:\t0"), "{status}");
}

#[test]
fn other_machines_reach_it_only_if_that_is_wanted() {
    run("serve --listen 0.0.0.0:0").fails(64, &["from other machines", "--allow-remote"]);
    let served = Served::start("--listen 0.0.0.0:0 --allow-remote --bots");
    assert!(served.address.starts_with("0.0.0.0:"));
    served.terminate();
}

#[cfg(unix)]
#[test]
fn keys_lie_beside_the_store_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let store = path("store-keys");
    let _ = std::fs::remove_dir_all(&store);
    let arguments = format!("--listen 127.0.0.1:0 --store file:{store}");
    let first = Served::start(&arguments);
    let keys = std::fs::metadata(format!("{store}.keys")).unwrap();
    assert_eq!(keys.permissions().mode() & 0o777, 0o600);
    let token = first.platform_token.clone();
    first.terminate();
    let second = Served::start(&arguments);
    assert_eq!(second.platform_token, token);
    // And it is good.
    runtime().block_on(async {
        let connection =
            Connection::to(vec![second.address.parse().unwrap()], &Settings::default());
        let platform = PlatformClient::new(connection, PlatformCredential::new(&token).unwrap());
        platform.list_tables(v1::ListTablesRequest::default()).await.unwrap();
    });
}

/// Stores without a folder have no place beside them: the file for the keys is named.
#[test]
fn keys_lie_where_they_are_told_to() {
    let keys = path("named.keys");
    let _ = std::fs::remove_file(&keys);
    let token = |more: &str| {
        let served = Served::start(&format!("--listen 127.0.0.1:0{more}"));
        let token = served.platform_token.clone();
        served.terminate();
        token
    };
    let named = format!(" --local-keys-file {keys}");
    assert_eq!(token(&named), token(&named));
    assert_ne!(token(""), token(""));
}

#[test]
fn words_that_mean_nothing_are_told() {
    run("serve --bots master").fails(64, &["no level ", "random, casual"]);
    run("serve --log loud").fails(64, &["no log level \"loud\"", "warn"]);
    assert_eq!(run("serve --listen here").code, 64);
}
